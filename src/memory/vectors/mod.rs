//! Vectors of texts: kept in one flat file, and the nearest of them found exactly.
//!
//! ```text
//! file: header, then one row a text (SHA-256 of the text, numbers, checksum); only ever grows
//!   └► memory: one byte a number (quantised), enough to rule nearly all rows out
//!        └► the few that are left are read from the file and scored in full
//! ```
//!
//! Whatever is lost here can be made again from the texts, so a damaged row is left out, a damaged
//! file is put aside, and nothing waits for the disk. Never knows what a text means.

mod file;
mod quantised;
mod scan;

#[cfg(test)]
mod tests;

pub use file::{SetAside, VectorFile};
pub use scan::{Near, cosine};

use sha2::{Digest, Sha256};

/// The most numbers a vector may have: the integer sums of the first pass stay exact up to it.
pub const MAX_DIM: usize = 8192;

/// Names a text: its SHA-256.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TextKey([u8; KEY_BYTES]);

const KEY_BYTES: usize = 32;

impl TextKey {
    /// Returns the key of a text.
    pub fn of(text: &str) -> Self {
        TextKey(Sha256::digest(text.as_bytes()).into())
    }
}

/// A vector's place in its file, from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Row(pub u32);

/// Why vectors cannot be kept or read.
#[derive(Debug, thiserror::Error)]
pub enum VectorError {
    #[error("cannot {what} {path}: {why}; check the disk and who owns the store")]
    Io {
        what: &'static str,
        path: String,
        why: String,
    },
    #[error(
        "a vector has {got} numbers where {dim} are kept; delete {path} and let it be made anew"
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
