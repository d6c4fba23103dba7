//! Nearest guardrails to a topic.

use super::fold::Guard;
use super::text::MAX_EXAMPLES;
use crate::memory::{
    DEFAULT_TOP_K, EntryId, Excluded, Exclusion, MemoryEntry, RetrieveError, Retriever,
    RetrievingDebate, retrieve,
};
use std::collections::HashMap;

/// The guardrails nearest to a topic, best first, and those that were excluded.
#[derive(Debug, Clone, PartialEq)]
pub struct NearestGuards<'a> {
    /// [`Retriever::name`].
    pub retriever: String,
    pub guards: Vec<(&'a Guard, f64)>,
    pub excluded: Vec<(&'a Guard, Excluded)>,
}

/// Ranks guardrails for the asker's topic; at most [`DEFAULT_TOP_K`]. A guardrail is as near as the nearest
/// of its texts, the intent or an example.
///
/// # Errors
/// When the retriever cannot rank now.
pub fn nearest_guards<'a>(
    retriever: &dyn Retriever,
    asker: &RetrievingDebate<'_>,
    guards: &[&'a Guard],
    exclusion: &Exclusion,
) -> Result<NearestGuards<'a>, RetrieveError> {
    let mut texts = Vec::new();
    let mut places: HashMap<String, usize> = HashMap::new();
    for (place, guard) in guards.iter().enumerate() {
        let shown = guard.examples.iter().take(MAX_EXAMPLES);
        for (number, text) in std::iter::once(&guard.intent).chain(shown).enumerate() {
            let id = format!("{}/{number}", guard.id);
            places.insert(id.clone(), place);
            texts.push(as_entry(guard, id, text));
        }
    }
    // Several texts of one guardrail may be nearest: all texts are ranked, but guardrails are
    // counted.
    let found = retrieve(retriever, asker, &texts, texts.len(), exclusion)?;
    let mut nearest: Vec<(&Guard, f64)> = Vec::new();
    for hit in &found.hits {
        let guard = places.get(&hit.id).and_then(|place| guards.get(*place));
        let Some(guard) = guard.copied() else {
            continue;
        };
        let known = nearest.iter().any(|(one, _)| one.id == guard.id);
        if !known && nearest.len() < DEFAULT_TOP_K {
            nearest.push((guard, hit.score));
        }
    }
    let mut excluded: Vec<(&Guard, Excluded)> = Vec::new();
    for left_out in found.excluded {
        let guard = places.get(&left_out.id.0);
        let Some(guard) = guard.and_then(|place| guards.get(*place)).copied() else {
            continue;
        };
        if !excluded.iter().any(|(one, _)| one.id == guard.id) {
            excluded.push((guard, left_out));
        }
    }
    Ok(NearestGuards {
        retriever: found.retriever,
        guards: nearest,
        excluded,
    })
}

/// A text of a guardrail as an entry, so that the same rules keep it from an asker.
fn as_entry(guard: &Guard, id: String, text: &str) -> MemoryEntry {
    MemoryEntry {
        id: EntryId(id),
        text: text.to_owned(),
        origins: guard.origins.clone(),
        at: guard.at.clone(),
        journal: String::new(),
        revision: guard.revision,
        disabled: false,
        deleted: false,
        earlier: Vec::new(),
        merged: Vec::new(),
    }
}
