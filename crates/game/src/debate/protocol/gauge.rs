//! Gauges of a protocol: measurements of its own debates, and the turns that fill an audit record.

use crate::debate::ids::{JudgingId, StageId};
use serde::{Deserialize, Serialize};

/// A number that a protocol derives from its structured replies or verdicts in every debate
/// (EAAPL-MAG005 §8.1).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Gauge {
    pub id: String,
    /// Name on screens and in reports.
    pub name: String,
    /// Read from the turns of this stage, or …
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stage: Option<StageId>,
    /// … from the verdicts of this rule.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judging: Option<JudgingId>,
    /// The field that is read, as a dotted path; the verdict's label when omitted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
    pub take: Take,
    /// For `take = "is"`: the value that counts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub equals: Option<serde_json::Value>,
    /// For `take = "number"` and `take = "above"`: the field whose number is taken off, as a dotted path.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub minus: Option<String>,
    /// For `take = "above"`: the bound.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub above: Option<f64>,
    /// For `take = "same_as"`: the reply whose field is compared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub same_as: Option<FieldOf>,
    /// Mean over debates below which the report says ALERT.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub alert_below: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub alert_above: Option<f64>,
    /// Single reading below which the debate is flagged for review.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flag_below: Option<f64>,
    /// Subject of the review of a flagged debate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flag: Option<String>,
    /// Requirement on readings of known cases before the protocol is used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before_use: Option<BeforeUse>,
}

/// Requirement on a gauge before its protocol is used (EAAPL-MAG005 §7.1).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BeforeUse {
    /// At least this number of known cases …
    pub cases: u32,
    /// … with a mean above this.
    pub mean_above: f64,
}

/// Derivation of a reading from a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Take {
    /// The number in the field.
    Number,
    /// The number of items of its list.
    Length,
    /// 1 where the field (or label) equals `equals`, else 0.
    Is,
    /// 1 where the number in the field is above `above`, else 0.
    Above,
    /// 1 where the field equals the field of the first turn of `same_as`, without case, space and
    /// punctuation at the ends; else 0.
    SameAs,
}

/// A field of a stage's replies.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FieldOf {
    pub stage: StageId,
    pub field: String,
}

/// Stages and rule that fill the round record of EAAPL-MAG005 §5.2.
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
