//! Difference of two groups in one measure, and use of one as a multiple of the other's.

use std::collections::{BTreeMap, BTreeSet};

use crate::report::figure::{Compared, ComparisonTest, Figure, Measure, Unit};
use crate::report::left_out::LeftOutReason;
use crate::rows::{DebateRow, HumanTurns};
use crate::sections::counting::{DebatePool, TopicTallies};
use crate::statistics::combined_interval::widen_interval;
use crate::statistics::interval::{Interval, Resampling, TopicSums, mean_interval, ratio};
use crate::statistics::p_value::PValue;
use crate::statistics::paired_tests::{
    Paired, PairedTest, TopicValue, compare_pairs, paired_interval, sign_flip_p_value,
};
use crate::statistics::quantile::TAIL;
use crate::statistics::run_level::RunValues;
use crate::statistics::sums::compute_mean;
use crate::statistics::two_samples::{
    compare_samples, label_permutation_p_value, welch_interval_at,
};

/// Values of two groups: paired where a topic has one in both.
pub(crate) struct TopicMeans {
    pairs: Vec<(TopicValue, TopicValue)>,
    /// Of the first and of the other group, on topics that only one has.
    alone: (Vec<f64>, Vec<f64>),
    /// Means of the learning runs of the first and of the other group; a single one where a group does not learn.
    runs: Option<[Vec<f64>; 2]>,
}

impl TopicMeans {
    /// Pairs the values of the first group and of another, on these topics.
    pub(crate) fn new(
        from: Option<&BTreeMap<String, TopicValue>>,
        of: Option<&BTreeMap<String, TopicValue>>,
        topics: Option<&BTreeSet<String>>,
    ) -> Self {
        let mut means = Self {
            pairs: Vec::new(),
            alone: (Vec::new(), Vec::new()),
            runs: None,
        };
        let none = BTreeMap::new();
        let (from, of) = (from.unwrap_or(&none), of.unwrap_or(&none));
        let has_topic = |topic: &str| topics.is_none_or(|topics| topics.contains(topic));
        for (topic, first) in from.iter().filter(|(topic, _)| has_topic(topic)) {
            match of.get(topic) {
                Some(other) => means.pairs.push((*first, *other)),
                None => means.alone.0.push(first.value),
            }
        }
        let others = of.iter();
        let others = others.filter(|(topic, _)| has_topic(topic) && !from.contains_key(*topic));
        means.alone.1.extend(others.map(|(_, other)| other.value));
        means
    }
}

impl TopicMeans {
    /// Adds the means of learning runs, so that both levels count (FIGURES 27).
    pub(crate) fn with_runs(self, runs: Option<[Vec<f64>; 2]>) -> Self {
        Self { runs, ..self }
    }

    /// Tests whether learning runs could as well have been of the other group.
    fn run_test(&self, plan: Resampling) -> Option<(PairedTest, PValue)> {
        let [first, other] = self.runs.as_ref()?;
        let from_one = |one: f64, runs: &[f64]| {
            let differences: Vec<f64> = runs.iter().map(|value| value - one).collect();
            (
                PairedTest::RunSignFlip,
                sign_flip_p_value(&differences, plan),
            )
        };
        Some(match (&first[..], &other[..]) {
            ([one], runs) | (runs, [one]) => from_one(*one, runs),
            (first, other) => {
                let p = label_permutation_p_value(first, other, plan);
                (PairedTest::RunPermutation, p)
            }
        })
    }

    /// Replaces the test over topics by that over learning runs, and adds their spread, where there are any.
    fn with_run_test(&self, comparison: Paired, plan: Resampling) -> Paired {
        let Some((test, p_value)) = self.run_test(plan) else {
            return comparison;
        };
        let interval = self.with_spread_of_runs(comparison.difference, comparison.interval, TAIL);
        Paired {
            test,
            p_value,
            interval,
            ..comparison
        }
    }

    /// Adds the spread of learning runs to the interval over topics.
    fn with_spread_of_runs(
        &self,
        difference: f64,
        interval: Option<Interval>,
        tail: f64,
    ) -> Option<Interval> {
        let Some([first, other]) = &self.runs else {
            return interval;
        };
        let half =
            RunValues::from_values(other).half_width_from(RunValues::from_values(first), tail);
        Some(widen_interval(difference, interval?, half))
    }
}

/// Compares two groups by one measure: paired where any topic has a value in both, else as two samples of
/// topics. `None` where neither can be done.
pub(crate) fn difference_figure(
    measure: Measure,
    means: &TopicMeans,
    plan: Resampling,
) -> Option<Figure> {
    let mut figure = empty_figure(measure);
    if let Some(pair_comparison) = compare_pairs(&means.pairs, measure.unit().value_kind(), plan) {
        let alone = means.alone.0.len() + means.alone.1.len();
        set_comparison(
            &mut figure,
            means.with_run_test(pair_comparison, plan),
            means.pairs.len(),
        );
        if alone > 0 {
            figure.left_out.insert(LeftOutReason::Unpaired, alone);
        }
        return Some(figure);
    }
    let (first, other) = (&means.alone.0, &means.alone.1);
    if first.is_empty() || other.is_empty() {
        return None;
    }
    let sample_comparison = compare_samples(first, other, plan);
    let topics = first.len() + other.len();
    set_comparison(
        &mut figure,
        means.with_run_test(sample_comparison, plan),
        topics,
    );
    figure
        .notes
        .push("not paired: no topic has a value in both".to_owned());
    Some(figure)
}

/// Returns the interval of [`difference_figure`] with this probability on each side.
pub(crate) fn difference_interval(
    measure: Measure,
    means: &TopicMeans,
    plan: Resampling,
    tail: f64,
) -> Option<Interval> {
    let (difference, interval) = if means.pairs.is_empty() {
        let (first, other) = (&means.alone.0, &means.alone.1);
        (
            compute_mean(other) - compute_mean(first),
            welch_interval_at(first, other, tail),
        )
    } else {
        let pairs = means.pairs.iter();
        let differences: Vec<f64> = pairs.map(|(from, of)| of.value - from.value).collect();
        let interval = paired_interval(&differences, measure.unit().value_kind(), plan, tail);
        (compute_mean(&differences), interval)
    };
    means.with_spread_of_runs(difference, interval, tail)
}

fn set_comparison(figure: &mut Figure, comparison: Paired, topics: usize) {
    figure.topics = topics;
    figure.observations = topics;
    figure.set_value(comparison.difference, comparison.interval);
    figure.compared = Some(Compared {
        of: comparison.second,
        from: comparison.first,
        test: Some(ComparisonTest {
            test: comparison.test,
            p_value: comparison.p_value.value,
            p_is_bound: comparison.p_value.is_bound,
            p_holm: comparison.p_value.value,
            family: 1,
        }),
    });
}

pub(super) fn empty_figure(measure: Measure) -> Figure {
    let nothing = TopicTallies {
        sums: TopicSums::new(2),
        total: Default::default(),
    };
    Figure::from_tallies(measure, &nothing)
}

/// Returns the figure of a measure that the two groups do not share.
pub(crate) fn not_in_both(measure: Measure) -> Figure {
    empty_figure(measure).mark_not_applicable("no topic has a value in both")
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
    let mut figure = empty_figure(measure);
    figure.unit = Unit::Multiple;
    figure.topics = sums.topic_count();
    figure.observations = sums.topic_count();
    let total = sums.total();
    match ratio(&total).filter(|_| unknown == 0) {
        Some(value) => {
            figure.set_value(value, mean_interval(&sums, plan));
            let topics = sums.topic_count() as f64;
            figure.compared = Some(Compared {
                of: total[0] / topics,
                from: total[1] / topics,
                test: None,
            });
        }
        None if unknown > 0 => {
            let why = format!("debates that called a model without a price: {unknown}");
            figure = figure.mark_not_applicable(why);
        }
        None if sums.topic_count() == 0 => {
            figure = figure.mark_not_applicable("no topic was played by both")
        }
        None => figure = figure.mark_not_applicable("that of the group it is compared with is 0"),
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
                .entry(pool.topic_name(debate))
                .or_default()
                .push(debate_use(measure, debate));
        }
    }
    let means = topics.into_iter().map(|(topic, used)| {
        let known_values: Vec<f64> = used.iter().copied().flatten().collect();
        let mean = match used.len() - known_values.len() {
            0 => Ok(compute_mean(&known_values)),
            unknown => Err(unknown),
        };
        (topic, mean)
    });
    means.collect()
}

fn debate_use(measure: Measure, debate: &DebateRow) -> Option<f64> {
    let usage = &debate.usage;
    match measure {
        Measure::CostPerDebate => usage.cost_usd.filter(|cost| cost.is_finite()),
        Measure::WallPerDebate => Some(usage.wall_ms as f64),
        _ => Some(usage.input_tokens as f64 + usage.output_tokens as f64),
    }
}
