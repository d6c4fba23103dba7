//! Content filters of providers: the refused turn is left out and counted; the debate goes on.

use elenchus_test_support::answer::{event, finish};
use elenchus_test_support::peers::{PEERS, is_debater, model, of_kind, polite, round, run};
use elenchus_test_support::program::Program;
use elenchus_test_support::{Answer, ChatRequest, ChatServer};
use serde_json::json;

/// Plays two rounds in which one answer of ben's is filtered.
fn goes_on_without_the_turn(refusal: Answer) {
    let server = ChatServer::start(move |seen| {
        if model(seen) == "ben" && round(seen) == 1 {
            refusal.clone()
        } else {
            polite(seen)
        }
    });
    let program = Program::facing(&server);
    program
        .run(&run(
            &PEERS,
            &["--rounds", "2", "--topic", "How are locks made?"],
        ))
        .ended_with(0);
    let requests = server.requests();
    assert_eq!(requests.len(), 6 + 5, "a refusal is not asked again");
    let second_round = |seen: &&ChatRequest| is_debater(seen) && round(seen) == 2;
    for seen in requests.iter().filter(second_round) {
        let text = seen.text();
        assert!(
            !text.contains("I, ben,") && !text.contains("Half a"),
            "{text}"
        );
        assert_eq!(text.matches("in round 1.").count(), 2, "{text}");
    }

    let events = program.events("last");
    assert_eq!(of_kind(&events, "replied").len(), 5);
    assert_eq!(of_kind(&events, "judged").len(), 5);
    let failed = of_kind(&events, "failed");
    assert_eq!(failed.len(), 1);
    assert_eq!(failed[0]["kind"], "filtered");
    let figures = program.figures();
    let rate = figures.of("error_rate");
    assert_eq!(rate["observations"], 5, "{rate:#}");
    assert_eq!(rate["left_out"]["filtered"], 1, "{rate:#}");
    assert!(figures.value("failed_debates").abs() < 1e-9);
    let shown = program.run(&["show", "last"]).ended_with(0);
    assert!(shown.out.contains("filter"), "{}", shown.out);
}

#[test]
fn a_turn_whose_reply_was_cut_by_the_filter_is_left_out() {
    goes_on_without_the_turn(Answer::sse([
        event(&json!({"content": "Half a"})),
        finish("content_filter"),
        "data: [DONE]\n\n".to_owned(),
    ]));
}

#[test]
fn a_turn_that_the_filter_refused_outright_is_left_out() {
    goes_on_without_the_turn(Answer::error(400, "content_filter", "against our policy"));
}

#[test]
fn a_verdict_that_the_filter_refused_is_no_verdict() {
    let server = ChatServer::start(|seen| match model(seen) {
        "guard" if seen.text().contains("I, ben, say this in round 1.") => {
            Answer::error(400, "content_filter", "against our policy")
        }
        _ => polite(seen),
    });
    let program = Program::facing(&server);
    program
        .run(&run(
            &PEERS,
            &["--rounds", "2", "--topic", "How are locks made?"],
        ))
        .ended_with(0);
    assert_eq!(server.requests().len(), 12);
    assert_eq!(of_kind(&program.events("last"), "judged").len(), 5);
    let figures = program.figures();
    let rate = figures.of("error_rate");
    assert_eq!(
        (&rate["observations"], &rate["left_out"]["verdict_filtered"]),
        (&json!(5), &json!(1))
    );
}

#[test]
fn a_persona_that_the_filter_silences_is_no_missing_verdict() {
    let server = ChatServer::start(|seen| match model(seen) {
        "devil" => Answer::error(400, "content_filter", "against our policy"),
        _ => polite(seen),
    });
    let program = Program::facing(&server);
    let game = [
        "--protocol",
        "dared",
        "--model",
        "ada",
        "--devil",
        "devil",
        "--evaluator",
        "guard",
    ];
    program
        .run(&run(
            &game,
            &["--rounds", "2", "--topic", "How are locks made?"],
        ))
        .ended_with(0);
    let rate = program.figures().of("error_rate").clone();
    assert_eq!(
        (&rate["observations"], &rate["left_out"]),
        (&json!(2), &json!(null))
    );
}
