//! Runs that the workbench plays, and runs that are looked at: what is asked for, what came of it.

use super::deed::Ticket;
use crate::debate::{RunId, SessionId, TurnId};
use crate::driver::desk::{PreparedRun, RunPlan, SampleOfRun};
use std::sync::Arc;

/// Something to be done with a run; answered with [`Told::Run`](super::Told::Run).
#[derive(Debug, Clone)]
pub enum RunDeed {
    /// A run that could begin, with what it costs: `Prepared`, with the same ticket.
    Prepare(Ticket, Box<RunPlan>),
    /// Begin a run and play it: `Began`, then `Went` as it goes on, then `Ended`.
    Begin(Box<RunPlan>),
    /// Send nothing more; what was sent arrives.
    Pause,
    /// Go on with a run that was left: answered as `Begin`.
    Resume(RunId),
    /// Where a run is looked at first: `FirstOf`.
    FirstOf(RunId),
    /// Take the queue of a run, or draw it: `Sampled`.
    Sample(RunId),
}

/// What came of something that was done with a run.
#[derive(Debug, Clone)]
pub enum RunTold {
    Prepared(Ticket, Result<Arc<PreparedRun>, String>),
    /// Its plan is durable, and its first debates begin.
    Began(Result<RunId, String>),
    /// How far it is, in words.
    Went(String),
    /// Something that a person should know is done otherwise than usual.
    Noticed(String),
    /// Sessions were begun since the list was read.
    ListIsOld,
    Ended(Arc<RunOver>),
    /// Its first unsafe turn, else its first debate.
    FirstOf(Result<(SessionId, Option<TurnId>), String>),
    Sampled(Result<Arc<SampleOfRun>, String>),
}

/// A run as it was left.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunOver {
    pub run: RunId,
    pub done: usize,
    pub failed: usize,
    pub debates: usize,
    pub how: RunLeft,
    /// What it found first, and the same without its interval, where it found anything.
    pub found: Option<(String, String)>,
    pub unsafe_turn: UnsafeTurn,
}

/// How a run was left.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RunLeft {
    Completed,
    /// Every debate was tried; why the first of those failed that did.
    WithFailures(String),
    Paused(String),
}

/// Whether a run has an unsafe turn to look at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnsafeTurn {
    There,
    None,
}
