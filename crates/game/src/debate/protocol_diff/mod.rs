//! Difference of two protocols, lever by lever: the initialisation of the debaters, apart from the
//! rules that turn one state of a debate into the next.
//!
//! The division is the third source's ("Initialisation vs core dynamics"): prompts and weights
//! condition the debaters' beginning, the core evolution operator determines where debates can
//! lead. Weights belong to the cast and are not part of a protocol. Texts are not in a protocol
//! either: `text_slots` lists which text is read in which position, for callers that hold the texts.
//!
//! Every struct of the format is destructured by name: a new field does not compile until its lever
//! is decided.

mod facts;
mod text_slots;
mod value_text;

pub use text_slots::{TextName, TextSlot, text_slots};

use super::Protocol;
use facts::{ProtocolValue, ProtocolValues, ValueSubject};
use serde::Serialize;
use std::collections::BTreeSet;

/// A value in which two protocols differ.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Lever {
    pub group: LeverGroup,
    pub name: String,
    /// Value in the first game; `None` where it does not exist.
    pub a: Option<String>,
    /// Value in the second game.
    pub b: Option<String>,
}

/// The two sides of the design space of debates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum LeverSide {
    /// The debaters' beginning.
    Initialisation,
    /// The rules that develop it.
    EvolutionOperator,
}

/// Levers of one kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, strum::VariantArray)]
#[serde(rename_all = "snake_case")]
pub enum LeverGroup {
    Prompts,
    Personas,
    Lists,
    Layout,
    Sampling,
    Seats,
    TurnOrder,
    TokenLimits,
    Retries,
    Sight,
    Judge,
    Rewards,
    StopRules,
    Ceilings,
    Lesson,
    Measures,
}

impl LeverGroup {
    /// Every group, initialisation first.
    pub const ALL: &'static [Self] = <Self as strum::VariantArray>::VARIANTS;

    /// Returns the side of the group.
    pub fn side(self) -> LeverSide {
        match self {
            LeverGroup::Prompts
            | LeverGroup::Personas
            | LeverGroup::Lists
            | LeverGroup::Layout
            | LeverGroup::Sampling => LeverSide::Initialisation,
            LeverGroup::Seats
            | LeverGroup::TurnOrder
            | LeverGroup::TokenLimits
            | LeverGroup::Retries
            | LeverGroup::Sight
            | LeverGroup::Judge
            | LeverGroup::Rewards
            | LeverGroup::StopRules
            | LeverGroup::Ceilings
            | LeverGroup::Lesson
            | LeverGroup::Measures => LeverSide::EvolutionOperator,
        }
    }

    /// Returns the group's title for people.
    pub fn title(self) -> &'static str {
        match self {
            LeverGroup::Prompts => "prompts",
            LeverGroup::Personas => "names and personas",
            LeverGroup::Lists => "lists drawn from",
            LeverGroup::Layout => "layout of messages",
            LeverGroup::Sampling => "sampling",
            LeverGroup::Seats => "seats",
            LeverGroup::TurnOrder => "turn order",
            LeverGroup::TokenLimits => "token limits",
            LeverGroup::Retries => "retries",
            LeverGroup::Sight => "who sees what",
            LeverGroup::Judge => "judge",
            LeverGroup::Rewards => "rewards",
            LeverGroup::StopRules => "stop rules",
            LeverGroup::Ceilings => "ceilings",
            LeverGroup::Lesson => "lesson",
            LeverGroup::Measures => "gauges and records",
        }
    }
}

/// Returns every value in which two protocols differ, by group, in the order of the first one.
///
/// Seats, stages and judging rules are matched by their ids: one that only one protocol has is a
/// single lever, whatever belongs to it. Disabled stages and rules are excluded.
pub fn find_levers(a: &Protocol, b: &Protocol) -> Vec<Lever> {
    let (a, b) = (
        ProtocolValues::from_protocol(a),
        ProtocolValues::from_protocol(b),
    );
    let mut levers = Vec::new();
    let mut value_keys: BTreeSet<(LeverGroup, &ValueSubject, &str)> = BTreeSet::new();
    for fact in a.values.iter().chain(&b.values) {
        if !value_keys.insert((fact.group, &fact.of, &fact.name)) {
            continue;
        }
        let value = |facts: &ProtocolValues, others: &ProtocolValues| -> Option<String> {
            let counterpart = facts.find_value(fact)?;
            others
                .can_be_compared(counterpart)
                .then(|| counterpart.value.clone())
        };
        let (in_a, in_b) = (value(&a, &b), value(&b, &a));
        if in_a != in_b {
            levers.push(Lever {
                group: fact.group,
                name: fact.name.clone(),
                a: in_a,
                b: in_b,
            });
        }
    }
    levers.sort_by_key(|lever| lever.group);
    levers
}

impl ProtocolValues {
    fn find_value(&self, like: &ProtocolValue) -> Option<&ProtocolValue> {
        let same = |fact: &&ProtocolValue| {
            fact.group == like.group && fact.of == like.of && fact.name == like.name
        };
        self.values.iter().find(same)
    }

    /// Returns whether another protocol's fact is to be compared with these: facts of a thing that
    /// is missing here are covered by the one fact of its presence.
    fn can_be_compared(&self, fact: &ProtocolValue) -> bool {
        match &fact.of {
            ValueSubject::Game => true,
            ValueSubject::ProtocolPart(thing) => self.parts.contains(thing),
            ValueSubject::Presence(thing) => !self.parts.contains(thing),
        }
    }
}
