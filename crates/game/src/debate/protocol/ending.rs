//! End of a debate in a protocol: the lesson, stop rules and ceilings.

use super::sees::Sees;
use super::yes;
use crate::debate::ids::{JudgingId, SeatId, StageId};
use serde::{Deserialize, Serialize};

/// The lesson that is written after a debate.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Feedback {
    pub by: SeatId,
    /// Off where an experiment writes no lesson: a resolved protocol then has no feedback at all.
    #[serde(default = "yes", skip_serializing_if = "is_true")]
    pub enabled: bool,
    /// Written when any verdict of this rule has one of `labels`.
    pub judging: JudgingId,
    pub labels: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub template: Option<String>,
    pub sees: Sees,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<u32>,
}

fn is_true(value: &bool) -> bool {
    *value
}

/// Ends the debate after a round. All conditions that are given must hold.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StopRule {
    /// A judging rule of this round, or …
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judging: Option<JudgingId>,
    /// … a stage with structured replies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stage: Option<StageId>,
    /// The field of the verdict or reply, as a dotted path.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub equals: Option<serde_json::Value>,
    /// Labels, one of which every verdict of the rule in this round must have.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub labels: Vec<String>,
}

/// Hard limits of a debate. A debate that reaches one is `DEBATE_TRUNCATED`.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ceilings {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_usd: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub calls: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u64>,
}

impl Ceilings {
    /// Returns a ceiling in US dollars alone.
    pub fn from_usd(cost_usd: Option<f64>) -> Self {
        Self {
            cost_usd,
            ..Self::default()
        }
    }

    /// Returns these with those in their place that are given.
    #[must_use]
    pub fn with_overrides(self, given: Ceilings) -> Self {
        Self {
            cost_usd: given.cost_usd.or(self.cost_usd),
            calls: given.calls.or(self.calls),
            tokens: given.tokens.or(self.tokens),
        }
    }
}

/// Ceilings of a debate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CeilingKind {
    CostUsd,
    Calls,
    Tokens,
}

impl CeilingKind {
    /// Returns what it limits, in a word.
    pub fn name(self) -> &'static str {
        match self {
            CeilingKind::CostUsd => "cost",
            CeilingKind::Calls => "calls",
            CeilingKind::Tokens => "tokens",
        }
    }
}
