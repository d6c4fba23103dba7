//! What a comparison of groups that learn speaks of: their memories, or from enough learning runs on their methods
//! (FIGURES 27).

use std::collections::BTreeSet;

use super::groups::{ComparisonSettings, GroupValues, MeasureId};
use crate::report::figure::{Figure, IntervalSubject};
use crate::report::groups::Group;
use crate::report::learning::{LearningRuns, MIN_LEARNING_RUNS};
use crate::sections::counting::DebatePool;
use crate::statistics::interval::ratio;
use crate::statistics::paired_tests::PairedTest;

/// Values of the first group and of the other, of each of its learning runs, or of it all where it does not learn.
pub(super) type ValuesByRun = [Vec<GroupValues>; 2];

/// Returns values by learning run where a comparison is one of methods; `None` where no group learns, or one has too
/// few runs.
pub(super) fn values_by_run(
    base: &Group<'_>,
    other: &Group<'_>,
    settings: &ComparisonSettings,
) -> Option<ValuesByRun> {
    if !is_any_learning(base, other) || !speak_of_methods(base, other) {
        return None;
    }
    let of_runs = |group: &Group<'_>| -> Vec<GroupValues> {
        if !group.learning.is_learning() {
            return vec![GroupValues::new(&group.pool, settings)];
        }
        let runs = group.learning.debates().map(|debates| {
            let pool = DebatePool {
                debates: debates.to_vec(),
                ..group.pool.clone()
            };
            GroupValues::new(&pool, settings)
        });
        runs.collect()
    };
    Some([of_runs(base), of_runs(other)])
}

/// Returns the mean over topics of each run; `None` where one has no value.
pub(super) fn run_means(
    runs: Option<&ValuesByRun>,
    id: &MeasureId,
    topics: Option<&BTreeSet<String>>,
) -> Option<[Vec<f64>; 2]> {
    let mean = |values: &GroupValues| {
        let values = values.values_of(id)?.iter();
        let requested_values =
            values.filter(|(topic, _)| topics.is_none_or(|asked| asked.contains(*topic)));
        let (sum, count) = requested_values.fold((0.0, 0.0), |(sum, count), (_, topic)| {
            (sum + topic.value, count + 1.0)
        });
        ratio(&[sum, count])
    };
    let [first, other] = runs?;
    let of_group = |runs: &[GroupValues]| runs.iter().map(mean).collect::<Option<Vec<f64>>>();
    Some([of_group(first)?, of_group(other)?])
}

fn is_any_learning(base: &Group<'_>, other: &Group<'_>) -> bool {
    base.learning.is_learning() || other.learning.is_learning()
}

/// Says whether each group that learns has enough learning runs.
fn speak_of_methods(base: &Group<'_>, other: &Group<'_>) -> bool {
    let mut groups = [base, other].into_iter();
    groups.all(|group| !group.learning.is_learning() || group.learning.speak_of_method())
}

/// Says of what a comparison of groups that learn speaks.
pub(super) fn learning_note(base: &Group<'_>, other: &Group<'_>) -> Option<String> {
    if !is_any_learning(base, other) {
        return None;
    }
    let counts = [&base.learning, &other.learning].map(LearningRuns::run_count);
    Some(match (counts, speak_of_methods(base, other)) {
        (_, true) => format!(
            "{} and {} learning runs: intervals and p-values are of the methods, over runs and topics",
            counts[0], counts[1]
        ),
        ([1, 1], false) => "one learning run each: nothing about the method".to_owned(),
        ([0, 1] | [1, 0], false) => "one learning run: nothing about the method".to_owned(),
        ([first, second], false) => format!(
            "{first} and {second} learning runs: nothing about the method, which takes \
             {MIN_LEARNING_RUNS} in each arm that learns"
        ),
    })
}

pub(super) fn head_intervals(figures: &mut [Figure], base: &Group<'_>, other: &Group<'_>) {
    if !is_any_learning(base, other) {
        return;
    }
    let is_of_runs = |figure: &Figure| {
        let test = figure.compared.and_then(|compared| compared.test);
        test.is_some_and(|test| {
            matches!(
                test.test,
                PairedTest::RunPermutation | PairedTest::RunSignFlip
            )
        })
    };
    for figure in figures
        .iter_mut()
        .filter(|figure| figure.interval.is_some())
    {
        figure.interval_of = Some(match is_of_runs(figure) {
            true => IntervalSubject::LearningRuns,
            false => IntervalSubject::ThisMemory,
        });
    }
}
