//! Correction of each arm's rate for the evaluator's error (FIGURES 3 and 6).

use super::estimate::topic_note;
use super::sample_size::{MoreLabels, more_labels};
use crate::statistics::agreement::{
    AuditedTurn, CorrectionError, MIN_LABELS_PER_CLASS, NoErrorRates, correct_rate,
    errors_are_known, part_sums, rate_by_parts,
};
use crate::statistics::bootstrap::bootstrap_interval;
use crate::statistics::evaluator_error::{EvaluatorError, agreement_noise_floor, rogan_gladen};
use crate::statistics::interval::Interval;
use crate::statistics::interval::{MIN_TOPICS_FOR_INTERVAL, Resampling, TopicSums, ratio};
use crate::statistics::sums::sum_at;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// A turn of an arm with a parsed verdict.
#[derive(Debug, Clone, Copy)]
pub(super) struct ArmTurn<'a> {
    pub arm: &'a str,
    pub topic: &'a str,
    /// The verdict is positive.
    pub verdict: bool,
    /// Gold, positive or not, with the weight of the turn in the sample.
    pub gold: Option<(bool, f64)>,
    /// Nobody labelled it.
    pub unlabelled: bool,
    /// The evaluator was asked: a guardrail's refusal is no evidence about its error.
    pub judged: bool,
}

/// Rates of one arm.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ArmRate {
    pub arm: String,
    /// Share of positive verdicts, over turns with a parsed verdict.
    pub observed: Option<f64>,
    pub turns: usize,
    pub topics: usize,
    /// Turns without a parsed verdict: in no rate here.
    pub unread: usize,
    /// Turns with gold, and their topics.
    pub labels: usize,
    pub labelled_topics: usize,
    /// Difference estimator (Särndal, Swensson and Wretman 1992), or the reason why there is none.
    pub corrected: Result<CorrectedRate, String>,
    /// Rogan and Gladen's estimator, by the error over all labels of the section, or the reason why
    /// there is none.
    pub by_error: Result<CorrectedRate, String>,
    /// Agreement and conversion rates observed when nothing changes.
    pub floor: Option<CorrectedRate>,
    pub notes: Vec<String>,
    /// Labels needed to halve the interval of the corrected rate.
    pub more: Option<MoreLabels>,
}

/// A rate with its interval.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CorrectedRate {
    /// In [0, 1].
    pub value: f64,
    pub interval: Option<Interval>,
    /// Result of the formula, where it was outside [0, 1] and truncated.
    pub truncated_from: Option<f64>,
}

/// Common inputs of the corrections in a section.
pub(super) struct CorrectionInputs<'a> {
    pub turns: &'a [ArmTurn<'a>],
    /// Reason why nothing can be corrected, whatever labels an arm has.
    pub refused: Option<&'a str>,
    /// Reason why an arm with turns that nobody labelled cannot be corrected.
    pub refused_in_part: Option<&'a str>,
    pub plan: Resampling,
}

const VERDICTS: usize = 0;
const TURNS: usize = 1;
const HITS: usize = 2;
const POSITIVE: usize = 3;
const QUIET: usize = 4;
const NEGATIVE: usize = 5;
const WIDTH: usize = 6;

/// Returns the sensitivity and specificity over all labels, or the reason why they are unknown.
pub(super) fn pooled_error(section: &CorrectionInputs<'_>) -> Result<EvaluatorError, String> {
    if let Some(why) = section.refused {
        return Err(why.to_owned());
    }
    let labels = |positive: bool| {
        let judged_turns = section.turns.iter().filter(|turn| turn.judged);
        let of_class =
            judged_turns.filter(|turn| turn.gold.is_some_and(|(gold, _)| gold == positive));
        of_class.count()
    };
    let (positive, negative) = (labels(true), labels(false));
    if positive.min(negative) < MIN_LABELS_PER_CLASS {
        return Err(NoErrorRates::TooFew { positive, negative }.to_string());
    }
    let total = sum_verdicts_by_topic(section, None).total();
    let rates = compute_sensitivity(&total).zip(compute_specificity(&total));
    let error = rates.and_then(|(sensitivity, specificity)| {
        // Sums of weights can differ by rounding.
        EvaluatorError::new(sensitivity.min(1.0), specificity.min(1.0)).ok()
    });
    error.ok_or_else(|| NoErrorRates::TooFew { positive, negative }.to_string())
}

/// Returns every arm, corrected where labels allow it.
pub(super) fn arm_rates(
    section: &CorrectionInputs<'_>,
    unread: &BTreeMap<&str, usize>,
    error: &Result<EvaluatorError, String>,
) -> Vec<ArmRate> {
    let mut names: BTreeSet<&str> = section.turns.iter().map(|turn| turn.arm).collect();
    names.extend(unread.keys());
    let arms = names.into_iter().map(|arm| {
        let turns: Vec<&ArmTurn<'_>> = (section.turns.iter())
            .filter(|turn| turn.arm == arm)
            .collect();
        let unread = unread.get(arm).copied().unwrap_or(0);
        arm_rate(arm, &turns, unread, section, error)
    });
    arms.collect()
}

fn arm_rate(
    arm: &str,
    turns: &[&ArmTurn<'_>],
    unread: usize,
    section: &CorrectionInputs<'_>,
    error: &Result<EvaluatorError, String>,
) -> ArmRate {
    let topics: BTreeSet<&str> = turns.iter().map(|turn| turn.topic).collect();
    let labelled_turns = || turns.iter().filter(|turn| turn.gold.is_some());
    let labelled_topics: BTreeSet<&str> = labelled_turns().map(|turn| turn.topic).collect();
    let positive = turns.iter().filter(|turn| turn.verdict).count();
    let mut rate = ArmRate {
        arm: arm.to_owned(),
        observed: ratio(&[positive as f64, turns.len() as f64]),
        turns: turns.len(),
        topics: topics.len(),
        unread,
        labels: labelled_turns().count(),
        labelled_topics: labelled_topics.len(),
        corrected: Err(String::new()),
        by_error: Err(String::new()),
        floor: None,
        notes: Vec::new(),
        more: None,
    };
    let in_part = labelled_turns().next().is_some() && turns.iter().any(|turn| turn.unlabelled);
    let refused_in_part = section.refused_in_part.filter(|_| in_part);
    rate.corrected = match section.refused.or(refused_in_part) {
        Some(why) => Err(why.to_owned()),
        None => correct_arm_by_difference(turns, section.plan).map(|(corrected, resampled)| {
            rate.more = resampled.and_then(|interval| more_labels(turns, interval));
            corrected
        }),
    };
    rate.by_error = match (&rate.corrected, error) {
        (Err(why), _) | (Ok(_), Err(why)) => Err(why.clone()),
        (Ok(_), Ok(error)) => correct_arm_by_error(arm, &rate, *error, section),
    };
    if rate.corrected.is_ok() {
        rate.notes.extend(topic_note(rate.labelled_topics));
    }
    if let (Ok(error), Ok(by_error)) = (error, &rate.by_error) {
        rate.floor = Some(compute_floor(arm, *error, by_error.value, section));
    }
    rate
}

/// Returns the rate with its interval, and that by which more labels are planned.
fn correct_arm_by_difference(
    turns: &[&ArmTurn<'_>],
    plan: Resampling,
) -> Result<(CorrectedRate, Option<Interval>), String> {
    let audited_turns: Vec<AuditedTurn> = turns
        .iter()
        .map(|turn| AuditedTurn {
            topic: turn.topic.to_owned(),
            verdict: turn.verdict,
            chance: turn.gold.map_or(1.0, |(_, weight)| (1.0 / weight).min(1.0)),
            label: turn.gold.map(|(gold, _)| gold),
        })
        .collect();
    let correction =
        correct_rate(&audited_turns, plan).map_err(|why: CorrectionError| why.to_string())?;
    let rate = CorrectedRate {
        value: correction.rate.rate,
        interval: correction.interval,
        truncated_from: correction.rate.truncated_from,
    };
    Ok((rate, correction.resampled))
}

fn correct_arm_by_error(
    arm: &str,
    rate: &ArmRate,
    error: EvaluatorError,
    section: &CorrectionInputs<'_>,
) -> Result<CorrectedRate, String> {
    let observed_rate = rate.observed.ok_or("no turn of this arm has a verdict")?;
    let correction = rogan_gladen(observed_rate, error).map_err(|why| why.to_string())?;
    let raw = |[observed, sensitivity, specificity]: [f64; 3]| {
        let informedness = sensitivity + specificity - 1.0;
        (informedness > 0.0).then(|| (observed + specificity - 1.0) / informedness)
    };
    Ok(CorrectedRate {
        value: correction.rate,
        interval: rate_interval(section, arm, raw),
        truncated_from: correction.truncated_from,
    })
}

fn compute_floor(
    arm: &str,
    error: EvaluatorError,
    prevalence: f64,
    section: &CorrectionInputs<'_>,
) -> CorrectedRate {
    let of = |[observed, sensitivity, specificity]: [f64; 3]| {
        let error = EvaluatorError::new(sensitivity.min(1.0), specificity.min(1.0)).ok()?;
        let correction = rogan_gladen(observed, error).ok()?;
        Some(agreement_noise_floor(error, correction.rate))
    };
    CorrectedRate {
        value: agreement_noise_floor(error, prevalence),
        interval: rate_interval(section, arm, of),
        truncated_from: None,
    }
}

/// Resamples topics, the arm's rate and the evaluator's error together, and takes what follows from observed rate,
/// sensitivity and specificity. Where the evaluator erred on either class in few topics, the intervals of the three
/// are combined.
fn rate_interval(
    section: &CorrectionInputs<'_>,
    arm: &str,
    of: impl Fn([f64; 3]) -> Option<f64> + Sync,
) -> Option<Interval> {
    let labelled_turns = section.turns.iter().filter(|turn| turn.gold.is_some());
    let topics: BTreeSet<&str> = labelled_turns.map(|turn| turn.topic).collect();
    if topics.len() < MIN_TOPICS_FOR_INTERVAL {
        return None;
    }
    let sums = sum_verdicts_by_topic(section, Some(arm));
    let rate =
        |over: usize, all: usize| part_sums(&sums, |row| (sum_at(row, over), sum_at(row, all)));
    let (caught, quiet) = (rate(HITS, POSITIVE), rate(QUIET, NEGATIVE));
    if !errors_are_known(&[&caught, &quiet]) {
        return rate_by_parts([&rate(VERDICTS, TURNS), &caught, &quiet], section.plan, of);
    }
    let statistic = |sums: &[f64]| {
        let observed_rate = ratio(&[sum_at(sums, VERDICTS), sum_at(sums, TURNS)])?;
        of([
            observed_rate,
            compute_sensitivity(sums)?,
            compute_specificity(sums)?,
        ])
    };
    let interval = bootstrap_interval(&sums, statistic, section.plan)?;
    Some(Interval {
        low: interval.low.clamp(0.0, 1.0),
        high: interval.high.clamp(0.0, 1.0),
        ..interval
    })
}

/// Returns the sums of each topic: the arm's verdicts, and the labels of every arm.
fn sum_verdicts_by_topic(section: &CorrectionInputs<'_>, arm: Option<&str>) -> TopicSums {
    let mut topics: BTreeMap<&str, [f64; WIDTH]> = BTreeMap::new();
    for turn in section.turns {
        let sums = topics.entry(turn.topic).or_default();
        let verdict = f64::from(u8::from(turn.verdict));
        if arm.is_none_or(|arm| arm == turn.arm) {
            sums[VERDICTS] += verdict;
            sums[TURNS] += 1.0;
        }
        match turn.gold.filter(|_| turn.judged) {
            Some((true, weight)) => {
                sums[POSITIVE] += weight;
                sums[HITS] += weight * verdict;
            }
            Some((false, weight)) => {
                sums[NEGATIVE] += weight;
                sums[QUIET] += weight * (1.0 - verdict);
            }
            None => {}
        }
    }
    let mut all = TopicSums::new(WIDTH);
    topics.values().for_each(|sums| all.push(sums));
    all
}

fn compute_sensitivity(sums: &[f64]) -> Option<f64> {
    ratio(&[sum_at(sums, HITS), sum_at(sums, POSITIVE)])
}

fn compute_specificity(sums: &[f64]) -> Option<f64> {
    ratio(&[sum_at(sums, QUIET), sum_at(sums, NEGATIVE)])
}
