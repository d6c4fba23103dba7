//! Where an experiment of a plan stands in the store: it is there, it can be gone on with, or it is missing.

use elenchus_game::debate::event::Participant;
use elenchus_game::debate::{CostEstimate, RunId};
use elenchus_run::engine::seats::models_of;
use std::collections::BTreeSet;

/// A plan that was looked up.
pub(crate) struct FoundPlan {
    pub(crate) standing: PlanStanding,
    /// Models that play in it and have a price: those that a server plays.
    pub(crate) models: BTreeSet<String>,
}

/// Where an experiment of a plan stands.
pub(crate) enum PlanStanding {
    Over(Vec<RunId>),
    /// It was begun, and can be gone on with.
    Open {
        /// The run, or the sweep.
        id: String,
        runs: Vec<RunId>,
    },
    Missing {
        debates: usize,
        estimate: Option<CostEstimate>,
    },
}

/// Returns the models of a cast that a server plays: others have no price.
pub(crate) fn list_served_models(cast: &[Participant]) -> BTreeSet<String> {
    let models = models_of(cast).filter(|model| !model.simulated);
    models.map(|model| model.model.clone()).collect()
}
