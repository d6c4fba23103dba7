//! Key under which an experiment was begun: the same command, given again, goes on with it.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Key of an experiment, with what was asked for under it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RepeatKey {
    pub name: String,
    /// Words of the command, as "prompts ab".
    pub command: String,
    /// Options as they were typed, without those that may change when it goes on; for files also the hash of what
    /// was in them.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub options: BTreeMap<String, String>,
}

/// The longest value of an option that a difference shows.
const MAX_SHOWN_CHARS: usize = 60;

impl RepeatKey {
    /// Says how another command under the same key differs: a phrase for each option. Empty where both ask for the
    /// same.
    pub fn list_differences(&self, other: &RepeatKey) -> Vec<String> {
        if self.command != other.command {
            return vec![format!(
                "it was begun by 'elenchus {}'",
                shorten(&self.command)
            )];
        }
        let mut names: Vec<&String> = self.options.keys().chain(other.options.keys()).collect();
        names.sort();
        names.dedup();
        let differences = names.into_iter().filter_map(|name| {
            let (before, now) = (self.options.get(name), other.options.get(name));
            match (before, now) {
                (before, now) if before == now => None,
                (Some(before), Some(now)) => Some(format!(
                    "{name} was {} and is {}",
                    shorten(before),
                    shorten(now)
                )),
                (Some(before), None) => Some(format!("{name} was {}", shorten(before))),
                (None, Some(now)) => Some(format!("{name} is new: {}", shorten(now))),
                (None, None) => None,
            }
        });
        differences.collect()
    }
}

fn shorten(text: &str) -> String {
    if text.chars().count() <= MAX_SHOWN_CHARS {
        return text.to_owned();
    }
    let begin: String = text.chars().take(MAX_SHOWN_CHARS).collect();
    format!("{begin}…")
}
