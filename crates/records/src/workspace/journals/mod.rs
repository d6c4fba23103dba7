//! Journals of every kind as files: which kinds there are, whether they are whole, and how they travel.
//!
//! ```text
//! registry           kinds of journals, and the detection of a journal's kind
//! journal_kinds      those of this crate
//! checked_journals   journals to be checked, with the lengths that other files record of them
//! check              their chains, their content, and what does not fit between files
//! transfer           verified copies, byte for byte, never over another file
//! export, import     journals into a folder, and of another store; all of them or none
//! acts               acts of people among what is imported: whose, what, and which are taken
//! ```

mod acts;
mod check;
mod checked_journals;
mod export;
mod import;
pub mod journal_kinds;
mod registry;
mod transfer;

pub use acts::{PersonActs, how_to_take};
pub use check::{CheckFindings, CheckedAs};
pub use checked_journals::{CheckedJournal, journals_to_check};
pub use export::{ExportedJournals, JournalExport};
pub use import::{ImportedJournals, JournalImport};
pub use registry::{DetectedKind, JournalRegistry, RegisteredKind};
pub use transfer::JournalCounts;
pub(super) use transfer::{ExistingCopy, JournalCopy, compare_file, publish_all};
