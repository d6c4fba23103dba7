//! Long-term memory: what debates taught, and which of it a new debate is shown.
//!
//! Entries are a fold over [`MemoryEvent`]s. [`retrieve`] ranks them with any [`Retriever`] after
//! taking out what would leak the answer into the question. Never knows where entries are kept.
//!
//! ```text
//! embed (texts as vectors, by a model on this machine) ─┐
//! vectors (kept in a flat file, the nearest exactly) ───┴─► semantic ─┐
//!                                              words ─► lexical ──────┴─► retrieve
//! ```

pub mod embed;
mod entry;
mod fold;
mod lexical;
mod retrieve;
mod same_lesson;
mod semantic;
pub mod vectors;
mod words;

#[cfg(test)]
mod fold_tests;
#[cfg(test)]
mod semantic_tests;
#[cfg(test)]
mod tests;

pub use entry::{Entry, EntryId, EntryStanding, MemoryEvent, Merged, Origin, Version};
pub use fold::{Folded, Journal, Misfit, WhyMisfit, fold, fold_journals};
pub use lexical::Lexical;
pub use retrieve::{
    Asker, Excluded, Exclusion, Hit, Item, NEAR_DUPLICATE_SIMILARITY, RetrieveError, Retrieved,
    Retriever, Rule, TOP_K, Why, retrieve,
};
pub use same_lesson::{
    Compared, SAME_LESSON_COSINE, SAME_LESSON_SIMILARITY, SameLesson, same_lesson,
};
pub use semantic::Semantic;
pub use words::similarity;
