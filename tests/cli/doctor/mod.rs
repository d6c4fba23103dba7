//! `elenchus doctor`.

mod checks;
mod probe;
