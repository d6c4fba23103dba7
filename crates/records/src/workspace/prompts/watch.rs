//! Watch of a prompt: tells when a file that it could be read from is changed by another program.

use super::catalogue::{PromptText, read_prompt};
use super::name::PromptName;
use crate::library::{Library, SHARED};
use crate::workspace::error::Result;
use crate::workspace::folder_watch::{FolderWatch, Listens, WatchedChanges, WatchedFolder};

/// Folder next to a protocol's own that holds templates of judges.
const RUBRICS: &str = "rubrics";

/// Watches the files that a prompt could be read from; `changed` is told the text that is used now, on a thread
/// of its own. Dropping the watch ends it.
///
/// # Errors
/// When the system has no watch left: saving finds out all the same that a file was changed.
pub fn watch_prompt(
    library: Library,
    name: PromptName,
    changed: impl Fn(Result<PromptText>) + Send + 'static,
) -> std::io::Result<FolderWatch> {
    let within = [SHARED, RUBRICS, &name.protocol];
    let folders = library.folders().iter();
    let folders: Vec<WatchedFolder> = folders
        .flat_map(|folder| within.map(|inner| folder.join(inner)))
        .map(|folder| (folder, WatchedChanges::Saved))
        .collect();
    let tell = move || {
        changed(read_prompt(&library, &name));
        Listens::Yes
    };
    FolderWatch::start(move || folders.clone(), ".md", tell)
}
