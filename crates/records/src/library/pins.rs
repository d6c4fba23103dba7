//! Pins: the SHA-256 values that files of a game must have before it is played (EAAPL §10.2).
//!
//! Bytes are compared as they are: a changed line ending is a change.

use super::game::GameError;
use elenchus_store::Hash;
use std::collections::BTreeMap;
use std::path::{Component, Path};
use thiserror::Error;

/// The file, in a protocol's folder, that holds its pins.
pub const PINS_FILE: &str = "pins.toml";
/// Digits of a hash that are shown.
const SHOWN_DIGITS: usize = 12;

/// Why the pins of a game do not hold.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum PinError {
    #[error("{file}:{line}: {why}")]
    Text {
        file: String,
        line: usize,
        why: String,
    },
    #[error("'{path}' cannot be pinned: name a file below a folder of prompts, without '..'")]
    Path { path: String },
    #[error("'{path}' is pinned, and protocol '{protocol}' has no such file")]
    Missing { path: String, protocol: String },
    #[error("'{path}' can be pinned, says protocol '{protocol}', which has no such file")]
    NothingToPin { path: String, protocol: String },
    #[error(
        "{file} must be pinned before '{named}' is played, and {pins} has no pin for '{path}' (its SHA-256 begins with {found}); read it, then pin it with 'elenchus protocols pin {named}'"
    )]
    Unpinned {
        file: String,
        path: String,
        named: String,
        pins: String,
        found: String,
    },
    #[error(
        "{file} is not what is pinned as '{path}' in {pins}: its SHA-256 should begin with {expected} and begins with {found}; read what changed (git, or 'elenchus protocols diff built-in:{named} {named} --prompts' for a built-in game), then pin it with 'elenchus protocols pin {named}'"
    )]
    Changed {
        file: String,
        path: String,
        named: String,
        pins: String,
        expected: String,
        found: String,
    },
}

impl From<PinError> for GameError {
    fn from(error: PinError) -> Self {
        GameError::Pin(Box::new(error))
    }
}

/// Content of `pins.toml`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Pins {
    /// Where it was found; `None` where there is no such file.
    pub file: Option<String>,
    pub hashes: BTreeMap<String, Hash>,
}

/// A file of a game with its pin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PinnedFile {
    /// As it is pinned: below the protocol's folder or a folder of prompts.
    pub path: String,
    /// The file that won; `None` where there is none.
    pub file: Option<String>,
    pub found: Option<Hash>,
    pub pin: Option<Hash>,
}

impl Pins {
    /// Reads the text of a `pins.toml`. `file` is the name that errors give.
    ///
    /// # Errors
    /// With the line, when it is not a list of files with their hashes.
    pub(crate) fn parse(file: &str, text: &str) -> Result<Self, GameError> {
        let fault = |offset: usize, why: String| {
            GameError::from(PinError::Text {
                file: file.to_owned(),
                line: 1 + text.get(..offset).unwrap_or(text).matches('\n').count(),
                why,
            })
        };
        let table: BTreeMap<String, toml::Spanned<String>> =
            toml::from_str(text).map_err(|error| {
                let offset = error.span().map_or(0, |span| span.start);
                fault(offset, error.message().trim().replace('\n', "; "))
            })?;
        let mut hashes = BTreeMap::new();
        for (path, hash) in table {
            let hash_of = hash.get_ref().parse();
            let hash_of = hash_of.map_err(|error| {
                fault(hash.span().start, format!("the pin of '{path}' is {error}"))
            })?;
            hashes.insert(path, hash_of);
        }
        Ok(Self {
            file: Some(file.to_owned()),
            hashes,
        })
    }

    /// Writes what [`Pins::parse`] reads.
    pub fn to_text(&self) -> String {
        let mut text = String::from(
            "# SHA-256 of files as a person has read them; 'elenchus protocols pin' writes it.\n",
        );
        for (path, hash) in &self.hashes {
            let path = toml::Value::String(path.clone());
            text.push_str(&format!("{path} = \"{hash}\"\n"));
        }
        text
    }
}

impl PinnedFile {
    /// Says whether the file is the one that was pinned.
    pub fn matches_pin(&self) -> bool {
        self.found.is_some() && self.found == self.pin
    }

    /// Refuses a file that is not the one that was pinned. `named` is what `pin` is to be called
    /// with.
    pub(crate) fn check_pin(&self, named: &str, pins: Option<&str>) -> Result<(), GameError> {
        let path = self.path.clone();
        let (Some(file), Some(found)) = (&self.file, &self.found) else {
            return Err(GameError::from(PinError::Missing {
                path,
                protocol: named.to_owned(),
            }));
        };
        let pins_file = pins.unwrap_or(PINS_FILE).to_owned();
        match &self.pin {
            Some(pin) if pin == found => Ok(()),
            Some(pin) => Err(GameError::from(PinError::Changed {
                file: file.clone(),
                path,
                named: named.to_owned(),
                pins: pins_file,
                expected: shorten_hash(pin),
                found: shorten_hash(found),
            })),
            None => Err(GameError::from(PinError::Unpinned {
                file: file.clone(),
                path,
                named: named.to_owned(),
                pins: pins_file,
                found: shorten_hash(found),
            })),
        }
    }
}

/// Returns the digits of a hash that people are shown.
pub fn shorten_hash(hash: &Hash) -> String {
    hash.to_string().chars().take(SHOWN_DIGITS).collect()
}

/// Refuses paths that leave the folders of prompts.
pub(super) fn check_path(path: &str) -> Result<(), GameError> {
    let inside = Path::new(path)
        .components()
        .all(|part| matches!(part, Component::Normal(_)));
    if inside && !path.is_empty() && !path.ends_with('/') {
        return Ok(());
    }
    Err(GameError::from(PinError::Path {
        path: path.to_owned(),
    }))
}
