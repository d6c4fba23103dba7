//! Topics are told apart by what they are: in what is said before a run, in figures, comparisons and labels.

use elenchus_test_support::program::Program;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

const PROTOCOL: &str = "sred";

/// Ten topics, each under so many ids.
fn rows(copies: usize) -> String {
    let rows =
        (0..copies * 10).map(|at| format!("row-{at:02},Is question {} asked often?\n", at % 10));
    format!("id,text\n{}", rows.collect::<String>())
}

fn run<'a>(dataset: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let args = [
        "run",
        "--protocol",
        PROTOCOL,
        "--model",
        "sim",
        "--dataset",
        dataset,
    ];
    args.iter().chain(more).copied().collect()
}

/// The only section of a report.
fn section(program: &Program, args: &[&str]) -> Value {
    let said = program.run_ok(args);
    let mut report: Value = serde_json::from_str(&said).unwrap();
    assert_eq!(report["sections"].as_array().unwrap().len(), 1, "{said}");
    report["sections"][0].take()
}

fn notes(section: &Value) -> Vec<&str> {
    let notes = section["notes"].as_array().unwrap();
    notes.iter().map(|note| note.as_str().unwrap()).collect()
}

#[test]
fn ten_topics_in_forty_rows_are_ten_topics_before_and_after_a_run() {
    let program = Program::new();
    program.write("forty.csv", &rows(4));
    let estimated = program
        .run(&run("forty.csv", &["--estimate"]))
        .ended_with(0);
    assert!(
        estimated
            .out
            .contains("40 debates of 'sred' on 10 topics in 40 rows\n"),
        "{}",
        estimated.out
    );
    assert!(
        estimated.err.contains(
            "note: 30 rows have the text of an earlier one (the first on line 12, that of line 2)"
        ),
        "{}",
        estimated.err
    );
    let json = program.run_ok(&run("forty.csv", &["--estimate", "--json"]));
    let json: Value = serde_json::from_str(&json).unwrap();
    assert_eq!((&json["topics"], &json["rows"]), (&10.into(), &40.into()));
    assert_eq!(program.sessions(), Vec::<String>::new());

    let played = program.run(&run("forty.csv", &[])).ended_with(0);
    assert!(
        played
            .err
            .contains("40 debates (10 topics in 40 rows read as own, 0 rows left out)"),
        "{}",
        played.err
    );
    let whole = section(&program, &["metrics", "--json"]);
    assert_eq!(
        (&whole["topics"], &whole["debates"]),
        (&10.into(), &40.into())
    );
    assert!(notes(&whole).contains(&"10 topics in 40 rows: rows of one text are one topic"));
    for figure in whole["figures"].as_array().unwrap() {
        assert!(figure["topics"].as_u64().unwrap() <= 10, "{figure}");
    }
}

#[test]
fn rows_that_contradict_each_other_are_named_and_left_out_before_anything_is_paid() {
    let program = Program::new();
    let file = "id,text,label\na,Is it so?,safe\nb,Is it not?,safe\nc,Is it so?,unsafe\n";
    program.write("two.csv", file);
    let estimated = program.run(&run("two.csv", &["--estimate"])).ended_with(0);
    for said in [
        "row left out: line 2: it is the topic of line 4 with another expected label",
        "row left out: line 4: it is the topic of line 2 with another expected label",
        "keep the row that is right, or add to the text what tells them apart",
    ] {
        assert!(estimated.err.contains(said), "{said}: {}", estimated.err);
    }
    assert!(
        estimated.out.contains("1 debate of 'sred' on 1 topic\n"),
        "{}",
        estimated.out
    );
    program.write("one.csv", &file.replace("b,Is it not?,safe\n", ""));
    let refused = program.run(&run("one.csv", &[])).ended_with(1);
    assert!(
        refused.err.contains("with another expected label"),
        "{}",
        refused.err
    );
    assert_eq!(program.sessions(), Vec::<String>::new());
}

#[test]
fn arms_over_permuted_rows_under_other_ids_are_paired_by_what_topics_are() {
    let program = Program::new();
    program.write("one.csv", &rows(2));
    let lines = rows(2)
        .lines()
        .skip(1)
        .map(str::to_owned)
        .collect::<Vec<_>>();
    let other = lines
        .iter()
        .rev()
        .map(|line| line.replace("row-", "other-") + "\n");
    program.write(
        "other.csv",
        &format!("id,text\n{}", other.collect::<String>()),
    );
    program.run_ok(&run("one.csv", &["-q"]));
    program.run_ok(&run("other.csv", &["-q", "--set", "rounds=2"]));
    let by_arm: Value =
        serde_json::from_str(&program.run_ok(&["metrics", "--by", "settings", "--json"])).unwrap();
    for section in by_arm["sections"].as_array().unwrap() {
        assert_eq!(
            (&section["topics"], &section["debates"]),
            (&10.into(), &20.into())
        );
    }
    let compared = section(
        &program,
        &[
            "metrics",
            "--by",
            "settings",
            "--compare",
            "default",
            "rounds=2",
            "--measure",
            "error_rate",
            "--json",
        ],
    );
    assert_eq!(compared["topics"], 10);
    assert!(notes(&compared).contains(&"10 topics in 40 rows: rows of one text are one topic"));
    let difference = &compared["figures"][0];
    assert_eq!(difference["topics"], 10, "{difference}");
    assert_eq!(difference["left_out"].get("unpaired"), None, "{difference}");

    // The table for statistics programs names what a row is beside what it is called.
    program.run_ok(&["export", "--turns", "turns.csv"]);
    let mut table = csv::Reader::from_path(program.work().join("turns.csv")).unwrap();
    let heading = table.headers().unwrap().clone();
    let column = |name: &str| heading.iter().position(|other| other == name).unwrap();
    let (id, key) = (column("topic"), column("topic_key"));
    let mut ids: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for row in table.records().map(Result::unwrap) {
        ids.entry(row[key].to_owned())
            .or_default()
            .insert(row[id].to_owned());
    }
    assert_eq!(ids.len(), 10);
    assert!(ids.values().all(|ids| ids.len() == 4), "{ids:?}");
}

#[test]
fn imported_answers_to_one_prompt_are_answers_of_one_topic() {
    let program = Program::new();
    let rows = (0..24).map(|at| {
        let (gold, verdict) = (["safe", "unsafe"][at % 2], ["safe", "unsafe"][at / 2 % 2]);
        format!(
            "a{at},Is prompt {} a good one?,Answer {at}.,{gold},{verdict}\n",
            at % 8
        )
    });
    program.write(
        "answers.csv",
        &format!("id,prompt,completion,ada,ben\n{}", rows.collect::<String>()),
    );
    program.run_ok(&[
        "labels",
        "import",
        "answers.csv",
        "--human",
        "ada,ben",
        "--set",
        "safety",
    ]);
    let validated = program.run(&["validate", "--set", "safety", "--with-unblinded", "--json"]);
    let json: Value =
        serde_json::from_str(&validated.out).unwrap_or_else(|_| panic!("{}", validated.err));
    let section = &json["sections"][0];
    assert_eq!(
        (&section["topics"], &section["turns"]),
        (&8.into(), &24.into()),
        "{json}"
    );
    assert!(
        notes(section).contains(&"8 topics in 24 rows: rows of one text are one topic"),
        "{json}"
    );
}

#[test]
fn prompts_are_compared_over_topics_and_not_over_rows() {
    let program = Program::new();
    program.write("twenty.csv", &rows(2));
    program.run_ok(&run("twenty.csv", &["-q"]));
    let args = [
        "prompts",
        "ab",
        "--protocol",
        PROTOCOL,
        "--seat",
        "debater",
        "--round",
        "1",
        "--a",
        "built-in",
        "--b",
        "recorded",
        "--json",
    ];
    let said = program.run(&args);
    assert_eq!(said.code, 0, "{}", said.err);
    let json: Value = serde_json::from_str(&said.out).unwrap();
    let comparison = &json["comparison"];
    assert_eq!(comparison["rows"][0]["topics"], 10, "{json}");
}
