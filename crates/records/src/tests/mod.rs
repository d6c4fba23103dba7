//! What can be played, and what a store holds: built-in games and their views, settings, rubrics, memory.

#[path = "../../../../tests/support/builtin_games.rs"]
mod builtin_games;
mod library;
mod memory;
mod prompt;
