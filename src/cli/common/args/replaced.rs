//! Argument that lets a file be replaced.

use clap::Args;
use elenchus_records::workspace::{ExistingFile, FileError};

/// Help heading of the option.
const WRITTEN: &str = "What is written";

/// What becomes of a file that is there already.
#[derive(Debug, Clone, Copy, Default, Args)]
pub struct ReplacedFileArgs {
    /// Replace a file that is there already
    #[arg(long, short, help_heading = WRITTEN)]
    pub force: bool,
}

impl ReplacedFileArgs {
    /// Returns what becomes of a file of the same name.
    pub(crate) fn existing_file(self) -> ExistingFile {
        match self.force {
            true => ExistingFile::Replaced,
            false => ExistingFile::Refused,
        }
    }
}

/// Says which option replaces a file that is there.
pub(crate) fn advise_on_existing(error: FileError) -> anyhow::Error {
    match error {
        FileError::Exists(_) => anyhow::anyhow!("{error}; --force replaces it"),
        FileError::NoFile(_) | FileError::Refused { .. } => error.into(),
    }
}
