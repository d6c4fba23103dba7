//! All kinds of journals: the registry that checks, export and import know them by.

use super::blinded::BlindedEvent;
use super::pack::PackEvent;
use super::queue::QueueEvent;
use elenchus_records::workspace::journals::{JournalRegistry, RegisteredKind, journal_kinds};
use elenchus_run::experiments::journal_kinds as experiment_kinds;

static QUEUES: RegisteredKind = RegisteredKind::new::<QueueEvent>();
static BLINDED_TRANSCRIPTS: RegisteredKind = RegisteredKind::new::<BlindedEvent>();
static PACKS: RegisteredKind = RegisteredKind::new::<PackEvent>();

/// Every kind of journal that this version knows.
pub static JOURNAL_KINDS: JournalRegistry = JournalRegistry(&[
    &journal_kinds::SESSIONS,
    &journal_kinds::RUNS,
    &journal_kinds::SWEEPS,
    &journal_kinds::PASSES,
    &experiment_kinds::COMPARISONS,
    &experiment_kinds::GOLDEN_SETS,
    &experiment_kinds::TRIALS,
    &experiment_kinds::BENCHMARKS,
    &QUEUES,
    &journal_kinds::LESSONS,
    &journal_kinds::GUARDRAILS,
    &journal_kinds::GUARDRAIL_DECISIONS,
    &journal_kinds::ANNOTATIONS,
    &journal_kinds::PROMPT_BOOKS,
    &BLINDED_TRANSCRIPTS,
    &PACKS,
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
