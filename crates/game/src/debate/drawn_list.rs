//! Items of lists that stages draw from, and which of them is drawn for a turn.

use super::ids::TurnId;
use super::seeded_random::seeded_number;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;

/// The list of a draw that draws nothing.
pub const NO_LIST: &str = "none";

/// One item of a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(
    untagged,
    expecting = "an item of a list is a text, or a table of texts as { critique = \"…\", revision = \"…\" }"
)]
pub enum ListItem {
    /// Drawn anew for each turn.
    Text(String),
    /// Texts by name that belong together, as a rule for critiques and the one for revisions. Drawn
    /// once for a chair and round, so that each of its stages gets a part of the same item.
    Parts(BTreeMap<String, String>),
}

impl ListItem {
    /// Returns the names of its parts; `None` for a text.
    pub fn part_names(&self) -> Option<Vec<&str>> {
        match self {
            ListItem::Text(_) => None,
            ListItem::Parts(parts) => Some(parts.keys().map(String::as_str).collect()),
        }
    }
}

impl fmt::Display for ListItem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ListItem::Text(text) => f.write_str(text),
            ListItem::Parts(parts) => {
                let lines: Vec<String> = parts
                    .iter()
                    .map(|(name, text)| format!("{name}: {text}"))
                    .collect();
                f.write_str(&lines.join("\n"))
            }
        }
    }
}

/// Returns the item of a list that is drawn for a turn under a name.
pub fn draw_item<'a>(
    items: &'a [ListItem],
    seed: u64,
    turn: &TurnId,
    name: &str,
) -> Option<&'a ListItem> {
    let place = match items.first()? {
        ListItem::Text(_) => turn.to_string(),
        ListItem::Parts(_) => format!("r{}.{}", turn.round, turn.chair),
    };
    let count = u64::try_from(items.len()).ok()?;
    let at = seeded_number(seed, &["draw", name, &place]) % count;
    items.get(usize::try_from(at).ok()?)
}
