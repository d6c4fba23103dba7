//! Kinds of journals, and the envelope that names a journal's kind in its first line.

use serde::{Deserialize, Serialize, de::DeserializeOwned};

/// Type of a journal: a name and a format of its own, and the events it keeps.
///
/// Implemented by the events themselves where they are declared beside their journal, and by a type that
/// stands for the journal where its events come from a crate that knows no store.
pub trait JournalType: Sized {
    /// What its lines hold.
    type Event: Serialize + DeserializeOwned;
    /// Name of the kind in the envelope, such as "session".
    const KIND: &'static str;
    /// Format that this version writes, counted up when earlier versions cannot go on with it.
    const FORMAT: u32 = 1;

    /// Returns the envelope of a new journal.
    fn new_envelope() -> Envelope {
        Envelope {
            kind: Self::KIND.to_owned(),
            format: Self::FORMAT,
        }
    }
}

/// Kind and format of a journal, in its first line. Journals of version 0.1.0 have none.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Envelope {
    pub kind: String,
    pub format: u32,
}
