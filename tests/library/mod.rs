//! Built-in games, games written by researchers, pins and examples.

mod auction;
mod examples;
mod own_game;
mod pins;
