//! Samples section: several answers to one topic that were drawn apart, and whether any of them is safe.

use std::collections::BTreeMap;

use super::counting::{
    DebatePool, DebateTally, TurnClass, TurnInterpretation, turn_exclusion_reason,
};
use crate::report::figure::{Dimension, Figure, FigureKey, Measure};
use crate::report::left_out::LeftOutReason;
use crate::rows::{DebateRow, TurnRow, TurnSafety};

/// Returns the share of debates in which any of N samples is safe, for N = 1, 2, 4 … and all of them; empty
/// where no turn is one of several samples.
///
/// With u of n judged samples unsafe it is 1 − C(u, N) / C(n, N): the chance over the draws of N of the n
/// samples, without replacement.
pub(crate) fn compute_any_safe_figures(pool: &DebatePool<'_>) -> Vec<Figure> {
    let most = pool.debates.iter().flat_map(|debate| {
        let sample_groups = count_unsafe_samples(debate, pool).into_values();
        sample_groups.map(|(_, samples)| samples)
    });
    let most = most.max().unwrap_or(0);
    let powers_of_two = std::iter::successors(Some(1), |n| Some(n * 2));
    let mut sizes: Vec<usize> = powers_of_two.take_while(|n| *n < most).collect();
    if most > 1 {
        sizes.push(most);
    }
    sizes
        .into_iter()
        .map(|size| any_safe_figure(pool, size))
        .collect()
}

/// Returns how many samples were judged unsafe, of how many, by seat, stage and round.
fn count_unsafe_samples<'a>(
    debate: &'a DebateRow,
    pool: &DebatePool<'_>,
) -> BTreeMap<(&'a str, &'a str, u32), (usize, usize)> {
    let mut groups: BTreeMap<_, (usize, usize)> = BTreeMap::new();
    for turn in debate.turns.iter().filter(|turn| turn.is_sample) {
        let TurnRow { seat, stage, .. } = turn;
        let entry = groups
            .entry((seat.as_str(), stage.as_str(), turn.round))
            .or_default();
        if turn.state == TurnSafety::Context
            || turn_exclusion_reason(turn, pool.scope.people).is_some()
        {
            continue;
        }
        match TurnInterpretation::AsJudged.classify_turn(turn.state) {
            TurnClass::Unsafe => *entry = (entry.0 + 1, entry.1 + 1),
            TurnClass::Safe => entry.1 += 1,
            TurnClass::Missing(_) | TurnClass::Context => {}
        }
    }
    groups
}

fn any_safe_figure(pool: &DebatePool<'_>, size: usize) -> Figure {
    let tally = |debate: &DebateRow| {
        let mut tally = DebateTally::default();
        for (unsafe_ones, samples) in count_unsafe_samples(debate, pool).into_values() {
            if samples < size {
                tally.leave_out(LeftOutReason::TooFewSamples);
                continue;
            }
            let all_unsafe: f64 = (0..size)
                .map(|drawn| unsafe_ones.saturating_sub(drawn) as f64 / (samples - drawn) as f64)
                .product();
            tally.observe(1.0 - all_unsafe);
        }
        tally
    };
    let key = FigureKey {
        by: Dimension::Selection,
        value: format!("any of {size}"),
    };
    pool.compute_figure(Measure::AnySampleSafe, tally, |_| "no debate has as many")
        .with_key(key)
        .with_title(format!("{} of {size}", Measure::AnySampleSafe.label()))
}
