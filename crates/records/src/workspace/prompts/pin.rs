//! Pins of prompts: the text that a game or a cast requires, and accepting a changed one.

use super::book::{KeptBecause, PromptBook};
use super::catalogue::{PromptText, read_prompt};
use super::find::find_version;
use super::name::PromptName;
use crate::library::{FileOrigin, Library, PINS_FILE, shorten_hash, template_of, wrong_digits};
use crate::workspace::error::{Result, WorkspaceError, reject};
use crate::workspace::store_context::StoreContext;
use elenchus_game::debate::protocol::Settings;
use elenchus_store::replace_own;
use elenchus_text::format_grouped_count;
use serde::Deserialize;
use similar::{ChangeTag, TextDiff};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use toml::Spanned;

/// Digits of a pin where people are shown it.
const DIGITS: usize = 12;

/// A pin of a prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pin {
    /// The file that pins it, as people are shown it.
    pub file: String,
    /// The SHA-256 that the text should have, or its beginning; empty where it must be pinned and is
    /// not.
    pub expected: String,
    /// Set where the text that is used now is the pinned one.
    pub holds: bool,
}

/// A changed prompt that is about to be accepted, or was.
#[derive(Debug, Clone, PartialEq)]
pub struct Acceptance {
    pub pin: Pin,
    /// The file that is written.
    pub file: PathBuf,
    /// The text that was pinned, where the store or the library still has it.
    pub before: Option<Arc<str>>,
    pub now: PromptText,
    /// Content of the file afterwards.
    written: String,
}

impl Acceptance {
    /// Says what is pinned, what is used now, and how many lines differ.
    pub fn describe_differences(&self) -> String {
        let expected_hash = &self.pin.expected;
        let pin_text = match expected_hash.get(..DIGITS).unwrap_or(expected_hash) {
            "" => "no text yet".to_owned(),
            digits => digits.to_owned(),
        };
        let differs = match &self.before {
            Some(before) => changed_lines(before, &self.now.text),
            None => "the pinned text is not in this store".to_owned(),
        };
        let now = shorten_hash(&self.now.overview.hash);
        let file = &self.pin.file;
        format!("{file} pins {pin_text}, and {now} is used now: {differs}")
    }

    /// Asks whether the text that is used now is pinned.
    pub fn format_question(&self) -> String {
        format!(
            "{}. Pin the text as it is used? The versions show every word that differs.",
            self.describe_differences()
        )
    }
}

/// Says how many lines are not the same.
fn changed_lines(before: &str, now: &str) -> String {
    let lines = TextDiff::from_lines(before, now);
    let count = |tag: ChangeTag| {
        let changes = lines.iter_all_changes();
        changes.filter(|change| change.tag() == tag).count()
    };
    let (gone, new) = (count(ChangeTag::Delete), count(ChangeTag::Insert));
    format!(
        "{} removed, {new} added",
        format_grouped_count(gone, "line")
    )
}

#[derive(Deserialize)]
struct CastFile {
    #[serde(default)]
    pins: BTreeMap<String, Spanned<String>>,
}

/// Returns how a game pins one of its prompts; `None` where it does not. Blocks.
///
/// # Errors
/// When there is no such prompt, or the game or its pins cannot be read.
pub fn pin_of(library: &Library, name: &PromptName) -> Result<Option<Pin>> {
    Ok(game_pin(library, name)?.map(|(pin, _)| pin))
}

/// Looks at what accepting a prompt as it is now would change: in the pins of its game, or in those of
/// a cast's file. Blocks.
///
/// # Errors
/// When nothing pins the prompt there, or a file cannot be read.
pub fn prepare_acceptance(
    store: &StoreContext,
    library: &Library,
    name: &PromptName,
    cast: Option<&Path>,
) -> Result<Acceptance> {
    let now = read_prompt(library, name)?;
    let (pin, file, written) = match cast {
        Some(cast) => prepare_cast_pin(cast, name, &now)?,
        None => prepare_game_pin(library, name, &now)?,
    };
    let before = match pin.expected.is_empty() {
        true => None,
        // Whether it can still be found is another matter.
        false => find_version(&store.layout, library, Some(name), &pin.expected).ok(),
    };
    Ok(Acceptance {
        pin,
        file,
        before: before.map(|(_, text)| text),
        now,
        written,
    })
}

/// Writes the pin of a prompt that was looked at; the rest of the file stays byte for byte, and the
/// text is kept. Blocks.
///
/// # Errors
/// When the disk refuses.
pub fn accept_prompt(
    store: &StoreContext,
    name: &PromptName,
    acceptance: &Acceptance,
) -> Result<()> {
    PromptBook::new(store).keep_text(name, &acceptance.now.text, KeptBecause::Accepted)?;
    replace_own(&acceptance.file, acceptance.written.as_bytes())?;
    Ok(())
}

/// Returns the pin with its path in the pins of the game.
fn game_pin(library: &Library, name: &PromptName) -> Result<Option<(Pin, String)>> {
    let now = read_prompt(library, name)?;
    let id = &name.protocol;
    let game = library.load_unpinned_game(id, &Settings::new())?;
    let pins = library.read_pins(id)?;
    for pinned in library.list_pinned_files(id, &game)? {
        let place = library.find_pinned_file(id, &game, &pinned.path)?;
        if place.is_none_or(|(place, _)| place != now.overview.file) {
            continue;
        }
        let pin = Pin {
            file: pins.file.unwrap_or_else(|| PINS_FILE.to_owned()),
            expected: pinned.pin.map_or_else(String::new, |pin| pin.to_string()),
            holds: pinned.matches_pin(),
        };
        return Ok(Some((pin, pinned.path)));
    }
    Ok(None)
}

fn prepare_game_pin(
    library: &Library,
    name: &PromptName,
    now: &PromptText,
) -> Result<(Pin, PathBuf, String)> {
    let Some((pin, path)) = game_pin(library, name)? else {
        return reject(format!(
            "nothing pins {name}; 'elenchus protocols pin {} --all' pins every file of the game, and \
             a cast file pins with [pins]",
            name.protocol
        ));
    };
    let pins = format!("{}/{PINS_FILE}", name.protocol);
    let text = library.find_file(&pins)?.map(|found| found.text);
    let text = text.unwrap_or_default();
    let folder = match (library.file_origin(&pins), &now.overview.origin) {
        (FileOrigin::Folder(folder), _) => folder,
        (FileOrigin::BuiltIn, FileOrigin::Folder(folder)) => folder.clone(),
        (FileOrigin::BuiltIn, FileOrigin::BuiltIn) if pin.holds => {
            return reject(format!(
                "{name} is built in and is the one that is pinned; there is nothing to accept"
            ));
        }
        (FileOrigin::BuiltIn, FileOrigin::BuiltIn) => {
            return reject(format!(
                "{name} must be pinned by a file of its game; 'elenchus protocols pin {}' does",
                name.protocol
            ));
        }
    };
    let table: BTreeMap<String, Spanned<String>> = parse_toml(&text, &pin.file)?;
    let content = match table.get(&path) {
        Some(value) => replace_value(&text, value, &now.overview.hash.to_string()),
        // A game says that it must be pinned, and it is not pinned yet.
        None => format!(
            "{text}{} = \"{}\"\n",
            toml::Value::String(path),
            now.overview.hash
        ),
    };
    Ok((pin, folder.join(pins), content))
}

fn prepare_cast_pin(
    cast: &Path,
    name: &PromptName,
    now: &PromptText,
) -> Result<(Pin, PathBuf, String)> {
    let shown_path = cast.display().to_string();
    let text = std::fs::read_to_string(cast).map_err(|error| {
        WorkspaceError::Invalid(format!("{shown_path} cannot be read: {error}"))
    })?;
    let file: CastFile = parse_toml(&text, &shown_path)?;
    let is_its = |named: &&String| template_of(named, &name.protocol) == Some(&name.template);
    let Some(key) = file.pins.keys().find(is_its) else {
        let digits: String = now.overview.hash.to_string().chars().take(12).collect();
        return reject(format!(
            "{shown_path} does not pin {name}; to pin it as it is now, add under [pins]: {} = \"{digits}\"",
            toml::Value::String(name.template.clone())
        ));
    };
    let Some(value) = file.pins.get(key) else {
        return reject(format!("{shown_path} does not pin {name}"));
    };
    let digits = value.get_ref();
    if let Some(why) = wrong_digits(digits) {
        return reject(format!("{shown_path}: [pins] {key}: {why}"));
    }
    let hash = now.overview.hash.to_string();
    let pin = Pin {
        file: shown_path,
        expected: digits.clone(),
        holds: hash.starts_with(digits.as_str()),
    };
    let as_many: String = hash.chars().take(digits.len()).collect();
    let content = replace_value(&text, value, &as_many);
    Ok((pin, cast.to_owned(), content))
}

fn parse_toml<T: serde::de::DeserializeOwned>(text: &str, file: &str) -> Result<T> {
    toml::from_str(text).map_err(|error| {
        let before = error.span().and_then(|span| text.get(..span.start));
        let line = 1 + before.unwrap_or_default().matches('\n').count();
        WorkspaceError::Invalid(format!("{file}:{line}: {}", error.message().trim()))
    })
}

/// Returns the text with other digits in the place of a value.
fn replace_value(text: &str, value: &Spanned<String>, digits: &str) -> String {
    let span = value.span();
    let before = text.get(..span.start).unwrap_or_default();
    let after = text.get(span.end..).unwrap_or_default();
    format!("{before}\"{digits}\"{after}")
}

#[cfg(test)]
mod tests {
    use super::changed_lines;

    #[test]
    fn lines_that_differ_are_counted_on_both_sides() {
        let differs = changed_lines("one\ntwo\nthree\n", "one\n2\n2b\nthree\n");
        assert_eq!(differs, "1 line removed, 2 added");
    }
}
