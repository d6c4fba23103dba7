//! What kind of journal a file is, told by what its first event holds, and whether each kind can be
//! read as what it is. The name of an event alone does not tell: runs, passes and comparisons all
//! begin with `begun`.

use super::desk::read_pass_journal;
use super::error::DriverError;
use super::lines::check_lines;
use super::margin::MarginEvent;
use super::prompt_desk::check_book;
use super::queue::{check_pack, check_sheet, read_queue};
use super::run_state::read_run;
use super::session::read_session;
use super::trial_book::check_test;
use super::tries::read_ab_journal;
use crate::memory::{GuardEvent, MemoryEvent};
use crate::store::{Read, lines_of};
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::path::Path;

/// What a journal holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum JournalKind {
    Session,
    Run,
    Pass,
    /// Two prompts compared.
    Comparison,
    Queue,
    Lessons,
    Guardrails,
    /// What was decided in a test of guardrails.
    GuardrailTest,
    /// What an annotator found and noted, or was shown.
    Notes,
    PromptVersions,
    /// What whoever labels is shown of a session, in a pack.
    Sheet,
    /// For whom a pack is, and what was handed out.
    Pack,
}

impl JournalKind {
    /// Returns what one of them is called, as in "1 run".
    pub fn name(self) -> &'static str {
        match self {
            JournalKind::Session => "session",
            JournalKind::Run => "run",
            JournalKind::Pass => "pass",
            JournalKind::Comparison => "comparison",
            JournalKind::Queue => "queue",
            JournalKind::Lessons => "journal of lessons",
            JournalKind::Guardrails => "journal of guardrails",
            JournalKind::GuardrailTest => "test of guardrails",
            JournalKind::Notes => "annotator's journal",
            JournalKind::PromptVersions => "journal of prompt versions",
            JournalKind::Sheet => "sheet",
            JournalKind::Pack => "record of a pack",
        }
    }

    /// Returns what several are called.
    pub fn plural(self) -> &'static str {
        match self {
            JournalKind::Session => "sessions",
            JournalKind::Run => "runs",
            JournalKind::Pass => "passes",
            JournalKind::Comparison => "comparisons",
            JournalKind::Queue => "queues",
            JournalKind::Lessons => "journals of lessons",
            JournalKind::Guardrails => "journals of guardrails",
            JournalKind::GuardrailTest => "tests of guardrails",
            JournalKind::Notes => "annotators' journals",
            JournalKind::PromptVersions => "journals of prompt versions",
            JournalKind::Sheet => "sheets",
            JournalKind::Pack => "records of packs",
        }
    }
}

/// What a first event tells of its journal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TellsKind {
    Kind(JournalKind),
    /// It has what begins journals of several kinds.
    Several(Vec<JournalKind>),
    /// Nothing that this version writes begins so; the event's type.
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

/// Tells what a journal holds by its first event.
///
/// # Errors
/// When the file or its first line cannot be read.
pub fn kind_by_first_event(path: &Path) -> Result<TellsKind, DriverError> {
    let Some(line) = lines_of::<Value>(path)?.next().transpose()? else {
        return Ok(TellsKind::Empty);
    };
    let event = match line {
        Read::Known(line) => line.event,
        Read::Unknown { kind, .. } => return Ok(TellsKind::None(kind)),
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
        (fits::<MarginEvent>(&event), JournalKind::Notes),
    ] {
        kinds.extend(fits.then_some(kind));
    }
    Ok(match kinds.as_slice() {
        [] => TellsKind::None(named.to_owned()),
        [one] => TellsKind::Kind(*one),
        _ => TellsKind::Several(kinds),
    })
}

fn fits<E: DeserializeOwned>(event: &Value) -> bool {
    E::deserialize(event).is_ok()
}

/// Reads a journal as what it is. Blocks while it reads.
///
/// # Errors
/// When a line is of a kind that this version does not know, or the lines do not fit each other.
pub fn check_journal(path: &Path, kind: JournalKind) -> Result<(), DriverError> {
    match kind {
        JournalKind::Session => read_session(path).map(drop),
        JournalKind::Run => read_run(path).map(drop),
        JournalKind::Pass => read_pass_journal(path).map(drop),
        JournalKind::Comparison => read_ab_journal(path).map(drop),
        JournalKind::Queue => read_queue(path).map(drop),
        JournalKind::Lessons => check_lines::<MemoryEvent>(path),
        JournalKind::Guardrails => check_lines::<GuardEvent>(path),
        JournalKind::GuardrailTest => check_test(path),
        JournalKind::Notes => check_lines::<MarginEvent>(path),
        JournalKind::PromptVersions => check_book(path),
        JournalKind::Sheet => check_sheet(path),
        JournalKind::Pack => check_pack(path),
    }
}
