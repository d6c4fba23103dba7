//! Tools of play: what debates and experiments are played with, for everything that prepares or plays them.

use super::cost::Budget;
use super::live::LiveTools;
use super::open_memory::open_memory;
use super::seats::{
    GuardModels, Seats, ServedModels, ServerModels, models_of, unlisted_on_known_lists,
};
use super::{DebatePlan, PreparedDebate};
use elenchus_records::library::Library;
use elenchus_records::workspace::memory::LazyEmbedding;
use elenchus_records::workspace::{Session, StoreContext, WorkspaceError};
use std::sync::Arc;

/// Context of all that is played in one program.
#[derive(Clone)]
pub struct RunContext {
    pub store: StoreContext,
    pub library: Library,
    pub seats: Arc<Seats>,
    /// Embedder of memory searches.
    pub embedding: Arc<LazyEmbedding>,
    /// Model of seats without a named one; none where one must be chosen.
    pub default_model: Option<String>,
    /// Models that servers list.
    pub served: Arc<ServedModels>,
    pub default_protocol: Option<String>,
    /// The ceiling of each session that is played, in US dollars.
    pub budget_usd: Option<f64>,
    /// Calls of a pass that may be on their way at once.
    pub concurrency: usize,
}

/// Returns the default model: the configured one, else the only one that a server lists.
pub(crate) fn find_usual_model(tools: &RunContext, servers: &[ServerModels]) -> Option<String> {
    let guards = GuardModels::read(&tools.library).unwrap_or_default();
    let only = || tools.served.only_speaker(servers, &guards);
    tools.default_model.clone().or_else(only)
}

/// Prepares a debate, and holds its models against the lists of their servers that are known.
///
/// # Errors
/// As [`DebatePlan::prepare`].
pub fn prepare_debate(
    tools: &RunContext,
    plan: &DebatePlan,
) -> Result<PreparedDebate, WorkspaceError> {
    let usual = find_usual_model(tools, &tools.served.known_lists());
    let RunContext {
        store,
        library,
        seats,
        served,
        ..
    } = tools;
    let result = plan.prepare(store, library, seats, usual.as_deref());
    let mut debate = result?;
    debate.unlisted_models =
        unlisted_on_known_lists(models_of(&debate.created.cast), seats, served);
    Ok(debate)
}

/// Returns what a session is played with, under the ceiling of each.
///
/// # Errors
/// When its memory cannot be read.
pub fn open_live_tools(tools: &RunContext, session: &Session) -> Result<LiveTools, WorkspaceError> {
    let (layout, fsync) = (&tools.store.layout, &tools.store.fsync);
    let book = open_memory(session, layout, fsync, &tools.embedding);
    let book = book?;
    let spent_usd = session.state.committed_usd();
    Ok(LiveTools {
        seats: Arc::clone(&tools.seats),
        budget: Arc::new(Budget::new(tools.budget_usd, spent_usd)),
        memory: book,
        clock: tools.store.clock,
        person: tools.store.person.clone(),
    })
}
