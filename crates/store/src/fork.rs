//! Fork of a journal: a new journal that begins with a copy of its parent's lines.

use std::{fs, io, io::Write, path::Path, sync::Arc};

use super::files::{
    Access, create_folders, create_private, open_regular, parent_of, sync_folder, with_suffix,
};
use super::heads::HeadFile;
use super::journal_file::{FolderSync, JournalFile};
use super::lock::Lock;
use super::{JournalType, JournalWriter, Result, StoreError, SyncPool, heads, line, reader};

/// Suffix of a fork that is not complete, so that a crash leaves no copy that lacks its own line.
const UNFINISHED_SUFFIX: &str = ".new";

impl<T: JournalType> JournalWriter<T> {
    /// See [`Journals::fork`](super::Journals::fork).
    pub(super) async fn fork(
        path: &Path,
        prefix: Vec<u8>,
        (at, by): (&str, &str),
        event: &T::Event,
        command: &str,
        executor: &SyncPool,
    ) -> Result<Self> {
        let copied = reader::verify_prefix(path, &prefix)?;
        let line = line::encode::<T>(&copied, at, by, event)
            .map_err(|refusal| refusal.into_store_error(path))?;
        let head = copied.after(&line);
        let (done, result) = tokio::sync::oneshot::channel();
        {
            let (path, command) = (path.to_owned(), command.to_owned());
            executor.submit(Box::new(move |queue| {
                let made = make(&path, &[&prefix, &line], &command);
                queue.count_sync();
                // The receiver may have been dropped; the fork exists all the same and can be
                // opened.
                let _ = done.send(made);
            }));
        }
        let (lock, file) = result.await.unwrap_or_else(|_| {
            Err(StoreError::Closed {
                path: path.to_owned(),
                failure: "the thread that syncs it ended".to_owned(),
            })
        })?;
        let open = JournalFile::new(path, file, HeadFile::at(head), FolderSync::Synced);
        Ok(Self::over(lock, open, executor))
    }
}

fn make(path: &Path, parts: &[&[u8]], command: &str) -> Result<(Lock, Arc<fs::File>)> {
    let folder = parent_of(path);
    create_folders(&folder)?;
    // Checked early, or the holder file of its writer would be replaced.
    if path.exists() {
        return Err(StoreError::Exists {
            path: path.to_owned(),
        });
    }
    heads::refuse_gone(path)?;
    let unfinished = with_suffix(path, UNFINISHED_SUFFIX);
    remove_abandoned(&unfinished, command)?;
    let file = Arc::new(create_private(&unfinished)?);
    let lock = Lock::take_new(&file, &unfinished, path, command)?;
    let written = parts
        .iter()
        .try_for_each(|part| (&*file).write_all(part))
        .and_then(|()| file.sync_all())
        .map_err(StoreError::io("write", &unfinished))
        .and_then(|()| publish(&unfinished, path))
        .and_then(|()| sync_folder(&folder));
    if let Err(error) = written {
        let _ = fs::remove_file(&unfinished);
        return Err(error);
    }
    Ok((lock, file))
}

/// Removes the rest of a crash, unless another process is still writing to it.
fn remove_abandoned(unfinished: &Path, command: &str) -> Result<()> {
    let Ok(file) = open_regular(unfinished, Access::Append) else {
        return Ok(());
    };
    let file = Arc::new(file);
    let _lock = Lock::take(&file, unfinished, command)?;
    fs::remove_file(unfinished).map_err(StoreError::io("remove", unfinished))
}

/// Removes the journal at `path` where nobody writes to it, it has no head, and `may_go` says so under its lock;
/// returns whether it did. What one writer acknowledged is never removed: its head tells.
pub fn remove_unwritten(
    path: &Path,
    command: &str,
    may_go: impl Fn(&Path) -> bool,
) -> Result<bool> {
    let Ok(file) = open_regular(path, Access::Append) else {
        return Ok(false);
    };
    let file = Arc::new(file);
    let _lock = match Lock::take(&file, path, command) {
        Ok(lock) => lock,
        Err(StoreError::Locked { .. }) => return Ok(false),
        Err(error) => return Err(error),
    };
    if heads::has_head(path) || !may_go(path) {
        return Ok(false);
    }
    fs::remove_file(path).map_err(StoreError::io("remove", path))?;
    sync_folder(&parent_of(path))?;
    Ok(true)
}

/// Gives a finished file its name, and never takes the name from another file.
fn publish(unfinished: &Path, path: &Path) -> Result<()> {
    match fs::hard_link(unfinished, path) {
        Ok(()) => fs::remove_file(unfinished),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(error),
        // A file system without hard links.
        Err(_) if !path.exists() => fs::rename(unfinished, path),
        Err(error) => Err(error),
    }
    .map_err(StoreError::io("name", path))
}
