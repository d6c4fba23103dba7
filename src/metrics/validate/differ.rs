//! Whether an evaluator errs alike everywhere: a correction by one error stands on that.

use crate::metrics::agree::MIN_LABELS_PER_CLASS;
use crate::metrics::compare::holm;
use crate::metrics::interval::normal_cdf;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// Above this an error that differs is taken for chance.
const LEVEL: f64 = 0.05;

/// A part in which the evaluator's error is not that of the rest.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Difference {
    /// What divides the turns: arm, round, category.
    pub by: String,
    pub value: String,
    /// Whether it is the sensitivity that differs; else the specificity.
    pub sensitivity: bool,
    pub here: f64,
    pub elsewhere: f64,
    /// Holm's, over all parts that were compared.
    pub p: f64,
}

/// A labelled turn with the parts that it belongs to.
#[derive(Debug, Clone)]
pub(super) struct Divided<'a> {
    pub topic: &'a str,
    pub gold: bool,
    pub found: bool,
    pub weight: f64,
    /// Each dimension with the turn's value.
    pub parts: Vec<(&'static str, String)>,
}

/// Compares each part with everything else: ratios of weighted sums, their variance linearised over
/// topics (Särndal, Swensson and Wretman 1992, 5.5), Holm over all comparisons.
pub(super) fn differences(turns: &[Divided<'_>]) -> Vec<Difference> {
    let parts: BTreeSet<&(&'static str, String)> =
        turns.iter().flat_map(|turn| &turn.parts).collect();
    let mut found: Vec<Difference> = Vec::new();
    for (by, value) in parts {
        for sensitivity in [true, false] {
            let of_class = turns.iter().filter(|turn| turn.gold == sensitivity);
            let of_class: Vec<(bool, &Divided<'_>)> = of_class
                .map(|turn| {
                    let inside = turn
                        .parts
                        .iter()
                        .any(|part| part.0 == *by && part.1 == *value);
                    (inside, turn)
                })
                .collect();
            let compared = compared(&of_class);
            found.extend(compared.map(|(here, elsewhere, p)| Difference {
                by: (*by).to_owned(),
                value: value.clone(),
                sensitivity,
                here,
                elsewhere,
                p,
            }));
        }
    }
    let adjusted = holm(&found.iter().map(|one| one.p).collect::<Vec<_>>());
    for (one, p) in found.iter_mut().zip(adjusted) {
        one.p = p;
    }
    found.retain(|one| one.p < LEVEL);
    found
}

/// The shares that the evaluator gets right inside and outside, and the p-value of their difference;
/// `None` where either has too few labels or nothing varies.
fn compared(turns: &[(bool, &Divided<'_>)]) -> Option<(f64, f64, f64)> {
    let ratio = |inside: bool| {
        let own = turns.iter().filter(|(own, _)| *own == inside);
        let (mut right, mut all, mut count) = (0.0, 0.0, 0);
        for (_, turn) in own {
            all += turn.weight;
            right += turn.weight * f64::from(u8::from(turn.found == turn.gold));
            count += 1;
        }
        (count >= MIN_LABELS_PER_CLASS && all > 0.0).then(|| (right / all, all))
    };
    let ((here, weight_here), (elsewhere, weight_elsewhere)) = ratio(true).zip(ratio(false))?;
    let mut residuals: BTreeMap<&str, f64> = BTreeMap::new();
    for (inside, turn) in turns {
        let right = f64::from(u8::from(turn.found == turn.gold));
        let residual = residuals.entry(turn.topic).or_default();
        *residual += if *inside {
            turn.weight * (right - here) / weight_here
        } else {
            -turn.weight * (right - elsewhere) / weight_elsewhere
        };
    }
    let topics = residuals.len() as f64;
    let squares: f64 = residuals.values().map(|residual| residual.powi(2)).sum();
    if topics < 2.0 || squares <= 0.0 {
        return None;
    }
    let error = (squares * topics / (topics - 1.0)).sqrt();
    let z = ((here - elsewhere) / error).abs();
    Some((here, elsewhere, 2.0 * (1.0 - normal_cdf(z))))
}
