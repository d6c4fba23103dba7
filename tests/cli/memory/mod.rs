//! `elenchus memory`.

mod both_kinds;
mod entries;
mod export_import;
mod setup;
mod setup_http;
