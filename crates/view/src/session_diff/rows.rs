//! Rows of a session comparison, aligned, and folds among them. Pure.

use super::side::{DiffSide, Subject};
use elenchus_game::debate::{Sides, TurnId, align_turns};
use std::collections::BTreeSet;

/// A row: the same thing on both sides.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiffRow {
    pub subject: Subject,
    pub sides: Sides,
    /// Both say the same there.
    pub same: bool,
    pub verdicts: VerdictMatch,
}

/// Agreement of the verdicts of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VerdictMatch {
    /// At most one side has any, or they answer different rules.
    Incomparable,
    Same,
    Differ,
}

/// Item on the page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DiffItem {
    /// Shared past of two forks: numbers of rows and turns, and the last turn.
    Shared {
        rows: usize,
        turns: usize,
        upto: TurnId,
    },
    /// A row, by its number.
    Row(usize),
    Totals,
}

/// Returns the rows, in the order of the game.
pub(super) fn build_rows(left: &DiffSide, right: &DiffSide) -> Vec<DiffRow> {
    let mut subjects = vec![Subject::Memory];
    let turns = align_turns(&left.state, &right.state);
    let rounds: BTreeSet<u32> = turns.iter().map(|row| row.turn.round).collect();
    for round in rounds {
        let round_turns = turns.iter().filter(|row| row.turn.round == round);
        subjects.extend(round_turns.map(|row| Subject::Turn(row.turn.clone())));
        subjects.push(Subject::Round(round));
    }
    subjects.push(Subject::Debate);
    subjects.push(Subject::Lesson);
    subjects
        .into_iter()
        .filter_map(|subject| build_row(left, right, subject))
        .collect()
}

fn build_row(left: &DiffSide, right: &DiffSide, subject: Subject) -> Option<DiffRow> {
    let (one, other) = (left.subject_text(&subject), right.subject_text(&subject));
    let sides = match (&one, &other) {
        (Some(_), Some(_)) => Sides::Both,
        (Some(_), None) => Sides::Left,
        (None, Some(_)) => Sides::Right,
        (None, None) => return None,
    };
    let verdicts = compare_verdicts(left, right, &subject);
    let trim = |text: &Option<String>| text.as_deref().map(str::trim).map(str::to_owned);
    let same = match subject {
        // Nothing is said there: what was found is all there is.
        Subject::Round(_) | Subject::Debate => {
            left.list_findings(&subject) == right.list_findings(&subject)
        }
        Subject::Memory | Subject::Turn(_) | Subject::Lesson => {
            sides == Sides::Both && trim(&one) == trim(&other)
        }
    };
    Some(DiffRow {
        subject,
        sides,
        same,
        verdicts,
    })
}

fn compare_verdicts(left: &DiffSide, right: &DiffSide, subject: &Subject) -> VerdictMatch {
    let (one, other) = (left.list_findings(subject), right.list_findings(subject));
    let mut agreement = VerdictMatch::Incomparable;
    for (judging, found) in &one {
        let Some((_, opposite)) = other.iter().find(|(id, _)| id == judging) else {
            continue;
        };
        if found.label() != opposite.label() {
            return VerdictMatch::Differ;
        }
        agreement = VerdictMatch::Same;
    }
    agreement
}

/// Returns how many rows at the beginning are the same past of two forks.
pub(super) fn count_shared_rows(left: &DiffSide, right: &DiffSide, rows: &[DiffRow]) -> usize {
    if !left.is_related(right) {
        return 0;
    }
    let is_shared = |row: &&DiffRow| {
        let same = row.same && row.verdicts != VerdictMatch::Differ;
        same && match &row.subject {
            Subject::Turn(turn) => {
                let (one, other) = (
                    left.state.chosen_attempt(turn),
                    right.state.chosen_attempt(turn),
                );
                one.zip(other)
                    .is_some_and(|((_, one), (_, other))| one.at == other.at)
            }
            Subject::Memory | Subject::Round(_) => true,
            // These belong to the debate as a whole and are items of their own.
            Subject::Debate | Subject::Lesson => false,
        }
    };
    rows.iter().take_while(is_shared).count()
}

/// Returns the items of the page: a folded shared past is one item.
pub(super) fn list_items(rows: &[DiffRow], shared: usize, folded: bool) -> Vec<DiffItem> {
    let mut items = Vec::with_capacity(rows.len() + 1);
    let turns: Vec<&TurnId> = rows
        .iter()
        .take(shared)
        .filter_map(|row| match &row.subject {
            Subject::Turn(turn) => Some(turn),
            Subject::Memory | Subject::Round(_) | Subject::Debate | Subject::Lesson => None,
        })
        .collect();
    let mut from = 0;
    if let (true, Some(upto)) = (folded, turns.last()) {
        items.push(DiffItem::Shared {
            rows: shared,
            turns: turns.len(),
            upto: (*upto).clone(),
        });
        from = shared;
    }
    items.extend((from..rows.len()).map(DiffItem::Row));
    items.push(DiffItem::Totals);
    items
}
