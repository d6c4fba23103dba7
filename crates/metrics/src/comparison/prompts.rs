//! Comparison of two prompts on the same recorded turns, paired by topic (FIGURES 1 and 5).

use std::collections::BTreeMap;

use elenchus_game::debate::TopicKey;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::report::figure::Measure;
use crate::report::text_layout::format_count;
use crate::sections::counting::FEW_TOPICS;
use crate::statistics::interval::Interval;
use crate::statistics::interval::Resampling;
use crate::statistics::p_value::PValue;
use crate::statistics::paired_tests::{
    PairedTest, TopicValue, ValueKind, adjust_by_holm, compare_pairs, holm_factors, paired_interval,
};
use crate::statistics::quantile::TAIL;
use crate::topic_names::{RowTopic, TopicNames, topics_in_rows};

/// Sum of the normal quantiles of a two-sided test at 5 % with a power of 80 % (Cohen 1988, §2.4).
const SETTLING_QUANTILES: f64 = 1.959_964 + 0.841_621;
/// Level of the tests of a comparison.
const LEVEL: f64 = 0.05;
/// Most topics that are suggested; above, the difference is too small to be settled in practice.
const MAX_NEEDED_TOPICS: f64 = 1e7;

/// Result of one sample of one prompt on one turn.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct PromptSample {
    /// Unit of independence: samples and turns of one topic are pooled.
    pub topic: RowTopic,
    /// A simulated model was asked: never pooled with real ones.
    pub simulated: bool,
    /// Turns judged good or bad: the tried turn where it is judged, and the turns after it.
    pub judged: u32,
    pub bad: u32,
    /// Turns whose verdict is unparsed or missing.
    pub left_out: u32,
    /// Judged turns whose seat's turn in the round before was bad, and the good ones among them.
    pub after_bad: u32,
    pub made_good: u32,
    /// Judged turns after a good one, and the bad ones among them.
    pub after_good: u32,
    pub made_bad: u32,
    /// Characters of the reply; `None` where it was empty.
    pub chars: Option<u32>,
    /// US dollars for all calls of the sample; `None` where a model has no price.
    pub cost_usd: Option<f64>,
}

/// Figures of a comparison that may be read as evidence (FIGURES 5).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PromptEvidence {
    /// What was planned is played: intervals and p-values of the comparison.
    FixedN,
    /// The confidence sequence alone: it is valid at any number of looks and any stop. Intervals and
    /// p-values of the comparison assume a number of topics that was fixed before.
    Sequence,
}

/// Measure by which two prompts are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[derive(strum::VariantArray)]
pub enum PromptMeasure {
    /// Bad / judged turns.
    ErrorRate,
    /// Good turns / judged turns after a bad one of the same seat.
    MadeGood,
    /// Bad turns / judged turns after a good one of the same seat.
    MadeBad,
    /// Mean characters of a reply.
    Length,
    /// Mean US dollars of a sample.
    Cost,
}

impl PromptMeasure {
    /// Every measure, in the order of a report.
    pub const ALL: &'static [Self] = <Self as strum::VariantArray>::VARIANTS;

    /// Returns the name for tables.
    pub fn label(self) -> &'static str {
        match self {
            PromptMeasure::ErrorRate => "error rate",
            PromptMeasure::MadeGood => Measure::SafeAfterUnsafe.label(),
            PromptMeasure::MadeBad => Measure::UnsafeAfterSafe.label(),
            PromptMeasure::Length => "characters of a reply",
            PromptMeasure::Cost => "US dollars of a sample",
        }
    }

    /// Returns whether it is a share of turns.
    pub fn is_share(self) -> bool {
        match self {
            PromptMeasure::ErrorRate | PromptMeasure::MadeGood | PromptMeasure::MadeBad => true,
            PromptMeasure::Length | PromptMeasure::Cost => false,
        }
    }

    /// Returns numerator and denominator of one sample.
    fn part_and_whole(self, sample: &PromptSample) -> (f64, f64) {
        let counts = |part: u32, of: u32| (f64::from(part), f64::from(of));
        let mean = |value: Option<f64>| value.map_or((0.0, 0.0), |value| (value, 1.0));
        match self {
            PromptMeasure::ErrorRate => counts(sample.bad, sample.judged),
            PromptMeasure::MadeGood => counts(sample.made_good, sample.after_bad),
            PromptMeasure::MadeBad => counts(sample.made_bad, sample.after_good),
            PromptMeasure::Length => mean(sample.chars.map(f64::from)),
            PromptMeasure::Cost => mean(sample.cost_usd),
        }
    }
}

/// Smallest difference that the topics of a comparison would settle.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SmallestDifference {
    /// Difference of means that is settled at 5 % with a power of 80 %, from the spread of the present
    /// topics.
    BySpread(f64),
    /// No topic differs, so that nothing is known of their spread: so many of them would have to
    /// change in one direction.
    ChangedTopics(usize),
    /// Even if every topic changed in one direction it could be chance: so many are needed at least.
    TooFewTopics(usize),
}

/// One measure of two prompts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PromptRow {
    pub measure: PromptMeasure,
    /// Means over the paired topics, each topic with the same weight.
    pub a: f64,
    pub b: f64,
    /// `b` − `a`.
    pub difference: f64,
    /// Interval of the difference, by resampling topics.
    pub interval: Option<Interval>,
    /// Confidence of the interval where it is adjusted as the p-value is; otherwise .95.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confidence: Option<f64>,
    pub test: PairedTest,
    /// Two-sided.
    pub p_value: f64,
    /// `p_value` is the smallest that the number of resamples allows.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub p_is_bound: bool,
    /// Adjusted over the shares of this comparison (Holm); length and cost are not part of the
    /// family.
    pub p_holm: Option<f64>,
    pub topics: usize,
    /// Topics on which only one prompt has a value.
    pub unpaired_topics: usize,
    /// Topics needed to detect a difference of this size with a power of 80 % at 5 %, from the
    /// spread of the present topics. `None` without a difference, or with one topic.
    pub needed_topics: Option<u64>,
    /// Of shares; `None` also in comparisons that were written by earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub smallest_difference: Option<SmallestDifference>,
}

impl PromptRow {
    /// Returns the p-value for display: adjusted where it belongs to a family.
    pub fn shown_p(&self) -> PValue {
        PValue {
            value: self.p_holm.unwrap_or(self.p_value),
            is_bound: self.p_is_bound,
        }
    }

    /// Says whether a difference as large as this one is rarer than 5 % by chance alone.
    pub fn is_settled(&self) -> bool {
        self.shown_p().value <= LEVEL
    }
}

/// A topic with different error rates of the two prompts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Flip {
    /// The first of its ids.
    pub topic: String,
    pub topic_key: TopicKey,
    pub a: f64,
    pub b: f64,
}

/// Two prompts compared.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PromptComparison {
    pub simulated: bool,
    pub samples_a: usize,
    pub samples_b: usize,
    /// Samples with an empty reply.
    pub silent_a: usize,
    pub silent_b: usize,
    /// Turns without a parsed verdict.
    pub left_out_a: u32,
    pub left_out_b: u32,
    /// Measures with a value of both prompts on some topic, in the order of [`PromptMeasure::ALL`].
    pub rows: Vec<PromptRow>,
    /// Largest worsening by B first.
    pub flips: Vec<Flip>,
    pub warnings: Vec<String>,
}

/// Reason why two prompts cannot be compared.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum PromptComparisonError {
    #[error("simulated and real replies cannot be compared; choose turns of one kind")]
    MixesSimulatedAndReal,
    #[error("no topic has a value of both prompts; nothing can be compared yet")]
    NothingPaired,
}

/// Compares two prompts by the results of their samples.
///
/// A topic's value pools all its samples and turns, so repeated samples of one topic never count as
/// more topics.
///
/// # Errors
/// When simulated and real samples are mixed, or no topic has both prompts.
pub fn compare_prompts(
    a: &[PromptSample],
    b: &[PromptSample],
    plan: Resampling,
) -> Result<PromptComparison, PromptComparisonError> {
    let mut kinds = a.iter().chain(b).map(|sample| sample.simulated);
    let has_simulated_samples = kinds.next().unwrap_or(false);
    if kinds.any(|other| other != has_simulated_samples) {
        return Err(PromptComparisonError::MixesSimulatedAndReal);
    }
    let names = TopicNames::from_topics(a.iter().chain(b).map(|sample| &sample.topic));
    let measures = PromptMeasure::ALL.iter().copied();
    let mut rows: Vec<PromptRow> = measures
        .filter_map(|measure| compute_row(a, b, measure, &names, plan))
        .collect();
    if rows.is_empty() {
        return Err(PromptComparisonError::NothingPaired);
    }
    let needs_test = |row: &&mut PromptRow| row.measure.is_share();
    let p_values: Vec<f64> = rows
        .iter_mut()
        .filter(needs_test)
        .map(|row| row.p_value)
        .collect();
    let factors = holm_factors(&p_values).into_iter();
    let adjustments = adjust_by_holm(&p_values).into_iter().zip(factors);
    for (row, (p, factor)) in rows.iter_mut().filter(needs_test).zip(adjustments) {
        row.p_holm = Some(p);
        if factor > 1.0 && row.interval.is_some() {
            let tail = TAIL / factor;
            let differences = pair_differences(&pairs_of(a, b, row.measure, &names));
            row.interval = paired_interval(&differences, ValueKind::Share, plan, tail);
            row.confidence = Some(1.0 - 2.0 * tail);
        }
    }
    let mut warnings = Vec::new();
    warnings.extend(topics_in_rows(
        a.iter().chain(b).map(|sample| &sample.topic),
    ));
    let topics = rows.iter().map(|row| row.topics).max().unwrap_or(0);
    if topics < FEW_TOPICS {
        warnings.push(format!(
            "{}: with fewer than {FEW_TOPICS} an interval says little",
            format_count(topics, "topic")
        ));
    }
    if has_simulated_samples {
        warnings.push("simulated: a check of the instrument, no evidence about prompts".to_owned());
    }
    let silent = |samples: &[PromptSample]| samples.iter().filter(|s| s.chars.is_none()).count();
    let left_out = |samples: &[PromptSample]| samples.iter().map(|s| s.left_out).sum();
    Ok(PromptComparison {
        simulated: has_simulated_samples,
        samples_a: a.len(),
        samples_b: b.len(),
        silent_a: silent(a),
        silent_b: silent(b),
        left_out_a: left_out(a),
        left_out_b: left_out(b),
        flips: find_flips(a, b, &names),
        rows,
        warnings,
    })
}

/// Returns the excess of B's error rate over A's on samples of one topic; `None` where one of them
/// has no judged turn.
pub fn error_rate_difference(a: &[&PromptSample], b: &[&PromptSample]) -> Option<f64> {
    Some(error_rate(b)? - error_rate(a)?)
}

/// Returns the share of bad turns of some samples; `None` where no turn was judged.
pub fn error_rate(samples: &[&PromptSample]) -> Option<f64> {
    let sum = |of: fn(&PromptSample) -> u32| -> f64 {
        samples.iter().map(|sample| f64::from(of(sample))).sum()
    };
    let judged_count = sum(|sample| sample.judged);
    (judged_count > 0.0).then(|| sum(|sample| sample.bad) / judged_count)
}

fn compute_row(
    a: &[PromptSample],
    b: &[PromptSample],
    measure: PromptMeasure,
    names: &TopicNames,
    plan: Resampling,
) -> Option<PromptRow> {
    let pairs = pairs_of(a, b, measure, names);
    let topics = |samples| values_by_topic(samples, measure, names).len();
    let kind = match measure.is_share() {
        true => ValueKind::Share,
        false => ValueKind::Number,
    };
    let comparison = compare_pairs(&pairs, kind, plan)?;
    let differences = pair_differences(&pairs);
    Some(PromptRow {
        measure,
        a: comparison.first,
        b: comparison.second,
        difference: comparison.difference,
        interval: comparison.interval,
        confidence: None,
        test: comparison.test,
        p_value: comparison.p_value.value,
        p_is_bound: comparison.p_value.is_bound,
        p_holm: None,
        topics: pairs.len(),
        unpaired_topics: topics(a) + topics(b) - 2 * pairs.len(),
        needed_topics: needed_topics(&differences, comparison.test),
        smallest_difference: measure
            .is_share()
            .then(|| smallest_difference(&differences, comparison.test)),
    })
}

/// Returns the values of topics that have one of both.
fn pairs_of(
    a: &[PromptSample],
    b: &[PromptSample],
    measure: PromptMeasure,
    names: &TopicNames,
) -> Vec<(TopicValue, TopicValue)> {
    let (first, second) = (
        values_by_topic(a, measure, names),
        values_by_topic(b, measure, names),
    );
    let pairs = first.iter();
    pairs
        .filter_map(|(topic, value)| Some((*value, *second.get(topic)?)))
        .collect()
}

fn pair_differences(pairs: &[(TopicValue, TopicValue)]) -> Vec<f64> {
    pairs.iter().map(|(a, b)| b.value - a.value).collect()
}

fn values_by_topic<'a>(
    samples: &'a [PromptSample],
    measure: PromptMeasure,
    names: &'a TopicNames,
) -> BTreeMap<&'a str, TopicValue> {
    let mut sums: BTreeMap<&str, (f64, f64)> = BTreeMap::new();
    for sample in samples {
        let (part, of) = measure.part_and_whole(sample);
        let sum = sums.entry(names.name_of(&sample.topic)).or_default();
        sum.0 += part;
        sum.1 += of;
    }
    let values = sums.into_iter().filter(|(_, (_, of))| *of > 0.0);
    values
        .map(|(topic, (part, of))| {
            let value = part / of;
            let one_binary = measure.is_share() && of == 1.0;
            (topic, TopicValue { value, one_binary })
        })
        .collect()
}

/// Returns the number of topics needed to settle a mean difference as large as the present one.
fn needed_topics(differences: &[f64], test: PairedTest) -> Option<u64> {
    let (mean, variance) = mean_and_variance(differences)?;
    if mean == 0.0 {
        return None;
    }
    let topic_count = SETTLING_QUANTILES.powi(2) * variance / mean.powi(2);
    // However alike the topics are: with fewer no test can leave chance out.
    let least = least_changed_topics(test) as u64;
    (topic_count <= MAX_NEEDED_TOPICS).then(|| (topic_count.ceil() as u64).max(least))
}

/// Returns mean and variance of at least two values.
fn mean_and_variance(values: &[f64]) -> Option<(f64, f64)> {
    let n = values.len();
    if n < 2 {
        return None;
    }
    let mean = values.iter().sum::<f64>() / n as f64;
    let squares = values.iter().map(|value| (value - mean).powi(2));
    Some((mean, squares.sum::<f64>() / (n - 1) as f64))
}

/// Returns the smallest difference that topics like these would settle.
fn smallest_difference(differences: &[f64], test: PairedTest) -> SmallestDifference {
    let least = least_changed_topics(test);
    if differences.len() < least {
        return SmallestDifference::TooFewTopics(least);
    }
    match mean_and_variance(differences) {
        Some((_, variance)) if variance > 0.0 => {
            let error = (variance / differences.len() as f64).sqrt();
            SmallestDifference::BySpread(SETTLING_QUANTILES * error)
        }
        Some(_) | None => SmallestDifference::ChangedTopics(least),
    }
}

/// Returns the number of topics that have to change, all in one direction, for the two-sided p-value
/// of a test to be 5 % or less: it halves with each.
fn least_changed_topics(test: PairedTest) -> usize {
    let p_of_one = match test {
        PairedTest::McNemarMidP => 0.5,
        PairedTest::McNemar
        | PairedTest::SignFlip
        | PairedTest::LabelPermutation
        | PairedTest::RunPermutation
        | PairedTest::RunSignFlip => 1.0,
    };
    let halvings = (p_of_one / LEVEL).log2();
    1 + halvings.ceil() as usize
}

fn find_flips(a: &[PromptSample], b: &[PromptSample], names: &TopicNames) -> Vec<Flip> {
    let topics = a.iter().chain(b).map(|sample| &sample.topic);
    let keys: BTreeMap<&str, &TopicKey> = topics
        .map(|topic| (names.name_of(topic), &topic.key))
        .collect();
    let (first, second) = (
        values_by_topic(a, PromptMeasure::ErrorRate, names),
        values_by_topic(b, PromptMeasure::ErrorRate, names),
    );
    let both = first
        .iter()
        .filter_map(|(topic, a)| Some((topic, a.value, second.get(topic)?.value)));
    let mut flips: Vec<Flip> = both
        .filter(|(_, a, b)| a != b)
        .filter_map(|(topic, a, b)| {
            Some(Flip {
                topic: (*topic).to_owned(),
                topic_key: (*keys.get(topic)?).clone(),
                a,
                b,
            })
        })
        .collect();
    flips.sort_by(|one, other| {
        let worse = |flip: &Flip| flip.b - flip.a;
        let by_size = worse(other).total_cmp(&worse(one));
        by_size.then_with(|| one.topic.cmp(&other.topic))
    });
    flips
}
