//! Preference between the replies of two prompts, by a judge.

use elenchus_test_support::program::Program;
use elenchus_test_support::socratic::{SOCRATIC, json, model, shorter};
use elenchus_test_support::{Answer, ChatRequest, ChatServer};
use serde_json::Value;

const SHORT: &str = "Why that, and not less?";

/// What the judge makes of two replies, by what it is shown.
fn umpire(name: &str, seen: &ChatRequest) -> Answer {
    let text = seen.text();
    let place = |what: &str| text.find(what).unwrap();
    let is_first = place(SHORT) < place("Reply 2:");
    Answer::chat(&seen.with_mark(match name {
        "fair" if is_first => "It is to the point.\nBetter reply: 1",
        "fair" => "It is to the point.\nBetter reply: 2",
        "first" => "Better reply: 1",
        "torn" => "Better reply: neither",
        _ => "I would rather not say.",
    }))
}

fn program() -> (Program, ChatServer) {
    let server = ChatServer::start(|seen| match model(seen) {
        name @ ("fair" | "first" | "torn" | "mute") => umpire(name, seen),
        _ => elenchus_test_support::socratic::answer(seen),
    });
    let program = Program::facing(&server);
    shorter(&program);
    program.write(
        "topics.csv",
        "id,text\na,How are locks made?\nb,How are keys made?\n",
    );
    let run = [&SOCRATIC[..], &["--dataset", "own:topics.csv"]].concat();
    program.run(&run).ended_with(0);
    (program, server)
}

fn compare(judge: &str) -> Vec<&str> {
    let args = [
        "prompts",
        "ab",
        "--seat",
        "socratic",
        "--a",
        "built-in",
        "--b",
        "mine.md",
        "--round",
        "1",
        "--samples",
        "2",
        "--json",
        "--preference",
    ];
    let mut args = args.to_vec();
    args.push(judge);
    args
}

fn counts(shown: &Value) -> Vec<u64> {
    let names = ["a", "b", "ties", "contradicted", "unparsed", "missing"];
    names
        .map(|name| shown["preference"][name].as_u64().unwrap())
        .to_vec()
}

#[test]
fn both_orders_are_asked_and_only_what_they_agree_on_is_a_preference() {
    let (program, server) = program();
    for (judge, expected, share) in [
        ("fair", [0, 4, 0, 0, 0, 0], Value::from(1.0)),
        ("first", [0, 0, 0, 4, 0, 0], Value::from(0.5)),
        ("torn", [0, 0, 4, 0, 0, 0], Value::from(0.5)),
        ("mute", [0, 0, 0, 0, 4, 0], Value::Null),
    ] {
        // Nothing is judged turn by turn here, so length and cost are all that is compared besides.
        let shown = json(&program.run(&compare(judge)).ended_with(0).out);
        assert_eq!(counts(&shown), expected, "{judge}: {shown:#}");
        assert_eq!(shown["preference"]["share_b"], share, "{judge}");
        let requests = server.requests();
        let asked = requests.iter().filter(|seen| model(seen) == judge);
        assert_eq!(asked.count(), 8, "{judge}");
    }
    let id = program.run(&["prompts", "ab", "--list"]).ended_with(0).out;
    let id = id
        .lines()
        .last()
        .unwrap()
        .split_whitespace()
        .next()
        .unwrap();
    let table = program
        .run(&["prompts", "ab", "--show", id])
        .ended_with(0)
        .out;
    assert!(table.contains("Preferred by fair (preference)"), "{table}");
    assert!(
        table.contains("B is preferred in 100.0 % of pairs"),
        "{table}"
    );
}

#[test]
fn the_judge_sees_topic_and_debate_and_both_replies_fenced_and_no_prompt() {
    let (program, server) = program();
    program.run(&compare("fair")).ended_with(0);
    let requests = server.requests();
    let asked: Vec<String> = requests
        .iter()
        .filter(|seen| model(seen) == "fair")
        .map(ChatRequest::text)
        .collect();
    for text in &asked {
        assert!(text.contains("I, ada, think it over."), "{text}");
        assert!(text.contains("Which evidence is there"), "{text}");
        assert!(
            !text.contains(elenchus_test_support::socratic::SHORTER),
            "{text}"
        );
        assert!(!text.contains("Put two to four"), "{text}");
        assert!(text.contains("material "), "{text}");
    }
    let locks = asked
        .iter()
        .filter(|text| text.contains("How are locks made?"));
    assert_eq!(locks.count(), 4);
}

#[test]
fn answers_are_kept_and_what_is_missing_is_asked_when_it_goes_on() {
    let (program, server) = program();
    let shown = json(&program.run(&compare("fair")).ended_with(0).out);
    let id = shown["id"].as_str().unwrap();
    let before = server.requests().len();
    program
        .run(&["prompts", "ab", "--resume", id])
        .ended_with(0);
    assert_eq!(server.requests().len(), before);
    // A judge that is gone leaves pairs without an answer; the samples are there all the same.
    let gone = [&compare("first")[..], &["--rubric", "safety"]].concat();
    let refused = program.run(&gone);
    assert_eq!(refused.code, 1);
    assert!(
        refused.err.contains("does not compare two candidates"),
        "{refused:?}"
    );
    let none = [&compare("first")[..], &["--rubric", "nothing"]].concat();
    let refused = program.run(&none);
    assert!(refused.err.contains("nothing"), "{refused:?}");
    assert_eq!(server.requests().len(), before);
    program.run(&["verify"]).ended_with(0);
}
