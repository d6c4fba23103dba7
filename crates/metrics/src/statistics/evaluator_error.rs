//! Evaluator error: its effect on a rate, and the correction by Rogan and Gladen.
//!
//! The positive class is *unsafe* throughout (FIGURES 7): sensitivity is the share of unsafe turns
//! that the evaluator calls unsafe, specificity the share of safe turns that it calls safe.

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// An evaluator's sensitivity and specificity, both in [0, 1], for the positive class *unsafe*.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Unchecked")]
pub struct EvaluatorError {
    sensitivity: f64,
    specificity: f64,
}

/// Serialized form of [`EvaluatorError`] before its ranges are checked.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Unchecked {
    sensitivity: f64,
    specificity: f64,
}

impl TryFrom<Unchecked> for EvaluatorError {
    type Error = EvaluatorErrorOutOfRange;

    fn try_from(raw: Unchecked) -> Result<Self, Self::Error> {
        Self::new(raw.sensitivity, raw.specificity)
    }
}

/// A sensitivity or specificity outside [0, 1].
#[derive(Debug, Clone, Copy, PartialEq, Error)]
#[error(
    "evaluator with sensitivity {sensitivity} and specificity {specificity}: both must lie between 0 and 1; give shares, not percentages"
)]
pub struct EvaluatorErrorOutOfRange {
    pub sensitivity: f64,
    pub specificity: f64,
}

impl EvaluatorError {
    /// Checks that both are in [0, 1].
    pub fn new(sensitivity: f64, specificity: f64) -> Result<Self, EvaluatorErrorOutOfRange> {
        let is_share = |x: f64| (0.0..=1.0).contains(&x);
        if is_share(sensitivity) && is_share(specificity) {
            Ok(Self {
                sensitivity,
                specificity,
            })
        } else {
            Err(EvaluatorErrorOutOfRange {
                sensitivity,
                specificity,
            })
        }
    }

    /// Share of unsafe turns that the evaluator calls unsafe.
    pub fn sensitivity(self) -> f64 {
        self.sensitivity
    }

    /// Share of safe turns that the evaluator calls safe.
    pub fn specificity(self) -> f64 {
        self.specificity
    }
}

/// A true rate recovered from an observed one.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Corrected {
    /// In [0, 1].
    pub rate: f64,
    /// Result of the formula, where it was outside [0, 1] and truncated.
    pub truncated_from: Option<f64>,
}

/// Reason why a rate cannot be corrected.
#[derive(Debug, Clone, Copy, PartialEq, Error)]
pub enum RoganGladenError {
    #[error(
        "no correction: sensitivity {sensitivity} and specificity {specificity} do not add up to more than 1, so the verdicts carry no information; use another evaluator or label more turns"
    )]
    Uninformative { sensitivity: f64, specificity: f64 },
    #[error("no correction: observed rate {0} is not between 0 and 1")]
    NotARate(f64),
}

/// Recovers the true rate from the rate of *unsafe* verdicts: p = (q + spec − 1) / (sens + spec − 1)
/// (Rogan and Gladen 1978), only where sensitivity + specificity > 1 (FIGURES 6).
pub fn rogan_gladen(
    observed: f64,
    evaluator: EvaluatorError,
) -> Result<Corrected, RoganGladenError> {
    if !(0.0..=1.0).contains(&observed) {
        return Err(RoganGladenError::NotARate(observed));
    }
    let informedness = evaluator.sensitivity + evaluator.specificity - 1.0;
    if informedness <= 0.0 {
        return Err(RoganGladenError::Uninformative {
            sensitivity: evaluator.sensitivity,
            specificity: evaluator.specificity,
        });
    }
    let raw = (observed + evaluator.specificity - 1.0) / informedness;
    let rate = raw.clamp(0.0, 1.0);
    Ok(Corrected {
        rate,
        truncated_from: (rate != raw).then_some(raw),
    })
}

/// Returns the agreement rate that is observed when no turn changes.
///
/// Let a share `prevalence` of the seats be unsafe in both rounds and the rest safe in both, and
/// let the evaluator err independently in each. An unsafe seat is observed *unsafe, then safe* with
/// probability sens·(1 − sens), a safe one with (1 − spec)·spec, so the floor is
/// `π·sens·(1 − sens) + (1 − π)·spec·(1 − spec)`. By symmetry it is the floor of safe→unsafe conversions too. With sens
/// .61 and spec .94 a prevalence of .4 gives .13; an observed error rate of .28 corresponds to that
/// prevalence.
pub fn agreement_noise_floor(evaluator: EvaluatorError, prevalence: f64) -> f64 {
    let (sens, spec) = (evaluator.sensitivity, evaluator.specificity);
    prevalence * sens * (1.0 - sens) + (1.0 - prevalence) * spec * (1.0 - spec)
}

/// Returns the diversity that is observed when all seats of a round are equally safe or unsafe.
///
/// `seats` verdicts on one truth differ unless all are *unsafe* or all are *safe*: π·(1 − sens^k −
/// (1 − sens)^k) + (1 − π)·(1 − spec^k − (1 − spec)^k).
pub fn diversity_noise_floor(evaluator: EvaluatorError, prevalence: f64, seats: u32) -> f64 {
    let differ = |hit: f64| {
        let seats = f64::from(seats.max(1));
        (1.0 - hit.powf(seats) - (1.0 - hit).powf(seats)).max(0.0)
    };
    prevalence * differ(evaluator.sensitivity) + (1.0 - prevalence) * differ(evaluator.specificity)
}
