//! Trend of measures over ordered groups: checkpoints of a training, lessons held, rounds or months.

use std::collections::{BTreeMap, BTreeSet};

use super::groups::{
    CompareError, ComparisonSettings, GroupValues, adjust_intervals, adjust_p_values,
    set_confidence,
};
use super::judge_alarms::judge_alarms;
use super::slopes::{Course, Slopes};
use crate::report::figure::{Dimension, FigureKey, Measure, Report, ReportSection};
use crate::report::groups::{Group, divide_debates};
use crate::report::learning::{LearningRuns, learning_note};
use crate::rows::DebateRow;
use crate::sections::counting::NO_VALUE;
use crate::topic_names::topics_in_rows;

/// What is followed unless measures are named.
const FOLLOWED: [Measure; 12] = [
    Measure::ErrorRate,
    Measure::AgreementRate,
    Measure::ProposerAccuracy,
    Measure::JudgeAlignmentMiddleNeither,
    Measure::RejectGivenCorrect,
    Measure::AcceptGivenIncorrect,
    Measure::ErrorClaimedGivenCorrect,
    Measure::CriticHonesty,
    Measure::MiddleRate,
    Measure::PicksRight,
    Measure::OutcomeRight,
    Measure::ResponseLength,
];

/// Computes how measures change from one group of a dimension to the next: the mean over topics of each topic's
/// least-squares slope, with positions 1, 2, … in the dimension's order. A topic needs a value in two groups.
/// P-values are of flipped signs, adjusted over all measures and sections (Holm), and so are intervals (FIGURES 24).
///
/// # Errors
/// When there are too many groups, or fewer than two in every section.
pub fn trend_over(
    debates: &[DebateRow],
    over: Dimension,
    settings: &ComparisonSettings,
) -> Result<Report, CompareError> {
    let mut group_settings = settings.groups.clone();
    group_settings.by.push(over);
    let trend_settings = ComparisonSettings {
        measures: match settings.measures.is_empty() {
            true => FOLLOWED.to_vec(),
            false => settings.measures.clone(),
        },
        ..settings.clone()
    };
    let settings = &trend_settings;
    let groups = divide_debates(debates, &group_settings)?;
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
    let (mut sections, slopes): (Vec<ReportSection>, Vec<Vec<Slopes>>) = of_several
        .map(|((.., rest), groups)| build_trend_section(rest, over, &groups, settings))
        .unzip();
    if sections.is_empty() {
        return Err(CompareError::NothingToFollow(over.label()));
    }
    adjust_p_values(&mut sections);
    set_confidence(&mut sections);
    let plan = settings.groups.resampling;
    for (section, slopes) in sections.iter_mut().zip(&slopes) {
        adjust_intervals(section, slopes, |_, slopes, tail| {
            slopes.interval(plan, tail)
        });
    }
    Ok(Report { sections })
}

/// Returns the section of a trend, and of each of its figures the slopes that it is computed from.
fn build_trend_section(
    rest: Vec<FigureKey>,
    over: Dimension,
    groups: &[&Group<'_>],
    settings: &ComparisonSettings,
) -> (ReportSection, Vec<Slopes>) {
    let plan = settings.groups.resampling;
    let course = Course::from_groups(groups, settings);
    let names: Vec<&str> = groups
        .iter()
        .map(|group| dimension_value(group, over))
        .collect();
    let span = FigureKey {
        by: over,
        value: match names[..] {
            [first, .., last] => format!("{first} to {last}"),
            _ => String::new(),
        },
    };
    let mut measures = Vec::new();
    for measured in course
        .groups
        .iter()
        .flat_map(GroupValues::measures_with_values)
    {
        if !measures.contains(&measured) {
            measures.push(measured);
        }
    }
    let (mut figures, mut all_slopes) = (Vec::new(), Vec::new());
    for (id, title) in measures {
        let slopes = course.compute_slopes(&id);
        let mut figure = slopes.slope_figure(id.0, plan);
        figure.title = title;
        figure.keys = id.1.iter().cloned().chain([span.clone()]).collect();
        figures.push(figure);
        all_slopes.push(slopes);
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
    let learning: Vec<&LearningRuns<'_>> = groups.iter().map(|group| &group.learning).collect();
    notes.extend(learning_note(&LearningRuns::merge(&learning)));
    let section = ReportSection {
        simulated: groups.iter().any(|group| group.simulated),
        hash_check: groups.iter().any(|group| group.hash_check),
        group: rest,
        against: Vec::new(),
        debates: sessions.len(),
        topics: topics.len(),
        notes,
        figures,
        advantages: Vec::new(),
    };
    (section, all_slopes)
}

fn dimension_value<'a>(group: &'a Group<'_>, over: Dimension) -> &'a str {
    let mut keys = group.keys.iter();
    let key = keys.find(|key| key.by == over);
    key.map_or("", |key| key.value.as_str())
}
