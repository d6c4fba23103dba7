//! Trend of measures over ordered groups: checkpoints of a training, lessons held, rounds or months.

use std::collections::{BTreeMap, BTreeSet};

use super::difference::without_counts;
use super::groups::{CompareError, ComparisonSettings, GroupValues, MeasureId, adjust};
use super::judge_alarms::judge_alarms;
use crate::report::figure::{
    Compared, ComparisonTest, Dimension, Figure, FigureKey, Measure, Report, ReportSection,
};
use crate::report::groups::{Group, divide};
use crate::rows::DebateRow;
use crate::sections::counting::NO_VALUE;
use crate::statistics::interval::{Resampling, TopicSums, mean_interval};
use crate::statistics::paired_tests::{PairedTest, flipped_signs};
use crate::topic_names::topics_in_rows;

/// What is followed unless measures are named.
const FOLLOWED: [Measure; 11] = [
    Measure::ErrorRate,
    Measure::AgreementRate,
    Measure::ProposerAccuracy,
    Measure::JudgeAlignmentMiddleNeither,
    Measure::RejectGivenCorrect,
    Measure::AcceptGivenIncorrect,
    Measure::CriticHonesty,
    Measure::MiddleRate,
    Measure::PicksRight,
    Measure::OutcomeRight,
    Measure::ResponseLength,
];

/// Computes how measures change from one group of a dimension to the next: the mean over topics of each topic's
/// least-squares slope, with positions 1, 2, … in the dimension's order. A topic needs a value in two groups.
/// P-values are of flipped signs, adjusted over all measures and sections (Holm).
///
/// # Errors
/// When there are too many groups, or fewer than two in every section.
pub fn trend_over(
    debates: &[DebateRow],
    over: Dimension,
    settings: &ComparisonSettings,
) -> Result<Report, CompareError> {
    let mut divided = settings.groups.clone();
    divided.by.push(over);
    let followed = ComparisonSettings {
        measures: match settings.measures.is_empty() {
            true => FOLLOWED.to_vec(),
            false => settings.measures.clone(),
        },
        ..settings.clone()
    };
    let settings = &followed;
    let groups = divide(debates, &divided)?;
    let mut series: BTreeMap<_, Vec<&Group<'_>>> = BTreeMap::new();
    for group in &groups {
        let is_over = |key: &&FigureKey| key.by == over;
        let place = group.keys.iter().find(is_over);
        if place.is_none_or(|key| key.value == NO_VALUE) {
            continue;
        }
        let mut rest = group.keys.clone();
        rest.retain(|key| key.by != over);
        let kind = (group.simulated, group.hash_check, rest);
        series.entry(kind).or_default().push(group);
    }
    let of_several = series.into_iter().filter(|(_, groups)| groups.len() > 1);
    let mut sections: Vec<ReportSection> = of_several
        .map(|((.., rest), groups)| section(rest, over, &groups, settings))
        .collect();
    if sections.is_empty() {
        return Err(CompareError::NothingToFollow(over.label()));
    }
    adjust(&mut sections);
    Ok(Report { sections })
}

fn section(
    rest: Vec<FigureKey>,
    over: Dimension,
    groups: &[&Group<'_>],
    settings: &ComparisonSettings,
) -> ReportSection {
    let plan = settings.groups.resampling;
    let values: Vec<GroupValues> = groups
        .iter()
        .map(|group| GroupValues::new(&group.pool, settings))
        .collect();
    let names: Vec<&str> = groups.iter().map(|group| place(group, over)).collect();
    let span = FigureKey {
        by: over,
        value: match names[..] {
            [first, .., last] => format!("{first} to {last}"),
            _ => String::new(),
        },
    };
    let mut known = Vec::new();
    for measured in values.iter().flat_map(GroupValues::measured) {
        if !known.contains(&measured) {
            known.push(measured);
        }
    }
    let mut figures = Vec::new();
    for (id, title) in known {
        let by_topic = by_topic(&values, &id);
        let mut figure = slope_figure(id.0, &by_topic, plan);
        figure.title = title;
        figure.keys = id.1.iter().cloned().chain([span.clone()]).collect();
        figures.push(figure);
    }
    let mut notes = settings.groups.notes.clone();
    if groups.iter().any(|group| group.simulated) {
        notes.push(
            "simulated: a check of the instrument, no evidence about models or protocols"
                .to_owned(),
        );
    }
    if over == Dimension::Checkpoint {
        notes.extend(judge_alarms(groups, &names, settings));
    }
    let debates = groups.iter().flat_map(|group| &group.pool.debates);
    notes.extend(topics_in_rows(debates.map(|debate| &debate.topic)));
    let topics: BTreeSet<&str> = groups
        .iter()
        .flat_map(|group| group.pool.topics())
        .collect();
    let sessions: BTreeSet<&str> = groups
        .iter()
        .flat_map(|group| &group.pool.debates)
        .map(|debate| debate.session.as_str())
        .collect();
    ReportSection {
        simulated: groups.iter().any(|group| group.simulated),
        hash_check: groups.iter().any(|group| group.hash_check),
        group: rest,
        against: Vec::new(),
        debates: sessions.len(),
        topics: topics.len(),
        notes,
        figures,
        advantages: Vec::new(),
    }
}

fn place<'a>(group: &'a Group<'_>, over: Dimension) -> &'a str {
    let mut keys = group.keys.iter();
    let key = keys.find(|key| key.by == over);
    key.map_or("", |key| key.value.as_str())
}

/// Position, from 1, and value of a topic in each group that has one.
type TopicCourse = Vec<(f64, f64)>;

fn by_topic(values: &[GroupValues], id: &MeasureId) -> BTreeMap<String, TopicCourse> {
    let mut courses: BTreeMap<String, TopicCourse> = BTreeMap::new();
    for (position, values) in (1..).zip(values) {
        for (topic, value) in values.of(id).into_iter().flatten() {
            let course = courses.entry(topic.clone()).or_default();
            course.push((f64::from(position), value.value));
        }
    }
    courses
}

/// Returns the least-squares slope; `None` with fewer than two positions.
fn slope(course: &[(f64, f64)]) -> Option<f64> {
    let n = course.len() as f64;
    let mean_x = course.iter().map(|(x, _)| x).sum::<f64>() / n;
    let mean_y = course.iter().map(|(_, y)| y).sum::<f64>() / n;
    let spread: f64 = course.iter().map(|(x, _)| (x - mean_x).powi(2)).sum();
    let together: f64 = course
        .iter()
        .map(|(x, y)| (x - mean_x) * (y - mean_y))
        .sum();
    (course.len() > 1 && spread > 0.0).then(|| together / spread)
}

fn slope_figure(
    measure: Measure,
    courses: &BTreeMap<String, TopicCourse>,
    plan: Resampling,
) -> Figure {
    let mut figure = without_counts(measure);
    let (mut slopes, mut ends) = (Vec::new(), [(0.0, 0.0); 2]);
    for course in courses.values() {
        let (Some(found), [first, .., last]) = (slope(course), &course[..]) else {
            continue;
        };
        slopes.push(found);
        for (end, (_, value)) in ends.iter_mut().zip([first, last]) {
            *end = (end.0 + value, end.1 + 1.0);
        }
    }
    figure.topics = slopes.len();
    figure.observations = slopes.len();
    if slopes.is_empty() {
        return figure.without_value("no topic has a value in two groups");
    }
    let mut sums = TopicSums::new(2);
    for slope in &slopes {
        sums.push(&[*slope, 1.0]);
    }
    let n = slopes.len() as f64;
    figure.give(slopes.iter().sum::<f64>() / n, mean_interval(&sums, plan));
    let p = flipped_signs(&slopes, plan);
    figure.compared = Some(Compared {
        of: ends[1].0 / ends[1].1,
        from: ends[0].0 / ends[0].1,
        test: Some(ComparisonTest {
            test: PairedTest::SignFlip,
            p_value: p.value,
            p_is_bound: p.is_bound,
            p_holm: p.value,
            family: 1,
        }),
    });
    figure
}
