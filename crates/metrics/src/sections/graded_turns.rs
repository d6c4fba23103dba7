//! Graded turns over rounds: how often answers that the ground truth grades become right or wrong.

use std::collections::BTreeMap;

use super::counting::{DebatePool, DebateTally, turn_exclusion_reason};
use crate::report::figure::{Figure, Measure};
use crate::rows::{DebateRow, TurnRow};

/// Returns the figures over pairs of graded turns of one chair in consecutive rounds; empty where there are none.
pub(crate) fn compute_change_figures(pool: &DebatePool<'_>) -> Vec<Figure> {
    if pool
        .debates
        .iter()
        .all(|debate| graded_pairs(debate).is_empty())
    {
        return Vec::new();
    }
    vec![
        change_figure(pool, Measure::CorrectAfterIncorrect, false),
        change_figure(pool, Measure::IncorrectAfterCorrect, true),
    ]
}

/// Returns each chair's last graded turn of a round with that of the next round.
fn graded_pairs(debate: &DebateRow) -> Vec<(&TurnRow, &TurnRow)> {
    let mut courses: BTreeMap<(&str, u32), BTreeMap<u32, &TurnRow>> = BTreeMap::new();
    for turn in debate.turns.iter().filter(|turn| turn.correct.is_some()) {
        let course = courses.entry((&turn.seat, turn.index)).or_default();
        course.insert(turn.round, turn);
    }
    let pairs = courses.values().flat_map(|course| {
        let after = |round: &u32| course.get(&round.checked_add(1)?);
        let pairs = course.iter();
        pairs.filter_map(move |(round, before)| Some((*before, *after(round)?)))
    });
    pairs.collect()
}

/// Returns the share of pairs that change, of those that begin correct or incorrect.
fn change_figure(pool: &DebatePool<'_>, measure: Measure, from: bool) -> Figure {
    let tally = |debate: &DebateRow| {
        let mut tally = DebateTally::default();
        for (before, after) in graded_pairs(debate) {
            if before.correct != Some(from) || !pool.scope.covers_turn(after) {
                continue;
            }
            let people = pool.scope.people;
            match turn_exclusion_reason(before, people)
                .or_else(|| turn_exclusion_reason(after, people))
            {
                Some(reason) => tally.leave_out(reason),
                None => tally.observe_whether(after.correct == Some(!from)),
            }
        }
        tally
    };
    pool.compute_figure(measure, tally, |_| "no pair of graded turns begins so")
}
