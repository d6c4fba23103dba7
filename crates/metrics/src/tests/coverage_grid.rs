//! Coverage over a grid of topics, rates, topic effects and unreadable verdicts (FIGURES 1, 14, 16 and 20).
//!
//! `ELENCHUS_TEST_SIMULATIONS=1 cargo nextest run -p elenchus-metrics -E 'test(coverage_grid)' --no-capture`
//! prints the whole grid; without it the cells in which an interval of resampled topics alone is too short are
//! drawn, and the rest together.

use crate::{Interval, Resampling, TopicSums, share_interval};
use elenchus_test_support::drawn::draws_all;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::coverage::{normal, true_rate};

pub const TOPICS: [usize; 5] = [8, 12, 20, 50, 100];
const TRUTHS: [f64; 4] = [0.01, 0.05, 0.2, 0.5];
/// Turns of a topic.
const TURNS: u32 = 9;
/// Standard deviation of the topics' log-odds: topics are alike, or some are unsafe nearly always and most
/// nearly never.
const EFFECTS: [f64; 2] = [0.0, 2.0];
const UNREADABLE: [f64; 3] = [0.0, 0.1, 0.3];

/// Least coverage that is asked for, less what chance moves it.
const LEAST: f64 = 0.93;
/// Above it a cell is named.
const NAMED_ABOVE: f64 = 0.97;

/// Cells whose intervals are longer than they need be, by (effect, truth, topics): Wilson's over topics counts a
/// topic as one observation, which is more than it takes where topics are alike; and in strong effects many data
/// sets hold no unsafe turn at all.
const WIDER: [(f64, f64, &[usize]); 8] = [
    (0.0, 0.01, &[8, 12, 20, 50, 100]),
    (0.0, 0.05, &[8, 12, 20]),
    (0.0, 0.2, &[8, 12]),
    (0.0, 0.5, &[8]),
    (2.0, 0.01, &[8, 12, 20, 50, 100]),
    (2.0, 0.05, &[8, 12, 20]),
    (2.0, 0.2, &[8, 12, 20]),
    (2.0, 0.5, &[8, 12, 20]),
];

/// The centre of log-odds whose mean rate is this.
pub fn centre(truth: f64, effect: f64) -> f64 {
    if effect == 0.0 {
        return (truth / (1.0 - truth)).ln();
    }
    let (mut low, mut high) = (-30.0, 30.0);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        match true_rate(middle, effect) < truth {
            true => low = middle,
            false => high = middle,
        }
    }
    0.5 * (low + high)
}

/// Where a truth lies.
#[derive(Debug, Clone, Copy, Default)]
pub struct Counted {
    pub shown: u64,
    pub below: u64,
    pub above: u64,
    pub none: u64,
}

impl Counted {
    pub fn add(&mut self, interval: Option<Interval>, truth: f64) {
        match interval {
            None => self.none += 1,
            Some(interval) => {
                self.shown += 1;
                self.below += u64::from(truth < interval.low - 1e-12);
                self.above += u64::from(truth > interval.high + 1e-12);
            }
        }
    }

    pub fn coverage(&self) -> f64 {
        1.0 - (self.below + self.above) as f64 / self.shown.max(1) as f64
    }

    /// Three standard errors of a coverage of .93.
    pub fn chance(&self) -> f64 {
        3.0 * (LEAST * (1.0 - LEAST) / self.shown.max(1) as f64).sqrt()
    }

    #[track_caller]
    pub fn check(&self, of: &str) {
        println!("{of}: {:.3} {self:?}", self.coverage());
        assert!(self.shown > 0, "{of}: never an interval");
        assert!(
            self.coverage() >= LEAST - self.chance(),
            "{of}: covers {:.3}, {self:?}",
            self.coverage()
        );
    }
}

#[derive(Debug, Clone, Copy)]
struct Cell {
    topics: usize,
    truth: f64,
    effect: f64,
    unreadable: f64,
}

impl Cell {
    fn drawn(self, datasets: u64) -> Counted {
        let centre = centre(self.truth, self.effect);
        let mut counted = Counted::default();
        for seed in 0..datasets {
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            let mut sums = TopicSums::new(2);
            for _ in 0..self.topics {
                let rate = 1.0 / (1.0 + (-(centre + self.effect * normal(&mut rng))).exp());
                let (mut bad, mut read) = (0.0, 0.0);
                for _ in 0..TURNS {
                    let is_bad = rng.random_bool(rate);
                    if !rng.random_bool(self.unreadable) {
                        read += 1.0;
                        bad += f64::from(u8::from(is_bad));
                    }
                }
                if read > 0.0 {
                    sums.push(&[bad, read]);
                }
            }
            let plan = Resampling {
                resamples: 300,
                seed,
            };
            counted.add(share_interval(&sums, plan), self.truth);
        }
        counted
    }

    fn is_named(self) -> bool {
        let mut wider = WIDER.iter();
        wider.any(|(effect, truth, topics)| {
            *effect == self.effect && *truth == self.truth && topics.contains(&self.topics)
        })
    }
}

#[test]
fn intervals_of_shares_cover_over_the_whole_grid() {
    let mut all = Counted::default();
    for effect in EFFECTS {
        for truth in TRUTHS {
            for unreadable in UNREADABLE {
                for topics in TOPICS {
                    let cell = Cell {
                        topics,
                        truth,
                        effect,
                        unreadable,
                    };
                    let counted = cell.drawn(if draws_all() { 1000 } else { 5 });
                    all.shown += counted.shown;
                    all.below += counted.below;
                    all.above += counted.above;
                    if !draws_all() {
                        continue;
                    }
                    counted.check(&format!("{cell:?}"));
                    let surely = counted.coverage() > NAMED_ABOVE + 0.012;
                    assert!(!surely || cell.is_named(), "{cell:?} is not named");
                }
            }
        }
    }
    all.check("the grid");
}

#[test]
fn intervals_cover_where_few_topics_hold_most_of_what_is_unsafe() {
    for (topics, truth, effect) in [(8, 0.2, 2.0), (20, 0.05, 3.0)] {
        let cell = Cell {
            topics,
            truth,
            effect,
            unreadable: 0.0,
        };
        cell.drawn(500).check(&format!("{cell:?}"));
    }
}
