//! Source of a protocol that a person names: the library, a built-in one, or a file.

use super::catalogue::{Library, read_file};
use super::game::{Game, GameError};
use elenchus_game::debate::protocol::{ProtocolFile, Settings};
use std::path::{Path, PathBuf};

/// Prefix of a built-in protocol, past files of the same name.
const BUILT_IN: &str = "built-in:";

/// Where a protocol comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProtocolSource {
    Library(String),
    BuiltIn(String),
    File(PathBuf),
}

impl ProtocolSource {
    /// Finds out what is meant: a name that could be a path is one when there is such a file; a
    /// folder means its protocol.
    pub fn from_name(named: &str) -> Self {
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
    pub fn read_protocol(&self, library: &Library) -> Result<ProtocolFile, GameError> {
        match self {
            ProtocolSource::Library(id) => library.read_protocol(id),
            ProtocolSource::BuiltIn(id) => Library::default().read_protocol(id),
            ProtocolSource::File(path) => {
                let text = read_file(path)?;
                Ok(ProtocolFile::parse(&path.display().to_string(), &text)?)
            }
        }
    }

    /// Collects the game to be looked at, whether its pins hold or not.
    ///
    /// # Errors
    /// When a file is missing or wrong.
    pub fn load_unpinned_game(
        &self,
        library: &Library,
        settings: &Settings,
    ) -> Result<Game, GameError> {
        match self {
            ProtocolSource::Library(id) => library.load_unpinned_game(id, settings),
            ProtocolSource::BuiltIn(id) => Library::default().load_unpinned_game(id, settings),
            ProtocolSource::File(path) => {
                library.load_unpinned_game_from_file(&full_path(path), settings)
            }
        }
    }

    /// Returns the library that the game is read from, and the name of its folder there.
    pub fn select_library(&self, library: &Library, game: &Game) -> (Library, String) {
        match self {
            ProtocolSource::Library(id) => (library.clone(), id.clone()),
            ProtocolSource::BuiltIn(id) => (Library::default(), id.clone()),
            ProtocolSource::File(path) => {
                library.library_of_file(&full_path(path), &game.protocol.id)
            }
        }
    }

    /// Collects the game as it would be played.
    ///
    /// # Errors
    /// When it cannot be.
    pub fn load_game(&self, library: &Library, settings: &Settings) -> Result<Game, GameError> {
        match self {
            ProtocolSource::Library(id) => library.load_game(id, settings),
            ProtocolSource::BuiltIn(id) => Library::default().load_game(id, settings),
            ProtocolSource::File(path) => library.load_game_from_file(&full_path(path), settings),
        }
    }
}

/// A bare name has no folder to find its templates in.
fn full_path(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_path_buf())
}
