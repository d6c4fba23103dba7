//! Lock of a journal: one writer at a time.
//!
//! The lock is an advisory lock of the operating system on the journal file itself: readers never
//! need it, copies do not carry it, and it ends with the process in any case. A file next to the
//! journal names the holder; it only serves the message of a refusal and decides nothing.

use std::{
    fmt,
    fs::{self, File, TryLockError},
    io,
    path::{Path, PathBuf},
    sync::Arc,
};

use rustix::{
    io::Errno,
    process::{Pid, test_kill_process},
};
use serde::{Deserialize, Serialize};

use super::{
    Result, StoreError,
    files::{place_private, read_regular, still_names, with_suffix},
};

const HOLDER_SUFFIX: &str = ".lock";

/// The most characters of a command line in the holder's file.
const MAX_COMMAND_CHARS: usize = 200;

/// A process that writes to a journal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LockHolder {
    pub pid: u32,
    /// Name of the machine, for stores on a shared file system.
    pub host: String,
    /// The command that opened the [`JournalWriter`](super::JournalWriter).
    pub command: String,
}

impl fmt::Display for LockHolder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { pid, host, command } = self;
        write!(f, "process {pid} on {host} ({command})")
    }
}

impl LockHolder {
    /// Says whether it is, or was, a process of this machine.
    pub fn is_on_this_machine(&self) -> bool {
        self.host == host_name()
    }
}

/// Reads the last recorded holder of the lock of the journal at `path`.
///
/// A killed process leaves this record behind, so it serves for display, not for decisions.
pub fn holder_of(path: &Path) -> Option<LockHolder> {
    let text = read_regular(&with_suffix(path, HOLDER_SUFFIX)).ok()?;
    serde_json::from_slice(&text).ok()
}

/// Returns the likely writer of the journal at `path`, without taking its lock: the last recorded
/// holder, unless that is a process of this machine and it is gone.
///
/// For display, like [`holder_of`]; only opening a journal shows whether it can be written.
pub fn likely_holder(path: &Path) -> Option<LockHolder> {
    holder_of(path).filter(|holder| !holder.is_on_this_machine() || is_alive(holder.pid))
}

fn is_alive(pid: u32) -> bool {
    let pid = i32::try_from(pid).ok().and_then(Pid::from_raw);
    // A process that may not be sent a signal exists all the same.
    pid.is_some_and(|pid| !matches!(test_kill_process(pid), Err(Errno::SRCH)))
}

/// A lock that is held; dropping it frees the journal.
pub(super) struct Lock {
    /// The very file description that is locked: unlocking through it releases the lock even while
    /// a sync that has no waiting caller still has the file open.
    file: Arc<File>,
    holder_file: PathBuf,
}

impl Lock {
    /// Takes the lock of `file`, which is at `path`, or returns its holder.
    pub(super) fn acquire(file: &Arc<File>, path: &Path, command: &str) -> Result<Self> {
        Self::acquire_for(file, path, path, command)
    }

    /// Takes the lock of `file`, which was just created at `path` and will be at `journal`; removes it
    /// where the system gives no lock, or an empty journal would be left behind.
    pub(super) fn acquire_new(
        file: &Arc<File>,
        path: &Path,
        journal: &Path,
        command: &str,
    ) -> Result<Self> {
        let result = Self::acquire_for(file, path, journal, command);
        if matches!(result, Err(StoreError::Io { .. })) {
            let _ = fs::remove_file(path);
        }
        result
    }

    /// Takes the lock of `file`, which is at `path` now and will be at `journal`.
    fn acquire_for(file: &Arc<File>, path: &Path, journal: &Path, command: &str) -> Result<Self> {
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(StoreError::Locked {
                    path: path.to_owned(),
                    holder: holder_of(journal),
                });
            }
            Err(TryLockError::Error(error)) => {
                return Err(StoreError::from_io("lock", path)(error));
            }
        }
        // Between opening and locking, the previous holder may have moved the journal to the trash.
        if !still_names(path, file) {
            let _ = file.unlock();
            let not_found = io::Error::from(io::ErrorKind::NotFound);
            return Err(StoreError::from_io("lock", path)(not_found));
        }
        let holder_file = with_suffix(journal, HOLDER_SUFFIX);
        // The lock works without it: a full disk must not keep a journal from being opened.
        let _ = write_holder(&holder_file, command);
        Ok(Self {
            file: Arc::clone(file),
            holder_file,
        })
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // In this order, or the record of the next holder would be removed.
        let _ = fs::remove_file(&self.holder_file);
        let _ = self.file.unlock();
    }
}

fn write_holder(path: &Path, command: &str) -> Result<()> {
    let holder = LockHolder {
        pid: std::process::id(),
        host: host_name(),
        command: command.chars().take(MAX_COMMAND_CHARS).collect(),
    };
    // Numbers and texts always become JSON.
    place_private(path, &serde_json::to_vec(&holder).unwrap_or_default())
}

fn host_name() -> String {
    ["/proc/sys/kernel/hostname", "/etc/hostname"]
        .iter()
        .find_map(|path| fs::read_to_string(path).ok())
        .or_else(|| std::env::var("HOSTNAME").ok())
        .map(|name| name.trim().to_owned())
        .filter(|name| !name.is_empty())
        .unwrap_or_else(|| "this machine".to_owned())
}
