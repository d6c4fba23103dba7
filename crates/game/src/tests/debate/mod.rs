//! Steps, events and refusals.

mod calls;
mod fork_prompts;
mod governance;
mod guardrails;
mod harness;
mod kitchen_sink;
mod laws;
mod open_steps;
mod refusals;
