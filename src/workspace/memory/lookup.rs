//! Lookup of entries by meaning, and preview of the lessons that a debate would be shown.

use super::book::look_up;
use super::browse::NamespaceEntries;
use super::ranking::{Ranking, WithNotices};
use crate::debate::event::{Author, Created, Event, MemoryUse, Record, Retrieved};
use crate::debate::step::Step;
use crate::debate::view::{PartSource, View, ViewMessage};
use crate::debate::{Chair, SessionId, State, Topic};
use crate::library::Game;
use crate::memory::{EntryId, EntryStatus, RetrievalItem, RetrievingDebate};
use crate::prompt::{expand, speaker_view};
use crate::workspace::error::WorkspaceError;

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

/// Finds the entries nearest to a text, disabled ones too: nothing is kept from a person. Blocks.
///
/// # Errors
/// When the vectors of the namespace cannot be kept.
pub fn search(
    shelf: &NamespaceEntries,
    ranking: &Ranking,
    query: &str,
    at_most: usize,
) -> Result<WithNotices<EntrySearch>, WorkspaceError> {
    let entries = shelf.folded.entries.iter();
    let there = entries.filter(|entry| entry.standing() != EntryStatus::Deleted);
    let items: Vec<RetrievalItem<'_>> = there
        .map(|entry| RetrievalItem {
            id: &entry.id.0,
            text: &entry.text,
        })
        .collect();
    ranking.with_blocking(|retriever| {
        let hits = retriever.rank(query, &items, at_most)?;
        let scored = hits.into_iter().map(|hit| ScoredEntry {
            id: EntryId(hit.id),
            score: hit.score,
        });
        Ok(EntrySearch {
            retriever: retriever.name().to_owned(),
            entries: scored.collect(),
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
) -> Result<WithNotices<LessonPreview>, WorkspaceError> {
    let created = asking(game, topic, &shelf.namespace);
    let asker = RetrievingDebate {
        topic_id: &created.topic.id,
        topic_text: &created.topic.text,
        root_session: created.session.as_str(),
        run: None,
    };
    let looked = ranking.with_blocking(|retriever| look_up(retriever, &asker, &shelf.folded))?;
    let retrieved = looked.found;
    let view = first_view(game, created, &retrieved)?;
    Ok(WithNotices {
        found: LessonPreview { retrieved, view },
        notices: looked.notices,
    })
}

/// A debate that is never played: its cast makes no difference to what is shown.
pub(super) fn asking(game: &Game, topic: Topic, namespace: &str) -> Created {
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
            ..MemoryUse::default()
        },
        ..sample
    }
}

fn first_view(
    game: &Game,
    created: Created,
    retrieved: &Retrieved,
) -> Result<Result<(Chair, Vec<ViewMessage>), String>, WorkspaceError> {
    let protocol = created.protocol.id.clone();
    let mut state = State::default();
    let happened = [
        Event::Created(Box::new(created)),
        Event::Retrieved(retrieved.clone()),
    ];
    for event in happened {
        let record = Record {
            at: String::new(),
            by: Author::Engine,
            event,
        };
        if state.apply(&record).is_err() {
            return Ok(Err(format!("'{protocol}' reads no memory")));
        }
    }
    for step in state.open().steps {
        let (Step::Speak(speak) | Step::AwaitSpeaker(speak)) = &step else {
            continue;
        };
        let view = speaker_view(&game.engine, &state, speak)?;
        let view = expand(&state, Some(&speak.turn), view);
        if retrieved.entries.is_empty() || holds_memory(&view) {
            return Ok(Ok((speak.turn.chair.clone(), view.messages)));
        }
    }
    Ok(Err(format!(
        "the first turns of '{protocol}' are shown no memory; 'elenchus protocols show {protocol}' \
         lists the seats that are"
    )))
}

fn holds_memory(view: &View) -> bool {
    let parts = view.messages.iter().flat_map(|message| &message.parts);
    parts
        .into_iter()
        .any(|part| matches!(part.from, PartSource::Memory(_)))
}
