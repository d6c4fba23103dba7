//! What can be played, and what a store holds: built-in games and their views, settings, rubrics, memory.

mod builtin_games;
mod library;
mod memory;
mod prompt;
