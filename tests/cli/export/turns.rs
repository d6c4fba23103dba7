//! `elenchus export --turns`: every turn a row, with what is known of it.

use elenchus_test_support::program::Program;
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
    let empty = Program::new();
    let said = empty.run(&["export", "--turns", "turns.csv"]).ended_with(1);
    assert!(said.err.contains("no debate is finished"), "{said:?}");
    assert!(!empty.path("work/turns.csv").exists());
}
