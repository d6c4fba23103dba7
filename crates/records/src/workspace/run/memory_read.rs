//! Long-term memory that a run reads, as its manifest states it.

use crate::workspace::memory::MemoryState;
use serde::{Deserialize, Serialize};

/// Memory that a run reads: stated when it begins, the same to its end (FIGURES 9).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MemoryRead {
    /// The retriever's name, which holds that of the embedder.
    pub retriever: String,
    /// State of memory before the run taught anything.
    pub state: MemoryState,
}
