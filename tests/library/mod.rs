//! Built-in games, games written by researchers, pins and examples.

mod as_a_library;
mod auction;
mod examples;
mod own_game;
mod pins;
mod softened_critic;
