//! The memory screen in a real pseudo-terminal.

mod entries;
mod guardrails;
