//! Long-term memory in a store: lessons and guardrails of a namespace, ranked, changed, looked up, and
//! carried to another store.
//!
//! ```text
//! book, journals, guardrails  a namespace as a run or session reads and extends it
//! browse                      namespaces and their entries, as a person reads them
//! change, guardrail_changes   a person's changes, in a journal of their own
//! lookup, guardrail_lookup    search by meaning; preview of what a debate would be shown or asked
//! uses, firings               debates that were shown an entry, or asked about a guardrail
//! session_search              search of all sessions for such debates
//! ranking, embedding          retrieval by meaning, or by words where there is no embedder
//! decision_log                decisions of guardrail benchmarks
//! bundle                      a namespace as one file
//! arm, state, kind, shown_lessons   names of arms, hashed states, kinds, check that lessons are shown
//! ```
//!
//! A person's command never changes a journal other than their own. Functions that block say so.

mod arm;
mod book;
mod browse;
mod bundle;
mod change;
mod decision_log;
mod embedding;
mod firings;
mod guardrail_changes;
mod guardrail_lookup;
mod guardrails;
mod journals;
mod kind;
mod lookup;
mod ranking;
mod session_search;
mod shown_lessons;
mod state;
mod uses;

pub(crate) use arm::memory_of_arm;
pub use book::{DEFAULT_NAMESPACE, MemoryBook, namespace_for};
pub use browse::{NamespaceEntries, NamespaceOverview, namespaces};
pub use bundle::{Bundle, BundledJournal};
pub use change::{ChangedEntry, EntryChange, change, person_journal};
pub use decision_log::{DecisionLog, DecisionLogKey, EarlierDecisions};
pub(crate) use decision_log::{LoggedDecision, TrialEvent};
pub use embedding::{
    DEFAULT_MODEL, Embedding, EmbeddingPlaces, LazyEmbedding, MODELS, MemorySettings,
    RUNTIME_VARIABLE, load_folder,
};
pub use firings::{ChairDecision, Firing, Firings, firings};
pub use guardrail_changes::{ChangedGuard, GuardChange, NamespaceGuards, change_guard};
pub(crate) use guardrail_lookup::state_with_guards;
pub use guardrail_lookup::{GuardPreview, GuardSearch, preview_guards, search_guards};
pub(crate) use guardrails::{GuardBook, nearest};
pub use journals::read_namespace;
pub use kind::MemoryKind;
pub use lookup::{EntrySearch, LessonPreview, preview_lessons, search};
pub(crate) use ranking::by_words;
pub use ranking::{Ranking, RankingPolicy, WithNotices};
pub use session_search::DebateHit;
pub(crate) use shown_lessons::check_memory_is_seen;
pub(crate) use state::MemoryState;
pub use uses::{EntryUse, EntryUses, uses};
