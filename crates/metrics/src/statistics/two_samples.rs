//! Two groups that share no topic: Welch's interval, and a permutation test of which topics are whose.

use super::interval::{MIN_TOPICS_FOR_INTERVAL, Resampling, SplitMix64};
use super::p_value::PValue;
use super::paired_tests::{Paired, PairedTest};
use super::quantile::{TAIL, student_above};
use crate::statistics::interval::{Interval, IntervalMethod};

/// Most ways to divide the topics that are enumerated; above, they are drawn.
const MAX_EXACT_DIVISIONS: u64 = 20_000;
/// Differences of test statistics below this are rounding.
const ROUNDING: f64 = 1e-12;

/// Compares the means of two samples of topics, neither empty. The interval is Welch's (1947), on the degrees of
/// freedom of Satterthwaite; `None` with fewer than [`MIN_TOPICS_FOR_INTERVAL`] topics in either or without
/// variation in both.
pub(crate) fn compare_samples(first: &[f64], other: &[f64], plan: Resampling) -> Paired {
    let (a, b) = (Sample::from_values(first), Sample::from_values(other));
    Paired {
        first: a.mean,
        second: b.mean,
        difference: b.mean - a.mean,
        interval: welch_interval(&a, &b, TAIL),
        test: PairedTest::LabelPermutation,
        p_value: label_permutation_p_value(first, other, plan),
    }
}

/// Returns the interval of [`compare_samples`] with this probability on each side.
pub(crate) fn welch_interval_at(first: &[f64], other: &[f64], tail: f64) -> Option<Interval> {
    welch_interval(
        &Sample::from_values(first),
        &Sample::from_values(other),
        tail,
    )
}

struct Sample {
    n: f64,
    mean: f64,
    /// Variance of the mean.
    error: f64,
}

impl Sample {
    fn from_values(values: &[f64]) -> Self {
        let n = values.len() as f64;
        let mean = values.iter().sum::<f64>() / n;
        let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
        Self {
            n,
            mean,
            error: if values.len() > 1 {
                squares / (n - 1.0) / n
            } else {
                0.0
            },
        }
    }
}

fn welch_interval(a: &Sample, b: &Sample, tail: f64) -> Option<Interval> {
    let least = MIN_TOPICS_FOR_INTERVAL as f64;
    let error = a.error + b.error;
    if a.n < least || b.n < least || error <= 0.0 {
        return None;
    }
    let freedom = error.powi(2) / (a.error.powi(2) / (a.n - 1.0) + b.error.powi(2) / (b.n - 1.0));
    // Rounded down: the interval is never too short.
    let half = student_above(freedom.floor() as usize, tail) * error.sqrt();
    let difference = b.mean - a.mean;
    Some(Interval {
        low: difference - half,
        high: difference + half,
        method: IntervalMethod::Welch,
    })
}

/// Returns the two-sided p-value of the hypothesis that the topics could as well have been divided otherwise
/// (Fisher 1935; Pitman 1937): exact where the divisions are few, else from drawn ones with the observed one
/// counted among them.
pub(crate) fn label_permutation_p_value(first: &[f64], other: &[f64], plan: Resampling) -> PValue {
    let mut values: Vec<f64> = first.iter().chain(other).copied().collect();
    let (k, n) = (first.len(), values.len());
    let total: f64 = values.iter().sum();
    let size: f64 = values.iter().map(|value| value.abs()).sum();
    // The difference of means grows with the first sum alone: the two sums add up to the total.
    let expected_sum = total * k as f64 / n as f64;
    let observed_deviation = (first.iter().sum::<f64>() - expected_sum).abs();
    let is_extreme = |sum: f64| (sum - expected_sum).abs() >= observed_deviation - ROUNDING * size;
    if let Some(divisions) =
        count_combinations(n as u64, k as u64).filter(|all| *all <= MAX_EXACT_DIVISIONS)
    {
        let mut extreme = 0u64;
        visit_divisions(&values, k, 0, 0.0, &mut |sum| {
            if is_extreme(sum) {
                extreme += 1;
            }
        });
        return PValue::from_exact(extreme as f64 / divisions as f64);
    }
    let mut draws = SplitMix64::new(plan.seed);
    let mut extreme = 0;
    for _ in 0..plan.resamples {
        // The first k of a shuffle (Fisher and Yates).
        for at in 0..k {
            let left = u32::try_from(n - at).unwrap_or(u32::MAX);
            values.swap(at, at + draws.next_below(left));
        }
        if is_extreme(values[..k].iter().sum()) {
            extreme += 1;
        }
    }
    PValue::from_resamples(extreme, plan.resamples)
}

fn visit_divisions(values: &[f64], k: usize, from: usize, sum: f64, visit: &mut impl FnMut(f64)) {
    if k == 0 {
        visit(sum);
        return;
    }
    for at in from..=values.len() - k {
        visit_divisions(values, k - 1, at + 1, sum + values[at], visit);
    }
}

/// Returns the number of ways to choose `k` of `n`; `None` where it is too large to count.
fn count_combinations(n: u64, k: u64) -> Option<u64> {
    let mut ways: u64 = 1;
    for i in 0..k.min(n - k) {
        ways = ways.checked_mul(n - i)? / (i + 1);
    }
    Some(ways)
}
