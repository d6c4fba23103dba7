//! Check of a game's files against their pins.

use super::catalogue::{Library, LibraryFile, SHARED};
use super::game::{Game, GameError};
use super::pins::{PINS_FILE, PinnedFile, Pins, check_path};
use elenchus_store::Hash;
use std::collections::BTreeSet;

impl Library {
    /// Reads the pins of a protocol; there are none where there is no file of them.
    ///
    /// # Errors
    /// With the line, when the file cannot be read.
    pub fn read_pins(&self, id: &str) -> Result<Pins, GameError> {
        match self.find_file(&format!("{id}/{PINS_FILE}"))? {
            Some(found) => Pins::parse(&found.name, &found.text),
            None => Ok(Pins::default()),
        }
    }

    /// Returns every file of the game that must be pinned or is, with its pin, sorted by path.
    ///
    /// # Errors
    /// When the pins or a pinned file cannot be read, or a path leaves the folders of prompts.
    pub fn list_pinned_files(&self, id: &str, game: &Game) -> Result<Vec<PinnedFile>, GameError> {
        let pins = self.read_pins(id)?;
        let required_paths = game.protocol.pinned.iter();
        let paths: BTreeSet<&String> = required_paths.chain(pins.hashes.keys()).collect();
        paths
            .into_iter()
            .map(|path| {
                let source_file = self.find_pinned_file(id, game, path)?;
                Ok(PinnedFile {
                    path: path.clone(),
                    found: source_file
                        .as_ref()
                        .map(|(_, file)| Hash::digest(file.text.as_bytes())),
                    file: source_file.map(|(_, file)| file.name),
                    pin: pins.hashes.get(path).copied(),
                })
            })
            .collect()
    }

    /// Returns the paths under which every file of the game can be pinned that is not pinned or
    /// to be pinned under another one.
    ///
    /// # Errors
    /// As [`Library::list_pinned_files`].
    pub fn list_pinnable_paths(&self, id: &str, game: &Game) -> Result<Vec<String>, GameError> {
        let mut pinned_paths = BTreeSet::new();
        for file in self.list_pinned_files(id, game)? {
            pinned_paths.extend(
                self.find_pinned_file(id, game, &file.path)?
                    .map(|(path, _)| path),
            );
        }
        let own = format!("{id}/");
        let files = game.files.values().chain(&game.more_files);
        let free: BTreeSet<&String> = files.filter(|file| !pinned_paths.contains(*file)).collect();
        let paths = free.into_iter();
        Ok(paths
            .map(|file| file.strip_prefix(&own).unwrap_or(file).to_owned())
            .collect())
    }

    /// Returns the file that a game is played with under that path, and its path below the
    /// folders of prompts.
    ///
    /// # Errors
    /// When the path leaves the folders, or the file cannot be read.
    pub(crate) fn find_pinned_file(
        &self,
        id: &str,
        game: &Game,
        path: &str,
    ) -> Result<Option<(String, LibraryFile)>, GameError> {
        check_path(path)?;
        // The order in which templates and rubrics are looked for.
        let mut places = [
            format!("{id}/{path}"),
            path.to_owned(),
            format!("{SHARED}/{path}"),
        ];
        // A file that is found earlier and is not played with must not hide the one that is.
        places.sort_by_key(|place| !game.plays_with(place));
        for place in places {
            if let Some(file) = self.find_file(&place)? {
                return Ok(Some((place, file)));
            }
        }
        Ok(None)
    }

    /// Refuses a game of which a file is not the one that was pinned.
    pub(super) fn check_pins(&self, id: &str, named: &str, game: &Game) -> Result<(), GameError> {
        let pins = self.read_pins(id)?;
        for file in self.list_pinned_files(id, game)? {
            file.check_pin(named, pins.file.as_deref())?;
        }
        Ok(())
    }
}
