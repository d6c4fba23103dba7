//! Import of debates and answers that other programs produced, as sessions with their labels.
//!
//! They are ordinary journals: a protocol called `imported` whose seats only ever say what the file
//! holds. People's labels go into annotators' journals, whether they were blind being unknown; a
//! program's labels become a pass. Ids are made of what is taken, so taking the same in twice
//! doubles nothing, and going on after a kill completes it.

mod imported_files;
mod imported_protocol;
mod imported_session;
mod label_map;
mod label_table;
mod named_files;
mod plan;
mod planner;
mod skip_note;
mod write;

pub use imported_files::{ImportContext, ImportedFiles};
pub use label_map::LabelMap;
use label_table::read_label_table;
pub use label_table::{CsvTexts, LABEL_COLUMNS, label_rows, labels_to_csv, labels_to_json_lines};
pub use plan::ImportPlan;
use planner::plan_import;
pub use skip_note::skipped_set;
pub use write::{ImportCounts, write_import};

use elenchus_records::workspace::annotations::Label;
use elenchus_store::Hash;
use ulid::Ulid;

/// Derives an id from content; it has the usual form and sorts before all played sessions.
fn derive_id(parts: &[&str]) -> String {
    let hash = Hash::digest(&join_with_lengths(parts));
    let mut random: u128 = 0;
    for byte in hash.as_bytes().iter().take(RANDOM_BYTES) {
        random = random << 8 | u128::from(*byte);
    }
    Ulid::from_parts(0, random).to_string().to_lowercase()
}

/// Placeholder hash for the unknown codebook of a file's labels.
fn unknown_codebook(file: &str) -> Hash {
    Hash::digest(&join_with_lengths(&["codebook of", file]))
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
fn join_with_lengths(parts: &[&str]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for part in parts {
        bytes.extend((part.len() as u64).to_be_bytes());
        bytes.extend(part.as_bytes());
    }
    bytes
}
