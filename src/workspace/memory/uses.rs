//! Debates that were shown an entry.

use crate::debate::SessionId;
use crate::debate::event::{MemoryUse, Retrieved};
use crate::memory::MemoryEntry;
use crate::store::{Access, Layout, MAX_LINE_BYTES, open_regular};
use crate::workspace::error::WorkspaceError;
use serde::Deserialize;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};

/// Uses that are listed at most.
pub const MAX_USES: usize = 1_000;
/// Sessions that are looked at, the newest first.
pub(super) const MAX_SESSIONS: usize = 100_000;
/// Occurs in every line that records what memory gave, and in few others.
const MARK: &[u8] = br#""type":"retrieved""#;

/// A debate that was shown an entry.
#[derive(Debug, Clone, PartialEq)]
pub struct EntryUse {
    pub session: SessionId,
    pub topic: String,
    pub protocol: String,
    /// Counts from 1: the best entry of its look-up.
    pub rank: usize,
    pub score: f64,
    pub retriever: String,
    /// Which text of the entry it was; `None` for one that the entry never had here.
    pub revision: Option<u32>,
    /// RFC 3339.
    pub at: String,
}

/// The debates that were shown an entry, the newest first.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct EntryUses {
    pub uses: Vec<EntryUse>,
    /// There are more than [`MAX_USES`], or more sessions than are looked at.
    pub more: bool,
    /// Replicates that were given it by a plan, to find out what it does: no look-up chose it.
    pub replicates: usize,
    /// Sessions that could not be read.
    pub unread: Vec<String>,
}

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
    let mut found = EntryUses::default();
    let mut ids = layout.sessions()?;
    // Ids begin with the time of their creation.
    ids.reverse();
    found.more = ids.len() > MAX_SESSIONS;
    for id in ids.into_iter().take(MAX_SESSIONS) {
        let path = layout.session(&id)?;
        let asked = match what_memory_gave(&path, namespace) {
            Ok(Some(asked)) => asked,
            Ok(None) => continue,
            Err(error) => {
                found.unread.push(format!("{}: {error}", path.display()));
                continue;
            }
        };
        let mut entries = asked.gave.entries.iter().enumerate();
        let Some((at, shown)) = entries.find(|(_, shown)| shown.id == entry.id.0) else {
            continue;
        };
        if asked.is_replicate {
            found.replicates += 1;
            continue;
        }
        if found.uses.len() == MAX_USES {
            found.more = true;
            break;
        }
        found.uses.push(EntryUse {
            session: SessionId::new(id),
            topic: asked.topic,
            protocol: asked.protocol,
            rank: at + 1,
            score: shown.score,
            retriever: asked.gave.retriever.clone(),
            revision: revision_of(entry, &shown.text),
            at: asked.at,
        });
    }
    Ok(found)
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

/// The parts of a session's first line that are needed here.
#[derive(Deserialize)]
pub(super) struct FirstLine {
    pub event: First,
}

#[derive(Deserialize)]
pub(super) struct First {
    #[serde(default)]
    pub memory: MemoryUse,
    pub topic: TopicText,
    pub protocol: ProtocolId,
}

#[derive(Deserialize)]
pub(super) struct TopicText {
    pub text: String,
}

#[derive(Deserialize)]
pub(super) struct ProtocolId {
    pub id: String,
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
    let mut reader =
        BufReader::new(open_regular(path, Access::Read).map_err(std::io::Error::other)?);
    let mut line = Vec::new();
    if !next_line(&mut reader, &mut line)? {
        return Ok(None);
    }
    let Ok(FirstLine { event: first }) = serde_json::from_slice(&line) else {
        return Err(std::io::Error::other("its first line begins no debate"));
    };
    if !first.memory.reads || first.memory.namespace != namespace {
        return Ok(None);
    }
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

/// Reads a line of a session; none at its end.
pub(super) fn next_line(
    reader: &mut BufReader<File>,
    line: &mut Vec<u8>,
) -> Result<bool, std::io::Error> {
    line.clear();
    let longest = MAX_LINE_BYTES as u64;
    let read = reader.by_ref().take(longest).read_until(b'\n', line)?;
    Ok(read > 0)
}
