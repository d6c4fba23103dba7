//! Detection of a journal's kind by its first event, and a check that its lines fit that kind.
//! The event's name alone is ambiguous: runs, passes and comparisons all begin with `begun`.

use super::blinded::check_blinded_transcript;
use super::pack::check_pack;
use super::queue::read_queue;
use crate::experiments::prompt_ab::read_ab_journal;
use crate::memory::{GuardEvent, MemoryEvent};
use crate::store::{ReadLine, open_lines};
use crate::workspace::JournalKind;
use crate::workspace::WorkspaceError;
use crate::workspace::annotations::AnnotationEvent;
use crate::workspace::check_lines;
use crate::workspace::memory::check_test;
use crate::workspace::pass::read_pass_journal;
use crate::workspace::prompts::check_book;
use crate::workspace::read_session;
use crate::workspace::run::read_run;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::path::Path;

/// Kind of a journal as its first event shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DetectedKind {
    Kind(JournalKind),
    /// Its fields fit journals of several kinds.
    Several(Vec<JournalKind>),
    /// Type of an event that begins no journal of this version.
    None(String),
    /// There is no first event.
    Empty,
}

/// First events that are known by their type and by fields that no other kind's has.
const FIRST: &[(&str, &[&str], JournalKind)] = &[
    (
        "created",
        &["session", "protocol", "cast"],
        JournalKind::Session,
    ),
    ("begun", &["run", "casts"], JournalKind::Run),
    ("begun", &["pass", "rules"], JournalKind::Pass),
    ("begun", &["arms", "contexts"], JournalKind::Comparison),
    ("defined", &["queue", "set"], JournalKind::Queue),
    (
        "trial_begun",
        &["dataset", "model"],
        JournalKind::GuardrailTest,
    ),
    ("kept", &["prompt"], JournalKind::PromptVersions),
    ("labelled", &["prompt"], JournalKind::PromptVersions),
    ("unlabelled", &["prompt"], JournalKind::PromptVersions),
    ("sheet", &["session"], JournalKind::Sheet),
    ("handed_out", &["pack", "queue"], JournalKind::Pack),
];

/// Detects the kind of a journal by its first event.
///
/// # Errors
/// When the file or its first line cannot be read.
pub fn detect_kind(path: &Path) -> Result<DetectedKind, WorkspaceError> {
    let Some(line) = open_lines::<Value>(path)?.next().transpose()? else {
        return Ok(DetectedKind::Empty);
    };
    let event = match line {
        ReadLine::Known(line) => line.event,
        ReadLine::Unknown { kind, .. } => return Ok(DetectedKind::None(kind)),
    };
    let named = event["type"].as_str().unwrap_or_default();
    let by_fields = FIRST.iter().filter(|(kind, fields, _)| {
        *kind == named && fields.iter().all(|field| event.get(field).is_some())
    });
    let mut kinds: Vec<JournalKind> = by_fields.map(|(_, _, kind)| *kind).collect();
    // Any event of these may be a writer's first.
    for (fits, kind) in [
        (fits::<MemoryEvent>(&event), JournalKind::Lessons),
        (fits::<GuardEvent>(&event), JournalKind::Guardrails),
        (fits::<AnnotationEvent>(&event), JournalKind::Notes),
    ] {
        kinds.extend(fits.then_some(kind));
    }
    Ok(match kinds.as_slice() {
        [] => DetectedKind::None(named.to_owned()),
        [one] => DetectedKind::Kind(*one),
        _ => DetectedKind::Several(kinds),
    })
}

fn fits<E: DeserializeOwned>(event: &Value) -> bool {
    E::deserialize(event).is_ok()
}

/// Reads a journal as one of its kind. Blocks while it reads.
///
/// # Errors
/// When a line is of a kind that this version does not know, or the lines do not fit each other.
pub fn check_journal(path: &Path, kind: JournalKind) -> Result<(), WorkspaceError> {
    match kind {
        JournalKind::Session => read_session(path).map(drop),
        JournalKind::Run => read_run(path).map(drop),
        JournalKind::Pass => read_pass_journal(path).map(drop),
        JournalKind::Comparison => read_ab_journal(path).map(drop),
        JournalKind::Queue => read_queue(path).map(drop),
        JournalKind::Lessons => check_lines::<MemoryEvent>(path),
        JournalKind::Guardrails => check_lines::<GuardEvent>(path),
        JournalKind::GuardrailTest => check_test(path),
        JournalKind::Notes => check_lines::<AnnotationEvent>(path),
        JournalKind::PromptVersions => check_book(path),
        JournalKind::Sheet => check_blinded_transcript(path),
        JournalKind::Pack => check_pack(path),
    }
}
