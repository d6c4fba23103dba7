//! Exit codes of commands.

use elenchus_run::experiments::ExperimentEnd;
use std::process::ExitCode;

/// The exit codes, as docs/formats-and-store.md documents them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    Fine,
    /// Some debates failed, or some lines of a file were not imported, listed with their reasons.
    SomeFailed,
    /// Stopped or paused before the end; it can be resumed.
    Unfinished,
    /// `verify` found something broken.
    Broken,
    /// `gate --exit-code`: the question is not worth a debate.
    NoDebate,
}

/// The command could not be done.
pub const FAILURE: u8 = 1;

/// A command that either is done or fails.
impl From<()> for Exit {
    fn from((): ()) -> Self {
        Exit::Fine
    }
}

impl From<&ExperimentEnd> for Exit {
    fn from(end: &ExperimentEnd) -> Self {
        match end {
            ExperimentEnd::Completed => Exit::Fine,
            ExperimentEnd::WithFailures(_) => Exit::SomeFailed,
            ExperimentEnd::Paused { .. } => Exit::Unfinished,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        ExitCode::from(match exit {
            Exit::Fine => 0,
            Exit::SomeFailed => 3,
            Exit::Unfinished => 4,
            Exit::Broken => 5,
            Exit::NoDebate => 10,
        })
    }
}
