//! Paired tests of two groups by topic (FIGURES 5): sign flips, McNemar, Holm.

use serde::{Deserialize, Serialize};

use super::interval::{Resampling, SplitMix64, TopicSums, mean_interval};
use super::p_value::PValue;
use crate::statistics::interval::Interval;

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
    /// Topics divided otherwise between two groups that share none.
    LabelPermutation,
}

/// Result of [`pair`].
pub(crate) struct Paired {
    pub first: f64,
    pub second: f64,
    /// `second` − `first`.
    pub difference: f64,
    pub interval: Option<Interval>,
    pub test: PairedTest,
    pub p_value: PValue,
}

/// Compares the values of two groups, one pair per topic; `None` without topics.
pub(crate) fn pair(pairs: &[(TopicValue, TopicValue)], plan: Resampling) -> Option<Paired> {
    if pairs.is_empty() {
        return None;
    }
    let n = pairs.len() as f64;
    let differences: Vec<f64> = pairs.iter().map(|(a, b)| b.value - a.value).collect();
    let mut sums = TopicSums::new(2);
    for difference in &differences {
        sums.push(&[*difference, 1.0]);
    }
    let (test, p_value) = if pairs.iter().all(|(a, b)| a.one_binary && b.one_binary) {
        let count = |wanted: f64| differences.iter().filter(|d| **d == wanted).count() as u64;
        let p = mcnemar_exact(count(-1.0), count(1.0));
        (PairedTest::McNemar, PValue::exact(p))
    } else {
        (PairedTest::SignFlip, flipped_signs(&differences, plan))
    };
    Some(Paired {
        first: pairs.iter().map(|(a, _)| a.value).sum::<f64>() / n,
        second: pairs.iter().map(|(_, b)| b.value).sum::<f64>() / n,
        difference: differences.iter().sum::<f64>() / n,
        interval: mean_interval(&sums, plan),
        test,
        p_value,
    })
}

/// Value of a group on one topic.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TopicValue {
    pub value: f64,
    /// It is a single observation, 0 or 1.
    pub one_binary: bool,
}

/// Returns the two-sided p-value of the hypothesis that each difference could as well have the
/// other sign (Fisher 1935): exact for few topics, else from drawn flips with the observed one
/// counted among them, so that it is never 0. Without differences it is 1.
pub fn sign_flip(differences: &[f64], plan: Resampling) -> f64 {
    flipped_signs(differences, plan).value
}

/// Computes [`sign_flip`], with whether more flips could give a smaller value.
pub(crate) fn flipped_signs(differences: &[f64], plan: Resampling) -> PValue {
    let differing: Vec<f64> = differences
        .iter()
        .copied()
        .filter(|difference| difference.is_finite() && *difference != 0.0)
        .collect();
    let observed = differing.iter().sum::<f64>().abs();
    let size: f64 = differing.iter().map(|difference| difference.abs()).sum();
    let as_extreme = |flipped: f64| flipped.abs() >= observed - ROUNDING * size;
    if differing.len() <= MAX_EXACT_TOPICS {
        let flips = 1u64 << differing.len();
        let extreme = (0..flips)
            .filter(|signs| as_extreme(flipped_sum(&differing, |i| signs >> i & 1)))
            .count();
        return PValue::exact(extreme as f64 / flips as f64);
    }
    let mut draws = SplitMix64::new(plan.seed);
    let mut extreme = 0u32;
    for _ in 0..plan.resamples {
        let mut bits = 0;
        let flipped = flipped_sum(&differing, |i| {
            if i % 64 == 0 {
                bits = draws.next();
            }
            bits >> (i % 64) & 1
        });
        if as_extreme(flipped) {
            extreme += 1;
        }
    }
    PValue::resampled(extreme, plan.resamples)
}

fn flipped_sum(differences: &[f64], mut sign: impl FnMut(usize) -> u64) -> f64 {
    let flip = |(i, value): (usize, &f64)| if sign(i) == 1 { -value } else { *value };
    differences.iter().enumerate().map(flip).sum()
}

/// Returns the exact two-sided p-value of McNemar's test from the two numbers of discordant topics:
/// twice the smaller binomial tail at ½, at most 1.
pub fn mcnemar_exact(only_first: u64, only_second: u64) -> f64 {
    let n = only_first.saturating_add(only_second);
    let fewer = only_first.min(only_second);
    // Terms of the binomial in logarithms: 2⁻ⁿ alone is 0 for a thousand topics.
    let mut log_term = -(n as f64) * std::f64::consts::LN_2;
    let mut tail = log_term.exp();
    for k in 0..fewer {
        log_term += ((n - k) as f64).ln() - ((k + 1) as f64).ln();
        tail += log_term.exp();
    }
    (2.0 * tail).min(1.0)
}

/// Returns the p-values adjusted for a family of tests (Holm 1979), in the given order.
pub fn holm(p_values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p_values.len()).collect();
    order.sort_by(|a, b| p_values[*a].total_cmp(&p_values[*b]));
    let mut adjusted = vec![0.0; p_values.len()];
    let mut largest: f64 = 0.0;
    for (rank, index) in order.into_iter().enumerate() {
        let scaled = p_values[index] * (p_values.len() - rank) as f64;
        largest = largest.max(scaled.min(1.0));
        adjusted[index] = largest;
    }
    adjusted
}
