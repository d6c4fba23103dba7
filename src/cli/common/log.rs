//! Log file in the store, written only on request.

use super::context::CommandContext;
use anyhow::{Context, Result};
use std::fs::OpenOptions;
use std::os::unix::fs::OpenOptionsExt;
use std::sync::Mutex;
use tracing_subscriber::filter::filter_fn;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::{EnvFilter, Layer};

/// The variable that turns the log on; it holds a filter such as `elenchus=debug`.
const LOG_VARIABLE: &str = "ELENCHUS_LOG";
/// The log's name in the store.
const FILE_NAME: &str = "log";
/// Libraries that log what is sent and received, keys and prompts included.
const SILENCED: [&str; 5] = ["async_openai", "reqwest", "hyper", "h2", "rustls"];

/// Begins to log when [`LOG_VARIABLE`] is set.
///
/// # Errors
/// When its filter cannot be read or the file cannot be written.
pub fn start_log(context: &CommandContext) -> Result<()> {
    let Some(filter_text) = std::env::var(LOG_VARIABLE)
        .ok()
        .filter(|text| !text.is_empty())
    else {
        return Ok(());
    };
    let filter = EnvFilter::try_new(&filter_text)
        .with_context(|| format!("{LOG_VARIABLE} is no filter like 'info' or 'elenchus=debug'"))?;
    context.store.layout.create_missing_folders()?;
    let path = context.store.layout.root().join(FILE_NAME);
    let file = OpenOptions::new()
        .append(true)
        .create(true)
        .mode(0o600)
        .open(&path)
        .with_context(|| format!("the log {} cannot be written", path.display()))?;
    let library_filter = filter_fn(|event| {
        !SILENCED
            .iter()
            .any(|library| event.target().starts_with(library))
    });
    let layer = tracing_subscriber::fmt::layer()
        .with_writer(Mutex::new(file))
        .with_filter(library_filter);
    let log = tracing_subscriber::registry().with(filter).with(layer);
    tracing::subscriber::set_global_default(log).context("the log could not be started")
}
