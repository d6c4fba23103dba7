//! Run: plays debates, one or thousands, and keeps every reply before anybody sees it.
//!
//! ```text
//! drafts ──► experiments ──► engine ──► model
//!                │              │
//!                └── journals ◄─┘  durable before visible (records, store)
//! ```
//!
//! It draws no screen.

pub mod drafts;
pub mod engine;
pub mod experiments;

#[cfg(test)]
mod tests;
