//! Views of every seat of every built-in game.

mod growth;
mod leaks;
mod views;
