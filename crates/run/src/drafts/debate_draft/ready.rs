//! A debate or run that was worked out and not begun.

use super::DebateDraft;
use crate::engine::seats::UnlistedModel;
use crate::engine::{PlayDefaults, PreparedDebate, RunContext, prepare_debate};
use crate::experiments::prepare_run;
use crate::experiments::run::PreparedRun;
use elenchus_game::debate::{CostEstimate, Protocol};
use elenchus_records::library::Game;
use elenchus_records::workspace::WorkspaceError;
use std::sync::Arc;

/// Debate or run that could begin with a draft's values.
#[derive(Debug, Clone)]
pub enum ReadyPlan {
    Debate(Arc<PreparedDebate>),
    Run(Arc<PreparedRun>),
}

/// Question for the cost of what a draft sets out.
#[derive(Debug, Clone)]
pub struct CostQuestion {
    pub draft: DebateDraft,
    /// The game with its usual settings.
    pub game: Arc<Protocol>,
    pub default_model: Option<String>,
}

impl CostQuestion {
    /// Works out the debate or the run of the draft, with its cost. A setting may change how many chairs there
    /// are, so the game is read with the settings of the draft first. Blocks.
    ///
    /// # Errors
    /// Says why it cannot be played.
    pub fn answer(
        &self,
        run: &RunContext,
        defaults: &PlayDefaults,
    ) -> Result<ReadyPlan, WorkspaceError> {
        let (draft, game) = (&self.draft, &self.game);
        let set = run
            .library
            .load_game(&draft.game, &draft.parse_settings(game));
        let set = set.map_or_else(|_| game.as_ref().clone(), |game| game.protocol);
        let plan = draft.build_plan(&set, self.default_model.as_deref());
        match draft.run_plan(plan.clone()) {
            Some(many) => match prepare_run(run, defaults, many) {
                Ok(made) => Ok(ReadyPlan::Run(Arc::new(made))),
                Err(error) => Err(error),
            },
            None => {
                let debate = prepare_debate(run, defaults, &plan)?;
                Ok(ReadyPlan::Debate(Arc::new(debate)))
            }
        }
    }
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
    pub fn cost_estimate(&self) -> Option<&CostEstimate> {
        match self {
            ReadyPlan::Debate(prepared) => prepared.cost_estimate(),
            ReadyPlan::Run(prepared) => prepared.estimate.as_ref(),
        }
    }

    /// Returns the names that their server does not list.
    pub fn unlisted_models(&self) -> &[UnlistedModel] {
        match self {
            ReadyPlan::Debate(prepared) => &prepared.unlisted_models,
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
