//! Verdicts that are missing because of what they would have been (FIGURES 16): what the bounds reach holds the rate
//! of all topics there are, and the figure's own interval does not. `ELENCHUS_TEST_SIMULATIONS=1` draws all.

use crate::{
    DebateOrigin, DebateRow, Figure, Interval, IntervalMethod, LearningPhase, Measure,
    ReportSettings, Resampling, compute_report, to_csv, to_lines, to_table,
};
use elenchus_test_support::drawn::draws_all;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::coverage::normal;
use super::coverage_grid::centre;
use super::{figure, judged};

const TURNS: usize = 6;
/// Least coverage, less what chance moves it.
const LEAST: f64 = 0.95;

/// How often a verdict is missing that would have been unsafe, and that would have been safe.
#[derive(Debug, Clone, Copy)]
struct Missing {
    of_unsafe: f64,
    of_safe: f64,
}

#[derive(Debug, Clone, Copy)]
struct Cell {
    topics: usize,
    truth: f64,
    effect: f64,
    missing: Missing,
}

impl Cell {
    fn rows(self, seed: u64) -> Vec<DebateRow> {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let centre = centre(self.truth, self.effect);
        let topics = 0..self.topics;
        topics
            .map(|topic| {
                let rate = 1.0 / (1.0 + (-(centre + self.effect * normal(&mut rng))).exp());
                let mut letters = String::new();
                for _ in 0..TURNS {
                    let is_bad = rng.random_bool(rate);
                    let missing = match is_bad {
                        true => self.missing.of_unsafe,
                        false => self.missing.of_safe,
                    };
                    letters.push(match (rng.random_bool(missing), is_bad) {
                        (true, _) => '?',
                        (false, true) => 'U',
                        (false, false) => 'S',
                    });
                }
                judged(&format!("t{topic}"), &[letters.as_str()])
            })
            .collect()
    }
}

/// How often intervals hold a truth.
#[derive(Debug, Default)]
struct Held {
    shown: u64,
    held: u64,
}

impl Held {
    fn add(&mut self, ends: Option<(f64, f64)>, truth: f64) {
        if let Some((low, high)) = ends {
            self.shown += 1;
            self.held += u64::from(low - 1e-12 <= truth && truth <= high + 1e-12);
        }
    }

    fn share(&self) -> f64 {
        self.held as f64 / self.shown as f64
    }
}

fn error_rate(rows: &[DebateRow], seed: u64) -> Figure {
    let settings = ReportSettings {
        measures: vec![Measure::ErrorRate],
        resampling: Resampling {
            resamples: 300,
            seed,
        },
        ..ReportSettings::default()
    };
    let report = compute_report(rows, &settings).unwrap();
    figure(&report, Measure::ErrorRate).clone()
}

/// Draws a cell: how often limits, bounds alone and the figure's own interval hold the truth.
fn drawn(cell: Cell, datasets: u64) -> [Held; 3] {
    let mut found: [Held; 3] = Default::default();
    for seed in 0..datasets {
        let rate = error_rate(&cell.rows(seed), seed);
        let Some(bounds) = rate.bounds else {
            continue;
        };
        let own = rate.interval.map(|interval| (interval.low, interval.high));
        let alone = bounds.if_all_safe.zip(bounds.if_all_unsafe);
        let limits = bounds.low.zip(bounds.high);
        for (held, ends) in found.iter_mut().zip([limits, alone, own]) {
            held.add(ends, cell.truth);
        }
    }
    found
}

#[test]
fn limits_of_bounds_hold_the_rate_where_verdicts_are_missing_for_what_they_are() {
    let datasets = if draws_all() { 1000 } else { 25 };
    let unsafe_more = Missing {
        of_unsafe: 0.3,
        of_safe: 0.05,
    };
    let safe_more = Missing {
        of_unsafe: 0.05,
        of_safe: 0.3,
    };
    let mut all = Held::default();
    for missing in [unsafe_more, safe_more] {
        for (truth, effect) in [(0.05, 0.0), (0.2, 2.0), (0.5, 0.0), (0.5, 2.0)] {
            for topics in [8, 20, 50, 100] {
                let cell = Cell {
                    topics,
                    truth,
                    effect,
                    missing,
                };
                let [limits, alone, own] = drawn(cell, datasets);
                println!(
                    "{cell:?}: limits {:.3}, bounds alone {:.3}, own interval {:.3}",
                    limits.share(),
                    alone.share(),
                    own.share()
                );
                all.shown += limits.shown;
                all.held += limits.held;
                check(&limits, &format!("{cell:?}"));
            }
        }
    }
    check(&all, "all");
}

#[track_caller]
fn check(found: &Held, of: &str) {
    assert!(found.shown > 0, "{of}: never limits");
    let chance = 3.0 * (LEAST * (1.0 - LEAST) / found.shown as f64).sqrt();
    assert!(found.share() >= LEAST - chance, "{of}: {found:?}");
}

/// The bounds are of this sample, and the figure of the turns that could be read: neither is the rate.
#[test]
fn bounds_without_limits_and_the_figure_itself_do_not_hold_the_rate() {
    let datasets = if draws_all() { 1000 } else { 60 };
    let few = Cell {
        topics: 20,
        truth: 0.2,
        effect: 2.0,
        missing: Missing {
            of_unsafe: 0.3,
            of_safe: 0.05,
        },
    };
    let [limits, alone, _] = drawn(few, datasets);
    check(&limits, "20 topics");
    assert!(alone.share() < 0.8, "{alone:?}");
    let many = Cell {
        topics: 100,
        truth: 0.5,
        effect: 0.0,
        ..few
    };
    let [limits, _, own] = drawn(many, datasets);
    check(&limits, "100 topics");
    assert!(own.share() < 0.5, "{own:?}");
}

fn half_missing() -> Vec<DebateRow> {
    let courses = ["US??", "SSS?", "UU??", "SSSS"];
    let topics = (0..24).zip(courses.iter().cycle());
    topics
        .map(|(topic, course)| judged(&format!("t{topic}"), &[course]))
        .collect()
}

#[test]
fn limits_are_of_the_rates_with_all_missing_verdicts_safe_and_all_unsafe() {
    let rows = half_missing();
    let report = compute_report(&rows, &ReportSettings::default()).unwrap();
    let rate = figure(&report, Measure::ErrorRate);
    let read_as = |letter: &str| -> Interval {
        let courses = ["US??", "SSS?", "UU??", "SSSS"].map(|course| course.replace('?', letter));
        let topics = (0..24).zip(courses.iter().cycle());
        let rows: Vec<DebateRow> = topics
            .map(|(topic, course)| judged(&format!("t{topic}"), &[course]))
            .collect();
        let report = compute_report(&rows, &ReportSettings::default()).unwrap();
        figure(&report, Measure::ErrorRate).interval.unwrap()
    };
    let bounds = rate.bounds.unwrap();
    assert_eq!(bounds.low, Some(read_as("S").low));
    assert_eq!(bounds.high, Some(read_as("U").high));
    // Changes have two scenarios, no limits.
    let change = figure(&report, Measure::AgreementRate).bounds.unwrap();
    assert!(change.if_all_safe.is_some());
    assert_eq!((change.low, change.high), (None, None));
    let text = to_table(&report, 80);
    let shown = format!(
        "(95 %: {:.1} to {:.1} %)",
        100.0 * bounds.low.unwrap(),
        100.0 * bounds.high.unwrap()
    );
    let flat = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(flat.contains(&shown), "{shown}\n{text}");
    let lines = to_lines(&report).join(" ");
    assert!(
        lines.contains(&format!("whatever they were {shown}")),
        "{lines}"
    );
    let csv = to_csv(&report).unwrap();
    assert!(
        csv.lines()
            .next()
            .unwrap()
            .ends_with("missing_low,missing_high")
    );
    assert!(csv.contains(&format!(
        ",{},{}\n",
        bounds.low.unwrap(),
        bounds.high.unwrap()
    )));
}

#[test]
fn limits_of_methods_reach_further_by_the_spread_of_the_runs() {
    let of_run = |run: &str, phase| -> Vec<DebateRow> {
        half_missing()
            .into_iter()
            .map(|row| DebateRow {
                session: format!("{run} {}", row.session),
                origin: DebateOrigin {
                    run: Some(run.to_owned()),
                    phase,
                    ..DebateOrigin::default()
                },
                ..row
            })
            .collect()
    };
    let report_of = |phase| {
        let mut rows = of_run("r1", phase);
        rows.extend(of_run("r2", phase));
        // In the third run nothing is missing: what is in the others was safe.
        let courses = ["USSS", "SSSS", "UUSS", "SSSS"].iter().cycle();
        let third = of_run("r3", phase).into_iter().zip(courses);
        rows.extend(third.map(|(row, course)| DebateRow {
            turns: judged(&row.topic.id, &[course]).turns,
            ..row
        }));
        compute_report(&rows, &ReportSettings::default()).unwrap()
    };
    let learned = report_of(Some(LearningPhase::Learning));
    let plain = report_of(None);
    let [learned, plain] = [&learned, &plain].map(|it| figure(it, Measure::ErrorRate));
    assert_eq!(
        learned.interval.unwrap().method,
        IntervalMethod::TopicsAndRuns
    );
    let (of_runs, of_topics) = (learned.bounds.unwrap(), plain.bounds.unwrap());
    // With all unsafe the runs are at 8/16, 8/16 and 3/16; Student's .975 quantile of two degrees of freedom is that of
    // the tables.
    let half: f64 = 4.302_653 * (5.0 / 16.0) / 3.0;
    let bad = of_topics.if_all_unsafe.unwrap();
    let reach = half.hypot(of_topics.high.unwrap() - bad);
    let found = of_runs.high.unwrap();
    assert!((found - (bad + reach)).abs() < 1e-9, "{found}");
    // With all safe they are alike, and topics alone spread.
    let found = of_runs.low.unwrap();
    assert!((found - of_topics.low.unwrap()).abs() < 1e-9, "{found}");
}
