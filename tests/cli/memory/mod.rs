//! `elenchus memory`.

mod both_kinds;
mod entries;
mod export_import;
mod guardrail_import;
mod guardrail_sample;
mod setup;
mod setup_http;
