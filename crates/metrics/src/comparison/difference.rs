//! Difference of two groups in one measure, and use of one as a multiple of the other's.

use std::collections::{BTreeMap, BTreeSet};

use crate::report::figure::{Compared, ComparisonTest, Figure, Measure, Unit};
use crate::report::left_out::LeftOutReason;
use crate::rows::{DebateRow, HumanTurns};
use crate::sections::counting::{DebatePool, TopicTallies};
use crate::statistics::interval::{Resampling, TopicSums, mean_interval, ratio};
use crate::statistics::paired_tests::{Paired, TopicValue, pair};
use crate::statistics::two_samples::two_samples;

/// Values of two groups: paired where a topic has one in both.
pub(crate) struct TopicMeans {
    pairs: Vec<(TopicValue, TopicValue)>,
    /// Of the first and of the other group, on topics that only one has.
    alone: (Vec<f64>, Vec<f64>),
}

impl TopicMeans {
    /// Pairs the values of the first group and of another, on these topics.
    pub(crate) fn new(
        from: Option<&BTreeMap<String, TopicValue>>,
        of: Option<&BTreeMap<String, TopicValue>>,
        topics: Option<&BTreeSet<String>>,
    ) -> Self {
        let mut found = Self {
            pairs: Vec::new(),
            alone: (Vec::new(), Vec::new()),
        };
        let none = BTreeMap::new();
        let (from, of) = (from.unwrap_or(&none), of.unwrap_or(&none));
        let is_asked = |topic: &str| topics.is_none_or(|topics| topics.contains(topic));
        for (topic, first) in from.iter().filter(|(topic, _)| is_asked(topic)) {
            match of.get(topic) {
                Some(other) => found.pairs.push((*first, *other)),
                None => found.alone.0.push(first.value),
            }
        }
        let others = of.iter();
        let others = others.filter(|(topic, _)| is_asked(topic) && !from.contains_key(*topic));
        found.alone.1.extend(others.map(|(_, other)| other.value));
        found
    }
}

/// Compares two groups by one measure: paired where any topic has a value in both, else as two samples of
/// topics. `None` where neither can be done.
pub(crate) fn difference_figure(
    measure: Measure,
    means: &TopicMeans,
    plan: Resampling,
) -> Option<Figure> {
    let mut figure = without_counts(measure);
    if let Some(found) = pair(&means.pairs, plan) {
        let alone = means.alone.0.len() + means.alone.1.len();
        set(&mut figure, &found, means.pairs.len());
        if alone > 0 {
            figure.left_out.insert(LeftOutReason::Unpaired, alone);
        }
        return Some(figure);
    }
    let (first, other) = (&means.alone.0, &means.alone.1);
    if first.is_empty() || other.is_empty() {
        return None;
    }
    let found = two_samples(first, other, plan);
    set(&mut figure, &found, first.len() + other.len());
    figure
        .notes
        .push("not paired: no topic has a value in both".to_owned());
    Some(figure)
}

fn set(figure: &mut Figure, found: &Paired, topics: usize) {
    figure.topics = topics;
    figure.observations = topics;
    figure.give(found.difference, found.interval);
    figure.compared = Some(Compared {
        of: found.second,
        from: found.first,
        test: Some(ComparisonTest {
            test: found.test,
            p_value: found.p_value.value,
            p_is_bound: found.p_value.is_bound,
            p_holm: found.p_value.value,
            family: 1,
        }),
    });
}

pub(super) fn without_counts(measure: Measure) -> Figure {
    let nothing = TopicTallies {
        sums: TopicSums::new(2),
        total: Default::default(),
    };
    Figure::empty(measure, &nothing)
}

/// Returns the figure of a measure that the two groups do not share.
pub(crate) fn not_in_both(measure: Measure) -> Figure {
    without_counts(measure).without_value("no topic has a value in both")
}

/// Returns the use of a group as a multiple of the first one's: Σ over topics of its mean per debate / the same
/// of the first, over the topics that both played, with or without an outcome. Forks are no debates of
/// their own.
pub(crate) fn multiple_figure(
    measure: Measure,
    (from, of): (&DebatePool<'_>, &DebatePool<'_>),
    topics: Option<&BTreeSet<String>>,
    plan: Resampling,
) -> Figure {
    let (first, other) = (used_by_topic(measure, from), used_by_topic(measure, of));
    let mut sums = TopicSums::new(2);
    let mut unknown = 0;
    for (topic, other) in &other {
        let Some(first) = first.get(topic) else {
            continue;
        };
        if topics.is_some_and(|topics| !topics.contains(*topic)) {
            continue;
        }
        match (first, other) {
            (Ok(first), Ok(other)) => sums.push(&[*other, *first]),
            (first, other) => {
                unknown += first.as_ref().err().unwrap_or(&0) + other.as_ref().err().unwrap_or(&0);
            }
        }
    }
    let mut figure = without_counts(measure);
    figure.unit = Unit::Multiple;
    figure.topics = sums.topics();
    figure.observations = sums.topics();
    let total = sums.total();
    match ratio(&total).filter(|_| unknown == 0) {
        Some(value) => {
            figure.give(value, mean_interval(&sums, plan));
            let topics = sums.topics() as f64;
            figure.compared = Some(Compared {
                of: total[0] / topics,
                from: total[1] / topics,
                test: None,
            });
        }
        None if unknown > 0 => {
            let why = format!("debates that called a model without a price: {unknown}");
            figure = figure.without_value(why);
        }
        None if sums.topics() == 0 => figure = figure.without_value("no topic was played by both"),
        None => figure = figure.without_value("that of the first is 0"),
    }
    figure
}

/// Mean use per debate of each topic, or how many of its debates have an unknown one.
fn used_by_topic<'a>(
    measure: Measure,
    pool: &'a DebatePool<'_>,
) -> BTreeMap<&'a str, Result<f64, usize>> {
    let mut topics: BTreeMap<&str, Vec<Option<f64>>> = BTreeMap::new();
    for debate in &pool.debates {
        let by_person = match pool.scope.people {
            HumanTurns::LeftOut => debate.touched_by_person(),
            HumanTurns::Included => false,
        };
        if !debate.has_inherited_turns() && !by_person {
            topics
                .entry(pool.topic(debate))
                .or_default()
                .push(used(measure, debate));
        }
    }
    let means = topics.into_iter().map(|(topic, used)| {
        let known: Vec<f64> = used.iter().copied().flatten().collect();
        let mean = match used.len() - known.len() {
            0 => Ok(known.iter().sum::<f64>() / known.len() as f64),
            unknown => Err(unknown),
        };
        (topic, mean)
    });
    means.collect()
}

fn used(measure: Measure, debate: &DebateRow) -> Option<f64> {
    let usage = &debate.usage;
    match measure {
        Measure::CostPerDebate => usage.cost_usd.filter(|cost| cost.is_finite()),
        Measure::WallPerDebate => Some(usage.wall_ms as f64),
        _ => Some(usage.input_tokens as f64 + usage.output_tokens as f64),
    }
}
