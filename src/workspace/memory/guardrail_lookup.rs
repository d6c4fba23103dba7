//! Looking guardrails up: by meaning, and as a debate would.

use super::super::error::DriverError;
use super::super::game::Game;
use super::super::guard_book::nearest;
use super::super::guard_desk::GuardShelf;
use super::super::ranking::{Ordered, Ranking};
use super::lookup::asking;
use crate::debate::event::{Author, Created, Event, MemoryUse, Record};
use crate::debate::view::ViewMessage;
use crate::debate::{Chair, GuardsRetrieved, State, Topic};
use crate::memory::{Asker, Exclusion, Guard, GuardId, Item};
use crate::prompt::{expand, guard_view};
use std::collections::HashMap;

/// What a search among guardrails found.
#[derive(Debug, Clone, PartialEq)]
pub struct GuardSearch {
    /// By what they are ranked.
    pub retriever: String,
    /// The best first, each by the nearest of its texts; scores compare within this answer only.
    pub guards: Vec<(GuardId, f64)>,
}

/// Finds the guardrails nearest to a text, whatever their standing: nothing is kept from a person.
/// Blocks.
///
/// # Errors
/// When the vectors of the namespace cannot be kept.
pub fn search_guards(
    shelf: &GuardShelf,
    ranking: &Ranking,
    query: &str,
    at_most: usize,
) -> Result<Ordered<GuardSearch>, DriverError> {
    let there = shelf.fold.guards.iter().filter(|guard| !guard.deleted);
    let texts: Vec<(String, &Guard, &str)> = there
        .flat_map(|guard| {
            let texts = std::iter::once(&guard.intent).chain(&guard.examples);
            let numbered = texts.enumerate();
            numbered.map(move |(at, text)| (format!("{}/{at}", guard.id), guard, text.as_str()))
        })
        .collect();
    let items: Vec<Item<'_>> = texts
        .iter()
        .map(|(id, _, text)| Item { id, text })
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

/// What a debate about a topic would be asked of guardrails.
#[derive(Debug, Clone, PartialEq)]
pub struct WouldAsk {
    /// As the debate's journal would have it.
    pub near: GuardsRetrieved,
    /// How many guardrails could have been near: those that are accepted.
    pub accepted: usize,
    /// What the first guarded chair's model would be asked, word for word.
    pub view: Result<(Chair, Vec<ViewMessage>), String>,
}

/// Returns which guardrails a new debate about a topic would ask as they are now, and the request in
/// which the first debater's model would decide. The game needs the texts about guardrails. Blocks.
///
/// # Errors
/// When the vectors of the namespace cannot be kept, or the template fails.
pub fn would_ask(
    shelf: &GuardShelf,
    namespace: &str,
    ranking: &Ranking,
    game: &Game,
    topic: Topic,
) -> Result<Ordered<WouldAsk>, DriverError> {
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
    let asker = Asker {
        topic_id: &created.topic.id,
        topic_text: &created.topic.text,
        root_session: created.session.as_str(),
        run: None,
    };
    let rules = Exclusion::default();
    let looked = ranking.with_blocking(|retriever| nearest(retriever, &asker, &used, &rules))?;
    let near = looked.found;
    let view = first_question(game, created.clone(), &near)?;
    Ok(Ordered {
        found: WouldAsk {
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
) -> Result<Result<(Chair, Vec<ViewMessage>), String>, DriverError> {
    let protocol = created.protocol.id.clone();
    let Some(chair) = created.guarded_chairs().into_iter().next() else {
        return Ok(Err(format!(
            "'{protocol}' judges no single turns, so guardrails are not asked in it"
        )));
    };
    if near.candidates.is_empty() {
        return Ok(Err("no guardrail is near, so nobody is asked".to_owned()));
    }
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
        state.apply(&record).map_err(DriverError::Refused)?;
    }
    let view = guard_view(&game.engine, &state, &chair)?;
    Ok(Ok((chair, expand(&state, None, view).messages)))
}
