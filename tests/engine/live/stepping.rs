//! How far an order goes, and that stepping changes nothing about the game.

use super::kit::{
    Bench, DUEL, Hand, Heard, SOLO, Setting, TOPIC, model, polite, step, substance, turn,
};
use crate::support::{Barrier, Server};
use elenchus::debate::protocol::SettingValue::{Bool, Integer};
use elenchus::driver::live::{Order, Pace, Rest};
use std::sync::Arc;

/// More orders than any of the debates needs.
const MANY: usize = 60;

const PRED: Setting<'static> = Setting {
    protocol: "pred",
    settings: &[("rounds", Integer(2)), ("reveal_verdicts", Bool(true))],
    cast: &[],
};
const SRED: Setting<'static> = Setting {
    protocol: "sred",
    settings: &[("rounds", Integer(2))],
    cast: &[],
};
const PCD: Setting<'static> = Setting {
    protocol: "pcd-2",
    settings: &[],
    cast: &[],
};
const MODERATED: Setting<'static> = Setting {
    protocol: "moderated",
    settings: &[("rounds", Integer(2))],
    cast: &[],
};

async fn stepped_like_alone(game: &Setting<'_>) {
    let bench = Bench::simulated();
    let alone = substance(&bench.alone(game).await);
    for pace in [Pace::Turn, Pace::Stage, Pace::Round, Pace::End] {
        let mut hand = bench.take(game).await;
        let mut orders = 0;
        loop {
            let before = hand.state.events();
            let rest = hand.play(pace).await;
            assert!(hand.state.events() > before, "{pace:?} came to nothing");
            match rest {
                Rest::Done(_) => break,
                Rest::Held => {}
                other => panic!("{pace:?}: {other:?}"),
            }
            orders += 1;
            assert!(orders < MANY, "{pace:?} never ends");
        }
        assert_eq!(substance(&hand.close().await), alone, "{pace:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_debate_of_peers_that_is_stepped_is_the_one_that_plays_alone() {
    stepped_like_alone(&PRED).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_socratic_debate_that_is_stepped_is_the_one_that_plays_alone() {
    stepped_like_alone(&SRED).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_proposal_with_its_critic_that_is_stepped_is_the_one_that_plays_alone() {
    stepped_like_alone(&PCD).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_moderated_debate_that_is_stepped_is_the_one_that_plays_alone() {
    stepped_like_alone(&MODERATED).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_that_is_left_and_taken_up_again_is_the_one_that_plays_alone() {
    let bench = Bench::simulated();
    let alone = substance(&bench.alone(&PRED).await);
    let mut hand = bench.take(&PRED).await;
    loop {
        let id = hand.id();
        if let Rest::Done(_) = hand.play(Pace::Stage).await {
            break;
        }
        hand.close().await;
        let session = bench.again(&id);
        hand = bench.hold(session, Default::default()).await;
    }
    assert_eq!(substance(&hand.close().await), alone);
}

#[tokio::test(flavor = "multi_thread")]
async fn each_pace_goes_as_far_as_its_name_says() {
    let bench = Bench::simulated();
    let free = Setting {
        settings: &[("rounds", Integer(3))],
        ..PRED
    };
    let mut hand = bench.take(&free).await;
    let came = |hand: &Hand| (hand.turns(), hand.verdicts());
    assert_eq!(hand.play(Pace::Turn).await, Rest::Held);
    assert_eq!(came(&hand), (1, 1));
    assert_eq!(hand.play(Pace::Turn).await, Rest::Held);
    assert_eq!(came(&hand), (2, 2));
    assert_eq!(hand.play(Pace::Stage).await, Rest::Held);
    assert_eq!(came(&hand), (3, 3));
    assert_eq!(hand.play(Pace::Round).await, Rest::Held);
    assert_eq!(came(&hand), (6, 6));
    // Two orders at once are two turns.
    hand.order(Order::Play(Pace::Turn));
    assert_eq!(hand.play(Pace::Turn).await, Rest::Held);
    assert_eq!(came(&hand), (8, 8));
    assert!(matches!(hand.play(Pace::End).await, Rest::Done(_)));
    assert_eq!(came(&hand), (9, 9));
    hand.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_moderator_speaks_on_an_order_of_its_own() {
    let bench = Bench::simulated();
    let mut hand = bench.take(&MODERATED).await;
    let moderated = |hand: &Hand| {
        let mut verdicts = hand.state.verdicts();
        verdicts.any(|(judging, _, _)| judging.as_str() == "moderation")
    };
    for turns in 1..=4 {
        assert_eq!(hand.play(Pace::Turn).await, Rest::Held);
        assert_eq!(hand.turns(), turns);
        assert!(!moderated(&hand));
    }
    hand.play(Pace::Turn).await;
    assert_eq!(hand.turns(), 4);
    assert!(moderated(&hand));
    hand.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_in_flight_at_a_pause_arrives_and_nothing_else_starts() {
    let gate = Barrier::of(3);
    let held = Arc::clone(&gate);
    let server = Server::start(move |seen| match model(seen) {
        "ada" | "ben" => polite(seen).behind(&held),
        _ => polite(seen),
    });
    let bench = Bench::facing(&server);
    let mut hand = bench.take(&DUEL).await;
    hand.order(Order::Play(Pace::End));
    hand.began(2).await;
    hand.order(Order::Pause);
    gate.meet();
    assert_eq!(hand.rest().await, Rest::Held);
    assert_eq!((hand.turns(), hand.verdicts()), (2, 0));
    assert_eq!(server.requests().len(), 2);
    assert!(matches!(hand.play(Pace::End).await, Rest::Done(_)));
    assert_eq!(hand.verdicts(), 2);
    hand.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_told_comes_in_the_order_in_which_it_happened() {
    let server = Server::start(polite);
    let bench = Bench::facing(&server);
    let mut hand = bench.take(&SOLO).await;
    hand.order(Order::Play(Pace::Turn));
    let heard = hand.until(|heard| matches!(heard, Heard::Rests(_))).await;
    let kinds: Vec<&str> = heard
        .iter()
        .filter_map(|heard| match heard {
            Heard::Began => Some("began"),
            Heard::Ended(_) => Some("ended"),
            Heard::Rests(_) => Some("rests"),
            Heard::Happened(event) => match event {
                elenchus::debate::Event::CallStarted { .. } => Some("started"),
                elenchus::debate::Event::Replied(_) => Some("replied"),
                elenchus::debate::Event::Judged(_) => Some("judged"),
                _ => Some("else"),
            },
            _ => None,
        })
        .collect();
    let call = |what| ["began", "started", what, "ended"];
    let wanted = [&call("replied")[..], &call("judged"), &["rests"]].concat();
    assert_eq!(kinds, wanted);
    assert!(server.requests()[0].text().contains(TOPIC));
    let ended = |id: &str| {
        heard
            .iter()
            .any(|one| matches!(one, Heard::Ended(it) if it == id))
    };
    assert!(ended(step("speak r1.answer.debater-0#0").as_str()));
    assert_eq!(
        hand.state
            .chosen(&turn("r1.answer.debater-0"))
            .unwrap()
            .0
            .attempt,
        0
    );
    hand.close().await;
}
