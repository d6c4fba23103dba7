//! Tools: what the workbench was started with, for everything that reads, plays or writes.

use elenchus_run::engine::RunContext;
use std::ops::{Deref, DerefMut};
use std::path::PathBuf;

/// Context of all work in the background: the tools of play, and what the workbench alone needs.
#[derive(Clone)]
pub struct Tools {
    pub play: RunContext,
    /// Configuration, in one line.
    pub configured: String,
    /// Folder for changed built-in prompts; `None` where the user has no folder.
    pub prompt_folder: Option<PathBuf>,
    /// Folder of the workbench's own files: arrangement and drafts.
    pub own_folder: PathBuf,
}

impl Deref for Tools {
    type Target = RunContext;

    fn deref(&self) -> &RunContext {
        &self.play
    }
}

impl DerefMut for Tools {
    fn deref_mut(&mut self) -> &mut RunContext {
        &mut self.play
    }
}
