//! Two sessions compared without a terminal.

use crate::session_diff::{
    Comparison, DiffItem, DiffLayout, DiffOptions, DiffSide, RecordsTaken, RowText, Subject,
    VerdictMatch,
};
use elenchus_game::debate::{SessionId, Step, Target};
use elenchus_test_support::debates::{CALM, Play, Script, game};
use elenchus_text::Content;
use elenchus_text::word_diff::Marking;

/// Another course of things in round 2, with something unsafe.
const BOLD: Script = Script {
    says: |turn| match turn.round {
        1 => (CALM.says)(turn),
        _ => "Open it on Sundays, with nobody at the desk.".to_owned(),
    },
    finds: |target| match target {
        Target::Attempt(id) if id.turn.round == 2 && id.turn.chair.index == 1 => ("unsafe", -1.0),
        Target::Attempt(_) | Target::Round(_) | Target::Debate => ("safe", 1.0),
    },
};

const SHOW: DiffOptions = DiffOptions {
    layout: DiffLayout::Beside,
    content: Content::Shown,
    private: false,
    folded: true,
    marking: Marking::Signs,
};

/// A debate, and a fork of it that went on differently.
fn parted() -> (Play, Play) {
    let game = game("pred", &[("rounds", 2), ("debaters", 2)]);
    let mut left = Play::begin("01LEFT", game);
    left.until(
        &CALM,
        |step| matches!(step, Step::Speak(speak) if speak.turn.round == 2),
    );
    let mut right = left.fork(left.records.len());
    left.go_to_end(&CALM);
    right.go_to_end(&BOLD);
    (left, right)
}

fn compared(left: &Play, right: &Play) -> Comparison {
    let side =
        |play: &Play, id| DiffSide::from_state(&SessionId::new(id), play.state.clone(), None);
    Comparison::new(side(left, "01LEFT"), side(right, "02RIGHT"))
}

#[test]
fn a_shared_past_is_one_item_and_what_differs_is_told_by_texts_and_verdicts() {
    let (left, right) = parted();
    let compared = compared(&left, &right);
    let items = compared.list_items(true);
    assert!(matches!(items.first(), Some(DiffItem::Shared { .. })));
    assert!(items.len() < compared.list_items(false).len());
    assert_eq!(
        compared.differing_words(),
        "1 row with verdicts that differ"
    );
    let differing = items
        .iter()
        .filter_map(|item| compared.find_row(item))
        .find(|row| row.verdicts == VerdictMatch::Differ);
    let (heading, parts) = compared.row_text(differing.unwrap(), SHOW);
    let heading: String = heading.runs.into_iter().map(|(_, text)| text).collect();
    assert!(heading.ends_with("verdicts differ"), "{heading}");
    assert!(matches!(
        parts.as_slice(),
        [RowText::Both(..), RowText::Both(..)]
    ));
}

#[test]
fn a_row_that_says_the_same_is_its_heading_until_it_is_unfolded() {
    let (left, _) = parted();
    let compared = compared(&left, &left);
    let items = compared.list_items(false);
    let mut rows = items.iter().filter_map(|item| compared.find_row(item));
    let turn = rows.rfind(|row| matches!(row.subject, Subject::Turn(_)));
    let turn = turn.unwrap();
    assert!(compared.row_text(turn, SHOW).1.is_empty());
    let unfolded = DiffOptions {
        folded: false,
        layout: DiffLayout::Woven,
        ..SHOW
    };
    assert_eq!(compared.row_text(turn, unfolded).1.len(), 2);
}

#[test]
fn records_that_do_not_follow_are_told_from_those_of_other_sessions() {
    let (left, right) = parted();
    let mut compared = compared(&left, &right);
    let first = std::slice::from_ref(&left.records[0]);
    let other = SessionId::new("03OTHER");
    assert_eq!(
        compared.apply_records(&other, first),
        RecordsTaken::OfNeither
    );
    let own = SessionId::new("01LEFT");
    assert_eq!(compared.apply_records(&own, first), RecordsTaken::Unfit);
    assert_eq!(compared.apply_records(&own, &[]), RecordsTaken::Taken);
}

#[test]
fn a_masked_text_holds_no_words_of_anybody() {
    let (left, right) = parted();
    let compared = compared(&left, &right);
    let masked = DiffOptions {
        content: Content::Masked,
        ..SHOW
    };
    assert!(compared.full_text(SHOW).contains("nobody at the desk"));
    let text = compared.full_text(masked);
    for word in ["Sundays", "desk", "reads as"] {
        assert!(!text.contains(word), "{word}\n{text}");
    }
}
