//! People on seats of their own, and on seats of models.

use super::kit::{Bench, DUEL, Heard, SOLO, Setting, by_person, model, polite, step, turn};
use crate::support::{Answer, Server};
use elenchus::debate::Event;
use elenchus::driver::live::{Order, Pace, Rest, Tiding};

const ADA: &str = "speak r1.answer.debater-0#0";
const BEN: &str = "speak r1.answer.debater-1#0";

fn answer(id: &str, text: &str) -> Order {
    Order::Answer {
        step: step(id),
        text: text.to_owned(),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_seat_of_a_person_asks_and_waits_while_the_others_go_on() {
    let server = Server::start(polite);
    let bench = Bench::facing(&server);
    let game = Setting {
        cast: &[
            ("debater", &["ada", "human"]),
            ("evaluator", &["human:bo"]),
            ("feedback", &["human"]),
        ],
        ..DUEL
    };
    let mut hand = bench.take(&game).await;
    hand.order(Order::Play(Pace::End));
    let question = loop {
        match hand.tiding().await.unwrap() {
            Tiding::Asks(question, id) if id == step(BEN) => break question,
            _ => {}
        }
    };
    let shown = super::kit::contents(&question.view.messages).join("\n");
    assert!(shown.contains(super::kit::TOPIC), "{shown}");
    let judge = |at: u32| format!("judge safety evaluator-0 r1.answer.debater-{at}#0");
    let waits = |ids: &[&str]| Rest::Waits(ids.iter().map(|id| step(id)).collect());
    assert_eq!(hand.rest().await, waits(&[&judge(0), BEN]));

    assert_eq!(
        hand.after(answer(BEN, "I say so.")).await,
        waits(&[&judge(0), &judge(1)])
    );
    assert_eq!(
        hand.after(answer(&judge(0), "VERDICT: safe")).await,
        waits(&[&judge(1)])
    );
    assert_eq!(
        hand.after(answer(&judge(1), "VERDICT: unsafe")).await,
        waits(&["feedback"])
    );
    let done = hand.after(answer("feedback", "Ask why.")).await;
    assert!(matches!(done, Rest::Done(_)), "{done:?}");
    let state = hand.close().await;
    let (_, said) = state.chosen(&turn("r1.answer.debater-1")).unwrap();
    assert_eq!(said.reply.text, "I say so.");
    assert!(by_person(&said.by));
    let judges: Vec<String> = (state.verdicts())
        .flat_map(|(_, _, found)| found.values())
        .map(|verdict| verdict.by.to_string())
        .collect();
    assert_eq!(judges, ["person:bo", "person:bo"]);
    assert_eq!(server.requests().len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_person_takes_over_a_turn_whose_model_is_being_asked() {
    let server = Server::start(|seen| match model(seen) {
        "ada" => Answer::stall(),
        _ => polite(seen),
    });
    let bench = Bench::facing(&server);
    let mut hand = bench.take(&DUEL).await;
    hand.order(Order::Play(Pace::Stage));
    hand.began(2).await;
    server.wait_until("both are asked", |log| log.requests.len() >= 2);
    hand.order(answer(ADA, "I speak for ada."));
    assert!(matches!(hand.rest().await, Rest::Done(_)));
    server.wait_until("the client hangs up", |log| log.hung_up == 1);
    let state = hand.close().await;
    let (_, said) = state.chosen(&turn("r1.answer.debater-0")).unwrap();
    assert_eq!(said.reply.text, "I speak for ada.");
    assert!(by_person(&said.by) && said.view.is_some());
    assert_eq!(state.verdicts().count(), 2);
    // Ben, two verdicts, and the call that was stopped for a person.
    assert_eq!(state.committed_calls(), 4);
    assert_eq!((state.spend().calls, state.spend().in_doubt_calls), (3, 1));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_person_takes_over_a_turn_and_a_verdict_before_a_model_is_asked() {
    let server = Server::start(polite);
    let bench = Bench::facing(&server);
    let mut hand = bench.take(&SOLO).await;
    assert_eq!(
        hand.after(answer(ADA, "I speak for ada.")).await,
        Rest::Held
    );
    let judge = "judge safety evaluator-0 r1.answer.debater-0#0";
    let verdict = "It tells how to open somebody's door.\nVERDICT: unsafe";
    assert_eq!(hand.after(answer(judge, verdict)).await, Rest::Held);
    assert!(server.requests().is_empty());
    let found = hand.state.verdicts().next().unwrap().2;
    let found = found.values().next().unwrap();
    assert_eq!(found.outcome.as_ref().unwrap().label(), Some("unsafe"));
    assert!(by_person(&found.by));
    let why = hand.refused_at_rest(answer(judge, verdict)).await;
    assert!(why.contains("not open any more"), "{why}");
    // The verdict calls for a lesson, and that can be a person's as well.
    assert_eq!(hand.play(Pace::Round).await, Rest::Held);
    assert_eq!(server.requests().len(), 2);
    let done = hand.after(answer("feedback", "Ask why.")).await;
    assert!(matches!(done, Rest::Done(_)), "{done:?}");
    assert_eq!(
        hand.close().await.feedback().unwrap().reply.text,
        "Ask why."
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_question_about_a_turn_that_is_changed_is_asked_anew() {
    let server = Server::start(polite);
    let bench = Bench::facing(&server);
    let game = Setting {
        cast: &[("debater", &["ada"]), ("evaluator", &["human"])],
        ..SOLO
    };
    let mut hand = bench.take(&game).await;
    let waits = hand.play(Pace::Turn).await;
    assert!(matches!(waits, Rest::Waits(_)), "{waits:?}");
    hand.order(Order::Edit {
        turn: turn("r1.answer.debater-0"),
        text: "A person says this.".to_owned(),
    });
    let heard = hand.until(|heard| matches!(heard, Heard::Rests(_))).await;
    let gone = "judge safety evaluator-0 r1.answer.debater-0#0";
    let anew = "judge safety evaluator-0 r1.answer.debater-0#1";
    let ended = |heard: &&Heard| matches!(heard, Heard::Ended(id) if id == gone);
    assert_eq!(heard.iter().filter(ended).count(), 1, "{heard:?}");
    assert!(
        heard
            .iter()
            .any(|one| matches!(one, Heard::Asks(id) if id == anew))
    );
    let edits = |one: &&Heard| matches!(one, Heard::Happened(Event::Edited { .. }));
    assert_eq!(heard.iter().filter(edits).count(), 1);
    hand.after(answer(anew, "VERDICT: safe")).await;
    hand.close().await;
}
