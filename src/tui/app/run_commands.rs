//! Commands and events of runs, and of other experiments that the workbench goes on with.

use crate::annotation::queue::RunSample;
use crate::debate::protocol::Ceilings;
use crate::debate::{RunId, SessionId, TurnId};
use crate::experiments::ListedExperiment;
use crate::experiments::run::RunPlan;
use std::sync::Arc;

/// Command on a run; answered with a [`RunEvent`].
#[derive(Debug, Clone)]
pub enum RunCommand {
    /// Begin a run and play it: `Began`, then `Went` as it goes on, then `Ended`.
    Begin(Box<RunPlan>),
    /// Send nothing more; what was sent arrives.
    Pause,
    /// Go on with a run that was left, under ceilings that replace its own where they are given: answered as
    /// `Begin`.
    Resume(RunId, Ceilings),
    /// Go on with an experiment that is no run: answered with `Went` as it goes on, then `Left`.
    GoOn(Box<ListedExperiment>, Ceilings),
    /// Finds the turn of a run to open first: `FirstOf`.
    FirstOf(RunId),
    /// Take the queue of a run, or draw it: `Sampled`.
    Sample(RunId),
}

/// Result of a run command.
#[derive(Debug, Clone)]
pub enum RunEvent {
    /// Its plan is durable, and its first debates begin.
    Began(Result<RunId, String>),
    /// Progress, in words.
    Went(String),
    /// Something that a person should know is done otherwise than usual.
    Noticed(String),
    Ended(Arc<RunOver>),
    /// An experiment that is no run has come to its end, or could not go on; in words.
    Left(Result<String, String>),
    /// Its first unsafe turn, else its first debate.
    FirstOf(Result<(SessionId, Option<TurnId>), String>),
    Sampled(Result<Arc<RunSample>, String>),
}

/// A run as it was left.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunOver {
    pub run: RunId,
    pub done: usize,
    pub failed: usize,
    pub debates: usize,
    pub how: RunLeft,
    /// First finding, with and without its interval, if there is one.
    pub found: Option<(String, String)>,
    pub unsafe_turn: UnsafeTurn,
}

/// State in which a run was left.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RunLeft {
    Completed,
    /// Every debate was tried; why the first of those failed that did.
    WithFailures(String),
    Paused(String),
}

/// Existence of an unsafe turn in a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnsafeTurn {
    There,
    None,
}
