//! Ids as people type and read them: sessions that are named, and ids shortened for tables.

use super::context::CommandContext;
use anyhow::Result;
use elenchus_game::debate::SessionId;
use elenchus_records::workspace::find_session;
use std::collections::BTreeMap;

/// Ids are never shown shorter than this.
const MIN_SHORT_ID: usize = 6;

/// Finds the session that an id, its beginning, its end, or `last` names.
///
/// # Errors
/// When none or several do.
pub fn resolve_session(context: &CommandContext, text: &str) -> Result<SessionId> {
    Ok(find_session(&context.store.layout, text)?)
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
