//! Judging finished sessions again, by their own rules or by a rubric and model of one's choice.
//!
//! What a pass finds lies in a journal of its own and points at (session, hash of what was judged);
//! no session is ever changed by one.

mod bench;
mod event;
mod imported;
mod plan;
mod play;
mod rules;
mod verdict;

use super::super::error::DriverError;
use super::super::library::Library;
use super::super::seats::Seats;
use super::super::setting_out::check_budget;
use super::super::shelf;
use super::Desk;
use crate::debate::{JudgingId, SessionId, Target};
use crate::store::{JournalWriter, Layout, read_journal};
use event::{PassEvent, PassState, fold};
use play::Going;
use std::path::Path;
use std::sync::Arc;
use tokio::sync::mpsc::UnboundedSender;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

pub(in super::super) use imported::{ImportedPass, ImportedVerdict};
pub use plan::{PassPlan, PassWork, plan_pass};
pub use rules::{BroughtRubric, Evaluator, PassManifest, PassMember, PassRules};
pub use verdict::{MemberFinding, PassVerdict};

/// The format of pass journals that this version writes.
const FORMAT: u32 = 1;

/// What a pass is carried out with.
#[derive(Clone)]
pub struct PassFloor {
    pub desk: Desk,
    pub library: Library,
    pub seats: Arc<Seats>,
    /// Calls that may be on their way at once; at least one is.
    pub concurrency: usize,
}

/// What a pass tells while it goes on.
#[derive(Debug, Clone)]
pub enum PassTiding {
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
    /// It is over; an error has stopped it and what was found is kept.
    Ended(Result<PassEnd, String>),
}

/// How a pass was left.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PassEnd {
    Completed,
    /// Everything was tried; so many sessions or verdicts are missing.
    WithFailures(usize),
    /// The ceiling was reached or somebody stopped it.
    Paused(String),
}

/// A pass as its journal has it.
#[derive(Debug, Clone)]
pub struct Pass {
    pub manifest: PassManifest,
    pub verdicts: Vec<PassVerdict>,
    /// The most it may have cost, calls without a known outcome at their worst.
    pub committed_usd: f64,
    /// Verdicts of models without prices: what they cost is unknown.
    pub unpriced_calls: u64,
    /// `None` while it goes on, and after its process was killed.
    pub end: Option<PassStanding>,
}

/// How a pass was left last.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PassStanding {
    Completed,
    /// It can be resumed.
    Paused(String),
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
        // However it ended, it was told.
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
    tell: UnboundedSender<PassTiding>,
) -> Result<PassHandle, DriverError> {
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
    tell: UnboundedSender<PassTiding>,
) -> Result<PassHandle, DriverError> {
    check_budget(budget_usd)?;
    let path = floor.desk.layout.pass(pass)?;
    let opened = JournalWriter::open(&path, &floor.desk.holder, &floor.desk.fsync)?;
    let mut state = fold(&path, opened.lines)?;
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
    tell: UnboundedSender<PassTiding>,
) -> PassHandle {
    let cancel = CancellationToken::new();
    let pass = state.manifest.pass.clone();
    let going = Going::new(floor, journal, state, tell, cancel.clone());
    let task = tokio::spawn(going.finish());
    PassHandle { pass, cancel, task }
}

/// Reads every pass of a store, the newest first; those that cannot be read come as their errors.
/// Blocks while it reads.
///
/// # Errors
/// When the folder of passes cannot be listed.
pub fn passes(layout: &Layout) -> Result<Vec<Result<Pass, DriverError>>, DriverError> {
    let ids = layout.passes()?.into_iter().rev();
    Ok(ids.map(|id| read_pass(layout, &id)).collect())
}

/// Finds the pass that an id, its beginning or its end, names, and reads it. Blocks while it reads.
///
/// # Errors
/// When none or several do, or its journal cannot be read.
pub fn find_pass(layout: &Layout, text: &str) -> Result<Pass, DriverError> {
    let id = shelf::find(layout.passes()?, text, "pass", "elenchus judge list")?;
    read_pass(layout, &id)
}

fn read_pass(layout: &Layout, id: &str) -> Result<Pass, DriverError> {
    read_pass_journal(&layout.pass(id)?)
}

/// Reads the journal of a pass, wherever it is. Blocks while it reads.
///
/// # Errors
/// When it cannot be read.
pub fn read_pass_journal(path: &Path) -> Result<Pass, DriverError> {
    let state = fold(path, read_journal(path)?.lines)?;
    Ok(Pass {
        verdicts: state.verdicts(),
        committed_usd: state.committed_usd(),
        unpriced_calls: state.unpriced_calls(),
        end: match (state.completed, state.paused) {
            (true, _) => Some(PassStanding::Completed),
            (false, Some(why)) => Some(PassStanding::Paused(why)),
            (false, None) => None,
        },
        manifest: state.manifest,
    })
}

/// Returns what passes found about a session, the latest pass last. Passes that cannot be read are
/// left out: [`passes`] names them. Blocks while it reads.
///
/// # Errors
/// When the folder of passes cannot be listed.
pub fn read_passes(layout: &Layout, session: &SessionId) -> Result<Vec<PassVerdict>, DriverError> {
    let read = passes(layout)?.into_iter().rev();
    let verdicts = read.flatten().flat_map(|pass| pass.verdicts);
    Ok(verdicts
        .filter(|verdict| &verdict.session == session)
        .collect())
}
