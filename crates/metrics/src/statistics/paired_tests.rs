//! Paired tests of two groups by topic (FIGURES 5): sign flips, McNemar, Holm.

use serde::{Deserialize, Serialize};

use super::difference_interval::difference_of_shares_interval_at;
use super::interval::{Interval, Resampling, SplitMix64, TopicSums, mean_interval_at};
use super::p_value::PValue;
use super::quantile::TAIL;

/// Most topics for which every flip of signs is enumerated; above, flips are drawn.
const MAX_EXACT_TOPICS: usize = 14;

/// Differences of test statistics below this are rounding.
const ROUNDING: f64 = 1e-12;

/// Test of a p-value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PairedTest {
    /// Signs of the topics' differences flipped.
    SignFlip,
    /// Exact McNemar: every topic has one binary observation in each group.
    McNemar,
    /// McNemar's mid-p test of the same.
    McNemarMidP,
    /// Topics divided otherwise between two groups that share none.
    LabelPermutation,
    /// Learning runs divided otherwise between two groups.
    RunPermutation,
    /// Signs of learning runs' differences from a group that does not learn flipped.
    RunSignFlip,
}

/// Result of [`compare_pairs`].
pub(crate) struct Paired {
    pub first: f64,
    pub second: f64,
    /// `second` − `first`.
    pub difference: f64,
    pub interval: Option<Interval>,
    pub test: PairedTest,
    pub p_value: PValue,
}

/// What a topic's values are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ValueKind {
    /// Between 0 and 1.
    Share,
    Number,
}

/// Compares the values of two groups, one pair per topic; `None` without topics.
pub(crate) fn compare_pairs(
    pairs: &[(TopicValue, TopicValue)],
    kind: ValueKind,
    plan: Resampling,
) -> Option<Paired> {
    if pairs.is_empty() {
        return None;
    }
    let n = pairs.len() as f64;
    let differences: Vec<f64> = pairs.iter().map(|(a, b)| b.value - a.value).collect();
    let (test, p_value) = if pairs.iter().all(|(a, b)| a.one_binary && b.one_binary) {
        let count = |wanted: f64| differences.iter().filter(|d| **d == wanted).count() as u64;
        mcnemar_test(count(-1.0), count(1.0), pairs.len() as u64)
    } else {
        (PairedTest::SignFlip, sign_flip_p_value(&differences, plan))
    };
    Some(Paired {
        first: pairs.iter().map(|(a, _)| a.value).sum::<f64>() / n,
        second: pairs.iter().map(|(_, b)| b.value).sum::<f64>() / n,
        difference: differences.iter().sum::<f64>() / n,
        interval: paired_interval(&differences, kind, plan, TAIL),
        test,
        p_value,
    })
}

/// Returns the interval of the mean of topics' differences with this probability on each side.
pub(crate) fn paired_interval(
    differences: &[f64],
    kind: ValueKind,
    plan: Resampling,
    tail: f64,
) -> Option<Interval> {
    let mut sums = TopicSums::new(2);
    for difference in differences {
        sums.push(&[*difference, 1.0]);
    }
    match kind {
        ValueKind::Share => difference_of_shares_interval_at(&sums, plan, tail),
        ValueKind::Number => mean_interval_at(&sums, plan, tail),
    }
}

/// Value of a group on one topic.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TopicValue {
    pub value: f64,
    /// It is a single observation, 0 or 1.
    pub one_binary: bool,
}

/// Returns the two-sided p-value of the hypothesis that each difference could as well have the
/// other sign (Fisher 1935): of the sum of differences, which orders the flips as Student's t does, for their
/// squares stay the same; exact for few topics, else from drawn flips with the observed one
/// counted among them, so that it is never 0. Without differences it is 1.
pub fn sign_flip(differences: &[f64], plan: Resampling) -> f64 {
    sign_flip_p_value(differences, plan).value
}

/// Computes [`sign_flip`], with whether more flips could give a smaller value.
pub(crate) fn sign_flip_p_value(differences: &[f64], plan: Resampling) -> PValue {
    let differing: Vec<f64> = differences
        .iter()
        .copied()
        .filter(|difference| difference.is_finite() && *difference != 0.0)
        .collect();
    let observed_sum = differing.iter().sum::<f64>().abs();
    let size: f64 = differing.iter().map(|difference| difference.abs()).sum();
    let as_extreme = |flipped: f64| flipped.abs() >= observed_sum - ROUNDING * size;
    if differing.len() <= MAX_EXACT_TOPICS {
        let flips = 1u64 << differing.len();
        let extreme = (0..flips)
            .filter(|signs| as_extreme(flipped_sum(&differing, |i| signs >> i & 1)))
            .count();
        return PValue::from_exact(extreme as f64 / flips as f64);
    }
    let mut draws = SplitMix64::new(plan.seed);
    let mut extreme = 0u32;
    for _ in 0..plan.resamples {
        let mut bits = 0;
        let sum = flipped_sum(&differing, |i| {
            if i % 64 == 0 {
                bits = draws.next();
            }
            bits >> (i % 64) & 1
        });
        if as_extreme(sum) {
            extreme += 1;
        }
    }
    PValue::from_resamples(extreme, plan.resamples)
}

fn flipped_sum(differences: &[f64], mut sign: impl FnMut(usize) -> u64) -> f64 {
    let flip = |(i, value): (usize, &f64)| if sign(i) == 1 { -value } else { *value };
    differences.iter().enumerate().map(flip).sum()
}

/// Above this share of topics that differ the exact test is taken: there the mid-p test would reject too often
/// (7.7 % of 16 topics that all differ). Up to it its level is at most 5.0 % over 5 to 120 topics.
const MAX_DIFFERING_OF_MID_P: (u64, u64) = (4, 5);

/// Returns McNemar's test of topics with one binary observation a group, and its p-value: the mid-p test, whose
/// power is up to 20 points above that of the exact one, or the exact one where nearly all topics differ.
pub(crate) fn mcnemar_test(only_first: u64, only_second: u64, topics: u64) -> (PairedTest, PValue) {
    let differing = only_first.saturating_add(only_second);
    let (part, of) = MAX_DIFFERING_OF_MID_P;
    let (test, p) = match differing.saturating_mul(of) > topics.saturating_mul(part) {
        true => (PairedTest::McNemar, mcnemar_exact(only_first, only_second)),
        false => (
            PairedTest::McNemarMidP,
            mcnemar_mid_p(only_first, only_second),
        ),
    };
    (test, PValue::from_exact(p))
}

/// Returns the exact two-sided p-value of McNemar's test from the two numbers of discordant topics:
/// twice the smaller binomial tail at ½, at most 1.
pub fn mcnemar_exact(only_first: u64, only_second: u64) -> f64 {
    let (tail, _) = binomial_tail(only_first, only_second);
    (2.0 * tail).min(1.0)
}

/// Returns the two-sided mid-p value of McNemar's test (Fagerland, Lydersen and Laake 2013): the exact one less the
/// probability of what was observed, of which half counts where both numbers are equal.
pub fn mcnemar_mid_p(only_first: u64, only_second: u64) -> f64 {
    let (tail, observed) = binomial_tail(only_first, only_second);
    match only_first == only_second {
        true => 1.0 - 0.5 * observed,
        false => 2.0 * tail - observed,
    }
}

/// Returns the probability at ½ of at most the smaller of two numbers, and of just it.
fn binomial_tail(only_first: u64, only_second: u64) -> (f64, f64) {
    let n = only_first.saturating_add(only_second);
    let fewer = only_first.min(only_second);
    // Terms of the binomial in logarithms: 2⁻ⁿ alone is 0 for a thousand topics.
    let mut log_term = -(n as f64) * std::f64::consts::LN_2;
    let mut tail = log_term.exp();
    for k in 0..fewer {
        log_term += ((n - k) as f64).ln() - ((k + 1) as f64).ln();
        tail += log_term.exp();
    }
    (tail, log_term.exp())
}

/// Returns by what each p-value of a family is multiplied in its adjustment, in the given order: an interval with
/// the tails of 95 % divided by it leaves 0 out where the adjusted p-value is below .05.
pub(crate) fn holm_factors(p_values: &[f64]) -> Vec<f64> {
    let of_rank = |index: usize| {
        let p = p_values[index];
        let before = p_values.iter().enumerate();
        let before = before.filter(|(at, other)| **other < p || (**other == p && *at < index));
        (p_values.len() - before.count()) as f64
    };
    let adjustments = adjust_by_holm(p_values).into_iter().enumerate();
    let factors = adjustments.map(|(index, adjusted)| {
        let (rank, p) = (of_rank(index), p_values[index]);
        // One that an earlier one holds up is multiplied by more than its rank; else the quotient is its rank, but
        // for rounding.
        match adjusted < 1.0 && adjusted > p * rank * (1.0 + ROUNDING) {
            true => adjusted / p,
            false => rank,
        }
    });
    factors.collect()
}

/// Returns the p-values adjusted for a family of tests (Holm 1979), in the given order.
pub fn adjust_by_holm(p_values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p_values.len()).collect();
    order.sort_by(|a, b| p_values[*a].total_cmp(&p_values[*b]));
    let mut adjusted_p_values = vec![0.0; p_values.len()];
    let mut largest: f64 = 0.0;
    for (rank, index) in order.into_iter().enumerate() {
        let product = p_values[index] * (p_values.len() - rank) as f64;
        largest = largest.max(product.min(1.0));
        adjusted_p_values[index] = largest;
    }
    adjusted_p_values
}
