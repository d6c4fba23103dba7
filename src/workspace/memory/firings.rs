//! Debates in which a guardrail was near, and the decision of each chair's model.

use super::session_search::{
    DebateHit, DebatesFound, Lookup, next_line, open_behind_first, search_sessions,
};
use crate::debate::{Chair, GuardDecision, GuardsRetrieved, SessionId, StepId};
use crate::memory::Guard;
use crate::store::Layout;
use crate::workspace::error::WorkspaceError;
use serde::Deserialize;
use std::collections::BTreeMap;
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
    pub hit: DebateHit,
    /// Which text of the guardrail it was.
    pub revision: u32,
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
pub type Firings = DebatesFound<Firing>;

/// Finds the debates whose models were asked about a guardrail of a namespace. Of each session only
/// the lines up to what was near are read, and all of those where it was. Blocks.
///
/// # Errors
/// When the sessions cannot be listed.
pub fn firings(layout: &Layout, namespace: &str, guard: &Guard) -> Result<Firings, WorkspaceError> {
    search_sessions(layout, |path, session| {
        firing(path, session, namespace, guard)
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
) -> Result<Lookup<Firing>, std::io::Error> {
    let Some((mut reader, first)) = open_behind_first(path)? else {
        return Ok(Lookup::Without);
    };
    if !first.memory.guards || first.memory.namespace != namespace {
        return Ok(Lookup::Without);
    }
    let is_replicate = first.memory.given_guards.is_some();
    let mut firing: Option<Box<Firing>> = None;
    let own = |id: &str| guard.id.0 == id || guard.merged.iter().any(|merged| merged.0 == id);
    let mut line = Vec::new();
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
                    None => return Ok(Lookup::Without),
                    Some(_) if is_replicate => return Ok(Lookup::Replicate),
                    Some((place, candidate)) => {
                        let hit = DebateHit {
                            session: session.clone(),
                            topic: first.topic.text.clone(),
                            protocol: first.protocol.id.clone(),
                            rank: place + 1,
                            score: candidate.score,
                            retriever: near.retriever.clone(),
                            at,
                        };
                        firing = Some(Box::new(Firing {
                            hit,
                            revision: candidate.revision,
                            inherited: false,
                            decided: BTreeMap::new(),
                            refused: 0,
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
    Ok(firing.map_or(Lookup::Without, Lookup::With))
}

fn decided(decision: GuardDecision, own: impl Fn(&str) -> bool) -> ChairDecision {
    match decision {
        GuardDecision::Matched { guardrail } if own(&guardrail) => ChairDecision::Fired,
        GuardDecision::Matched { guardrail } => ChairDecision::Another(guardrail),
        GuardDecision::NoMatch => ChairDecision::NoMatch,
        GuardDecision::Unparsed { why } => ChairDecision::Unparsed(why),
    }
}
