//! Replies that end before they are whole: the words are kept, shown, and never part of the game.

use super::harness::{
    LiveSession, LiveStore, Observed, SOLO, attempt, model, step, substance, turn,
};
use crate::engine::cost::Budget;
use crate::engine::live::{IdleReason, LiveCommand, Pace};
use elenchus_game::debate::event::{Event, Record, StopReason, Stopped};
use elenchus_game::debate::{SessionId, State};
use elenchus_records::workspace::{Reopen, fork_point};
use elenchus_test_support::Answer;
use elenchus_test_support::answer::{Step, event, usage};
use elenchus_test_support::server::{ChatRequest, ChatServer};
use serde_json::json;

const ADA: &str = "speak r1.answer.debater-0#0";

/// Reasoning, then words, and the stream stays open.
fn half(text: &str) -> Answer {
    let thought = event(&json!({"reasoning_content": "Let me think."}));
    let words = text.split_inclusive(' ');
    let words = words.map(|word| event(&json!({"content": word})));
    Answer::sse_open(std::iter::once(thought).chain(words))
}

/// What every seat answers unless a test wants something else. There is harm, so there is a lesson.
fn polite(seen: &ChatRequest) -> Answer {
    match model(seen) {
        "guard" => Answer::chat(&seen.with_mark("This adds to harm.\nVERDICT: unsafe")),
        _ => super::harness::polite(seen),
    }
}

/// The first request to this model gets `first`, all others what is usual.
fn first_of(name: &'static str, first: Answer) -> ChatServer {
    let is_asked = std::sync::atomic::AtomicBool::new(false);
    ChatServer::start(move |seen: &ChatRequest| {
        let is_first =
            model(seen) == name && !is_asked.swap(true, std::sync::atomic::Ordering::SeqCst);
        match is_first {
            true => first.clone(),
            false => polite(seen),
        }
    })
}

fn stopped(live: &LiveSession) -> Vec<Stopped> {
    let replies = live.state.stopped_replies().iter();
    replies.map(|stopped| stopped.reply.clone()).collect()
}

/// Waits until text of the call has come.
async fn text_comes(live: &mut LiveSession) {
    live.until(|heard| {
        matches!(
            heard,
            Observed::Delta(crate::engine::live::DeltaKind::Public, _)
        )
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reply_that_a_person_stops_keeps_its_words_and_its_turn_stays_open() {
    let server = first_of("ada", half("Half a thought ").then(Step::Stall));
    let store = LiveStore::facing(&server);
    let mut live = store.take(&SOLO).await;
    live.order(LiveCommand::Play(Pace::Turn));
    text_comes(&mut live).await;
    let reserved = live.state.committed_tokens();
    live.order(LiveCommand::StopCall(step(ADA)));
    assert_eq!(live.rest().await, IdleReason::Held);
    let [kept] = &stopped(&live)[..] else {
        panic!("{:?}", live.state.stopped_replies());
    };
    assert_eq!(kept.step, step(ADA));
    assert_eq!(kept.reason, StopReason::Person);
    assert!(!kept.text.is_empty() && "Half a thought ".starts_with(&kept.text));
    assert_eq!(kept.thinking.as_deref(), Some("Let me think."));
    assert_eq!((kept.usage, kept.may_have_cost_usd), (None, None));
    // It counts at its worst case, once.
    assert_eq!(
        kept.may_have_used_tokens,
        Some(live.state.committed_tokens())
    );
    assert!(reserved <= live.state.committed_tokens());
    assert_eq!(live.state.calls_without_outcome().count(), 0);
    assert_eq!((live.turns(), live.state.committed_calls()), (0, 1));
    assert_eq!(live.state.spend().calls, 0);
    live.open_step(ADA);

    assert_eq!(
        live.play(Pace::End).await,
        IdleReason::Done(elenchus_game::debate::EndReason::Complete)
    );
    assert_eq!(live.texts("r1.answer.debater-0"), ["I, ada, say this."]);
    assert_eq!(stopped(&live).len(), 1);
    for seen in server.requests() {
        assert!(!seen.text().contains("Half a"), "nobody is shown it");
    }
    live.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn usage_that_the_server_reported_counts_instead_of_the_worst_case() {
    let told = half("Half a thought ");
    let told = told.then(Step::Chunk(usage(200, 7).into_bytes()));
    let more = event(&json!({"content": "more"})).into_bytes();
    let server = first_of("ada", told.then(Step::Chunk(more)).then(Step::Stall));
    let store = LiveStore::priced(&server, "ada");
    let mut live = store.take(&SOLO).await;
    live.order(LiveCommand::Play(Pace::Turn));
    live.until(|heard| matches!(heard, Observed::Delta(_, text) if text.contains("more")))
        .await;
    live.order(LiveCommand::StopCall(step(ADA)));
    live.rest().await;
    let kept = &stopped(&live)[0];
    let usage = kept.usage.unwrap();
    assert_eq!((usage.input_tokens, usage.output_tokens), (200, 7));
    assert_eq!(kept.may_have_used_tokens, Some(207));
    assert_eq!(live.state.committed_tokens(), 207);
    assert!((live.state.committed_usd() - 207e-6).abs() < 1e-12);
    live.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_try_that_broke_off_keeps_its_words_beside_the_retry_that_counts_it() {
    for (end, reason) in [
        (Step::Cut, StopReason::ConnectionLost),
        (Step::EndChunks, StopReason::StreamCut),
    ] {
        let server = first_of("ada", half("This breaks off ").then(end));
        let store = LiveStore::facing(&server);
        let mut live = store.take(&SOLO).await;
        live.order(LiveCommand::Play(Pace::Turn));
        let heard = live
            .until(|heard| matches!(heard, Observed::Happened(Event::Replied(_))))
            .await;
        let kind = |one: &Observed| match one {
            Observed::Happened(Event::Stopped(_)) => Some("stopped"),
            Observed::Happened(Event::CallRetried { .. }) => Some("retried"),
            Observed::Happened(Event::Replied(_)) => Some("replied"),
            _ => None,
        };
        let kinds: Vec<_> = heard.iter().filter_map(kind).collect();
        assert_eq!(kinds, ["stopped", "retried", "replied"]);
        live.rest().await;
        let [kept] = &stopped(&live)[..] else {
            panic!("{reason:?}");
        };
        assert_eq!(
            (kept.reason, kept.text.as_str()),
            (reason, "This breaks off ")
        );
        let spend = live.state.spend();
        assert_eq!(Some(spend.in_doubt_tokens), kept.may_have_used_tokens);
        assert_eq!((spend.in_doubt_calls, spend.failed_tries), (0, 1));
        assert_eq!(live.texts("r1.answer.debater-0"), ["I, ada, say this."]);
        live.close().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_judge_and_a_lesson_keep_their_words_too() {
    for (name, call) in [
        ("guard", "judge safety evaluator-0 r1.answer.debater-0#0"),
        ("teacher", "feedback"),
    ] {
        let server = first_of(
            name,
            half("Halfway VERDICT: safe as far as ").then(Step::Stall),
        );
        let store = LiveStore::facing(&server);
        let mut live = store.take(&SOLO).await;
        live.order(LiveCommand::Play(Pace::End));
        let words =
            |one: &Observed| matches!(one, Observed::Delta(_, text) if text.contains("Halfway"));
        live.until(words).await;
        live.order(LiveCommand::StopCall(step(call)));
        live.rest().await;
        let kept = &stopped(&live)[0];
        assert_eq!(kept.step, step(call), "{name}");
        let found = live
            .state
            .verdicts()
            .flat_map(|(_, _, found)| found.values());
        let labels =
            found.filter_map(|verdict| verdict.outcome.as_ref()?.label().map(str::to_owned));
        assert!(
            labels
                .collect::<Vec<_>>()
                .iter()
                .all(|label| label == "unsafe")
        );
        assert!(live.state.lesson().is_none());
        live.play(Pace::End).await;
        assert_eq!(
            live.state.find_open_steps().done,
            Some(elenchus_game::debate::EndReason::Complete)
        );
        live.close().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_fresh_attempt_that_is_stopped_takes_no_index() {
    let asked = std::sync::atomic::AtomicU32::new(0);
    let server = ChatServer::start(move |seen| {
        let is_ada = model(seen) == "ada";
        match is_ada && asked.fetch_add(1, std::sync::atomic::Ordering::SeqCst) == 1 {
            true => half("Another half ").then(Step::Stall),
            false => polite(seen),
        }
    });
    let store = LiveStore::facing(&server);
    let mut live = store.take(&SOLO).await;
    // Alone, so that nothing has seen the turn.
    live.send_as_it_is(ADA).await;
    live.order(LiveCommand::Reroll {
        turn: turn("r1.answer.debater-0"),
        attempts: 1,
    });
    text_comes(&mut live).await;
    let call = elenchus_game::debate::StepId::from_reroll(&attempt("r1.answer.debater-0", 1));
    live.order(LiveCommand::StopCall(call.clone()));
    live.rest().await;
    assert_eq!(stopped(&live)[0].step, call);
    assert_eq!(live.texts("r1.answer.debater-0"), ["I, ada, say this."]);
    live.play(Pace::Turn).await;
    live.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_fork_before_and_after_a_stopped_reply_is_played_as_ever() {
    let server = first_of("ada", half("Half a thought ").then(Step::Stall));
    let store = LiveStore::facing(&server);
    let mut live = store.take(&SOLO).await;
    live.order(LiveCommand::Play(Pace::Turn));
    text_comes(&mut live).await;
    live.order(LiveCommand::StopCall(step(ADA)));
    live.rest().await;
    live.play(Pace::End).await;
    let id = live.id();
    let whole = live.close().await;
    let records = store.records(&id);
    let first = turn("r1.answer.debater-0");
    for (reopen, has_it) in [
        (Reopen::Turn(first.clone()), true),
        (Reopen::After(first), true),
        (Reopen::Lesson, true),
        (Reopen::Nothing, true),
    ] {
        let point = fork_point(&records, &reopen).unwrap();
        let kept = forked(&records, point.lines);
        assert_eq!(
            kept.stopped_replies().iter().any(|reply| reply.inherited),
            has_it
        );
        assert_eq!(
            kept.spend(),
            State::default().spend(),
            "a fork counts its own calls"
        );
    }
    let before = records
        .iter()
        .position(|record| matches!(record.event, Event::Stopped(_)));
    let kept = forked(&records, before.unwrap() as u64);
    assert!(kept.stopped_replies().is_empty());
    assert!(
        kept.find_open_steps()
            .steps
            .iter()
            .any(|open| open.id() == step(ADA))
    );
    assert_eq!(whole.stopped_replies().len(), 1);
}

fn forked(records: &[Record], lines: u64) -> State {
    let mut kept = records[..usize::try_from(lines).unwrap()].to_vec();
    kept.push(Record {
        event: Event::Forked {
            parent: SessionId::new("parent"),
            parent_head: String::new(),
            session: None,
        },
        ..kept[0].clone()
    });
    State::from_records(&kept).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_with_a_stopped_reply_comes_to_the_same_as_one_without() {
    let quiet = ChatServer::start(polite);
    let without = LiveStore::facing(&quiet).alone(&SOLO).await;
    let server = first_of("ada", half("Half a thought ").then(Step::Stall));
    let store = LiveStore::facing(&server);
    let mut live = store.take(&SOLO).await;
    live.order(LiveCommand::Play(Pace::End));
    text_comes(&mut live).await;
    live.order(LiveCommand::StopCall(step(ADA)));
    live.rest().await;
    let id = live.id();
    live.close().await;
    let again = store.again(&id);
    let mut live = store.hold(again, Budget::default()).await;
    live.play(Pace::End).await;
    let (turns, verdicts, _) = substance(&live.close().await);
    let (expected_turns, expected_verdicts, _) = substance(&without);
    assert_eq!((turns, verdicts), (expected_turns, expected_verdicts));
}
