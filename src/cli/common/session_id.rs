//! Ids as people type and read them: a session by a part of its id, and ids shortened for tables.

use super::context::CommandContext;
use anyhow::{Result, bail};
use elenchus_game::debate::SessionId;
use elenchus_records::workspace::{find_session, newest_sessions};
use elenchus_store::has_begun;
use std::collections::BTreeMap;

/// Names the session that was begun or imported last, wherever a session is asked for.
pub const LAST: &str = "last";
/// Sessions that are looked at before all are, where the newest was killed before its first line.
const FEW: usize = 20;
/// Ids are never shown shorter than this.
const MIN_SHORT_ID: usize = 6;

/// Finds the session that an id, its beginning, its end, or `last` names.
///
/// # Errors
/// When none or several do.
pub fn resolve_session(context: &CommandContext, text: &str) -> Result<SessionId> {
    if text != LAST {
        return Ok(find_session(&context.store.layout, text)?);
    }
    // One that was killed before its first line is none.
    let mut looked_at = 0;
    for at_most in [1, FEW, usize::MAX] {
        let newest = newest_sessions(&context.store.layout, at_most)?;
        for id in newest.into_iter().skip(looked_at) {
            if has_begun(&context.store.layout.session_path(id.as_str())?)? {
                return Ok(id);
            }
            looked_at += 1;
        }
    }
    bail!("there is no session yet; 'elenchus run' plays one")
}

/// Length of the ends of ids that are shown: the shortest that names each of them and no other.
///
/// Ids of one moment share their beginnings, and an id's beginning names it as well as its end, so
/// an end that is another id's beginning is no name either.
pub struct ShortIds(usize);

impl ShortIds {
    /// Finds the length for these ids.
    pub fn from_ids<'a>(ids: impl Iterator<Item = &'a str> + Clone) -> Self {
        let longest = ids.clone().map(str::len).max().unwrap_or(0);
        let length = (MIN_SHORT_ID..longest).find(|length| {
            let mut name_counts: BTreeMap<&str, u32> = BTreeMap::new();
            for id in ids.clone() {
                let (first, last) = (id_start(id, *length), id_end(id, *length));
                *name_counts.entry(last).or_default() += 1;
                if first != last {
                    *name_counts.entry(first).or_default() += 1;
                }
            }
            let mut ids = ids.clone();
            ids.all(|id| name_counts.get(id_end(id, *length)) == Some(&1))
        });
        Self(length.unwrap_or(longest))
    }

    /// Shortens one of them.
    pub fn shorten(&self, id: &str) -> String {
        id_end(id, self.0).to_owned()
    }
}

// Ids of the store are ASCII; anything else is left whole.
fn id_start(id: &str, length: usize) -> &str {
    id.get(..length).unwrap_or(id)
}

fn id_end(id: &str, length: usize) -> &str {
    id.len()
        .checked_sub(length)
        .and_then(|start| id.get(start..))
        .unwrap_or(id)
}
