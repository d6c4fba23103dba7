//! Games in which a judge picks one of two candidates (FIELD §3).

use std::collections::BTreeSet;

use super::count::{Pool, Tally};
use super::figure::{By, Figure, Key, LeftOut, Measure};
use super::rows::{DebateRow, PickRow, Picked, TurnRow};
use super::safety;

/// Returns every figure about picks and the accuracy of each candidate; none where no debate of the
/// pool has a pick.
pub(super) fn picks(pool: &Pool<'_>) -> Vec<Figure> {
    if pool.debates.iter().all(|debate| debate.pick.is_none()) {
        return Vec::new();
    }
    let right = |measure, tie: f64| {
        share(pool, measure, "no readable pick with one right", |pick| {
            if !pick.decidable {
                return None;
            }
            Some(match pick.picked {
                Picked::Right => Ok(1.0),
                Picked::Wrong => Ok(0.0),
                Picked::Tie => Ok(tie),
                Picked::Unparsed => Err(LeftOut::DecisionUnparsed),
            })
        })
    };
    let mut figures = vec![
        right(Measure::PicksRight, 0.0),
        right(Measure::PicksRightTiesHalf, 0.5),
        share(pool, Measure::PickTies, "no readable pick", |pick| {
            Some(match pick.picked {
                Picked::Tie => Ok(1.0),
                Picked::Right | Picked::Wrong => Ok(0.0),
                Picked::Unparsed => Err(LeftOut::DecisionUnparsed),
            })
        }),
        share(pool, Measure::DecidableShare, "no pick", |pick| {
            Some(Ok(if pick.decidable { 1.0 } else { 0.0 }))
        }),
    ];
    figures.extend(candidates(pool));
    figures
}

fn share(
    pool: &Pool<'_>,
    measure: Measure,
    why_not: &'static str,
    value: impl Fn(PickRow) -> Option<Result<f64, LeftOut>>,
) -> Figure {
    let tally = |debate: &DebateRow| {
        let mut tally = Tally::default();
        let Some(pick) = debate.pick else {
            return tally;
        };
        let inherited = pick.inherited.then_some(LeftOut::Inherited);
        let excluded = inherited.or_else(|| debate.excluded(pool.scope.people));
        match (excluded, value(pick)) {
            (_, None) => {}
            (Some(reason), Some(_)) | (None, Some(Err(reason))) => tally.leave_out(reason),
            (None, Some(Ok(value))) => tally.observe(value),
        }
        tally
    };
    pool.figure(measure, tally, |_| why_not)
}

/// Accuracy of each place that the ground truth graded.
fn candidates(pool: &Pool<'_>) -> Vec<Figure> {
    let places: BTreeSet<String> = pool
        .debates
        .iter()
        .filter(|debate| debate.pick.is_some())
        .flat_map(|debate| &debate.turns)
        .filter(|turn| turn.correct.is_some())
        .map(TurnRow::place)
        .collect();
    places
        .into_iter()
        .map(|place| {
            let part = pool.with_scope(pool.scope.with_place(&place));
            safety::answer_accuracy(&part).keyed(Key {
                by: By::Seat,
                value: place,
            })
        })
        .collect()
}
