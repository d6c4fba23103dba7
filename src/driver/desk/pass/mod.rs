//! Judging finished sessions again, by their own rules or by a rubric and model of one's choice.
//!
//! What a pass finds lies in a journal of its own and points at (session, hash of what was judged);
//! no session is ever changed by one.

mod bench;
mod event;
mod play;

use super::super::cast::HUMAN;
use super::super::error::{CastError, DriverError};
use super::super::library::Library;
use super::super::seats::Seats;
use super::super::setting_out::{Ceiling, check_budget, make_ready, software};
use super::Desk;
use crate::debate::event::{ModelPlayer, Outcome, Participant, Player};
use crate::debate::{Chair, JudgingId, SeatId, SessionId, ShownOrder, Target};
use crate::store::{Hash, JournalWriter, Layout, read_journal};
use event::{PassEvent, PassState, fold};
use play::Going;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use tokio::sync::mpsc::UnboundedSender;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

/// The format of pass journals that this version writes.
const FORMAT: u32 = 1;

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
    /// A rubric of the library, on every turn that the session's own rules on single turns judge;
    /// where it has none, on everything that was said in public.
    Rubric { rubric: String, model: String },
}

/// What a pass was asked for, with everything needed to go on when files have changed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PassManifest {
    pub format: u32,
    pub pass: String,
    /// The program and version that wrote this.
    pub software: String,
    pub rules: PassRules,
    /// The texts of the rubric, where the pass brings one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub brought: Option<BroughtRubric>,
    /// Who judges, where the pass names somebody.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judge: Option<ModelPlayer>,
    pub sessions: Vec<SessionId>,
    /// A ceiling that pauses it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub budget_usd: Option<f64>,
}

/// A rubric of the library as it was when the pass began.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BroughtRubric {
    pub rubric: String,
    pub template: String,
}

/// A verdict that a pass found.
#[derive(Debug, Clone, PartialEq)]
pub struct PassVerdict {
    pub pass: String,
    /// RFC 3339, UTC.
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
    /// `None` when the model has no prices.
    pub cost_usd: Option<f64>,
}

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
/// When a session, the rubric or the model does not exist, the model cannot be called or has no
/// price under a ceiling, or the journal cannot be written.
pub async fn begin_pass(
    floor: PassFloor,
    sessions: Vec<SessionId>,
    rules: PassRules,
    budget_usd: Option<f64>,
    tell: UnboundedSender<PassTiding>,
) -> Result<PassHandle, DriverError> {
    check_budget(budget_usd)?;
    if sessions.is_empty() {
        return Err(DriverError::Invalid(
            "there is no session to judge again; choose at least one".to_owned(),
        ));
    }
    let layout = &floor.desk.layout;
    for session in &sessions {
        if !layout.session(session.as_str())?.exists() {
            return Err(DriverError::NoSuch {
                what: "session",
                id: session.to_string(),
                list: "elenchus ls",
            });
        }
    }
    let (model, brought) = match &rules {
        PassRules::Own { model } => (model.as_deref(), None),
        PassRules::Rubric { rubric, model } => {
            let (rubric, template) = floor.library.rubric(rubric)?;
            (
                Some(model.as_str()),
                Some(BroughtRubric { rubric, template }),
            )
        }
    };
    let judge = model.map(|model| judge(model, &floor.seats, budget_usd));
    let manifest = PassManifest {
        format: FORMAT,
        pass: floor.desk.clock.fresh_id(),
        software: software(),
        rules,
        brought,
        judge: judge.transpose()?,
        sessions,
        budget_usd,
    };
    layout.create()?;
    let path = layout.pass(&manifest.pass)?;
    let journal = JournalWriter::create(&path, &floor.desk.holder, &floor.desk.fsync)?;
    let begun = PassEvent::Begun(Box::new(manifest.clone()));
    let at = floor.desk.clock.now();
    journal.append(&at, "engine", &begun).await?;
    Ok(start(floor, journal, PassState::begin(manifest), tell))
}

/// Goes on with a pass that was left: what it found already is not asked again. `budget_usd`
/// replaces its ceiling.
///
/// # Errors
/// When another process carries it out, or its journal cannot be read.
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
    let task = tokio::spawn(going.to_its_end());
    PassHandle { pass, cancel, task }
}

/// Finds out before anything is paid for whether a model can judge.
fn judge(model: &str, seats: &Seats, budget_usd: Option<f64>) -> Result<ModelPlayer, DriverError> {
    if model == HUMAN || model.starts_with("human:") {
        return Err(CastError::Model {
            model: model.to_owned(),
            why: "a pass asks models alone; people judge in the debate, or label".to_owned(),
        }
        .into());
    }
    let chair = Chair {
        seat: SeatId::new("judge"),
        index: 0,
    };
    let player = seats.player(model, &chair)?;
    let participant = Participant {
        chair,
        player: Player::Model(player.clone()),
        persona: None,
    };
    let ceiling = match budget_usd {
        Some(_) => Ceiling::Set,
        None => Ceiling::None,
    };
    make_ready(&[participant], seats, ceiling)?;
    Ok(player)
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

fn read_pass(layout: &Layout, id: &str) -> Result<Pass, DriverError> {
    let path = layout.pass(id)?;
    let state = fold(&path, read_journal(&path)?.lines)?;
    Ok(Pass {
        verdicts: state.verdicts().collect(),
        committed_usd: state.committed_usd(),
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
