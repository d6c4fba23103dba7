//! Previews in the inspector equal the request that is sent.

use super::harness::{DebateSetup, LiveSession, LiveStore, SOLO, contents, model, polite, sent};
use crate::engine::live::{IdleReason, Pace, Preview, preview_step};
use elenchus_game::debate::protocol::SettingValue::Integer;
use elenchus_game::debate::view::PartSource;
use elenchus_records::library::Library;
use elenchus_test_support::{Answer, ChatRequest, ChatServer};

fn same(preview: &Preview, seen: &ChatRequest) {
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
    let server = ChatServer::start(|seen| match model(seen) {
        "guard" => Answer::chat(&seen.with_mark("VERDICT: unsafe")),
        _ => polite(seen),
    });
    let store = LiveStore::priced(&server, "ada");
    let game = DebateSetup {
        settings: &[("debaters", Integer(1)), ("rounds", Integer(1))],
        ..SOLO
    };
    let mut live = store.take(&game).await;
    let speak = "speak r1.answer.debater-0#0";
    let judge = "judge safety evaluator-0 r1.answer.debater-0#0";
    let shown = live.preview(speak);
    let cost = |preview: &Preview| preview.request.as_ref().unwrap().at_most.cost_usd;
    assert!(cost(&shown).unwrap() > 0.0);
    let from = super::harness::sources(&shown.messages);
    assert!(from.contains(&PartSource::Topic), "{from:?}");
    assert_eq!(live.send_as_it_is(speak).await, IdleReason::Held);
    same(&shown, &server.requests()[0]);

    let shown = live.preview(judge);
    assert_eq!(cost(&shown), None);
    // Nobody is to speak: the verdict is what the order is about, and the lesson is not.
    assert_eq!(live.play(Pace::Turn).await, IdleReason::Held);
    same(&shown, &server.requests()[1]);

    let shown = live.preview("feedback");
    assert!(matches!(live.play(Pace::Turn).await, IdleReason::Done(_)));
    same(&shown, &server.requests()[2]);
    assert_eq!(server.requests().len(), 3);
    live.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_person_will_be_shown_can_be_seen_before() {
    let store = LiveStore::simulated();
    let game = DebateSetup {
        protocol: "pred",
        settings: &[("debaters", Integer(1)), ("rounds", Integer(1))],
        cast: &[
            ("debater", &["human"]),
            ("evaluator", &["sim"]),
            ("feedback", &["sim"]),
        ],
    };
    let live: LiveSession = store.take(&game).await;
    let shown = live.preview("speak r1.answer.debater-0#0");
    assert!(shown.request.is_none());
    assert!(
        contents(&shown.messages)
            .concat()
            .contains(super::harness::TOPIC)
    );
    let rule = elenchus_game::debate::Step::Retrieve(None);
    let game = Library::default()
        .load_game("pred", &Default::default())
        .unwrap();
    let why = preview_step(&live.state, &game, &store.run.seats, &rule).unwrap_err();
    assert!(why.to_string().contains("has no request to show"), "{why}");
    live.close().await;
}
