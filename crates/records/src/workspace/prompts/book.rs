//! Versions of prompts that were kept, with the labels people gave them.
//!
//! A text is a file of its own, named by its SHA-256 and never changed. A journal per person says which
//! prompt it belongs to, when it was kept and why. Sessions hold themselves what they were played with.

use super::name::PromptName;
use crate::workspace::annotations::journal_of_person;
use crate::workspace::error::{Result, WorkspaceError};
use crate::workspace::store_context::StoreContext;
use crate::workspace::{Intake, JournalKind, has_fields};
use elenchus_game::debate::Author;
use elenchus_store::{
    Hash, Import, JournalLine, JournalType, JournalWriter, Layout, ReadLine, import_of,
    read_journal, read_regular, replace_private as keep_private,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

/// The longest label, in characters.
const MAX_LABEL_CHARS: usize = 40;
/// Name of the text that is used now; no label.
pub const NOW: &str = "now";
/// The largest text that is kept, in bytes: more than any template may have, so that even a file that
/// cannot be used is kept before it is replaced.
const MAX_TEXT_BYTES: usize = 16 << 20;

/// Store in which a person keeps texts of prompts; it holds no lock between two writes.
#[derive(Debug, Clone)]
pub struct PromptBook {
    store: StoreContext,
}

/// Why a text was kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum KeptBecause {
    /// It became the text that is used.
    Saved,
    /// It was the text that was used, and another one took its place.
    Replaced,
    Tried,
    /// An earlier text became the one that is used again.
    Restored,
    Labelled,
    /// It was pinned as it is.
    Accepted,
}

/// Kept prompts of all people.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct KeptPrompts {
    /// Oldest first.
    pub kept: Vec<KeptPrompt>,
    /// The text of each label of a prompt.
    pub labels: BTreeMap<PromptName, BTreeMap<String, Hash>>,
    /// Journals that could not be read, or not all of them.
    pub unread: usize,
}

/// A text of a prompt that was kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptPrompt {
    pub name: PromptName,
    pub hash: Hash,
    /// RFC 3339, UTC.
    pub at: String,
    pub because: KeptBecause,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum BookEvent {
    Kept {
        prompt: String,
        sha256: Hash,
        because: KeptBecause,
    },
    Labelled {
        prompt: String,
        sha256: Hash,
        label: String,
    },
    Unlabelled {
        prompt: String,
        label: String,
    },
}

/// Reads the kept prompts of all people, without locks. Blocks.
///
/// # Errors
/// When the books cannot be listed.
pub fn read_kept(layout: &Layout) -> Result<KeptPrompts> {
    let mut all = KeptPrompts::default();
    let mut did = Vec::new();
    for person in layout.list_names("prompts")? {
        let path = layout.prompt_book(&person)?;
        let Ok(journal) = read_journal::<BookEvent>(&path) else {
            all.unread += 1;
            continue;
        };
        let before = did.len();
        let lines = journal.lines.len();
        // What was labelled elsewhere counts as of the import at most, whatever time it claims.
        let import = import_of(&path);
        let event_time = |place: usize, at: String| match &import {
            Some(import) if came_with(import, place) && at > import.at => import.at.clone(),
            Some(_) | None => at,
        };
        let lines_read = journal.lines.into_iter().enumerate();
        did.extend(lines_read.filter_map(|(place, line)| match line {
            ReadLine::Known(line) => Some((event_time(place, line.at), line.event)),
            ReadLine::Unknown { .. } => None,
        }));
        all.unread += usize::from(did.len() - before < lines);
    }
    // Labels of several people are merged: the later one counts. Equal times keep their order.
    did.sort_by(|(one, _), (other, _)| one.cmp(other));
    for (at, event) in did {
        all.apply_book_event(at, event);
    }
    Ok(all)
}

/// Returns whether the line at a place came with an import, and was not written here since.
fn came_with(import: &Import, place: usize) -> bool {
    let lines = import.lines.unwrap_or_default();
    u64::try_from(place).is_ok_and(|place| place < lines)
}

impl JournalType for BookEvent {
    type Event = Self;
    const KIND: &'static str = "prompt_versions";
}

impl JournalKind for BookEvent {
    type State = Vec<JournalLine<Self>>;
    const NAMES: (&'static str, &'static str) =
        ("journal of prompt versions", "journals of prompt versions");
    const FOLDERS: &'static [&'static str] = &["prompts"];
    const INTAKE: Intake = Intake::ByName;

    fn is_first(event: &Value) -> bool {
        ["kept", "labelled", "unlabelled"]
            .iter()
            .any(|named| has_fields(event, named, &["prompt"]))
    }

    fn fold_journal(_: &Path, lines: Self::State) -> Result<Self::State> {
        Ok(lines)
    }
}

/// Reads a kept text; `None` where there is none, or not the one that was kept. Blocks.
pub fn kept_text(layout: &Layout, hash: &Hash) -> Option<Arc<str>> {
    let bytes = read_regular(&layout.prompt_text(hash)).ok()?;
    let text = String::from_utf8(bytes).ok()?;
    (Hash::digest(text.as_bytes()) == *hash).then(|| Arc::from(text))
}

/// Copies the texts that the books of one store keep and another one lacks. Blocks.
///
/// # Errors
/// When the books cannot be listed, or the disk refuses.
pub fn copy_kept_texts(from: &Layout, to: &Layout) -> Result<()> {
    for kept in read_kept(from)?.kept {
        let text = kept_text(from, &kept.hash);
        if let (Some(text), None) = (text, kept_text(to, &kept.hash)) {
            keep_private(&to.prompt_text(&kept.hash), text.as_bytes())?;
        }
    }
    Ok(())
}

/// Names every kept text that is gone or no longer what was kept. Blocks.
///
/// # Errors
/// When the books cannot be listed.
pub fn changed_texts(layout: &Layout) -> Result<Vec<String>> {
    let texts = read_kept(layout)?.kept.into_iter();
    let hashes: BTreeSet<Hash> = texts.map(|kept| kept.hash).collect();
    let changed_hashes = hashes
        .iter()
        .filter(|hash| kept_text(layout, hash).is_none());
    let faults = changed_hashes.map(|hash| {
        let path = layout.prompt_text(hash);
        format!(
            "{}: the kept prompt is not what was written",
            path.display()
        )
    });
    Ok(faults.collect())
}

/// Refuses what is no short word, or could be taken for a hash.
///
/// # Errors
/// Says what a label is.
pub fn check_label(label: &str) -> Result<()> {
    let letters = label.chars().count();
    let plain = |letter: char| letter.is_alphanumeric() || matches!(letter, '-' | '_' | '.');
    if letters == 0 || letters > MAX_LABEL_CHARS || !label.chars().all(plain) {
        return Err(invalid_prompt(format!(
            "'{label}' is no label: a label is one word of letters, digits, '-', '_' and '.', with \
             at most {MAX_LABEL_CHARS} characters"
        )));
    }
    if label == NOW {
        return Err(invalid_prompt(format!(
            "'{NOW}' means the text that is used now, whichever it is; choose another label"
        )));
    }
    if label.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return Err(invalid_prompt(format!(
            "'{label}' could be the beginning of a hash; give the label another letter"
        )));
    }
    Ok(())
}

impl KeptPrompts {
    /// Returns the labels of a text of a prompt, sorted.
    pub fn labels_of(&self, name: &PromptName, hash: &Hash) -> Vec<String> {
        let labels = self.labels.get(name).into_iter().flatten();
        let on = labels.filter(|(_, labelled)| *labelled == hash);
        on.map(|(label, _)| label.clone()).collect()
    }

    /// Returns the texts that were kept of a prompt, each once.
    pub fn texts_of(&self, name: &PromptName) -> BTreeSet<Hash> {
        let texts = self.kept.iter().filter(|kept| kept.name == *name);
        texts.map(|kept| kept.hash).collect()
    }

    fn apply_book_event(&mut self, at: String, event: BookEvent) {
        match event {
            BookEvent::Kept {
                prompt,
                sha256: hash,
                because,
            } => {
                if let Ok(name) = prompt.parse() {
                    self.kept.push(KeptPrompt {
                        name,
                        hash,
                        at,
                        because,
                    });
                }
            }
            BookEvent::Labelled {
                prompt,
                sha256,
                label,
            } => {
                if let Ok(name) = prompt.parse() {
                    self.labels.entry(name).or_default().insert(label, sha256);
                }
            }
            BookEvent::Unlabelled { prompt, label } => {
                let name = prompt.parse().ok();
                if let Some(labels) = name.and_then(|name: PromptName| self.labels.get_mut(&name)) {
                    labels.remove(&label);
                }
            }
        }
    }
}

impl PromptBook {
    /// Returns the book of a person; touches nothing.
    pub fn new(store: &StoreContext) -> Self {
        Self {
            store: store.clone(),
        }
    }

    /// Keeps a text of a prompt and returns its version; durable when this returns. Where it is the
    /// one that was kept last, nothing is written. Blocks.
    ///
    /// # Errors
    /// When the text is larger than 16 MiB, another process writes in the journal for too long, or the
    /// disk refuses.
    pub fn keep_text(&self, name: &PromptName, text: &str, because: KeptBecause) -> Result<Hash> {
        let hash = self.write_text(text)?;
        let all = read_kept(&self.store.layout)?;
        let last = all.kept.iter().rfind(|kept| kept.name == *name);
        if last.is_none_or(|last| last.hash != hash) {
            self.append_event(&BookEvent::Kept {
                prompt: name.to_string(),
                sha256: hash,
                because,
            })?;
        }
        Ok(hash)
    }

    /// Labels a text of a prompt, and keeps it. A label belongs to one text of a prompt: it is
    /// moved from another one, which is returned. Blocks.
    ///
    /// # Errors
    /// When the label is no short word, and as [`keep_text`](Self::keep_text).
    pub fn label_text(&self, name: &PromptName, text: &str, label: &str) -> Result<Option<Hash>> {
        check_label(label)?;
        let hash = self.write_text(text)?;
        let all = read_kept(&self.store.layout)?;
        let previous_hash = all.labels.get(name).and_then(|labels| labels.get(label));
        if previous_hash == Some(&hash) {
            return Ok(None);
        }
        if !all.texts_of(name).contains(&hash) {
            self.append_event(&BookEvent::Kept {
                prompt: name.to_string(),
                sha256: hash,
                because: KeptBecause::Labelled,
            })?;
        }
        self.append_event(&BookEvent::Labelled {
            prompt: name.to_string(),
            sha256: hash,
            label: label.to_owned(),
        })?;
        Ok(previous_hash.copied())
    }

    /// Takes a label away; returns the text it was on. Blocks.
    ///
    /// # Errors
    /// When the prompt has no such label (names those it has), and as [`keep_text`](Self::keep_text).
    pub fn remove_label(&self, name: &PromptName, label: &str) -> Result<Hash> {
        let all = read_kept(&self.store.layout)?;
        let labels = all.labels.get(name).cloned().unwrap_or_default();
        let Some(hash) = labels.get(label) else {
            let names: Vec<&str> = labels.keys().map(String::as_str).collect();
            return Err(invalid_prompt(match names.as_slice() {
                [] => format!("{name} has no labels"),
                known => format!("{name} has no label '{label}'; it has {}", known.join(", ")),
            }));
        };
        self.append_event(&BookEvent::Unlabelled {
            prompt: name.to_string(),
            label: label.to_owned(),
        })?;
        Ok(*hash)
    }

    /// Puts a label on a text of a prompt; takes it away where it is on that text already. Blocks.
    ///
    /// # Errors
    /// As [`label_text`](Self::label_text).
    pub fn toggle_label(&self, name: &PromptName, text: &str, label: &str) -> Result<()> {
        let labels = read_kept(&self.store.layout)?.labels;
        let stands_on = labels.get(name).and_then(|labels| labels.get(label));
        match stands_on == Some(&Hash::digest(text.as_bytes())) {
            true => self.remove_label(name, label).map(|_| ()),
            false => self.label_text(name, text, label).map(|_| ()),
        }
    }

    fn write_text(&self, text: &str) -> Result<Hash> {
        if text.len() > MAX_TEXT_BYTES {
            return Err(invalid_prompt(format!(
                "a text of {} bytes is no prompt, and is not kept; the most is {MAX_TEXT_BYTES}",
                text.len()
            )));
        }
        let hash = Hash::digest(text.as_bytes());
        if kept_text(&self.store.layout, &hash).is_none() {
            keep_private(&self.store.layout.prompt_text(&hash), text.as_bytes())?;
        }
        Ok(hash)
    }

    /// Opens the journal for one line. Another process that writes a line there is soon done.
    fn append_event(&self, event: &BookEvent) -> Result<()> {
        let store = &self.store;
        let path = journal_of_person(&store.layout, "prompts", &store.person)?;
        let journal: JournalWriter<BookEvent> =
            store.journals().begin_or_resume_soon(&path)?.writer;
        let by = Author::Person(store.person.clone()).to_string();
        journal.append_blocking(&store.clock.now(), &by, event)?;
        Ok(())
    }
}

fn invalid_prompt(why: String) -> WorkspaceError {
    WorkspaceError::Invalid(why)
}
