//! Built-in games, games written by researchers, pins and examples.

mod auction;
mod builtin_games;
mod examples;
mod own_game;
mod pins;
pub mod settings;
