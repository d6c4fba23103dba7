//! A changed prompt tried on a recorded turn.

mod context;
mod derivations;
mod every_prompt;
mod guard_decisions;
mod http;
pub mod lessons;
mod pty;
mod refusals;
mod repeats;
mod retried_turn;
pub mod verdicts;
