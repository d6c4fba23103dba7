//! Lookup of a protocol by id, path or built-in name.

use crate::cli::common::Workshop;
use crate::debate::protocol::{ProtocolFile, Settings};
use crate::library::{Game, GameError, Library};
use anyhow::{Context, Result};
use std::path::{Path, PathBuf};

/// Prefix of a built-in protocol, past files of the same name.
const BUILT_IN: &str = "built-in:";

/// Where a protocol comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ProtocolSource {
    Library(String),
    BuiltIn(String),
    File(PathBuf),
}

impl ProtocolSource {
    /// Finds out what is meant: a name that could be a path is one when there is such a file; a
    /// folder means its protocol.
    pub fn of(named: &str) -> Self {
        if let Some(id) = named.strip_prefix(BUILT_IN) {
            return ProtocolSource::BuiltIn(id.to_owned());
        }
        let path = Path::new(named);
        if path.is_dir() && path.join("protocol.toml").is_file() {
            return ProtocolSource::File(path.join("protocol.toml"));
        }
        if path.is_file() || named.ends_with(".toml") || named.contains('/') {
            return ProtocolSource::File(path.to_path_buf());
        }
        ProtocolSource::Library(named.to_owned())
    }

    /// Reads the protocol's file.
    ///
    /// # Errors
    /// When there is none, or its text cannot be read.
    pub fn read(&self, shop: &Workshop) -> Result<ProtocolFile> {
        match self {
            ProtocolSource::Library(id) => Ok(shop.library.protocol(id)?),
            ProtocolSource::BuiltIn(id) => Ok(Library::default().protocol(id)?),
            ProtocolSource::File(path) => {
                let shown = path.display().to_string();
                let text = std::fs::read_to_string(path)
                    .with_context(|| format!("{shown} cannot be read"))?;
                Ok(ProtocolFile::read(&shown, &text)?)
            }
        }
    }

    /// Collects the game to be looked at, whether its pins hold or not.
    ///
    /// # Errors
    /// When a file is missing or wrong.
    pub fn unpinned_game(&self, shop: &Workshop, settings: &Settings) -> Result<Game, GameError> {
        match self {
            ProtocolSource::Library(id) => shop.library.unpinned_game(id, settings),
            ProtocolSource::BuiltIn(id) => Library::default().unpinned_game(id, settings),
            ProtocolSource::File(path) => {
                shop.library.unpinned_game_from_file(&full(path), settings)
            }
        }
    }

    /// Returns the library that the game is read from, and the name of its folder there.
    pub fn library(&self, shop: &Workshop, game: &Game) -> (Library, String) {
        match self {
            ProtocolSource::Library(id) => (shop.library.clone(), id.clone()),
            ProtocolSource::BuiltIn(id) => (Library::default(), id.clone()),
            ProtocolSource::File(path) => shop.library.around(&full(path), &game.protocol.id),
        }
    }

    /// Collects the game as it would be played.
    ///
    /// # Errors
    /// When it cannot be.
    pub fn game(&self, shop: &Workshop, settings: &Settings) -> Result<Game, GameError> {
        match self {
            ProtocolSource::Library(id) => shop.library.game(id, settings),
            ProtocolSource::BuiltIn(id) => Library::default().game(id, settings),
            ProtocolSource::File(path) => shop.library.game_from_file(&full(path), settings),
        }
    }
}

/// A bare name has no folder to find its templates in.
fn full(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_path_buf())
}
