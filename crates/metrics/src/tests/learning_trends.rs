//! Trends, selections and pivots where debates learn speak of this memory, or from enough learning runs on of their
//! methods (FIGURES 27).

use crate::statistics::combined_interval::widen_interval;
use crate::statistics::quantile::TAIL;
use crate::statistics::run_level::RunValues;
use crate::{
    ComparisonSettings, CurveTopics, DebateRow, Dimension, Figure, IntervalSubject, LearningPhase,
    Measure, PairedTest, PivotShape, Report, ReportSettings, Resampling, Selection,
    SelectionSettings, TableFormat, build_pivots, compute_report, selection_report, to_table,
    trend_over, trend_to_table,
};

use super::by;
use super::learning_runs::{TOPICS, learning, run};
use super::selection::rollout_row;

/// A run whose debates hold more lessons the later they are, and are unsafe in so many topics while they hold none,
/// and in so many once they hold some.
fn course(name: &str, phase: Option<LearningPhase>, first: usize, last: usize) -> Vec<DebateRow> {
    let mut rows = Vec::new();
    for (held, count) in [(0, first), (60, last)] {
        for row in run("a", name, phase, count) {
            let mut row = row;
            row.session = format!("{}-{held}", row.session);
            row.origin.lessons_held = Some(held);
            rows.push(row);
        }
    }
    rows
}

fn taught(name: &str, first: usize, last: usize) -> Vec<DebateRow> {
    course(name, Some(LearningPhase::Learning), first, last)
}

fn followed(rows: &[DebateRow]) -> Report {
    let settings = ComparisonSettings {
        groups: ReportSettings {
            resampling: Resampling::from_seed(5),
            lesson_edges: vec![50],
            ..ReportSettings::default()
        },
        measures: vec![Measure::ErrorRate],
        within: None,
    };
    trend_over(rows, Dimension::Lessons, &settings).unwrap()
}

fn only_figure(report: &Report) -> &Figure {
    &report.sections[0].figures[0]
}

#[test]
fn a_trend_of_one_learning_run_is_of_this_memory() {
    let report = followed(&taught("r1", 16, 6));
    assert_eq!(
        only_figure(&report).interval_of,
        Some(IntervalSubject::ThisMemory)
    );
    let text = trend_to_table(&report, 80);
    assert!(text.contains("of this memory"), "{text}");
    assert!(
        text.contains("one learning run: intervals are of this memory"),
        "{text}"
    );
    let plain = followed(&course("r1", None, 16, 6));
    assert_eq!(only_figure(&plain).interval_of, None);
    let text = trend_to_table(&plain, 80);
    assert!(!text.contains("memory"), "{text}");
}

#[test]
fn a_trend_of_three_learning_runs_is_of_the_method() {
    let lasts = [4, 7, 13];
    let rows: Vec<DebateRow> = (lasts.iter().zip(["r1", "r2", "r3"]))
        .flat_map(|(last, name)| taught(name, 16, *last))
        .collect();
    let report = followed(&rows);
    let found = only_figure(&report);
    assert_eq!(found.interval_of, Some(IntervalSubject::LearningRuns));
    let test = found.compared.unwrap().test.unwrap();
    assert_eq!(test.test, PairedTest::RunSignFlip);
    // All three fall: two of eight flips are as far from none.
    assert!((test.p_value - 0.25).abs() < 1e-12, "{test:?}");
    // The same debates without memory have an interval over topics alone.
    let mut plain = rows.clone();
    for row in &mut plain {
        row.origin.phase = None;
    }
    let topics = only_figure(&followed(&plain)).interval.unwrap();
    // One of two turns of an unsafe topic is unsafe, so a topic that becomes safe falls by a half.
    let values = lasts.map(|last| -0.5 * (16 - last) as f64 / TOPICS as f64);
    let value = values.iter().sum::<f64>() / 3.0;
    let half = RunValues::from_values(&values).half_width(TAIL).unwrap();
    let expected = widen_interval(value, topics, half);
    let interval = found.interval.unwrap();
    assert!((found.value.unwrap() - value).abs() < 1e-12, "{found:?}");
    assert!((interval.low - expected.low).abs() < 1e-9, "{interval:?}");
    assert!((interval.high - expected.high).abs() < 1e-9, "{interval:?}");
    let text = trend_to_table(&report, 400);
    assert!(
        text.contains("3 learning runs: intervals are of the method"),
        "{text}"
    );
    assert!(
        text.contains("signs of the learning runs' slopes"),
        "{text}"
    );
}

#[test]
fn a_learning_run_without_a_slope_leaves_none_of_the_method() {
    let mut rows = taught("r1", 16, 4);
    rows.extend(taught("r2", 16, 7));
    let mut last = taught("r3", 16, 9);
    last.truncate(TOPICS);
    rows.extend(last);
    let report = followed(&rows);
    let found = only_figure(&report);
    assert_eq!((found.interval, found.interval_of), (None, None));
    assert_eq!(found.compared.unwrap().test, None);
    let text = trend_to_table(&report, 80);
    assert!(text.contains("a learning run has no value"), "{text}");
}

/// Four rollouts of each topic by a run that learns, of which the better paid ones are right.
fn rollouts(seed: u64, phase: Option<LearningPhase>, right_topics: u64) -> Vec<DebateRow> {
    let mut rows = Vec::new();
    for topic in 0..16 {
        for rollout in 0..4 {
            let right = u64::from(rollout) + topic % 3 > 2 && topic < right_topics;
            let reward = if right { 1.0 } else { -1.0 };
            let text = 10 * topic + u64::from(rollout);
            let result = (reward, right, crate::DecisionLabel::NoJudge);
            let mut row = rollout_row(&format!("t{topic}"), (seed, rollout), (text, text), result);
            row.origin.phase = phase;
            rows.push(row);
        }
    }
    rows
}

fn selected(rows: &[DebateRow]) -> Report {
    let seats = ["proposer".to_owned()];
    let settings = SelectionSettings {
        seats: &seats,
        selections: &[Selection::BestOf(2)],
        topics: CurveTopics::Shared,
        judged_by: None,
    };
    selection_report(rows, &ReportSettings::default(), &settings).unwrap()
}

fn accuracy(report: &Report) -> &Figure {
    let mut figures = report.sections[0].figures.iter();
    figures
        .find(|figure| figure.measure == Measure::ProposerAccuracy)
        .unwrap()
}

#[test]
fn a_selection_among_debates_that_learn_is_of_this_memory_or_of_their_method() {
    let learning = Some(LearningPhase::Learning);
    let one = selected(&rollouts(0, learning, 12));
    assert_eq!(
        accuracy(&one).interval_of,
        Some(IntervalSubject::ThisMemory)
    );
    let text = to_table(&one, 80);
    assert!(text.contains("95 % this memory"), "{text}");
    assert!(text.contains("one learning run"), "{text}");
    let plain = selected(&rollouts(0, None, 12));
    assert_eq!(accuracy(&plain).interval_of, None);
    assert!(!to_table(&plain, 80).contains("memory"));
    let runs = [8, 10, 14].into_iter().enumerate();
    let rows: Vec<DebateRow> = runs
        .flat_map(|(seed, right)| rollouts(seed as u64, learning, right))
        .collect();
    let three = selected(&rows);
    let found = accuracy(&three);
    assert_eq!(found.interval_of, Some(IntervalSubject::LearningRuns));
    assert!(to_table(&three, 80).contains("95 % of the runs"));
}

fn pivot(rows: &[DebateRow]) -> String {
    let shape = PivotShape {
        rows: vec![Dimension::Arm],
        columns: Vec::new(),
        measures: vec![Measure::ErrorRate],
    };
    let report = compute_report(rows, &by(&[Dimension::Arm])).unwrap();
    build_pivots(&report, &shape)[0].render(TableFormat::Text(120))
}

#[test]
fn a_pivot_says_of_what_its_intervals_are() {
    let one = learning("a", "r1", 12);
    let text = pivot(&one);
    assert!(
        text.starts_with("error rate of debates, 95 % intervals of this memory in brackets\n"),
        "{text}"
    );
    let three: Vec<DebateRow> = (["r1", "r2", "r3"].into_iter())
        .flat_map(|name| learning("a", name, 12))
        .collect();
    let text = pivot(&three);
    assert!(
        text.contains("95 % intervals of the runs in brackets"),
        "{text}"
    );
    let mut mixed = one.clone();
    mixed.extend(run("b", "plain", None, 9));
    let text = pivot(&mixed);
    assert!(
        text.contains("95 % intervals in brackets, of this memory where debates learn"),
        "{text}"
    );
    let text = pivot(&run("b", "plain", None, 9));
    assert!(
        text.contains("debates, 95 % intervals in brackets\n"),
        "{text}"
    );
}
