//! Learning settings of a run: how its debates learn from earlier ones while it runs.

use serde::{Deserialize, Serialize};

/// Learning settings that make debates of different runs incomparable. Sessions of earlier versions
/// have none.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Learning {
    /// Batch size in debates: a batch reads only entries of earlier batches (FIGURES 9).
    pub batch: u32,
    /// Share of topics whose debates write memory; the others only read it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub split: Option<f64>,
    /// Highest over-refusal rate at which proposed guardrails are accepted between batches.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub accepts_up_to: Option<f64>,
}
