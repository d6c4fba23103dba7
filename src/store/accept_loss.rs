//! Giving up what is lost of a journal: its head is written down as the journal is now. The journal
//! itself is never touched.

use std::{path::Path, sync::Arc};

use super::{
    Access, Fsync, Head, StoreError, Verification,
    files::open_regular,
    heads::{self, Mark, Put},
    lock::Lock,
    verify_journal,
};

/// What was given up of a journal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Accepted {
    /// The journal is gone; so many lines of it were acknowledged.
    Journal { lines: u64 },
    /// What was acknowledged behind these lines, or is broken there.
    Behind { lines: u64 },
    /// That nobody said how far it went: what is there is taken for all there was.
    Headless,
    /// Nothing: all that was acknowledged is there.
    Nothing,
}

/// Gives up what is lost of the journal at `path`, by its own head and by `known` ones, durably.
///
/// Whoever reads it from now on takes what is there for all there is, and whoever writes to it cuts
/// off and keeps aside what is broken.
///
/// # Errors
/// [`StoreError::Locked`]; [`StoreError::Missing`] when there is neither a journal nor its head;
/// [`StoreError::Io`].
pub fn accept_loss(
    path: &Path,
    known: &[Head],
    command: &str,
    executor: &Fsync,
) -> Result<Accepted, StoreError> {
    let mark = heads::mark_of(path);
    let file = match (open_regular(path, Access::Append), &mark) {
        (Err(StoreError::Missing { .. }), Some(mark)) => {
            heads::forget(path)?;
            let lines = mark.head.lines;
            return Ok(Accepted::Journal { lines });
        }
        (opened, _) => Arc::new(opened?),
    };
    let _lock = Lock::take(&file, path, command)?;
    let found = verify_journal(path, known)?;
    let head = found.head;
    if found.is_sound() {
        if mark.is_some() || head.lines == 0 {
            return Ok(Accepted::Nothing);
        }
        heads::write(path, &Mark::at(head), Put::Durably(executor))?;
        return Ok(if heads::has_head(path) {
            Accepted::Headless
        } else {
            // It lies in no folder of a store.
            Accepted::Nothing
        });
    }
    let lost = |known: &&Head| known.bytes > head.bytes || is_lost(&found, known);
    let mut mark = mark.unwrap_or_else(|| Mark::at(head));
    mark.head = head;
    mark.accepted.extend(known.iter().filter(lost));
    mark.rest_lost = found.broken.is_some();
    heads::write(path, &mark, Put::Durably(executor))?;
    Ok(Accepted::Behind { lines: head.lines })
}

fn is_lost(found: &Verification, known: &Head) -> bool {
    found.lost.iter().any(|lost| lost.known() == *known)
}
