//! Stages of a round: speakers, rounds, and rules for repeated requests.

use super::sees::Sees;
use super::{Style, one, yes};
use crate::debate::ids::{SeatId, StageId};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A part of a round in which one or more seats speak.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Stage {
    pub id: StageId,
    pub seats: Vec<SeatId>,
    #[serde(default)]
    pub order: StageOrder,
    #[serde(default)]
    pub rounds: RoundSet,
    /// The stage is played in the last round too.
    #[serde(default = "yes")]
    pub in_last_round: bool,
    /// Off when an experiment omits the stage.
    #[serde(default = "yes")]
    pub enabled: bool,
    /// Private turns are shown to their own chair alone.
    #[serde(default)]
    pub private: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub temperature: Option<f64>,
    /// The template, when it is not named after the seat.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub template: Option<String>,
    /// Templates of single seats, where several speak.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub templates: BTreeMap<SeatId, String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub style: Option<Style>,
    pub sees: Sees,
    /// The JSON schema of a structured reply; its fields can be used by retry and stop rules.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<serde_json::Value>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub retry: Vec<RetryRule>,
    /// Values drawn at random for each turn: names and the lists they come from; `none` draws
    /// nothing.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub draw: BTreeMap<String, String>,
}

/// Order of the chairs of a stage.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StageOrder {
    /// No chair sees a turn of the same stage.
    #[default]
    Simultaneous,
    /// Chairs speak in the order of `seats`; later ones may see earlier ones.
    Sequential,
}

/// A set of rounds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum RoundSet {
    /// `[1, 3]`, counted from 1.
    List(Vec<u32>),
    Named(NamedRounds),
}

impl Default for RoundSet {
    fn default() -> Self {
        RoundSet::Named(NamedRounds::All)
    }
}

/// A set of rounds that depends on their number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NamedRounds {
    All,
    First,
    Last,
    NotFirst,
    NotLast,
}

impl RoundSet {
    /// Returns whether `round` (from 1) of `rounds` is in the set.
    pub fn contains(&self, round: u32, rounds: u32) -> bool {
        match self {
            RoundSet::List(list) => list.contains(&round),
            RoundSet::Named(NamedRounds::All) => true,
            RoundSet::Named(NamedRounds::First) => round == 1,
            RoundSet::Named(NamedRounds::Last) => round == rounds,
            RoundSet::Named(NamedRounds::NotFirst) => round != 1,
            RoundSet::Named(NamedRounds::NotLast) => round != rounds,
        }
    }
}

/// A rule that requests a reply once more.
///
/// Either a number in the reply is `below` a bound, or a structured reply is `unparsed`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RetryRule {
    /// A field of the structured reply, as a dotted path.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub below: Option<f64>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unparsed: bool,
    #[serde(default = "one")]
    pub at_most: u32,
    /// The template of the second request; the turn's own when omitted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub template: Option<String>,
}

impl Stage {
    /// Returns whether the stage is played in `round` of `rounds`.
    pub fn plays_in(&self, round: u32, rounds: u32) -> bool {
        self.enabled
            && self.rounds.contains(round, rounds)
            && (self.in_last_round || round != rounds)
    }
}
