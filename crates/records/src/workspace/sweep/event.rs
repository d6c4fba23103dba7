//! Events of a sweep's journal.

use crate::workspace::RepeatKey;
use crate::workspace::experiment::BudgetFields;
use crate::workspace::run::DatasetPlace;
use elenchus_game::debate::RunId;
use elenchus_game::debate::event::MemoryLookup;
use elenchus_game::debate::protocol::Ceilings;
use serde::{Deserialize, Serialize};

/// The format of sweep journals that this version writes.
pub const SWEEP_FORMAT: u32 = 1;

/// One fact about a sweep.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum SweepEvent {
    Begun(Box<SweepManifest>),
    /// The runs of all points have begun: nothing depends on the plan's files any more.
    Planned {},
    /// Every debate of a point is over.
    Finished {
        /// Counts from 0.
        point: u32,
        run: RunId,
        /// What its debates used at most.
        committed_usd: f64,
        committed_calls: u64,
        committed_tokens: u64,
        /// Whether all models have prices; journals of earlier versions do not say.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        priced: Option<bool>,
    },
    /// Every debate of a point was tried, and some failed; going on tries those again.
    Failed {
        point: u32,
        run: RunId,
        /// Debates that are missing, and why the first one is.
        debates: u64,
        why: String,
    },
    /// The sweep stopped before its end and can be resumed.
    Paused {
        why: String,
    },
    Resumed {
        /// Replace the ceilings from here on.
        #[serde(flatten, with = "BudgetFields")]
        ceilings: Ceilings,
    },
    Completed {},
}

/// Plan of a sweep, fixed when it begins.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SweepManifest {
    pub format: u32,
    pub sweep: String,
    pub software: String,
    /// Name of the plan's file, and its text.
    pub file: String,
    pub text: String,
    pub dataset: DatasetPlace,
    pub seeds: Vec<u64>,
    /// Ceilings of all points together.
    #[serde(flatten, with = "BudgetFields")]
    pub ceilings: Ceilings,
    /// The moment at which all points read a named memory, where the plan says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub snapshot: Option<String>,
    /// How arms look memory up; `None` where none does, and in sweeps of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lookup: Option<MemoryLookup>,
    /// The most examples of a guardrail; `None`: eight, as in sweeps of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub guard_examples: Option<u32>,
    pub arms: Vec<SweepArm>,
    /// In the order in which they are played.
    pub points: Vec<SweepPoint>,
    /// Key under which it was begun, where it was under one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repeat: Option<Box<RepeatKey>>,
}

/// Conditions of a sweep that differ from those of its other arms.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SweepArm {
    /// Says what differs.
    pub name: String,
    /// Hash of everything that its debates are played with.
    pub sha256: String,
}

/// An arm with a seed: one run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SweepPoint {
    /// Counts from 0.
    pub arm: u32,
    pub seed: u64,
    pub run: RunId,
}

impl SweepManifest {
    /// Returns the name of a point's arm.
    pub fn arm_of(&self, point: &SweepPoint) -> &str {
        let arm = self.arms.get(point.arm as usize);
        arm.map_or("?", |arm| arm.name.as_str())
    }

    /// Returns a point's name: its arm and its seed.
    pub fn name_of(&self, point: &SweepPoint) -> String {
        format!("{}, seed {}", self.arm_of(point), point.seed)
    }
}
