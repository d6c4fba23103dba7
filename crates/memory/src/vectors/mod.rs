//! Vectors of texts: a flat file, and exact nearest-neighbour search.
//!
//! ```text
//! vector_file: header, then one row a text (SHA-256 of the text, numbers, checksum); only ever grows
//!   └► quantised: in memory, one byte a number, enough to rule nearly all rows out
//!        └► nearest: reads the few that are left from the file and scores them in full
//! ```
//!
//! Vectors can be recomputed from the texts, so a damaged row is skipped, a damaged file is
//! renamed, and nothing waits for the disk. Never knows the meaning of a text.

mod nearest;
mod quantised;
mod vector_file;

#[cfg(test)]
mod tests;

pub use super::vectors::nearest::cosine;
pub use super::vectors::vector_file::VectorFile;

use sha2::{Digest, Sha256};

/// The largest dimension: up to it the integer sums of the first pass stay exact.
const MAX_DIM: usize = 8192;

/// Key of a text: its SHA-256.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TextKey([u8; KEY_BYTES]);

const KEY_BYTES: usize = 32;

impl TextKey {
    /// Returns the key of a text.
    pub fn from_text(text: &str) -> Self {
        TextKey(Sha256::digest(text.as_bytes()).into())
    }
}

/// Index of a vector in its file, from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct VectorRow(pub u32);

/// Error of a file of vectors.
#[derive(Debug, thiserror::Error)]
pub enum VectorError {
    #[error("cannot {what} {path}: {why}; check the disk and who owns the store")]
    Io {
        what: &'static str,
        path: String,
        why: String,
    },
    #[error(
        "a vector has {got} numbers where {dim} are kept; delete {path}, and it is created again"
    )]
    Dimension {
        path: String,
        dim: usize,
        got: usize,
    },
    #[error("vectors of {dim} numbers are not kept: at most {MAX_DIM} are; choose a smaller model")]
    TooWide { dim: usize },
    #[error("a vector holds something that is no number; choose another model")]
    NotFinite,
    #[error("{path} is full: it holds as many vectors as can be counted")]
    Full { path: String },
}
