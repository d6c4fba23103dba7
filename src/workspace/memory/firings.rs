//! Debates in which a guardrail was near, and the decision of each chair's model.

use super::uses::{First, FirstLine, MAX_SESSIONS, MAX_USES, next_line};
use crate::debate::{Chair, GuardDecision, GuardsRetrieved, SessionId, StepId};
use crate::memory::Guard;
use crate::store::{Access, Layout, open_regular};
use crate::workspace::error::WorkspaceError;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::io::BufReader;
use std::path::Path;

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

/// A debate whose models were asked about a guardrail.
#[derive(Debug, Clone, PartialEq)]
pub struct Firing {
    pub session: SessionId,
    pub topic: String,
    pub protocol: String,
    /// Counts from 1: the nearest one of its look-up.
    pub rank: usize,
    pub score: f64,
    pub retriever: String,
    /// Which text of the guardrail it was.
    pub revision: u32,
    /// RFC 3339.
    pub at: String,
    /// A fork: these were decided in its parent.
    pub inherited: bool,
    pub decided: BTreeMap<Chair, ChairDecision>,
    /// Turns that it refused.
    pub refused: usize,
}

impl Firing {
    /// Says whether it kept a chair from speaking.
    pub fn fired(&self) -> bool {
        self.decided
            .values()
            .any(|one| *one == ChairDecision::Fired)
    }
}

/// The debates whose models were asked about a guardrail, the newest first.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Firings {
    pub debates: Vec<Firing>,
    /// There are more than [`MAX_USES`], or more sessions than are looked at.
    pub more: bool,
    /// Replicates of debates that had it: no look-up chose it.
    pub replicates: usize,
    /// Sessions that could not be read.
    pub unread: Vec<String>,
}

/// Finds the debates whose models were asked about a guardrail of a namespace. Of each session only
/// the lines up to what was near are read, and all of those where it was. Blocks.
///
/// # Errors
/// When the sessions cannot be listed.
pub fn firings(layout: &Layout, namespace: &str, guard: &Guard) -> Result<Firings, WorkspaceError> {
    let mut found = Firings::default();
    let mut ids = layout.sessions()?;
    // Ids begin with the time of their creation.
    ids.reverse();
    found.more = ids.len() > MAX_SESSIONS;
    for id in ids.into_iter().take(MAX_SESSIONS) {
        let path = layout.session(&id)?;
        match firing(&path, SessionId::new(id), namespace, guard) {
            Ok(Lookup::WasNear(_)) if found.debates.len() == MAX_USES => {
                found.more = true;
                break;
            }
            Ok(Lookup::WasNear(firing)) => found.debates.push(*firing),
            Ok(Lookup::Replicate) => found.replicates += 1,
            Ok(Lookup::WasNot) => {}
            Err(error) => found.unread.push(format!("{}: {error}", path.display())),
        }
    }
    Ok(found)
}

enum Lookup {
    WasNot,
    Replicate,
    WasNear(Box<Firing>),
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

/// One of these occurs in every line that is needed.
const MARKS: [&[u8]; 5] = [
    br#""type":"guards_retrieved""#,
    br#""type":"guarded""#,
    br#""type":"failed""#,
    br#""guardrail":""#,
    br#""type":"forked""#,
];

fn firing(
    path: &Path,
    session: SessionId,
    namespace: &str,
    guard: &Guard,
) -> Result<Lookup, std::io::Error> {
    let mut reader =
        BufReader::new(open_regular(path, Access::Read).map_err(std::io::Error::other)?);
    let mut line = Vec::new();
    if !next_line(&mut reader, &mut line)? {
        return Ok(Lookup::WasNot);
    }
    let Ok(FirstLine { event: first }) = serde_json::from_slice(&line) else {
        return Err(std::io::Error::other("its first line begins no debate"));
    };
    if !first.memory.guards || first.memory.namespace != namespace {
        return Ok(Lookup::WasNot);
    }
    let is_replicate = first.memory.given_guards.is_some();
    let mut firing: Option<Box<Firing>> = None;
    let own = |id: &str| guard.id.0 == id || guard.merged.iter().any(|merged| merged.0 == id);
    while next_line(&mut reader, &mut line)? {
        let marked = |mark: &&[u8]| line.windows(mark.len()).any(|window| window == *mark);
        if !MARKS.iter().any(marked) {
            continue;
        }
        let Ok(Line { at, event }) = serde_json::from_slice(&line) else {
            continue;
        };
        match (event, &mut firing) {
            (Happened::GuardsRetrieved(near), _) => {
                let mut candidates = near.candidates.iter().enumerate();
                match candidates.find(|(_, candidate)| own(&candidate.id)) {
                    None => return Ok(Lookup::WasNot),
                    Some(_) if is_replicate => return Ok(Lookup::Replicate),
                    Some((place, candidate)) => {
                        let near = &near.retriever;
                        firing = Some(Box::new(Firing {
                            rank: place + 1,
                            score: candidate.score,
                            revision: candidate.revision,
                            ..nothing_decided(&session, &first, near, at)
                        }));
                    }
                }
            }
            (_, None) => {}
            (Happened::Guarded { chair, decision }, Some(firing)) => {
                firing.decided.insert(chair, decided(decision, own));
            }
            (Happened::Failed { step, message }, Some(firing)) => {
                if let Some(chair) = step.guarded() {
                    firing.decided.insert(chair, ChairDecision::Failed(message));
                }
            }
            (Happened::Replied { guardrail }, Some(firing)) => {
                let is_own = guardrail.as_deref().is_some_and(own);
                firing.refused += usize::from(is_own);
            }
            (Happened::Forked {}, Some(firing)) => firing.inherited = true,
        }
    }
    Ok(firing.map_or(Lookup::WasNot, Lookup::WasNear))
}

fn nothing_decided(session: &SessionId, first: &First, retriever: &str, at: String) -> Firing {
    Firing {
        session: session.clone(),
        topic: first.topic.text.clone(),
        protocol: first.protocol.id.clone(),
        rank: 0,
        score: 0.0,
        retriever: retriever.to_owned(),
        revision: 0,
        at,
        inherited: false,
        decided: BTreeMap::new(),
        refused: 0,
    }
}

fn decided(decision: GuardDecision, own: impl Fn(&str) -> bool) -> ChairDecision {
    match decision {
        GuardDecision::Matched { guardrail } if own(&guardrail) => ChairDecision::Fired,
        GuardDecision::Matched { guardrail } => ChairDecision::Another(guardrail),
        GuardDecision::NoMatch => ChairDecision::NoMatch,
        GuardDecision::Unparsed { why } => ChairDecision::Unparsed(why),
    }
}
