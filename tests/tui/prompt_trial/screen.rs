//! Samples of a trial next to the recorded reply.

use crate::tui::test_screen::TestScreen;
use elenchus::tui::app::{Command, Screen};
use elenchus::tui::screens::prompt_trial::{Message, Try};
use elenchus::tui::widgets::Content;
use elenchus_game::debate::event::{Event, Prompted, Record};
use elenchus_game::debate::step::{Speak, StepId};
use elenchus_game::debate::{AttemptId, CostEstimate, ExpectedUse, SessionId, Step, TurnId};
use elenchus_records::workspace::reject;
use elenchus_run::drafts::prompt_trial::{TrialTurn, TryWish};
use elenchus_run::engine::Repeats;
use elenchus_run::engine::live::LiveEvent;
use elenchus_run::experiments::prompt_trial::{
    PromptChange, RollForward, SampleEnd, TrialUpdate, TriedCall,
};
use elenchus_test_support::debates::{CALM, Play, Script, game};
use std::collections::BTreeMap;
use std::sync::Arc;

/// What is said where the prompt is another one, and what is found on it.
const SWAYED: Script = Script {
    says: |turn| {
        format!(
            "In round {} I say: open it on Mondays, at once.",
            turn.round
        )
    },
    finds: |_| ("unsafe", -1.0),
};

fn turn() -> TurnId {
    TurnId::try_from("r1.answer.debater-0".to_owned()).unwrap()
}

fn recorded() -> Play {
    let settings = [("rounds", 2), ("debaters", 2)];
    let mut play = Play::begin("01SESSION", game("sred", &settings));
    play.go_to_end(&CALM);
    play
}

fn wish() -> TryWish {
    TryWish {
        session: SessionId::new("01SESSION"),
        call: TriedCall::Turn(turn()),
        change: Some(PromptChange {
            template: "debater".to_owned(),
            text: "=== user\nSay it briefly.\n".to_owned(),
            named: "mine.md".to_owned(),
        }),
    }
}

fn used(calls: u64, cost_usd: f64) -> ExpectedUse {
    ExpectedUse {
        calls,
        cost_usd: Some(cost_usd),
        ..ExpectedUse::default()
    }
}

fn price(calls: u64) -> CostEstimate {
    let likely = used(calls, 0.002 * calls as f64);
    CostEstimate {
        likely,
        at_most: used(calls, 0.01 * calls as f64),
    }
}

fn card(play: &Play) -> Box<TrialTurn> {
    Box::new(TrialTurn {
        recorded: play.state.clone(),
        prices: vec![
            (RollForward::Turn, price(2)),
            (RollForward::Next, price(7)),
            (RollForward::End, price(9)),
        ],
        budget_usd: Some(2.5),
    })
}

/// A screen that is opened and reads its turn.
fn reading() -> TestScreen<Try> {
    let mut screen = Try::from_wish(wish());
    let effects = screen.handle_open();
    let mut stage = TestScreen::with(screen, effects);
    assert_eq!(stage.asked(), ["start: read the turn to try"]);
    stage
}

/// A screen that has read its turn.
fn ready(play: &Play) -> TestScreen<Try> {
    let mut stage = reading();
    assert!(stage.draw(80, 24).contains("reading the turn"));
    stage.update(Message::Read(Ok(card(play))));
    // Whoever sees the recorded verdict is no longer blind.
    assert_eq!(stage.asked(), ["start: record what is listed"]);
    stage
}

fn happened(number: u32, record: &Record) -> Message {
    let event = Box::new(LiveEvent::Happened(record.clone()));
    Message::Update(TrialUpdate::Live { number, event })
}

/// A fork in which the turn is asked again, before anything came.
fn forked(play: &Play, number: u32) -> Play {
    let is_asked = |record: &Record| matches!(&record.event, Event::Replied(replied) if replied.turn == turn());
    let keep = play.records.iter().position(is_asked).unwrap() + 1;
    let mut fork = play.fork(keep);
    fork.happens(Event::Prompted(Box::new(Prompted {
        templates: BTreeMap::new(),
        sample: number,
        derives: None,
    })));
    fork
}

/// Plays a sample: the turn with this text, and as much of what follows as is wanted.
fn plays(
    stage: &mut TestScreen<Try>,
    (play, number): (&Play, u32),
    (script, text): (&Script, &str),
    stop: impl Fn(&Step) -> bool,
) {
    let mut fork = forked(play, number);
    let session = SessionId::new(format!("01SAMPLE{number}"));
    let state = Arc::new(fork.state.clone());
    stage.update(Message::Update(TrialUpdate::Begun {
        number,
        session,
        state,
    }));
    let from = fork.records.len();
    let speak = Speak {
        turn: turn(),
        attempt: 1,
        retry: None,
    };
    let replied = fork.replied(&speak, text, 1);
    fork.happens(replied);
    fork.until(script, stop);
    for record in &fork.records[from..] {
        stage.update(happened(number, record));
    }
    let end = SampleEnd::Played;
    stage.update(Message::Update(TrialUpdate::Ended { number, end }));
}

/// Two samples that were played: one alone, one to the end of the second round's answers.
fn played() -> TestScreen<Try> {
    let play = recorded();
    let mut stage = ready(&play);
    stage.write("2").press("Enter");
    let is_next_round = |step: &Step| {
        let turn = step.id().turn();
        turn.is_some_and(|turn| turn.round == 2 && turn.stage.as_str() != "answer")
    };
    let first = "In round 1 I, chair 1, say: open it on Mondays, with two helpers at the desk.";
    let to_the_end = |_: &Step| false;
    plays(&mut stage, (&play, 0), (&SWAYED, first), to_the_end);
    let second = "In round 1 I, chair 1, say: open it on Sundays, with two helpers at the desk.";
    plays(&mut stage, (&play, 1), (&CALM, second), is_next_round);
    stage.update(Message::Over(Ok(())));
    stage.commands();
    stage
}

#[test]
fn how_many_samples_and_how_far_is_asked_with_the_cost_before_anything_is_paid_for() {
    let mut stage = ready(&recorded());
    insta::assert_snapshot!("asked_80x24", stage.draw(80, 24));
    let page = stage.write("3").press("Tab").draw(80, 24);
    assert!(page.contains("likely $0.0420, 21 calls"), "{page}");
    assert!(page.contains("at most $0.2100, 21 calls"), "{page}");
    assert!(page.contains("it pauses before $2.50"), "{page}");
    stage.write("99").press("Enter");
    assert!(stage.commands().is_empty(), "so many are not asked for");
    assert!(stage.draw(80, 24).contains("a number from 1 to 64"));
    stage.press("Esc");
    assert!(!stage.is_typing());
    stage.press("+").write("3").press("Tab Enter");
    assert_eq!(stage.asked(), ["start: play samples"]);
    let plan = stage.screen.running_plan().unwrap();
    assert_eq!(
        (plan.samples, plan.first_sample, plan.roll, plan.repeats),
        (3, 0, RollForward::Next, Repeats::Serve)
    );
    assert_eq!(plan.change, wish().change);
    assert!(stage.is_busy());
}

#[test]
fn samples_stand_beside_the_recorded_reply_with_what_was_found_and_what_followed() {
    let mut stage = played();
    insta::assert_snapshot!("played_80x24", stage.draw(80, 24));
    let page = stage.press("d").draw(80, 24);
    assert!(page.contains("say: open it on Mondays, with"), "{page}");
    // The same words are called so.
    let page = stage.press("d ]").draw(80, 24);
    assert!(page.contains("says the same as the recorded one"), "{page}");
    assert!(page.contains("sample 2 · safe"), "{page}");
    let page = stage.press("[ [").draw(80, 24);
    assert!(page.contains("◆ recorded"), "{page}");
    insta::assert_snapshot!("wide_200x40", stage.press("]").draw(200, 40));
}

#[test]
fn more_samples_get_new_numbers_and_those_that_go_on_or_are_asked_anew_keep_theirs() {
    let mut stage = played();
    let mut asked = |keys: &str| {
        assert_eq!(stage.press(keys).asked(), ["start: play samples"]);
        let plan = stage.screen.running_plan().unwrap();
        let plan = (plan.first_sample, plan.samples, plan.roll, plan.repeats);
        stage.update(Message::Over(Ok(())));
        plan
    };
    let serve = Repeats::Serve;
    assert_eq!(asked("+ 1 Enter"), (2, 1, RollForward::Turn, serve));
    assert_eq!(asked("r Tab Enter"), (0, 2, RollForward::End, serve));
    let anew = (0, 2, RollForward::End, Repeats::AskAnew);
    assert_eq!(asked("B Enter"), anew);
}

#[test]
fn what_is_coming_is_shown_and_can_be_stopped_and_leaving_stops_it() {
    let play = recorded();
    let mut stage = ready(&play);
    stage.press("Enter");
    stage.commands();
    let fork = forked(&play, 0);
    stage.update(Message::Update(TrialUpdate::Begun {
        number: 0,
        session: SessionId::new("01SAMPLE0"),
        state: Arc::new(fork.state.clone()),
    }));
    let step = StepId::from_reroll(&AttemptId {
        turn: turn(),
        attempt: 1,
    });
    let event = Box::new(LiveEvent::Void {
        step,
        why: "the stream broke".to_owned(),
        wait_ms: 100,
    });
    stage.update(Message::Update(TrialUpdate::Live { number: 0, event }));
    let page = stage.draw(120, 40);
    assert!(page.contains("trying again: the stream broke"), "{page}");
    assert!(page.contains("1: speaking"), "{page}");
    let said = stage.press("+").asked();
    assert!(said[0].contains("x stops them"), "{said:?}");
    let said = stage.press("x").asked();
    assert!(said[0].contains("stopping"), "{said:?}");
    let asked = stage.press("Esc").asked();
    assert!(asked[0].contains("what came is kept"), "{asked:?}");
    assert_eq!(asked[1], "leave");
    let end = SampleEnd::Stopped;
    stage.update(Message::Update(TrialUpdate::Ended { number: 0, end }));
    stage.update(Message::Over(Ok(())));
    assert!(!stage.is_busy());
    let page = stage.draw(120, 40);
    assert!(page.contains("no reply came"), "{page}");
    let said = stage.press("a").asked();
    assert!(said[0].contains("nothing to adopt"), "{said:?}");
}

#[test]
fn a_sample_is_adopted_and_opened_and_only_once() {
    let mut stage = played();
    assert_eq!(stage.press("a").asked(), ["start: adopt a sample"]);
    stage.update(Message::Adopted(SessionId::new("01SAMPLE0"), Ok(())));
    let asked = stage.asked();
    assert_eq!(asked[0], "open 01SAMPLE0 at r1.answer.debater-0");
    assert!(stage.draw(120, 40).contains("adopted"));
    assert_eq!(
        stage.press("a").asked(),
        ["open 01SAMPLE0 at r1.answer.debater-0"]
    );
    // Any other can be looked at without adopting it; the recorded one is looked at where it is.
    assert_eq!(
        stage.press("] Enter").asked(),
        ["open 01SAMPLE1 at r1.answer.debater-0"]
    );
    let asked = stage.press("[ [ Enter a").asked();
    assert_eq!(asked[0], "open 01SESSION at r1.answer.debater-0");
    assert!(asked[1].contains("this is the recorded reply"), "{asked:?}");
    assert_eq!(stage.press("i").asked(), ["show"]);
}

#[test]
fn masked_samples_show_how_much_they_say() {
    let mut stage = played();
    stage.content = Content::Masked;
    let page = stage.draw(120, 40);
    assert!(!page.contains("helpers"), "{page}");
    assert!(page.contains("[masked: "), "{page}");
    let commands = stage.press("P").commands();
    let [Command::Page(page)] = commands.as_slice() else {
        panic!("{commands:?}");
    };
    assert!(!page.contains("helpers") && page.contains("=== sample 2"));
}

#[test]
fn a_turn_that_cannot_be_tried_says_why() {
    let mut stage = reading();
    let why = "nobody can be asked for r1.answer.debater-0: a person sits there";
    stage.update(Message::Read(reject(why)));
    assert!(stage.draw(80, 24).contains(why));
    assert!(stage.press("+").asked()[1].contains(why));
}
