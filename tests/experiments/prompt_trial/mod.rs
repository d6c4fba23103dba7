//! A changed prompt tried on a recorded turn.

mod context;
mod http;
mod pty;
mod refusals;
mod repeats;
mod retried_turn;
pub mod verdicts;
