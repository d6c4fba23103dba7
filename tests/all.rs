//! Every test of the program, in one binary: linking is what costs on two cores. What needs no program is
//! tested in its crate.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod annotation;
mod cli;
mod config;
mod dataset;
mod documents;
mod engine;
mod exchange;
mod experiments;
mod fuzz;
mod judge;
mod layers;
mod library;
mod memory;
mod metrics;
mod model;
mod prompt;
mod store;
mod terminal;
mod tui;
mod workspace;
