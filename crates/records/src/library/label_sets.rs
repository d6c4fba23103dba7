//! Label sets of the library, each with its codebook.

use super::catalogue::{FileOrigin, Library};
use super::game::GameError;
use elenchus_game::judge::LabelSet;
use elenchus_store::Hash;

/// The folder, next to the protocols, that holds label sets and their codebooks.
const LABELS: &str = "labels";

/// A label set with the codebook that people label by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LabelBook {
    pub set: LabelSet,
    /// The set's file as it is.
    pub text: String,
    /// The codebook, in Markdown.
    pub codebook: String,
    /// Over both texts but for ranks: each label keeps it, so that a codebook that was changed is noticed.
    pub hash: Hash,
}

impl LabelBook {
    /// Puts a set and its codebook together. `file` is the name that errors give.
    ///
    /// # Errors
    /// [`GameError::LabelSet`].
    pub fn from_texts(file: &str, text: &str, codebook: &str) -> Result<Self, GameError> {
        Ok(Self {
            set: LabelSet::parse(file, text)?,
            text: text.to_owned(),
            codebook: codebook.to_owned(),
            hash: codebook_hash(&strip_ranks(text), codebook),
        })
    }
}

impl Library {
    /// Returns the names of the label sets with where each comes from, sorted.
    pub fn list_label_sets(&self) -> Vec<(String, FileOrigin)> {
        let names = self.names_in(LABELS).into_iter();
        names
            .map(|name| {
                let origin = self.file_origin(&format!("{LABELS}/{name}.toml"));
                (name, origin)
            })
            .collect()
    }

    /// Reads a label set and its codebook.
    ///
    /// # Errors
    /// When there is none of that name (the known ones are named), it cannot be read, its id is
    /// not its file's name, or the codebook is missing.
    pub fn read_label_set(&self, name: &str) -> Result<LabelBook, GameError> {
        let Some(set) = self.find_file(&format!("{LABELS}/{name}.toml"))? else {
            let set_names: Vec<String> = self.names_in(LABELS);
            return Err(GameError::NoSuchLabelSet {
                name: name.to_owned(),
                known: set_names.join(", "),
            });
        };
        let path = format!("{LABELS}/{name}.md");
        let wrong = |why: String| GameError::List {
            file: set.name.clone(),
            why,
        };
        let Some(codebook) = self.find_file(&path)? else {
            return Err(wrong(format!(
                "its codebook is missing; write what each label means into {name}.md beside it"
            )));
        };
        let book = LabelBook::from_texts(&set.name, &set.text, &codebook.text)?;
        if book.set.id != name {
            return Err(wrong(format!(
                "its id is '{}'; the id and the file's name must be the same",
                book.set.id
            )));
        }
        Ok(book)
    }
}

/// Ranks order labels in figures and do not concern the annotator, so adding them does not change the
/// codebook's hash.
fn strip_ranks(text: &str) -> String {
    let lines = text.split_inclusive('\n');
    lines.filter(|line| !line.starts_with("rank =")).collect()
}

/// Hashes a set's text and its codebook, each with its length in bytes before it.
fn codebook_hash(set: &str, codebook: &str) -> Hash {
    let mut bytes = Vec::new();
    for part in [set, codebook] {
        bytes.extend((part.len() as u64).to_be_bytes());
        bytes.extend(part.as_bytes());
    }
    Hash::digest(&bytes)
}
