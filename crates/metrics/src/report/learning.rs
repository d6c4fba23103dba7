//! Which memories the debates of a group were played with, and what their intervals then speak of (FIGURES 27).
//!
//! All later debates of a learning run share one memory. Topics are no sample of what the method would have learned
//! otherwise: only further learning runs are.

use std::collections::{BTreeMap, BTreeSet};

use super::figure::{Figure, IntervalSubject, MissingBounds, Unit};
use crate::rows::{DebateRow, LearningPhase};
use crate::statistics::combined_interval::widen_interval;
use crate::statistics::interval::Interval;
use crate::statistics::quantile::TAIL;
use crate::statistics::run_level::RunValues;

/// Fewest learning runs whose spread says something of the method.
pub(crate) const MIN_LEARNING_RUNS: usize = 3;

/// Why there is no interval of a method.
pub(crate) const NO_VALUE_OF_RUN: &str = "no interval: a learning run has no value";

/// A memory: what one run taught, or what debates of an arm were given.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Memory<'a> {
    OfRun(&'a str),
    Given(&'a str),
}

/// Debates of a group by the memory that they were played with.
#[derive(Debug, Clone, Default)]
pub(crate) struct LearningRuns<'a> {
    runs: BTreeMap<Memory<'a>, Vec<&'a DebateRow>>,
    /// Debates without memory are among them.
    is_mixed: bool,
}

/// Returns the runs that taught a memory of their own, as far as the rows show it.
pub fn teaching_runs(debates: &[DebateRow]) -> BTreeSet<String> {
    let teaching = debates
        .iter()
        .filter(|debate| debate.origin.phase == Some(LearningPhase::Learning));
    teaching
        .filter_map(|debate| debate.origin.run.clone())
        .collect()
}

impl<'a> LearningRuns<'a> {
    /// Divides debates by memory. A run that is not known to have taught reads a memory that is given to its whole
    /// arm: that is one, however many runs read it.
    pub(super) fn from_debates(debates: &[&'a DebateRow], teaching: &BTreeSet<String>) -> Self {
        let mut learning_runs = Self::default();
        for debate in debates {
            if debate.origin.phase.is_none() {
                learning_runs.is_mixed = true;
                continue;
            }
            let run = debate.origin.run.as_deref();
            let memory = match run.filter(|run| teaching.contains(*run)) {
                Some(run) => Memory::OfRun(run),
                None => Memory::Given(&debate.arm),
            };
            learning_runs.runs.entry(memory).or_default().push(debate);
        }
        learning_runs
    }

    /// Puts those of several groups together.
    pub(crate) fn merge(groups: &[&Self]) -> Self {
        let mut all = Self::default();
        for group in groups {
            all.is_mixed |= group.is_mixed;
            for (memory, debates) in &group.runs {
                let run_debates = all.runs.entry(memory.clone()).or_default();
                run_debates.extend(debates);
            }
        }
        all
    }

    /// Returns the debates of each learning run in each of several groups.
    pub(crate) fn split_by_run(groups: &[&Self]) -> Vec<Vec<Vec<&'a DebateRow>>> {
        let of_run = |memory: &Memory<'a>| {
            let debates = groups.iter().map(|group| group.runs.get(memory).cloned());
            debates.map(Option::unwrap_or_default).collect()
        };
        let runs = Self::merge(groups).runs;
        runs.keys().map(of_run).collect()
    }

    /// Says whether any debate was played with long-term memory.
    pub(crate) fn is_learning(&self) -> bool {
        !self.runs.is_empty()
    }

    /// Returns the number of learning runs.
    pub(crate) fn run_count(&self) -> usize {
        self.runs.len()
    }

    /// Says whether there are enough to speak of the method.
    pub(crate) fn speak_of_method(&self) -> bool {
        self.run_count() >= MIN_LEARNING_RUNS && !self.is_mixed
    }

    /// Returns the debates of each run.
    pub(crate) fn debates(&self) -> impl Iterator<Item = &[&'a DebateRow]> {
        self.runs.values().map(Vec::as_slice)
    }
}

/// Heads the intervals of a group's figures by what they speak of, and from three learning runs on adds the spread of
/// the runs; returns the note. `of_run` computes the figures of one run's debates.
pub(crate) fn head_intervals<'a>(
    figures: &mut [Figure],
    runs: &LearningRuns<'a>,
    of_run: impl Fn(Vec<&'a DebateRow>) -> Vec<Figure>,
) -> Option<String> {
    if !runs.is_learning() {
        return None;
    }
    if !runs.speak_of_method() {
        for figure in figures
            .iter_mut()
            .filter(|figure| figure.interval.is_some())
        {
            figure.interval_of = Some(IntervalSubject::ThisMemory);
        }
        return learning_note(runs);
    }
    let by_run: Vec<Vec<Figure>> = runs.debates().map(|of| of_run(of.to_vec())).collect();
    for figure in figures
        .iter_mut()
        .filter(|figure| figure.interval.is_some() || figure.bounds.is_some())
    {
        let is_same =
            |other: &&Figure| other.measure == figure.measure && other.keys == figure.keys;
        let matches = by_run.iter().map(|found| found.iter().find(is_same));
        let run_figures: Option<Vec<&Figure>> = matches.collect();
        figure.bounds = figure
            .bounds
            .map(|bounds| bounds_over_runs(figure.unit, bounds, run_figures.as_deref()));
        if figure.interval.is_none() {
            continue;
        }
        let values = run_figures.and_then(|found| found.iter().map(|one| one.value).collect());
        figure.interval = values.and_then(|values: Vec<f64>| widen_over_runs(figure, &values));
        match figure.interval {
            Some(_) => figure.interval_of = Some(IntervalSubject::LearningRuns),
            None => figure.notes.push(NO_VALUE_OF_RUN.to_owned()),
        }
    }
    learning_note(runs)
}

/// Says of what the intervals of debates that learn are; `None` where none does.
pub(crate) fn learning_note(runs: &LearningRuns<'_>) -> Option<String> {
    let count = runs.run_count();
    Some(match (count, runs.speak_of_method()) {
        (0, _) => return None,
        (_, true) => format!(
            "{count} learning runs: intervals are of the method, by the spread of the runs' own values (Student) \
             beside that of the topics, which are resampled"
        ),
        (_, false) => {
            let what = match count {
                1 => "one learning run".to_owned(),
                count => format!("{count} learning runs"),
            };
            format!(
                "{what}: intervals are of this memory and say nothing about the method, which takes \
                 {MIN_LEARNING_RUNS} runs that each learn for themselves"
            )
        }
    })
}

fn widen_over_runs(figure: &Figure, values: &[f64]) -> Option<Interval> {
    let half = RunValues::from_values(values).half_width(TAIL)?;
    let interval = widen_interval(figure.value?, figure.interval?, half);
    Some(match figure.unit {
        Unit::Share => Interval {
            low: interval.low.max(0.0),
            high: interval.high.min(1.0),
            ..interval
        },
        _ => interval,
    })
}

/// Adds the spread of the runs' own bounds to how far bounds reach; nothing where a run has none. A run without missing
/// verdicts is its own bounds.
fn bounds_over_runs(unit: Unit, bounds: MissingBounds, runs: Option<&[&Figure]>) -> MissingBounds {
    let of_run = |run: &&Figure| match run.bounds {
        Some(bounds) => bounds.value_range(),
        None => run.value.map(|value| [value; 2]),
    };
    let reach = || {
        let of_runs: Option<Vec<[f64; 2]>> = runs?.iter().map(of_run).collect();
        let (of_runs, ends) = (of_runs?, bounds.value_range()?);
        let half = |at: usize| {
            let values: Vec<f64> = of_runs.iter().map(|ends| ends[at]).collect();
            RunValues::from_values(&values).half_width(TAIL)
        };
        let low = ends[0] - half(0)?.hypot(ends[0] - bounds.low?);
        let high = ends[1] + half(1)?.hypot(bounds.high? - ends[1]);
        Some(match unit {
            Unit::Share => (low.max(0.0), high.min(1.0)),
            _ => (low, high),
        })
    };
    let (low, high) = reach().unzip();
    MissingBounds {
        low,
        high,
        ..bounds
    }
}
