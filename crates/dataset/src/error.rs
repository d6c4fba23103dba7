//! Errors that prevent the use of a dataset as a whole.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use super::DatasetKind;

/// Reason that a dataset cannot be loaded, selected from or split.
#[derive(Debug, Clone, thiserror::Error)]
pub enum DatasetError {
    #[error(
        "unknown kind of dataset `{given}`: write {} or only FILE \
         (a file whose name holds a colon is written ./NAME)",
        DatasetKind::list_forms()
    )]
    UnknownKind { given: String },
    #[error(
        "the dataset `{given}` names no file: write {} or only FILE",
        DatasetKind::list_forms()
    )]
    NoPath { given: String },
    #[error("cannot read the dataset {}", path.display())]
    Read {
        path: PathBuf,
        #[source]
        source: Arc<io::Error>,
    },
    #[error("the dataset {} gives no topic: the file is empty", path.display())]
    Empty { path: PathBuf },
    #[error("the dataset {} cannot be read: {why}", path.display())]
    NoText { path: PathBuf, why: String },
    #[error(
        "the dataset {} is larger than {} MiB: split it into several files",
        path.display(),
        limit_bytes >> 20
    )]
    TooLarge { path: PathBuf, limit_bytes: u64 },
    #[error(
        "the dataset {} unpacks to more than {times} times its size: unpack it yourself if it is meant to",
        path.display()
    )]
    Unpacks { path: PathBuf, times: u64 },
    #[error(
        "the topics of the dataset {} are larger than {} MiB together: take fewer of them with --limit, or \
         split the file",
        path.display(),
        limit_bytes >> 20
    )]
    TopicsTooLarge { path: PathBuf, limit_bytes: u64 },
    #[error(
        "the dataset {} gives no topic (rows refused: {refused}; the first on {place}: {why}){advice}",
        path.display()
    )]
    NoTopics {
        path: PathBuf,
        refused: usize,
        /// The line, in a folder after the file.
        place: String,
        why: String,
        /// Advice; empty, or beginning with a `;`.
        advice: String,
    },
    #[error(
        "the dataset {} has no column {}: {}",
        path.display(),
        missing.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", "),
        match known.is_empty() {
            true => "it is plain text, one topic a line, without columns".to_owned(),
            false => format!("there are {}", known.join(", ")),
        }
    )]
    NoColumn {
        path: PathBuf,
        missing: Vec<String>,
        known: Vec<String>,
    },
    #[error(
        "the dataset {} is a folder: only MATH (.json files with problem, solution, level and type) and \
         CoSafe (a .json file for each category) are read from a folder; of any other dataset name one file",
        path.display()
    )]
    Folder { path: PathBuf },
    #[error(
        "the folder {} holds no .json file: name the folder of MATH that holds a folder for each type, \
         that of CoSafe's files, or one file",
        path.display()
    )]
    EmptyFolder { path: PathBuf },
    #[error("the folder {} has {what}: name a folder in it, or one file", path.display())]
    FolderTooLarge { path: PathBuf, what: String },
    #[error("no topic has the category `{given}`; there are: {}", known.join(", "))]
    UnknownCategory { given: String, known: Vec<String> },
    #[error("no topic of the dataset has a category, so `{given}` cannot be chosen")]
    NoCategories { given: String },
    #[error("no topic has the level {given}; there are: {}", known.iter().map(u8::to_string).collect::<Vec<_>>().join(", "))]
    UnknownLevel { given: u8, known: Vec<u8> },
    #[error(
        "no topic of the dataset has a level, so {given} cannot be chosen: leave the level out, or give \
         a dataset with levels such as MATH"
    )]
    NoLevels { given: u8 },
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
