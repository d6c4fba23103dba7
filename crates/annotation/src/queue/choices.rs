//! Choices that a queue can be drawn from: the runs, protocols, arms and verdicts that finished debates have, with
//! how many turns each has. Read once for a form; draws nothing.

use super::definition::{PlayedBy, QueueFilter, QueueUnit, StratifyBy};
use super::population::{KnownJudgements, PopulationUnit, collect_units};
use elenchus_records::workspace::WorkspaceError;
use elenchus_store::Layout;
use std::collections::{BTreeMap, BTreeSet};

/// A value that turns have.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct QueueChoice {
    pub value: String,
    /// What it is said to be: for a run its protocols.
    pub about: String,
    pub turns: usize,
}

/// Values that can be chosen, of debates that real or simulated models played.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ChoicesOf {
    pub turns: usize,
    /// The newest first.
    pub runs: Vec<QueueChoice>,
    pub protocols: Vec<QueueChoice>,
    pub arms: Vec<QueueChoice>,
    pub verdicts: Vec<QueueChoice>,
}

/// Choices of a store.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct QueueChoices {
    pub models: ChoicesOf,
    pub simulated: ChoicesOf,
}

impl QueueChoices {
    /// Reads them. Blocks while it reads every session.
    ///
    /// # Errors
    /// When the sessions cannot be listed.
    pub fn read(layout: &Layout) -> Result<Self, WorkspaceError> {
        let read = |of| {
            let filter = QueueFilter {
                of,
                ..QueueFilter::default()
            };
            let judgements = KnownJudgements::default();
            let population = collect_units(layout, &filter, QueueUnit::Turn, &judgements)?;
            Ok::<_, WorkspaceError>(ChoicesOf::from_units(&population.units))
        };
        Ok(Self {
            models: read(PlayedBy::Models)?,
            simulated: read(PlayedBy::Simulated)?,
        })
    }

    /// Returns those of one kind of debates.
    pub fn played_by(&self, of: PlayedBy) -> &ChoicesOf {
        match of {
            PlayedBy::Models => &self.models,
            PlayedBy::Simulated => &self.simulated,
        }
    }
}

impl ChoicesOf {
    fn from_units(units: &[PopulationUnit]) -> Self {
        let mut runs = count_values(units, StratifyBy::Run);
        runs.reverse();
        Self {
            turns: units.len(),
            runs,
            protocols: count_values(units, StratifyBy::Protocol),
            arms: count_values(units, StratifyBy::Arm),
            verdicts: count_values(units, StratifyBy::Verdict),
        }
    }
}

/// Returns the values that turns have of a feature. A run that is none is no choice.
fn count_values(units: &[PopulationUnit], by: StratifyBy) -> Vec<QueueChoice> {
    let mut counts: BTreeMap<&str, (usize, BTreeSet<&str>)> = BTreeMap::new();
    for unit in units {
        let Some(value) = unit.features.get(&by) else {
            continue;
        };
        let (turns, protocols) = counts.entry(value).or_default();
        *turns += 1;
        protocols.extend(unit.features.get(&StratifyBy::Protocol).map(String::as_str));
    }
    let is_choice = |value: &str| by != StratifyBy::Run || value != super::population::NONE;
    let counts = counts.into_iter().filter(|(value, _)| is_choice(value));
    let choices = counts.map(|(value, (turns, protocols))| QueueChoice {
        value: value.to_owned(),
        about: match by {
            StratifyBy::Run => protocols.into_iter().collect::<Vec<_>>().join(", "),
            _ => String::new(),
        },
        turns,
    });
    choices.collect()
}
