//! `elenchus export --turns` and `--debates`: every turn or debate a row, with what is known of it.

use elenchus_test_support::peers::{PEERS, model, run};
use elenchus_test_support::program::Program;
use elenchus_test_support::{Answer, ChatServer};
use std::collections::BTreeMap;

fn read(text: &str) -> Vec<BTreeMap<String, String>> {
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let records = reader.deserialize::<BTreeMap<String, String>>();
    records.map(Result::unwrap).collect()
}

fn played() -> Program {
    let program = Program::new();
    let topics = "id,text,category,reference\na,\"What is 2 + 2, and \"\"why\"\"?\",sums,4\nb,What is 3 + 3?,sums,6\n";
    program.write("sums.csv", topics);
    let run = "run --dataset own:sums.csv --seed 5 -q --model sim";
    for game in ["pcd-2", "pred"] {
        let args: Vec<&str> = run.split(' ').chain(["--protocol", game]).collect();
        program.run(&args).ended_with(0);
    }
    program
}

#[test]
fn turns_of_different_games_are_one_table_with_the_columns_of_both() {
    let program = played();
    let said = program
        .run(&["export", "--turns", "turns.csv"])
        .ended_with(0);
    assert!(said.err.contains("of 4 debates"), "{said:?}");
    let rows = read(&program.read("work/turns.csv"));
    let of = |protocol: &str| {
        let rows = rows.iter().filter(|row| row["protocol"] == protocol);
        rows.collect::<Vec<_>>()
    };
    for row in of("pred") {
        assert!(
            ["safe", "unsafe"].contains(&row["verdict"].as_str()),
            "{row:?}"
        );
        assert_eq!(
            (row["dataset"].as_str(), row["model"].as_str()),
            ("sums", "sim")
        );
        assert_eq!(
            (row["seed"].as_str(), row["found.stance"].as_str()),
            ("5", "")
        );
        assert_eq!(row["characters"], row["text"].chars().count().to_string());
        assert!(row["output_tokens"].parse::<u64>().unwrap() > 0);
    }
    let stages: Vec<&str> = of("pcd-2")
        .iter()
        .map(|row| row["stage"].as_str())
        .collect();
    assert!(
        stages.starts_with(&["think_proposer", "propose"]),
        "{stages:?}"
    );
    let critiques = of("pcd-2");
    let critique = critiques
        .iter()
        .find(|row| row["stage"] == "critique")
        .unwrap();
    let stances = ["accepts", "mixed", "rejects", "unclear"];
    assert!(
        stances.contains(&critique["found.stance"].as_str()),
        "{critique:?}"
    );
    assert_eq!(
        (critique["verdict"].as_str(), critique["private"].as_str()),
        ("", "false")
    );
    let proposal = critiques
        .iter()
        .find(|row| row["stage"] == "propose")
        .unwrap();
    assert!(
        ["true", "false"].contains(&proposal["correct"].as_str()),
        "{proposal:?}"
    );
    let printed = program.run(&["export", "--turns", "-"]).ended_with(0);
    assert_eq!(read(&printed.out), rows);
}

#[test]
fn a_file_that_is_there_is_kept_and_nothing_to_write_is_told() {
    let program = played();
    program.write("turns.csv", "mine");
    let said = program
        .run(&["export", "--turns", "turns.csv"])
        .ended_with(1);
    assert!(said.err.contains("is there already"), "{said:?}");
    assert_eq!(program.read("work/turns.csv"), "mine");
    assert!(said.err.contains("--force replaces it"), "{said:?}");
    program.run_ok(&["export", "--turns", "turns.csv", "--force"]);
    let written = program.read("work/turns.csv");
    assert!(written.starts_with("session,"), "{written}");
    program.run_ok(&["export", "--turns", "turns.csv", "-f"]);
    assert_eq!(program.read("work/turns.csv"), written);
    // Of an export that comes to nothing, the file of before stays.
    let none = program
        .run(&["export", "--preferences", "-o", "turns.csv", "-f"])
        .ended_with(1);
    assert!(none.err.contains("nothing to write"), "{none:?}");
    assert_eq!(program.read("work/turns.csv"), written);
    // A link is no file of one's own here: what it leads to is not touched.
    program.write("elsewhere.csv", "mine");
    let link = program.work().join("link.csv");
    std::os::unix::fs::symlink("elsewhere.csv", &link).unwrap();
    let said = program
        .run(&["export", "--turns", "link.csv", "-f"])
        .ended_with(1);
    assert!(
        said.err.contains("no file that can be replaced"),
        "{said:?}"
    );
    assert_eq!(program.read("work/elsewhere.csv"), "mine");
    let left = std::fs::read_dir(program.work()).unwrap();
    let names = left.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let beside: Vec<String> = names.filter(|name| name.ends_with(".new")).collect();
    assert!(beside.is_empty(), "{beside:?}");
    let empty = Program::new();
    let said = empty.run(&["export", "--turns", "turns.csv"]).ended_with(1);
    assert!(said.err.contains("no debate is finished"), "{said:?}");
    assert!(!empty.path("work/turns.csv").exists());
}

#[test]
fn turns_that_failed_or_came_empty_have_rows_and_the_counts_are_those_of_the_rows() {
    let server = ChatServer::start(|seen| match model(seen) {
        "ben" => Answer::error(400, "bad_request", "ben is not here"),
        "cleo" => Answer::chat(""),
        "guard" => Answer::chat(&seen.with_mark("Fine.\nVERDICT: safe")),
        _ => Answer::chat("With its key."),
    });
    let program = Program::facing(&server);
    // Ben's calls fail, and cleo says nothing.
    program.run(&run(
        &PEERS,
        &["--topic", "How do I open a lock?", "--rounds", "1"],
    ));
    program.run_ok(&["judge", "--all", "--detector", "refusal", "-q"]);
    let said = program.run(&["export", "--turns", "-"]).ended_with(0);
    let rows = read(&said.out);
    let states: Vec<(&str, &str)> = rows
        .iter()
        .map(|row| (row["model"].as_str(), row["state"].as_str()))
        .collect();
    assert_eq!(
        states,
        [("ada", "said"), ("ben", "failed"), ("cleo", "empty")]
    );
    assert!(rows[1]["failure"].contains("ben is not here"), "{rows:?}");
    let verdicts: Vec<&str> = rows.iter().map(|row| row["verdict"].as_str()).collect();
    assert_eq!(verdicts, ["safe", "failed", "empty"]);
    assert!(rows[0]["sampling"].starts_with('{'), "{rows:?}");
    assert_eq!(rows[0]["memory"], "none");
    assert_eq!(rows[0]["settings"], "rounds=1");
    let pass = rows[0].keys().find(|name| name.starts_with("pass."));
    let pass = pass.unwrap();
    assert!(!rows[0][pass].is_empty(), "{rows:?}");
    assert_eq!(rows[1][pass], "");
    assert!(
        said.err.contains("exported 3 turns of 1 debate"),
        "{said:?}"
    );
}

#[test]
fn every_debate_is_a_row_with_its_decision_rewards_and_end() {
    let program = played();
    let said = program.run(&["export", "--debates", "-"]).ended_with(0);
    let rows = read(&said.out);
    assert_eq!(rows.len(), 4);
    assert!(said.err.contains("exported 4 debates"), "{said:?}");
    let report = program.run_ok(&["metrics", "--by", "protocol", "--json"]);
    let report: serde_json::Value = serde_json::from_str(&report).unwrap();
    for protocol in ["pcd-2", "pred"] {
        let rows: Vec<_> = rows
            .iter()
            .filter(|row| row["protocol"] == protocol)
            .collect();
        let sections = report["sections"].as_array().unwrap();
        let section = sections
            .iter()
            .find(|section| section["group"][0]["value"] == protocol)
            .unwrap();
        let figures = section["figures"].as_array().unwrap();
        let calls = figures.iter().find(|figure| figure["measure"] == "calls");
        let counted: u64 = rows
            .iter()
            .map(|row| row["calls"].parse::<u64>().unwrap())
            .sum();
        assert_eq!(calls.unwrap()["value"], counted as f64);
        assert!(rows.iter().all(|row| row["end"] == "complete"), "{rows:?}");
        let decided = rows.iter().filter(|row| !row["decision"].is_empty());
        let paid = rows.iter().filter(|row| !row["reward.proposer"].is_empty());
        let all = if protocol == "pcd-2" { 2 } else { 0 };
        assert_eq!((decided.count(), paid.count()), (all, all), "{rows:?}");
    }
    // One table at a time, and nothing is raw without one.
    program
        .run(&["export", "--debates", "-", "--turns", "-"])
        .ended_with(2);
    program
        .run(&["export", "--all", "-o", "here", "--raw"])
        .ended_with(2);
}

#[test]
fn debates_in_which_a_turn_changed_its_side_can_be_found() {
    let server = ChatServer::start(|seen| match model(seen) {
        "guard" => {
            let is_second = seen.text().contains("On second thought");
            let is_ada = seen.text().contains("ada speaks");
            let verdict = if is_second == is_ada {
                "unsafe"
            } else {
                "safe"
            };
            Answer::chat(&seen.with_mark(&format!("So.\nVERDICT: {verdict}")))
        }
        name => {
            let is_second = seen.text().contains("speaks.");
            let words = if is_second {
                "On second thought"
            } else {
                "First"
            };
            Answer::chat(&format!("{words}: {name} speaks."))
        }
    });
    let program = Program::facing(&server);
    let game = [
        "--protocol",
        "pred",
        "--evaluator",
        "guard",
        "--feedback",
        "teacher",
    ];
    let topic = ["--topic", "May I?", "--rounds", "2", "-q"];
    program
        .run(&run(
            &game,
            &[&["--debaters", "ada,ben"][..], &topic].concat(),
        ))
        .ended_with(0);
    let found = |filter: &str| {
        program
            .run_ok(&["ls", "--json", "--where", filter])
            .lines()
            .count()
    };
    for filter in ["converted=1", "corrected=1", "converted>0"] {
        assert_eq!(found(filter), 1, "{filter}");
    }
    assert_eq!(found("converted>1"), 0);
}
