//! Stepping: the reach of each order; it changes nothing about the game.

use super::harness::{
    DUEL, DebateSetup, LiveSession, LiveStore, Observed, SOLO, TOPIC, model, polite, step,
    substance, turn,
};
use crate::engine::live::{IdleReason, LiveCommand, Pace};
use elenchus_game::debate::protocol::SettingValue::{Bool, Integer};
use elenchus_test_support::{Barrier, ChatServer};
use std::sync::Arc;

/// More orders than any of the debates needs.
const MANY: usize = 60;

const PRED: DebateSetup<'static> = DebateSetup {
    protocol: "pred",
    settings: &[("rounds", Integer(2)), ("reveal_verdicts", Bool(true))],
    cast: &[],
};
const SRED: DebateSetup<'static> = DebateSetup {
    protocol: "sred",
    settings: &[("rounds", Integer(2))],
    cast: &[],
};
const PCD: DebateSetup<'static> = DebateSetup {
    protocol: "pcd-2",
    settings: &[],
    cast: &[],
};
const MODERATED: DebateSetup<'static> = DebateSetup {
    protocol: "moderated",
    settings: &[("rounds", Integer(2))],
    cast: &[],
};

async fn stepped_like_alone(game: &DebateSetup<'_>) {
    let store = LiveStore::simulated();
    let alone = substance(&store.alone(game).await);
    for pace in [Pace::Turn, Pace::Stage, Pace::Round, Pace::End] {
        let mut live = store.take(game).await;
        let mut orders = 0;
        loop {
            let before = live.state.event_count();
            let rest = live.play(pace).await;
            assert!(
                live.state.event_count() > before,
                "{pace:?} came to nothing"
            );
            match rest {
                IdleReason::Done(_) => break,
                IdleReason::Held => {}
                other => panic!("{pace:?}: {other:?}"),
            }
            orders += 1;
            assert!(orders < MANY, "{pace:?} never ends");
        }
        assert_eq!(substance(&live.close().await), alone, "{pace:?}");
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
    let store = LiveStore::simulated();
    let alone = substance(&store.alone(&PRED).await);
    let mut live = store.take(&PRED).await;
    loop {
        let id = live.id();
        if let IdleReason::Done(_) = live.play(Pace::Stage).await {
            break;
        }
        live.close().await;
        let session = store.again(&id);
        live = store.hold(session, Default::default()).await;
    }
    assert_eq!(substance(&live.close().await), alone);
}

#[tokio::test(flavor = "multi_thread")]
async fn each_pace_goes_as_far_as_its_name_says() {
    let store = LiveStore::simulated();
    let free = DebateSetup {
        settings: &[("rounds", Integer(3))],
        ..PRED
    };
    let mut live = store.take(&free).await;
    let came = |live: &LiveSession| (live.turns(), live.verdicts());
    assert_eq!(live.play(Pace::Turn).await, IdleReason::Held);
    assert_eq!(came(&live), (1, 1));
    assert_eq!(live.play(Pace::Turn).await, IdleReason::Held);
    assert_eq!(came(&live), (2, 2));
    assert_eq!(live.play(Pace::Stage).await, IdleReason::Held);
    assert_eq!(came(&live), (3, 3));
    assert_eq!(live.play(Pace::Round).await, IdleReason::Held);
    assert_eq!(came(&live), (6, 6));
    // Two orders at once are two turns.
    live.order(LiveCommand::Play(Pace::Turn));
    assert_eq!(live.play(Pace::Turn).await, IdleReason::Held);
    assert_eq!(came(&live), (8, 8));
    assert!(matches!(live.play(Pace::End).await, IdleReason::Done(_)));
    assert_eq!(came(&live), (9, 9));
    live.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_moderator_speaks_on_an_order_of_its_own() {
    let store = LiveStore::simulated();
    let mut live = store.take(&MODERATED).await;
    let moderated = |live: &LiveSession| {
        let mut verdicts = live.state.verdicts();
        verdicts.any(|(judging, _, _)| judging.as_str() == "moderation")
    };
    for turns in 1..=4 {
        assert_eq!(live.play(Pace::Turn).await, IdleReason::Held);
        assert_eq!(live.turns(), turns);
        assert!(!moderated(&live));
    }
    live.play(Pace::Turn).await;
    assert_eq!(live.turns(), 4);
    assert!(moderated(&live));
    live.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_in_flight_at_a_pause_arrives_and_nothing_else_starts() {
    let gate = Barrier::of(3);
    let held = Arc::clone(&gate);
    let server = ChatServer::start(move |seen| match model(seen) {
        "ada" | "ben" => polite(seen).behind(&held),
        _ => polite(seen),
    });
    let store = LiveStore::facing(&server);
    let mut live = store.take(&DUEL).await;
    live.order(LiveCommand::Play(Pace::End));
    live.began(2).await;
    live.order(LiveCommand::Pause);
    gate.meet();
    assert_eq!(live.rest().await, IdleReason::Held);
    assert_eq!((live.turns(), live.verdicts()), (2, 0));
    assert_eq!(server.requests().len(), 2);
    assert!(matches!(live.play(Pace::End).await, IdleReason::Done(_)));
    assert_eq!(live.verdicts(), 2);
    live.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_told_comes_in_the_order_in_which_it_happened() {
    let server = ChatServer::start(polite);
    let store = LiveStore::facing(&server);
    let mut live = store.take(&SOLO).await;
    live.order(LiveCommand::Play(Pace::Turn));
    let heard = live.until(|heard| matches!(heard, Observed::Idle(_))).await;
    let kinds: Vec<&str> = heard
        .iter()
        .filter_map(|heard| match heard {
            Observed::Began => Some("began"),
            Observed::Ended(_) => Some("ended"),
            Observed::Idle(_) => Some("rests"),
            Observed::Happened(event) => match event {
                elenchus_game::debate::Event::CallStarted { .. } => Some("started"),
                elenchus_game::debate::Event::Replied(_) => Some("replied"),
                elenchus_game::debate::Event::Judged(_) => Some("judged"),
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
            .any(|one| matches!(one, Observed::Ended(it) if it == id))
    };
    assert!(ended(step("speak r1.answer.debater-0#0").as_str()));
    assert_eq!(
        live.state
            .chosen_attempt(&turn("r1.answer.debater-0"))
            .unwrap()
            .0
            .attempt,
        0
    );
    live.close().await;
}
