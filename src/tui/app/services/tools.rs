//! Tools: what the workbench was started with, for everything that reads, plays or writes.

use crate::engine::NoPeople;
use crate::engine::seats::{Seats, ServedModels};
use crate::experiments::{ExperimentContext, ExperimentObserver, StopSignal};
use crate::library::Library;
use crate::workspace::Desk;
use crate::workspace::memory::LazyEmbedding;
use std::path::PathBuf;
use std::sync::Arc;

/// Context of all work in the background.
#[derive(Clone)]
pub struct Tools {
    pub desk: Desk,
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
    /// Configuration, in one line.
    pub configured: String,
    /// Folder for changed built-in prompts; `None` where the user has no folder.
    pub prompt_folder: Option<PathBuf>,
    /// Folder of the workbench's own files: arrangement and drafts.
    pub own_folder: PathBuf,
}

impl Tools {
    /// Returns what experiments are performed with here: no person is asked in them.
    pub(crate) fn experiment(
        &self,
        observer: Arc<dyn ExperimentObserver>,
        stop: StopSignal,
    ) -> ExperimentContext {
        ExperimentContext {
            desk: self.desk.clone(),
            library: self.library.clone(),
            seats: Arc::clone(&self.seats),
            embedding: Arc::clone(&self.embedding),
            people: Arc::new(NoPeople),
            observer,
            stop,
            concurrency: self.concurrency,
            budget: None,
        }
    }
}
