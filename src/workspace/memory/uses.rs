//! Debates that were shown an entry.

use super::session_search::{
    DebateHit, DebatesFound, Lookup, next_line, open_behind_first, search_sessions,
};
use crate::debate::event::Retrieved;
use crate::memory::MemoryEntry;
use crate::store::Layout;
use crate::workspace::error::WorkspaceError;
use serde::Deserialize;

/// Occurs in every line that records what memory gave, and in few others.
const MARK: &[u8] = br#""type":"retrieved""#;

/// A debate that was shown an entry.
#[derive(Debug, Clone, PartialEq)]
pub struct EntryUse {
    pub hit: DebateHit,
    /// Which text of the entry it was; `None` for one that the entry never had here.
    pub revision: Option<u32>,
}

/// The debates that were shown an entry, the newest first.
pub type EntryUses = DebatesFound<EntryUse>;

/// Finds the debates that were shown an entry of a namespace. Of each session only the lines up to
/// what memory gave are read, and of those that read no memory the first one. Blocks.
///
/// # Errors
/// When the sessions cannot be listed.
pub fn uses(
    layout: &Layout,
    namespace: &str,
    entry: &MemoryEntry,
) -> Result<EntryUses, WorkspaceError> {
    search_sessions(layout, |path, session| {
        let Some(asked) = what_memory_gave(path, namespace)? else {
            return Ok(Lookup::Without);
        };
        let mut entries = asked.gave.entries.iter().enumerate();
        let Some((at, shown)) = entries.find(|(_, shown)| shown.id == entry.id.0) else {
            return Ok(Lookup::Without);
        };
        if asked.is_replicate {
            return Ok(Lookup::Replicate);
        }
        Ok(Lookup::With(Box::new(EntryUse {
            revision: revision_of(entry, &shown.text),
            hit: DebateHit {
                session,
                topic: asked.topic,
                protocol: asked.protocol,
                rank: at + 1,
                score: shown.score,
                retriever: asked.gave.retriever.clone(),
                at: asked.at,
            },
        })))
    })
}

fn revision_of(entry: &MemoryEntry, text: &str) -> Option<u32> {
    let versions = entry.versions();
    let place = versions.iter().rposition(|version| version.text == text);
    place.and_then(|at| u32::try_from(at).ok())
}

/// A session that asked memory.
struct Asked {
    is_replicate: bool,
    topic: String,
    protocol: String,
    gave: Retrieved,
    at: String,
}

#[derive(Deserialize)]
struct GaveLine {
    at: String,
    event: Retrieved,
}

fn what_memory_gave(
    path: &std::path::Path,
    namespace: &str,
) -> Result<Option<Asked>, std::io::Error> {
    let Some((mut reader, first)) = open_behind_first(path)? else {
        return Ok(None);
    };
    if !first.memory.reads || first.memory.namespace != namespace {
        return Ok(None);
    }
    let mut line = Vec::new();
    while next_line(&mut reader, &mut line)? {
        if !line.windows(MARK.len()).any(|window| window == MARK) {
            continue;
        }
        if let Ok(GaveLine { at, event: gave }) = serde_json::from_slice(&line) {
            return Ok(Some(Asked {
                is_replicate: first.memory.given.is_some(),
                topic: first.topic.text,
                protocol: first.protocol.id,
                gave,
                at,
            }));
        }
    }
    Ok(None)
}
