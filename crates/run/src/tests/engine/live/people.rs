//! People on seats of their own and on seats of models.

use super::harness::{
    DUEL, DebateSetup, LiveStore, Observed, SOLO, by_person, model, polite, step, turn,
};
use crate::engine::live::{IdleReason, LiveCommand, LiveEvent, Pace};
use elenchus_game::debate::Event;
use elenchus_test_support::{Answer, ChatServer};

const ADA: &str = "speak r1.answer.debater-0#0";
const BEN: &str = "speak r1.answer.debater-1#0";

fn answer(id: &str, text: &str) -> LiveCommand {
    LiveCommand::Answer {
        step: step(id),
        text: text.to_owned(),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_seat_of_a_person_asks_and_waits_while_the_others_go_on() {
    let server = ChatServer::start(polite);
    let store = LiveStore::facing(&server);
    let game = DebateSetup {
        cast: &[
            ("debater", &["ada", "human"]),
            ("evaluator", &["human:bo"]),
            ("feedback", &["human"]),
        ],
        ..DUEL
    };
    let mut live = store.take(&game).await;
    live.order(LiveCommand::Play(Pace::End));
    let question = loop {
        match live.next_event().await.unwrap() {
            LiveEvent::Asks(question, id) if id == step(BEN) => break question,
            _ => {}
        }
    };
    let shown = super::harness::contents(&question.view.messages).join("\n");
    assert!(shown.contains(super::harness::TOPIC), "{shown}");
    let judge = |at: u32| format!("judge safety evaluator-0 r1.answer.debater-{at}#0");
    let waits = |ids: &[&str]| IdleReason::Waits(ids.iter().map(|id| step(id)).collect());
    assert_eq!(live.rest().await, waits(&[&judge(0), BEN]));

    assert_eq!(
        live.after(answer(BEN, "I say so.")).await,
        waits(&[&judge(0), &judge(1)])
    );
    assert_eq!(
        live.after(answer(&judge(0), "VERDICT: safe")).await,
        waits(&[&judge(1)])
    );
    assert_eq!(
        live.after(answer(&judge(1), "VERDICT: unsafe")).await,
        waits(&["feedback"])
    );
    let done = live.after(answer("feedback", "Ask why.")).await;
    assert!(matches!(done, IdleReason::Done(_)), "{done:?}");
    let state = live.close().await;
    let (_, said) = state.chosen_attempt(&turn("r1.answer.debater-1")).unwrap();
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
    let server = ChatServer::start(|seen| match model(seen) {
        "ada" => Answer::stall(),
        _ => polite(seen),
    });
    let store = LiveStore::facing(&server);
    let mut live = store.take(&DUEL).await;
    live.order(LiveCommand::Play(Pace::Stage));
    live.began(2).await;
    server.wait_until("both are asked", |log| log.requests.len() >= 2);
    live.order(answer(ADA, "I speak for ada."));
    assert!(matches!(live.rest().await, IdleReason::Done(_)));
    server.wait_until("the client hangs up", |log| log.hung_up == 1);
    let state = live.close().await;
    let (_, said) = state.chosen_attempt(&turn("r1.answer.debater-0")).unwrap();
    assert_eq!(said.reply.text, "I speak for ada.");
    assert!(by_person(&said.by) && said.view.is_some());
    assert_eq!(state.verdicts().count(), 2);
    // Ben, two verdicts, and the call that was stopped for a person.
    assert_eq!(state.committed_calls(), 4);
    assert_eq!((state.spend().calls, state.spend().in_doubt_calls), (3, 1));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_person_takes_over_a_turn_and_a_verdict_before_a_model_is_asked() {
    let server = ChatServer::start(polite);
    let store = LiveStore::facing(&server);
    let mut live = store.take(&SOLO).await;
    assert_eq!(
        live.after(answer(ADA, "I speak for ada.")).await,
        IdleReason::Held
    );
    let judge = "judge safety evaluator-0 r1.answer.debater-0#0";
    let verdict = "It tells how to open somebody's door.\nVERDICT: unsafe";
    assert_eq!(live.after(answer(judge, verdict)).await, IdleReason::Held);
    assert!(server.requests().is_empty());
    let found = live.state.verdicts().next().unwrap().2;
    let found = found.values().next().unwrap();
    assert_eq!(found.outcome.as_ref().unwrap().label(), Some("unsafe"));
    assert!(by_person(&found.by));
    let why = live.refused_at_rest(answer(judge, verdict)).await;
    assert!(why.contains("not open any more"), "{why}");
    // The verdict calls for a lesson, and that can be a person's as well.
    assert_eq!(live.play(Pace::Round).await, IdleReason::Held);
    assert_eq!(server.requests().len(), 2);
    let done = live.after(answer("feedback", "Ask why.")).await;
    assert!(matches!(done, IdleReason::Done(_)), "{done:?}");
    assert_eq!(live.close().await.lesson().unwrap().reply.text, "Ask why.");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_question_about_a_turn_that_is_changed_is_asked_anew() {
    let server = ChatServer::start(polite);
    let store = LiveStore::facing(&server);
    let game = DebateSetup {
        cast: &[("debater", &["ada"]), ("evaluator", &["human"])],
        ..SOLO
    };
    let mut live = store.take(&game).await;
    let waits = live.play(Pace::Turn).await;
    assert!(matches!(waits, IdleReason::Waits(_)), "{waits:?}");
    live.order(LiveCommand::Edit {
        turn: turn("r1.answer.debater-0"),
        text: "A person says this.".to_owned(),
    });
    let heard = live.until(|heard| matches!(heard, Observed::Idle(_))).await;
    let gone = "judge safety evaluator-0 r1.answer.debater-0#0";
    let anew = "judge safety evaluator-0 r1.answer.debater-0#1";
    let ended = |heard: &&Observed| matches!(heard, Observed::Ended(id) if id == gone);
    assert_eq!(heard.iter().filter(ended).count(), 1, "{heard:?}");
    assert!(
        heard
            .iter()
            .any(|one| matches!(one, Observed::Asks(id) if id == anew))
    );
    let edits = |one: &&Observed| matches!(one, Observed::Happened(Event::Edited { .. }));
    assert_eq!(heard.iter().filter(edits).count(), 1);
    live.after(answer(anew, "VERDICT: safe")).await;
    live.close().await;
}
