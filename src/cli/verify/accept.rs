//! `elenchus verify --accept`: going on without what is lost of journals.

use super::args::VerifyArgs;
use crate::cli::common::{CommandContext, format_noun_count, output};
use anyhow::Result;
use elenchus_records::workspace::journals::journals_to_check;
use elenchus_records::workspace::{StoreIndex, missing_journals};
use elenchus_store::{AcceptedLoss, Head, SyncPool, accept_loss};
use std::path::Path;

/// A run whose own end was given up remembers other heads of its sessions than before, so that they
/// are looked at once more.
const ROUNDS: usize = 2;

/// Gives up what is lost of the journals that are meant, and of all that are gone when the whole
/// store is. Says what that is.
///
/// # Errors
/// When another process writes to one of them, or the disk refuses.
pub fn accept_losses(
    args: &VerifyArgs,
    context: &CommandContext,
    index: &StoreIndex,
) -> Result<()> {
    let fsync = SyncPool::default();
    let missing_paths = match args.file.as_slice() {
        [] => missing_journals(&context.store.layout)?,
        named => named
            .iter()
            .filter(|path| !path.exists())
            .cloned()
            .collect(),
    };
    for path in missing_paths {
        accept_journal_loss(&path, &[], &fsync)?;
    }
    let mut headless = 0;
    for _ in 0..ROUNDS {
        for journal in journals_to_check(index, &args.file)? {
            if journal.path.exists() {
                let loss = accept_journal_loss(&journal.path, &journal.known, &fsync)?;
                headless += usize::from(loss == AcceptedLoss::Headless);
            }
        }
    }
    match headless {
        0 => Ok(()),
        many => output::print_text(&format!(
            "accepted: {} without a head: from now on, what is there is all there was\n",
            format_noun_count(many, "journal")
        )),
    }
}

fn accept_journal_loss(path: &Path, known: &[Head], fsync: &SyncPool) -> Result<AcceptedLoss> {
    let path_display = path.display();
    let lines = |lines| format_noun_count(usize::try_from(lines).unwrap_or(usize::MAX), "line");
    let loss = accept_loss(path, known, "verify --accept", fsync)?;
    match loss {
        AcceptedLoss::Nothing | AcceptedLoss::Headless => {}
        AcceptedLoss::Journal { lines: lost } => output::print_text(&format!(
            "accepted: {path_display} is gone, {} of it are lost\n",
            lines(lost)
        ))?,
        AcceptedLoss::Behind { lines: left } => output::print_text(&format!(
            "accepted: {path_display} ends after {}, what came behind is lost\n",
            lines(left)
        ))?,
    }
    Ok(loss)
}
