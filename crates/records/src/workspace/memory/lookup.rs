//! Lookup of entries by meaning, and preview of the lessons that a debate would be shown and the
//! guardrails that it would be asked about.

use super::book::{Asks, look_up, lookup_limits};
use super::browse::NamespaceEntries;
use super::guardrails::{count_examples, retrieve_nearest};
use super::ranking::{Ranking, WithNotices};
use crate::library::Game;
use crate::workspace::error::{Result, WorkspaceError};
use elenchus_game::debate::event::{
    Author, Created, Event, MemoryLookup, MemoryUse, Record, Retrieved,
};
use elenchus_game::debate::step::Step;
use elenchus_game::debate::view::{PartSource, View, ViewMessage};
use elenchus_game::debate::{Chair, GuardsRetrieved, SessionId, State, Topic};
use elenchus_game::prompt::{expand_view, guard_view, speaker_view};
use elenchus_memory::{
    EntryId, EntryKind, EntryStatus, Exclusion, MemoryEntry, Retriever, rank_entries,
};

/// An entry that was found.
#[derive(Debug, Clone, PartialEq)]
pub struct ScoredEntry {
    pub id: EntryId,
    /// Compares with the others of this answer only.
    pub score: f64,
}

/// Result of a search.
#[derive(Debug, Clone, PartialEq)]
pub struct EntrySearch {
    /// By what they are ranked.
    pub retriever: String,
    /// The best first.
    pub entries: Vec<ScoredEntry>,
}

/// Finds the entries nearest to a text, disabled ones and guardrails that are not accepted too: nothing
/// is kept from a person. Blocks.
///
/// # Errors
/// When a journal of guardrails is asked for and cannot be read, or the vectors of the namespace cannot be
/// kept.
pub fn search_entries(
    shelf: &NamespaceEntries,
    ranking: &Ranking,
    query: &str,
    at_most: usize,
    kinds: &[EntryKind],
) -> Result<WithNotices<EntrySearch>> {
    if kinds.contains(&EntryKind::Guardrail) {
        shelf.check_guardrails()?;
    }
    let entries = shelf.folded.entries.iter().filter(|entry| {
        entry.availability() != EntryStatus::Deleted && kinds.contains(&entry.kind())
    });
    let entries: Vec<&MemoryEntry> = entries.collect();
    ranking.with_blocking(|retriever| {
        let hits = rank_entries(retriever, query, &entries, at_most, usize::MAX)?;
        let scored_entries = hits.into_iter().map(|hit| ScoredEntry {
            id: EntryId(hit.id),
            score: hit.score,
        });
        Ok(EntrySearch {
            retriever: retriever.name().to_owned(),
            entries: scored_entries.collect(),
        })
    })
}

/// Preview of the lessons that a debate about a topic would be shown.
#[derive(Debug, Clone, PartialEq)]
pub struct LessonPreview {
    /// As the debate's journal would have it: entries with scores, and what was kept from it.
    pub retrieved: Retrieved,
    /// The first request of the game that holds what was retrieved, word for word.
    pub view: Result<(Chair, Vec<ViewMessage>), String>,
}

/// Returns the lessons that a new debate about a topic would be shown of a namespace as it is now, and how its
/// first speaker would read it: by the look-up, the exclusions and the template of a debate. Blocks.
///
/// # Errors
/// When the vectors of the namespace cannot be kept, or the template fails.
pub fn preview_lessons(
    shelf: &NamespaceEntries,
    ranking: &Ranking,
    game: &Game,
    topic: Topic,
    lookup: MemoryLookup,
) -> Result<WithNotices<LessonPreview>> {
    let created = sample_debate(game, topic, &shelf.namespace, lookup);
    let (asks, limits) = (Asks::from_created(&created), lookup_limits(&created));
    let look = |retriever: &dyn Retriever| look_up(retriever, &asks.asker(), limits, &shelf.folded);
    let result = ranking.with_blocking(look)?;
    let retrieval = result.found;
    let view = first_view(game, created, &retrieval)?;
    Ok(WithNotices {
        found: LessonPreview {
            retrieved: retrieval,
            view,
        },
        notices: result.notices,
    })
}

/// A debate that is never played: its cast makes no difference to what is shown.
fn sample_debate(game: &Game, topic: Topic, namespace: &str, lookup: MemoryLookup) -> Created {
    let sample = game.sample_session();
    Created {
        session: SessionId::new("not-a-session"),
        topic: Topic {
            options: match topic.options.is_empty() {
                true => sample.topic.options.clone(),
                false => topic.options.clone(),
            },
            ..topic
        },
        memory: MemoryUse {
            reads: true,
            namespace: namespace.to_owned(),
            lookup: Some(lookup),
            ..MemoryUse::default()
        },
        ..sample
    }
}

fn first_view(
    game: &Game,
    created: Created,
    retrieved: &Retrieved,
) -> Result<Result<(Chair, Vec<ViewMessage>), String>> {
    let protocol = created.protocol.id.clone();
    let Ok(state) = state_with(created, Event::Retrieved(retrieved.clone())) else {
        return Ok(Err(format!("'{protocol}' reads no memory")));
    };
    for step in state.find_open_steps().steps {
        let (Step::Speak(speak) | Step::AwaitSpeaker(speak)) = &step else {
            continue;
        };
        let view = speaker_view(&game.engine, &state, speak)?;
        let view = expand_view(&state, Some(&speak.turn), view);
        if retrieved.entries.is_empty() || holds_memory(&view) {
            return Ok(Ok((speak.turn.chair.clone(), view.messages)));
        }
    }
    Ok(Err(format!(
        "the first turns of '{protocol}' are shown no memory; 'elenchus protocols show {protocol}' \
         lists the seats that are"
    )))
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
/// When a journal of guardrails cannot be read, the vectors of the namespace cannot be kept, or the template
/// fails.
pub fn preview_guards(
    shelf: &NamespaceEntries,
    ranking: &Ranking,
    game: &Game,
    topic: Topic,
    (lookup, guard_examples): (MemoryLookup, Option<u32>),
) -> Result<WithNotices<GuardPreview>> {
    shelf.check_guardrails()?;
    let mut created = sample_debate(game, topic, &shelf.namespace, lookup);
    (created.memory.reads, created.memory.guards) = (false, true);
    created.memory.guard_examples = guard_examples;
    let guards = shelf.folded.entries_of_kind(EntryKind::Guardrail);
    let used: Vec<&MemoryEntry> = guards.filter(|guard| guard.is_active()).collect();
    let asks = Asks::from_created(&created);
    let examples = count_examples(&created.memory);
    let result = ranking.with_blocking(|retriever| {
        let guards = used.iter().copied();
        let rules = Exclusion::default();
        retrieve_nearest(retriever, &asks.asker(), guards, (&rules, examples))
    })?;
    let near = result.found;
    let view = first_question(game, created, &near)?;
    Ok(WithNotices {
        found: GuardPreview {
            near,
            accepted: used.len(),
            view,
        },
        notices: result.notices,
    })
}

fn first_question(
    game: &Game,
    created: Created,
    near: &GuardsRetrieved,
) -> Result<Result<(Chair, Vec<ViewMessage>), String>> {
    let protocol = created.protocol.id.clone();
    let Some(chair) = created.guarded_chairs().into_iter().next() else {
        return Ok(Err(format!(
            "'{protocol}' judges no single turns, so guardrails are not asked in it"
        )));
    };
    if near.candidates.is_empty() {
        return Ok(Err("no guardrail is near, so no model is asked".to_owned()));
    }
    let state = state_with(created, Event::GuardsRetrieved(near.clone()))?;
    let view = guard_view(&game.engine, &state, &chair)?;
    Ok(Ok((chair, expand_view(&state, None, view).messages)))
}

/// Returns the state of a debate that has begun and retrieved something from memory.
///
/// # Errors
/// When its protocol retrieves none of that.
pub fn state_with(created: Created, retrieved: Event) -> Result<State> {
    let mut state = State::default();
    for event in [Event::Created(Box::new(created)), retrieved] {
        let record = Record {
            at: String::new(),
            by: Author::Engine,
            event,
        };
        state
            .apply_event(&record)
            .map_err(WorkspaceError::Refused)?;
    }
    Ok(state)
}

fn holds_memory(view: &View) -> bool {
    let parts = view.messages.iter().flat_map(|message| &message.parts);
    parts
        .into_iter()
        .any(|part| matches!(part.from, PartSource::Memory(_)))
}
