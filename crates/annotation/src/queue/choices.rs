//! Choices that a queue can be drawn from: the runs, protocols, arms and verdicts that finished debates have, with
//! how many turns, pairs, proposals, critiques or debates each has. Read once for a form; draws nothing.

use super::definition::{PlayedBy, QueueFilter, QueueUnit, StratifyBy};
use super::population::{KnownJudgements, PopulationUnit, collect_each};
use elenchus_game::judge::LabelTarget;
use elenchus_records::workspace::WorkspaceError;
use elenchus_store::Layout;
use std::collections::{BTreeMap, BTreeSet};

/// A value that units have.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct QueueChoice {
    pub value: String,
    /// What it is said to be: for a run its protocols, its day and its first topic.
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

/// What can be drawn: what a label set is about, and the unit of the draw.
pub type QueueKind = (LabelTarget, QueueUnit);

/// Choices of a store, by what is drawn.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct QueueChoices(BTreeMap<QueueKind, ChoicesByPlayer>);

/// Choices of debates that real models played, and of those that simulated ones did.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct ChoicesByPlayer {
    models: ChoicesOf,
    simulated: ChoicesOf,
}

/// There is nothing to draw.
pub(crate) static NO_CHOICES: ChoicesOf = ChoicesOf {
    units: 0,
    runs: Vec::new(),
    protocols: Vec::new(),
    arms: Vec::new(),
    verdicts: Vec::new(),
};

impl QueueChoices {
    /// Reads them, of everything that can be drawn. Blocks while it reads every session, once.
    ///
    /// # Errors
    /// When the sessions cannot be listed.
    pub fn read(layout: &Layout, kinds: &[QueueKind]) -> Result<Self, WorkspaceError> {
        let wanted = kinds.iter().flat_map(|(about, unit)| {
            [PlayedBy::Models, PlayedBy::Simulated].map(|of| {
                let filter = QueueFilter {
                    of,
                    about: *about,
                    ..QueueFilter::default()
                };
                (filter, *unit)
            })
        });
        let wanted: Vec<(QueueFilter, QueueUnit)> = wanted.collect();
        let judgements = KnownJudgements::default();
        let populations = collect_each(layout, &[], &wanted, &judgements)?;
        let mut choices = Self::default();
        for ((filter, unit), population) in wanted.iter().zip(populations) {
            let by_player = choices.0.entry((filter.about, *unit)).or_default();
            let place = match filter.of {
                PlayedBy::Models => &mut by_player.models,
                PlayedBy::Simulated => &mut by_player.simulated,
            };
            *place = ChoicesOf::from_units(&population.units);
        }
        Ok(choices)
    }

    /// Returns those of what is drawn in one kind of debates.
    pub fn choices(&self, of: PlayedBy, kind: QueueKind) -> &ChoicesOf {
        let by_player = self.0.get(&kind);
        by_player.map_or(&NO_CHOICES, |choices| match of {
            PlayedBy::Models => &choices.models,
            PlayedBy::Simulated => &choices.simulated,
        })
    }

    /// Says whether simulated models alone played anything that can be labelled.
    pub fn is_simulated_alone(&self) -> bool {
        let has = |of: fn(&ChoicesByPlayer) -> &ChoicesOf| {
            self.0.values().any(|choices| of(choices).units > 0)
        };
        has(|choices| &choices.simulated) && !has(|choices| &choices.models)
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
    type Counted<'a> = (usize, BTreeSet<&'a str>, Option<&'a (String, String)>);
    let mut counts: BTreeMap<&str, Counted<'_>> = BTreeMap::new();
    for unit in units {
        let Some(value) = unit.features.get(&by) else {
            continue;
        };
        let (count, protocols, first) = counts.entry(value).or_default();
        *count += 1;
        *first = Some(first.map_or(&unit.begun, |known| known.min(&unit.begun)));
        protocols.extend(unit.features.get(&StratifyBy::Protocol).map(String::as_str));
    }
    let is_choice = |value: &str| by != StratifyBy::Run || value != super::population::NONE;
    let counts = counts.into_iter().filter(|(value, _)| is_choice(value));
    let choices = counts.map(|(value, (units, protocols, first))| QueueChoice {
        value: value.to_owned(),
        about: match by {
            StratifyBy::Run => {
                let protocols = protocols.into_iter().collect::<Vec<_>>().join(", ");
                let (begun, topic) = first.map_or(("", ""), |(begun, topic)| (begun, topic));
                let day = begun.get(..10).unwrap_or(begun);
                let parts = [&*protocols, day, topic];
                let known = parts.into_iter().filter(|part| !part.is_empty());
                known.collect::<Vec<_>>().join(" - ")
            }
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
