//! The game: protocol and events in, open steps out (`debate`); what a seat is shown, and why (`prompt`); replies
//! read as verdicts (`judge`).
//!
//! Pure: its results depend on its arguments alone. It never reads a file, a clock or the environment, knows no
//! task and no log, and draws chance from seeds that it is given.

pub mod debate;
pub mod judge;
pub mod prompt;

// The harness of the tests is the benchmark's as well (`benches/engine.rs`), which names the crate.
#[cfg(test)]
extern crate self as elenchus_game;
#[cfg(test)]
#[allow(
    clippy::disallowed_macros,
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "tests read fixtures and print what they counted"
)]
mod tests;
