//! Registry of all kinds of journals, and the detection of a journal's kind.

use super::blinded::BlindedEvent;
use super::pack::PackEvent;
use super::queue::QueueEvent;
use crate::debate::event::Event;
use crate::experiments::prompt_ab::AbEvent;
use crate::experiments::prompt_trial::TrialPlan;
use crate::experiments::{BenchmarkPlan, GoldenPlan};
use crate::memory::MemoryEvent;
use crate::store::{ReadLine, open_lines};
use crate::workspace::annotations::AnnotationEvent;
use crate::workspace::memory::{GuardrailLine, TrialEvent};
use crate::workspace::pass::PassEvent;
use crate::workspace::prompts::BookEvent;
use crate::workspace::run::RunEvent;
use crate::workspace::sweep::SweepEvent;
use crate::workspace::{ItemEvent, JournalKind, WorkspaceError};
use serde_json::Value;
use std::path::Path;

/// Every kind of journal that this version knows.
pub static JOURNAL_KINDS: &[RegisteredKind] = &[
    RegisteredKind::of::<Event>(),
    RegisteredKind::of::<RunEvent>(),
    RegisteredKind::of::<SweepEvent>(),
    RegisteredKind::of::<PassEvent>(),
    RegisteredKind::of::<AbEvent>(),
    RegisteredKind::of::<ItemEvent<GoldenPlan>>(),
    RegisteredKind::of::<ItemEvent<TrialPlan>>(),
    RegisteredKind::of::<ItemEvent<BenchmarkPlan>>(),
    RegisteredKind::of::<QueueEvent>(),
    RegisteredKind::of::<MemoryEvent>(),
    RegisteredKind::of::<GuardrailLine>(),
    RegisteredKind::of::<TrialEvent>(),
    RegisteredKind::of::<AnnotationEvent>(),
    RegisteredKind::of::<BookEvent>(),
    RegisteredKind::of::<BlindedEvent>(),
    RegisteredKind::of::<PackEvent>(),
];

/// Kind of journal, for code that handles all of them alike.
#[derive(Debug)]
pub struct RegisteredKind {
    /// Name in a journal's envelope.
    pub kind: &'static str,
    /// What one of them is called, and several.
    pub names: (&'static str, &'static str),
    /// Folders of a store that hold such journals; `*` is a namespace of memory.
    pub folders: &'static [&'static str],
    pub begins_with_one: bool,
    is_first: fn(&Value) -> bool,
    check: fn(&Path) -> Result<(), WorkspaceError>,
}

impl RegisteredKind {
    /// Returns the kind of these events.
    pub const fn of<K: JournalKind>() -> Self {
        Self {
            kind: K::KIND,
            names: K::NAMES,
            folders: K::FOLDERS,
            begins_with_one: K::BEGINS_WITH_ONE,
            is_first: K::is_first,
            check: check::<K>,
        }
    }

    /// Returns the kind of the journals of a folder, as it is named in [`RegisteredKind::folders`].
    pub fn in_folder(folder: &str) -> Option<&'static RegisteredKind> {
        let mut kinds = JOURNAL_KINDS.iter();
        kinds.find(|kind| kind.folders.contains(&folder))
    }

    /// Says whether this is the kind of journals with these events.
    pub fn is<K: JournalKind>(&self) -> bool {
        self.kind == K::KIND
    }

    /// Reads a journal as one of this kind. Blocks.
    ///
    /// # Errors
    /// When a line is of a kind that this version does not know, or the lines do not fit each other.
    pub fn check(&self, path: &Path) -> Result<(), WorkspaceError> {
        (self.check)(path)
    }
}

fn check<K: JournalKind>(path: &Path) -> Result<(), WorkspaceError> {
    K::read(path).map(drop)
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

/// Detects the kind of a journal by its envelope, or by its first event where it has none.
///
/// # Errors
/// When the file or its first line cannot be read.
pub fn detect_kind(path: &Path) -> Result<DetectedKind, WorkspaceError> {
    let Some(line) = open_lines::<Value>(path)?.next().transpose()? else {
        return Ok(DetectedKind::Empty);
    };
    if let Some(envelope) = line.envelope() {
        let known = JOURNAL_KINDS.iter().find(|kind| kind.kind == envelope.kind);
        return Ok(known.map_or(DetectedKind::None(envelope.kind), DetectedKind::Kind));
    }
    let event = match line {
        ReadLine::Known(line) => line.event,
        ReadLine::Unknown { kind, .. } => return Ok(DetectedKind::None(kind)),
    };
    let fitting = JOURNAL_KINDS.iter().filter(|kind| (kind.is_first)(&event));
    let fitting: Vec<&RegisteredKind> = fitting.collect();
    Ok(match fitting.as_slice() {
        [] => DetectedKind::None(event["type"].as_str().unwrap_or_default().to_owned()),
        [one] => DetectedKind::Kind(one),
        _ => DetectedKind::Several(fitting),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::JOURNAL_FOLDERS;

    #[test]
    fn every_folder_of_a_store_holds_journals_of_one_kind_and_every_kind_has_a_folder() {
        for folder in JOURNAL_FOLDERS {
            let kinds = JOURNAL_KINDS.iter();
            let here = kinds.filter(|kind| kind.folders.contains(folder));
            assert_eq!(here.count(), 1, "{folder}");
        }
        for (at, kind) in JOURNAL_KINDS.iter().enumerate() {
            let is_listed = kind.folders.iter().any(|one| JOURNAL_FOLDERS.contains(one));
            assert!(is_listed, "{}", kind.kind);
            let before = JOURNAL_KINDS.iter().position(|one| one.kind == kind.kind);
            assert_eq!(before, Some(at), "{}", kind.kind);
        }
    }
}
