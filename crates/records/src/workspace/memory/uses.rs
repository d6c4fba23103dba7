//! Debates that were shown a lesson, or whose models were asked about a guardrail, the newest first. Of each
//! session only the lines that say so are read.

use super::book::{is_within, learner_namespace};
use crate::workspace::error::Result;
use crate::workspace::session_list::newest_sessions;
use elenchus_game::debate::event::{MemoryUse, Retrieved};
use elenchus_game::debate::{Chair, GuardDecision, GuardsRetrieved, SessionId, StepId};
use elenchus_memory::{EntryId, EntryKind, MemoryEntry};
use elenchus_store::{Access, Layout, MAX_LINE_BYTES, open_regular};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

/// Debates that are listed at most.
const MAX_USES: usize = 1_000;
/// Sessions that are looked at, the newest first.
const MAX_SESSIONS: usize = 100_000;

/// A debate whose look-up chose an entry; as JSON, what holds for entries of every kind.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct EntryUse {
    pub session: SessionId,
    pub topic: String,
    pub protocol: String,
    /// Counts from 1: the best one of its look-up.
    pub rank: usize,
    pub score: f64,
    pub retriever: String,
    /// RFC 3339.
    pub at: String,
    /// Which text of the entry it was; `None` for one that the entry never had here.
    pub revision: Option<u32>,
    /// A fork: what models decided about a guardrail was decided in its parent.
    #[serde(skip)]
    pub inherited: bool,
    /// Decisions about a guardrail.
    #[serde(skip)]
    pub decided: BTreeMap<Chair, ChairDecision>,
    /// Turns that a guardrail refused.
    #[serde(skip)]
    pub refused: usize,
}

/// A model's decision where a guardrail was near.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ChairDecision {
    /// This guardrail: the chair did not speak.
    Fired,
    /// Another one of those that were near.
    Another(String),
    NoMatch,
    /// The reply could not be read: the chair spoke.
    Unparsed(String),
    /// The call brought nothing: the chair spoke.
    Failed(String),
}

impl EntryUse {
    /// Says whether it kept a chair from speaking.
    pub fn has_fired(&self) -> bool {
        self.decided
            .values()
            .any(|one| *one == ChairDecision::Fired)
    }
}

/// The debates whose look-up chose an entry, the newest first.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct EntryUses {
    pub debates: Vec<EntryUse>,
    /// There are more than [`MAX_USES`], or more sessions than are looked at.
    pub more: bool,
    /// Replicates that were given it by a plan, to find out what it does: no look-up chose it.
    pub replicates: usize,
    /// Sessions that could not be read.
    pub unread: Vec<String>,
}

/// Finds the debates whose look-up chose an entry of a namespace. Of each session only the lines up to
/// that look-up are read, and all of those that asked about a guardrail. Blocks.
///
/// # Errors
/// When the sessions cannot be listed.
pub fn find_uses(layout: &Layout, namespace: &str, entry: &MemoryEntry) -> Result<EntryUses> {
    let mut uses = EntryUses {
        more: layout.list_sessions()?.len() > MAX_SESSIONS,
        ..EntryUses::default()
    };
    for id in newest_sessions(layout, MAX_SESSIONS)? {
        let path = layout.session_path(id.as_str())?;
        match use_in(&path, id, namespace, entry) {
            Ok(Lookup::With(_)) if uses.debates.len() == MAX_USES => {
                uses.more = true;
                break;
            }
            Ok(Lookup::With(debate)) => uses.debates.push(*debate),
            Ok(Lookup::Replicate) => uses.replicates += 1,
            Ok(Lookup::Without) => {}
            Err(error) => uses.unread.push(format!("{}: {error}", path.display())),
        }
    }
    Ok(uses)
}

/// What a session has to do with an entry.
enum Lookup {
    Without,
    Replicate,
    With(Box<EntryUse>),
}

/// The parts of later lines that are needed here; everything else is passed over.
#[derive(Deserialize)]
struct Line {
    at: String,
    event: Happened,
}

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Happened {
    Retrieved(Retrieved),
    GuardsRetrieved(GuardsRetrieved),
    Guarded {
        chair: Chair,
        decision: GuardDecision,
    },
    Failed {
        step: StepId,
        message: String,
    },
    Replied {
        #[serde(default)]
        guardrail: Option<String>,
    },
    Forked {},
}

/// Occurs in every line that records which lessons were found, and in few others.
const LESSON_MARKS: &[&[u8]] = &[br#""type":"retrieved""#];
/// One of these occurs in every line that is needed about a guardrail.
const GUARDRAIL_MARKS: &[&[u8]] = &[
    br#""type":"guards_retrieved""#,
    br#""type":"guarded""#,
    br#""type":"failed""#,
    br#""guardrail":""#,
    br#""type":"forked""#,
];

fn use_in(
    path: &Path,
    session: SessionId,
    namespace: &str,
    entry: &MemoryEntry,
) -> io::Result<Lookup> {
    let Some((mut reader, first)) = open_behind_first(path)? else {
        return Ok(Lookup::Without);
    };
    let memory = &first.memory;
    let (reads, is_replicate, marks) = match entry.kind() {
        EntryKind::Lesson => (memory.reads, memory.given.is_some(), LESSON_MARKS),
        EntryKind::Guardrail => (
            memory.guards,
            memory.given_guards.is_some(),
            GUARDRAIL_MARKS,
        ),
    };
    let may_be_there = match entry.kind() {
        // Seats that learn for themselves have memories of their own beside the debate's.
        EntryKind::Lesson => is_within(namespace, &memory.namespace),
        EntryKind::Guardrail => memory.namespace == namespace,
    };
    if !reads || !may_be_there {
        return Ok(Lookup::Without);
    }
    let own = |id: &str| entry.has_id(&EntryId(id.to_owned()));
    let used = |rank: usize, score, retriever: &str, at, revision| {
        Box::new(EntryUse {
            session: session.clone(),
            topic: first.topic.text.clone(),
            protocol: first.protocol.id.clone(),
            rank: rank + 1,
            score,
            retriever: retriever.to_owned(),
            at,
            revision,
            inherited: false,
            decided: BTreeMap::new(),
            refused: 0,
        })
    };
    let mut entry_use: Option<Box<EntryUse>> = None;
    let mut line = Vec::new();
    while next_line(&mut reader, &mut line)? {
        let has_mark = |mark: &&[u8]| line.windows(mark.len()).any(|window| window == *mark);
        if !marks.iter().any(has_mark) {
            continue;
        }
        let Ok(Line { at, event }) = serde_json::from_slice(&line) else {
            continue;
        };
        match (event, &mut entry_use) {
            (Happened::Retrieved(gave), _) => {
                let searched = match &gave.learner {
                    Some(learner) => learner_namespace(&memory.namespace, learner),
                    None => memory.namespace.clone(),
                };
                if searched != namespace {
                    continue;
                }
                let mut entries = gave.entries.iter().enumerate();
                return Ok(match entries.find(|(_, one)| one.id == entry.id.0) {
                    None => Lookup::Without,
                    Some(_) if is_replicate => Lookup::Replicate,
                    Some((rank, one)) => {
                        let revision = revision_of(entry, &one.text);
                        Lookup::With(used(rank, one.score, &gave.retriever, at, revision))
                    }
                });
            }
            (Happened::GuardsRetrieved(near), _) => {
                let mut candidates = near.candidates.iter().enumerate();
                match candidates.find(|(_, candidate)| own(&candidate.id)) {
                    None => return Ok(Lookup::Without),
                    Some(_) if is_replicate => return Ok(Lookup::Replicate),
                    Some((rank, one)) => {
                        let revision = Some(one.revision);
                        entry_use = Some(used(rank, one.score, &near.retriever, at, revision));
                    }
                }
            }
            (_, None) => {}
            (Happened::Guarded { chair, decision }, Some(found)) => {
                found
                    .decided
                    .insert(chair, decision_of_chair(decision, own));
            }
            (Happened::Failed { step, message }, Some(found)) => {
                if let Some(chair) = step.guarded_chair() {
                    found.decided.insert(chair, ChairDecision::Failed(message));
                }
            }
            (Happened::Replied { guardrail }, Some(found)) => {
                let is_own = guardrail.as_deref().is_some_and(own);
                found.refused += usize::from(is_own);
            }
            (Happened::Forked {}, Some(found)) => found.inherited = true,
        }
    }
    Ok(entry_use.map_or(Lookup::Without, Lookup::With))
}

fn revision_of(entry: &MemoryEntry, text: &str) -> Option<u32> {
    let versions = entry.collect_versions();
    let place = versions.iter().rposition(|version| version.text == text);
    place.and_then(|at| u32::try_from(at).ok())
}

fn decision_of_chair(decision: GuardDecision, own: impl Fn(&str) -> bool) -> ChairDecision {
    match decision {
        GuardDecision::Matched { guardrail } if own(&guardrail) => ChairDecision::Fired,
        GuardDecision::Matched { guardrail } => ChairDecision::Another(guardrail),
        GuardDecision::NoMatch => ChairDecision::NoMatch,
        GuardDecision::Unparsed { why, .. } => ChairDecision::Unparsed(why),
    }
}

/// Opens a session behind its first line; none where it is empty.
///
/// # Errors
/// When it cannot be read, or its first line begins no debate.
fn open_behind_first(path: &Path) -> io::Result<Option<(BufReader<File>, First)>> {
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
struct First {
    #[serde(default)]
    memory: MemoryUse,
    topic: TopicText,
    protocol: ProtocolId,
}

#[derive(Deserialize)]
struct TopicText {
    text: String,
}

#[derive(Deserialize)]
struct ProtocolId {
    id: String,
}

/// Reads a line of a session; none at its end.
fn next_line(reader: &mut BufReader<File>, line: &mut Vec<u8>) -> io::Result<bool> {
    line.clear();
    let longest = MAX_LINE_BYTES as u64;
    let read = reader.by_ref().take(longest).read_until(b'\n', line)?;
    Ok(read > 0)
}
