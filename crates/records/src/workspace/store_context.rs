//! Context of a person's commands on a store.
//!
//! Functions that block say so, and are called on a thread of their own.

use super::clock::Clock;
use elenchus_memory::DEFAULT_EXAMPLES;
use elenchus_store::{Journals, Layout, SyncPool};

/// Store, clock and person that a command works with; clones share the threads that sync.
#[derive(Debug, Clone)]
pub struct StoreContext {
    pub layout: Layout,
    pub fsync: SyncPool,
    pub clock: Clock,
    /// Name under which this process holds locks, shown to others.
    pub holder: String,
    /// Person at the workbench: author of their commands and of their annotations.
    pub person: String,
    /// The most examples that a guardrail is given.
    pub guardrail_examples: usize,
}

impl StoreContext {
    /// Returns the store of a folder, for a person and under a name that locks show; no thread starts
    /// before something is written.
    pub fn new(layout: Layout, holder: impl Into<String>, person: impl Into<String>) -> Self {
        Self {
            layout,
            fsync: SyncPool::default(),
            clock: Clock,
            holder: holder.into(),
            person: person.into(),
            guardrail_examples: DEFAULT_EXAMPLES,
        }
    }

    /// Returns how many examples a guardrail has in what begins now; `None` where the number is the usual one.
    pub fn recorded_examples(&self) -> Option<u32> {
        let other = Some(self.guardrail_examples).filter(|count| *count != DEFAULT_EXAMPLES);
        other.and_then(|count| u32::try_from(count).ok())
    }

    /// Returns what opens journals for writing, under this process's name.
    pub fn journals(&self) -> Journals {
        Journals::new(&self.holder, &self.fsync)
    }
}
