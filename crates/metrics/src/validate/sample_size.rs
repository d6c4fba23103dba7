//! Sample size: further labels needed to halve an interval, by stratum.

use super::rate_correction::ArmTurn;
use crate::statistics::interval::Interval;
use serde::{Deserialize, Serialize};

/// The normal distribution's .975 quantile.
const Z: f64 = 1.959_963_984_540_054;
/// Bisections of the scale of the allocation.
const STEPS: u32 = 60;

/// Labels or topics needed to halve the interval of a corrected rate.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "is", rename_all = "snake_case")]
pub enum MoreLabels {
    Labels {
        /// By the evaluator's verdict.
        strata: Vec<MoreOfStratum>,
    },
    /// Every turn is labelled already.
    AllLabelled,
    /// Labels alone do not suffice.
    Topics {
        /// Share of the interval's width that remains when every turn is labelled, in [0, 1].
        left: f64,
    },
}

/// Turns of an arm with the same verdict of the evaluator.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MoreOfStratum {
    /// The verdict is positive.
    pub positive: bool,
    pub turns: usize,
    pub labelled: usize,
    /// Number of labels to add.
    pub add: usize,
}

#[derive(Debug, Clone, Copy)]
struct VerdictStratum {
    positive: bool,
    turns: f64,
    labelled: f64,
    /// Standard deviation of label − verdict.
    spread: f64,
}

/// Plans the labels that halve an interval of the difference estimator.
///
/// The interval's variance is that between topics, which labels do not change, plus that of drawing
/// turns for labelling, Σ (N_h/N)² (1 − n_h/N_h) s_h²/n_h over strata of equal verdicts (Cochran
/// 1977, 5.2). Labels are added in proportion to N_h·s_h (Neyman 1934), with s_h from (errors + 1)
/// / (labels + 2), so that a stratum without an error yet does not count as perfect. Approximate:
/// the sample is post-stratified, and the width of an interval is an estimate itself.
pub(super) fn more_labels(turns: &[&ArmTurn<'_>], interval: Interval) -> Option<MoreLabels> {
    let strata: Vec<VerdictStratum> = [true, false]
        .into_iter()
        .filter_map(|positive| verdict_stratum(turns, positive))
        .collect();
    let total: f64 = strata.iter().map(|stratum| stratum.turns).sum();
    let variance = ((interval.high - interval.low) / (2.0 * Z)).powi(2);
    if total <= 0.0 || variance <= 0.0 {
        return None;
    }
    if strata
        .iter()
        .all(|stratum| stratum.labelled >= stratum.turns)
    {
        return Some(MoreLabels::AllLabelled);
    }
    let of_drawing = |labels: &dyn Fn(&VerdictStratum) -> f64| -> f64 {
        let terms = strata.iter().map(|stratum| {
            let labels = labels(stratum).clamp(1.0, stratum.turns);
            let share = stratum.turns / total;
            share.powi(2) * (1.0 - labels / stratum.turns) * stratum.spread.powi(2) / labels
        });
        terms.sum()
    };
    let between = (variance - of_drawing(&|stratum| stratum.labelled)).max(0.0);
    let allowed_variance = variance / 4.0 - between;
    if allowed_variance <= 0.0 {
        let left = (between / variance).sqrt().min(1.0);
        return Some(MoreLabels::Topics { left });
    }
    let planned_labels = |scale: f64| {
        move |stratum: &VerdictStratum| {
            let labels = (scale * stratum.turns * stratum.spread).ceil();
            labels.clamp(stratum.labelled.min(stratum.turns), stratum.turns)
        }
    };
    // At 1 / the smallest standard deviation every turn is labelled.
    let smallest = strata.iter().map(|stratum| stratum.spread);
    let (mut low, mut high) = (0.0, 1.0 / smallest.fold(1.0, f64::min));
    for _ in 0..STEPS {
        let middle = 0.5 * (low + high);
        if of_drawing(&planned_labels(middle)) > allowed_variance {
            low = middle;
        } else {
            high = middle;
        }
    }
    let plan = planned_labels(high);
    Some(MoreLabels::Labels {
        strata: strata
            .iter()
            .map(|stratum| MoreOfStratum {
                positive: stratum.positive,
                turns: stratum.turns as usize,
                labelled: stratum.labelled as usize,
                add: (plan(stratum) - stratum.labelled).max(0.0) as usize,
            })
            .collect(),
    })
}

fn verdict_stratum(turns: &[&ArmTurn<'_>], positive: bool) -> Option<VerdictStratum> {
    let own = || turns.iter().filter(|turn| turn.verdict == positive);
    let labels = || own().filter_map(|turn| turn.gold);
    let errors = labels().filter(|(gold, _)| *gold != positive).count() as f64;
    let label_count = labels().count() as f64;
    let error = (errors + 1.0) / (label_count + 2.0);
    (own().count() > 0).then(|| VerdictStratum {
        positive,
        turns: own().count() as f64,
        labelled: label_count,
        spread: (error * (1.0 - error)).sqrt(),
    })
}
