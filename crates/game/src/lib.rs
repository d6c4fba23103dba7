//! Game

pub mod debate;
pub mod judge;
pub mod prompt;

// The harness of the tests is the benchmark's as well (`benches/engine.rs`), which names the crate.
#[cfg(test)]
extern crate self as elenchus_game;
#[cfg(test)]
mod tests;
