//! Every test of the program, in one binary: linking is what costs on two cores. What needs no program is
//! tested in its crate.

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
mod store;
mod terminal;
mod tui;
mod workspace;
