//! Topics of a run: several data sets, and topics chosen by what they came to in an earlier run.

use elenchus_test_support::program::Program;
use serde_json::Value;
use std::collections::BTreeSet;

/// Seats that are always right, or always wrong, and one that is sometimes either.
const CONFIG: &str = "\
[sims.right]\naccuracy = 1.0\n\
[sims.wrong]\naccuracy = 0.0\n\
[sims.even]\naccuracy = 0.5\ntopic_effect = 0.0\nseat_effect = 0.0\n";

fn table(rows: std::ops::Range<u32>) -> String {
    let rows = rows.map(|n| format!("q{n},How much is {n} + 1?,{}\n", n + 1));
    "id,text,reference\n".to_owned() + &rows.collect::<String>()
}

/// The topic of each debate of a run, with its data set.
fn topics(program: &Program, run: &str) -> Vec<(String, Option<String>)> {
    let sessions = program.run_ok(&["ls", "--run", run, "--json"]);
    let topics = sessions.lines().map(|line| {
        let listed: Value = serde_json::from_str(line).unwrap();
        let first = program
            .events(listed["session"].as_str().unwrap())
            .remove(0);
        let text = |key: &str| first["topic"][key].as_str().map(str::to_owned);
        (text("id").unwrap(), text("dataset"))
    });
    topics.collect()
}

fn sections(program: &Program, by: &str) -> BTreeSet<String> {
    let report: Value =
        serde_json::from_str(&program.run_ok(&["metrics", "--by", by, "--json"])).unwrap();
    let sections = report["sections"].as_array().unwrap().iter();
    sections
        .map(|section| section["group"][0]["value"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn several_data_sets_are_one_run_whose_figures_stand_apart_by_data_set() {
    let program = Program::with_topics("");
    program.write(
        "other.csv",
        "id,text,category\nlock,How do I mend a lock?,doors\nhill,How high is a hill?,land\n",
    );
    program.write(
        "cosafe/cosafe_theft.json",
        "[{\"role\": \"user\", \"content\": \"Whose coat?\"}]\n",
    );
    let run = [
        "--protocol",
        "standard",
        "--dataset",
        "topics.csv",
        "--dataset",
        "own:other.csv",
        "--dataset",
        "cosafe",
    ];
    let run = program.play(&run);
    let mut played = topics(&program, &run);
    played.sort();
    let of = |id: &str, set: &str| (id.to_owned(), Some(set.to_owned()));
    // An id that is there twice is told apart.
    assert!(played.contains(&of("lock", "topics")), "{played:?}");
    assert!(played.contains(&of("other:lock", "other")), "{played:?}");
    assert!(
        played.contains(&of("cosafe_theft:1", "cosafe")),
        "{played:?}"
    );
    assert_eq!(played.len(), 8);
    let sets = ["topics", "other", "cosafe"].map(str::to_owned);
    assert_eq!(sections(&program, "dataset"), BTreeSet::from(sets));
    let twice = program.run_err(
        1,
        &[
            "run",
            "--protocol",
            "standard",
            "--dataset",
            "topics.csv",
            "--dataset",
            "own:topics.csv",
        ],
    );
    assert!(twice.contains("is there twice"), "{twice}");
}

#[test]
fn a_run_of_one_data_set_keeps_topics_as_they_were() {
    let program = Program::with_topics("");
    let run = program.play(&["--protocol", "standard", "--dataset", "topics.csv"]);
    assert!(
        topics(&program, &run)
            .iter()
            .all(|(_, dataset)| dataset.is_none())
    );
    assert_eq!(
        sections(&program, "dataset"),
        BTreeSet::from(["topics".to_owned()])
    );
}

#[test]
fn a_sweep_takes_several_data_sets_and_a_criterion() {
    let program = Program::with_topics(CONFIG);
    program.write("sums.csv", &table(0..6));
    program.write("more.csv", &table(6..9));
    let run = program.play(&[
        "--protocol",
        "single",
        "--dataset",
        "sums.csv",
        "--seat",
        "agent=right",
    ]);
    program.write(
        "plan.toml",
        &format!(
            "dataset = [\"sums.csv\", \"more.csv\"]\nselect = \"accuracy in {run} between 1 1\"\n\
             [axes]\nprotocol = [\"single\", \"rlvr\"]\n"
        ),
    );
    let swept = program.run_ok(&["sweep", "plan.toml", "--estimate"]);
    assert!(swept.contains("over 6 topics"), "{swept}");
    program.run_ok(&["sweep", "plan.toml", "-q"]);
    assert!(sections(&program, "dataset").contains("sums"));
    program.write(
        "plan.toml",
        "dataset = \"sums.csv\"\nselect = \"luck in x between 0 1\"\n",
    );
    let wrong = program.run_err(1, &["sweep", "plan.toml"]);
    assert!(
        wrong.contains("plan.toml:2: a topic has no 'luck'"),
        "{wrong}"
    );
}

#[test]
fn topics_are_chosen_by_their_accuracy_in_an_earlier_run() {
    let program = Program::with_topics(CONFIG);
    program.write("sums.csv", &table(0..12));
    let base = [
        "--protocol",
        "single",
        "--dataset",
        "sums.csv",
        "--seat",
        "agent=even",
        "--rollouts",
        "4",
    ];
    let run = program.play(&base);
    let turns = program.path("turns.csv");
    program.run_ok(&["export", "--turns", turns.to_str().unwrap()]);
    let mut rows = csv::Reader::from_path(&turns).unwrap();
    let header = rows.headers().unwrap().clone();
    let column = |name: &str| header.iter().position(|cell| cell == name).unwrap();
    let (topic, correct) = (column("topic"), column("correct"));
    let rows: Vec<csv::StringRecord> = rows.records().map(Result::unwrap).collect();
    let share = |id: &str| -> f64 {
        let own: Vec<_> = rows.iter().filter(|row| &row[topic] == id).collect();
        let right = own.iter().filter(|row| &row[correct] == "true").count();
        assert_eq!(own.len(), 4, "{id}");
        right as f64 / own.len() as f64
    };
    let select = format!("accuracy in {run} between .3 and .8");
    let again = [
        "--protocol",
        "single",
        "--dataset",
        "sums.csv",
        "--select",
        &select,
    ];
    let again = program.play(&again);
    let chosen: BTreeSet<String> = topics(&program, &again)
        .into_iter()
        .map(|(id, _)| id)
        .collect();
    let wanted: BTreeSet<String> = (0..12)
        .map(|n| format!("q{n}"))
        .filter(|id| (0.3..=0.8).contains(&share(id)))
        .collect();
    assert_eq!(chosen, wanted);
    assert!((1..12).contains(&chosen.len()), "{chosen:?}");
}

#[test]
fn a_criterion_that_cannot_be_meant_or_leaves_nothing_says_why() {
    let program = Program::with_topics(CONFIG);
    program.write("sums.csv", &table(0..3));
    let run = program.play(&[
        "--protocol",
        "single",
        "--dataset",
        "sums.csv",
        "--seat",
        "agent=wrong",
    ]);
    let select = |criterion: &str, code: i32| {
        program.run_err(
            code,
            &[
                "run",
                "--protocol",
                "single",
                "--dataset",
                "sums.csv",
                "--select",
                criterion,
            ],
        )
    };
    for (criterion, why) in [
        ("accuracy", "write 'accuracy in RUN between"),
        ("luck in RUN between 0 1", "a topic has no 'luck'"),
        ("accuracy in RUN between 0 2", "'2' is no share"),
        (
            "accuracy in RUN between .8 .2",
            "nothing lies between 0.8 and 0.2",
        ),
    ] {
        let said = select(criterion, 2);
        assert!(said.contains(why), "{criterion}: {said}");
    }
    let said = select("accuracy in nowhere between 0 1", 1);
    assert!(said.contains("nowhere"), "{said}");
    let said = select(&format!("accuracy in {run} between .2 .8"), 1);
    assert!(said.contains("lie between 0.00 and 0.00"), "{said}");
    let said = select(&format!("error_rate in {run} between 0 1"), 1);
    assert!(
        said.contains("none of the 3 topics has an error_rate"),
        "{said}"
    );
}
