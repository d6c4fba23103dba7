//! Commands of the real program, a file or folder each, and what they share.

mod common;
mod completions;
mod config;
mod config_sample;
mod doctor;
mod errors;
mod experiments;
mod export;
mod gate;
pub mod golden;
mod import;
mod judge;
mod ls;
mod memory;
mod metrics;
pub mod parser;
mod prompts;
mod protocols;
mod quickstart;
mod run;
mod servers;
mod show;
mod studies;
mod surroundings;
mod sweep;
mod validate;
mod verify;
