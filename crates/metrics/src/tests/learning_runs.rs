//! Where arms learn, the learning run is the unit of a claim about the method (FIGURES 27).

use crate::statistics::combined_interval::widen_interval;
use crate::statistics::quantile::TAIL;
use crate::statistics::run_level::RunValues;
use crate::{
    ComparisonSettings, DebateOrigin, DebateRow, Dimension, Figure, IntervalMethod,
    IntervalSubject, LearningPhase, Measure, Report, ReportSettings, Resampling, TopicSums,
    compare_groups, comparison_to_table, compute_report, share_interval, to_csv, to_table,
};
use elenchus_test_support::drawn::draws_all;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::coverage::normal;
use super::coverage_grid::Counted;
use super::{figure, judged};

pub const TOPICS: usize = 24;

fn settings() -> ReportSettings {
    ReportSettings {
        by: vec![Dimension::Arm],
        resampling: Resampling::from_seed(5),
        ..ReportSettings::default()
    }
}

/// A run of an arm whose first topics are unsafe.
pub fn run(
    arm: &str,
    name: &str,
    phase: Option<LearningPhase>,
    unsafe_topics: usize,
) -> Vec<DebateRow> {
    (0..TOPICS)
        .map(|topic| {
            let course = if topic < unsafe_topics { "US" } else { "SS" };
            DebateRow {
                session: format!("{name}-{topic}"),
                arm: arm.to_owned(),
                origin: DebateOrigin {
                    run: Some(name.to_owned()),
                    phase,
                    memory: phase.map(|_| "textual".to_owned()),
                    ..DebateOrigin::default()
                },
                ..judged(&format!("t{topic}"), &[course])
            }
        })
        .collect()
}

pub fn learning(arm: &str, name: &str, unsafe_topics: usize) -> Vec<DebateRow> {
    run(arm, name, Some(LearningPhase::Learning), unsafe_topics)
}

fn error_rate(report: &Report) -> &Figure {
    figure(report, Measure::ErrorRate)
}

fn compared(rows: &[DebateRow]) -> Report {
    let settings = ComparisonSettings {
        groups: settings(),
        measures: vec![Measure::ErrorRate],
        within: None,
    };
    compare_groups(rows, "first", &["other".to_owned()], &settings).unwrap()
}

#[test]
fn an_interval_of_one_learning_run_is_headed_of_this_memory() {
    let report = compute_report(&learning("a", "r1", 12), &settings()).unwrap();
    assert_eq!(
        error_rate(&report).interval_of,
        Some(IntervalSubject::ThisMemory)
    );
    let table = to_table(&report, 80);
    assert!(table.contains("95 % this memory"), "{table}");
    assert!(
        table.contains("one learning run: intervals are of this memory"),
        "{table}"
    );
    assert!(to_csv(&report).unwrap().contains("this_memory"));
    let plain = compute_report(&run("a", "r1", None, 12), &settings()).unwrap();
    assert_eq!(error_rate(&plain).interval_of, None);
    assert!(to_table(&plain, 80).contains("95 % interval"));
}

#[test]
fn from_three_learning_runs_on_their_spread_counts_beside_that_of_topics() {
    let counts = [8, 12, 16];
    let rows: Vec<DebateRow> = (counts.iter().zip(["r1", "r2", "r3"]))
        .flat_map(|(count, name)| learning("a", name, *count))
        .collect();
    let report = compute_report(&rows, &settings()).unwrap();
    let found = error_rate(&report);
    assert_eq!(found.interval_of, Some(IntervalSubject::LearningRuns));
    let interval = found.interval.unwrap();
    assert_eq!(interval.method, IntervalMethod::TopicsAndRuns);
    // Over topics alone: all runs share them.
    let mut sums = TopicSums::new(2);
    for topic in 0..TOPICS {
        let bad = counts.iter().filter(|count| topic < **count).count();
        sums.push(&[bad as f64, 6.0]);
    }
    let topics = share_interval(&sums, settings().resampling).unwrap();
    // Rates 1/6, 1/4 and 1/3: their standard deviation is 1/12, and Student's .975 quantile of two degrees of
    // freedom is that of the tables.
    let half = 4.302_653 / 12.0 / 3f64.sqrt();
    let reach = |end: f64| (half.powi(2) + (0.25 - end).powi(2)).sqrt();
    assert!(
        (interval.low - (0.25 - reach(topics.low)).max(0.0)).abs() < 1e-9,
        "{interval:?}"
    );
    assert!(
        (interval.high - (0.25 + reach(topics.high))).abs() < 1e-9,
        "{interval:?}"
    );
    assert!(to_table(&report, 80).contains("95 % of the runs"));
}

#[test]
fn a_comparison_of_one_learning_run_each_says_nothing_about_the_method() {
    let mut rows = learning("first", "r1", 20);
    rows.extend(learning("other", "r2", 4));
    let report = compared(&rows);
    let text = comparison_to_table(&report, 80);
    assert!(
        text.contains("one learning run each: nothing about the method"),
        "{text}"
    );
    assert!(text.contains("of this memory"), "{text}");
    assert!(!text.contains('*'), "{text}");
    let mut with_plain = run("first", "r1", None, 20);
    with_plain.extend(learning("other", "r2", 4));
    let text = comparison_to_table(&compared(&with_plain), 80);
    assert!(
        text.contains("one learning run: nothing about the method"),
        "{text}"
    );
    let mut two = rows.clone();
    two.extend(learning("other", "r3", 4));
    let text = comparison_to_table(&compared(&two), 80);
    assert!(
        text.contains("1 and 2 learning runs: nothing about the method"),
        "{text}"
    );
}

#[test]
fn methods_are_compared_by_their_runs_once_each_has_three() {
    let arm = |arm: &str, counts: [usize; 3]| -> Vec<DebateRow> {
        let runs = counts.into_iter().enumerate();
        runs.flat_map(|(at, count)| learning(arm, &format!("{arm}-{at}"), count))
            .collect()
    };
    let mut rows = arm("first", [20, 21, 22]);
    rows.extend(arm("other", [2, 3, 4]));
    let report = compared(&rows);
    let figure = &report.sections[0].figures[0];
    let test = figure.compared.unwrap().test.unwrap();
    // Three against three: two of the twenty divisions are as far apart, whatever the topics say.
    assert!((test.p_value - 0.1).abs() < 1e-12, "{test:?}");
    assert_eq!(figure.interval_of, Some(IntervalSubject::LearningRuns));
    let text = comparison_to_table(&report, 80);
    assert!(text.contains("3 and 3 learning runs"), "{text}");
    assert!(text.contains("learning runs divided otherwise"), "{text}");
    // Against an arm that does not learn: signs of three differences.
    let mut rows = run("first", "plain", None, 20);
    rows.extend(arm("other", [2, 3, 4]));
    let report = compared(&rows);
    let test = report.sections[0].figures[0]
        .compared
        .unwrap()
        .test
        .unwrap();
    assert!((test.p_value - 0.25).abs() < 1e-12, "{test:?}");
}

#[test]
fn runs_that_read_one_given_memory_are_one_learning_run() {
    let held_out = |name: &str| run("a", name, Some(LearningPhase::HeldOut), 12);
    let rows: Vec<DebateRow> = ["r1", "r2", "r3"].into_iter().flat_map(held_out).collect();
    let given = compute_report(&rows, &settings()).unwrap();
    assert_eq!(
        error_rate(&given).interval_of,
        Some(IntervalSubject::ThisMemory)
    );
    // Where each is known to have taught its own, they are three.
    let taught = ReportSettings {
        teaching_runs: ["r1", "r2", "r3"].map(str::to_owned).into(),
        ..settings()
    };
    let own = compute_report(&rows, &taught).unwrap();
    assert_eq!(
        error_rate(&own).interval_of,
        Some(IntervalSubject::LearningRuns)
    );
}

/// Runs of log-odds that scatter around the method's, on topics that all share.
#[test]
fn intervals_of_methods_cover_over_runs_and_topics() {
    let datasets = if draws_all() { 1000 } else { 60 };
    for (runs, topics, of_runs, of_topics) in [
        (3, 12, 0.0, 0.0),
        (3, 12, 0.7, 1.0),
        (3, 50, 0.7, 0.0),
        (5, 20, 0.7, 1.0),
        (5, 50, 0.0, 1.0),
        (10, 50, 0.7, 1.0),
    ] {
        let truth = rate_over(-0.5, f64::hypot(of_runs, of_topics));
        let mut counted = Counted::default();
        for seed in 0..datasets {
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            let ease: Vec<f64> = (0..topics).map(|_| of_topics * normal(&mut rng)).collect();
            let mut by_topic = vec![0.0; topics];
            let mut values = Vec::new();
            for _ in 0..runs {
                let luck = of_runs * normal(&mut rng);
                let mut bad = 0.0;
                for (sum, ease) in by_topic.iter_mut().zip(&ease) {
                    let rate = 1.0 / (1.0 + (0.5 - luck - ease).exp());
                    let hits = (0..6).filter(|_| rng.random_bool(rate)).count() as f64;
                    *sum += hits;
                    bad += hits;
                }
                values.push(bad / (6.0 * topics as f64));
            }
            let mut sums = TopicSums::new(2);
            by_topic
                .iter()
                .for_each(|sum| sums.push(&[*sum, 6.0 * f64::from(runs)]));
            let plan = Resampling {
                resamples: 200,
                seed,
            };
            let value = values.iter().sum::<f64>() / values.len() as f64;
            let half = RunValues::from_values(&values).half_width(TAIL).unwrap();
            let interval =
                share_interval(&sums, plan).map(|topics| widen_interval(value, topics, half));
            counted.add(interval, truth);
        }
        counted.check(&format!(
            "{runs} runs, {topics} topics, {of_runs}, {of_topics}"
        ));
    }
}

/// The mean rate where log-odds scatter so.
fn rate_over(centre: f64, spread: f64) -> f64 {
    match spread == 0.0 {
        true => 1.0 / (1.0 + (-centre).exp()),
        false => super::coverage::true_rate(centre, spread),
    }
}
