//! Built-in games, their settings, rubrics and rewards.

mod builtin_games;
mod rewards;
mod rubrics;
pub mod settings;
