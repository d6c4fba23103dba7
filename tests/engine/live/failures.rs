//! What goes wrong: failures, ceilings, a broken journal, a session that is let go.

use super::kit::{Bench, Heard, SOLO, model, polite, step, turn};
use crate::support::{Answer, Server};
use elenchus::debate::Event;
use elenchus::driver::Budget;
use elenchus::driver::live::{Order, Pace, Rest};
use std::io::Write;

const ADA: &str = "speak r1.answer.debater-0#0";

/// Ada fails at first.
fn stumbling() -> Server {
    Server::start(|seen| match seen.number {
        0 => Answer::error(400, "bad_request", "not now"),
        _ => polite(seen),
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn what_failed_goes_on_where_it_was_when_it_is_retried() {
    let server = stumbling();
    let bench = Bench::facing(&server);
    let mut hand = bench.take(&SOLO).await;
    match hand.play(Pace::Turn).await {
        Rest::Stuck(failed) => assert_eq!(failed[0].step, step(ADA)),
        other => panic!("{other:?}"),
    }
    // More of the same is no order to try again.
    assert!(matches!(hand.play(Pace::Turn).await, Rest::Stuck(_)));
    assert_eq!(server.requests().len(), 1);
    assert_eq!(hand.after(Order::Retry).await, Rest::Held);
    assert_eq!((hand.turns(), hand.verdicts()), (1, 1));
    hand.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_person_may_say_what_a_model_failed_to_say() {
    let server = stumbling();
    let bench = Bench::facing(&server);
    let mut hand = bench.take(&SOLO).await;
    assert!(matches!(hand.play(Pace::Turn).await, Rest::Stuck(_)));
    let answer = Order::Answer {
        step: step(ADA),
        text: "I speak for ada.".to_owned(),
    };
    assert_eq!(hand.after(answer).await, Rest::Held);
    assert!(hand.state.failures().is_empty());
    hand.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_ceiling_that_allows_no_call_is_why_it_rests() {
    let server = Server::start(polite);
    let bench = Bench::priced(&server, "ada");
    let session = bench.session(&SOLO).await;
    let mut hand = bench.hold(session, Budget::new(Some(1e-9), 0.0)).await;
    assert_eq!(hand.play(Pace::Turn).await, Rest::Paused);
    assert!(server.requests().is_empty());
    let messages = hand.preview(ADA).messages;
    let send = Order::Send {
        step: step(ADA),
        messages,
    };
    let why = hand.refused_at_rest(send).await;
    assert!(why.contains("ceiling"), "{why}");
    hand.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_ceiling_held_up_goes_on_when_it_is_raised() {
    let server = Server::start(polite);
    let bench = Bench::priced(&server, "ada");
    let session = bench.session(&SOLO).await;
    let mut hand = bench.hold(session, Budget::new(Some(1e-9), 0.0)).await;
    assert_eq!(hand.play(Pace::Turn).await, Rest::Paused);
    let why = hand
        .refused_at_rest(Order::Raise { ceiling_usd: 1e-10 })
        .await;
    assert!(why.contains("give an amount above it"), "{why}");
    assert_eq!(
        hand.after(Order::Raise { ceiling_usd: 1.0 }).await,
        Rest::Held
    );
    assert_eq!(hand.turns(), 1);
    let kinds = hand.state.events();
    let state = hand.close().await;
    assert_eq!(state.events(), kinds, "raising is no event of the debate");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_fault_of_the_program_is_told_and_gives_the_session_back() {
    let server = Server::start(polite);
    let bench = Bench::faulty(&server);
    let mut hand = bench.take(&SOLO).await;
    let id = hand.id();
    hand.order(Order::Play(Pace::Turn));
    let heard = hand.until(|heard| matches!(heard, Heard::Broke(_))).await;
    match heard.last() {
        Some(Heard::Broke(why)) => assert!(why.contains("what was recorded stays"), "{why}"),
        other => panic!("{other:?}"),
    }
    assert!(hand.tiding().await.is_none());
    bench.again(&id);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_that_is_closed_in_the_middle_of_a_call_goes_on_from_there() {
    let server = Server::start(|seen| match seen.number {
        0 => Answer::stall(),
        _ => polite(seen),
    });
    let bench = Bench::facing(&server);
    let mut hand = bench.take(&SOLO).await;
    let id = hand.id();
    hand.order(Order::Play(Pace::End));
    hand.began(1).await;
    server.wait_until("it is asked", |log| log.requests.len() == 1);
    let state = hand.close().await;
    assert_eq!((state.turns().len(), state.committed_calls()), (0, 1));

    let mut hand = bench.hold(bench.again(&id), Budget::default()).await;
    let events = hand.state.events();
    hand.order(Order::Play(Pace::Turn));
    let heard = hand.until(|heard| matches!(heard, Heard::Rests(_))).await;
    assert_eq!(events, 2, "looking at it wrote nothing");
    let resumed = |one: &&Heard| matches!(one, Heard::Happened(Event::Resumed {}));
    assert_eq!(heard.iter().filter(resumed).count(), 1);
    let state = hand.close().await;
    assert_eq!((state.turns().len(), state.committed_calls()), (1, 3));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_handle_that_is_dropped_gives_the_session_back() {
    let server = Server::start(|seen| match model(seen) {
        "ada" => Answer::stall(),
        _ => polite(seen),
    });
    let bench = Bench::facing(&server);
    let mut hand = bench.take(&SOLO).await;
    let id = hand.id();
    hand.order(Order::Play(Pace::End));
    hand.began(1).await;
    let mut told = hand.drop_handle();
    while told.recv().await.is_some() {}
    assert_eq!(bench.again(&id).state.turns().len(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_journal_that_cannot_be_written_ends_the_session_with_a_reason() {
    let server = Server::start(polite);
    let bench = Bench::facing(&server);
    let mut hand = bench.take(&SOLO).await;
    assert_eq!(hand.play(Pace::Turn).await, Rest::Held);
    let path = bench.path(&hand.id());
    let mut file = std::fs::OpenOptions::new()
        .append(true)
        .open(&path)
        .unwrap();
    file.write_all(b"not ours\n").unwrap();
    hand.order(Order::Edit {
        turn: turn("r1.answer.debater-0"),
        text: "x".to_owned(),
    });
    // It was read by its judge.
    hand.until(|heard| matches!(heard, Heard::Refused(_))).await;
    hand.order(Order::Play(Pace::Turn));
    let heard = hand.until(|heard| matches!(heard, Heard::Broke(_))).await;
    match heard.last() {
        Some(Heard::Broke(why)) => assert!(why.contains("something else changed it"), "{why}"),
        other => panic!("{other:?}"),
    }
    assert!(hand.tiding().await.is_none());
}
