//! `elenchus memory`.

mod entries;
mod export_import;
mod setup;
mod setup_http;
