//! Two-candidate section: games in which a judge picks one of two candidates (FIELD §3).

use std::collections::BTreeSet;

use super::counting::{DebatePool, DebateTally};
use super::safety;
use crate::report::figure::{Dimension, Figure, FigureKey, Measure};
use crate::report::left_out::LeftOutReason;
use crate::rows::{DebateRow, MissingAnswer, PickOutcome, PickRow, TurnRow};

/// Returns every figure about picks and the accuracy of each candidate; empty where no debate of
/// the pool has a pick.
pub(crate) fn compute_pick_figures(pool: &DebatePool<'_>) -> Vec<Figure> {
    if pool.debates.iter().all(|debate| debate.pick.is_none()) {
        return Vec::new();
    }
    let right = |measure, tie: f64| {
        pick_share_figure(
            pool,
            measure,
            "no readable pick with one right",
            |debate, pick| {
                let Some(decidable) = pick.decidable else {
                    return Some(Err(ungraded_reason(debate)));
                };
                decidable.then_some(match pick.picked {
                    PickOutcome::Right => Ok(1.0),
                    PickOutcome::Wrong => Ok(0.0),
                    PickOutcome::Tie => Ok(tie),
                    PickOutcome::Unparsed => Err(LeftOutReason::DecisionUnparsed),
                    PickOutcome::UnparsedOfMaterial => {
                        Err(LeftOutReason::DecisionUnparsedOfMaterial)
                    }
                    PickOutcome::Filtered => Err(LeftOutReason::DecisionFiltered),
                    PickOutcome::Failed => Err(LeftOutReason::DecisionFailed),
                })
            },
        )
    };
    let mut figures = vec![
        right(Measure::PicksRight, 0.0),
        right(Measure::PicksRightTiesHalf, 0.5),
        pick_share_figure(pool, Measure::PickTies, "no readable pick", |_, pick| {
            Some(match pick.picked {
                PickOutcome::Tie => Ok(1.0),
                PickOutcome::Right | PickOutcome::Wrong => Ok(0.0),
                PickOutcome::Unparsed => Err(LeftOutReason::DecisionUnparsed),
                PickOutcome::UnparsedOfMaterial => Err(LeftOutReason::DecisionUnparsedOfMaterial),
                PickOutcome::Filtered => Err(LeftOutReason::DecisionFiltered),
                PickOutcome::Failed => Err(LeftOutReason::DecisionFailed),
            })
        }),
        pick_share_figure(
            pool,
            Measure::DecidableShare,
            "no graded pick",
            |debate, pick| {
                Some(match pick.decidable {
                    Some(true) => Ok(1.0),
                    Some(false) => Ok(0.0),
                    None => Err(ungraded_reason(debate)),
                })
            },
        ),
    ];
    figures.extend(candidate_accuracy_figures(pool));
    figures
}

fn pick_share_figure(
    pool: &DebatePool<'_>,
    measure: Measure,
    why_not: &'static str,
    value: impl Fn(&DebateRow, PickRow) -> Option<Result<f64, LeftOutReason>>,
) -> Figure {
    let tally = |debate: &DebateRow| {
        let mut tally = DebateTally::default();
        let Some(pick) = debate.pick else {
            return tally;
        };
        let inherited_reason = pick.inherited.then_some(LeftOutReason::Inherited);
        let exclusion = inherited_reason.or_else(|| debate.exclusion_reason(pool.scope.people));
        match (exclusion, value(debate, pick)) {
            (_, None) => {}
            (Some(reason), Some(_)) | (None, Some(Err(reason))) => tally.leave_out(reason),
            (None, Some(Ok(value))) => tally.observe(value),
        }
        tally
    };
    pool.compute_figure(measure, tally, |_| why_not)
}

/// Returns why a candidate was not graded.
fn ungraded_reason(debate: &DebateRow) -> LeftOutReason {
    let mut missing = debate.turns.iter().filter_map(|turn| turn.missing_answer);
    missing
        .next()
        .map_or(LeftOutReason::NoGroundTruth, MissingAnswer::why_left_out)
}

/// Returns the accuracy of each chair that the ground truth graded.
fn candidate_accuracy_figures(pool: &DebatePool<'_>) -> Vec<Figure> {
    let places: BTreeSet<String> = pool
        .debates
        .iter()
        .filter(|debate| debate.pick.is_some())
        .flat_map(|debate| &debate.turns)
        .filter(|turn| turn.correct.is_some())
        .map(TurnRow::chair_name)
        .collect();
    places
        .into_iter()
        .map(|place| {
            let part = pool.with_scope(pool.scope.with_chair(&place));
            safety::answer_accuracy(&part).with_key(FigureKey {
                by: Dimension::Seat,
                value: place,
            })
        })
        .collect()
}
