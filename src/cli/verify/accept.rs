//! `elenchus verify --accept`: going on without what is lost of journals.

use super::args::VerifyArgs;
use super::page::{self, counted};
use super::verify_journals::journals;
use super::workshop::Workshop;
use crate::driver::gone_journals;
use crate::store::{Accepted, Cache, Fsync, Head, accept_loss};
use std::path::Path;

/// A run whose own end was given up remembers other heads of its sessions than before, so that they
/// are looked at once more.
const ROUNDS: usize = 2;

/// Gives up what is lost of the journals that are meant, and of all that are gone when the whole
/// store is. Says what that is.
///
/// # Errors
/// When somebody writes to one of them, or the disk refuses.
pub fn accept(args: &VerifyArgs, shop: &Workshop, cache: &Cache) -> anyhow::Result<()> {
    let fsync = Fsync::start()?;
    let gone = match args.file.as_slice() {
        [] => gone_journals(&shop.layout)?,
        named => named
            .iter()
            .filter(|path| !path.exists())
            .cloned()
            .collect(),
    };
    for path in gone {
        give_up(&path, &[], &fsync)?;
    }
    let mut headless = 0;
    for _ in 0..ROUNDS {
        for journal in journals(args, shop, cache)? {
            if journal.path.exists() {
                let accepted = give_up(&journal.path, &journal.known, &fsync)?;
                headless += usize::from(accepted == Accepted::Headless);
            }
        }
    }
    match headless {
        0 => Ok(()),
        many => page::out(&format!(
            "accepted: {} without a head: from now on, what is there is all there was\n",
            counted(many, "journal")
        )),
    }
}

fn give_up(path: &Path, known: &[Head], fsync: &Fsync) -> anyhow::Result<Accepted> {
    let shown = path.display();
    let lines = |lines| counted(usize::try_from(lines).unwrap_or(usize::MAX), "line");
    let accepted = accept_loss(path, known, "verify --accept", fsync)?;
    match accepted {
        Accepted::Nothing | Accepted::Headless => {}
        Accepted::Journal { lines: lost } => page::out(&format!(
            "accepted: {shown} is gone, {} of it are lost\n",
            lines(lost)
        ))?,
        Accepted::Behind { lines: left } => page::out(&format!(
            "accepted: {shown} ends after {}, what came behind is lost\n",
            lines(left)
        ))?,
    }
    Ok(accepted)
}
