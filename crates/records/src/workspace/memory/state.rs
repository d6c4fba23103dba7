//! State of long-term memory: a set of entries with a hash, so that two can be compared.

use elenchus_memory::MemoryEntry;
use elenchus_store::Hash;
use serde::{Deserialize, Serialize};

/// A set of entries with their texts, named so that it can be compared.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MemoryState {
    pub entries: u64,
    /// Of the ids in their order, each with its revision and the SHA-256 of its text.
    pub sha256: String,
}

impl MemoryState {
    /// Names the state of these entries, in whichever order they come.
    pub(super) fn from_entries<'a>(entries: impl Iterator<Item = &'a MemoryEntry>) -> Self {
        let mut lines: Vec<String> = entries
            .map(|entry| {
                let text = Hash::digest(entry.text.as_bytes());
                format!("{} {} {text}\n", entry.id, entry.revision)
            })
            .collect();
        lines.sort_unstable();
        MemoryState {
            entries: lines.len() as u64,
            sha256: Hash::digest(lines.concat().as_bytes()).to_string(),
        }
    }
}
