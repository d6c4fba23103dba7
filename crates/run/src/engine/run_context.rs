//! Context of everything that is played, one debate or many: where it is kept, what is played and by whom.

use super::seats::Seats;
use super::training_settings::TrainingSettings;
use elenchus_records::library::Library;
use elenchus_records::workspace::StoreContext;
use elenchus_records::workspace::memory::LazyEmbedding;
use std::sync::Arc;

/// What debates and experiments are played with, whatever command plays them.
#[derive(Clone)]
pub struct RunContext {
    pub store: StoreContext,
    pub library: Library,
    pub seats: Arc<Seats>,
    /// What memory is searched with; looked for when it is needed.
    pub embedding: Arc<LazyEmbedding>,
    /// What adapters are trained with.
    pub training: Arc<TrainingSettings>,
}

impl RunContext {
    /// Returns the same with models that are never asked without a token limit: under a ceiling on tokens
    /// such a reply might pass it.
    #[must_use]
    pub fn with_token_limits(&self) -> Self {
        Self {
            seats: Arc::new(self.seats.holding_limits()),
            ..self.clone()
        }
    }
}
