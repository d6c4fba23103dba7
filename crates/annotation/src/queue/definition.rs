//! Definition of a queue: filter, unit, sampling, strata and order, as its journal keeps them.

use elenchus_game::debate::{RunId, SessionId};
use elenchus_game::judge::LabelTarget;
use elenchus_records::workspace::WorkspaceError;
use elenchus_store::Hash;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Definition of a queue.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct QueueDefinition {
    pub format: u32,
    /// Its name, and its file's.
    pub queue: String,
    /// The program and version that wrote this.
    pub software: String,
    /// The label set, by its id.
    pub set: String,
    /// The set's file and its codebook as they were, for a store that does not have them.
    pub set_text: String,
    pub codebook: String,
    /// The hash over both.
    pub codebook_sha256: Hash,
    pub filter: QueueFilter,
    #[serde(default)]
    pub unit: QueueUnit,
    pub sampling: Sampling,
    /// Features by which the population is stratified.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub strata: Vec<StratifyBy>,
    #[serde(default)]
    pub order: ItemOrder,
    /// Percentage of items that each annotator is shown a second time, unannounced.
    pub repeats_percent: f64,
    pub seed: u64,
}

/// Conditions that a turn must meet; an empty one excludes nothing.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct QueueFilter {
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sessions: Vec<SessionId>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub runs: Vec<RunId>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub protocols: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub seats: Vec<String>,
    /// Of a pair, its first round.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rounds: Vec<u32>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub categories: Vec<String>,
    /// What the game's own evaluator found, by name; `unparsed` and `none` are names as well.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub verdicts: Vec<String>,
    /// Arms, by their whole names.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub arms: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub disagreement: Option<DisagreementOf>,
    #[serde(default)]
    pub labelled: LabelledBefore,
    #[serde(default)]
    pub people: PeoplesTurns,
    #[serde(default)]
    pub of: PlayedBy,
    /// What the label set is about. Queues of earlier versions say nothing: their turns are those that evaluators
    /// judge, whatever their set was about.
    #[serde(default, skip_serializing_if = "LabelTarget::is_default")]
    pub about: LabelTarget,
}

impl QueueFilter {
    /// Says whether it lets turns through by what evaluators said of them.
    pub fn is_by_verdict(&self) -> bool {
        !self.verdicts.is_empty() || self.disagreement == Some(DisagreementOf::Evaluators)
    }
}

/// Parties that must disagree about a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DisagreementOf {
    /// The evaluators of the game, and those of passes.
    Evaluators,
    /// People who labelled it by the queue's set.
    People,
}

/// Treatment of turns that have a label of the queue's set already.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LabelledBefore {
    #[default]
    Included,
    LeftOut,
}

/// Treatment of turns that a person wrote, edited or chose.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PeoplesTurns {
    #[default]
    LeftOut,
    Included,
}

/// Real models' sessions or simulated ones: never both in one queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PlayedBy {
    #[default]
    Models,
    Simulated,
}

/// Unit of the draw.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[derive(strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum QueueUnit {
    #[default]
    Turn,
    /// A chair's turns of one stage in two consecutive rounds: what transitions are corrected from.
    Pair,
    /// A debate as a whole.
    Debate,
}

impl QueueUnit {
    /// Returns the word for one of them.
    pub fn word(self) -> &'static str {
        self.into()
    }

    /// Returns what is drawn for sets about something, where nobody asks for pairs.
    pub fn from_target(of: LabelTarget) -> Self {
        match of {
            LabelTarget::Turn | LabelTarget::Proposal | LabelTarget::Critique => Self::Turn,
            LabelTarget::Debate | LabelTarget::Conclusion => Self::Debate,
        }
    }

    /// Returns the noun for one of them, by what the set is about.
    pub fn noun(self, of: LabelTarget) -> &'static str {
        match (self, of) {
            (Self::Pair, _) | (_, LabelTarget::Turn) => self.word(),
            (Self::Turn | Self::Debate, of) => of.name(),
        }
    }
}

impl QueueDefinition {
    /// Returns the noun for a unit of the draw.
    pub fn unit_noun(&self) -> &'static str {
        self.unit.noun(self.filter.about)
    }
}

/// Number of units to draw.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "take", rename_all = "snake_case")]
pub enum Sampling {
    All,
    /// A number in all; over strata, in proportion to their size.
    Sample {
        units: u32,
    },
    /// A number of each stratum.
    Each {
        units: u32,
    },
    /// A number of each stratum that is named, by its name or one of its values; none of the others.
    Named {
        units: BTreeMap<String, u32>,
    },
}

/// Feature that divides a population into strata.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[derive(strum::Display, strum::EnumString, strum::VariantArray, strum::VariantNames)]
#[strum(serialize_all = "snake_case", parse_err_ty = WorkspaceError, parse_err_fn = refuse_stratum)]
pub enum StratifyBy {
    Verdict,
    Seat,
    Round,
    Run,
    Protocol,
    Category,
    Arm,
}

impl StratifyBy {
    /// The word of every feature.
    pub const WORDS: &'static [&'static str] = <Self as strum::VariantNames>::VARIANTS;
    /// Every feature, in the order in which they are offered.
    pub const ALL: &'static [Self] = <Self as strum::VariantArray>::VARIANTS;

    /// Says whether the two turns of a pair can differ in it: then a pair has no one stratum.
    pub(super) fn splits_pairs(self) -> bool {
        match self {
            StratifyBy::Verdict | StratifyBy::Round => true,
            StratifyBy::Seat
            | StratifyBy::Run
            | StratifyBy::Protocol
            | StratifyBy::Category
            | StratifyBy::Arm => false,
        }
    }
}

/// Says of a word that names no feature which ones there are.
fn refuse_stratum(_: &str) -> WorkspaceError {
    WorkspaceError::invalid(format!("it is one of {}", StratifyBy::WORDS.join(", ")))
}

/// Order in which items are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ItemOrder {
    /// All of a topic together, so that its question is read once; topics as drawn by the seed.
    #[default]
    ByTopic,
    /// Random: as drawn by the seed, over topics and strata.
    Drawn,
}

impl ItemOrder {
    /// Every order, in the sequence in which they are offered.
    pub const ALL: [ItemOrder; 2] = [ItemOrder::ByTopic, ItemOrder::Drawn];

    /// Says what it is called, and what it is good for.
    pub fn describe(self) -> &'static str {
        match self {
            ItemOrder::ByTopic => "by topic: a question is read once",
            ItemOrder::Drawn => "random: topics mixed, as the seed draws them",
        }
    }
}
