//! Paths of journals: the store that a journal is in, and the folder of its head there.

use std::{
    ffi::OsStr,
    path::{Path, PathBuf},
};

use super::{Layout, layout::JOURNAL};

/// Folders of a store that hold journals themselves.
const JOURNAL_FOLDERS: [&str; 12] = [
    "sessions", "runs", "sweeps", "notes", "sights", "passes", "queues", "sheets", "packs",
    "trash", "prompts", "ab",
];
/// The folder of folders of experiments, one a kind.
const EXPERIMENTS: &str = "experiments";
/// The folder of namespaces, which hold journals of lessons and these of guardrails.
const MEMORY: &str = "memory";
const GUARDRAIL_FOLDERS: [&str; 2] = ["guards", "trials"];

impl Layout {
    /// Returns the id of a session's journal from its path in a store; `None` for other files.
    pub fn session_at(path: &Path) -> Option<&str> {
        let (_, folder) = folder_of(path)?;
        let name = path.file_name().and_then(OsStr::to_str)?;
        (folder == Path::new("sessions")).then(|| name.strip_suffix(JOURNAL))?
    }
}

/// Splits the path of a journal into the store's root and the folder of its head. `None` for a file
/// that is in no folder of a store.
///
/// Guardrails have head folders of their own next to those of lessons, or the head of a writer
/// called `guards` would have the path of that folder.
pub(super) fn folder_of(journal: &Path) -> Option<(PathBuf, PathBuf)> {
    let name_of = |path: &Path| path.file_name().and_then(OsStr::to_str).map(str::to_owned);
    let folder = journal.parent()?;
    let (name, above) = (name_of(folder)?, folder.parent()?);
    let above_that = above.parent();
    if let Some((memory, namespace)) = above_that.zip(name_of(above))
        && GUARDRAIL_FOLDERS.contains(&name.as_str())
        && name_of(memory).as_deref() == Some(MEMORY)
    {
        let root = memory.parent()?;
        return Some((root.to_owned(), Path::new(&name).join(namespace)));
    }
    if name_of(above).as_deref() == Some(EXPERIMENTS) {
        let root = above_that?;
        return Some((root.to_owned(), Path::new(EXPERIMENTS).join(name)));
    }
    let in_folder = JOURNAL_FOLDERS.contains(&name.as_str());
    if name_of(above).as_deref() == Some(MEMORY) {
        let root = above_that?;
        // A store can itself be called `memory`, and a namespace as a folder is.
        if !in_folder || root.join(JOURNAL_FOLDERS[0]).is_dir() {
            return Some((root.to_owned(), Path::new(MEMORY).join(name)));
        }
    }
    in_folder.then(|| (above.to_owned(), PathBuf::from(name)))
}

/// Returns the journal that has its head in `folder`, as [`folder_of`] returns it.
pub(super) fn journal_in(root: &Path, folder: &Path, name: &str) -> PathBuf {
    let mut parts = folder.iter();
    let (kind, namespace) = (parts.next(), parts.next());
    let of_guardrails = |kind: &&OsStr| {
        GUARDRAIL_FOLDERS
            .iter()
            .any(|of_guardrails| kind == of_guardrails)
    };
    let folder = match (kind.filter(of_guardrails), namespace) {
        (Some(kind), Some(namespace)) => root.join(MEMORY).join(namespace).join(kind),
        (_, _) => root.join(folder),
    };
    folder.join(format!("{name}{JOURNAL}"))
}
