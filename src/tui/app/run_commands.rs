//! Commands and events of runs, and of other experiments that the workbench goes on with.

use elenchus_annotation::queue::RunSample;
use elenchus_game::debate::RunId;
use elenchus_records::workspace::WorkspaceError;
use elenchus_records::workspace::rows::{FirstLook, LookedAt};
use elenchus_run::experiments::{BackgroundEvent, BackgroundTask};
use std::sync::Arc;

/// Command on a run; answered with a [`RunEvent`].
#[derive(Debug, Clone)]
pub enum RunCommand {
    /// Play it in the background: `Played`, with what happens.
    Play(BackgroundTask),
    /// Send nothing more; what was sent arrives.
    Pause,
    /// Finds the turn of a run, or of a session, to open first: `FirstOf`.
    FirstOf(LookedAt),
    /// Take the queue of a run, or draw it: `Sampled`.
    Sample(RunId),
}

/// Result of a run command.
#[derive(Debug, Clone)]
pub enum RunEvent {
    Played(BackgroundEvent),
    /// Its first unsafe turn, else its first debate.
    FirstOf(Result<FirstLook, WorkspaceError>),
    Sampled(Result<Arc<RunSample>, WorkspaceError>),
}
