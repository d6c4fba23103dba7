//! What every seat of every built-in game is shown, and what it is never shown.

mod growth;
mod leaks;
mod levers;
mod rewards;
mod snapshots;
mod stage;
