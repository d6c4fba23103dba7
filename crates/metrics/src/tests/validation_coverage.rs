//! Coverage of validation on random data: simple and stratified sampling of a known evaluator.

use super::validation::{EVALUATOR, asked, found, label, row, safety};
use crate::{
    GivenLabel, Interval, LabelDraw, MoreLabels, Quantity, Resampling, ValidateOptions,
    ValidateRow, compute_validation,
};
use elenchus_test_support::drawn::{datasets, honest, slack};
use rand::seq::SliceRandom;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

pub const SENSITIVITY: f64 = 0.61;
pub const SPECIFICITY: f64 = 0.94;
const TOPICS: usize = 80;
const TURNS: usize = 6;

/// Turns of topics that differ in how unsafe they are, by an evaluator of known error; each with the
/// truth. One arm's topics are worse than the other's.
fn population(draw: &mut ChaCha8Rng) -> Vec<(ValidateRow, bool)> {
    let mut turns = Vec::new();
    for topic in 0..TOPICS {
        let bad = draw.random::<f64>() < 0.3;
        for turn in 0..TURNS {
            let arm = if turn % 2 == 0 { "one" } else { "two" };
            let rate = match (bad, arm) {
                (true, "one") => 0.8,
                (true, _) => 0.6,
                (false, "one") => 0.15,
                (false, _) => 0.05,
            };
            let truth = draw.random::<f64>() < rate;
            let right = draw.random::<f64>() < if truth { SENSITIVITY } else { SPECIFICITY };
            let verdict = if truth == right { "unsafe" } else { "safe" };
            let row = ValidateRow {
                arm: arm.to_owned(),
                ..row(&format!("t{topic}"), found(verdict), Vec::new())
            };
            turns.push((row, truth));
        }
    }
    turns
}

/// The true rates of both arms.
const RATES: [(&str, f64); 2] = [
    ("one", 0.3 * 0.8 + 0.7 * 0.15),
    ("two", 0.3 * 0.6 + 0.7 * 0.05),
];

/// Labels `taken` turns of each stratum, which a turn's verdict names.
fn labelled(
    mut turns: Vec<(ValidateRow, bool)>,
    stratum: fn(&ValidateRow) -> &'static str,
    taken: &[(&str, usize)],
    draw: &mut ChaCha8Rng,
) -> Vec<ValidateRow> {
    for (name, taken) in taken {
        let mut own: Vec<usize> = (0..turns.len())
            .filter(|at| stratum(&turns[*at].0) == *name)
            .collect();
        let of = own.len();
        own.shuffle(draw);
        let taken = (*taken).min(of);
        for at in own.into_iter().take(taken) {
            let (row, truth) = &mut turns[at];
            row.labels = vec![GivenLabel {
                drawn: Some(LabelDraw {
                    queue: "q".to_owned(),
                    stratum: (*name).to_owned(),
                    taken: taken as u32,
                    of: of as u32,
                    chances: 1,
                    by_verdict: false,
                    is_stated: false,
                }),
                ..label("ada", if *truth { "unsafe" } else { "safe" })
            }];
        }
    }
    turns.into_iter().map(|(row, _)| row).collect()
}

fn by_verdict(row: &ValidateRow) -> &'static str {
    match row.found.get(EVALUATOR) == found("unsafe").as_ref() {
        true => "unsafe",
        false => "safe",
    }
}

fn everything(_: &ValidateRow) -> &'static str {
    "all"
}

fn wanted(seed: u64) -> ValidateOptions {
    ValidateOptions {
        resampling: Resampling {
            resamples: 200,
            seed,
        },
        ..asked(safety())
    }
}

/// A truth, the mean of its estimates, and how often their intervals held it.
#[derive(Debug, Default)]
struct Held {
    truth: f64,
    sum: f64,
    count: usize,
    held: usize,
}

impl Held {
    fn of(truth: f64) -> Self {
        Self {
            truth,
            ..Self::default()
        }
    }

    fn add(&mut self, value: f64, interval: Interval) {
        self.sum += value;
        self.count += 1;
        self.held += usize::from(interval.low <= self.truth && self.truth <= interval.high);
    }

    #[track_caller]
    fn check(&self, bias: f64, widest: Widest) {
        let mean = self.sum / self.count as f64;
        assert!((mean - self.truth).abs() < bias, "{mean} of {self:?}");
        let coverage = self.held as f64 / self.count as f64;
        // Of so many datasets, chance alone moves a coverage of .95 by so much once in twenty times.
        let honest = honest(self.count as u64);
        let is_honest = match widest {
            Widest::Honest => honest.contains(&coverage),
            Widest::Named => *honest.start() <= coverage,
        };
        assert!(is_honest, "{coverage} of {self:?}");
    }
}

/// Whether an interval may hold the truth more often than 97 of 100 times.
#[derive(Clone, Copy)]
enum Widest {
    Honest,
    /// It does: few topics err, so that it is Wilson's over topics, which errs on the side of width (98 of 100
    /// here).
    Named,
}

fn recovers_the_truth(
    stratum: fn(&ValidateRow) -> &'static str,
    taken: &[(&str, usize)],
    of_specificity: Widest,
) {
    let mut draw = ChaCha8Rng::seed_from_u64(61);
    let mut sensitivity = Held::of(SENSITIVITY);
    let mut specificity = Held::of(SPECIFICITY);
    let mut difference = RATES.map(|(_, rate)| Held::of(rate));
    let mut by_error = RATES.map(|(_, rate)| Held::of(rate));
    for seed in 0..datasets(400) {
        let turns = population(&mut draw);
        let rows = labelled(turns, stratum, taken, &mut draw);
        let found = compute_validation(&rows, &[], &wanted(seed)).unwrap();
        let report = &found.sections[0].evaluators[0];
        for (quantity, held) in [
            (Quantity::Recall, &mut sensitivity),
            (Quantity::Specificity, &mut specificity),
        ] {
            let estimates = report.estimates.iter();
            let own = estimates
                .clone()
                .find(|one| one.quantity == quantity)
                .unwrap();
            held.add(own.value.unwrap(), own.interval.unwrap());
        }
        for (at, arm) in report.arms.iter().enumerate() {
            assert_eq!(arm.arm, RATES[at].0);
            let rate = arm.corrected.as_ref().unwrap();
            difference[at].add(rate.value, rate.interval.unwrap());
            let rate = arm.by_error.as_ref().unwrap();
            by_error[at].add(rate.value, rate.interval.unwrap());
        }
    }
    sensitivity.check(slack(0.01), Widest::Honest);
    specificity.check(slack(0.01), of_specificity);
    for held in difference.iter().chain(&by_error) {
        held.check(slack(0.01), Widest::Honest);
    }
}

#[test]
fn a_simple_sample_recovers_error_and_rates_with_honest_intervals() {
    recovers_the_truth(everything, &[("all", 240)], Widest::Named);
}

#[test]
fn a_sample_stratified_by_verdict_recovers_error_and_rates_with_honest_intervals() {
    recovers_the_truth(by_verdict, &[("unsafe", 90), ("safe", 150)], Widest::Honest);
}

#[test]
fn without_their_weights_the_same_labels_would_mislead() {
    let mut draw = ChaCha8Rng::seed_from_u64(5);
    let mut means = [0.0; 2];
    for seed in 0..40 {
        let turns = population(&mut draw);
        let rows = labelled(
            turns,
            by_verdict,
            &[("unsafe", 90), ("safe", 60)],
            &mut draw,
        );
        let plain: Vec<ValidateRow> = rows
            .iter()
            .cloned()
            .map(|mut row| {
                row.labels.iter_mut().for_each(|label| label.drawn = None);
                row
            })
            .collect();
        for (rows, mean) in [(&rows, 0), (&plain, 1)] {
            let found = compute_validation(rows, &[], &wanted(seed)).unwrap();
            let estimates = &found.sections[0].evaluators[0].estimates;
            let recall = estimates
                .iter()
                .find(|one| one.quantity == Quantity::Recall);
            means[mean] += recall.unwrap().value.unwrap() / 40.0;
        }
    }
    assert!((means[0] - SENSITIVITY).abs() < 0.04, "{means:?}");
    assert!(means[1] > SENSITIVITY + 0.1, "{means:?}");
}

#[test]
fn a_stratum_that_is_ahead_does_not_count_for_more() {
    let mut draw = ChaCha8Rng::seed_from_u64(8);
    let mut mean = 0.0;
    for seed in 0..60 {
        let turns = population(&mut draw);
        let mut rows = labelled(
            turns,
            by_verdict,
            &[("unsafe", 90), ("safe", 200)],
            &mut draw,
        );
        // Of what was called safe, every other turn still waits for its label.
        let mut skip = false;
        for row in rows.iter_mut().filter(|row| !row.labels.is_empty()) {
            if by_verdict(row) == "safe" {
                skip = !skip;
                if skip {
                    row.labels.clear();
                }
            }
        }
        let found = compute_validation(&rows, &[], &wanted(seed)).unwrap();
        mean += found.sections[0].evaluators[0]
            .error
            .as_ref()
            .unwrap()
            .sensitivity()
            / 60.0;
    }
    assert!((mean - SENSITIVITY).abs() < 0.015, "{mean}");
}

#[test]
fn an_error_that_differs_between_rounds_is_warned_of_and_an_equal_one_rarely() {
    let mut draw = ChaCha8Rng::seed_from_u64(9);
    let mut warned = [0usize; 2];
    for seed in 0..60 {
        for (kind, late) in [(0, SENSITIVITY), (1, 0.2)] {
            let mut turns = population(&mut draw);
            for (at, (row, truth)) in turns.iter_mut().enumerate() {
                row.round = 1 + at as u32 % 2;
                row.arm = "one".to_owned();
                if row.round == 2 && *truth {
                    let caught = draw.random::<f64>() < late;
                    let verdict = found(if caught { "unsafe" } else { "safe" }).unwrap();
                    row.found.insert(EVALUATOR.to_owned(), verdict);
                }
            }
            let rows = labelled(turns, everything, &[("all", 300)], &mut draw);
            let report = compute_validation(&rows, &[], &wanted(seed)).unwrap();
            let differences = &report.sections[0].evaluators[0].differences;
            warned[kind] += usize::from(differences.iter().any(|one| one.by == "round"));
        }
    }
    assert!(warned[0] <= 6, "{warned:?}");
    assert!(warned[1] >= 50, "{warned:?}");
}

#[test]
fn the_labels_that_are_asked_for_halve_the_interval() {
    let mut draw = ChaCha8Rng::seed_from_u64(12);
    let mut ratios = Vec::new();
    for seed in 0..40 {
        let mut turns = population(&mut draw);
        for (row, _) in &mut turns {
            row.arm = "one".to_owned();
        }
        let few = labelled(turns.clone(), everything, &[("all", 25)], &mut draw);
        let width = |rows: &[ValidateRow]| {
            let found = compute_validation(rows, &[], &wanted(seed)).unwrap();
            let arm = found.sections[0].evaluators[0].arms[0].clone();
            let interval = arm.corrected.unwrap().interval.unwrap();
            (interval.high - interval.low, arm.more)
        };
        let (before, more) = width(&few);
        match more.unwrap() {
            MoreLabels::Labels { strata } => {
                let plan: Vec<(&str, usize)> = strata
                    .iter()
                    .map(|one| {
                        let name = if one.positive { "unsafe" } else { "safe" };
                        (name, one.labelled + one.add)
                    })
                    .collect();
                let (after, _) = width(&labelled(turns, by_verdict, &plan, &mut draw));
                ratios.push(after / before);
            }
            MoreLabels::AllLabelled => panic!("most turns have no label"),
            MoreLabels::Topics { left } => assert!(left > 0.5 && left <= 1.0, "{left}"),
        }
    }
    assert!(ratios.len() >= 15, "{} of 40 can be planned", ratios.len());
    // Few labels know little of the width that they have: now and then a plan is far off.
    ratios.sort_by(f64::total_cmp);
    let median = ratios[ratios.len() / 2];
    assert!((0.42..=0.58).contains(&median), "{median} of {ratios:?}");
}
