//! A debate or run that was worked out and not begun.

use crate::debate::CostEstimate;
use crate::engine::PreparedDebate;
use crate::engine::seats::UnlistedModel;
use crate::experiments::run::PreparedRun;
use crate::library::Game;
use std::sync::Arc;

/// Debate or run that could begin with a draft's values.
#[derive(Debug, Clone)]
pub enum ReadyPlan {
    Debate(Arc<PreparedDebate>),
    Run(Arc<PreparedRun>),
}

impl ReadyPlan {
    /// Returns the game with its settings in place.
    pub fn game(&self) -> &Game {
        match self {
            ReadyPlan::Debate(prepared) => &prepared.game,
            ReadyPlan::Run(prepared) => prepared.game(),
        }
    }

    /// Returns what it costs; `None` where the game is too large for that.
    pub fn estimate(&self) -> Option<&CostEstimate> {
        match self {
            ReadyPlan::Debate(prepared) => prepared.estimate(),
            ReadyPlan::Run(prepared) => prepared.estimate.as_ref(),
        }
    }

    /// Returns the names that their server does not list.
    pub fn unlisted(&self) -> &[UnlistedModel] {
        match self {
            ReadyPlan::Debate(prepared) => &prepared.unlisted,
            ReadyPlan::Run(prepared) => &prepared.unlisted,
        }
    }

    /// Returns what there is to say before it begins.
    pub fn notices(&self) -> &[String] {
        match self {
            ReadyPlan::Debate(prepared) => &prepared.notices,
            ReadyPlan::Run(prepared) => &prepared.notices,
        }
    }
}
