//! Drafts: texts that are being written, each kept in a file of its own at once.

use serde::{Deserialize, Serialize};
use std::fmt::Write;
use std::path::{Path, PathBuf};

const DRAFTS: &str = "drafts";
/// A draft's file is named after its place: this much of the place, and a number made of all of it.
const NAME_CHARS: usize = 40;

/// Draft: a text that is being written, kept next to the store at once, so that a crash or a lost
/// connection does not lose it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Draft {
    /// Key of the draft, for instance a session and a step.
    pub place: String,
    pub text: String,
}

impl Draft {
    /// Returns the text that was not used at an earlier time.
    pub fn find_draft(own_folder: &Path, place: &str) -> Option<Self> {
        let text = std::fs::read(Self::path(own_folder, place)).ok()?;
        let draft = serde_json::from_slice::<Self>(&text).ok();
        draft.filter(|draft| draft.place == place)
    }

    /// Returns what its file holds; `None` where it is empty, and the file goes.
    pub fn file_content(&self) -> Option<Vec<u8>> {
        match self.text.is_empty() {
            true => None,
            false => serde_json::to_vec(self).ok(),
        }
    }

    /// Returns the file of a draft.
    pub fn path(own_folder: &Path, place: &str) -> PathBuf {
        let mut name: String = place
            .chars()
            .map(|c| if c.is_ascii_alphanumeric() { c } else { '-' })
            .take(NAME_CHARS)
            .collect();
        // FNV-1a: places that begin alike have files of their own.
        let number = place.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
        let _ = write!(name, "-{number:016x}.json");
        own_folder.join(DRAFTS).join(name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_draft_is_found_by_its_whole_place_alone() {
        let folder = tempfile::tempdir().unwrap();
        let long = "a session and a step, longer than a name of a file";
        let draft = Draft {
            place: format!("{long} 1"),
            text: "half a sentence".to_owned(),
        };
        let path = Draft::path(folder.path(), &draft.place);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, draft.file_content().unwrap()).unwrap();
        assert_eq!(Draft::find_draft(folder.path(), &draft.place), Some(draft));
        assert_eq!(Draft::find_draft(folder.path(), &format!("{long} 2")), None);
    }
}
