//! Errors of journals, and notices about their tails.

use std::{
    fmt, io,
    path::{Path, PathBuf},
    sync::Arc,
};

use super::{Hash, files::with_suffix, line::MAX_LINE_BYTES, lock::LockHolder};

/// Result of work on journals and the index.
pub type Result<T, E = StoreError> = std::result::Result<T, E>;

/// An error of a journal; each message says what happened, where, and what to do next.
#[derive(Debug, Clone, thiserror::Error)]
pub enum StoreError {
    /// The operating system refused.
    #[error("cannot {doing} {}: {cause}; {}", path.display(), advice(cause))]
    Io {
        /// A verb phrase: "write to", "read".
        doing: &'static str,
        path: PathBuf,
        cause: Arc<io::Error>,
    },
    /// A write or an fsync failed earlier, and the journal takes no more lines.
    #[error(
        "{} takes no more lines since an earlier failure: {failure}; every acknowledged line is intact: \
         open the journal again once the cause is gone",
        path.display()
    )]
    Closed { path: PathBuf, failure: String },
    /// A file exists where a new one was to be created.
    #[error("{} exists already; nothing was written: choose another id, or open it", path.display())]
    Exists { path: PathBuf },
    /// A folder or file cannot be created, because its parent is missing.
    #[error(
        "cannot {doing} {}: there is nothing it could be in; choose another store with --store or \
         ELENCHUS_STORE",
        path.display()
    )]
    Nowhere {
        /// A verb phrase: "create", "create the folder".
        doing: &'static str,
        path: PathBuf,
    },
    /// There is no such journal.
    #[error("there is no journal {}; 'elenchus ls' lists sessions, 'elenchus ls --runs' runs", path.display())]
    Missing { path: PathBuf },
    /// A name in the store belongs to something other than a regular file.
    #[error(
        "{} is {what}: files of a store are opened by their own names only; move the file itself \
         there, or remove {what}",
        path.display()
    )]
    NotAFile {
        path: PathBuf,
        /// "a link", "a folder", "a pipe, socket or device".
        what: &'static str,
    },
    /// Another writer holds the journal's lock.
    #[error(
        "it is being written by {}; wait for it to end or end it there, reading goes on meanwhile ({})",
        HolderText(holder),
        path.display()
    )]
    Locked {
        path: PathBuf,
        /// `None` if the holder left no name that can be read.
        holder: Option<LockHolder>,
    },
    /// A complete line was changed after it was written.
    #[error(
        "{}:{line_no}: {why}; the file was changed after it was written and is not repaired: \
         restore it from a copy, or read the {} lines before",
        path.display(),
        line_no - 1
    )]
    Broken {
        path: PathBuf,
        /// Counted from 1.
        line_no: u64,
        why: String,
    },
    /// Acknowledged lines are missing.
    #[error(
        "{}: {why}; nothing was changed: restore it from a copy, or go on without what is lost with \
         'elenchus verify --accept {}'",
        path.display(),
        path.display()
    )]
    Damaged { path: PathBuf, why: String },
    /// A journal of another kind is where one was to be continued.
    #[error(
        "{}:1: it is a journal of kind '{is}', and '{wanted}' was wanted; nothing was changed: move it where it belongs",
        path.display()
    )]
    OtherKind {
        path: PathBuf,
        /// Kind that its envelope names.
        is: String,
        wanted: &'static str,
    },
    /// A later version wrote the journal in a format that this one cannot continue.
    #[error(
        "{}:1: a later version wrote it in format {format}, and this one continues up to format {known}; \
         nothing was changed: use that version",
        path.display()
    )]
    NewerFormat {
        path: PathBuf,
        format: u32,
        known: u32,
    },
    /// An event is too long for one line.
    #[error(
        "an event of {bytes} bytes was not written to {}: a line holds at most {MAX_LINE_BYTES} bytes; \
         shorten the text or the documents it carries",
        path.display()
    )]
    TooLong { path: PathBuf, bytes: usize },
    /// An event that could not be read back was not written.
    #[error(
        "an event was not written to {} because it could not be read back: {why}; \
         this is a fault in the program, please report it",
        path.display()
    )]
    Unwritable { path: PathBuf, why: String },
    /// A journal has fewer lines than a fork wants to copy.
    #[error("{} has {has} lines, {wanted} were asked for; choose an earlier point", path.display())]
    TooShort {
        path: PathBuf,
        has: u64,
        wanted: u64,
    },
    /// A name that cannot become a file name.
    #[error(
        "{name:?} cannot name a {what}: use 1 to 128 of the characters A-Z a-z 0-9 . _ - \
         and no dot at the start"
    )]
    Name { what: &'static str, name: String },
}

impl StoreError {
    /// Builds the function that turns an [`io::Error`] on `path` into one of ours.
    pub fn from_io(
        doing: &'static str,
        path: impl Into<PathBuf>,
    ) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |cause| match cause.kind() {
            io::ErrorKind::NotFound if doing.starts_with("create") => Self::Nowhere { doing, path },
            io::ErrorKind::NotFound => Self::Missing { path },
            // A folder is only created where there is none: a file has its name.
            io::ErrorKind::AlreadyExists if doing == "create the folder" => Self::Io {
                doing,
                path,
                cause: Arc::new(io::ErrorKind::NotADirectory.into()),
            },
            io::ErrorKind::AlreadyExists => Self::Exists { path },
            _ => Self::Io {
                doing,
                path,
                cause: Arc::new(cause),
            },
        }
    }
}

/// Advice for the user about an error of the operating system.
fn advice(cause: &io::Error) -> &'static str {
    use io::ErrorKind as Kind;
    match cause.kind() {
        Kind::StorageFull => {
            "the disk is full: free some space, then resume; every acknowledged line is intact"
        }
        Kind::QuotaExceeded => {
            "your disk quota is used up: free some space, then resume; every acknowledged line is intact"
        }
        Kind::FileTooLarge => {
            "the file has reached a size limit (see `ulimit -f`): raise it, then resume; \
             every acknowledged line is intact"
        }
        Kind::ReadOnlyFilesystem => {
            "the file system is read-only: choose another store with --store"
        }
        Kind::PermissionDenied => {
            "check who owns the store, or choose another one with --store or ELENCHUS_STORE"
        }
        Kind::NotADirectory => {
            "a part of that path is a file where a folder is needed: look at HOME, or choose another \
             store with --store or ELENCHUS_STORE"
        }
        // ENOLCK, ENOSYS and EOPNOTSUPP, by the numbers of Linux; some network file systems have no locks.
        _ if matches!(cause.raw_os_error(), Some(37 | 38 | 95)) => {
            "the file system gives no locks, as some on a network do not: choose a store on a local \
             disk with --store or ELENCHUS_STORE; nothing was written"
        }
        // EMFILE and ENFILE have no stable kind.
        _ if matches!(cause.raw_os_error(), Some(23 | 24)) => {
            "too many files are open: raise `ulimit -n` or lower --concurrency"
        }
        _ => "check the disk, then resume; every acknowledged line is intact",
    }
}

struct HolderText<'a>(&'a Option<LockHolder>);

impl fmt::Display for HolderText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(holder) => holder.fmt(f),
            None => f.write_str("another process (it left no name)"),
        }
    }
}

/// A tail that was found on opening or reading a journal: lines at the end of the file that were
/// never acknowledged and did not stop the reader.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TailNotice {
    pub path: PathBuf,
    /// Its first line, counted from 1.
    pub line_no: u64,
    pub bytes: u64,
    pub kind: TailKind,
    pub tail: TailTreatment,
}

/// Kind of a tail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TailKind {
    /// The last line has no end: its writer was killed, or is still writing.
    Incomplete,
    /// It was not written completely: a power cut came before the disk had it.
    Broken,
}

/// Treatment of a tail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TailTreatment {
    /// A reader ignored it.
    Ignored,
    /// The holder of the lock cut it off and kept it in a file; the hash is that of its bytes.
    Cut(Hash),
}

/// Path of the file that keeps a tail with this hash of the journal at `path`.
pub(super) fn tail_file(path: &Path, hash: &Hash) -> PathBuf {
    let hash = hash.to_string();
    with_suffix(path, &format!(".tail-{}", hash.get(..16).unwrap_or(&hash)))
}

impl fmt::Display for TailNotice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            path,
            line_no,
            bytes,
            kind,
            tail,
        } = self;
        let what = match kind {
            TailKind::Incomplete => format!("an incomplete last line of {bytes} bytes"),
            TailKind::Broken => format!("a broken end of {bytes} bytes"),
        };
        let treatment = match tail {
            TailTreatment::Ignored => "ignored".to_owned(),
            TailTreatment::Cut(hash) => {
                let tail_path = tail_file(path, hash);
                let tail_name = tail_path
                    .file_name()
                    .unwrap_or_default()
                    .display()
                    .to_string();
                format!("cut off (kept next to it as {tail_name})")
            }
        };
        write!(
            f,
            "{}:{line_no}: {what} was {treatment}; \
             it was never acknowledged, and what it recorded is done again",
            path.display()
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_system_without_locks_is_not_told_as_a_broken_disk() {
        for number in [37, 38, 95] {
            let none = io::Error::from_raw_os_error(number);
            let text = StoreError::from_io("lock", "sessions/a.jsonl")(none).to_string();
            assert!(text.contains("gives no locks"), "{text}");
            assert!(!text.contains("check the disk"), "{text}");
        }
    }

    #[test]
    fn a_full_disk_is_said_with_place_and_remedy() {
        let full = io::Error::from(io::ErrorKind::StorageFull);
        let text = StoreError::from_io("write to", "sessions/a.jsonl")(full).to_string();
        assert_eq!(
            text,
            "cannot write to sessions/a.jsonl: no storage space; the disk is full: free some space, \
             then resume; every acknowledged line is intact"
        );
    }
}
