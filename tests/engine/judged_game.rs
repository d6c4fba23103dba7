//! The judged game: a proposal, its critique, and a decision in three ways.

use elenchus_test_support::peers::{model, of_kind, run};
use elenchus_test_support::program::Program;
use elenchus_test_support::{Answer, ChatRequest, ChatServer};
use serde_json::Value;

const GAME: [&str; 10] = [
    "--protocol",
    "pcd-2",
    "--proposer",
    "pia",
    "--critic",
    "carl",
    "--judge",
    "jo",
    "--reference",
    "42",
];

/// Answers as a proposer who says `result`, a critic, and a judge who decides as told.
fn table(result: &'static str, decision: &'static str) -> ChatServer {
    ChatServer::start(move |seen| {
        let rough = seen.text().contains("in rough, for yourself alone")
            && !seen.text().contains("for others to read")
            && !seen.text().contains("for the judge to read");
        Answer::chat(&match (model(seen), rough) {
            ("pia", true) => "Pia's scratch paper.".to_owned(),
            ("pia", false) => format!("Six times seven.\n\\boxed{{{result}}}"),
            ("carl", true) => "Carl's scratch paper.".to_owned(),
            ("carl", false) => "The second step is a leap.".to_owned(),
            (_, _) => seen.with_mark(&format!("I weighed both.\nDECISION: {decision}")),
        })
    })
}

fn play(server: &ChatServer) -> Program {
    let program = Program::facing(server);
    let topic = ["--topic", "What is six times seven?"];
    program.run(&run(&GAME, &topic)).ended_with(0);
    program
}

#[test]
fn rough_work_and_the_reference_are_read_by_nobody_else() {
    let server = table("42", "correct");
    play(&server);
    let requests = server.requests();
    let order: Vec<&str> = requests.iter().map(model).collect();
    assert_eq!(order, ["pia", "pia", "carl", "carl", "jo"]);
    let reads = |seen: &ChatRequest, words: &str| seen.text().contains(words);
    for (seen, pias, carls, proposal, critique) in [
        (&requests[0], false, false, false, false),
        (&requests[1], true, false, false, false),
        (&requests[2], false, false, true, false),
        (&requests[3], false, true, true, false),
        (&requests[4], false, false, true, true),
    ] {
        assert_eq!(reads(seen, "Pia's scratch paper."), pias, "{}", seen.text());
        assert_eq!(
            reads(seen, "Carl's scratch paper."),
            carls,
            "{}",
            seen.text()
        );
        assert_eq!(reads(seen, "Six times seven."), proposal, "{}", seen.text());
        assert_eq!(
            reads(seen, "The second step is a leap."),
            critique,
            "{}",
            seen.text()
        );
        assert_eq!(
            reads(seen, "42"),
            proposal,
            "only the proposal names it: {}",
            seen.text()
        );
    }
}

/// What the decision and the ground truth say, and what the seats earned.
fn outcome(program: &Program) -> (String, String, f64, f64) {
    let events = program.events("last");
    let label = |judging: &str| {
        let judged = of_kind(&events, "judged");
        let found = judged.iter().find(|judged| judged["judging"] == judging);
        let label: &Value = &found.unwrap()["outcome"]["label"]["label"];
        label.as_str().unwrap().to_owned()
    };
    let figures = program.figures();
    let reward = |seat: &str| figures.part("mean_reward", seat)["value"].as_f64().unwrap();
    (
        label("decision"),
        label("truth"),
        reward("proposer"),
        reward("critic"),
    )
}

#[test]
fn a_right_proposal_that_is_rejected_is_a_false_rejection() {
    let server = table("42", "incorrect");
    let program = play(&server);
    let (decision, truth, proposer, critic) = outcome(&program);
    assert_eq!(
        (decision.as_str(), truth.as_str()),
        ("incorrect", "correct")
    );
    assert_eq!((proposer, critic), (-1.0, 1.0));
    let figures = program.figures();
    assert_eq!(figures.value("proposer_accuracy"), 1.0);
    assert_eq!(figures.value("reject_given_correct"), 1.0);
    assert_eq!(figures.value("judge_alignment_middle_accepts"), 0.0);
    assert!(figures.of("accept_given_incorrect")["value"].is_null());
    assert_eq!(figures.value("calls"), 5.0);
}

#[test]
fn a_wrong_proposal_that_is_accepted_is_a_false_acceptance() {
    let server = table("41", "correct");
    let program = play(&server);
    let (decision, truth, proposer, critic) = outcome(&program);
    assert_eq!(
        (decision.as_str(), truth.as_str()),
        ("correct", "incorrect")
    );
    assert_eq!((proposer, critic), (1.0, -1.0));
    let figures = program.figures();
    assert_eq!(figures.value("proposer_accuracy"), 0.0);
    assert_eq!(figures.value("accept_given_incorrect"), 1.0);
    assert!(figures.of("reject_given_correct")["value"].is_null());
}

#[test]
fn the_middle_decision_is_read_both_ways_and_pays_nobody() {
    let server = table("42", "flawed");
    let program = play(&server);
    let (decision, truth, proposer, critic) = outcome(&program);
    assert_eq!((decision.as_str(), truth.as_str()), ("flawed", "correct"));
    assert_eq!((proposer, critic), (0.0, 0.0));
    let figures = program.figures();
    assert_eq!(figures.value("judge_alignment_middle_accepts"), 1.0);
    assert_eq!(figures.value("judge_alignment_middle_rejects"), 0.0);
    assert_eq!(figures.value("middle_rate"), 1.0);
}

#[test]
fn a_judge_who_decides_nothing_is_unparsed_and_rewards_nobody() {
    let server = table("42", "perhaps");
    let program = play(&server);
    let events = program.events("last");
    let judged = of_kind(&events, "judged");
    let decision = judged.iter().find(|judged| judged["judging"] == "decision");
    assert!(decision.unwrap()["outcome"]["unparsed"]["why"].is_string());
    let figures = program.figures();
    let alignment = figures.of("judge_alignment_middle_accepts");
    assert_eq!(
        alignment["left_out"]["decision_unparsed"], 1,
        "{alignment:#}"
    );
    assert!(alignment["value"].is_null(), "{alignment:#}");
    assert_eq!(figures.value("proposer_accuracy"), 1.0);
}

#[test]
fn a_decision_whose_call_failed_is_missing_and_the_proposal_counts() {
    let server = ChatServer::start(|seen| match model(seen) {
        "pia" => Answer::chat("Six times seven.\n\\boxed{42}"),
        "carl" => Answer::chat("The second step is a leap."),
        _ => Answer::error(400, "bad_request", "no such judge"),
    });
    let program = Program::facing(&server);
    let topic = ["--topic", "What is six times seven?"];
    assert_ne!(program.run(&run(&GAME, &topic)).code, 0);
    let report = program.run_ok(&["metrics", "--json"]);
    let report: Value = serde_json::from_str(&report).unwrap();
    let figures = report["sections"][0]["figures"].as_array().unwrap();
    let figure = |measure: &str| {
        let found = figures.iter().find(|figure| figure["measure"] == measure);
        found.unwrap_or_else(|| panic!("no {measure}"))
    };
    assert_eq!(figure("proposer_accuracy")["value"], 1.0);
    let alignment = figure("judge_alignment_middle_neither");
    assert_eq!(alignment["value"], Value::Null);
    assert_eq!(alignment["left_out"]["decision_failed"], 1, "{alignment}");
    for figure in figures {
        assert!(figure["left_out"]["no_ground_truth"].is_null(), "{figure}");
    }
}
