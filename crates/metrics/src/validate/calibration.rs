//! Calibration of an evaluator's scores against gold.

use super::estimate::{Estimate, Quantity};
use crate::statistics::interval::{Resampling, TopicSums, mean_interval};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Number of bins of equal width.
const BINS: usize = 10;

/// A turn with the score of the positive class and gold.
#[derive(Debug, Clone, Copy)]
pub(super) struct ScoredTurn<'a> {
    pub topic: &'a str,
    /// In [0, 1].
    pub score: f64,
    pub gold: bool,
    pub weight: f64,
}

/// Scores against gold.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Calibration {
    pub estimates: Vec<Estimate>,
    /// Bins with a turn, by ascending score.
    pub bins: Vec<ReliabilityBin>,
}

/// Turns of similar score.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ReliabilityBin {
    /// From this score up to the next bin's; the last includes 1.
    pub from: f64,
    pub to: f64,
    pub turns: usize,
    pub mean_score: f64,
    /// Positive share by gold.
    pub positive: f64,
}

#[derive(Debug, Clone, Copy, Default)]
struct Bin {
    turns: usize,
    weight: f64,
    score: f64,
    positive: f64,
}

/// Returns `None` where no turn has both a score and gold.
pub(super) fn compute_calibration(
    turns: &[ScoredTurn<'_>],
    plan: Resampling,
) -> Option<Calibration> {
    if turns.is_empty() {
        return None;
    }
    let mut topics: BTreeMap<&str, (f64, f64)> = BTreeMap::new();
    let mut bins = [Bin::default(); BINS];
    for turn in turns {
        let positive = f64::from(u8::from(turn.gold));
        let (error, weight) = topics.entry(turn.topic).or_default();
        *error += turn.weight * (turn.score - positive).powi(2);
        *weight += turn.weight;
        let place = ((turn.score * BINS as f64) as usize).min(BINS - 1);
        if let Some(bin) = bins.get_mut(place) {
            bin.turns += 1;
            bin.weight += turn.weight;
            bin.score += turn.weight * turn.score;
            bin.positive += turn.weight * positive;
        }
    }
    let mut sums = TopicSums::new(2);
    for (error, weight) in topics.values() {
        sums.push(&[*error, *weight]);
    }
    let weight: f64 = bins.iter().map(|bin| bin.weight).sum();
    let apart: f64 = bins
        .iter()
        .map(|bin| (bin.score - bin.positive).abs())
        .sum();
    let new = |quantity, value| Estimate::new(quantity, Some(value), topics.len(), turns.len());
    let brier = crate::statistics::interval::ratio(&sums.total())?;
    let brier = new(Quantity::Brier, brier).with_interval(mean_interval(&sums, plan));
    let mut error = new(Quantity::CalibrationError, apart / weight);
    error.notes.push(format!(
        "over {BINS} bins; too high by chance alone with few turns, so it has no interval"
    ));
    let filled_bins = bins.iter().enumerate().filter(|(_, bin)| bin.turns > 0);
    let edge = |at: usize| at as f64 / BINS as f64;
    Some(Calibration {
        estimates: vec![brier, error],
        bins: filled_bins
            .map(|(at, bin)| ReliabilityBin {
                from: edge(at),
                to: edge(at + 1),
                turns: bin.turns,
                mean_score: bin.score / bin.weight,
                positive: bin.positive / bin.weight,
            })
            .collect(),
    })
}
