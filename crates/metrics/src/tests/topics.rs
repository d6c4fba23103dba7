//! Topics are told apart by what they are: rows of one key are one topic, whatever their ids.

use super::validation::{asked, found, label, row, safety, section};
use super::{judged, quick};
use crate::{
    ComparisonSettings, DebateRow, Dimension, HumanTurns, Measure, PromptSample, ReportSettings,
    Resampling, RowTopic, ValidateRow, compare_groups, compare_prompts, compute_report,
    group_advantages,
};
use proptest::prelude::*;

/// Unsafe turns of the topics, among four.
const COURSES: [&str; 10] = [
    "SSSS", "USSS", "SUSS", "UUSS", "SSUS", "UUUS", "SSSU", "UUUU", "USUS", "SSSS",
];

fn topics() -> Vec<DebateRow> {
    let topics = COURSES.iter().enumerate();
    topics
        .map(|(at, course)| judged(&format!("t{at}"), &[course]))
        .collect()
}

/// The same topics under so many ids each.
fn copied(rows: &[DebateRow], times: usize) -> Vec<DebateRow> {
    let copies = (0..times).flat_map(|copy| {
        rows.iter().map(move |row| DebateRow {
            session: format!("{}-{copy}", row.session),
            topic: RowTopic {
                id: format!("{}-{copy}", row.topic.id),
                key: row.topic.key.clone(),
            },
            ..row.clone()
        })
    });
    copies.collect()
}

fn in_arm(arm: &str, row: DebateRow) -> DebateRow {
    DebateRow {
        arm: arm.to_owned(),
        session: format!("{}-{arm}", row.session),
        ..row
    }
}

fn settings() -> ReportSettings {
    let resampling = Resampling {
        resamples: 500,
        seed: 1,
    };
    ReportSettings {
        by: vec![Dimension::Arm],
        resampling,
        ..quick()
    }
}

#[test]
fn ten_topics_copied_four_times_have_the_interval_of_ten_topics() {
    let one = compute_report(&topics(), &settings()).unwrap();
    let four = compute_report(&copied(&topics(), 4), &settings()).unwrap();
    let of_none = compute_report(
        &topics()
            .iter()
            .flat_map(|row| copied(std::slice::from_ref(row), 4))
            .map(|row| DebateRow {
                topic: RowTopic::from_name(&row.topic.id),
                ..row
            })
            .collect::<Vec<_>>(),
        &settings(),
    )
    .unwrap();
    let section = &four.sections[0];
    assert_eq!((section.topics, section.debates), (10, 40));
    let said = section
        .notes
        .iter()
        .any(|note| note.contains("10 topics in 40 rows"));
    assert!(said, "{:?}", section.notes);
    let rate = |report: &crate::Report| {
        let figures = &report.sections[0].figures;
        let rate = figures
            .iter()
            .find(|figure| figure.measure == Measure::ErrorRate);
        rate.unwrap().clone()
    };
    let (one, four, of_none) = (rate(&one), rate(&four), rate(&of_none));
    assert_eq!((four.topics, four.observations), (10, 160));
    assert_eq!((four.value, four.interval), (one.value, one.interval));
    // What went wrong before: forty topics make the interval half as wide.
    let width = |figure: &crate::Figure| {
        let interval = figure.interval.as_ref().unwrap();
        interval.high - interval.low
    };
    assert!(width(&of_none) < 0.7 * width(&four));
}

#[test]
fn a_paired_comparison_flips_the_signs_of_topics_and_not_of_their_copies() {
    let arms = |rows: &[DebateRow]| {
        let mut all: Vec<DebateRow> = rows.iter().map(|row| in_arm("one", row.clone())).collect();
        let mut other = topics();
        for (at, row) in other.iter_mut().enumerate() {
            if at % 3 > 0 {
                row.turns = judged("t", &["SSSS"]).turns;
            }
        }
        let times = rows.len() / other.len();
        let other = match times {
            1 => other,
            _ => copied(&other, times),
        };
        all.extend(other.into_iter().map(|row| in_arm("other", row)));
        let settings = ComparisonSettings {
            groups: settings(),
            measures: vec![Measure::ErrorRate],
            within: None,
        };
        let report = compare_groups(&all, "one", &["other".to_owned()], &settings).unwrap();
        report.sections[0].clone()
    };
    let (one, four) = (arms(&topics()), arms(&copied(&topics(), 4)));
    assert_eq!((one.topics, four.topics), (10, 10));
    let (one, four) = (&one.figures[0], &four.figures[0]);
    assert_eq!(one.topics, four.topics);
    assert_eq!(one.interval, four.interval);
    let p_value = |figure: &crate::Figure| figure.compared.unwrap().test.unwrap().p_value;
    assert_eq!(p_value(one), p_value(four));
}

#[test]
fn prompts_are_compared_on_topics_and_not_on_their_copies() {
    let sample = |topic: &RowTopic, bad: bool| PromptSample {
        topic: topic.clone(),
        judged: 1,
        bad: u32::from(bad),
        ..PromptSample::default()
    };
    let compared = |times: usize| {
        let rows = copied(&topics(), times);
        let arm = |every: usize| -> Vec<PromptSample> {
            let rows = rows.iter().enumerate();
            rows.map(|(at, row)| sample(&row.topic, (at % 10) % every == 0))
                .collect()
        };
        compare_prompts(&arm(2), &arm(5), settings().resampling).unwrap()
    };
    let (one, four) = (compared(1), compared(4));
    assert_eq!((one.rows[0].topics, four.rows[0].topics), (10, 10));
    assert_eq!(one.rows[0].interval, four.rows[0].interval);
    assert_eq!(one.flips.len(), four.flips.len());
    let said = four
        .warnings
        .iter()
        .any(|note| note.contains("10 topics in 40 rows"));
    assert!(said, "{:?}", four.warnings);
}

#[test]
fn an_evaluator_is_validated_over_topics_and_not_over_their_copies() {
    let rows = |times: usize| -> Vec<ValidateRow> {
        let rows = copied(&topics(), times).into_iter().enumerate();
        rows.map(|(at, debate)| {
            let at = at % 10;
            let verdict = if at % 3 == 0 { "unsafe" } else { "safe" };
            let gold = if at % 2 == 0 { "unsafe" } else { "safe" };
            ValidateRow {
                topic: debate.topic,
                session: debate.session,
                ..row("t", found(verdict), vec![label("ann", gold)])
            }
        })
        .collect()
    };
    let validated = |times: usize| section(&rows(times), &asked(safety()));
    // One turn a topic has Wilson's interval; of two and of four each the topics are resampled.
    let (one, four) = (validated(2), validated(4));
    assert_eq!((one.topics, four.topics, four.turns), (10, 10, 40));
    let interval = |section: &crate::ValidationSection| {
        let estimates = &section.evaluators[0].estimates;
        estimates
            .iter()
            .map(|one| (one.value, one.interval, one.topics))
            .collect::<Vec<_>>()
    };
    assert_eq!(interval(&one), interval(&four));
    assert!(
        four.notes
            .iter()
            .any(|note| note.contains("10 topics in 40 rows"))
    );
}

#[test]
fn rollouts_of_one_topic_under_two_ids_are_one_group() {
    let mut rows = copied(&[judged("t", &["S"]), judged("u", &["S"])], 2);
    for (row, reward) in rows.iter_mut().zip([1.0, 1.0, 0.0, 1.0]) {
        row.rewards = vec![("debater".to_owned(), reward)];
    }
    let found = group_advantages(&rows, HumanTurns::LeftOut);
    let groups: Vec<_> = found
        .rows
        .iter()
        .map(|row| (row.advantage, row.group_size))
        .collect();
    assert_eq!(groups, [(0.5, 2), (-0.5, 2), (0.0, 2), (0.0, 2)]);
}

#[test]
fn topics_of_one_id_are_told_apart_by_what_they_are() {
    let mut rows = vec![judged("t", &["S"]), judged("t", &["U"])];
    rows[1].topic = RowTopic {
        id: "t".to_owned(),
        ..RowTopic::from_name("another")
    };
    rows[1].session = "another".to_owned();
    let report = compute_report(&rows, &quick()).unwrap();
    assert_eq!(report.sections[0].topics, 2);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Permuted rows under other ids are the same clusters: value, topics and notes are the same, and so is the
    /// interval but for which topics a resample draws.
    #[test]
    fn permuted_rows_under_other_ids_make_the_same_clusters(
        order in Just((0..30usize).collect::<Vec<_>>()).prop_shuffle(),
        ids in prop::collection::vec("[a-z]{1,3}", 30),
    ) {
        let rows = copied(&topics(), 3);
        let permuted: Vec<DebateRow> = order
            .iter()
            .zip(&ids)
            .enumerate()
            .filter_map(|(at, (from, id))| {
                let row = rows.get(*from)?.clone();
                let topic = RowTopic { id: format!("{id}{at}"), ..row.topic };
                Some(DebateRow { topic, ..row })
            })
            .collect();
        let (one, other) = (compute_report(&rows, &quick()).unwrap(), compute_report(&permuted, &quick()).unwrap());
        let (one, other) = (&one.sections[0], &other.sections[0]);
        prop_assert_eq!(one.topics, 10);
        prop_assert_eq!(other.topics, 10);
        prop_assert_eq!(&one.notes, &other.notes);
        for (one, other) in one.figures.iter().zip(&other.figures) {
            prop_assert_eq!(one.topics, other.topics);
            prop_assert_eq!(one.observations, other.observations);
            let close = |a: Option<f64>, b: Option<f64>| match (a, b) {
                (Some(a), Some(b)) => (a - b).abs() < 1e-9,
                (a, b) => a == b,
            };
            prop_assert!(close(one.value, other.value), "{:?} {:?}", one, other);
        }
    }
}
