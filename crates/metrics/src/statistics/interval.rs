//! Intervals by resampling topics: topics are independent, observations within a topic are not
//! (FIGURES 1).

use super::bootstrap::{bootstrap_interval, bootstrap_interval_at};
use super::few_apart::{MIN_TOPICS_APART, effective_number, enough_differ, topics_apart};
use super::quantile::TAIL;
use serde::{Deserialize, Serialize};

/// Fewest topics for an interval: of fewer, no method of ours was shown to cover 93 % (FIGURES 20).
pub const MIN_TOPICS_FOR_INTERVAL: usize = 8;

/// The normal distribution's .975 quantile.
pub(super) const Z: f64 = 1.959_963_984_540_054;

/// Student's .975 quantile for 1 to 10 degrees of freedom; above, an expansion is exact enough.
const STUDENT: [f64; 10] = [
    12.706_205, 4.302_653, 3.182_446, 2.776_445, 2.570_582, 2.446_912, 2.364_624, 2.306_004,
    2.262_157, 2.228_139,
];

/// An interval at 95 %.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Interval {
    pub low: f64,
    pub high: f64,
    pub method: IntervalMethod,
}

/// Method of an interval.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum IntervalMethod {
    /// Topics resampled; bias-corrected and accelerated, with Student's quantile for few topics.
    TopicBootstrap,
    /// Wilson: one binary observation per topic.
    Wilson,
    /// Wilson over topics, each counted as one observation, because all observations are equal and
    /// a resampled interval would have no width.
    WilsonWithoutVariation,
    /// Wilson over topics, each counted as one observation, because few topics differ from what most of them
    /// are: it errs on the side of width.
    WilsonOverFewApart,
    /// Bonett and Price: a difference of shares in which few topics differ, each counted as one pair.
    BonettPrice,
    /// Student's over the values of learning runs, beside the spread over topics.
    TopicsAndRuns,
    /// Of a figure that is computed from several, from their intervals (Zou and Donner).
    Combined,
    /// Welch: a difference between two groups that share no topic.
    Welch,
}

impl IntervalMethod {
    /// Returns the method's name for display.
    pub fn label(self) -> &'static str {
        match self {
            Self::TopicBootstrap => "bootstrap over topics (BCa, small-sample quantile)",
            Self::Wilson => "Wilson, one observation per topic",
            Self::WilsonWithoutVariation => "Wilson over topics, all observations being equal",
            Self::WilsonOverFewApart => "Wilson over topics, few of which differ from the others",
            Self::TopicsAndRuns => "Student's over learning runs, beside topics resampled",
            Self::BonettPrice => "Bonett and Price over topics, few of which differ",
            Self::Combined => "from the intervals of its parts (Zou and Donner)",
            Self::Welch => "Welch, of two groups of topics",
        }
    }
}

/// Number of resamples, and their seed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Resampling {
    pub resamples: u32,
    pub seed: u64,
}

impl Resampling {
    /// Returns the usual number of draws by that seed.
    pub fn from_seed(seed: u64) -> Self {
        Self {
            seed,
            ..Self::default()
        }
    }
}

impl Default for Resampling {
    fn default() -> Self {
        Self {
            resamples: 2000,
            seed: 0,
        }
    }
}

/// Sums of each topic from which a statistic is computed. Resampling topics then costs one addition
/// per sum and draw, however many turns a topic has.
#[derive(Debug, Clone, PartialEq)]
pub struct TopicSums {
    pub(super) width: usize,
    values: Vec<f64>,
}

impl TopicSums {
    /// Creates an empty table of `width` sums per topic; a width of 0 counts as 1.
    pub fn new(width: usize) -> Self {
        Self {
            width: width.max(1),
            values: Vec::new(),
        }
    }

    /// Adds a topic; missing sums are 0 and surplus ones are ignored.
    pub fn push(&mut self, sums: &[f64]) {
        self.values
            .extend((0..self.width).map(|i| sums.get(i).copied().unwrap_or(0.0)));
    }

    /// Number of topics.
    pub fn topic_count(&self) -> usize {
        self.values.len() / self.width
    }

    pub(crate) fn rows(&self) -> std::slice::ChunksExact<'_, f64> {
        self.values.chunks_exact(self.width)
    }

    fn row(&self, topic: usize) -> &[f64] {
        &self.values[topic * self.width..(topic + 1) * self.width]
    }

    /// Draws as many topics as there are, each from all of them, and sums them up.
    pub(super) fn draw_topics(&self, draws: &mut SplitMix64, total: &mut [f64]) {
        let topics = u32::try_from(self.topic_count()).unwrap_or(u32::MAX);
        total.fill(0.0);
        // Two sums, as most figures have, stay in registers: half of the time of a large report goes here.
        if let (&mut [ref mut a, ref mut b], (pairs, [])) = (&mut *total, self.values.as_chunks()) {
            for _ in 0..topics {
                let [of_a, of_b] = pairs[draws.next_below(topics)];
                *a += of_a;
                *b += of_b;
            }
            return;
        }
        for _ in 0..topics {
            add_row(total, self.row(draws.next_below(topics)));
        }
    }

    /// Returns the sums over all topics.
    pub fn total(&self) -> Vec<f64> {
        let mut total = vec![0.0; self.width];
        for row in self.rows() {
            add_row(&mut total, row);
        }
        total
    }
}

fn add_row(total: &mut [f64], row: &[f64]) {
    for (sum, value) in total.iter_mut().zip(row) {
        *sum += value;
    }
}

/// Splitmix64 (Steele, Lea and Flood 2014). Its values never change with a library's release, and
/// resampling needs no better generator.
pub(crate) struct SplitMix64(u64);

/// What its state grows by at each value.
const GOLDEN_GAMMA: u64 = 0x9e37_79b9_7f4a_7c15;

impl SplitMix64 {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Returns the generator as it is so many values later.
    pub(super) fn skip_values(self, values: u64) -> Self {
        Self(self.0.wrapping_add(values.wrapping_mul(GOLDEN_GAMMA)))
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(GOLDEN_GAMMA);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Draws below `n`, which fits 32 bits; the bias of the multiplication is below 2⁻³².
    pub(crate) fn next_below(&mut self, n: u32) -> usize {
        (((self.next() >> 32) * u64::from(n)) >> 32) as usize
    }
}

/// Returns the interval of a share Σ a / Σ b from one (a, b) per topic, 0 ≤ a ≤ b.
///
/// Wilson where every topic has one binary observation; otherwise by resampling topics. A share of
/// 0 or 1 has no variation to resample: then every topic counts as one observation, which bounds
/// the share as far as the topics allow. So it does where few topics are apart from 0 or from 1, by the
/// effective number of Kish (1965), and topics of unequal weight count as so many equal ones as by that
/// number. `None` with too few topics, or where all of enough topics have one share that is neither 0 nor 1.
pub fn share_interval(sums: &TopicSums, plan: Resampling) -> Option<Interval> {
    let topics = sums.topic_count();
    let total = sums.total();
    if topics < MIN_TOPICS_FOR_INTERVAL || total.len() < 2 || total[1] <= 0.0 {
        return None;
    }
    let is_one_binary = |row: &[f64]| row[1] == 1.0 && (row[0] == 0.0 || row[0] == 1.0);
    if sums.rows().all(is_one_binary) {
        return wilson_interval(total[0] as u64, topics as u64);
    }
    let over_topics = |method| {
        let equal = effective_number(sums.rows().map(|row| row[1]));
        score_interval(total[0] / total[1], equal, method)
    };
    if total[0] == 0.0 || total[0] == total[1] {
        over_topics(IntervalMethod::WilsonWithoutVariation)
    } else if topics_apart(sums) < MIN_TOPICS_APART {
        over_topics(IntervalMethod::WilsonOverFewApart)
    } else {
        bootstrap_interval(sums, ratio, plan)
    }
}

/// Returns the interval of a mean Σ a / Σ b from one (sum, number of observations) per topic.
/// `None` with too few topics, or where few of them differ from the most common mean.
pub fn mean_interval(sums: &TopicSums, plan: Resampling) -> Option<Interval> {
    mean_interval_at(sums, plan, TAIL)
}

/// As [`mean_interval`], with this probability on each side.
pub(crate) fn mean_interval_at(sums: &TopicSums, plan: Resampling, tail: f64) -> Option<Interval> {
    match enough_differ(sums.rows().filter_map(ratio)) {
        true => bootstrap_interval_at(sums, ratio, plan, tail),
        false => None,
    }
}

/// Returns Wilson's score interval at 95 % (Wilson 1927), `None` without observations.
pub fn wilson_interval(successes: u64, observations: u64) -> Option<Interval> {
    if observations == 0 || successes > observations {
        return None;
    }
    let n = observations as f64;
    score_interval(successes as f64 / n, n, IntervalMethod::Wilson)
}

/// As [`wilson_interval`], of a share of observations that need not be whole.
pub(crate) fn score_interval(p: f64, n: f64, method: IntervalMethod) -> Option<Interval> {
    if n <= 0.0 || !(0.0..=1.0).contains(&p) {
        return None;
    }
    let z2 = Z * Z;
    let centre = (p + z2 / (2.0 * n)) / (1.0 + z2 / n);
    let half = Z / (1.0 + z2 / n) * (p * (1.0 - p) / n + z2 / (4.0 * n * n)).sqrt();
    Some(Interval {
        // At the extremes the formula gives the extreme itself, up to rounding.
        low: if p == 0.0 {
            0.0
        } else {
            (centre - half).max(0.0)
        },
        high: if p == 1.0 {
            1.0
        } else {
            (centre + half).min(1.0)
        },
        method,
    })
}

/// Returns Σ a / Σ b, `None` when Σ b is 0.
pub(crate) fn ratio(total: &[f64]) -> Option<f64> {
    match total {
        [a, b, ..] if *b != 0.0 => Some(a / b),
        _ => None,
    }
}

/// Student's .975 quantile, by table for few degrees of freedom, else by Cornish and Fisher's
/// expansion around the normal one (error below 1e-3).
pub(crate) fn student_quantile(freedom: usize) -> f64 {
    if let Some(value) = freedom.checked_sub(1).and_then(|i| STUDENT.get(i)) {
        return *value;
    }
    let v = freedom.max(1) as f64;
    let powers = |terms: [f64; 4]| -> f64 {
        terms.iter().rev().fold(0.0, |sum, term| sum * Z * Z + term) * Z
    };
    Z + powers([1.0, 1.0, 0.0, 0.0]) / (4.0 * v)
        + powers([3.0, 16.0, 5.0, 0.0]) / (96.0 * v.powi(2))
        + powers([-15.0, 17.0, 19.0, 3.0]) / (384.0 * v.powi(3))
}

/// The normal distribution function (Abramowitz and Stegun 26.2.17, error below 1e-7).
pub(super) fn normal_cdf(x: f64) -> f64 {
    const B: [f64; 5] = [
        0.319_381_530,
        -0.356_563_782,
        1.781_477_937,
        -1.821_255_978,
        1.330_274_429,
    ];
    let t = 1.0 / (1.0 + 0.231_641_9 * x.abs());
    let polynomial = B.iter().rev().fold(0.0, |sum, b| t * (b + sum));
    let tail = (-0.5 * x * x).exp() / (2.0 * std::f64::consts::PI).sqrt() * polynomial;
    if x >= 0.0 { 1.0 - tail } else { tail }
}

/// The inverse of [`normal_cdf`] by bisection: called twice per interval, so speed is no concern.
pub(super) fn normal_quantile(level: f64) -> f64 {
    let (mut low, mut high) = (-9.0, 9.0);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if normal_cdf(middle) < level {
            low = middle;
        } else {
            high = middle;
        }
    }
    0.5 * (low + high)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_agree_with_published_tables() {
        assert!((normal_cdf(Z) - 0.975).abs() < 1e-6);
        assert!((normal_quantile(0.975) - Z).abs() < 1e-4);
        assert!((student_quantile(4) - 2.776).abs() < 1e-3);
        assert!((student_quantile(11) - 2.201).abs() < 2e-3);
        assert!((student_quantile(29) - 2.045).abs() < 1e-3);
        assert!((student_quantile(1_000_000) - Z).abs() < 1e-4);
    }

    #[test]
    fn draws_are_those_of_the_published_generator() {
        // First values for seed 1234567, as in the generator's reference implementation.
        let mut draws = SplitMix64::new(1_234_567);
        assert_eq!(draws.next(), 6_457_827_717_110_365_317);
        assert_eq!(draws.next(), 3_203_168_211_198_807_973);
    }
}
