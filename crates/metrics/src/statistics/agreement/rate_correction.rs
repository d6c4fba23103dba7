//! Correction of an evaluator's rate by the labels of a sample (FIGURES 6).

use super::contingency_table::checked_share;
use crate::statistics::bootstrap::bootstrap_interval;
use crate::statistics::combined_interval::combine_intervals;
use crate::statistics::difference_interval::difference_of_shares_interval;
use crate::statistics::evaluator_error::{Corrected, EvaluatorError, rogan_gladen};
use crate::statistics::few_apart::{MIN_TOPICS_MISJUDGED, effective_number};
use crate::statistics::interval::{
    Interval, MIN_TOPICS_FOR_INTERVAL, Resampling, TopicSums, ratio, share_interval,
};
use crate::statistics::sums::sum_at;
use std::collections::BTreeMap;
use thiserror::Error;

/// Fewest labels of a class for a correction. With fewer, the evaluator's error on that class is
/// unknown.
pub const MIN_LABELS_PER_CLASS: usize = 5;

/// A judged turn of an arm, labelled by people or not.
#[derive(Debug, Clone, PartialEq)]
pub struct AuditedTurn {
    pub topic: String,
    /// The evaluator called it positive.
    pub verdict: bool,
    /// Probability with which the turn was drawn for labelling, in (0, 1]; 0 for one that could not
    /// be drawn.
    pub chance: f64,
    /// Label by people, positive or not, if there is one.
    pub label: Option<bool>,
}

/// The rate by an evaluator and its corrections. Rates are in [0, 1].
#[derive(Debug, Clone, PartialEq)]
pub struct Correction {
    /// Share of positive verdicts over all turns.
    pub observed: f64,
    /// Difference estimator: the mean verdict plus the weighted mean of label − verdict.
    pub rate: Corrected,
    /// Interval of the difference estimator, by [`difference_estimate_interval`]; truncated to [0, 1].
    pub interval: Option<Interval>,
    /// The same by resampling topics however few of them labels differ in: what further labels are planned by.
    pub resampled: Option<Interval>,
    /// Rogan and Gladen's estimator, where the evaluator's error on both classes is known well
    /// enough.
    pub by_error: Result<ByError, NoErrorRates>,
    pub turns: usize,
    pub labels: usize,
    /// Topics of the arm, and those with a label.
    pub topics: usize,
    pub labelled_topics: usize,
}

/// A correction by the evaluator's error.
#[derive(Debug, Clone, PartialEq)]
pub struct ByError {
    pub error: EvaluatorError,
    pub rate: Corrected,
    /// Interval with rate, sensitivity and specificity resampled together; truncated to [0, 1].
    pub interval: Option<Interval>,
}

/// Reason why an arm cannot be corrected at all.
#[derive(Debug, Clone, Copy, PartialEq, Error)]
pub enum CorrectionError {
    #[error("no turn of this arm has a label: label some, drawn by chance from all of them")]
    NoLabels,
    #[error(
        "{0} turns of this arm could not be drawn for labelling, so the labels do not speak for them: draw the sample from all turns"
    )]
    NeverDrawn(usize),
    #[error("a turn was drawn with chance {0}, which is not above 0 and at most 1")]
    Chance(f64),
}

/// Reason why the evaluator's error cannot be estimated although there are labels.
#[derive(Debug, Clone, Copy, PartialEq, Error)]
pub enum NoErrorRates {
    #[error(
        "{positive} positive and {negative} negative labels are too few to tell the evaluator's error on each class: label at least {MIN_LABELS_PER_CLASS} of each"
    )]
    TooFew { positive: usize, negative: usize },
    #[error(
        "sensitivity {sensitivity:.3} and specificity {specificity:.3} do not add up to more than 1: the verdicts carry no information"
    )]
    Uninformative { sensitivity: f64, specificity: f64 },
}

/// Sums of a topic: see [`TopicSums`].
#[derive(Debug, Clone, Copy, Default)]
struct Sums([f64; 8]);

const VERDICTS: usize = 0;
const TURNS: usize = 1;
const DIFFERENCE: usize = 2;
const WEIGHT: usize = 3;
const HITS: usize = 4;
const POSITIVE: usize = 5;
const QUIET: usize = 6;
const NEGATIVE: usize = 7;

/// Corrects the share of positive verdicts of one arm by the labels of a sample of its turns.
///
/// With verdict v, label y and weight w = 1 / probability, the difference estimator is mean(v) + Σ
/// w(y − v) / Σ w: it needs no assumption on the evaluator's errors (Särndal, Swensson and Wretman
/// 1992, 6.3). Rogan and Gladen's estimator uses sensitivity and specificity from the same weighted
/// labels. Topics are resampled whole, and all parts of a figure together.
///
/// # Errors
/// When the arm has no label, or turns that no sample could hold.
pub fn correct_rate(
    turns: &[AuditedTurn],
    plan: Resampling,
) -> Result<Correction, CorrectionError> {
    let (by_topic, labels) = sum_by_topic(turns)?;
    let mut sums = TopicSums::new(8);
    for topic in by_topic.values() {
        sums.push(&topic.0);
    }
    let total = sums.total();
    let observed_rate = checked_share(sum_at(&total, VERDICTS), sum_at(&total, TURNS));
    let (Some(observed), Some(raw)) = (observed_rate, difference_estimate(&total)) else {
        return Err(CorrectionError::NoLabels);
    };
    let has_label = |topic: &&Sums| sum_at(&topic.0, WEIGHT) > 0.0;
    let labelled_topics = by_topic.values().filter(has_label).count();
    Ok(Correction {
        observed,
        rate: truncate_rate(raw),
        interval: difference_estimate_interval(&sums, labelled_topics, plan),
        resampled: (labelled_topics >= MIN_TOPICS_FOR_INTERVAL)
            .then(|| bootstrap_interval(&sums, difference_estimate, plan).map(clamp_to_unit))
            .flatten(),
        by_error: correct_by_error(&sums, labels, labelled_topics, plan),
        turns: turns.len(),
        labels: labels.positive + labels.negative,
        topics: by_topic.len(),
        labelled_topics,
    })
}

/// Numbers of labels by class.
#[derive(Debug, Clone, Copy, Default)]
struct Labels {
    positive: usize,
    negative: usize,
}

fn sum_by_topic(turns: &[AuditedTurn]) -> Result<(BTreeMap<&str, Sums>, Labels), CorrectionError> {
    let wrong = |chance: f64| !(0.0..=1.0).contains(&chance);
    if let Some(turn) = turns.iter().find(|turn| wrong(turn.chance)) {
        return Err(CorrectionError::Chance(turn.chance));
    }
    let has_label = |turn: &&AuditedTurn| turn.label.is_some();
    if let Some(turn) = turns
        .iter()
        .filter(has_label)
        .find(|turn| turn.chance == 0.0)
    {
        return Err(CorrectionError::Chance(turn.chance));
    }
    if !turns.iter().any(|turn| turn.label.is_some()) {
        return Err(CorrectionError::NoLabels);
    }
    let never = turns.iter().filter(|turn| turn.chance == 0.0).count();
    if never > 0 {
        return Err(CorrectionError::NeverDrawn(never));
    }
    let mut topics: BTreeMap<&str, Sums> = BTreeMap::new();
    let mut labels = Labels::default();
    for turn in turns {
        let Sums(sums) = topics.entry(turn.topic.as_str()).or_default();
        let verdict = f64::from(u8::from(turn.verdict));
        sums[VERDICTS] += verdict;
        sums[TURNS] += 1.0;
        let Some(label) = turn.label else { continue };
        let weight = 1.0 / turn.chance;
        sums[WEIGHT] += weight;
        sums[DIFFERENCE] += weight * (f64::from(u8::from(label)) - verdict);
        if label {
            labels.positive += 1;
            sums[POSITIVE] += weight;
            sums[HITS] += weight * verdict;
        } else {
            labels.negative += 1;
            sums[NEGATIVE] += weight;
            sums[QUIET] += weight * (1.0 - verdict);
        }
    }
    Ok((topics, labels))
}

fn difference_estimate(sums: &[f64]) -> Option<f64> {
    let observed_rate = checked_share(sum_at(sums, VERDICTS), sum_at(sums, TURNS))?;
    Some(observed_rate + checked_share(sum_at(sums, DIFFERENCE), sum_at(sums, WEIGHT))?)
}

fn correct_by_error(
    sums: &TopicSums,
    labels: Labels,
    labelled_topics: usize,
    plan: Resampling,
) -> Result<ByError, NoErrorRates> {
    let total = sums.total();
    let few = NoErrorRates::TooFew {
        positive: labels.positive,
        negative: labels.negative,
    };
    if labels.positive.min(labels.negative) < MIN_LABELS_PER_CLASS {
        return Err(few);
    }
    let sensitivity = checked_share(sum_at(&total, HITS), sum_at(&total, POSITIVE));
    let specificity = checked_share(sum_at(&total, QUIET), sum_at(&total, NEGATIVE));
    let observed_rate = checked_share(sum_at(&total, VERDICTS), sum_at(&total, TURNS));
    let (Some(sensitivity), Some(specificity), Some(observed)) =
        (sensitivity, specificity, observed_rate)
    else {
        return Err(few);
    };
    let uninformative = NoErrorRates::Uninformative {
        sensitivity,
        specificity,
    };
    let error = EvaluatorError::new(sensitivity, specificity).map_err(|_| uninformative)?;
    let rate = rogan_gladen(observed, error).map_err(|_| uninformative)?;
    Ok(ByError {
        error,
        rate,
        interval: error_correction_interval(sums, labelled_topics, plan),
    })
}

/// Resamples topics where labels and verdicts differ in enough of them; else the interval is that of the mean
/// verdict combined with that of the mean difference. Labels of fewer than [`MIN_TOPICS_FOR_INTERVAL`] topics
/// give none.
fn difference_estimate_interval(
    sums: &TopicSums,
    labelled_topics: usize,
    plan: Resampling,
) -> Option<Interval> {
    if labelled_topics < MIN_TOPICS_FOR_INTERVAL {
        return None;
    }
    let differing = effective_number(sums.rows().map(|row| sum_at(row, DIFFERENCE)));
    if differing >= MIN_TOPICS_MISJUDGED {
        return bootstrap_interval(sums, difference_estimate, plan).map(clamp_to_unit);
    }
    let verdicts = part_sums(sums, |row| (sum_at(row, VERDICTS), sum_at(row, TURNS)));
    let labels = part_sums(sums, |row| (sum_at(row, DIFFERENCE), sum_at(row, WEIGHT)));
    let observed_rate = (ratio(&verdicts.total())?, share_interval(&verdicts, plan)?);
    let error = difference_of_shares_interval(&labels, plan)?;
    let error = (ratio(&labels.total())?, error);
    combine_intervals([observed_rate, error], |[observed, error]| {
        Some(observed + error)
    })
    .map(clamp_to_unit)
}

/// Resamples topics where the evaluator erred on each class in enough of them; else the interval is that of the rate
/// combined with those of sensitivity and specificity.
fn error_correction_interval(
    sums: &TopicSums,
    labelled_topics: usize,
    plan: Resampling,
) -> Option<Interval> {
    let classes = [(HITS, POSITIVE), (QUIET, NEGATIVE)];
    if labelled_topics < MIN_TOPICS_FOR_INTERVAL {
        return None;
    }
    let verdicts = part_sums(sums, |row| (sum_at(row, VERDICTS), sum_at(row, TURNS)));
    let [caught, quiet] =
        classes.map(|(right, all)| part_sums(sums, |row| (sum_at(row, right), sum_at(row, all))));
    if errors_are_known(&[&caught, &quiet]) {
        return bootstrap_interval(sums, error_corrected_rate, plan).map(clamp_to_unit);
    }
    rate_by_parts(
        [&verdicts, &caught, &quiet],
        plan,
        |[observed, caught, quiet]| checked_share(observed + quiet - 1.0, caught + quiet - 1.0),
    )
}

/// Says whether enough topics hold an error of each class.
pub(crate) fn errors_are_known(classes: &[&TopicSums]) -> bool {
    classes.iter().all(|class| {
        let wrong = class.rows().map(|row| row[1] - row[0]);
        effective_number(wrong) >= MIN_TOPICS_MISJUDGED
    })
}

/// Returns the interval of what follows from the observed rate, sensitivity and specificity, from those of the three;
/// `None` where one has none, or a limit carries no information.
pub(crate) fn rate_by_parts(
    parts: [&TopicSums; 3],
    plan: Resampling,
    statistic: impl Fn([f64; 3]) -> Option<f64>,
) -> Option<Interval> {
    let [observed, caught, quiet] = parts.map(|part| {
        let value = ratio(&part.total())?;
        Some((value, share_interval(part, plan)?))
    });
    let informed_statistic = |parts: [f64; 3]| {
        let [_, caught, quiet] = parts;
        (caught + quiet > 1.0).then(|| statistic(parts))?
    };
    combine_intervals([observed?, caught?, quiet?], informed_statistic).map(clamp_to_unit)
}

/// Returns a part of the sums of each topic, where it has one.
pub(crate) fn part_sums(sums: &TopicSums, of: impl Fn(&[f64]) -> (f64, f64)) -> TopicSums {
    let mut parts = TopicSums::new(2);
    for (part, whole) in sums.rows().map(of).filter(|(_, whole)| *whole > 0.0) {
        parts.push(&[part, whole]);
    }
    parts
}

fn clamp_to_unit(interval: Interval) -> Interval {
    Interval {
        low: interval.low.clamp(0.0, 1.0),
        high: interval.high.clamp(0.0, 1.0),
        ..interval
    }
}

/// Returns the rate by the evaluator's error, not truncated; `None` for a resample whose verdicts
/// carry no information.
fn error_corrected_rate(sums: &[f64]) -> Option<f64> {
    let sensitivity = checked_share(sum_at(sums, HITS), sum_at(sums, POSITIVE))?;
    let specificity = checked_share(sum_at(sums, QUIET), sum_at(sums, NEGATIVE))?;
    let observed_rate = checked_share(sum_at(sums, VERDICTS), sum_at(sums, TURNS))?;
    checked_share(
        observed_rate + specificity - 1.0,
        sensitivity + specificity - 1.0,
    )
}

fn truncate_rate(raw: f64) -> Corrected {
    let rate = raw.clamp(0.0, 1.0);
    Corrected {
        rate,
        truncated_from: (rate != raw).then_some(raw),
    }
}
