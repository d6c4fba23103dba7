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

/// Appends events to the beginning of a journal, each chained to the line before it, so that a fork can begin with
/// more of its parent than the lines up to one point. `path` is for messages.
///
/// # Errors
/// When the beginning does not chain, or an event cannot be written.
pub fn append_to_prefix<'a, T: JournalType>(
    path: &Path,
    mut prefix: Vec<u8>,
    events: impl IntoIterator<Item = (&'a str, String, &'a T::Event)>,
) -> Result<Vec<u8>>
where
    T::Event: 'a,
{
    let mut head = reader::verify_prefix(path, &prefix)?;
    for (at, by, event) in events {
        let line = line::encode_line::<T>(&head, at, &by, event)
            .map_err(|refusal| refusal.into_store_error(path))?;
        head = head.with_line(&line);
        prefix.extend_from_slice(&line);
    }
    Ok(prefix)
}

impl<T: JournalType> JournalWriter<T> {
    /// See [`Journals::fork_journal`](super::Journals::fork_journal).
    pub(super) async fn create_fork(
        path: &Path,
        prefix: Vec<u8>,
        (at, by): (&str, &str),
        event: &T::Event,
        command: &str,
        executor: &SyncPool,
    ) -> Result<Self> {
        let parent_head = reader::verify_prefix(path, &prefix)?;
        let line = line::encode_line::<T>(&parent_head, at, by, event)
            .map_err(|refusal| refusal.into_store_error(path))?;
        let head = parent_head.with_line(&line);
        let (done, result) = tokio::sync::oneshot::channel();
        {
            let (path, command) = (path.to_owned(), command.to_owned());
            executor.submit(Box::new(move |queue| {
                let outcome = write_fork(&path, &[&prefix, &line], &command);
                queue.count_sync();
                // The receiver may have been dropped; the fork exists all the same and can be
                // opened.
                let _ = done.send(outcome);
            }));
        }
        let (lock, file) = result.await.unwrap_or_else(|_| {
            Err(StoreError::Closed {
                path: path.to_owned(),
                failure: "the thread that syncs it ended".to_owned(),
            })
        })?;
        let open = JournalFile::new(path, file, HeadFile::from_head(head), FolderSync::Synced);
        Ok(Self::new(lock, open, executor))
    }
}

fn write_fork(path: &Path, parts: &[&[u8]], command: &str) -> Result<(Lock, Arc<fs::File>)> {
    let folder = parent_of(path);
    create_folders(&folder)?;
    // Checked early, or the holder file of its writer would be replaced.
    if path.exists() {
        return Err(StoreError::Exists {
            path: path.to_owned(),
        });
    }
    heads::refuse_gone(path)?;
    let temporary_path = with_suffix(path, UNFINISHED_SUFFIX);
    remove_unfinished(&temporary_path, command)?;
    let file = Arc::new(create_private(&temporary_path)?);
    let lock = Lock::acquire_new(&file, &temporary_path, path, command)?;
    let write_result = parts
        .iter()
        .try_for_each(|part| (&*file).write_all(part))
        .and_then(|()| file.sync_all())
        .map_err(StoreError::from_io("write", &temporary_path))
        .and_then(|()| publish_fork(&temporary_path, path))
        .and_then(|()| sync_folder(&folder));
    if let Err(error) = write_result {
        let _ = fs::remove_file(&temporary_path);
        return Err(error);
    }
    Ok((lock, file))
}

/// Removes the rest of a crash, unless another process is still writing to it.
fn remove_unfinished(unfinished: &Path, command: &str) -> Result<()> {
    let Ok(file) = open_regular(unfinished, Access::Append) else {
        return Ok(());
    };
    let file = Arc::new(file);
    let _lock = Lock::acquire(&file, unfinished, command)?;
    fs::remove_file(unfinished).map_err(StoreError::from_io("remove", unfinished))
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
    let _lock = match Lock::acquire(&file, path, command) {
        Ok(lock) => lock,
        Err(StoreError::Locked { .. }) => return Ok(false),
        Err(error) => return Err(error),
    };
    if heads::has_head(path) || !may_go(path) {
        return Ok(false);
    }
    fs::remove_file(path).map_err(StoreError::from_io("remove", path))?;
    sync_folder(&parent_of(path))?;
    Ok(true)
}

/// Gives a finished file its name, and never takes the name from another file.
fn publish_fork(unfinished: &Path, path: &Path) -> Result<()> {
    match fs::hard_link(unfinished, path) {
        Ok(()) => fs::remove_file(unfinished),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(error),
        // A file system without hard links.
        Err(_) if !path.exists() => fs::rename(unfinished, path),
        Err(error) => Err(error),
    }
    .map_err(StoreError::from_io("name", path))
}
