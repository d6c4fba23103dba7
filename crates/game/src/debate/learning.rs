//! Learning settings of a run: how its debates learn from earlier ones while it runs.

use super::ids::{Chair, JudgingId, SessionId};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

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
    /// What lessons are written from that is not their debate's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub placebo: Option<Placebo>,
}

/// What is exchanged between the debates of a batch before their lessons are written: lessons that help all
/// the same help for another reason.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[derive(strum::EnumString, strum::IntoStaticStr, strum::VariantNames)]
#[strum(serialize_all = "snake_case")]
pub enum Placebo {
    /// Decisions and rewards.
    Rewards,
}

impl Placebo {
    /// Reads a name of the command line.
    ///
    /// # Errors
    /// When there is no such placebo; it says which there is.
    pub fn from_name(name: &str) -> Result<Self, String> {
        name.parse().map_err(|_| {
            let names = <Self as strum::VariantNames>::VARIANTS;
            format!("there is no such placebo; known is {}", names.join(" and "))
        })
    }

    /// Returns the name on the command line and in an arm.
    pub fn name(self) -> &'static str {
        self.into()
    }
}

/// A debate's decisions and what they paid, as the author of a lesson is shown them.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct PaidDecisions {
    /// The label that each rule which pays gave; `None` where there is no finding, or it could not be read.
    pub labels: BTreeMap<JudgingId, Option<String>>,
    /// The reward of each chair that has one.
    pub rewards: Vec<(Chair, f64)>,
}

/// The decisions of another debate of the batch, which lessons are written from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SwappedRewards {
    /// The debate that they are of.
    pub from: SessionId,
    pub paid: PaidDecisions,
}
