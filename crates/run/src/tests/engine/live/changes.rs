//! Changes by a person: messages, turns and choices; and changes that are no longer possible.

use super::harness::{
    DUEL, LiveStore, Observed, SEED, SOLO, attempt, by_person, contents, model, polite, sent,
    sources, step, turn,
};
use crate::engine::live::{IdleReason, LiveCommand, MAX_REROLLS, Pace};
use elenchus_game::debate::Event;
use elenchus_game::debate::seeded_random::seeded_number;
use elenchus_game::debate::view::PartSource;
use elenchus_test_support::{Answer, Barrier, ChatRequest, ChatServer};
use sha2::{Digest, Sha256};
use std::collections::BTreeSet;
use std::sync::Arc;

const ADA: &str = "r1.answer.debater-0";
const SPEAK: &str = "speak r1.answer.debater-0#0";

/// The seed that a server is sent for an attempt of ada's first turn.
fn seed_of(attempt: u32) -> u64 {
    let number = attempt.to_string();
    let place = ["sampling", "t", "1", "debater", "0", "answer", &number];
    seeded_number(SEED, &place) & 0x7fff_ffff
}

/// The hash of what a server was sent, without what only chooses the transport.
fn hash(seen: &ChatRequest) -> String {
    let mut body = seen.body.clone();
    let fields = body.as_object_mut().unwrap();
    fields.remove("stream");
    fields.remove("stream_options");
    let digest = Sha256::digest(body.to_string().as_bytes());
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn changed_messages_are_sent_as_they_are_and_say_what_a_person_changed() {
    let server = ChatServer::start(polite);
    let store = LiveStore::facing(&server);
    let mut live = store.take(&SOLO).await;
    assert_eq!(live.play(Pace::Round).await, IdleReason::Held);
    let second = "speak r2.answer.debater-0#0";
    let mut messages = live.preview(second).messages;
    let before = sources(&messages);
    let parts = messages.iter_mut().flat_map(|message| &mut message.parts);
    let mut places = parts.enumerate();
    let (at, topic) = places
        .find(|(_, part)| part.from == PartSource::Topic)
        .unwrap();
    // Whoever changes it need not say so.
    topic.text = Some("What is a lock made of?".to_owned());
    let wanted = contents(&messages);
    let order = LiveCommand::Send {
        step: step(second),
        messages,
    };
    assert_eq!(live.after(order).await, IdleReason::Held);

    let requests = server.requests();
    let seen = requests.last().unwrap();
    assert_eq!(sent(seen), wanted);
    let (_, said) = live
        .state
        .chosen_attempt(&turn("r2.answer.debater-0"))
        .unwrap();
    let view = live.state.view_at(said.view.unwrap());
    assert_eq!(view.request_sha256, hash(seen));
    let mut changed = before;
    changed[at] = PartSource::Person;
    assert_eq!(sources(&view.messages), changed);
    let mut parts = view.messages.iter().flat_map(|message| &message.parts);
    assert!(parts.any(|part| part.text.as_deref() == Some("What is a lock made of?")));
    // What the session holds elsewhere is still only referred to.
    let own = |from: &PartSource| matches!(from, PartSource::Turn(_));
    let mut parts = view.messages.iter().flat_map(|message| &message.parts);
    assert!(parts.any(|part| own(&part.from) && part.text.is_none()));
    // Nothing went on beside it, and the next one is what it would have been.
    assert_eq!(live.verdicts(), 1);
    assert!(matches!(live.play(Pace::End).await, IdleReason::Done(_)));
    live.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn messages_cannot_be_sent_for_what_is_not_open_or_is_in_flight() {
    let gate = Barrier::of(2);
    let held = Arc::clone(&gate);
    let server = ChatServer::start(move |seen| polite(seen).behind(&held));
    let store = LiveStore::facing(&server);
    let mut live = store.take(&SOLO).await;
    let messages = live.preview(SPEAK).messages;
    let send = |id: &str| LiveCommand::Send {
        step: step(id),
        messages: messages.clone(),
    };
    let why = live
        .refused_at_rest(send("speak r2.answer.debater-0#0"))
        .await;
    assert!(why.contains("not open"), "{why}");
    let none = LiveCommand::Send {
        step: step(SPEAK),
        messages: Vec::new(),
    };
    let why = live.refused_at_rest(none).await;
    assert!(why.contains("no messages"), "{why}");
    live.order(send(SPEAK));
    live.began(1).await;
    let why = live.refused(send(SPEAK)).await;
    assert!(why.contains("in flight"), "{why}");
    gate.meet();
    assert_eq!(live.rest().await, IdleReason::Held);
    assert_eq!(server.requests().len(), 1);
    live.close().await;
}

/// Four attempts side by side: the first comes last, the second fails.
fn four(together: &Arc<Barrier>, late: &Arc<Barrier>) -> ChatServer {
    let (together, late) = (Arc::clone(together), Arc::clone(late));
    ChatServer::start(move |seen| {
        let seed = seen.body["seed"].as_u64();
        let number = (1..=4).find(|number| seed == Some(seed_of(*number)));
        let answer = match (model(seen), number) {
            ("ada", Some(2)) => Answer::error(400, "bad_request", "not this one"),
            ("ada", Some(1)) => Answer::chat("Attempt 1.").behind(&late),
            ("ada", Some(number)) => Answer::chat(&format!("Attempt {number}.")),
            _ => return polite(seen),
        };
        answer.behind(&together)
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn fresh_attempts_go_side_by_side_and_one_that_fails_holds_up_nothing() {
    let (together, late) = (Barrier::of(4), Barrier::of(2));
    let server = four(&together, &late);
    let store = LiveStore::facing(&server);
    let mut live = store.take(&SOLO).await;
    assert_eq!(live.send_as_it_is(SPEAK).await, IdleReason::Held);
    live.order(LiveCommand::Reroll {
        turn: turn(ADA),
        attempts: 4,
    });
    live.until(|heard| matches!(heard, Observed::Happened(Event::Failed(_))))
        .await;
    server.wait_until("the others are answered", |log| log.in_flight == 1);
    assert_eq!(live.texts(ADA), ["I, ada, say this."]);
    // The judge of the turn waits for the attempt that will count.
    live.order(LiveCommand::Play(Pace::Round));
    late.meet();
    assert_eq!(live.rest().await, IdleReason::Held);

    assert_eq!((together.met(), together.broken()), (1, false));
    assert_eq!(
        live.texts(ADA),
        [
            "I, ada, say this.",
            "Attempt 1.",
            "Attempt 3.",
            "Attempt 4."
        ]
    );
    let requests = server.requests();
    let own = requests.iter().filter(|seen| model(seen) == "ada");
    let seeds: BTreeSet<_> = own.map(|seen| seen.body["seed"].as_u64()).collect();
    assert_eq!(seeds.len(), 5);
    assert!(live.state.failures().is_empty());
    assert_eq!(live.state.spend().failures, 1);
    assert_eq!(live.state.calls_without_outcome().count(), 0);
    // Its verdict is on the newest.
    let guard = requests.last().unwrap();
    assert_eq!(model(guard), "guard");
    assert!(guard.text().contains("Attempt 4."));
    live.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_attempt_that_is_chosen_is_the_one_that_is_read_and_fixed_once_it_was() {
    let (together, late) = (Barrier::of(4), Barrier::of(1));
    let server = four(&together, &late);
    let store = LiveStore::facing(&server);
    let mut live = store.take(&SOLO).await;
    live.send_as_it_is(SPEAK).await;
    let reroll = |attempts| LiveCommand::Reroll {
        turn: turn(ADA),
        attempts,
    };
    assert_eq!(live.after(reroll(4)).await, IdleReason::Held);
    assert_eq!(
        live.after(LiveCommand::Choose(attempt(ADA, 2))).await,
        IdleReason::Held
    );
    let (chosen, said) = live.state.chosen_attempt(&turn(ADA)).unwrap();
    assert_eq!(
        (chosen.attempt, said.reply.text.as_str()),
        (2, "Attempt 3.")
    );
    assert_eq!(live.play(Pace::Round).await, IdleReason::Held);
    let requests = server.requests();
    let guard = requests.last().unwrap();
    assert!(guard.text().contains("Attempt 3."), "{}", guard.text());

    for order in [
        reroll(1),
        LiveCommand::Choose(attempt(ADA, 1)),
        LiveCommand::Edit {
            turn: turn(ADA),
            text: "Something else.".to_owned(),
        },
    ] {
        let why = live.refused_at_rest(order).await;
        assert!(why.contains("the verdict 'safety'"), "{why}");
        assert!(why.contains("fork"), "{why}");
    }
    let why = live.refused_at_rest(reroll(MAX_REROLLS + 1)).await;
    assert!(why.contains("1 to 16"), "{why}");
    live.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn numbers_of_calls_for_fresh_attempts_are_used_once() {
    let (together, late) = (Barrier::of(1), Barrier::of(1));
    let server = four(&together, &late);
    let store = LiveStore::facing(&server);
    let mut live = store.take(&SOLO).await;
    live.send_as_it_is(SPEAK).await;
    let again = || LiveCommand::Reroll {
        turn: turn(ADA),
        attempts: 2,
    };
    // The second call fails, and its number is not given to the next one.
    live.after(again()).await;
    live.after(again()).await;
    assert_eq!(
        live.texts(ADA),
        [
            "I, ada, say this.",
            "Attempt 1.",
            "Attempt 3.",
            "Attempt 4."
        ]
    );
    live.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_edited_turn_is_what_the_others_read() {
    let server = ChatServer::start(polite);
    let store = LiveStore::facing(&server);
    let mut live = store.take(&SOLO).await;
    live.send_as_it_is(SPEAK).await;
    let edit = LiveCommand::Edit {
        turn: turn(ADA),
        text: "A person says this.".to_owned(),
    };
    assert_eq!(live.after(edit).await, IdleReason::Held);
    assert_eq!(live.play(Pace::Round).await, IdleReason::Held);
    assert!(matches!(live.play(Pace::Turn).await, IdleReason::Done(_)));
    let requests = server.requests();
    for seen in &requests[1..] {
        assert!(!seen.text().contains("I, ada, say this.") || model(seen) == "guard");
    }
    assert!(requests[1].text().contains("A person says this."));
    assert!(requests[2].text().contains("A person says this."));
    let state = live.close().await;
    let (_, said) = state.chosen_attempt(&turn(ADA)).unwrap();
    assert!(said.edited && by_person(&said.by));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_turn_that_is_being_read_is_not_changed_until_its_reader_is_stopped() {
    let server = ChatServer::start(|seen| match model(seen) {
        "guard" => Answer::stall(),
        _ => polite(seen),
    });
    let store = LiveStore::facing(&server);
    let mut live = store.take(&DUEL).await;
    live.send_as_it_is(SPEAK).await;
    // The verdict on ada's turn goes on beside ben's.
    live.order(LiveCommand::Play(Pace::Turn));
    live.began(3).await;
    let edit = || LiveCommand::Edit {
        turn: turn(ADA),
        text: "A person says this.".to_owned(),
    };
    let judge = |at: &str| format!("judge safety evaluator-0 {at}#0");
    let why = live.refused(edit()).await;
    assert!(why.contains(&judge(ADA)), "{why}");
    for at in [ADA, "r1.answer.debater-1"] {
        live.order(LiveCommand::StopCall(step(&judge(at))));
    }
    assert_eq!(live.rest().await, IdleReason::Held);
    assert_eq!(live.after(edit()).await, IdleReason::Held);
    let state = live.close().await;
    let (chosen, said) = state.chosen_attempt(&turn(ADA)).unwrap();
    assert_eq!((chosen.attempt, said.edited), (1, true));
    // What was stopped still counts.
    assert_eq!(state.spend().in_doubt_calls, 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_not_spoken_can_neither_be_re_rolled_nor_edited() {
    let store = LiveStore::simulated();
    let game = super::harness::DebateSetup {
        protocol: "pred",
        ..Default::default()
    };
    let mut live = store.take(&game).await;
    let reroll = LiveCommand::Reroll {
        turn: turn(ADA),
        attempts: 1,
    };
    let edit = LiveCommand::Edit {
        turn: turn(ADA),
        text: "x".to_owned(),
    };
    let empty = LiveCommand::Edit {
        turn: turn(ADA),
        text: "  ".to_owned(),
    };
    for (order, wanted) in [
        (reroll, "play it first"),
        (edit, "not spoken yet"),
        (empty, "no text"),
        (LiveCommand::Choose(attempt(ADA, 0)), "there is no attempt"),
        (LiveCommand::Retry, "nothing failed"),
    ] {
        let why = live.refused_at_rest(order).await;
        assert!(why.contains(wanted), "{why}");
    }
    assert_eq!(live.close().await.event_count(), 1);
}
