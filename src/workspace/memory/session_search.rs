//! Search of a store's sessions for debates that memory reached, the newest first. Of each session only
//! the lines that a caller asks for are read.

use crate::debate::SessionId;
use crate::debate::event::MemoryUse;
use crate::store::{Access, Layout, MAX_LINE_BYTES, open_regular};
use crate::workspace::error::WorkspaceError;
use serde::Deserialize;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

/// Debates that are listed at most.
const MAX_USES: usize = 1_000;
/// Sessions that are looked at, the newest first.
const MAX_SESSIONS: usize = 100_000;

/// The debates that were found, the newest first.
#[derive(Debug, Clone, PartialEq)]
pub struct DebatesFound<T> {
    pub debates: Vec<T>,
    /// There are more than [`MAX_USES`], or more sessions than are looked at.
    pub more: bool,
    /// Replicates that were given it by a plan, to find out what it does: no look-up chose it.
    pub replicates: usize,
    /// Sessions that could not be read.
    pub unread: Vec<String>,
}

/// A debate whose look-up chose an entry or a guardrail.
#[derive(Debug, Clone, PartialEq)]
pub struct DebateHit {
    pub session: SessionId,
    pub topic: String,
    pub protocol: String,
    /// Counts from 1: the best one of its look-up.
    pub rank: usize,
    pub score: f64,
    pub retriever: String,
    /// RFC 3339.
    pub at: String,
}

/// What a look-up of one session has to do with what is searched for.
pub(super) enum Lookup<T> {
    Without,
    Replicate,
    With(Box<T>),
}

/// Looks sessions up until [`MAX_USES`] of them are found. Blocks.
///
/// # Errors
/// When the sessions cannot be listed.
pub(super) fn search_sessions<T>(
    layout: &Layout,
    look_up: impl Fn(&Path, SessionId) -> io::Result<Lookup<T>>,
) -> Result<DebatesFound<T>, WorkspaceError> {
    let mut ids = layout.sessions()?;
    // Ids begin with the time of their creation.
    ids.reverse();
    let mut found = DebatesFound {
        debates: Vec::new(),
        more: ids.len() > MAX_SESSIONS,
        replicates: 0,
        unread: Vec::new(),
    };
    for id in ids.into_iter().take(MAX_SESSIONS) {
        let path = layout.session(&id)?;
        match look_up(&path, SessionId::new(id)) {
            Ok(Lookup::With(_)) if found.debates.len() == MAX_USES => {
                found.more = true;
                break;
            }
            Ok(Lookup::With(debate)) => found.debates.push(*debate),
            Ok(Lookup::Replicate) => found.replicates += 1,
            Ok(Lookup::Without) => {}
            Err(error) => found.unread.push(format!("{}: {error}", path.display())),
        }
    }
    Ok(found)
}

/// Opens a session behind its first line; none where it is empty.
///
/// # Errors
/// When it cannot be read, or its first line begins no debate.
pub(super) fn open_behind_first(path: &Path) -> io::Result<Option<(BufReader<File>, First)>> {
    let mut reader = BufReader::new(open_regular(path, Access::Read).map_err(io::Error::other)?);
    let mut line = Vec::new();
    if !next_line(&mut reader, &mut line)? {
        return Ok(None);
    }
    let Ok(FirstLine { event: first }) = serde_json::from_slice(&line) else {
        return Err(io::Error::other("its first line begins no debate"));
    };
    Ok(Some((reader, first)))
}

/// The parts of a session's first line that are needed here.
#[derive(Deserialize)]
struct FirstLine {
    event: First,
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
