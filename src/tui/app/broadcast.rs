//! Broadcast: what concerns all screens, the one type of message that several of them match.

use super::run_commands::RunEvent;
use elenchus_game::debate::SessionId;
use elenchus_run::engine::live::LiveEvent;
use std::sync::Arc;

/// Event delivered to every screen. Everything about a session in it is durable.
#[derive(Debug, Clone)]
pub enum Broadcast {
    /// Something happened in a session that this process plays.
    Live(SessionId, Arc<LiveEvent>),
    /// Progress of the run that is played here, or of another experiment.
    Run(RunEvent),
    /// Labels are given under this name from now on.
    Annotator(String, NameOf),
}

/// Whose name it is that labels are given under.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NameOf {
    /// Of who sits here, who was asked for it: it is kept.
    User,
    /// Of somebody else, who labels here until the workbench is left.
    Annotator,
}
