//! Lessons of a namespace as texts that a model is trained on.

use super::book::{Asks, MemoryBook};
use super::journals::read_with_index;
use crate::workspace::error::Result;
use elenchus_game::debate::event::Created;
use elenchus_memory::{
    EntryId, EntryKind, EntryOrigin, EntryStatus, Exclusion, MemoryEntry, RetrievingDebate,
    is_taught_by_topic,
};
use elenchus_store::{Hash, Layout};
use serde::Serialize;
use std::collections::HashSet;

/// Lessons up to which the sets that a set grew from are compared: each of them is hashed.
const MAX_SEARCHED: usize = 1000;

/// Every lesson that was written and is in use, also those that became part of an entry which says the same: who is
/// trained sees each. Their order depends on the debates that taught them and not on which of these was over first.
#[derive(Debug, Clone, Default)]
pub struct LessonSet {
    lessons: Vec<Lesson>,
}

#[derive(Debug, Clone)]
struct Lesson {
    id: EntryId,
    text: String,
    /// `None` where a person wrote it.
    origin: Option<EntryOrigin>,
    /// When its text was written, RFC 3339.
    at: String,
}

/// A line of a file of texts.
#[derive(Serialize)]
struct TextLine<'a> {
    text: &'a str,
}

impl LessonSet {
    pub(super) fn from_entries<'a>(entries: impl Iterator<Item = &'a MemoryEntry>) -> Self {
        let live = entries.filter(|entry| entry.availability() == EntryStatus::Live);
        let lessons = live.flat_map(list_lessons);
        let mut lessons: Vec<Lesson> = lessons
            .filter(|lesson| !lesson.text.trim().is_empty())
            .collect();
        // Ids of debates are drawn anew in each run: two runs of one plan have the same order by their topics.
        lessons.sort_by_cached_key(|lesson| {
            let place = lesson.origin.as_ref().map(|origin| {
                let run = origin.run.clone();
                (run, origin.batch, origin.topic_id.clone())
            });
            (place, lesson.text.clone(), lesson.id.clone())
        });
        Self { lessons }
    }

    /// Returns the number of lessons.
    pub fn len(&self) -> usize {
        self.lessons.len()
    }

    /// Says whether there is none.
    pub fn is_empty(&self) -> bool {
        self.lessons.is_empty()
    }

    /// Returns their texts, in order.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        self.lessons.iter().map(|lesson| lesson.text.trim())
    }

    /// Returns how many lessons an earlier set does not hold.
    pub fn count_missing_from(&self, earlier: &LessonSet) -> usize {
        let known: HashSet<&EntryId> = earlier.lessons.iter().map(|lesson| &lesson.id).collect();
        let is_new = |lesson: &&Lesson| !known.contains(&lesson.id);
        self.lessons.iter().filter(is_new).count()
    }

    /// Returns the SHA-256 of the file that holds them, a text in JSON on each line.
    pub fn sha256(&self) -> String {
        hash_texts(self.texts())
    }

    /// Returns how many of the lessons that were written first have a hash that begins so; `None` where none of the
    /// sets that this one grew from has, or it is too large to be searched.
    pub fn find_hash(&self, beginning: &str) -> Option<usize> {
        let beginning = beginning.to_ascii_lowercase();
        if self.sha256().starts_with(&beginning) {
            return Some(self.len());
        }
        let mut by_time: Vec<usize> = (0..self.len()).collect();
        by_time.sort_by_key(|at| &self.lessons[*at].at);
        let mut counts = (1..self.len().min(MAX_SEARCHED)).rev();
        counts.find(|count| {
            let first: HashSet<&usize> = by_time.iter().take(*count).collect();
            let texts = self.texts().enumerate();
            let texts = texts.filter_map(|(at, text)| first.contains(&at).then_some(text));
            hash_texts(texts).starts_with(&beginning)
        })
    }

    /// Says whether the topic of a debate, a near-duplicate of it or a fork taught one of them.
    pub fn knows_topic_of(&self, created: &Created) -> bool {
        let asks = Asks::from_created(created);
        // All of them count, whenever they were taught.
        let asker = RetrievingDebate {
            run: None,
            ..asks.asker()
        };
        let origins = self
            .lessons
            .iter()
            .filter_map(|lesson| lesson.origin.as_ref());
        is_taught_by_topic(&asker, origins, &Exclusion::default())
    }

    fn retain(mut self, keeps: impl Fn(Option<&EntryOrigin>) -> bool) -> Self {
        self.lessons.retain(|lesson| keeps(lesson.origin.as_ref()));
        self
    }
}

/// Lists an entry's own text and those that became part of it.
fn list_lessons(entry: &MemoryEntry) -> Vec<Lesson> {
    let own = Lesson {
        id: entry.id.clone(),
        text: entry.text.clone(),
        origin: entry.origins.first().cloned(),
        at: entry.at.clone(),
    };
    let merged = entry.merged.iter().map(|merged| {
        let mut origins = entry.origins.iter();
        Lesson {
            id: merged.id.clone(),
            text: merged.text.clone(),
            origin: origins
                .rfind(|origin| origin.session == merged.session)
                .cloned(),
            at: merged.at.clone(),
        }
    });
    std::iter::once(own).chain(merged).collect()
}

/// Writes texts as a file, one in JSON on each line.
pub fn write_text_lines<'a>(texts: impl Iterator<Item = &'a str>) -> String {
    let lines = texts.map(|text| {
        // A text always becomes JSON.
        serde_json::to_string(&TextLine { text }).unwrap_or_default() + "\n"
    });
    lines.collect()
}

/// Returns the SHA-256 of the file that [`write_text_lines`] makes of texts.
fn hash_texts<'a>(texts: impl Iterator<Item = &'a str>) -> String {
    Hash::digest(write_text_lines(texts).as_bytes()).to_string()
}

/// Returns how many lessons a namespace held at a time, RFC 3339.
///
/// # Errors
/// When a journal cannot be read.
pub fn count_lessons_at(layout: &Layout, namespace: &str, as_of: &str) -> Result<usize> {
    let mut read = read_with_index(layout, EntryKind::Lesson, namespace)?;
    read.cut_off("", as_of, None);
    let folded = read.fold_entries();
    Ok(LessonSet::from_entries(folded.entries_of_kind(EntryKind::Lesson)).len())
}

impl MemoryBook {
    /// Returns the lessons that debates of a batch of a run may know: those of others, and what its earlier
    /// batches taught.
    pub fn lessons_before(&self, run: &str, batch: u32) -> LessonSet {
        self.all_lessons().retain(|origin| {
            origin.is_none_or(|origin| {
                origin.run.as_deref() != Some(run) || origin.batch.is_some_and(|own| own < batch)
            })
        })
    }

    /// Returns all lessons that are there.
    pub fn all_lessons(&self) -> LessonSet {
        LessonSet::from_entries(self.lessons().entries_of_kind(EntryKind::Lesson))
    }
}
