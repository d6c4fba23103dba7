//! Saving of a changed prompt to the file that is used.

use super::book::{KeptBecause, PromptBook};
use super::catalogue::{PromptText, read_prompt};
use super::check::{TextFault, check_text};
use super::name::PromptName;
use crate::library::{FileOrigin, Library, shorten_hash};
use crate::workspace::error::WorkspaceError;
use crate::workspace::store_context::StoreContext;
use elenchus_store::{Hash, replace_own};
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Result of saving.
#[derive(Debug, Clone, PartialEq)]
pub struct Saved {
    pub path: PathBuf,
    /// The prompt as it is used now.
    pub now: PromptText,
}

/// Why a text was not saved. Nothing was written.
#[derive(Debug, Error)]
pub enum SaveFault {
    /// Another process changed the file meanwhile: this is what is used now.
    #[error(
        "{} was changed by another process after it was opened; read it again, or \
         write over it",
        .0.overview.file
    )]
    ChangedMeanwhile(Box<PromptText>),
    #[error("this cannot be used as it is ({0}); the current text stays in use")]
    Text(#[from] TextFault),
    #[error(transparent)]
    Driver(#[from] WorkspaceError),
}

impl PromptText {
    /// Asks whether this text, which another program has saved meanwhile, is written over.
    pub fn question_to_write_over(&self) -> String {
        format!(
            "{} was changed by another program since you opened it (its version is {} now). Write \
             your text over it? Theirs stays among the versions.",
            self.overview.file,
            shorten_hash(&self.overview.hash)
        )
    }
}

/// Writes a text where it is used from now on: over the file that wins, where that is a person's own,
/// else into `folder`, where it wins over the built-in one. Both texts are kept among the versions, the
/// new one for the reason given. Blocks.
///
/// `opened` is the version that was edited: where another one is used by now, nothing is written.
///
/// # Errors
/// When the text cannot be used or another version is used by now, and when the disk refuses.
pub fn save_prompt(
    store: &StoreContext,
    library: &Library,
    folder: &Path,
    name: &PromptName,
    opened: &Hash,
    text: &str,
    because: KeptBecause,
) -> Result<Saved, SaveFault> {
    let before = read_prompt(library, name)?;
    if before.overview.hash != *opened {
        return Err(SaveFault::ChangedMeanwhile(Box::new(before)));
    }
    check_text(library, name, text)?;
    let folder = match &before.overview.origin {
        FileOrigin::Folder(folder) => folder.as_path(),
        FileOrigin::BuiltIn => folder,
    };
    let path = folder.join(before.overview.own_file());
    // Kept before anything is written over: the earlier text can always be brought back.
    let book = PromptBook::new(store);
    book.keep_text(name, &before.text, KeptBecause::Replaced)?;
    book.keep_text(name, text, because)?;
    replace_own(&path, text.as_bytes()).map_err(WorkspaceError::from)?;
    let now = read_prompt(library, name)?;
    Ok(Saved { path, now })
}
