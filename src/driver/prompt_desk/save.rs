//! A changed text becomes the file that is used.

use super::super::desk::keep_private;
use super::super::error::DriverError;
use super::super::library::{Library, Origin};
use super::name::PromptName;
use super::shelf::{PromptText, read_prompt};
use crate::store::Hash;
use std::path::{Path, PathBuf};

/// What came of saving.
#[derive(Debug, Clone, PartialEq)]
pub struct Saved {
    pub path: PathBuf,
    /// The prompt as it is used now.
    pub now: PromptText,
}

/// Why a text was not saved.
#[derive(Debug, thiserror::Error)]
pub enum SaveFault {
    /// Somebody else changed the file meanwhile: this is what stands there.
    #[error("the file was changed by somebody else since it was opened; nothing was written")]
    ChangedMeanwhile(Box<PromptText>),
    #[error(transparent)]
    Driver(#[from] DriverError),
}

/// Writes a text where it is used from now on: over the file that wins, where that is a person's own,
/// else into `folder`, where it wins over the built-in one. Blocks.
///
/// `opened` is the version that was edited: where another one stands there now, nothing is written.
///
/// # Errors
/// When the text is no template or another version stands there, and when the disk refuses.
pub fn save_prompt(
    library: &Library,
    folder: &Path,
    name: &PromptName,
    opened: &Hash,
    text: &str,
) -> Result<Saved, SaveFault> {
    let before = read_prompt(library, name)?;
    if before.glance.hash != *opened {
        return Err(SaveFault::ChangedMeanwhile(Box::new(before)));
    }
    let folder = match &before.glance.origin {
        Origin::Folder(folder) => folder.as_path(),
        Origin::BuiltIn => folder,
    };
    let path = folder.join(before.glance.own_file());
    keep_private(&path, text.as_bytes()).map_err(DriverError::from)?;
    let now = read_prompt(library, name)?;
    Ok(Saved { path, now })
}
