//! Long-term memory: what debates taught, and which of it a new debate is shown.
//!
//! Entries are a fold over [`MemoryEvent`]s. [`retrieve`] ranks them with any [`Retriever`] after
//! taking out what would leak the answer into the question. Never knows where entries are kept.

mod entry;
mod lexical;
mod retrieve;
mod words;

#[cfg(test)]
mod tests;

pub use entry::{Entry, EntryId, Folded, MemoryEvent, Misfit, Origin, fold};
pub use lexical::Lexical;
pub use retrieve::{
    Asker, Excluded, Exclusion, Hit, Item, NEAR_DUPLICATE_SIMILARITY, RetrieveError, Retrieved,
    Retriever, Rule, TOP_K, Why, retrieve,
};
pub use words::similarity;
