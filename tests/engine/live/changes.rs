//! Messages, turns and choices that somebody changes, and what may no longer be changed.

use super::kit::{
    Bench, DUEL, Heard, SEED, SOLO, attempt, by_person, contents, model, polite, sent, sources,
    step, turn,
};
use crate::support::{Answer, Barrier, Seen, Server};
use elenchus::debate::Event;
use elenchus::debate::chance::draw;
use elenchus::debate::view::Source;
use elenchus::driver::live::{MAX_REROLLS, Order, Pace, Rest};
use sha2::{Digest, Sha256};
use std::collections::BTreeSet;
use std::sync::Arc;

const ADA: &str = "r1.answer.debater-0";
const SPEAK: &str = "speak r1.answer.debater-0#0";

/// The seed that a server is sent for an attempt of ada's first turn.
fn seed_of(attempt: u32) -> u64 {
    let number = attempt.to_string();
    let place = ["sampling", "t", "1", "debater", "0", "answer", &number];
    draw(SEED, &place) & 0x7fff_ffff
}

/// The hash of what a server was sent, without what only chooses the transport.
fn hash(seen: &Seen) -> String {
    let mut body = seen.body.clone();
    let fields = body.as_object_mut().unwrap();
    fields.remove("stream");
    fields.remove("stream_options");
    let digest = Sha256::digest(body.to_string().as_bytes());
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn changed_messages_are_sent_as_they_are_and_say_what_a_person_changed() {
    let server = Server::start(polite);
    let bench = Bench::facing(&server);
    let mut hand = bench.take(&SOLO).await;
    assert_eq!(hand.play(Pace::Round).await, Rest::Held);
    let second = "speak r2.answer.debater-0#0";
    let mut messages = hand.preview(second).messages;
    let before = sources(&messages);
    let parts = messages.iter_mut().flat_map(|message| &mut message.parts);
    let mut places = parts.enumerate();
    let (at, topic) = places.find(|(_, part)| part.from == Source::Topic).unwrap();
    // Whoever changes it need not say so.
    topic.text = Some("What is a lock made of?".to_owned());
    let wanted = contents(&messages);
    let order = Order::Send {
        step: step(second),
        messages,
    };
    assert_eq!(hand.after(order).await, Rest::Held);

    let requests = server.requests();
    let seen = requests.last().unwrap();
    assert_eq!(sent(seen), wanted);
    let (_, said) = hand.state.chosen(&turn("r2.answer.debater-0")).unwrap();
    let view = said.view.clone().unwrap();
    assert_eq!(view.request_sha256, hash(seen));
    let mut changed = before;
    changed[at] = Source::Person;
    assert_eq!(sources(&view.messages), changed);
    let mut parts = view.messages.iter().flat_map(|message| &message.parts);
    assert!(parts.any(|part| part.text.as_deref() == Some("What is a lock made of?")));
    // What the session holds elsewhere is still only referred to.
    let own = |from: &Source| matches!(from, Source::Turn(_));
    let mut parts = view.messages.iter().flat_map(|message| &message.parts);
    assert!(parts.any(|part| own(&part.from) && part.text.is_none()));
    // Nothing went on beside it, and the next one is what it would have been.
    assert_eq!(hand.verdicts(), 1);
    assert!(matches!(hand.play(Pace::End).await, Rest::Done(_)));
    hand.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn messages_cannot_be_sent_for_what_is_not_open_or_is_in_flight() {
    let gate = Barrier::of(2);
    let held = Arc::clone(&gate);
    let server = Server::start(move |seen| polite(seen).behind(&held));
    let bench = Bench::facing(&server);
    let mut hand = bench.take(&SOLO).await;
    let messages = hand.preview(SPEAK).messages;
    let send = |id: &str| Order::Send {
        step: step(id),
        messages: messages.clone(),
    };
    let why = hand
        .refused_at_rest(send("speak r2.answer.debater-0#0"))
        .await;
    assert!(why.contains("not open"), "{why}");
    let none = Order::Send {
        step: step(SPEAK),
        messages: Vec::new(),
    };
    let why = hand.refused_at_rest(none).await;
    assert!(why.contains("no messages"), "{why}");
    hand.order(send(SPEAK));
    hand.began(1).await;
    let why = hand.refused(send(SPEAK)).await;
    assert!(why.contains("in flight"), "{why}");
    gate.meet();
    assert_eq!(hand.rest().await, Rest::Held);
    assert_eq!(server.requests().len(), 1);
    hand.close().await;
}

/// Four attempts side by side: the first comes last, the second fails.
fn four(together: &Arc<Barrier>, late: &Arc<Barrier>) -> Server {
    let (together, late) = (Arc::clone(together), Arc::clone(late));
    Server::start(move |seen| {
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
    let bench = Bench::facing(&server);
    let mut hand = bench.take(&SOLO).await;
    assert_eq!(hand.send_as_it_is(SPEAK).await, Rest::Held);
    hand.order(Order::Reroll {
        turn: turn(ADA),
        attempts: 4,
    });
    hand.until(|heard| matches!(heard, Heard::Happened(Event::Failed(_))))
        .await;
    server.wait_until("the others are answered", |log| log.in_flight == 1);
    assert_eq!(hand.texts(ADA), ["I, ada, say this."]);
    // The judge of the turn waits for the attempt that will count.
    hand.order(Order::Play(Pace::Round));
    late.meet();
    assert_eq!(hand.rest().await, Rest::Held);

    assert_eq!((together.met(), together.broken()), (1, false));
    assert_eq!(
        hand.texts(ADA),
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
    assert!(hand.state.failures().is_empty());
    assert_eq!(hand.state.spend().failures, 1);
    assert_eq!(hand.state.calls_without_outcome().count(), 0);
    // Its verdict is on the newest.
    let guard = requests.last().unwrap();
    assert_eq!(model(guard), "guard");
    assert!(guard.text().contains("Attempt 4."));
    hand.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_attempt_that_is_chosen_is_the_one_that_is_read_and_fixed_once_it_was() {
    let (together, late) = (Barrier::of(4), Barrier::of(1));
    let server = four(&together, &late);
    let bench = Bench::facing(&server);
    let mut hand = bench.take(&SOLO).await;
    hand.send_as_it_is(SPEAK).await;
    let reroll = |attempts| Order::Reroll {
        turn: turn(ADA),
        attempts,
    };
    assert_eq!(hand.after(reroll(4)).await, Rest::Held);
    assert_eq!(hand.after(Order::Choose(attempt(ADA, 2))).await, Rest::Held);
    let (chosen, said) = hand.state.chosen(&turn(ADA)).unwrap();
    assert_eq!(
        (chosen.attempt, said.reply.text.as_str()),
        (2, "Attempt 3.")
    );
    assert_eq!(hand.play(Pace::Round).await, Rest::Held);
    let requests = server.requests();
    let guard = requests.last().unwrap();
    assert!(guard.text().contains("Attempt 3."), "{}", guard.text());

    for order in [
        reroll(1),
        Order::Choose(attempt(ADA, 1)),
        Order::Edit {
            turn: turn(ADA),
            text: "Something else.".to_owned(),
        },
    ] {
        let why = hand.refused_at_rest(order).await;
        assert!(why.contains("the verdict 'safety'"), "{why}");
        assert!(why.contains("fork"), "{why}");
    }
    let why = hand.refused_at_rest(reroll(MAX_REROLLS + 1)).await;
    assert!(why.contains("1 to 16"), "{why}");
    hand.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn numbers_of_calls_for_fresh_attempts_are_used_once() {
    let (together, late) = (Barrier::of(1), Barrier::of(1));
    let server = four(&together, &late);
    let bench = Bench::facing(&server);
    let mut hand = bench.take(&SOLO).await;
    hand.send_as_it_is(SPEAK).await;
    let again = || Order::Reroll {
        turn: turn(ADA),
        attempts: 2,
    };
    // The second call fails, and its number is not given to the next one.
    hand.after(again()).await;
    hand.after(again()).await;
    assert_eq!(
        hand.texts(ADA),
        [
            "I, ada, say this.",
            "Attempt 1.",
            "Attempt 3.",
            "Attempt 4."
        ]
    );
    hand.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_edited_turn_is_what_the_others_read() {
    let server = Server::start(polite);
    let bench = Bench::facing(&server);
    let mut hand = bench.take(&SOLO).await;
    hand.send_as_it_is(SPEAK).await;
    let edit = Order::Edit {
        turn: turn(ADA),
        text: "A person says this.".to_owned(),
    };
    assert_eq!(hand.after(edit).await, Rest::Held);
    assert_eq!(hand.play(Pace::Round).await, Rest::Held);
    assert!(matches!(hand.play(Pace::Turn).await, Rest::Done(_)));
    let requests = server.requests();
    for seen in &requests[1..] {
        assert!(!seen.text().contains("I, ada, say this.") || model(seen) == "guard");
    }
    assert!(requests[1].text().contains("A person says this."));
    assert!(requests[2].text().contains("A person says this."));
    let state = hand.close().await;
    let (_, said) = state.chosen(&turn(ADA)).unwrap();
    assert!(said.edited && by_person(&said.by));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_turn_that_is_being_read_is_not_changed_until_its_reader_is_stopped() {
    let server = Server::start(|seen| match model(seen) {
        "guard" => Answer::stall(),
        _ => polite(seen),
    });
    let bench = Bench::facing(&server);
    let mut hand = bench.take(&DUEL).await;
    hand.send_as_it_is(SPEAK).await;
    // The verdict on ada's turn goes on beside ben's.
    hand.order(Order::Play(Pace::Turn));
    hand.began(3).await;
    let edit = || Order::Edit {
        turn: turn(ADA),
        text: "A person says this.".to_owned(),
    };
    let judge = |at: &str| format!("judge safety evaluator-0 {at}#0");
    let why = hand.refused(edit()).await;
    assert!(why.contains(&judge(ADA)), "{why}");
    for at in [ADA, "r1.answer.debater-1"] {
        hand.order(Order::StopCall(step(&judge(at))));
    }
    assert_eq!(hand.rest().await, Rest::Held);
    assert_eq!(hand.after(edit()).await, Rest::Held);
    let state = hand.close().await;
    let (chosen, said) = state.chosen(&turn(ADA)).unwrap();
    assert_eq!((chosen.attempt, said.edited), (1, true));
    // What was stopped still counts.
    assert_eq!(state.spend().in_doubt_calls, 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_not_spoken_can_neither_be_re_rolled_nor_edited() {
    let bench = Bench::simulated();
    let game = super::kit::Setting {
        protocol: "pred",
        ..Default::default()
    };
    let mut hand = bench.take(&game).await;
    let reroll = Order::Reroll {
        turn: turn(ADA),
        attempts: 1,
    };
    let edit = Order::Edit {
        turn: turn(ADA),
        text: "x".to_owned(),
    };
    let empty = Order::Edit {
        turn: turn(ADA),
        text: "  ".to_owned(),
    };
    for (order, wanted) in [
        (reroll, "play it first"),
        (edit, "not spoken yet"),
        (empty, "no text"),
        (Order::Choose(attempt(ADA, 0)), "there is no attempt"),
        (Order::Retry, "nothing failed"),
    ] {
        let why = hand.refused_at_rest(order).await;
        assert!(why.contains(wanted), "{why}");
    }
    assert_eq!(hand.close().await.events(), 1);
}
