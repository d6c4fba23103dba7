//! Debates and answers that were finished elsewhere, taken in as sessions with their labels.
//!
//! They are ordinary journals: a protocol called `imported` whose seats only ever say what the file
//! holds. People's labels go into annotators' journals, whether they were blind being unknown; a
//! program's labels become a pass. Ids are made of what is taken, so taking the same in twice
//! doubles nothing, and going on after a kill completes it.

mod game;
mod own;
mod plan;
mod words;
mod write;

pub use own::{LABEL_COLUMNS, label_rows, own_labels};
pub use plan::{Intake, plan_intake};
pub use words::WordMap;
pub use write::{TookIn, take_in};

/// The protocol of everything that was not played here.
pub const IMPORTED: &str = "imported";

use super::margin::Label;
use crate::store::Hash;
use ulid::Ulid;

/// Makes an id of what it stands for: of the form of every id, and older than all that were played.
fn id_of(parts: &[&str]) -> String {
    let hash = Hash::of(&joined(parts));
    let mut random: u128 = 0;
    for byte in hash.as_bytes().iter().take(RANDOM_BYTES) {
        random = random << 8 | u128::from(*byte);
    }
    Ulid::from_parts(0, random).to_string().to_lowercase()
}

/// Stands for the codebook of a file's labels: they were given by one that nobody has.
fn unknown_codebook(file: &str) -> Hash {
    Hash::of(&joined(&["codebook of", file]))
}

/// Says whether a label came from a file that does not say which codebook it was given by.
pub(super) fn is_codebook_unknown(label: &Label) -> bool {
    let source = label
        .source
        .as_deref()
        .and_then(|source| source.rsplit_once(':'));
    source.is_some_and(|(file, _)| unknown_codebook(file) == label.codebook)
}

/// How many bytes of an id are no time.
const RANDOM_BYTES: usize = 10;

/// Joins texts, each with its length before it, so that no two lists give the same bytes.
fn joined(parts: &[&str]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for part in parts {
        bytes.extend((part.len() as u64).to_be_bytes());
        bytes.extend(part.as_bytes());
    }
    bytes
}
