//! elenchus: debates between language models, played, kept and measured.
//!
//! How a debate flows through the folders:
//!
//! ```text
//! dataset ──► topic ─┐
//! prompts/ ─► library: protocol, templates, rubrics ─┐
//!                    ▼                               ▼
//!   debate: which steps are open? ◄── events ◄── store: chained journals ◄─┐
//!      │ steps                                       durable before visible │
//!      ▼                                                                    │
//!   engine ── view (prompt) ──► model ── reply ──► judge ── verdict ────────┘
//!      ▲                                             │
//!   experiments: many debates under one plan         ▼
//!   cli, tui: draw snapshots, send intents      metrics, annotation: figures and human labels
//! ```
//!
//! | module | what it is | what it never does |
//! |---|---|---|
//! | [`debate`] | the game: protocol and events in, open steps out | I/O, clock, randomness, async, logging |
//! | [`metrics`] | figures from transcripts, verdicts and labels | read files, impute, divide by zero |
//! | [`prompt`] | templates and the view: what a seat is shown, and why | call a model |
//! | [`judge`] | rubrics, detectors, graders; replies read as verdicts | count what it cannot read as safe or unsafe |
//! | [`model`] | language models: OpenAI-compatible, simulated, recorded | know protocols; retry in silence |
//! | [`memory`] | entries, embeddings and retrieval | know where entries are kept |
//! | [`store`] | journals and the index in sled; the only place that names sled | know what an event means |
//! | [`dataset`] | benchmark files as topics | drop a row in silence |
//! | [`exchange`] | other people's formats, in and out | |
//! | [`library`] | what can be played: protocols, templates, rubrics, pins | play; write a journal |
//! | [`workspace`] | what a store holds, as objects: sessions, forks, search, memory, annotators' journals, prompt versions | call a model |
//! | [`engine`] | plays one debate: setup, seats, budget, calls; live control | show anything that is not durable |
//! | [`experiments`] | many calls or debates under one plan and budget | |
//! | [`annotation`] | queues, blinded transcripts, packs, imported labels, validation of evaluators | let a label influence a debate |
//! | [`config`] | composes the settings each module owns | hold a key |
//! | [`terminal`] | bytes from and to the terminal: keys, frames, modes, signals, the clipboard | know a screen or the meaning of a key; import anything of ours |
//! | [`tui`] | the workbench: screens | touch the store; block |
//! | [`cli`] | commands | |
//!
//! `tests/layers.rs` reads the sources and fails on an import that this order does not allow.

pub mod annotation;
pub mod cli;
pub mod config;
pub mod dataset;
pub mod debate;
pub mod engine;
pub mod exchange;
pub mod experiments;
pub mod judge;
pub mod library;
pub mod memory;
pub mod metrics;
pub mod model;
pub mod prompt;
pub mod store;
pub mod terminal;
pub mod tui;
pub mod workspace;
