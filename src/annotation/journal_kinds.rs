//! All kinds of journals: the registry that checks, export and import know them by.

use super::blinded::BlindedEvent;
use super::pack::PackEvent;
use super::queue::QueueEvent;
use crate::debate::event::Event;
use crate::experiments::prompt_ab::AbEvent;
use crate::experiments::prompt_trial::TrialPlan;
use crate::experiments::{BenchmarkPlan, GoldenPlan};
use crate::memory::MemoryEvent;
use crate::workspace::ItemEvent;
use crate::workspace::annotations::AnnotationEvent;
use crate::workspace::journals::{JournalRegistry, RegisteredKind};
use crate::workspace::memory::{GuardrailLine, TrialEvent};
use crate::workspace::pass::PassEvent;
use crate::workspace::prompts::BookEvent;
use crate::workspace::run::RunEvent;
use crate::workspace::sweep::SweepEvent;

/// Every kind of journal that this version knows.
pub static JOURNAL_KINDS: JournalRegistry = JournalRegistry(&[
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
]);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::JOURNAL_FOLDERS;

    #[test]
    fn every_folder_of_a_store_holds_journals_of_one_kind_and_every_kind_has_a_folder() {
        for folder in JOURNAL_FOLDERS {
            let kinds = JOURNAL_KINDS.0.iter();
            let here = kinds.filter(|kind| kind.folders.contains(folder));
            assert_eq!(here.count(), 1, "{folder}");
        }
        for (at, kind) in JOURNAL_KINDS.0.iter().enumerate() {
            let is_listed = kind.folders.iter().any(|one| JOURNAL_FOLDERS.contains(one));
            assert!(is_listed, "{}", kind.kind);
            let before = JOURNAL_KINDS.0.iter().position(|one| one.kind == kind.kind);
            assert_eq!(before, Some(at), "{}", kind.kind);
        }
    }
}
