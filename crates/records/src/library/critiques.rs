//! Critiques that a pass can put in place of those that were played. The table is data, `critiques.toml` next to the
//! protocols.

use super::{GameError, Library, parse_table};
use serde::Deserialize;
use std::collections::BTreeMap;

const CRITIQUES: &str = "critiques.toml";

/// A critique of the table.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(untagged, deny_unknown_fields)]
pub enum CritiqueEntry {
    /// The same about every proposal.
    Fixed { text: String },
    /// What the ground truth says.
    Honest { correct: String, incorrect: String },
}

impl Library {
    /// Reads the critiques by their names.
    ///
    /// # Errors
    /// When the table cannot be read.
    pub fn read_critiques(&self) -> Result<BTreeMap<String, CritiqueEntry>, GameError> {
        match self.find_file(CRITIQUES)? {
            Some(found) => parse_table(&found.name, &found.text),
            None => Ok(BTreeMap::new()),
        }
    }
}
