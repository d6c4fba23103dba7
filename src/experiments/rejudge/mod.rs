//! Re-judging: a pass judges finished sessions again, by their own rules or by another rubric and model.
//!
//! Verdicts of a pass are in a journal of its own and point at (session, hash of the judged text). A pass
//! never changes a session.

mod plan;
mod play;
mod session_judging;

pub use plan::{PassWork, plan_pass};

use crate::debate::{JudgingId, SessionId, Target};
use crate::engine::check_budget;
use crate::engine::seats::Seats;
use crate::library::Library;
use crate::store::JournalWriter;
use crate::workspace::Desk;
use crate::workspace::WorkspaceError;
use crate::workspace::pass::{PassEvent, PassState};
use crate::workspace::resume;
use play::PassRunner;
use std::sync::Arc;
use tokio::sync::mpsc::UnboundedSender;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use super::engine::ExperimentEnd;
use crate::workspace::pass::PassRules;
use crate::workspace::pass::PassVerdict;

/// Context of a pass.
#[derive(Clone)]
pub struct PassFloor {
    pub desk: Desk,
    pub library: Library,
    pub seats: Arc<Seats>,
    /// Calls that may be on their way at once; at least one is.
    pub concurrency: usize,
}

/// Update of a pass in progress.
#[derive(Debug, Clone)]
pub enum PassUpdate {
    /// A session is judged now: how many verdicts it wants, and how many of them are there already.
    Opened {
        session: SessionId,
        verdicts: usize,
        found: usize,
    },
    /// A verdict is durable.
    Judged(Box<PassVerdict>),
    /// A verdict could not be had; going on with the pass tries it again.
    Failed {
        session: SessionId,
        judging: JudgingId,
        target: Target,
        why: String,
    },
    /// A session, or a rule of it, cannot be judged again.
    LeftOut { session: SessionId, why: String },
    /// It ended; after an error the verdicts so far are kept.
    Ended(Result<ExperimentEnd, String>),
}

/// A pass that goes on in the background, whether or not this is kept.
#[derive(Debug)]
pub struct PassHandle {
    pub pass: String,
    cancel: CancellationToken,
    task: JoinHandle<()>,
}

impl PassHandle {
    /// Stops it: nothing new is sent, calls on their way are cancelled and counted at their worst.
    pub fn cancel(&self) {
        self.cancel.cancel();
    }

    /// Waits until it is over and its journal's lock is given back.
    pub async fn ended(self) {
        // Its end was sent as an update.
        let _ = self.task.await;
    }
}

/// Begins a pass and carries it out in the background; its manifest is durable when this returns.
///
/// # Errors
/// As [`plan_pass`], and when the journal cannot be written.
pub async fn begin_pass(
    floor: PassFloor,
    sessions: Vec<SessionId>,
    rules: PassRules,
    budget_usd: Option<f64>,
    tell: UnboundedSender<PassUpdate>,
) -> Result<PassHandle, WorkspaceError> {
    let plan = plan_pass(floor, sessions, rules, budget_usd)?;
    plan.begin(tell).await
}

/// Goes on with a pass that was left: what it found already is not asked again. `budget_usd`
/// replaces its ceiling.
///
/// # Errors
/// When another process carries it out, its journal cannot be read, or its labels came with a file.
pub async fn resume_pass(
    floor: PassFloor,
    pass: &str,
    budget_usd: Option<f64>,
    tell: UnboundedSender<PassUpdate>,
) -> Result<PassHandle, WorkspaceError> {
    check_budget(budget_usd)?;
    let path = floor.desk.layout.pass(pass)?;
    let opened = resume::<PassEvent>(&floor.desk.journals(), &path)?;
    let mut state = opened.state;
    if let PassRules::Imported { .. } = state.manifest.rules {
        return Err(plan::nothing_to_do());
    }
    let resumed = PassEvent::Resumed { budget_usd };
    let at = floor.desk.clock.now();
    opened.writer.append(&at, "engine", &resumed).await?;
    state.apply(&at, &resumed);
    Ok(start(floor, opened.writer, state, tell))
}

fn start(
    floor: PassFloor,
    journal: JournalWriter<PassEvent>,
    state: PassState,
    tell: UnboundedSender<PassUpdate>,
) -> PassHandle {
    let cancel = CancellationToken::new();
    let pass = state.manifest.pass.clone();
    let going = PassRunner::new(floor, journal, state, tell, cancel.clone());
    let task = tokio::spawn(going.finish());
    PassHandle { pass, cancel, task }
}
