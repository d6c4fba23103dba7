//! Confidence sequence of a difference: an interval that is valid at all times at once, so it can
//! be checked after every topic.
//!
//! The predictable plug-in empirical Bernstein confidence sequence of Waudby-Smith and Ramdas
//! ("Estimating means of bounded random variables by betting", JRSS B 86, 2024, theorem 2 with its
//! equations 14 and 15), on differences of topics, mapped from [−1, 1] to [0, 1]. Stopping as soon
//! as 0 is excluded errs with probability `alpha` at most, over all checks together. The order of
//! topics must not depend on their results.

use serde::{Deserialize, Serialize};

/// Largest bet: the paper's `c`, recommended as ½.
const MAX_BET: f64 = 0.5;
/// Most further topics that are predicted.
const MAX_PREDICTED_TOPICS: u64 = 100_000;

/// Mean difference and its interval after some topics.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct SequencePoint {
    pub topics: usize,
    /// Mean of the topics' differences so far.
    pub difference: f64,
    /// Bounds of the interval, valid at this and all other times at once.
    pub low: f64,
    pub high: f64,
}

/// The difference of two prompts, B − A, topic by topic.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SequenceReport {
    /// Probability that the interval ever excludes the true mean.
    pub alpha: f64,
    /// One point after each topic, in counting order.
    pub points: Vec<SequencePoint>,
    /// Topics after which 0 was excluded first; `None` before.
    pub settled_after: Option<usize>,
    /// Further topics that would settle it, if they resemble those so far; `None` where it is
    /// settled, or where the number is beyond any dataset.
    pub more_topics: Option<u64>,
    /// Complete topics without a value of both prompts.
    pub without_value: usize,
    /// Topics that are not complete, or come after one that is not.
    pub waiting: usize,
}

impl SequenceReport {
    /// Returns the latest point; `None` before the first topic.
    pub fn last(&self) -> Option<SequencePoint> {
        self.points.last().copied()
    }

    /// Returns whether 0 was excluded.
    pub fn is_settled(&self) -> bool {
        self.settled_after.is_some()
    }
}

/// Computes the sequence from topics' differences, each in [−1, 1], in counting order.
///
/// `alpha` is in (0, 1). Values that are no number are left out.
pub fn confidence_sequence(differences: &[f64], alpha: f64) -> SequenceReport {
    let mut bets = Bets::new(alpha);
    let mut points: Vec<SequencePoint> = Vec::with_capacity(differences.len());
    let (mut low, mut high) = (-1.0_f64, 1.0_f64);
    let mut settled_after = None;
    let finite = differences.iter().filter(|value| value.is_finite());
    for difference in finite {
        bets.observe_value(to_unit_interval(*difference));
        let (now_low, now_high) = bets.interval();
        let (narrow_low, narrow_high) = (
            low.max(from_unit_interval(now_low)),
            high.min(from_unit_interval(now_high)),
        );
        // All intervals are valid at once, so their intersection is. An empty intersection is the
        // rare case in which one of them errs; then the earlier interval is kept.
        if narrow_low <= narrow_high {
            (low, high) = (narrow_low, narrow_high);
        }
        points.push(SequencePoint {
            topics: points.len() + 1,
            difference: from_unit_interval(bets.mean()),
            low,
            high,
        });
        if settled_after.is_none() && (low > 0.0 || high < 0.0) {
            settled_after = Some(points.len());
        }
    }
    let more_topics = match settled_after {
        None if points.len() > 1 => bets.more_topics(),
        None | Some(_) => None,
    };
    SequenceReport {
        alpha,
        points,
        settled_after,
        more_topics,
        without_value: 0,
        waiting: 0,
    }
}

fn to_unit_interval(difference: f64) -> f64 {
    ((difference + 1.0) / 2.0).clamp(0.0, 1.0)
}

fn from_unit_interval(value: f64) -> f64 {
    2.0 * value - 1.0
}

/// Sums of the sequence, over values in [0, 1].
#[derive(Debug, Clone, Copy)]
struct Bets {
    /// ln(2 / α).
    log_threshold: f64,
    value_count: f64,
    sum: f64,
    /// Sum of squared distances of each value to the mean including it.
    spread: f64,
    bets: f64,
    bet_values: f64,
    penalty: f64,
}

impl Bets {
    fn new(alpha: f64) -> Self {
        Self {
            log_threshold: (2.0 / alpha).ln(),
            value_count: 0.0,
            sum: 0.0,
            spread: 0.0,
            bets: 0.0,
            bet_values: 0.0,
            penalty: 0.0,
        }
    }

    /// Mean used for betting: one value of ½ is counted before the first.
    fn regularised_mean(&self) -> f64 {
        (0.5 + self.sum) / (self.value_count + 1.0)
    }

    /// Variance used for betting, regularised likewise.
    fn regularised_variance(&self) -> f64 {
        (0.25 + self.spread) / (self.value_count + 1.0)
    }

    fn observe_value(&mut self, value: f64) {
        let before = self.regularised_mean();
        let bet = self.next_bet();
        self.add_bet(value, bet, (value - before).powi(2));
        self.spread += (value - self.regularised_mean()).powi(2);
    }

    /// Bet on the next value, determined before it is seen.
    fn next_bet(&self) -> f64 {
        let next = self.value_count + 1.0;
        let bet =
            (2.0 * self.log_threshold / (self.regularised_variance() * next * next.ln_1p())).sqrt();
        bet.min(MAX_BET)
    }

    fn add_bet(&mut self, value: f64, bet: f64, squared: f64) {
        self.value_count += 1.0;
        self.sum += value;
        self.bets += bet;
        self.bet_values += bet * value;
        // v ψ(λ) = 4 (X − μ̂)² · (−ln(1 − λ) − λ) / 4.
        self.penalty += squared * (-(-bet).ln_1p() - bet);
    }

    fn interval(&self) -> (f64, f64) {
        let centre = self.bet_values / self.bets;
        let half = (self.log_threshold + self.penalty) / self.bets;
        (centre - half, centre + half)
    }

    fn mean(&self) -> f64 {
        match self.value_count > 0.0 {
            true => self.sum / self.value_count,
            false => 0.5,
        }
    }

    /// Continues with values of the mean and spread so far until ½ is excluded.
    fn more_topics(mut self) -> Option<u64> {
        let mean = self.mean();
        if mean == 0.5 {
            return None;
        }
        let spread = self.spread / self.value_count;
        for more in 1..=MAX_PREDICTED_TOPICS {
            let bet = self.next_bet();
            self.add_bet(mean, bet, spread);
            self.spread += spread;
            let (low, high) = self.interval();
            if low > 0.5 || high < 0.5 {
                return Some(more);
            }
        }
        None
    }
}
