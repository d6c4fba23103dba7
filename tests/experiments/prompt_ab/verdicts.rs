//! Two prompts of a judge compared on recorded verdicts, scored by what the grader found.

use elenchus_test_support::program::Program;
use elenchus_test_support::validation::label_all;
use serde_json::Value;

const TOPICS: u32 = 12;
const DECISION: &str = include_str!("../../../prompts/rubrics/pcd-decision.md");

/// Simulated debates whose judge is right half of the time.
fn judged_debates() -> Program {
    let config = "[sims.coin]\ntopic_effect = 0.0\n\
        [sims.coin.judge_if_correct]\ngood = 0.5\nmiddle = 0.0\nbad = 0.5\n\
        [sims.coin.judge_if_incorrect]\ngood = 0.5\nmiddle = 0.0\nbad = 0.5\n\
        [sims.coin.prompt_words]\nthorough = 12.0\n";
    let program = Program::with_topics(config);
    let rows = (1..=TOPICS).map(|n| format!("q{n},How much is {n} and {}?,{}\n", 7 * n, 8 * n));
    let rows: String = rows.collect();
    program.write("sums.csv", &format!("id,text,reference\n{rows}"));
    let thorough = DECISION.replace("You are the judge", "You are the thorough judge");
    assert_ne!(thorough, DECISION);
    program.write("thorough.md", &thorough);
    program.write("same.md", DECISION);
    program.run_ok(&[
        "run",
        "--protocol",
        "pcd-2",
        "--dataset",
        "own:sums.csv",
        "--model",
        "coin",
        "-q",
    ]);
    program
}

fn compare(program: &Program, more: &[&str]) -> Value {
    let args = [
        "prompts", "ab", "--seat", "judge", "--a", "recorded", "--json",
    ];
    serde_json::from_str(&program.run_ok(&[&args[..], more].concat())).unwrap()
}

#[test]
fn a_judges_prompt_is_compared_on_verdicts_each_of_one_call_and_its_planted_effect_is_found() {
    let program = judged_debates();
    let before = program.session_files().len();
    let shown = compare(&program, &["--b", "thorough.md"]);
    let samples = shown["samples"].as_array().unwrap();
    assert_eq!(samples.len(), 2 * TOPICS as usize, "{shown:#}");
    assert_eq!(program.session_files().len(), before);
    // A judge that is right in all but e⁻¹² of cases; McNemar's mid-p of a half of twelve topics.
    let table = program.run_ok(&["prompts", "ab", "--show", shown["id"].as_str().unwrap()]);
    assert!(table.contains("12 recorded verdicts"), "{table}");
    let rates = table
        .lines()
        .find(|line| line.starts_with("error rate"))
        .unwrap();
    assert!(rates.contains(" 0.0 %"), "{table}");
}

#[test]
fn equal_texts_are_warned_of_and_verdicts_without_a_truth_are_refused() {
    let program = judged_debates();
    let args = [
        "prompts",
        "ab",
        "--seat",
        "judge",
        "--a",
        "recorded",
        "--b",
        "same.md",
        "--estimate",
    ];
    let ran = program.run(&args).ended_with(0);
    assert!(ran.err.contains("A and B are one text"), "{}", ran.err);
    let other = Program::with_topics("");
    other.write("open.csv", "id,text\nq1,Which way is best?\n");
    other.run_ok(&[
        "run",
        "--protocol",
        "pcd-2",
        "--dataset",
        "own:open.csv",
        "--model",
        "sim",
        "-q",
    ]);
    let args = [
        "prompts", "ab", "--seat", "judge", "--a", "recorded", "--b", "built-in",
    ];
    let refused = other.run(&args);
    assert!(refused.err.contains("no grader decided"), "{}", refused.err);
}

#[test]
fn verdicts_are_held_against_blind_labels_and_against_another_judge() {
    let program = Program::with_topics("[sims.strict]\ntopic_effect = 0.0\n");
    let rows: String = (1..=8)
        .map(|n| format!("q{n},Is it safe to lift {n} kg?\n"))
        .collect();
    program.write("lifts.csv", &format!("id,text\n{rows}"));
    let run = [
        "run",
        "-q",
        "--protocol",
        "pred",
        "--rounds",
        "1",
        "--model",
        "sim",
    ];
    program.run_ok(&[&run[..], &["--dataset", "own:lifts.csv"]].concat());
    let ab = [
        "prompts",
        "ab",
        "--seat",
        "evaluator",
        "--a",
        "recorded",
        "--b",
        "built-in",
    ];
    let refused = |more: &[&str]| program.run(&[&ab[..], more, &["--estimate"]].concat()).err;
    let graded = refused(&[]);
    assert!(graded.contains("--truth labels:safety"), "{graded}");
    let unlabelled = refused(&["--truth", "labels:safety"]);
    assert!(unlabelled.contains("nobody labelled"), "{unlabelled}");
    let unread = refused(&["--truth", "everything"]);
    assert!(unread.contains("labels:safety or pass:last"), "{unread}");
    let against = |truth: &str| -> Vec<(String, bool)> {
        let shown = program.run_ok(&[&ab[..], &["--truth", truth, "--json"]].concat());
        let shown: Value = serde_json::from_str(&shown).unwrap();
        let contexts = shown["contexts"].as_array().unwrap().iter();
        let found = contexts.map(|on| {
            let place = format!("{} {}", on["session"], on["verdict"]["target"]);
            (place, on["truth"].as_bool().unwrap())
        });
        found.collect()
    };
    let count = label_all(&program, "ada");
    let unsafe_count = program.session_files().iter().fold(0, |sum, path| {
        let text = std::fs::read_to_string(path).unwrap();
        let replies = text
            .lines()
            .filter(|line| line.contains("\"type\":\"replied\""));
        sum + replies.filter(|line| line.contains("state=unsafe")).count()
    });
    let labelled = against("labels:safety");
    assert_eq!(labelled.len(), count);
    let bad = labelled.iter().filter(|(_, is_good)| !is_good).count();
    assert_eq!(bad, unsafe_count);
    assert!(bad > 0 && bad < count, "{bad} of {count}");
    // Another judge of the same answers, with errors of its own.
    let judge = [
        "judge", "-q", "--all", "--rubric", "safety", "--model", "strict",
    ];
    program.run_ok(&judge);
    let judged = against("pass:last");
    assert_eq!(judged.len(), count);
    assert_ne!(judged, labelled);
    // A pass by the rules of a game that asks its judge two things.
    let run = [
        "run",
        "-q",
        "--protocol",
        "pcd-2",
        "--model",
        "sim",
        "--topic",
        "How much?",
    ];
    program.run_ok(&[&run[..], &["--set", "spurious_penalty=true"]].concat());
    program.run_ok(&["judge", "-q", "--protocol", "pcd-2", "--model", "strict"]);
    let two = refused(&["--truth", "pass:last"]);
    assert!(two.contains("asked several rubrics"), "{two}");
}
