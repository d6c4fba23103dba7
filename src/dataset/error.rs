//! What can stop a dataset from being used as a whole.

use std::io;
use std::path::PathBuf;

/// Why a dataset cannot be loaded, selected from or split.
#[derive(Debug, thiserror::Error)]
pub enum DatasetError {
    #[error(
        "unknown kind of dataset `{given}`: write harmbench:FILE, cosafe:FILE, own:FILE or only FILE \
         (a file whose name holds a colon is written ./NAME)"
    )]
    UnknownKind { given: String },
    #[error(
        "the dataset `{given}` names no file: write harmbench:FILE, cosafe:FILE, own:FILE or only FILE"
    )]
    NoPath { given: String },
    #[error("cannot read the dataset {}", path.display())]
    Read {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
    #[error("the dataset {} gives no topic: the file is empty", path.display())]
    Empty { path: PathBuf },
    #[error(
        "the dataset {} is larger than {} MiB: split it into several files",
        path.display(),
        limit_bytes >> 20
    )]
    TooLarge { path: PathBuf, limit_bytes: u64 },
    #[error(
        "the dataset {} gives no topic (rows refused: {refused}; the first on line {line}: {why}){advice}",
        path.display()
    )]
    NoTopics {
        path: PathBuf,
        refused: usize,
        line: u64,
        why: String,
        /// What to try next; empty, or beginning with a `;`.
        advice: &'static str,
    },
    #[error("no topic has the category `{given}`; there are: {}", known.join(", "))]
    UnknownCategory { given: String, known: Vec<String> },
    #[error("no topic of the dataset has a category, so `{given}` cannot be chosen")]
    NoCategories { given: String },
    #[error(
        "a sample of {asked} was asked for, but only {available} topics are there: ask for fewer or leave the sample out"
    )]
    SampleTooLarge { asked: usize, available: usize },
    #[error("the selection leaves no topic: a limit or sample of at least 1 is needed")]
    NothingSelected,
    #[error("a dataset is split by a fraction between 0 and 1, not by {given}")]
    Fraction { given: f64 },
    #[error("{available} topics cannot be split into two parts: at least 2 are needed")]
    TooFewToSplit { available: usize },
}
