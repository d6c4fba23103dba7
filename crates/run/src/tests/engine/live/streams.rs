//! Replies while they arrive: stopped, void, or read slowly.

use super::harness::{LiveStore, Observed, SOLO, model, polite, step};
use crate::engine::live::{DeltaKind, IdleReason, LiveCommand, LiveEvent, Pace};
use elenchus_game::debate::Event;
use elenchus_test_support::answer::event;
use elenchus_test_support::server::{ChatRequest, ChatServer};
use elenchus_test_support::{Answer, answer};
use serde_json::json;

const ADA: &str = "speak r1.answer.debater-0#0";

fn words(text: &str) -> impl Iterator<Item = String> {
    let words = text.split_inclusive(' ');
    words.map(|word| event(&json!({"content": word})))
}

/// The first request gets this, the others what is usual.
fn at_first(first: Answer) -> impl Fn(&ChatRequest) -> Answer + Send + Sync {
    move |seen| match seen.number {
        0 => first.clone(),
        _ => polite(seen),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stream_that_is_stopped_leaves_its_step_open_and_counts_at_its_worst() {
    let half = Answer::sse_open(words("Half a thought ")).then(answer::Step::Stall);
    let server = ChatServer::start(at_first(half));
    let store = LiveStore::facing(&server);
    let mut live = store.take(&SOLO).await;
    live.order(LiveCommand::Play(Pace::Turn));
    live.until(|heard| matches!(heard, Observed::Delta(DeltaKind::Public, _)))
        .await;
    live.order(LiveCommand::StopCall(step(ADA)));
    assert_eq!(live.rest().await, IdleReason::Held);
    server.wait_until("the client hangs up", |log| log.hung_up == 1);
    assert_eq!(live.turns(), 0);
    assert_eq!(live.state.committed_calls(), 1);
    assert!(live.state.committed_tokens() > 0);
    live.open_step(ADA);
    let why = live.refused_at_rest(LiveCommand::StopCall(step(ADA))).await;
    assert!(why.contains("not in flight"), "{why}");

    assert_eq!(live.play(Pace::Turn).await, IdleReason::Held);
    assert_eq!(live.texts("r1.answer.debater-0"), ["I, ada, say this."]);
    // The turn, its verdict, and the call that was stopped.
    assert_eq!(live.state.committed_calls(), 3);
    assert_eq!(live.state.spend().calls, 2);
    live.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stopped_call_stays_stopped_while_the_rest_goes_on() {
    let server = ChatServer::start(|seen| match model(seen) {
        "ada" => Answer::stall(),
        _ => polite(seen),
    });
    let store = LiveStore::facing(&server);
    let mut live = store.take(&super::harness::DUEL).await;
    live.order(LiveCommand::Play(Pace::End));
    live.began(2).await;
    server.wait_until("ada is asked", |log| {
        log.requests.iter().any(|seen| model(seen) == "ada")
    });
    live.order(LiveCommand::StopCall(step(ADA)));
    assert_eq!(live.rest().await, IdleReason::Held);
    assert_eq!((live.turns(), live.verdicts()), (1, 1));
    let asked = server.requests();
    assert_eq!(asked.iter().filter(|seen| model(seen) == "ada").count(), 1);
    live.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn pieces_of_a_try_that_failed_are_void_and_the_next_one_begins_anew() {
    let broken = Answer::sse_open(words("This will be lost ")).then(answer::Step::Cut);
    let server = ChatServer::start(at_first(broken));
    let store = LiveStore::facing(&server);
    let mut live = store.take(&SOLO).await;
    live.order(LiveCommand::Play(Pace::Turn));
    let heard = live
        .until(|heard| matches!(heard, Observed::Happened(Event::Replied(_))))
        .await;
    let void = heard.iter().position(|one| matches!(one, Observed::Void));
    let (lost, kept) = heard.split_at(void.expect("the pieces are void"));
    let text = |heard: &[Observed]| {
        let pieces = heard.iter().filter_map(|one| match one {
            Observed::Delta(_, text) => Some(text.as_str()),
            _ => None,
        });
        pieces.collect::<String>()
    };
    assert!("This will be lost ".starts_with(&text(lost)), "{lost:?}");
    let whole = "I, ada, say this.";
    assert!(whole.starts_with(&text(kept)), "{kept:?}");
    let retried = |one: &Observed| matches!(one, Observed::Happened(Event::CallRetried { .. }));
    assert!(kept.iter().any(retried));
    assert_eq!(live.texts("r1.answer.debater-0"), [whole]);
    assert_eq!(live.rest().await, IdleReason::Held);
    live.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn who_is_slow_to_read_is_sent_one_piece_at_a_time() {
    let long: String = (0..2_000).map(|word| format!("word{word} ")).collect();
    let server = ChatServer::start(at_first(Answer::chat(&long)));
    let store = LiveStore::facing(&server);
    let mut live = store.take(&SOLO).await;
    live.order(LiveCommand::Play(Pace::Turn));
    let mut held = Vec::new();
    loop {
        match live.next_event().await.unwrap() {
            LiveEvent::Delta { step, text, .. } if step.as_str() == ADA => held.push(text),
            LiveEvent::Happened(record) if matches!(record.event, Event::Replied(_)) => break,
            _ => {}
        }
    }
    assert_eq!(held.len(), 1);
    assert!(long.starts_with(&*held[0]));
    // It is over: giving the piece back brings nothing.
    drop(held);
    let heard = live.until(|heard| matches!(heard, Observed::Idle(_))).await;
    let more = heard.iter().filter(|one| match one {
        Observed::Delta(_, text) => text.contains("word"),
        _ => false,
    });
    assert_eq!(more.count(), 0);
    live.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn reasoning_that_is_found_out_late_is_told_to_have_been_reasoning() {
    let thought = Answer::chat("I wonder what they want </think> A lock has pins.");
    let server = ChatServer::start(at_first(thought));
    let store = LiveStore::facing(&server);
    let mut live = store.take(&SOLO).await;
    live.order(LiveCommand::Play(Pace::Turn));
    let (mut public, mut thinking) = (String::new(), String::new());
    loop {
        match live.next_event().await.unwrap() {
            LiveEvent::Delta {
                kind: DeltaKind::Public,
                text,
                ..
            } => public.push_str(&text),
            LiveEvent::Delta {
                kind: DeltaKind::Thinking,
                text,
                ..
            } => thinking.push_str(&text),
            LiveEvent::WasThinking { .. } => thinking.push_str(&std::mem::take(&mut public)),
            LiveEvent::Happened(record) if matches!(record.event, Event::Replied(_)) => break,
            _ => {}
        }
    }
    let said = &live
        .state
        .chosen_attempt(&super::harness::turn("r1.answer.debater-0"))
        .unwrap()
        .1
        .reply;
    assert!(said.text.starts_with(public.trim()), "{public}");
    assert!(!public.contains("wonder"), "{public}");
    assert_eq!(
        said.thinking.as_deref().map(str::trim),
        Some("I wonder what they want")
    );
    live.rest().await;
    live.close().await;
}
