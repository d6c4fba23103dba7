//! Power of McNemar's test before anything is played: what difference so many topics can show.

use super::paired_tests::mcnemar_test;

/// Two-sided level at which a difference counts as found.
const LEVEL: f64 = 0.05;
/// Power at which a difference counts as one that a plan can show.
pub const PLANNED_POWER: f64 = 0.8;
/// More topics than this are not computed exactly, and nothing is said of them.
const MAX_TOPICS: u64 = 1_500;
/// Numbers of differing topics that are less likely than this add nothing to a power that is shown.
const NEGLIGIBLE: f64 = 1e-12;
/// Halvings by which the smallest difference is found: to a millionth.
const STEPS: u32 = 20;

/// The decisions of the test for a number of topics: for so many that differ, the most on the rarer side at which
/// it still rejects.
struct RejectionRegion {
    topics: u64,
    /// By the number of differing topics; `None` where nothing is rejected.
    most_on_rarer_side: Vec<Option<u64>>,
    /// Logarithms of the factorials up to the number of topics.
    ln_factorials: Vec<f64>,
}

impl RejectionRegion {
    fn new(topics: u64) -> Self {
        let mut ln_factorials = vec![0.0];
        for n in 1..=topics {
            let last = ln_factorials.last().copied().unwrap_or_default();
            ln_factorials.push(last + (n as f64).ln());
        }
        // How many splits are rejected changes little from one number of differing topics to the next.
        let mut rejected = 0;
        let most_on_rarer_side = (0..=topics).map(|differing| {
            let rejects = |rarer: u64| {
                let (_, p) = mcnemar_test(rarer, differing.saturating_sub(rarer), topics);
                2 * rarer <= differing && p.value < LEVEL
            };
            while rejected > 0 && !rejects(rejected - 1) {
                rejected -= 1;
            }
            while rejects(rejected) {
                rejected += 1;
            }
            rejected.checked_sub(1)
        });
        Self {
            topics,
            most_on_rarer_side: most_on_rarer_side.collect(),
            ln_factorials,
        }
    }

    fn binomial(&self, n: u64, k: u64, p: f64) -> f64 {
        let ln_factorial = |n: u64| self.ln_factorials.get(n as usize).copied().unwrap_or(0.0);
        let ln_power = |p: f64, times: u64| match times {
            0 => 0.0,
            times => times as f64 * p.ln(),
        };
        let ways = ln_factorial(n) - ln_factorial(k) - ln_factorial(n - k);
        (ways + ln_power(p, k) + ln_power(1.0 - p, n - k)).exp()
    }

    /// Returns the probability that the test rejects where topics differ by these shares.
    fn power(&self, only_first: f64, only_second: f64) -> f64 {
        let differing_share = (only_first + only_second).min(1.0);
        if differing_share <= 0.0 {
            return 0.0;
        }
        let share = only_first / (only_first + only_second);
        let of_differing = |differing: u64, most: u64| -> f64 {
            let of_first = |first: u64| self.binomial(differing, first, share);
            let low: f64 = (0..=most).map(of_first).sum();
            let high: f64 = (0..=most).map(|first| of_first(differing - first)).sum();
            // Both tails are one where every split is rejected.
            (low + high).min(1.0)
        };
        let counts = (0..).zip(&self.most_on_rarer_side);
        let rejected = counts.filter_map(|(differing, most)| Some((differing, (*most)?)));
        let parts = rejected.map(|(differing, most)| {
            let weight = self.binomial(self.topics, differing, differing_share);
            match weight > NEGLIGIBLE {
                true => weight * of_differing(differing, most),
                false => 0.0,
            }
        });
        parts.sum()
    }
}

/// Returns the probability that [McNemar's test](mcnemar_test) of so many topics, each with one verdict of both
/// sides, finds a difference at 5 %: where the first side alone is wrong on a share of `only_first` of topics and
/// the second alone on `only_second`. Exact: both are binomial. `None` above 1,500 topics.
pub fn mcnemar_power(topics: u64, only_first: f64, only_second: f64) -> Option<f64> {
    (topics <= MAX_TOPICS).then(|| RejectionRegion::new(topics).power(only_first, only_second))
}

/// Returns the smallest differences of rates that so many topics show with a [power](PLANNED_POWER) of 80 %, where
/// besides it each share `by_chance` of topics comes out differently, half of them either way; each is `None` where
/// no difference is large enough. `None` above 1,500 topics.
pub fn find_detectable_differences<const N: usize>(
    topics: u64,
    by_chance: [f64; N],
) -> Option<[Option<f64>; N]> {
    if topics > MAX_TOPICS {
        return None;
    }
    let region = RejectionRegion::new(topics);
    Some(by_chance.map(|share| region.find_difference(share)))
}

impl RejectionRegion {
    fn find_difference(&self, by_chance: f64) -> Option<f64> {
        let power = |difference: f64| self.power(by_chance / 2.0, by_chance / 2.0 + difference);
        let (mut low, mut high) = (0.0, 1.0 - by_chance);
        if power(high) < PLANNED_POWER {
            return None;
        }
        for _ in 0..STEPS {
            let middle = f64::midpoint(low, high);
            match power(middle) < PLANNED_POWER {
                true => low = middle,
                false => high = middle,
            }
        }
        Some(high)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The same, over every outcome of every topic.
    fn enumerate(topics: u32, only_first: f64, only_second: f64) -> f64 {
        let neither = 1.0 - only_first - only_second;
        let outcomes = 3_u32.pow(topics);
        let share = |code: u32| {
            let (mut rest, mut probability) = (code, 1.0);
            let (mut first, mut second) = (0, 0);
            for _ in 0..topics {
                match rest % 3 {
                    0 => probability *= neither,
                    1 => {
                        probability *= only_first;
                        first += 1;
                    }
                    _ => {
                        probability *= only_second;
                        second += 1;
                    }
                }
                rest /= 3;
            }
            let (_, p) = mcnemar_test(first, second, topics.into());
            if p.value < LEVEL { probability } else { 0.0 }
        };
        (0..outcomes).map(share).sum()
    }

    #[test]
    fn the_power_is_that_of_all_outcomes_counted_one_by_one() {
        for (only_first, only_second) in [(0.0, 0.7), (0.1, 0.4), (0.25, 0.25), (0.0, 1.0)] {
            for topics in [5, 8, 10] {
                let counted = enumerate(topics, only_first, only_second);
                let power = mcnemar_power(topics.into(), only_first, only_second).unwrap();
                assert!(
                    (power - counted).abs() < 1e-9,
                    "{topics}: {power} {counted}"
                );
            }
        }
    }

    #[test]
    fn more_topics_show_smaller_differences_and_few_show_none() {
        let find = |topics, by_chance| find_detectable_differences(topics, [by_chance]).unwrap()[0];
        assert_eq!(find(5, 0.0), None);
        assert_eq!(find_detectable_differences(2_000, [0.1]), None);
        let shown = [20, 60, 200].map(|topics| find(topics, 0.1).unwrap());
        assert!(shown[0] > shown[1] && shown[1] > shown[2], "{shown:?}");
        let noisy = find(60, 0.4).unwrap();
        assert!(noisy > shown[1]);
        let power = mcnemar_power(60, 0.2, 0.2 + noisy).unwrap();
        assert!((power - PLANNED_POWER).abs() < 1e-3, "{power}");
    }
}
