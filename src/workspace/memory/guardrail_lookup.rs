//! Lookup of guardrails by meaning, and preview of those that a debate would be asked about.

use super::guardrail_changes::NamespaceGuards;
use super::guardrails::nearest;
use super::lookup::asking;
use super::ranking::{Ranking, WithNotices};
use crate::debate::event::{Author, Created, Event, MemoryUse, Record};
use crate::debate::view::ViewMessage;
use crate::debate::{Chair, GuardsRetrieved, State, Topic};
use crate::library::Game;
use crate::memory::{Exclusion, Guard, GuardId, RetrievalItem, RetrievingDebate};
use crate::prompt::{expand, guard_view};
use crate::workspace::error::WorkspaceError;
use std::collections::HashMap;

/// Result of a search among guardrails.
#[derive(Debug, Clone, PartialEq)]
pub struct GuardSearch {
    /// By what they are ranked.
    pub retriever: String,
    /// The best first, each by the nearest of its texts; scores compare within this answer only.
    pub guards: Vec<(GuardId, f64)>,
}

/// Finds the guardrails nearest to a text, accepted or not: nothing is kept from a person.
/// Blocks.
///
/// # Errors
/// When the vectors of the namespace cannot be kept.
pub fn search_guards(
    shelf: &NamespaceGuards,
    ranking: &Ranking,
    query: &str,
    at_most: usize,
) -> Result<WithNotices<GuardSearch>, WorkspaceError> {
    let there = shelf.fold.guards.iter().filter(|guard| !guard.deleted);
    let texts: Vec<(String, &Guard, &str)> = there
        .flat_map(|guard| {
            let texts = std::iter::once(&guard.intent).chain(&guard.examples);
            let numbered = texts.enumerate();
            numbered.map(move |(at, text)| (format!("{}/{at}", guard.id), guard, text.as_str()))
        })
        .collect();
    let items: Vec<RetrievalItem<'_>> = texts
        .iter()
        .map(|(id, _, text)| RetrievalItem { id, text })
        .collect();
    let whose: HashMap<&str, &Guard> = texts
        .iter()
        .map(|(id, guard, _)| (id.as_str(), *guard))
        .collect();
    ranking.with_blocking(|retriever| {
        let mut guards: Vec<(GuardId, f64)> = Vec::new();
        for hit in retriever.rank(query, &items, items.len())? {
            let Some(guard) = whose.get(hit.id.as_str()) else {
                continue;
            };
            if guards.len() < at_most && !guards.iter().any(|(known, _)| *known == guard.id) {
                guards.push((guard.id.clone(), hit.score));
            }
        }
        Ok(GuardSearch {
            retriever: retriever.name().to_owned(),
            guards,
        })
    })
}

/// Preview of the guardrails that a debate about a topic would be asked about.
#[derive(Debug, Clone, PartialEq)]
pub struct GuardPreview {
    /// As the debate's journal would have it.
    pub near: GuardsRetrieved,
    /// Number of guardrails that could have been near: the accepted ones.
    pub accepted: usize,
    /// The request to the first guarded chair's model, word for word.
    pub view: Result<(Chair, Vec<ViewMessage>), String>,
}

/// Returns which guardrails a new debate about a topic would ask as they are now, and the request in
/// which the first debater's model would decide. The game needs the texts about guardrails. Blocks.
///
/// # Errors
/// When the vectors of the namespace cannot be kept, or the template fails.
pub fn preview_guards(
    shelf: &NamespaceGuards,
    namespace: &str,
    ranking: &Ranking,
    game: &Game,
    topic: Topic,
) -> Result<WithNotices<GuardPreview>, WorkspaceError> {
    let created = asking(game, topic, namespace);
    let created = Created {
        memory: MemoryUse {
            reads: false,
            guards: true,
            ..created.memory
        },
        ..created
    };
    let used = shelf.fold.guards.iter().filter(|guard| guard.is_used());
    let used: Vec<&Guard> = used.collect();
    let asker = RetrievingDebate {
        topic_id: &created.topic.id,
        topic_text: &created.topic.text,
        root_session: created.session.as_str(),
        run: None,
    };
    let rules = Exclusion::default();
    let looked = ranking.with_blocking(|retriever| nearest(retriever, &asker, &used, &rules))?;
    let near = looked.found;
    let view = first_question(game, created.clone(), &near)?;
    Ok(WithNotices {
        found: GuardPreview {
            near,
            accepted: used.len(),
            view,
        },
        notices: looked.notices,
    })
}

fn first_question(
    game: &Game,
    created: Created,
    near: &GuardsRetrieved,
) -> Result<Result<(Chair, Vec<ViewMessage>), String>, WorkspaceError> {
    let protocol = created.protocol.id.clone();
    let Some(chair) = created.guarded_chairs().into_iter().next() else {
        return Ok(Err(format!(
            "'{protocol}' judges no single turns, so guardrails are not asked in it"
        )));
    };
    if near.candidates.is_empty() {
        return Ok(Err("no guardrail is near, so no model is asked".to_owned()));
    }
    let state = state_with_guards(created, near)?;
    let view = guard_view(&game.engine, &state, &chair)?;
    Ok(Ok((chair, expand(&state, None, view).messages)))
}

/// Returns the state of a debate that has begun and retrieved these guardrails.
///
/// # Errors
/// When its protocol retrieves none.
pub(crate) fn state_with_guards(
    created: Created,
    near: &GuardsRetrieved,
) -> Result<State, WorkspaceError> {
    let mut state = State::default();
    for event in [
        Event::Created(Box::new(created)),
        Event::GuardsRetrieved(near.clone()),
    ] {
        let record = Record {
            at: String::new(),
            by: Author::Engine,
            event,
        };
        state.apply(&record).map_err(WorkspaceError::Refused)?;
    }
    Ok(state)
}
