//! Kinds of journals: what each is called, where it lies in a store, and what its lines come to.
//!
//! Each room implements [`JournalKind`] for the journals it keeps; `annotation::JOURNAL_KINDS` names them
//! all. Checks, export, import and lists of journals know a kind by that alone.

use super::error::Result;
use super::journal_lines::known_lines;
use elenchus_store::{JournalLine, JournalType, JournalWriter, Journals, TailNotice, read_journal};
use serde_json::Value;
use std::path::Path;

/// How journals of a kind come in from another store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Intake {
    /// With the import: they record what was played or computed, and speak for nobody.
    Freely,
    /// Where their writer is named: labels, lessons, prompts in use and the like are acts of people, which
    /// change figures and later debates.
    ByName,
}

/// Kind of journal, implemented by its type.
pub trait JournalKind: JournalType {
    /// What the lines of a journal come to.
    type State;
    /// What one of them is called, as in "1 run", and several.
    const NAMES: (&'static str, &'static str);
    /// Folders of a store that hold such journals; `*` is a namespace of memory.
    const FOLDERS: &'static [&'static str];
    /// How they come in from another store.
    const INTAKE: Intake;
    /// Whether every journal of the kind begins with one line that says what it is. One that does
    /// not is broken.
    const BEGINS_WITH_ONE: bool = false;

    /// Says whether an event begins a journal of this kind. It distinguishes kinds of journals without
    /// an envelope apart.
    fn is_first(event: &Value) -> bool {
        // By the code that reads lines: to read values as well would compile every kind of event once more.
        let text = event.to_string();
        serde_json::from_slice::<Self::Event>(text.as_bytes()).is_ok()
    }

    /// Folds the lines of a journal. `path` is for messages.
    ///
    /// # Errors
    /// When the lines do not fit each other.
    fn fold_journal(path: &Path, lines: Vec<JournalLine<Self::Event>>) -> Result<Self::State>;

    /// Reads a journal without its lock. Blocks.
    ///
    /// # Errors
    /// When it cannot be read, a line is of a kind that this version does not know, or the lines do
    /// not fit each other.
    fn read_state(path: &Path) -> Result<Self::State> {
        Self::fold_journal(path, Self::read_lines(path)?)
    }

    /// Reads the lines of a journal without its lock. Blocks.
    ///
    /// # Errors
    /// When it cannot be read, or a line is of a kind that this version does not know.
    fn read_lines(path: &Path) -> Result<Vec<JournalLine<Self::Event>>> {
        known_lines(path, read_journal(path)?.lines)
    }
}

/// Journal that was opened to go on with it.
pub struct ResumedJournal<K: JournalKind> {
    pub writer: JournalWriter<K>,
    pub state: K::State,
    /// Repairs made when it was opened.
    pub notices: Vec<TailNotice>,
}

/// Opens a journal to go on with it. Blocks for a read and two syncs.
///
/// # Errors
/// When another process writes to it, and as [`JournalKind::read_state`].
pub fn resume_journal<K: JournalKind>(
    journals: &Journals,
    path: &Path,
) -> Result<ResumedJournal<K>> {
    let journal = journals.resume_journal::<K>(path)?;
    Ok(ResumedJournal {
        state: K::fold_journal(path, known_lines(path, journal.lines)?)?,
        writer: journal.writer,
        notices: journal.notices,
    })
}

/// Says whether an event has a type and these fields.
pub fn has_fields(event: &Value, named: &str, fields: &[&str]) -> bool {
    event["type"] == named && fields.iter().all(|field| event.get(field).is_some())
}
