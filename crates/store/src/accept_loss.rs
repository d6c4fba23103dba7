//! Acceptance of a loss: the head of a damaged journal is set to what is left of it. The journal
//! itself is never changed.

use std::{path::Path, sync::Arc};

use super::{
    Access, Head, Result, StoreError, SyncPool, Verification,
    files::open_regular,
    heads::{self, Durability, HeadFile},
    lock::Lock,
    verify_journal,
};

/// The part of a journal that was given up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AcceptedLoss {
    /// The whole journal, of which `lines` lines were acknowledged.
    Journal { lines: u64 },
    /// Everything after the first `lines` lines.
    Behind { lines: u64 },
    /// The missing head: the lines that are there count as all.
    Headless,
    /// Nothing: all acknowledged lines are there.
    Nothing,
}

/// Gives up the lost part of the journal at `path`, by its own head and by `known` ones, durably.
///
/// From now on readers take the lines that are there for all lines, and the next writer cuts off
/// the broken part and keeps it in a file of its own.
///
/// # Errors
/// [`StoreError::Locked`]; [`StoreError::Missing`] when there is neither a journal nor its head;
/// [`StoreError::Io`].
pub fn accept_loss(
    path: &Path,
    known: &[Head],
    command: &str,
    executor: &SyncPool,
) -> Result<AcceptedLoss> {
    let mark = heads::read_head_file(path);
    let file = match (open_regular(path, Access::Append), &mark) {
        (Err(StoreError::Missing { .. }), Some(mark)) => {
            heads::remove_head_file(path)?;
            let lines = mark.head.lines;
            return Ok(AcceptedLoss::Journal { lines });
        }
        (opened, _) => Arc::new(opened?),
    };
    let _lock = Lock::acquire(&file, path, command)?;
    let verification = verify_journal(path, known)?;
    let head = verification.head;
    if verification.is_sound() {
        if mark.is_some() || head.lines == 0 {
            return Ok(AcceptedLoss::Nothing);
        }
        heads::write_head_file(
            path,
            &HeadFile::from_head(head),
            Durability::Durably(executor),
        )?;
        return Ok(if heads::has_head(path) {
            AcceptedLoss::Headless
        } else {
            // The file is in no folder of a store.
            AcceptedLoss::Nothing
        });
    }
    let is_given_up = |known: &&Head| known.bytes > head.bytes || is_lost(&verification, known);
    let mut mark = mark.unwrap_or_else(|| HeadFile::from_head(head));
    mark.head = head;
    mark.accepted.extend(known.iter().filter(is_given_up));
    mark.rest_lost = verification.broken.is_some();
    heads::write_head_file(path, &mark, Durability::Durably(executor))?;
    Ok(AcceptedLoss::Behind { lines: head.lines })
}

fn is_lost(found: &Verification, known: &Head) -> bool {
    found.lost.iter().any(|lost| lost.known_head() == *known)
}
