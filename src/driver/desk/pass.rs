//! Judging finished sessions again, by their own rules or by another rubric or model.
//!
//! What a pass finds lies in a journal of its own and points at (session, hash of what was judged);
//! no session is ever changed by one.

use super::super::budget::Budget;
use super::super::error::DriverError;
use super::super::library::Library;
use super::super::seats::Seats;
use super::Desk;
use crate::debate::event::Outcome;
use crate::debate::{JudgingId, SessionId, ShownOrder, Spend, Target};
use crate::store::Hash;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use tokio::sync::mpsc::UnboundedSender;
use tokio_util::sync::CancellationToken;

/// By which rules a pass judges.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum PassRules {
    /// Each session's own rules that ask a judge or evaluator.
    Own {
        /// Who judges instead of whoever sat there, by the name in the configuration.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        model: Option<String>,
    },
    /// A rubric of the library, in place of the rubrics of each session's own rules; on single turns
    /// where a session has none.
    Rubric { rubric: String, model: String },
}

/// What a pass was asked for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PassManifest {
    pub format: u32,
    pub pass: String,
    /// The program and version that wrote this.
    pub software: String,
    pub rules: PassRules,
    /// Name and text of the rubric and of its template, where the pass brings one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rubric_text: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub template: Option<String>,
    pub sessions: Vec<SessionId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub budget_usd: Option<f64>,
}

/// A verdict that a pass found.
#[derive(Debug, Clone, PartialEq)]
pub struct PassVerdict {
    pub pass: String,
    pub at: String,
    pub session: SessionId,
    pub judging: JudgingId,
    pub target: Target,
    /// What was judged; the same in every fork that holds it.
    pub sha256: Hash,
    /// Which of the judge's chairs.
    pub chair: u32,
    pub order: ShownOrder,
    pub rubric: String,
    /// The judge's model, by the name in the configuration.
    pub model: String,
    pub outcome: Outcome,
}

/// What a pass is carried out with.
#[derive(Clone)]
pub struct PassFloor {
    pub desk: Desk,
    pub library: Library,
    pub seats: Arc<Seats>,
    pub budget: Arc<Budget>,
    /// Calls that may be on their way at once; at least one is.
    pub concurrency: usize,
}

/// What a pass tells while it goes on.
#[derive(Debug, Clone)]
pub enum PassTiding {
    /// How many verdicts it wants in all, and how many an earlier part of it has found.
    Planned { verdicts: usize, found: usize },
    /// A verdict is durable.
    Judged(Box<PassVerdict>),
    /// A call failed; resuming the pass tries it again.
    Failed {
        session: SessionId,
        judging: JudgingId,
        target: Target,
        why: String,
    },
    /// A session could not be judged at all.
    LeftOut { session: SessionId, why: String },
    /// It is over.
    Ended(Result<PassEnd, String>),
}

/// How a pass was left.
#[derive(Debug, Clone, PartialEq)]
pub enum PassEnd {
    Completed,
    /// Everything was tried; so many verdicts are missing.
    WithFailures(usize),
    /// The ceiling was reached or somebody stopped it: it can be resumed.
    Paused(String),
}

/// A pass with its journal's lock, ready to be carried out.
#[derive(Debug)]
pub struct Pass {
    pub manifest: PassManifest,
    /// What it found so far.
    pub verdicts: Vec<PassVerdict>,
    pub spend: Spend,
}

/// A pass that goes on in the background. Dropping it lets the pass go on.
#[derive(Debug)]
pub struct PassHandle {
    pub pass: String,
    cancel: CancellationToken,
}

impl PassHandle {
    /// Stops it: nothing new is sent, calls on their way are cancelled and counted at their worst.
    pub fn cancel(&self) {
        self.cancel.cancel();
    }
}

/// Begins a pass and carries it out in the background; its manifest is durable when this returns.
///
/// # Errors
/// When a session, the rubric or the model does not exist, or the journal cannot be written.
pub async fn begin_pass(
    floor: PassFloor,
    sessions: Vec<SessionId>,
    rules: PassRules,
    tell: UnboundedSender<PassTiding>,
) -> Result<PassHandle, DriverError> {
    let _ = (floor, sessions, rules, tell);
    todo!()
}

/// Goes on with a pass that was left: what it found already is not asked again.
///
/// # Errors
/// When another process carries it out, or its journal cannot be read.
pub async fn resume_pass(
    floor: PassFloor,
    pass: &str,
    tell: UnboundedSender<PassTiding>,
) -> Result<PassHandle, DriverError> {
    let _ = (floor, pass, tell);
    todo!()
}

/// Reads every pass of a store, the newest first; those that cannot be read come as their errors.
///
/// # Errors
/// When the folder of passes cannot be listed.
pub fn passes(
    layout: &crate::store::Layout,
) -> Result<Vec<Result<Pass, DriverError>>, DriverError> {
    let _ = layout;
    todo!()
}

/// Returns what passes found about a session, the latest pass last. Passes that cannot be read are
/// left out.
///
/// # Errors
/// When the folder of passes cannot be listed.
pub fn read_passes(
    layout: &crate::store::Layout,
    session: &SessionId,
) -> Result<Vec<PassVerdict>, DriverError> {
    let _ = (layout, session);
    todo!()
}
