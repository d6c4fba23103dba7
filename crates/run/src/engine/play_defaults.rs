//! Defaults of play: what is played where a person names nothing else.

use super::seats::{
    GuardModels, Seats, ServedModels, ServerModels, models_of, unlisted_on_known_lists,
};
use super::{DebatePlan, PreparedDebate, RunContext};
use elenchus_records::library::Library;
use elenchus_records::workspace::WorkspaceError;
use std::sync::Arc;

/// What the configuration says of debates and experiments that are begun.
#[derive(Clone)]
pub struct PlayDefaults {
    pub protocol: String,
    /// Model of seats without a named one; none where it is the only one that servers list, or must be
    /// chosen.
    pub model: Option<String>,
    /// Models that servers list.
    pub served: Arc<ServedModels>,
    /// The ceiling of each session and of each experiment, in US dollars.
    pub budget_usd: Option<f64>,
    /// Calls of a pass, or debates, that may be on their way at once.
    pub concurrency: usize,
}

impl PlayDefaults {
    /// Returns the model of seats without a named one: the configured one, else the only one that a server
    /// lists.
    pub(crate) fn find_model(&self, library: &Library, servers: &[ServerModels]) -> Option<String> {
        let guards = GuardModels::read(library).unwrap_or_default();
        let only = || self.served.only_speaker(servers, &guards);
        self.model.clone().or_else(only)
    }
}

/// Prepares a debate, and holds its models against the lists of their servers that are known.
///
/// # Errors
/// As [`DebatePlan::prepare`].
pub fn prepare_debate(
    run: &RunContext,
    defaults: &PlayDefaults,
    plan: &DebatePlan,
) -> Result<PreparedDebate, WorkspaceError> {
    let (library, served) = (&run.library, &defaults.served);
    let seats: &Seats = &run.seats;
    let usual = defaults.find_model(library, &served.known_lists());
    let mut debate = plan.prepare(&run.store, library, seats, usual.as_deref())?;
    debate.unlisted_models =
        unlisted_on_known_lists(models_of(&debate.created.cast), seats, served);
    Ok(debate)
}
