//! Growth of a journal that came from elsewhere: the same journal, as it went on there.

use super::files::{parent_of, sync_folder};
use super::heads::{self, Durability, HeadFile, read_head_file};
use super::lock::Lock;
use super::{Access, Head, Result, StoreError, open_regular};
use std::fs;
use std::path::Path;
use std::sync::Arc;

/// Returns whether the journal at `path` was imported and nothing was written to it here since.
pub fn is_as_imported(path: &Path) -> bool {
    let Some(mark) = read_head_file(path) else {
        return false;
    };
    mark.imported.is_some() && mark.imported_lines == Some(mark.head.lines)
}

/// Puts the longer journal in `longer`, which begins with all that is at `path`, in its place. Others who want to
/// write to it meanwhile are told of `command`.
///
/// # Errors
/// When somebody writes to it, something was written to it here, or the disk refuses.
pub fn replace_by_grown(path: &Path, longer: &Path, head: Head, command: &str) -> Result<()> {
    let file = Arc::new(open_regular(path, Access::Append)?);
    let _lock = Lock::acquire(&file, path, command)?;
    let Some(mark) = read_head_file(path).filter(|_| is_as_imported(path)) else {
        return Err(StoreError::Damaged {
            path: path.to_owned(),
            why: "something was written to it here since it was imported".to_owned(),
        });
    };
    fs::rename(longer, path).map_err(StoreError::from_io("write", path))?;
    sync_folder(&parent_of(path))?;
    let mark = HeadFile {
        head,
        imported_lines: Some(head.lines),
        ..mark
    };
    heads::write_head_file(path, &mark, Durability::Soon)
}
