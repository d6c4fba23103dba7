//! Failures of a live session: calls, ceilings, a broken journal, a session that is released.

use super::harness::{LiveStore, Observed, SOLO, model, polite, step, turn};
use crate::engine::cost::Budget;
use crate::engine::live::{IdleReason, LiveCommand, Pace};
use elenchus_game::debate::Event;
use elenchus_test_support::{Answer, ChatServer};
use std::io::Write;

const ADA: &str = "speak r1.answer.debater-0#0";

/// Ada fails at first.
fn stumbling() -> ChatServer {
    ChatServer::start(|seen| match seen.number {
        0 => Answer::error(400, "bad_request", "not now"),
        _ => polite(seen),
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn what_failed_goes_on_where_it_was_when_it_is_retried() {
    let server = stumbling();
    let store = LiveStore::facing(&server);
    let mut live = store.take(&SOLO).await;
    match live.play(Pace::Turn).await {
        IdleReason::Stuck(failed) => assert_eq!(failed[0].step, step(ADA)),
        other => panic!("{other:?}"),
    }
    // More of the same is no order to try again.
    assert!(matches!(live.play(Pace::Turn).await, IdleReason::Stuck(_)));
    assert_eq!(server.requests().len(), 1);
    assert_eq!(live.after(LiveCommand::Retry).await, IdleReason::Held);
    assert_eq!((live.turns(), live.verdicts()), (1, 1));
    live.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_person_may_say_what_a_model_failed_to_say() {
    let server = stumbling();
    let store = LiveStore::facing(&server);
    let mut live = store.take(&SOLO).await;
    assert!(matches!(live.play(Pace::Turn).await, IdleReason::Stuck(_)));
    let answer = LiveCommand::Answer {
        step: step(ADA),
        text: "I speak for ada.".to_owned(),
    };
    assert_eq!(live.after(answer).await, IdleReason::Held);
    assert!(live.state.failures().is_empty());
    live.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_ceiling_that_allows_no_call_is_why_it_rests() {
    let server = ChatServer::start(polite);
    let store = LiveStore::priced(&server, "ada");
    let session = store.session(&SOLO).await;
    let mut live = store.hold(session, Budget::new(Some(1e-9), 0.0)).await;
    assert_eq!(live.play(Pace::Turn).await, IdleReason::Paused);
    assert!(server.requests().is_empty());
    let messages = live.preview(ADA).messages;
    let send = LiveCommand::Send {
        step: step(ADA),
        messages,
    };
    let why = live.refused_at_rest(send).await;
    assert!(why.contains("ceiling"), "{why}");
    live.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_ceiling_held_up_goes_on_when_it_is_raised() {
    let server = ChatServer::start(polite);
    let store = LiveStore::priced(&server, "ada");
    let session = store.session(&SOLO).await;
    let mut live = store.hold(session, Budget::new(Some(1e-9), 0.0)).await;
    assert_eq!(live.play(Pace::Turn).await, IdleReason::Paused);
    let why = live
        .refused_at_rest(LiveCommand::Raise { ceiling_usd: 1e-10 })
        .await;
    assert!(why.contains("give an amount above it"), "{why}");
    assert_eq!(
        live.after(LiveCommand::Raise { ceiling_usd: 1.0 }).await,
        IdleReason::Held
    );
    assert_eq!(live.turns(), 1);
    let kinds = live.state.event_count();
    let state = live.close().await;
    assert_eq!(
        state.event_count(),
        kinds,
        "raising is no event of the debate"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_fault_of_the_program_is_told_and_gives_the_session_back() {
    let server = ChatServer::start(polite);
    let store = LiveStore::faulty(&server);
    let mut live = store.take(&SOLO).await;
    let id = live.id();
    live.order(LiveCommand::Play(Pace::Turn));
    let heard = live
        .until(|heard| matches!(heard, Observed::Broke(_)))
        .await;
    match heard.last() {
        Some(Observed::Broke(why)) => assert!(why.contains("what was recorded stays"), "{why}"),
        other => panic!("{other:?}"),
    }
    assert!(live.next_event().await.is_none());
    store.again(&id);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_that_is_closed_in_the_middle_of_a_call_goes_on_from_there() {
    let server = ChatServer::start(|seen| match seen.number {
        0 => Answer::stall(),
        _ => polite(seen),
    });
    let store = LiveStore::facing(&server);
    let mut live = store.take(&SOLO).await;
    let id = live.id();
    live.order(LiveCommand::Play(Pace::End));
    live.began(1).await;
    server.wait_until("it is asked", |log| log.requests.len() == 1);
    let state = live.close().await;
    assert_eq!((state.turns().len(), state.committed_calls()), (0, 1));

    let mut live = store.hold(store.again(&id), Budget::default()).await;
    let events = live.state.event_count();
    live.order(LiveCommand::Play(Pace::Turn));
    let heard = live.until(|heard| matches!(heard, Observed::Idle(_))).await;
    assert_eq!(events, 2, "looking at it wrote nothing");
    let resumed = |one: &&Observed| matches!(one, Observed::Happened(Event::Resumed {}));
    assert_eq!(heard.iter().filter(resumed).count(), 1);
    let state = live.close().await;
    assert_eq!((state.turns().len(), state.committed_calls()), (1, 3));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_handle_that_is_dropped_gives_the_session_back() {
    let server = ChatServer::start(|seen| match model(seen) {
        "ada" => Answer::stall(),
        _ => polite(seen),
    });
    let store = LiveStore::facing(&server);
    let mut live = store.take(&SOLO).await;
    let id = live.id();
    live.order(LiveCommand::Play(Pace::End));
    live.began(1).await;
    let mut told = live.drop_handle();
    while told.recv().await.is_some() {}
    assert_eq!(store.again(&id).state.turns().len(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_journal_that_cannot_be_written_ends_the_session_with_a_reason() {
    let server = ChatServer::start(polite);
    let store = LiveStore::facing(&server);
    let mut live = store.take(&SOLO).await;
    assert_eq!(live.play(Pace::Turn).await, IdleReason::Held);
    let path = store.path(&live.id());
    let mut file = std::fs::OpenOptions::new()
        .append(true)
        .open(&path)
        .unwrap();
    file.write_all(b"not ours\n").unwrap();
    live.order(LiveCommand::Edit {
        turn: turn("r1.answer.debater-0"),
        text: "x".to_owned(),
    });
    // It was read by its judge.
    live.until(|heard| matches!(heard, Observed::Refused(_)))
        .await;
    live.order(LiveCommand::Play(Pace::Turn));
    let heard = live
        .until(|heard| matches!(heard, Observed::Broke(_)))
        .await;
    match heard.last() {
        Some(Observed::Broke(why)) => assert!(why.contains("something else changed it"), "{why}"),
        other => panic!("{other:?}"),
    }
    assert!(live.next_event().await.is_none());
}
