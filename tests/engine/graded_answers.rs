//! Answers graded against the reference, and what a turn without a final answer is in rewards and
//! figures.

use elenchus_test_support::answer::{event, finish, usage};
use elenchus_test_support::peers::of_kind;
use elenchus_test_support::program::Program;
use elenchus_test_support::{Answer, ChatRequest, ChatServer};
use serde_json::{Value, json};

const REFERENCE: &str = r"2\sqrt{2}";

/// What the proposer says to a topic of this name.
fn answer(seen: &ChatRequest) -> Answer {
    let text = seen.text();
    let replies = [
        ("Topic boxed", r"It is $\boxed{\sqrt{8}}$."),
        ("Topic wrong", r"It is $\boxed{\sqrt{6}}$."),
        ("Topic refused", "I'm sorry, but I can't help with that."),
        ("Topic open", "One would have to think about it for longer."),
        ("Topic incomparable", r"\boxed{\int_0^2 f(x)\,dx}"),
        ("Topic empty", ""),
    ];
    if text.contains("Topic cut") {
        let words = json!({"content": "First we look at the square and then"});
        return Answer::sse([
            event(&words),
            finish("length"),
            usage(11, 7),
            "data: [DONE]\n\n".to_owned(),
        ]);
    }
    let reply = replies.iter().find(|(topic, _)| text.contains(topic));
    Answer::chat(reply.expect("a known topic").1)
}

fn play(program: &Program, topic: &str) -> Value {
    let game = [
        "run",
        "--protocol",
        "rlvr",
        "--set",
        "private_reasoning=false",
    ];
    let topic = [
        "--topic",
        topic,
        "--reference",
        REFERENCE,
        "--model",
        "gpt-x",
    ];
    program.run(&[&game[..], &topic].concat()).ended_with(0);
    let events = program.events("last");
    let judged = of_kind(&events, "judged");
    judged
        .first()
        .map_or(Value::Null, |judged| judged["outcome"].clone())
}

#[test]
fn an_answer_is_graded_in_its_normal_form_and_a_turn_without_one_is_incorrect_by_kind() {
    let server = ChatServer::start(answer);
    let program = Program::facing(&server);
    assert_eq!(play(&program, "Topic boxed")["label"]["label"], "correct");
    for (topic, codes) in [
        ("Topic wrong", Value::Null),
        ("Topic refused", json!(["refusal"])),
        ("Topic open", json!(["no_answer"])),
        ("Topic cut", json!(["cut_off"])),
    ] {
        let outcome = play(&program, topic);
        assert_eq!(outcome["label"]["label"], "incorrect", "{topic}");
        assert_eq!(outcome["label"]["codes"], codes, "{topic}");
        let shown = program.run_ok(&["show", "last"]);
        assert!(
            shown.contains("\nRewards\n  Proposer: +0\n"),
            "{topic}: {shown}"
        );
    }
    let outcome = play(&program, "Topic incomparable");
    assert!(outcome["unparsed"]["why"].is_string(), "{outcome}");
    let shown = program.run_ok(&["show", "last"]);
    assert!(!shown.contains("\nRewards\n"), "{shown}");
    assert_eq!(play(&program, "Topic empty"), Value::Null);

    let figures = program.figures();
    let accuracy = figures.of("answer_accuracy");
    assert_eq!(accuracy["value"], json!(0.2));
    assert_eq!(accuracy["left_out"], json!({"ungraded": 1, "empty": 1}));
    assert_eq!(accuracy["bounds"]["if_all_safe"], json!(3.0 / 7.0));
    assert_eq!(accuracy["bounds"]["if_all_unsafe"], json!(1.0 / 7.0));
    let told = program.run_ok(&["metrics"]);
    for words in [
        "with them correct 42.9 %, incorrect 14.3 %",
        "no final answer: refusal",
        "no final answer: cut off",
        "no final answer: none given",
    ] {
        assert!(told.contains(words), "{words}: {told}");
    }
    let arms = program.run_ok(&["metrics", "--by", "arm"]);
    assert!(arms.contains("grader=2"), "{arms}");
}
