//! Every integration test, in one binary: linking is what costs on two cores.

mod support;

mod annotation;
mod cli;
mod config;
mod dataset;
mod debate;
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
