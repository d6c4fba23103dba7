//! Kinds of journals whose events are kept by this crate; `annotation::JOURNAL_KINDS` lists them with all others.

use super::RegisteredKind;
use crate::workspace::SessionJournal;
use crate::workspace::annotations::AnnotationEvent;
use crate::workspace::memory::{GuardrailJournal, LessonJournal, TrialEvent};
use crate::workspace::pass::PassEvent;
use crate::workspace::prompts::BookEvent;
use crate::workspace::run::RunEvent;
use crate::workspace::sweep::SweepEvent;

pub static SESSIONS: RegisteredKind = RegisteredKind::of::<SessionJournal>();
pub static RUNS: RegisteredKind = RegisteredKind::of::<RunEvent>();
pub static SWEEPS: RegisteredKind = RegisteredKind::of::<SweepEvent>();
pub static PASSES: RegisteredKind = RegisteredKind::of::<PassEvent>();
pub static LESSONS: RegisteredKind = RegisteredKind::of::<LessonJournal>();
pub static GUARDRAILS: RegisteredKind = RegisteredKind::of::<GuardrailJournal>();
pub static GUARDRAIL_DECISIONS: RegisteredKind = RegisteredKind::of::<TrialEvent>();
pub static ANNOTATIONS: RegisteredKind = RegisteredKind::of::<AnnotationEvent>();
pub static PROMPT_BOOKS: RegisteredKind = RegisteredKind::of::<BookEvent>();
