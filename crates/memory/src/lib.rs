//! Long-term memory: lessons and guardrails that debates taught, and their retrieval for new
//! debates.
//!
//! Entries are a fold over [`MemoryEvent`]s of all journals of a namespace. A debate's lesson proposes
//! a guardrail; equal intents become one guardrail with all its origins; only accepted ones are used.
//! [`retrieve`] ranks entries with any [`Retriever`] after excluding those that would leak the answer
//! into the question. Never knows where entries are stored.
//!
//! ```text
//! embed (texts as vectors, by a model on this machine) ──┐
//! vectors (flat file, exact nearest-neighbour search) ───┴─► semantic ─┐
//!                                      text_similarity ─► lexical ──────┴─► retrieve
//! ```

mod duplicate_lessons;
pub mod embed;
mod entry;
mod event;
mod fold;
mod guardrail;
mod lexical;
mod retrieve;
mod semantic;
mod text_similarity;
pub mod vectors;

#[cfg(test)]
mod fold_tests;
#[cfg(test)]
mod guardrail_tests;
#[cfg(test)]
mod semantic_tests;
#[cfg(test)]
mod tests;

pub use duplicate_lessons::{LessonComparison, find_duplicate_lesson};
pub use entry::{
    EntryId, EntryKind, EntryOrigin, EntryStatus, EntryVersion, GuardStatus, Guardrail, MemoryEntry,
};
pub use event::MemoryEvent;
pub use fold::{MemoryFold, Misfit, WriterJournal, fold_events, fold_journals};
pub use guardrail::{
    DEFAULT_EXAMPLES, DerivedBy, GuardAcceptance, GuardReport, GuardText, MAX_EXAMPLE_CHARS,
    MAX_EXAMPLES, MatchShare, TypeShare, guardrail_bytes, normal_form,
};
pub use lexical::Lexical;
use retrieve::RetrievalHit;
pub use retrieve::{
    DEFAULT_TOP_K, Excluded, Exclusion, ExclusionReason, ExclusionRule, LeastScore, LookupLimits,
    RetrievalItem, RetrieveError, Retriever, RetrievingDebate, is_taught_by_topic, rank_entries,
    retrieve_entries,
};
pub use semantic::Semantic;
pub use text_similarity::compute_similarity;
