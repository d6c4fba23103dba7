//! All kinds of journals: the registry that checks, export and import know them by.

use super::blinded::BlindedEvent;
use super::pack::PackEvent;
use super::queue::QueueEvent;

use elenchus_records::workspace::annotations::AnnotationEvent;
use elenchus_records::workspace::journals::{JournalRegistry, RegisteredKind};
use elenchus_records::workspace::memory::{GuardrailJournal, LessonJournal, TrialEvent};
use elenchus_records::workspace::pass::PassEvent;
use elenchus_records::workspace::prompts::BookEvent;
use elenchus_records::workspace::run::RunEvent;
use elenchus_records::workspace::sweep::SweepEvent;
use elenchus_records::workspace::{ItemEvent, SessionJournal};
use elenchus_run::experiments::prompt_ab::AbEvent;
use elenchus_run::experiments::prompt_trial::TrialPlan;
use elenchus_run::experiments::{BenchmarkPlan, GoldenPlan};

/// Every kind of journal that this version knows.
pub static JOURNAL_KINDS: JournalRegistry = JournalRegistry(&[
    RegisteredKind::of::<SessionJournal>(),
    RegisteredKind::of::<RunEvent>(),
    RegisteredKind::of::<SweepEvent>(),
    RegisteredKind::of::<PassEvent>(),
    RegisteredKind::of::<AbEvent>(),
    RegisteredKind::of::<ItemEvent<GoldenPlan>>(),
    RegisteredKind::of::<ItemEvent<TrialPlan>>(),
    RegisteredKind::of::<ItemEvent<BenchmarkPlan>>(),
    RegisteredKind::of::<QueueEvent>(),
    RegisteredKind::of::<LessonJournal>(),
    RegisteredKind::of::<GuardrailJournal>(),
    RegisteredKind::of::<TrialEvent>(),
    RegisteredKind::of::<AnnotationEvent>(),
    RegisteredKind::of::<BookEvent>(),
    RegisteredKind::of::<BlindedEvent>(),
    RegisteredKind::of::<PackEvent>(),
]);

#[cfg(test)]
mod tests {
    use super::*;
    use elenchus_store::JOURNAL_FOLDERS;

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
