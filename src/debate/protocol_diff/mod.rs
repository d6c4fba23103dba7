//! What differs between two games, lever by lever: the words the debaters begin with, apart from
//! the rules that turn one moment of a debate into the next.
//!
//! The division is the third source's ("Initialisation vs core dynamics"): prompts and weights
//! condition how debaters begin, the core evolution operator says where debates can lead. Weights
//! are the cast's and are not in a game. Texts are not in a protocol either: [`words`] says which
//! are read where, so that whoever holds them can compare them.
//!
//! Every structure of the format is taken apart by name: a new field does not compile until
//! somebody has decided which lever it is.

mod facts;
mod words;

pub use words::{Place, Words, words};

use super::Protocol;
use facts::{Fact, Facts, Of};
use serde::Serialize;
use std::collections::BTreeSet;

/// A value that two games do not share.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Lever {
    pub group: Group,
    pub name: String,
    /// In the first game; `None` where it has no such thing.
    pub a: Option<String>,
    /// In the second game.
    pub b: Option<String>,
}

/// The two sides of the design space of debates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Side {
    /// How debaters begin.
    Initialisation,
    /// What the rules make of it.
    EvolutionOperator,
}

/// Levers of one kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Group {
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

impl Group {
    /// Every group, initialisation first.
    pub const ALL: [Group; 16] = [
        Group::Prompts,
        Group::Personas,
        Group::Lists,
        Group::Layout,
        Group::Sampling,
        Group::Seats,
        Group::TurnOrder,
        Group::TokenLimits,
        Group::Retries,
        Group::Sight,
        Group::Judge,
        Group::Rewards,
        Group::StopRules,
        Group::Ceilings,
        Group::Lesson,
        Group::Measures,
    ];

    /// Returns the side that the group is on.
    pub fn side(self) -> Side {
        match self {
            Group::Prompts | Group::Personas | Group::Lists | Group::Layout | Group::Sampling => {
                Side::Initialisation
            }
            Group::Seats
            | Group::TurnOrder
            | Group::TokenLimits
            | Group::Retries
            | Group::Sight
            | Group::Judge
            | Group::Rewards
            | Group::StopRules
            | Group::Ceilings
            | Group::Lesson
            | Group::Measures => Side::EvolutionOperator,
        }
    }

    /// Returns what people read.
    pub fn title(self) -> &'static str {
        match self {
            Group::Prompts => "prompts",
            Group::Personas => "names and personas",
            Group::Lists => "lists drawn from",
            Group::Layout => "layout of messages",
            Group::Sampling => "sampling",
            Group::Seats => "seats",
            Group::TurnOrder => "turn order",
            Group::TokenLimits => "token limits",
            Group::Retries => "retries",
            Group::Sight => "who sees what",
            Group::Judge => "judge",
            Group::Rewards => "rewards",
            Group::StopRules => "stop rules",
            Group::Ceilings => "ceilings",
            Group::Lesson => "lesson",
            Group::Measures => "gauges and records",
        }
    }
}

/// Returns every value in which two games differ, group by group, in the order of the first game.
///
/// Seats, stages and judging rules are matched by their ids: one that only one game has is a
/// single lever, whatever belongs to it. Stages and rules that are turned off are not there.
pub fn levers(a: &Protocol, b: &Protocol) -> Vec<Lever> {
    let (a, b) = (Facts::of(a), Facts::of(b));
    let mut levers = Vec::new();
    let mut named: BTreeSet<(Group, &Of, &str)> = BTreeSet::new();
    for fact in a.facts.iter().chain(&b.facts) {
        if !named.insert((fact.group, &fact.of, &fact.name)) {
            continue;
        }
        let value = |facts: &Facts, others: &Facts| -> Option<String> {
            let found = facts.find(fact)?;
            others.can_be_compared(found).then(|| found.value.clone())
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

impl Facts {
    fn find(&self, like: &Fact) -> Option<&Fact> {
        let same =
            |fact: &&Fact| fact.group == like.group && fact.of == like.of && fact.name == like.name;
        self.facts.iter().find(same)
    }

    /// Says whether another game's fact is to be compared with these: what belongs to a thing that
    /// these do not have is left to the one fact that says so.
    fn can_be_compared(&self, fact: &Fact) -> bool {
        match &fact.of {
            Of::Game => true,
            Of::Thing(thing) => self.things.contains(thing),
            Of::Presence(thing) => !self.things.contains(thing),
        }
    }
}
