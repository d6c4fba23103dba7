//! elenchus: debates between language models, played, kept and measured.
//!
//! How a debate flows through the folders:
//!
//! ```text
//! dataset ──► topic ─┐
//! prompts/ ─► protocol, templates, rubrics ─┐
//!                    ▼                      ▼
//!   debate: which steps are open? ◄── events ◄── store: chained journals
//!      │ steps                                      ▲ durable before visible
//!      ▼                                            │
//!   driver ── view (prompt) ──► model ── reply ──► judge ── verdict
//!      │                                            │
//!      ▼                                            ▼
//!   cli, tui: draw snapshots, send intents      metrics: numbers under rules
//! ```
//!
//! | module | what it is | what it never does |
//! |---|---|---|
//! | [`debate`] | the game: protocol and events in, open steps out | I/O, clock, randomness, async, logging |
//! | [`metrics`] | numbers from transcripts and verdicts | read files, impute, divide by zero |
//! | [`prompt`] | templates and the view: what a seat is shown, and why | call a model |
//! | [`judge`] | rubrics, and replies read as verdicts | count what it cannot read as safe or unsafe |
//! | [`model`] | language models: OpenAI-compatible, simulated, recorded | know protocols; retry in silence |
//! | [`memory`] | entries and retrieval | know where entries are kept |
//! | [`store`] | journals and the sled cache; the only place that names sled | know what an event means |
//! | [`dataset`] | benchmark files as topics | drop a row in silence |
//! | [`exchange`] | other people's formats, in and out | |
//! | [`driver`] | does what the game asks and records what happened | show anything that is not durable |
//! | [`config`] | composes the settings each module owns | hold a key |
//! | [`tui`] | the workbench: screens | touch the store; block |
//! | [`cli`] | commands | |
//!
//! `tests/layers.rs` reads the sources and fails on an import that this order does not allow.

pub mod cli;
pub mod config;
pub mod dataset;
pub mod debate;
pub mod driver;
pub mod exchange;
pub mod judge;
pub mod memory;
pub mod metrics;
pub mod model;
pub mod prompt;
pub mod store;
pub mod tui;
