//! Debates that were shown a lesson, or whose models were asked about a guardrail.

use super::session_search::{
    DebateHit, DebatesFound, Lookup, next_line, open_behind_first, search_sessions,
};
use crate::debate::event::Retrieved;
use crate::debate::{Chair, GuardDecision, GuardsRetrieved, SessionId, StepId};
use crate::memory::{EntryId, EntryKind, MemoryEntry};
use crate::store::Layout;
use crate::workspace::error::WorkspaceError;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::io;
use std::path::Path;

/// A debate whose look-up chose an entry.
#[derive(Debug, Clone, PartialEq)]
pub struct EntryUse {
    pub hit: DebateHit,
    /// Which text of the entry it was; `None` for one that the entry never had here.
    pub revision: Option<u32>,
    /// A fork: what models decided about a guardrail was decided in its parent.
    pub inherited: bool,
    /// Decisions about a guardrail.
    pub decided: BTreeMap<Chair, ChairDecision>,
    /// Turns that a guardrail refused.
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
    pub fn fired(&self) -> bool {
        self.decided
            .values()
            .any(|one| *one == ChairDecision::Fired)
    }
}

/// The debates whose look-up chose an entry, the newest first.
pub type EntryUses = DebatesFound<EntryUse>;

/// Finds the debates whose look-up chose an entry of a namespace. Of each session only the lines up to
/// that look-up are read, and all of those that asked about a guardrail. Blocks.
///
/// # Errors
/// When the sessions cannot be listed.
pub fn uses(
    layout: &Layout,
    namespace: &str,
    entry: &MemoryEntry,
) -> Result<EntryUses, WorkspaceError> {
    search_sessions(layout, |path, session| {
        use_in(path, session, namespace, entry)
    })
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
) -> io::Result<Lookup<EntryUse>> {
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
    if !reads || memory.namespace != namespace {
        return Ok(Lookup::Without);
    }
    let own = |id: &str| entry.answers_to(&EntryId(id.to_owned()));
    let used = |rank: usize, score, retriever: &str, at, revision| {
        Box::new(EntryUse {
            hit: DebateHit {
                session: session.clone(),
                topic: first.topic.text.clone(),
                protocol: first.protocol.id.clone(),
                rank: rank + 1,
                score,
                retriever: retriever.to_owned(),
                at,
            },
            revision,
            inherited: false,
            decided: BTreeMap::new(),
            refused: 0,
        })
    };
    let mut found: Option<Box<EntryUse>> = None;
    let mut line = Vec::new();
    while next_line(&mut reader, &mut line)? {
        let marked = |mark: &&[u8]| line.windows(mark.len()).any(|window| window == *mark);
        if !marks.iter().any(marked) {
            continue;
        }
        let Ok(Line { at, event }) = serde_json::from_slice(&line) else {
            continue;
        };
        match (event, &mut found) {
            (Happened::Retrieved(gave), _) => {
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
                        found = Some(used(rank, one.score, &near.retriever, at, revision));
                    }
                }
            }
            (_, None) => {}
            (Happened::Guarded { chair, decision }, Some(found)) => {
                found.decided.insert(chair, decided(decision, own));
            }
            (Happened::Failed { step, message }, Some(found)) => {
                if let Some(chair) = step.guarded() {
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
    Ok(found.map_or(Lookup::Without, Lookup::With))
}

fn revision_of(entry: &MemoryEntry, text: &str) -> Option<u32> {
    let versions = entry.versions();
    let place = versions.iter().rposition(|version| version.text == text);
    place.and_then(|at| u32::try_from(at).ok())
}

fn decided(decision: GuardDecision, own: impl Fn(&str) -> bool) -> ChairDecision {
    match decision {
        GuardDecision::Matched { guardrail } if own(&guardrail) => ChairDecision::Fired,
        GuardDecision::Matched { guardrail } => ChairDecision::Another(guardrail),
        GuardDecision::NoMatch => ChairDecision::NoMatch,
        GuardDecision::Unparsed { why } => ChairDecision::Unparsed(why),
    }
}
