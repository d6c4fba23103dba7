//! Attempts of a turn side by side.

use crate::tui::test_screen::TestScreen;
use elenchus::tui::app::{Broadcast, Command, Effect};
use elenchus::tui::components::{LockMessage, SessionAccess};
use elenchus::tui::screens::attempts::{Attempts, Message};
use elenchus::tui::widgets::Content;
use elenchus_game::debate::event::{Author, Event, StopReason, Stopped};
use elenchus_game::debate::step::{Speak, StepId};
use elenchus_game::debate::{AttemptId, SessionId, Step, TurnId};
use elenchus_records::workspace::{Reopen, WorkspaceError};
use elenchus_run::engine::live::{LiveCommand, LiveEvent};
use elenchus_test_support::debates::{CALM, Play, game};
use std::sync::Arc;

fn session() -> SessionId {
    SessionId::new("01SESSION")
}

fn turn() -> TurnId {
    TurnId::try_from("r1.answer.debater-0".to_owned()).unwrap()
}

/// A turn with three attempts, one of them a person's, that nothing has seen.
fn unseen() -> Play {
    let mut play = Play::begin("01SESSION", game("pred", &[("rounds", 2), ("debaters", 2)]));
    let speaks = |step: &Step| matches!(step, Step::Speak(_));
    play.until(&CALM, speaks);
    let texts = [
        "Open it on Sundays, with two helpers at the desk.",
        "Open it on Sunday afternoons, with three helpers at the desk.",
    ];
    for (attempt, text) in texts.into_iter().enumerate() {
        let speak = Speak {
            turn: turn(),
            attempt: u32::try_from(attempt).unwrap(),
            retry: None,
        };
        let event = play.replied(&speak, text, speak.attempt);
        play.happens(event);
    }
    play.by(
        Author::Person("ada".to_owned()),
        Event::Edited {
            turn: turn(),
            attempt: 2,
            text: "Open it on Sundays, with nobody at the desk.".to_owned(),
        },
    );
    play
}

fn stage(play: &Play) -> TestScreen<Attempts> {
    let screen = Attempts::from_turn(
        &session(),
        play.state.clone(),
        turn(),
        SessionAccess::Lockable,
    );
    let mut stage = TestScreen::new(screen);
    stage.draw(80, 24);
    stage
}

#[test]
fn attempts_stand_side_by_side_with_how_they_came_about() {
    let mut stage = stage(&unseen());
    insta::assert_snapshot!("three_80x24", stage.draw(80, 24));
    stage.press("d");
    insta::assert_snapshot!("differences_120x40", stage.draw(120, 40));
}

#[test]
fn an_unseen_turns_attempt_is_chosen_at_once() {
    let mut stage = stage(&unseen());
    let said = stage.press("Enter").asked();
    assert!(said[0].contains("counts already"), "{said:?}");
    stage.press("h Enter");
    let chosen = AttemptId {
        turn: turn(),
        attempt: 1,
    };
    let [Effect::Order(order)] = stage.effects.as_slice() else {
        panic!("{:?}", stage.asked());
    };
    assert_eq!(order.command, LiveCommand::Choose(chosen));
    // It is left once the command is given, and stays where it could not be.
    stage.asked();
    let given = |given| Message::Lock(LockMessage::Ordered(given));
    stage.update(given(Err(WorkspaceError::invalid("locked by process 12"))));
    assert_eq!(stage.asked(), ["say: locked by process 12"]);
    assert_eq!(
        stage.press("Enter").update(given(Ok(()))).asked()[1..],
        ["leave"]
    );
}

#[test]
fn choosing_in_a_turn_that_was_seen_forks_after_a_second_enter() {
    let mut play = unseen();
    play.go_to_end(&CALM);
    let mut stage = stage(&play);
    stage.press("h");
    assert!(stage.draw(80, 24).contains("makes a fork"));
    assert!(stage.press("Enter Esc").asked().is_empty());
    assert!(stage.press("Enter").asked().is_empty());
    assert!(stage.draw(80, 24).contains("Enter again makes a fork"));
    stage.press("Enter");
    let [Effect::Fork(fork)] = stage.effects.as_slice() else {
        panic!("{:?}", stage.asked());
    };
    assert_eq!(fork.reopen, Reopen::Turn(turn()));
    assert!(matches!(fork.then.as_slice(), [LiveCommand::Choose(id)] if id.attempt == 1));
}

#[test]
fn replies_that_are_coming_stand_beside_the_others_until_they_are_there() {
    let play = unseen();
    let mut stage = stage(&play);
    let step = StepId::from_reroll(&AttemptId {
        turn: turn(),
        attempt: 3,
    });
    let live = |update| Broadcast::Live(session(), Arc::new(update));
    stage.tell(live(LiveEvent::Began { step: step.clone() }));
    stage.tell(live(LiveEvent::Void {
        step: step.clone(),
        why: "the stream broke".to_owned(),
        wait_ms: 100,
    }));
    let page = stage.draw(200, 24);
    assert!(
        page.contains("coming") && page.contains("trying again"),
        "{page}"
    );
    stage.press("l");
    let said = stage.press("Enter").asked();
    assert!(said[0].contains("still coming"), "{said:?}");
    stage.tell(live(LiveEvent::Ended { step }));
    assert!(!stage.draw(200, 24).contains("trying again"));
}

#[test]
fn replies_that_were_stopped_stand_beside_the_attempts_and_cannot_be_chosen() {
    let mut play = unseen();
    let step = StepId::from_reroll(&AttemptId {
        turn: turn(),
        attempt: 3,
    });
    play.happens(Event::CallStarted {
        step: step.clone(),
        worst_case_usd: None,
        worst_case_tokens: 40,
    });
    play.happens(Event::Stopped(Box::new(Stopped {
        step,
        reason: StopReason::Person,
        text: "Open it on".to_owned(),
        thinking: None,
        usage: None,
        may_have_cost_usd: None,
        may_have_used_tokens: Some(40),
    })));
    let mut stage = stage(&play);
    insta::assert_snapshot!("stopped_170x24", stage.draw(170, 24));
    stage.press("l");
    let said = stage.press("Enter").asked();
    assert!(said[0].contains("not an attempt"), "{said:?}");
    let commands = stage.press("y").commands();
    assert!(
        matches!(commands.as_slice(), [Command::Copy(text)] if text == "Open it on"),
        "{commands:?}"
    );
}

#[test]
fn the_inspector_and_the_exact_text_are_a_key_away() {
    let mut stage = stage(&unseen());
    // The labels of the prompt come after it.
    assert_eq!(stage.press("i").asked_briefly(), ["show"]);
    let commands = stage.press("y").commands();
    assert!(
        matches!(commands.as_slice(), [Command::Copy(text)] if text.ends_with("nobody at the desk.")),
        "{commands:?}"
    );
}

#[test]
fn masked_attempts_show_how_much_they_say() {
    let mut stage = stage(&unseen());
    stage.content = Content::Masked;
    stage.press("d");
    let page = stage.draw(120, 40);
    assert!(
        !page.contains("helpers") && !page.contains("Sunday"),
        "{page}"
    );
    assert!(page.contains("[masked: 44 characters]"), "{page}");
}
