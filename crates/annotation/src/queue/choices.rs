//! Choices that a queue can be drawn from: the runs, protocols, arms and verdicts that finished debates have, with
//! how many turns, pairs and debates each has. Read once for a form; draws nothing.

use super::definition::{PlayedBy, QueueFilter, QueueUnit, StratifyBy};
use super::population::{KnownJudgements, PopulationUnit, collect_each};
use elenchus_records::workspace::WorkspaceError;
use elenchus_store::Layout;
use std::collections::{BTreeMap, BTreeSet};

/// A value that units have.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct QueueChoice {
    pub value: String,
    /// What it is said to be: for a run its protocols.
    pub about: String,
    pub units: usize,
}

/// Values that can be chosen, of one unit in debates that real or simulated models played.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ChoicesOf {
    pub units: usize,
    /// The newest first.
    pub runs: Vec<QueueChoice>,
    pub protocols: Vec<QueueChoice>,
    pub arms: Vec<QueueChoice>,
    pub verdicts: Vec<QueueChoice>,
}

/// Choices of one kind of debates, by unit.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ChoicesByUnit {
    pub turns: ChoicesOf,
    pub pairs: ChoicesOf,
    pub debates: ChoicesOf,
}

/// Choices of a store.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct QueueChoices {
    pub models: ChoicesByUnit,
    pub simulated: ChoicesByUnit,
}

impl QueueChoices {
    /// Reads them. Blocks while it reads every session, once.
    ///
    /// # Errors
    /// When the sessions cannot be listed.
    pub fn read(layout: &Layout) -> Result<Self, WorkspaceError> {
        let filter = |of| QueueFilter {
            of,
            ..QueueFilter::default()
        };
        let units = [QueueUnit::Turn, QueueUnit::Pair, QueueUnit::Debate];
        let kinds = [PlayedBy::Models, PlayedBy::Simulated];
        let wanted = kinds.map(|of| units.map(|unit| (filter(of), unit)));
        let judgements = KnownJudgements::default();
        let populations = collect_each(layout, &[], wanted.as_flattened(), &judgements)?;
        let mut choices = Self::default();
        for ((filter, unit), population) in wanted.as_flattened().iter().zip(populations) {
            *choices.choices_mut(filter.of, *unit) = ChoicesOf::from_units(&population.units);
        }
        Ok(choices)
    }

    /// Returns those of a unit in one kind of debates.
    pub fn choices(&self, of: PlayedBy, unit: QueueUnit) -> &ChoicesOf {
        let by_unit = match of {
            PlayedBy::Models => &self.models,
            PlayedBy::Simulated => &self.simulated,
        };
        match unit {
            QueueUnit::Turn => &by_unit.turns,
            QueueUnit::Pair => &by_unit.pairs,
            QueueUnit::Debate => &by_unit.debates,
        }
    }

    fn choices_mut(&mut self, of: PlayedBy, unit: QueueUnit) -> &mut ChoicesOf {
        let by_unit = match of {
            PlayedBy::Models => &mut self.models,
            PlayedBy::Simulated => &mut self.simulated,
        };
        match unit {
            QueueUnit::Turn => &mut by_unit.turns,
            QueueUnit::Pair => &mut by_unit.pairs,
            QueueUnit::Debate => &mut by_unit.debates,
        }
    }
}

impl ChoicesOf {
    fn from_units(units: &[PopulationUnit]) -> Self {
        let mut runs = count_values(units, StratifyBy::Run);
        runs.reverse();
        Self {
            units: units.len(),
            runs,
            protocols: count_values(units, StratifyBy::Protocol),
            arms: count_values(units, StratifyBy::Arm),
            verdicts: count_values(units, StratifyBy::Verdict),
        }
    }
}

/// Returns the values that units have of a feature. A run that is none is no choice.
fn count_values(units: &[PopulationUnit], by: StratifyBy) -> Vec<QueueChoice> {
    let mut counts: BTreeMap<&str, (usize, BTreeSet<&str>)> = BTreeMap::new();
    for unit in units {
        let Some(value) = unit.features.get(&by) else {
            continue;
        };
        let (count, protocols) = counts.entry(value).or_default();
        *count += 1;
        protocols.extend(unit.features.get(&StratifyBy::Protocol).map(String::as_str));
    }
    let is_choice = |value: &str| by != StratifyBy::Run || value != super::population::NONE;
    let counts = counts.into_iter().filter(|(value, _)| is_choice(value));
    let choices = counts.map(|(value, (units, protocols))| QueueChoice {
        value: value.to_owned(),
        about: match by {
            StratifyBy::Run => protocols.into_iter().collect::<Vec<_>>().join(", "),
            StratifyBy::Verdict
            | StratifyBy::Seat
            | StratifyBy::Round
            | StratifyBy::Protocol
            | StratifyBy::Category
            | StratifyBy::Arm => String::new(),
        },
        units,
    });
    choices.collect()
}
