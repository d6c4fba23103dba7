//! elenchus: the program. Commands, the workbench, and the configuration both are begun with.

pub mod cli;
pub mod config;
pub mod tui;
