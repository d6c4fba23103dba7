//! Order in which journals came into a store: begun here or imported, whichever ids and times they claim.
//!
//! Ids begin with a time, and journals say when they were begun. Of an imported one a stranger chose both, so
//! it counts as of the time of its import; where only the file knows, as of the file's time at most.

use super::clock::parse_milliseconds;
use elenchus_store::import_of;
use jiff::Timestamp;
use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;
use ulid::Ulid;

/// How much later a journal may have come than its file was written: heads of imports were written behind.
const SLACK_MS: i64 = 10_000;

/// Returns when a journal came into the store, in milliseconds since 1970. `own` is the time that it claims.
pub fn arrival_ms(path: &Path, own: Option<i64>) -> i64 {
    if let Some(at) = import_of(path).and_then(|import| parse_milliseconds(&import.at)) {
        return at;
    }
    no_later_than_file(path, own)
}

/// Returns the time that an id of this program begins with; `None` where it is no such id.
pub fn id_ms(id: &str) -> Option<i64> {
    let id = Ulid::from_string(id).ok()?;
    i64::try_from(id.timestamp_ms()).ok()
}

/// Returns the time by which lists place a journal whose last line claims the time `last_at`; `None` where
/// that is the one.
pub(super) fn placed_at(path: &Path, last_at: &str) -> Option<String> {
    let claimed_ms = parse_milliseconds(last_at);
    let own = no_later_than_file(path, claimed_ms);
    // What was written here after the import is as old as that.
    let came = import_of(path).and_then(|import| parse_milliseconds(&import.at));
    let latest_ms = came.map_or(own, |came| own.max(came));
    if Some(latest_ms) == claimed_ms {
        return None;
    }
    let time = Timestamp::from_millisecond(latest_ms).ok()?;
    Some(format!("{time:.3}"))
}

/// Returns the ids of journals, the newest first, and at most so many. Few heads are read where few are asked
/// for: a journal came no later than its file was last written.
pub fn newest_first(journals: Vec<(String, PathBuf)>, at_most: usize) -> Vec<String> {
    let mut dated_journals: Vec<(i64, String, PathBuf)> = journals
        .into_iter()
        .map(|(id, path)| (written_ms(&path).unwrap_or_default(), id, path))
        .collect();
    dated_journals.sort_by_key(|one| Reverse(one.0));
    let mut newest: BTreeSet<(i64, String)> = BTreeSet::new();
    for (written, id, path) in dated_journals {
        let least = newest.first().filter(|_| newest.len() >= at_most);
        if least.is_some_and(|(least, _)| written.saturating_add(SLACK_MS) < *least) {
            break;
        }
        let came = arrival_ms(&path, id_ms(&id));
        newest.insert((came, id));
        if newest.len() > at_most {
            newest.pop_first();
        }
    }
    newest.into_iter().rev().map(|(_, id)| id).collect()
}

/// Sorts things by when their journals came, the newest first. `journal` names the id and the path of one.
pub fn sort_newest_first<T>(all: &mut [T], journal: impl Fn(&T) -> (String, PathBuf)) {
    all.sort_by_cached_key(|one| {
        let (id, path) = journal(one);
        Reverse((arrival_ms(&path, id_ms(&id)), id))
    });
}

fn no_later_than_file(path: &Path, own: Option<i64>) -> i64 {
    match (own, written_ms(path)) {
        (Some(own), Some(written)) => own.min(written),
        (Some(time), None) | (None, Some(time)) => time,
        (None, None) => 0,
    }
}

fn written_ms(path: &Path) -> Option<i64> {
    let modified_time = path.metadata().ok()?.modified().ok()?;
    let since = modified_time.duration_since(UNIX_EPOCH).ok()?;
    i64::try_from(since.as_millis()).ok()
}
