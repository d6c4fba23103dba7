//! `elenchus memory`.

mod both_kinds;
mod entries;
mod export_import;
mod guardrail_import;
mod guardrail_sample;
mod guardrail_verbs;
mod setup;
mod setup_http;
