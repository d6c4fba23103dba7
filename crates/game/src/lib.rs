//! Game

pub mod debate;
pub mod judge;
pub mod prompt;
