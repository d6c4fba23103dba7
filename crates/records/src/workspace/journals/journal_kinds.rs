//! Kinds of journals whose events are kept by this crate; `annotation::JOURNAL_KINDS` lists them with all others.

use super::RegisteredKind;
use crate::workspace::SessionJournal;
use crate::workspace::annotations::AnnotationEvent;
use crate::workspace::memory::{GuardrailJournal, LessonJournal, TrialEvent};
use crate::workspace::pass::PassEvent;
use crate::workspace::prompts::BookEvent;
use crate::workspace::run::RunEvent;
use crate::workspace::sweep::SweepEvent;

pub static SESSIONS: RegisteredKind = RegisteredKind::new::<SessionJournal>();
pub static RUNS: RegisteredKind = RegisteredKind::new::<RunEvent>();
pub static SWEEPS: RegisteredKind = RegisteredKind::new::<SweepEvent>();
pub static PASSES: RegisteredKind = RegisteredKind::new::<PassEvent>();
pub static LESSONS: RegisteredKind = RegisteredKind::new::<LessonJournal>();
pub static GUARDRAILS: RegisteredKind = RegisteredKind::new::<GuardrailJournal>();
pub static GUARDRAIL_DECISIONS: RegisteredKind = RegisteredKind::new::<TrialEvent>();
pub static ANNOTATIONS: RegisteredKind = RegisteredKind::new::<AnnotationEvent>();
pub static PROMPT_BOOKS: RegisteredKind = RegisteredKind::new::<BookEvent>();
