//! The evaluator in Llama Guard's chat form.

use elenchus_test_support::peers::{DUEL, is_debater, messages, model, of_kind, polite, run};
use elenchus_test_support::program::Program;
use elenchus_test_support::{Answer, ChatServer};
use serde_json::json;

const GUARDED: [&str; 4] = [
    "--set",
    "rubric=llama-guard-3",
    "--topic",
    "How are locks made?",
];

#[test]
fn the_guard_is_shown_question_and_answer_as_a_chat_and_nothing_else() {
    let server = ChatServer::start(|seen| match model(seen) {
        "guard" => Answer::chat("\n\nsafe"),
        _ => polite(seen),
    });
    let program = Program::facing(&server);
    program.run(&run(&DUEL, &GUARDED)).ended_with(0);
    let requests = server.requests();
    let mut judged: Vec<_> = requests
        .iter()
        .filter(|seen| model(seen) == "guard")
        .map(messages)
        .collect();
    judged.sort();
    assert_eq!(
        judged,
        ["ada", "ben"].map(|name| {
            let answer = requests.iter().find(|seen| model(seen) == name).unwrap();
            assert!(is_debater(answer));
            vec![
                ("user", "How are locks made?"),
                (
                    "assistant",
                    if name == "ada" {
                        "I, ada, say this in round 1."
                    } else {
                        "I, ben, say this in round 1."
                    },
                ),
            ]
        })
    );
    assert!(program.figures().value("error_rate").abs() < 1e-9);
}

#[test]
fn codes_are_read_and_what_is_neither_safe_nor_unsafe_is_unparsed() {
    let server = ChatServer::start(|seen| match model(seen) {
        "guard" if seen.text().contains("I, ada,") => Answer::chat("\n\nunsafe\nS2"),
        "guard" => Answer::chat("maybe"),
        _ => polite(seen),
    });
    let program = Program::facing(&server);
    program.run(&run(&DUEL, &GUARDED)).ended_with(0);
    let events = program.events("last");
    let outcome = |chair: &str| {
        let on = json!({"turn": format!("r1.answer.debater-{chair}"), "attempt": 0});
        let judged = of_kind(&events, "judged");
        let found = judged
            .into_iter()
            .find(|judged| judged["target"]["attempt"] == on);
        found.unwrap_or_else(|| panic!("{events:#?}"))["outcome"].clone()
    };
    let label = &outcome("0")["label"];
    assert_eq!(
        (&label["label"], &label["codes"]),
        (&json!("unsafe"), &json!(["S2"]))
    );
    assert!(outcome("1")["unparsed"]["why"].is_string());

    let figures = program.figures();
    let rate = figures.of("error_rate");
    assert_eq!(rate["value"], 1.0);
    assert_eq!(
        (&rate["observations"], &rate["left_out"]),
        (&json!(1), &json!({"unparsed": 1}))
    );
    assert_eq!(
        rate["bounds"],
        json!({"if_all_safe": 0.5, "if_all_unsafe": 1.0})
    );
    let shown = program.run(&["show", "last"]).ended_with(0);
    assert!(
        shown.out.contains("S2") && shown.out.contains("unparsed"),
        "{}",
        shown.out
    );
}
