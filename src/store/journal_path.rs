//! What the path of a journal tells: the store that it lies in, and where its head lies there.

use std::{
    ffi::OsStr,
    path::{Path, PathBuf},
};

use super::{Layout, layout::JOURNAL};

/// Folders of a store that hold journals themselves.
const FOLDERS: [&str; 11] = [
    "sessions", "runs", "notes", "sights", "passes", "queues", "sheets", "packs", "trash",
    "prompts", "ab",
];
/// The folder of namespaces, which hold journals of lessons and these of guardrails.
const MEMORY: &str = "memory";
const OF_GUARDS: [&str; 2] = ["guards", "trials"];

impl Layout {
    /// The id that a session's journal has by its place in a store; `None` for a file elsewhere.
    pub fn session_at(path: &Path) -> Option<&str> {
        let (_, folder) = folder_of(path)?;
        let name = path.file_name().and_then(OsStr::to_str)?;
        (folder == Path::new("sessions")).then(|| name.strip_suffix(JOURNAL))?
    }
}

/// Takes the path of a journal apart: the store that it lies in, and what the folder of its head is
/// called. `None` for a file that is in no folder of a store.
///
/// Guardrails have folders of their own beside lessons, or the head of a writer who is called
/// `guards` would lie where that folder is.
pub(super) fn folder_of(journal: &Path) -> Option<(PathBuf, PathBuf)> {
    let named = |path: &Path| path.file_name().and_then(OsStr::to_str).map(str::to_owned);
    let folder = journal.parent()?;
    let (name, above) = (named(folder)?, folder.parent()?);
    let above_that = above.parent();
    if let Some((memory, namespace)) = above_that.zip(named(above))
        && OF_GUARDS.contains(&name.as_str())
        && named(memory).as_deref() == Some(MEMORY)
    {
        let root = memory.parent()?;
        return Some((root.to_owned(), Path::new(&name).join(namespace)));
    }
    let in_folder = FOLDERS.contains(&name.as_str());
    if named(above).as_deref() == Some(MEMORY) {
        let root = above_that?;
        // A store can itself be called `memory`, and a namespace as a folder is.
        if !in_folder || root.join(FOLDERS[0]).is_dir() {
            return Some((root.to_owned(), Path::new(MEMORY).join(name)));
        }
    }
    in_folder.then(|| (above.to_owned(), PathBuf::from(name)))
}

/// The journal that has its head in `folder`, as [`folder_of`] names it.
pub(super) fn journal_in(root: &Path, folder: &Path, name: &str) -> PathBuf {
    let mut parts = folder.iter();
    let (kind, namespace) = (parts.next(), parts.next());
    let of_guards = |kind: &&OsStr| OF_GUARDS.iter().any(|of_guards| kind == of_guards);
    let folder = match (kind.filter(of_guards), namespace) {
        (Some(kind), Some(namespace)) => root.join(MEMORY).join(namespace).join(kind),
        (_, _) => root.join(folder),
    };
    folder.join(format!("{name}{JOURNAL}"))
}
