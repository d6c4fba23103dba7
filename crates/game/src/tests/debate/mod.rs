//! Steps, events and refusals.

mod asked_graders;
mod calls;
mod fork_prompts;
mod governance;
mod guardrails;
pub(super) mod harness;
pub(super) mod kitchen_sink;
mod laws;
mod learners;
mod open_steps;
mod refusals;
