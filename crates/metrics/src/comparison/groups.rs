//! Groups of debates against a first one, by any measure (FIGURES 5): differences of topic means, paired by
//! topic where both played it, and use as a multiple.
//!
//! The groups are those of a report: by arm, protocol, model, checkpoint or any other [`Dimension`]. What comes
//! out is a report: its sections are the other groups, its figures are differences and multiples.

use std::collections::{BTreeMap, BTreeSet};

use thiserror::Error;

use super::difference::{
    TopicMeans, difference_figure, difference_interval, multiple_figure, not_in_both,
};
use super::learning_runs::{head_intervals, learning_note, run_means, values_by_run};
use crate::report::figure::{Dimension, Figure, FigureKey, Measure, Report, ReportSection};
use crate::report::groups::{Group, divide_debates};
use crate::report::left_out::LeftOutReason;
use crate::report::summary::HEADLINES;
use crate::report::{ReportError, ReportSettings, ReportSubject, compute_figures};
use crate::rows::DebateRow;
use crate::sections::counting::{DebatePool, NO_VALUE};
use crate::statistics::interval::{Interval, IntervalMethod, Resampling};
use crate::statistics::paired_tests::{TopicValue, adjust_by_holm, holm_factors};
use crate::statistics::quantile::TAIL;
use crate::topic_names::topics_in_rows;

/// Labelled questions of a task type below which a golden set is weak evidence (EAAPL-MAG005
/// §13.3).
pub const MIN_QUESTIONS_PER_TASK_TYPE: usize = 20;

/// Use that is compared as a multiple.
const USE: [Measure; 3] = [
    Measure::CostPerDebate,
    Measure::WallPerDebate,
    Measure::TokensPerDebate,
];

/// Options of a comparison.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ComparisonSettings {
    /// What divides the groups, how people's turns count, what is resampled.
    pub groups: ReportSettings,
    /// The measures that are asked for; empty for the headlines of a report and for use.
    pub measures: Vec<Measure>,
    /// Also within each value of a property of topics.
    pub within: Option<TopicProperty>,
}

/// Property that a topic has in every group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TopicProperty {
    Category,
    Dataset,
}

impl TopicProperty {
    fn dimension(self) -> Dimension {
        match self {
            Self::Category => Dimension::Category,
            Self::Dataset => Dimension::Dataset,
        }
    }

    fn value_of(self, debate: &DebateRow) -> &str {
        let value = match self {
            Self::Category => debate.category.as_deref(),
            Self::Dataset => debate.origin.dataset.as_deref(),
        };
        value.unwrap_or(NO_VALUE)
    }
}

/// Reason why groups cannot be compared.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum CompareError {
    #[error("a simulated group cannot be compared with a real one; compare groups of one kind")]
    MixesSimulatedAndReal,
    #[error("there are no debates of {0}")]
    NoSuchGroup(String),
    #[error("there are not two groups by {0} to follow a trend over")]
    NothingToFollow(&'static str),
    #[error("no measure that was asked for has a value in both groups")]
    NothingCompared,
    #[error(transparent)]
    Groups(#[from] ReportError),
}

/// Returns the name of a group: its values, in the order of [`Dimension::ALL`].
pub fn group_name(keys: &[FigureKey]) -> String {
    let values = keys.iter().map(|key| key.value.as_str());
    values.collect::<Vec<_>>().join(", ")
}

/// Returns the names of the groups that debates are divided into, each once.
///
/// # Errors
/// When there are too many.
pub fn group_names(
    debates: &[DebateRow],
    settings: &ReportSettings,
) -> Result<Vec<String>, ReportError> {
    let mut names: Vec<String> = Vec::new();
    for group in divide_debates(debates, settings)? {
        let name = group_name(&group.keys);
        if !names.contains(&name) {
            names.push(name);
        }
    }
    Ok(names)
}

/// Compares other groups with the first one, each by the measures that both have. P-values are adjusted over
/// all comparisons of a kind (Holm); those within values of a property are a family of their own.
///
/// # Errors
/// When a group has no debates, one is simulated and the other is not, or no measure has a value in both.
pub fn compare_groups(
    debates: &[DebateRow],
    first: &str,
    others: &[String],
    settings: &ComparisonSettings,
) -> Result<Report, CompareError> {
    let groups = divide_debates(debates, &settings.groups)?;
    for name in others.iter().map(String::as_str).chain([first]) {
        if find_groups(&groups, name).next().is_none() {
            return Err(CompareError::NoSuchGroup(name.to_owned()));
        }
    }
    let kind = |group: &Group<'_>| (group.simulated, group.hash_check);
    let mut sections = Vec::new();
    for base in find_groups(&groups, first) {
        let (mut of_kind, mut means) = (Vec::new(), Vec::new());
        for other in others {
            let candidate = find_groups(&groups, other).find(|group| kind(group) == kind(base));
            let Some(group) = candidate.filter(|group| group.keys != base.keys) else {
                continue;
            };
            let (section, of_section) = compare_two_groups(base, group, settings);
            of_kind.push(section);
            means.push(of_section);
        }
        adjust_p_values(&mut of_kind);
        set_confidence(&mut of_kind);
        for (section, means) in of_kind.iter_mut().zip(&means) {
            adjust_intervals(section, means, |measure, means, tail| {
                difference_interval(measure, means, settings.groups.resampling, tail)
            });
        }
        keep_shared_measures(&mut of_kind);
        sections.extend(of_kind);
    }
    if sections.is_empty() {
        return Err(CompareError::MixesSimulatedAndReal);
    }
    if sections.iter().all(|section| section.figures.is_empty()) {
        return Err(CompareError::NothingCompared);
    }
    Ok(Report { sections })
}

fn find_groups<'g, 'a>(groups: &'g [Group<'a>], name: &str) -> impl Iterator<Item = &'g Group<'a>> {
    groups
        .iter()
        .filter(move |group| group_name(&group.keys) == name)
}

/// Returns the section of a comparison, and of each of its first figures what it is computed from.
fn compare_two_groups(
    base: &Group<'_>,
    other: &Group<'_>,
    settings: &ComparisonSettings,
) -> (ReportSection, Vec<TopicMeans>) {
    let plan = settings.groups.resampling;
    let (from, of) = (
        GroupValues::new(&base.pool, settings),
        GroupValues::new(&other.pool, settings),
    );
    let parts = list_parts(base, other, settings.within);
    let runs = values_by_run(base, other, settings);
    let (mut figures, mut all_means) = (Vec::new(), Vec::new());
    for (id, title) in from.common_measures(&of) {
        for (key, topics) in &parts {
            let means = TopicMeans::new(from.values_of(&id), of.values_of(&id), topics.as_ref())
                .with_runs(run_means(runs.as_ref(), &id, topics.as_ref()));
            let Some(mut figure) = difference_figure(id.0, &means, plan) else {
                continue;
            };
            figure.title.clone_from(&title);
            figure.keys = id.1.iter().chain(key).cloned().collect();
            let by_task_type = settings.within == Some(TopicProperty::Category) && key.is_some();
            if by_task_type
                && id.0 == Measure::OutcomeRight
                && figure.topics < MIN_QUESTIONS_PER_TASK_TYPE
            {
                figure.notes.push(format!(
                    "fewer than {MIN_QUESTIONS_PER_TASK_TYPE} labelled questions of this task type"
                ));
            }
            if key.is_none() {
                for (reason, count) in from.left_out(&id).chain(of.left_out(&id)) {
                    *figure.left_out.entry(reason).or_default() += count;
                }
            }
            figures.push(figure);
            all_means.push(means);
        }
    }
    for measure in settings
        .measures
        .iter()
        .filter(|measure| measure.has_topic_means())
    {
        if !figures.iter().any(|figure| figure.measure == *measure) {
            figures.push(not_in_both(*measure));
        }
    }
    if base.pool.scope.is_whole() && settings.groups.of == ReportSubject::Debates {
        let includes_measure =
            |measure: &Measure| settings.measures.is_empty() || settings.measures.contains(measure);
        for measure in USE.into_iter().filter(includes_measure) {
            for (key, topics) in &parts {
                let pools = (&base.pool, &other.pool);
                let mut figure = multiple_figure(measure, pools, topics.as_ref(), plan);
                figure.keys = key.iter().cloned().collect();
                figures.push(figure);
            }
        }
    }
    let names = |pool: &DebatePool<'_>| -> BTreeSet<String> {
        pool.topics().into_iter().map(str::to_owned).collect()
    };
    let (ours, theirs) = (names(&other.pool), names(&base.pool));
    let both = ours.intersection(&theirs).count();
    let mut notes = settings.groups.notes.clone();
    if base.simulated {
        notes.push(
            "simulated: a check of the instrument, no evidence about models or protocols"
                .to_owned(),
        );
    }
    let debates = base.pool.debates.iter().chain(&other.pool.debates);
    notes.extend(topics_in_rows(debates.map(|debate| &debate.topic)));
    let alone = ours.len() + theirs.len() - 2 * both;
    if both == 0 {
        notes.push(
            "no topic was played by both: what differs may be the topics alone, and nothing is paired"
                .to_owned(),
        );
    } else if alone > 0 {
        notes.push(match alone {
            1 => "1 topic was played by one of the two only and is left out".to_owned(),
            many => format!("{many} topics were played by one of the two only and are left out"),
        });
    }
    notes.extend(learning_note(base, other));
    head_intervals(&mut figures, base, other);
    let section = ReportSection {
        simulated: base.simulated,
        hash_check: base.hash_check,
        group: other.keys.clone(),
        against: base.keys.clone(),
        debates: base.pool.debates.len() + other.pool.debates.len(),
        topics: if both == 0 {
            ours.len() + theirs.len()
        } else {
            both
        },
        notes,
        figures,
        advantages: Vec::new(),
    };
    (section, all_means)
}

/// Makes the intervals of tested figures as wide as their p-values are adjusted, so that both say the same
/// (FIGURES 24). `interval` computes one from what its figure is computed from, with a probability on each side.
pub(super) fn adjust_intervals<T>(
    section: &mut ReportSection,
    computed_from: &[T],
    interval: impl Fn(Measure, &T, f64) -> Option<Interval>,
) {
    for (figure, from) in section.figures.iter_mut().zip(computed_from) {
        figure.confidence = figure.confidence.filter(|_| figure.interval.is_some());
        if let Some(confidence) = figure.confidence {
            figure.interval = interval(figure.measure, from, 0.5 * (1.0 - confidence));
        }
        if is_told_apart_by_signs_alone(figure) {
            figure.notes.push(WIDE_ON_PURPOSE.to_owned());
        }
    }
}

/// Says whether the interval of a difference holds zero although its test finds a difference: few topics differ, and
/// the interval counts a topic that differs in part as that part of one.
fn is_told_apart_by_signs_alone(figure: &Figure) -> bool {
    let interval = figure.interval.filter(|interval| {
        interval.method == IntervalMethod::BonettPrice
            && interval.low <= 0.0
            && interval.high >= 0.0
    });
    let test = figure.compared.and_then(|compared| compared.test);
    interval.is_some() && test.is_some_and(|test| test.p_holm <= LEVEL)
}

/// Level of the tests of a table.
const LEVEL: f64 = 0.05;
const WIDE_ON_PURPOSE: &str = "few topics differ, most of them in one direction: the p-value counts their signs, and the interval errs on the \
     side of width (Bonett and Price), so that it holds 0 all the same";

/// The whole of two groups, and the topics of each value of a property that both have.
type Part = (Option<FigureKey>, Option<BTreeSet<String>>);

fn list_parts(base: &Group<'_>, other: &Group<'_>, within: Option<TopicProperty>) -> Vec<Part> {
    let mut parts: Vec<Part> = vec![(None, None)];
    let Some(property) = within else {
        return parts;
    };
    // A topic has one value: the first that is recorded.
    let mut value_of: BTreeMap<&str, &str> = BTreeMap::new();
    for debate in base.pool.debates.iter().chain(&other.pool.debates) {
        let value = property.value_of(debate);
        value_of
            .entry(base.pool.topic_name(debate))
            .or_insert(value);
    }
    let mut values: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    for (topic, value) in value_of {
        values.entry(value).or_default().insert(topic.to_owned());
    }
    if values.len() == 1 && values.contains_key(NO_VALUE) {
        return parts;
    }
    parts.extend(values.into_iter().map(|(value, topics)| {
        let key = FigureKey {
            by: property.dimension(),
            value: value.to_owned(),
        };
        (Some(key), Some(topics))
    }));
    parts
}

/// A measure, and what of a protocol it is about.
pub(super) type MeasureId = (Measure, Vec<FigureKey>);

/// Values of a group, by measure and topic.
pub(super) struct GroupValues {
    values: BTreeMap<MeasureId, BTreeMap<String, TopicValue>>,
    /// Figures of the whole group, for titles and what they leave out.
    whole: Vec<Figure>,
}

impl GroupValues {
    pub(super) fn new(pool: &DebatePool<'_>, settings: &ComparisonSettings) -> Self {
        let report = ReportSettings {
            measures: settings.measures.clone(),
            ..settings.groups.clone()
        };
        // Only values are needed, so nothing is resampled.
        let plan = Resampling {
            resamples: 0,
            seed: 0,
        };
        let figures_of = |debates: Vec<_>| {
            let part = DebatePool {
                debates,
                topic_names: pool.topic_names.clone(),
                scope: pool.scope.clone(),
                plan,
                measures: Vec::new(),
            };
            let mut part_figures = compute_figures(&[], &part, &[], &report);
            part_figures.retain(|figure| is_comparable_figure(figure, &settings.measures));
            part_figures
        };
        let mut topics: BTreeMap<&str, Vec<&DebateRow>> = BTreeMap::new();
        for debate in &pool.debates {
            topics
                .entry(pool.topic_name(debate))
                .or_default()
                .push(debate);
        }
        let mut values: BTreeMap<MeasureId, BTreeMap<String, TopicValue>> = BTreeMap::new();
        for (topic, debates) in topics {
            for figure in figures_of(debates) {
                let Some(value) = figure.value else {
                    continue;
                };
                let one_binary = figure.observations == 1 && (value == 0.0 || value == 1.0);
                let of_measure = values.entry((figure.measure, figure.keys)).or_default();
                of_measure.insert(topic.to_owned(), TopicValue { value, one_binary });
            }
        }
        Self {
            values,
            whole: figures_of(pool.debates.clone()),
        }
    }

    pub(super) fn values_of(&self, id: &MeasureId) -> Option<&BTreeMap<String, TopicValue>> {
        self.values.get(id)
    }

    /// Returns what the group has a value of, in the order of a report, with its title.
    pub(super) fn measures_with_values(&self) -> impl Iterator<Item = (MeasureId, Option<String>)> {
        let figures = self.whole.iter();
        let figures = figures.map(|figure| {
            let id = (figure.measure, figure.keys.clone());
            (id, figure.title.clone())
        });
        figures.filter(|(id, _)| self.values.contains_key(id))
    }

    /// Returns what both have, in the order of a report, with its title.
    fn common_measures(&self, other: &Self) -> Vec<(MeasureId, Option<String>)> {
        let mut common: Vec<(MeasureId, Option<String>)> = Vec::new();
        for figure in &self.whole {
            let id = (figure.measure, figure.keys.clone());
            let both = self.values.contains_key(&id) && other.values.contains_key(&id);
            if both && !common.iter().any(|(known, _)| *known == id) {
                common.push((id, figure.title.clone()));
            }
        }
        common
    }

    fn left_out(
        &self,
        (measure, keys): &MeasureId,
    ) -> impl Iterator<Item = (LeftOutReason, usize)> {
        let figure = self.whole.iter();
        let mut figure = figure.filter(|one| one.measure == *measure && one.keys == *keys);
        let left_out = figure.next().map(|figure| figure.left_out.clone());
        left_out.unwrap_or_default().into_iter()
    }
}

/// Says whether a figure of a topic is one that groups are compared by: one number a topic, asked for by
/// name or a headline.
fn is_comparable_figure(figure: &Figure, measures: &[Measure]) -> bool {
    let named_by_protocol = |key: &FigureKey| Dimension::NAMES.contains(&key.by);
    if !figure.keys.iter().all(named_by_protocol) || !figure.measure.has_topic_means() {
        return false;
    }
    match measures {
        [] => HEADLINES.contains(&figure.measure) || figure.measure == Measure::OutcomeRight,
        asked => asked.contains(&figure.measure),
    }
}

/// Drops measures that no group has in common with the first one.
fn keep_shared_measures(sections: &mut [ReportSection]) {
    let figures = sections.iter().flat_map(|section| &section.figures);
    let shared_measures: BTreeSet<Measure> = figures
        .filter(|figure| figure.compared.is_some() || USE.contains(&figure.measure))
        .map(|figure| figure.measure)
        .collect();
    for section in sections {
        section
            .figures
            .retain(|figure| shared_measures.contains(&figure.measure));
    }
}

/// Returns the figures of one of two families: of whole groups, and within values of a property.
fn family_figures(sections: &mut [ReportSection], within: bool) -> Vec<&mut Figure> {
    let figures = sections.iter_mut().flat_map(|section| &mut section.figures);
    let of_family = figures.filter(|figure| {
        let property = |key: &FigureKey| !Dimension::NAMES.contains(&key.by);
        figure.keys.iter().any(property) == within
    });
    of_family.collect()
}

/// Sets the confidence that an interval needs to be as strict as its p-value, which is adjusted for its family.
pub(super) fn set_confidence(sections: &mut [ReportSection]) {
    for within in [false, true] {
        let figures = family_figures(sections, within).into_iter();
        let figures_with_p = figures.filter_map(|figure| {
            let p = figure.compared?.test?.p_value;
            Some((figure, p))
        });
        let (figures, p_values): (Vec<&mut Figure>, Vec<f64>) = figures_with_p.unzip();
        for (figure, factor) in figures.into_iter().zip(holm_factors(&p_values)) {
            figure.confidence = (factor > 1.0).then(|| 1.0 - 2.0 * TAIL / factor);
        }
    }
}

/// Adjusts the p-values of two families: of whole groups, and within values of a property.
pub(super) fn adjust_p_values(sections: &mut [ReportSection]) {
    for within in [false, true] {
        let mut family = family_figures(sections, within);
        let tests = family
            .iter_mut()
            .filter_map(|figure| figure.compared.as_mut()?.test.as_mut());
        let mut tests: Vec<_> = tests.collect();
        let p_values: Vec<f64> = tests.iter().map(|test| test.p_value).collect();
        for (test, p) in tests.iter_mut().zip(adjust_by_holm(&p_values)) {
            test.p_holm = p;
            test.family = p_values.len();
        }
    }
}
