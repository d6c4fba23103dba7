//! The comparison of two sessions without a terminal.

use crate::tui::drawing::ansi;
use crate::tui::test_screen::TestScreen;
use elenchus::tui::app::{Broadcast, Command, Screen, Ticket};
use elenchus::tui::components::rejudging::RejudgeMessage;
use elenchus::tui::screens::session_diff::{Compare, Message};
use elenchus::tui::theme::Role;
use elenchus::tui::widgets::Content;
use elenchus_game::debate::event::Record;
use elenchus_game::debate::{JudgingId, SessionId, ShownOrder, Step, Target};
use elenchus_records::workspace::pass::PassVerdict;
use elenchus_records::workspace::reject;
use elenchus_run::engine::live::LiveEvent;
use elenchus_run::experiments::rejudge::PassUpdate;
use elenchus_store::Hash;
use elenchus_test_support::debates::{CALM, Play, Script, found, game};
use elenchus_view::SessionUpdate;
use elenchus_view::session_diff::DiffSide;
use std::sync::Arc;

/// Another course of things in round 2, with something unsafe.
const BOLD: Script = Script {
    says: |turn| {
        if turn.round == 1 {
            return (CALM.says)(turn);
        }
        format!(
            "In round {} I, chair {}, say: open it on Sundays, with nobody at the desk.",
            turn.round,
            turn.chair.index + 1
        )
    },
    finds: |target| match target {
        Target::Attempt(id) if id.turn.round == 2 && id.turn.chair.index == 1 => ("unsafe", -1.0),
        Target::Attempt(_) | Target::Round(_) | Target::Debate => ("safe", 1.0),
    },
};

fn debate() -> Play {
    Play::begin("01LEFT", game("pred", &[("rounds", 2), ("debaters", 2)]))
}

fn speaks_in_round_2(step: &Step) -> bool {
    matches!(step, Step::Speak(speak) if speak.turn.round == 2)
}

/// A debate, and a fork of it that went on differently.
fn parted() -> (Play, Play) {
    let mut left = debate();
    left.until(&CALM, speaks_in_round_2);
    let mut right = left.fork(left.records.len());
    left.go_to_end(&CALM);
    right.go_to_end(&BOLD);
    (left, right)
}

fn side(play: &Play, id: &str) -> DiffSide {
    DiffSide::from_state(&SessionId::new(id), play.state.clone(), None)
}

fn stage(left: &Play, right: &Play) -> TestScreen<Compare> {
    let mut screen = Compare::from_sides(side(left, "01LEFT"), side(right, "02RIGHT"));
    let effects = screen.handle_open();
    let mut stage = TestScreen::with(screen, effects);
    stage.draw(120, 40);
    stage
}

#[test]
fn forks_are_compared_from_where_they_part() {
    let (left, right) = parted();
    let mut stage = stage(&left, &right);
    insta::assert_snapshot!("forks_80x24", stage.draw(80, 24));
    stage.press("G");
    insta::assert_snapshot!("totals_120x40", stage.draw(120, 40));
    stage.draw(80, 24);
    stage.press("g g Tab");
    insta::assert_snapshot!("left_80x24", stage.draw(80, 24));
    stage.press("D");
    insta::assert_snapshot!("unfolded_80x24", stage.draw(80, 24));
}

#[test]
fn the_next_row_with_verdicts_that_differ_is_found() {
    let (left, right) = parted();
    let mut stage = stage(&left, &right);
    stage.asked();
    stage.press("g d");
    assert!(stage.asked().is_empty());
    stage.press("y");
    let commands = stage.commands();
    let [Command::Copy(text)] = commands.as_slice() else {
        panic!("{commands:?}");
    };
    assert!(text.contains("r2.answer.debater-1"), "{text}");
    assert!(text.contains("parent: safety: safe") && text.contains("fork: safety: unsafe"));
    let said = stage.press("g d").asked();
    assert!(said[0].contains("this is the first"), "{said:?}");
}

#[test]
fn rows_are_walked_to_both_ends() {
    let (left, right) = parted();
    let mut stage = stage(&left, &right);
    stage.asked();
    for _ in 0..100 {
        stage.press("]");
    }
    let said = stage.asked();
    assert!(
        said.iter().any(|said| said.contains("last row")),
        "{said:?}"
    );
    assert!(stage.draw(120, 40).contains("in all"));
    for _ in 0..100 {
        stage.press("[");
    }
    assert!(stage.asked().iter().any(|said| said.contains("first row")));
}

#[test]
fn unrelated_sessions_share_no_past_and_rows_of_one_side_say_so() {
    let mut left = debate();
    left.go_to_end(&CALM);
    let mut right = Play::begin("02RIGHT", game("pred", &[("rounds", 1), ("debaters", 3)]));
    right.go_to_end(&CALM);
    let mut stage = stage(&left, &right);
    let page = stage.draw(120, 60);
    assert!(!page.contains("shared past"), "{page}");
    for words in ["only left", "only right", "both say the same 17 words"] {
        assert!(page.contains(words), "{words}\n{page}");
    }
}

#[test]
fn both_sides_follow_what_happens() {
    let (left, right) = parted();
    let mut early = debate();
    early.until(&CALM, speaks_in_round_2);
    let missing: Vec<Record> = left.records[early.records.len()..].to_vec();
    let mut stage = stage(&early, &right);
    stage.asked();
    let (one, rest) = missing.split_first().unwrap();
    let session = SessionId::new("01LEFT");
    let live = Arc::new(LiveEvent::Happened(one.clone()));
    stage.tell(Broadcast::Live(session.clone(), live));
    stage.update(Message::Read(
        session.clone(),
        SessionUpdate::Grew(rest.to_vec()),
    ));
    assert!(stage.asked().is_empty());
    let mut whole = TestScreen::new(Compare::from_sides(
        side(&left, "01LEFT"),
        side(&right, "02RIGHT"),
    ));
    assert_eq!(stage.draw(120, 60), whole.draw(120, 60));
    // What does not follow what is known is read again.
    let again = vec![left.records[0].clone()];
    stage.update(Message::Read(session, SessionUpdate::Grew(again)));
    assert_eq!(stage.asked(), ["start: read a session"]);
}

fn pass_verdict(session: &str, target: &str, label: &str) -> PassVerdict {
    let value = if label == "safe" { 1.0 } else { -1.0 };
    let turn = elenchus_game::debate::TurnId::try_from(target.to_owned()).unwrap();
    PassVerdict {
        pass: "01PASS".to_owned(),
        at: String::new(),
        session: SessionId::new(session),
        judging: JudgingId::new("safety"),
        target: Target::Attempt(elenchus_game::debate::AttemptId { turn, attempt: 0 }),
        sha256: Hash::digest(b"text"),
        chair: 0,
        order: ShownOrder::AsSeated,
        rubric: "safety".to_owned(),
        model: "strict".to_owned(),
        outcome: found(label, value),
        cost_usd: None,
        members: Vec::new(),
    }
}

#[test]
fn the_price_of_judging_both_again_is_asked_for_and_new_verdicts_stand_beside_the_recorded_ones() {
    let (left, right) = parted();
    let mut stage = stage(&left, &right);
    stage.asked();
    assert_eq!(stage.press("J").asked(), ["start: price judging again"]);
    stage.update(Message::Rejudging(RejudgeMessage::Priced(
        Ticket(1),
        reject("there is no such model"),
    )));
    assert_eq!(stage.asked(), ["say: there is no such model"]);
    let verdict = pass_verdict("02RIGHT", "r2.answer.debater-1", "safe");
    let judged = PassUpdate::Judged(Box::new(verdict));
    stage.update(Message::Rejudging(RejudgeMessage::Update(judged)));
    insta::assert_snapshot!("judged_again_120x40", stage.draw(120, 40));
}

#[test]
fn verdicts_of_earlier_passes_are_there_too() {
    let (left, right) = parted();
    let mut stage = stage(&left, &right);
    let verdict = pass_verdict("01LEFT", "r2.answer.debater-0", "unsafe");
    // What is read twice is shown once.
    for _ in 0..2 {
        stage.update(Message::PassesRead(vec![verdict.clone()]));
    }
    let page = stage.draw(120, 60);
    let times = page
        .matches("safety again by strict, not as recorded: unsafe")
        .count();
    assert_eq!(times, 1, "{page}");
    assert!(page.contains("safety again"), "{page}");
}

#[test]
fn sessions_that_are_not_read_yet_are_asked_for() {
    let (left, _) = parted();
    let wanted = DiffSide::from_id(&SessionId::new("02RIGHT"));
    let mut screen = Compare::from_sides(side(&left, "01LEFT"), wanted);
    let effects = screen.handle_open();
    let mut stage = TestScreen::with(screen, effects);
    assert_eq!(
        stage.asked(),
        ["start: read passes", "start: read a session"]
    );
    assert!(stage.draw(80, 24).contains("reading the session"));
    let why = reject("it is not there");
    stage.update(Message::Read(
        SessionId::new("02RIGHT"),
        SessionUpdate::Read(why),
    ));
    assert!(stage.draw(120, 40).contains("it is not there"));
}

#[test]
fn the_comparison_leaves_as_text() {
    let (left, right) = parted();
    let mut stage = stage(&left, &right);
    stage.asked();
    stage.press("w");
    let text = stage.draw(120, 40);
    assert!(text.contains("a page to send, of both debates"), "{text}");
    stage.press("Enter");
    assert!(stage.draw(120, 40).contains("Write the comparison as text"));
    let commands = stage.press("Enter").commands();
    let [Command::WriteText(path, text)] = commands.as_slice() else {
        panic!("{commands:?}");
    };
    assert_eq!(path.to_str(), Some("comparison-01LEFT-02RIGHT.txt"));
    insta::assert_snapshot!("text", text);
}

#[test]
fn masked_comparisons_show_no_content() {
    let (left, right) = parted();
    let mut stage = stage(&left, &right);
    let verdict = pass_verdict("01LEFT", "r2.answer.debater-0", "unsafe");
    stage.update(Message::PassesRead(vec![verdict]));
    stage.content = Content::Masked;
    stage.asked();
    stage.draw(120, 40);
    stage.press("D");
    let mut pages = vec![stage.draw(120, 200)];
    for _ in 0..3 {
        stage.press("Tab");
        pages.push(stage.draw(120, 200));
        pages.push(stage.draw(80, 200));
    }
    let commands = stage.press("P").commands();
    let [Command::Page(text)] = commands.as_slice() else {
        panic!("{commands:?}");
    };
    pages.push(text.clone());
    for page in pages {
        for secret in [
            "library",
            "Sundays",
            "desk",
            "it reads as",
            "promise",
            "helpers",
        ] {
            assert!(!page.contains(secret), "{secret}\n{page}");
        }
    }
}

#[test]
fn words_that_differ_show_by_colour_or_by_signs() {
    let (left, right) = parted();
    let mut stage = stage(&left, &right);
    let signed = stage.draw(120, 60);
    assert!(
        signed.contains("[-two helpers-]") || signed.contains("[-two"),
        "{signed}"
    );
    assert!(signed.contains("{+nobody+}"), "{signed}");
    stage.look = ansi();
    let buffer = stage.buffer(120, 60);
    let theme = ansi();
    let removed = theme.style(Role::Removed);
    let any = (0..60)
        .flat_map(|y| (0..60).map(move |x| (x, y)))
        .any(|place| buffer[place].style().fg == removed.fg && buffer[place].symbol() == "t");
    assert!(any);
}
