//! What a game measures about its own debates, and which of its turns fill an audit record.

use crate::debate::ids::{JudgingId, StageId};
use serde::{Deserialize, Serialize};

/// A number that a game reads off its structured replies or verdicts in every debate
/// (EAAPL-MAG005 §8.1).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Gauge {
    pub id: String,
    /// What people read.
    pub name: String,
    /// Read off the turns of this stage, or …
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stage: Option<StageId>,
    /// … off the verdicts of this rule.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judging: Option<JudgingId>,
    /// The field that is read, as a dotted path; the verdict's label when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
    pub take: Take,
    /// For `take = "is"`: the value that counts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub equals: Option<serde_json::Value>,
    /// For `take = "same_as"`: the reply whose field is compared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub same_as: Option<FieldOf>,
    /// The mean over debates below which the report says ALERT.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub alert_below: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub alert_above: Option<f64>,
    /// A single reading below this flags the debate for review.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flag_below: Option<f64>,
    /// What is to be reviewed in a flagged debate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flag: Option<String>,
    /// What readings on known cases must come to before the game is used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before_use: Option<BeforeUse>,
}

/// What is asked of a gauge before its game is used (EAAPL-MAG005 §7.1).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BeforeUse {
    /// At least so many known cases …
    pub cases: u32,
    /// … with a mean above this.
    pub mean_above: f64,
}

/// What a gauge takes of a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Take {
    /// The number in the field.
    Number,
    /// How many items its list has.
    Length,
    /// 1 where the field (or label) equals `equals`, 0 where not.
    Is,
    /// 1 where the field says the same as the field of the first turn of `same_as`: equal after
    /// case, space and punctuation at the ends are taken away.
    SameAs,
}

/// A field of a stage's replies.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FieldOf {
    pub stage: StageId,
    pub field: String,
}

/// Which stages and which rule fill the round record of EAAPL-MAG005 §5.2.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecordRoles {
    pub proposer: StageId,
    pub critic: StageId,
    pub rebuttal: StageId,
    pub moderator: JudgingId,
    /// The rule that checks citations.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub citations: Option<JudgingId>,
}
