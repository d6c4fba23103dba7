//! What the inspector shows is what is sent.

use super::kit::{Bench, Hand, SOLO, Setting, contents, model, polite, sent};
use crate::support::{Answer, Seen, Server};
use elenchus::debate::protocol::SettingValue::Integer;
use elenchus::debate::view::Source;
use elenchus::driver::Library;
use elenchus::driver::live::{Pace, Preview, Rest, preview};

fn same(preview: &Preview, seen: &Seen) {
    assert_eq!(contents(&preview.messages), sent(seen));
    let request = preview.request.as_ref().unwrap();
    assert_eq!(request.name, model(seen));
    assert_eq!(request.sampling.seed, seen.body["seed"].as_u64());
    assert!(request.likely.input_tokens > 0);
    assert!(request.likely.input_tokens <= request.at_most.input_tokens);
    assert!(request.likely.output_tokens <= request.at_most.output_tokens);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_preview_of_every_call_is_what_the_server_is_sent() {
    let server = Server::start(|seen| match model(seen) {
        "guard" => Answer::chat("VERDICT: unsafe"),
        _ => polite(seen),
    });
    let bench = Bench::priced(&server, "ada");
    let game = Setting {
        settings: &[("debaters", Integer(1)), ("rounds", Integer(1))],
        ..SOLO
    };
    let mut hand = bench.take(&game).await;
    let speak = "speak r1.answer.debater-0#0";
    let judge = "judge safety evaluator-0 r1.answer.debater-0#0";
    let shown = hand.preview(speak);
    let cost = |preview: &Preview| preview.request.as_ref().unwrap().at_most.cost_usd;
    assert!(cost(&shown).unwrap() > 0.0);
    let from = super::kit::sources(&shown.messages);
    assert!(from.contains(&Source::Topic), "{from:?}");
    assert_eq!(hand.send_as_it_is(speak).await, Rest::Held);
    same(&shown, &server.requests()[0]);

    let shown = hand.preview(judge);
    assert_eq!(cost(&shown), None);
    // Nobody is to speak: the verdict is what the order is about, and the lesson is not.
    assert_eq!(hand.play(Pace::Turn).await, Rest::Held);
    same(&shown, &server.requests()[1]);

    let shown = hand.preview("feedback");
    assert!(matches!(hand.play(Pace::Turn).await, Rest::Done(_)));
    same(&shown, &server.requests()[2]);
    assert_eq!(server.requests().len(), 3);
    hand.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_person_will_be_shown_can_be_seen_before() {
    let bench = Bench::simulated();
    let game = Setting {
        protocol: "pred",
        settings: &[("debaters", Integer(1)), ("rounds", Integer(1))],
        cast: &[
            ("debater", &["human"]),
            ("evaluator", &["sim"]),
            ("feedback", &["sim"]),
        ],
    };
    let hand: Hand = bench.take(&game).await;
    let shown = hand.preview("speak r1.answer.debater-0#0");
    assert!(shown.request.is_none());
    assert!(
        contents(&shown.messages)
            .concat()
            .contains(super::kit::TOPIC)
    );
    let rule = elenchus::debate::Step::Retrieve;
    let game = Library::default()
        .game("pred", &Default::default())
        .unwrap();
    let why = preview(&hand.state, &game, &bench.seats, &rule).unwrap_err();
    assert!(why.to_string().contains("shows nobody anything"), "{why}");
    hand.close().await;
}
