//! Files that can be pinned and need not be, such as a critic's prompt: a text of somebody's own that
//! nobody pinned is played, with a warning, and the debate says so.

use super::catalogue::{FileOrigin, Library};
use super::game::{Game, GameError};
use super::pins::{PinError, shorten_hash};
use elenchus_store::Hash;
use std::collections::BTreeMap;

/// A file that a game is played with and that can be pinned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WatchedFile {
    /// As it is pinned: below the protocol's folder or a folder of prompts.
    path: String,
    /// Where it was found, for people.
    file: String,
    /// Where it was found, as [`Game::files`] names it.
    place: String,
    /// The command that pins it.
    command: String,
    found: Hash,
    /// The text that is built in, and the one that is pinned.
    accepted: Vec<Hash>,
}

impl WatchedFile {
    pub fn path(&self) -> &str {
        &self.path
    }

    pub fn file_hash(&self) -> Hash {
        self.found
    }

    /// Says whether it is as it is built in or as it was pinned.
    pub fn is_accepted(&self) -> bool {
        self.accepted.contains(&self.found)
    }
}

impl Library {
    /// Returns the files that the game says can be pinned, as it is played with them. `named` is what
    /// `pin` is to be called with.
    ///
    /// # Errors
    /// When there is no such file, a path leaves the folders of prompts, or one cannot be read.
    pub fn list_watched_files(
        &self,
        id: &str,
        named: &str,
        game: &Game,
    ) -> Result<Vec<WatchedFile>, GameError> {
        let pins = self.read_pins(id)?;
        let built_in = Library::default();
        let mut files = Vec::new();
        for path in &game.protocol.pinnable {
            let (place, found) = self.find_pinned_file(id, game, path)?.ok_or_else(|| {
                GameError::from(PinError::NothingToPin {
                    path: path.clone(),
                    protocol: named.to_owned(),
                })
            })?;
            let original = built_in.find_pinned_file(id, game, path)?;
            let original = original.map(|(_, file)| Hash::digest(file.text.as_bytes()));
            let project = match self.file_origin(&place) {
                // A protocol that is named by its file has its pins next to it.
                FileOrigin::Folder(folder) if named == id && self.is_of_project(&folder) => {
                    " --project"
                }
                FileOrigin::Folder(_) | FileOrigin::BuiltIn => "",
            };
            files.push(WatchedFile {
                command: format!("elenchus protocols pin {named}{project}"),
                found: Hash::digest(found.text.as_bytes()),
                accepted: original
                    .into_iter()
                    .chain(pins.hashes.get(path).copied())
                    .collect(),
                file: found.name,
                path: path.clone(),
                place,
            });
        }
        Ok(files)
    }
}

impl Game {
    /// Returns the files that could be pinned, are not, and are not as they are built in, with their
    /// SHA-256.
    pub fn unpinned_files(&self) -> BTreeMap<String, String> {
        let mut hashes = self.unpinned_before.clone();
        let own = self.watched.iter().filter(|file| !file.is_accepted());
        hashes.extend(own.map(|file| (file.path.clone(), file.found.to_string())));
        hashes
    }

    /// Says of each of them what it is and how it is pinned.
    pub fn unpinned_warnings(&self) -> Vec<String> {
        let own = self.watched.iter().filter(|file| !file.is_accepted());
        own.map(|file| {
            let WatchedFile {
                file,
                command,
                found,
                ..
            } = file;
            format!(
                "{file} is not the text that is built in, and nobody pinned it (its SHA-256 begins with {}): \
                 debates with it are flagged; read it, then pin it with '{command}'",
                shorten_hash(found)
            )
        })
        .collect()
    }

    /// Notes that one of its files has another text now.
    pub(super) fn update_hash(&mut self, place: &str, text: &str) {
        let of = self.watched.iter_mut().filter(|file| file.place == place);
        of.for_each(|file| file.found = Hash::digest(text.as_bytes()));
    }
}
