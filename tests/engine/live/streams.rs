//! Replies while they arrive: stopped, void, or read slowly.

use super::kit::{Bench, Heard, SOLO, model, polite, step};
use crate::support::answer::event;
use crate::support::server::{Seen, Server};
use crate::support::{Answer, answer};
use elenchus::debate::Event;
use elenchus::driver::live::{DeltaKind, Order, Pace, Rest, Tiding};
use serde_json::json;

const ADA: &str = "speak r1.answer.debater-0#0";

fn words(text: &str) -> impl Iterator<Item = String> {
    let words = text.split_inclusive(' ');
    words.map(|word| event(&json!({"content": word})))
}

/// The first request gets this, the others what is usual.
fn at_first(first: Answer) -> impl Fn(&Seen) -> Answer + Send + Sync {
    move |seen| match seen.number {
        0 => first.clone(),
        _ => polite(seen),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stream_that_is_stopped_leaves_its_step_open_and_counts_at_its_worst() {
    let half = Answer::sse_open(words("Half a thought ")).then(answer::Step::Stall);
    let server = Server::start(at_first(half));
    let bench = Bench::facing(&server);
    let mut hand = bench.take(&SOLO).await;
    hand.order(Order::Play(Pace::Turn));
    hand.until(|heard| matches!(heard, Heard::Delta(DeltaKind::Public, _)))
        .await;
    hand.order(Order::StopCall(step(ADA)));
    assert_eq!(hand.rest().await, Rest::Held);
    server.wait_until("the client hangs up", |log| log.hung_up == 1);
    assert_eq!(hand.turns(), 0);
    assert_eq!(hand.state.committed_calls(), 1);
    assert!(hand.state.committed_tokens() > 0);
    hand.open_step(ADA);
    let why = hand.refused_at_rest(Order::StopCall(step(ADA))).await;
    assert!(why.contains("not in flight"), "{why}");

    assert_eq!(hand.play(Pace::Turn).await, Rest::Held);
    assert_eq!(hand.texts("r1.answer.debater-0"), ["I, ada, say this."]);
    // The turn, its verdict, and the call that was stopped.
    assert_eq!(hand.state.committed_calls(), 3);
    assert_eq!(hand.state.spend().calls, 2);
    hand.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stopped_call_stays_stopped_while_the_rest_goes_on() {
    let server = Server::start(|seen| match model(seen) {
        "ada" => Answer::stall(),
        _ => polite(seen),
    });
    let bench = Bench::facing(&server);
    let mut hand = bench.take(&super::kit::DUEL).await;
    hand.order(Order::Play(Pace::End));
    hand.began(2).await;
    server.wait_until("both are asked", |log| log.requests.len() >= 2);
    hand.order(Order::StopCall(step(ADA)));
    assert_eq!(hand.rest().await, Rest::Held);
    assert_eq!((hand.turns(), hand.verdicts()), (1, 1));
    let asked = server.requests();
    assert_eq!(asked.iter().filter(|seen| model(seen) == "ada").count(), 1);
    hand.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn pieces_of_a_try_that_failed_are_void_and_the_next_one_begins_anew() {
    let broken = Answer::sse_open(words("This will be lost ")).then(answer::Step::Cut);
    let server = Server::start(at_first(broken));
    let bench = Bench::facing(&server);
    let mut hand = bench.take(&SOLO).await;
    hand.order(Order::Play(Pace::Turn));
    let heard = hand
        .until(|heard| matches!(heard, Heard::Happened(Event::Replied(_))))
        .await;
    let void = heard.iter().position(|one| matches!(one, Heard::Void));
    let (lost, kept) = heard.split_at(void.expect("the pieces are void"));
    let text = |heard: &[Heard]| {
        let pieces = heard.iter().filter_map(|one| match one {
            Heard::Delta(_, text) => Some(text.as_str()),
            _ => None,
        });
        pieces.collect::<String>()
    };
    assert!("This will be lost ".starts_with(&text(lost)), "{lost:?}");
    let whole = "I, ada, say this.";
    assert!(whole.starts_with(&text(kept)), "{kept:?}");
    let retried = |one: &Heard| matches!(one, Heard::Happened(Event::CallRetried { .. }));
    assert!(kept.iter().any(retried));
    assert_eq!(hand.texts("r1.answer.debater-0"), [whole]);
    assert_eq!(hand.rest().await, Rest::Held);
    hand.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn who_is_slow_to_read_is_sent_one_piece_at_a_time() {
    let long: String = (0..2_000).map(|word| format!("word{word} ")).collect();
    let server = Server::start(at_first(Answer::chat(&long)));
    let bench = Bench::facing(&server);
    let mut hand = bench.take(&SOLO).await;
    hand.order(Order::Play(Pace::Turn));
    let mut held = Vec::new();
    loop {
        match hand.tiding().await.unwrap() {
            Tiding::Delta { step, text, .. } if step.as_str() == ADA => held.push(text),
            Tiding::Happened(record) if matches!(record.event, Event::Replied(_)) => break,
            _ => {}
        }
    }
    assert_eq!(held.len(), 1);
    assert!(long.starts_with(&*held[0]));
    // It is over: giving the piece back brings nothing.
    drop(held);
    let heard = hand.until(|heard| matches!(heard, Heard::Rests(_))).await;
    let more = heard.iter().filter(|one| match one {
        Heard::Delta(_, text) => text.contains("word"),
        _ => false,
    });
    assert_eq!(more.count(), 0);
    hand.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn reasoning_that_is_found_out_late_is_told_to_have_been_reasoning() {
    let thought = Answer::chat("I wonder what they want </think> A lock has pins.");
    let server = Server::start(at_first(thought));
    let bench = Bench::facing(&server);
    let mut hand = bench.take(&SOLO).await;
    hand.order(Order::Play(Pace::Turn));
    let (mut public, mut thinking) = (String::new(), String::new());
    loop {
        match hand.tiding().await.unwrap() {
            Tiding::Delta {
                kind: DeltaKind::Public,
                text,
                ..
            } => public.push_str(&text),
            Tiding::Delta {
                kind: DeltaKind::Thinking,
                text,
                ..
            } => thinking.push_str(&text),
            Tiding::WasThinking { .. } => thinking.push_str(&std::mem::take(&mut public)),
            Tiding::Happened(record) if matches!(record.event, Event::Replied(_)) => break,
            _ => {}
        }
    }
    let said = &hand
        .state
        .chosen(&super::kit::turn("r1.answer.debater-0"))
        .unwrap()
        .1
        .reply;
    assert!(said.text.starts_with(public.trim()), "{public}");
    assert!(!public.contains("wonder"), "{public}");
    assert_eq!(
        said.thinking.as_deref().map(str::trim),
        Some("I wonder what they want")
    );
    hand.rest().await;
    hand.close().await;
}
