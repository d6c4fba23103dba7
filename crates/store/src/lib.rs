//! Journals, and an index in front of them.
//!
//! A journal is a file of JSON lines that only grows. Each line holds the SHA-256 of the line
//! before it, so a changed byte is detected and located. Journals are the truth: the index
//! ([`Index`], the only place that names sled) can be emptied, damaged or turned off at any moment,
//! and nothing is lost but time.
//!
//! ```text
//! {"prev":"<hex of the line before; 64 zeros>","at":"<RFC 3339>","by":"<author>","event":{"type":…}}
//! ```
//!
//! The first line holds an envelope as well, which names the kind of the journal and its format:
//! `"journal":{"kind":"session","format":1}`. Journals of version 0.1.0 have none; they are read and
//! continued as they are.
//!
//! A hash covers a whole line with its newline: `head -n 1 FILE | sha256sum` prints the second
//! line's `prev`.
//!
//! Invariants:
//! - Lines that [`JournalWriter::append`] acknowledged are on the disk, and so is every line before
//!   them.
//! - A journal has one writer, on this machine or on another that shares the file system; readers
//!   never need the lock and never change a file.
//! - A write or fsync that failed closes its journal. It is never retried: after a failed fsync the
//!   kernel may have dropped the data and call the next one a success.
//! - A tail that was never acknowledged (an incomplete last line, or lines that were not synced
//!   before a power cut) is ignored by readers; the next writer cuts it off, keeps it in a file
//!   next to the journal and reports it. Any other damage is located by file and line, and never
//!   repaired.
//! - The durable length of a journal is recorded in a head file (see `heads.rs`), so that a missing
//!   end is detected, and a tail is distinguished from damage. The record is at most a second old,
//!   and exact once the journal is closed. A journal without a head is read as far as it goes.
//!
//! This module never interprets events, has no clock, and imports nothing of ours.

mod accept_loss;
mod catch_panic;
mod chain;
mod containment;
mod error;
mod file_cache;
mod files;
mod fork;
mod grown;
mod hash;
mod heads;
mod index;
mod journal_file;
mod journal_path;
mod journals;
mod key_lock;
mod kind;
mod layout;
mod lazy_journal;
mod line;
mod lock;
mod partial;
mod reader;
mod relocation;
mod stamp;
mod sync_pool;
mod torn_tail;
mod verify;
mod writer;

pub use accept_loss::{AcceptedLoss, accept_loss};
pub use catch_panic::{catch_panics, panics_are_caught};
pub use chain::JournalLines;
pub use containment::lies_in;
pub use error::{Result, StoreError, TailKind, TailNotice, TailTreatment};
pub use file_cache::{FileCache, FileCacheLimits};
pub use files::{
    Access, create_folders, create_private, open_regular, parent_of, read_exactly, read_regular,
    replace_own, replace_private, sync_folder,
};
pub use fork::{append_to_prefix, remove_unwritten};
pub use grown::{is_as_imported, replace_by_grown};
pub use hash::{Hash, Head};
pub use heads::{Import, begin_head, has_head, import_of, move_head};
pub use index::{Index, IndexChange, IndexEntry, IndexNotice, IndexOptions, IndexRows, IndexTable};
pub use journals::Journals;
pub use key_lock::KeyLock;
pub use kind::{Envelope, JournalType};
pub use layout::{JOURNAL, JOURNAL_FOLDERS, Layout};
pub use lazy_journal::LazyJournal;
pub use line::{JournalLine, MAX_LINE_BYTES, ReadLine};
pub use lock::{LockHolder, holder_of, likely_holder};
pub use partial::{PartialFile, partial_files, read_partial, remove_partial};
pub use reader::{
    Journal, check_head, check_seen, has_begun, is_current, open_lines, read_after, read_bytes,
    read_head, read_journal, read_prefix, verify_and_read,
};
pub use relocation::find_copies;
pub use stamp::JournalStamp;
pub use sync_pool::SyncPool;
use verify::Verification;
pub use verify::{HeadRecord, LostHead, verify_journal};
pub use writer::{JournalWriter, OpenedJournal};

#[cfg(test)]
mod tests;
