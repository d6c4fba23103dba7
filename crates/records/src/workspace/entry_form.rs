//! Forms of the values of the index: how one is written, and by which version.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// Version of what the values mean.
const SOFTWARE: &str = env!("CARGO_PKG_VERSION");

/// How a value is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EntryForm {
    /// Fields by their names: any that serde knows.
    Json,
    /// Fields by their places, for tables that are read as a whole: a third of the bytes and of the time.
    /// Its types leave no field out, whatever it holds.
    Compact,
}

/// Value of an entry.
#[derive(Serialize, Deserialize)]
struct Versioned<S, V> {
    software: S,
    value: V,
}

/// Writes a value; `None` for one that has no such form.
pub(super) fn encode_value(form: EntryForm, value: &impl Serialize) -> Option<Vec<u8>> {
    let software = SOFTWARE;
    let entry = Versioned { software, value };
    match form {
        EntryForm::Json => serde_json::to_vec(&entry).ok(),
        EntryForm::Compact => postcard::to_allocvec(&entry).ok(),
    }
}

/// Reads a value; `None` for one of another version.
pub(super) fn decode_value<V: DeserializeOwned>(form: EntryForm, bytes: &[u8]) -> Option<V> {
    let entry: Versioned<String, V> = match form {
        EntryForm::Json => serde_json::from_slice(bytes).ok()?,
        // Nothing but the version is read of another one's.
        EntryForm::Compact => {
            let (software, _) = postcard::take_from_bytes::<&str>(bytes).ok()?;
            (software == SOFTWARE).then(|| postcard::from_bytes(bytes).ok())??
        }
    };
    (entry.software == SOFTWARE).then_some(entry.value)
}
