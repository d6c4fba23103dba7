//! Long-term memory in a store: lessons and guardrails of a namespace, ranked, changed, looked up, and
//! carried to another store.
//!
//! ```text
//! book, guardrails      a namespace as a run or session reads and extends it
//! journals              its journals, read and written
//! first_lessons         memory as it was when it held its first lessons
//! indexed               their events, kept in the store's index
//! browse                namespaces and their entries, as a person reads them
//! change                a person's changes, in journals of their own
//! lookup                search by meaning; preview of what a debate would be shown and asked
//! uses                  debates that were shown an entry, or asked about a guardrail
//! ranking, embedding    retrieval by meaning, or by words where there is no embedder
//! setup                 model and ONNX Runtime, fetched, tried and put in place
//! decision_log          decisions of guardrail benchmarks
//! hold_back             entries that wait, disabled, when an import brings them
//! bundle, bundle_import a namespace as one file, written, read and taken in
//! lesson_set            lessons as texts that a model is trained on
//! file_import           guardrails and lessons of other tools' files
//! arm, state, kind, shown_lessons   names of arms, hashed states, kinds, checks that memory has an effect
//! ```
//!
//! A person's command never changes a journal other than their own. Functions that block say so.

mod arm;
mod book;
mod browse;
mod bundle;
mod bundle_import;
mod change;
mod decision_log;
mod embedding;
mod file_import;
mod first_lessons;
mod guardrails;
mod hold_back;
mod indexed;
mod journals;
mod kind;
mod lesson_set;
mod lookup;
mod ranking;
mod setup;
mod shown_lessons;
mod state;
mod uses;

pub(crate) use arm::memory_of_arm;
pub use book::{
    DEFAULT_NAMESPACE, MemoryBook, learner_namespace, lesson_namespaces, namespace_for,
};
pub use browse::{NamespaceEntries, NamespaceOverview, summarize_namespaces};
pub use bundle::{Bundle, BundledJournal};
pub use bundle_import::ImportedBundle;
pub use change::{ChangedEntry, EntryAction, EntryChange, EntryText, apply_change, person_journal};
pub use decision_log::{DecisionLog, DecisionLogKey, EarlierDecisions, LoggedDecision, TrialEvent};
pub use embedding::{
    ConnectEmbedder, DEFAULT_MODEL, Embedding, EmbeddingPlaces, LazyEmbedding, MODELS,
    MemorySettings, RUNTIME_VARIABLE, load_folder,
};
pub use file_import::{FileImport, import_memory_files};
pub use first_lessons::find_first_lessons;
pub use guardrails::{count_examples, retrieve_nearest};
pub use hold_back::{ArrivingJournal, HeldBack};
pub use journals::{GuardrailJournal, LessonJournal, journal_path, read_namespace};
pub(crate) use journals::{lessons_at, lessons_stamp};
pub use kind::{DEFAULT_TRAIN_EVERY, MemoryKind};
pub use lesson_set::{LessonSet, count_lessons_at, write_text_lines};
pub use lookup::{
    EntrySearch, GuardPreview, LessonPreview, preview_guards, preview_lessons, search_entries,
    state_with,
};
pub use ranking::{Ranking, RankingPolicy, WithNotices, describe_word_ranking};
pub use setup::{
    BroughtModel, FoundRuntime, ModelRequest, ModelSetup, PinnedChecksum, RuntimeSource,
    SetupError, SetupEvent,
};
pub use shown_lessons::{Accepting, check_memory_has_effect, check_memory_is_seen};
pub(crate) use state::MemoryState;
pub use uses::{ChairDecision, EntryUse, EntryUses, find_uses};
