//! Which journals `elenchus verify` looks at, and what others remember of them.

use super::args::VerifyArgs;
use super::parcel::{JOURNAL, heads_of};
use super::workshop::Workshop;
use crate::debate::SessionId;
use crate::driver::{At, JournalKind, journals_of_store, runs, watermarks};
use crate::store::{Cache, Head, Layout};
use anyhow::bail;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// A journal that is to be checked.
pub(super) struct Journal {
    pub(super) place: Place,
    pub(super) path: PathBuf,
    /// What others remember of it.
    pub(super) known: Vec<Head>,
}

/// What is known of a journal by where it lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Place {
    In(At),
    /// Anywhere: its first event alone can tell.
    Anywhere,
}

impl Place {
    pub(super) fn kind(self) -> Option<JournalKind> {
        match self {
            Place::In(at) => Some(at.kind()),
            Place::Anywhere => None,
        }
    }
}

/// Returns the journals that are meant.
pub(super) fn journals(
    args: &VerifyArgs,
    shop: &Workshop,
    cache: &Cache,
) -> anyhow::Result<Vec<Journal>> {
    if args.file.is_empty() {
        whole_store(shop, cache)
    } else {
        named(shop, cache, &args.file)
    }
}

/// Returns the heads that run journals and the cache remember of sessions.
fn known_heads(shop: &Workshop, cache: &Cache) -> anyhow::Result<BTreeMap<SessionId, Vec<Head>>> {
    let mut known: BTreeMap<SessionId, Vec<Head>> = BTreeMap::new();
    // Runs that cannot be read are reported when their own turn comes.
    for run in runs(&shop.layout)?.0 {
        for (session, head) in heads_of(&run) {
            known.entry(session).or_default().push(head);
        }
    }
    for (session, head) in watermarks(&shop.layout, cache) {
        known.entry(session).or_default().push(head);
    }
    Ok(known)
}

fn whole_store(shop: &Workshop, cache: &Cache) -> anyhow::Result<Vec<Journal>> {
    let mut known = known_heads(shop, cache)?;
    let mut journals = journals_of_store(&shop.layout)?;
    // What may be brought back must be whole.
    for id in shop.layout.trash()? {
        journals.push((At::Store(JournalKind::Session), shop.layout.trashed(&id)?));
    }
    Ok(journals
        .into_iter()
        .map(|(at, path)| {
            let session = match at {
                At::Store(JournalKind::Session) => Layout::session_at(&path).map(SessionId::new),
                At::Store(_) | At::Tries(_) => None,
            };
            // What is remembered and gone was deleted, or never came along: its run can be resumed.
            let known = session.and_then(|session| known.remove(&session));
            Journal {
                place: Place::In(at),
                path,
                known: known.unwrap_or_default(),
            }
        })
        .collect())
}

/// Returns the journals of files that were named: those of the store as they are checked with the
/// whole store. A copy elsewhere may rightly be older than what is remembered.
fn named(shop: &Workshop, cache: &Cache, files: &[PathBuf]) -> anyhow::Result<Vec<Journal>> {
    let mut own: BTreeMap<PathBuf, Journal> = BTreeMap::new();
    for journal in whole_store(shop, cache)? {
        own.extend(journal.path.canonicalize().ok().map(|at| (at, journal)));
    }
    let mut journals = Vec::new();
    for path in files {
        if path.is_dir() {
            bail!(
                "{} is a folder; name journals (files ending with {JOURNAL}), or nothing for the whole store",
                path.display()
            );
        }
        let own = path.canonicalize().ok().and_then(|at| own.remove(&at));
        let (place, known) =
            own.map_or((Place::Anywhere, Vec::new()), |own| (own.place, own.known));
        journals.push(Journal {
            place,
            path: path.clone(),
            known,
        });
    }
    Ok(journals)
}
