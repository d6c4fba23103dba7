//! Registry of kinds of journals, and detection of a journal's kind.
//!
//! Which kinds there are is said where all of them can be seen: `annotation::JOURNAL_KINDS`.

use crate::workspace::{Intake, JournalKind, WorkspaceError};
use elenchus_store::{ReadLine, open_lines};
use serde_json::Value;
use std::path::Path;

/// Kinds of journals that are known.
#[derive(Debug, Clone, Copy)]
pub struct JournalRegistry(pub &'static [&'static RegisteredKind]);

impl JournalRegistry {
    /// Returns the kind of the journals of a folder, as it is named in [`RegisteredKind::folders`].
    pub fn find_by_folder(self, folder: &str) -> Option<&'static RegisteredKind> {
        let mut all = self.0.iter().copied();
        all.find(|kind| kind.folders.contains(&folder))
    }

    /// Returns the place of a kind, by the name in its envelopes.
    pub fn find_place(self, kind: &str) -> Option<usize> {
        self.0.iter().position(|known| known.kind == kind)
    }

    /// Detects the kind of a journal by its envelope, or by its first event where it has none.
    ///
    /// # Errors
    /// When the file or its first line cannot be read.
    pub fn detect_kind(self, path: &Path) -> Result<DetectedKind, WorkspaceError> {
        let Some(line) = open_lines::<Value>(path)?.next().transpose()? else {
            return Ok(DetectedKind::Empty);
        };
        if let Some(envelope) = line.envelope() {
            let mut all = self.0.iter().copied();
            let registered_kind = all.find(|kind| kind.kind == envelope.kind);
            return Ok(
                registered_kind.map_or(DetectedKind::None(envelope.kind), DetectedKind::Kind)
            );
        }
        let event = match line {
            ReadLine::Known(line) => line.event,
            ReadLine::Unknown { kind, .. } => return Ok(DetectedKind::None(kind)),
        };
        let fitting = self.0.iter().copied();
        let fitting = fitting.filter(|kind| (kind.is_first)(&event));
        let fitting: Vec<&'static RegisteredKind> = fitting.collect();
        Ok(match fitting.as_slice() {
            [] => DetectedKind::None(event["type"].as_str().unwrap_or_default().to_owned()),
            [one] => DetectedKind::Kind(one),
            _ => DetectedKind::Several(fitting),
        })
    }
}

/// Kind of journal, for code that handles all of them alike. Each is a static of the crate whose events it
/// keeps, so that reading them is compiled there and once.
#[derive(Debug)]
pub struct RegisteredKind {
    /// Name in a journal's envelope.
    pub kind: &'static str,
    /// What one of them is called, and several.
    pub names: (&'static str, &'static str),
    /// Folders of a store that hold such journals; `*` is a namespace of memory.
    pub folders: &'static [&'static str],
    pub intake: Intake,
    pub begins_with_one: bool,
    is_first: fn(&Value) -> bool,
    check: fn(&Path) -> Result<(), WorkspaceError>,
}

impl RegisteredKind {
    /// Returns the kind of these events.
    pub const fn new<K: JournalKind>() -> Self {
        Self {
            kind: K::KIND,
            names: K::NAMES,
            folders: K::FOLDERS,
            intake: K::INTAKE,
            begins_with_one: K::BEGINS_WITH_ONE,
            is_first: K::is_first,
            check: check_as_kind::<K>,
        }
    }

    /// Says whether this is the kind of journals with these events.
    pub fn is_kind<K: JournalKind>(&self) -> bool {
        self.kind == K::KIND
    }

    /// Reads a journal as one of this kind. Blocks.
    ///
    /// # Errors
    /// When a line is of a kind that this version does not know, or the lines do not fit each other.
    pub fn check_journal(&self, path: &Path) -> Result<(), WorkspaceError> {
        (self.check)(path)
    }
}

fn check_as_kind<K: JournalKind>(path: &Path) -> Result<(), WorkspaceError> {
    K::read_state(path).map(drop)
}

/// Kind of a journal as its first line shows it.
#[derive(Debug)]
pub enum DetectedKind {
    Kind(&'static RegisteredKind),
    /// It has no envelope, and its first event fits journals of several kinds.
    Several(Vec<&'static RegisteredKind>),
    /// Type of an event that begins no journal of this version, or the kind that its envelope names.
    None(String),
    /// There is no first event.
    Empty,
}
