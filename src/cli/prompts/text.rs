//! Lookup of a template's text by name, label, hash or file; and the difference of two texts.

use crate::cli::common::{Workshop, output, read_text};
use anyhow::Result;
use elenchus_records::library::{Library, short};
use elenchus_records::workspace::prompts::{PromptName, find_version, read_prompt};
use elenchus_store::Hash;
use similar::TextDiff;
use std::path::Path;

/// Prefix of a prompt's built-in text, past files of the same name.
const BUILT_IN: &str = "built-in:";

/// A text with where it was found.
pub(super) struct PromptText {
    pub from: String,
    pub text: String,
}

impl PromptText {
    /// Returns its version, as people are shown it.
    pub fn hash(&self) -> String {
        short(&Hash::of(self.text.as_bytes()))
    }
}

/// Reads a template by PROTOCOL/TEMPLATE.
///
/// # Errors
/// When there is no such protocol or template; names those that there are.
pub(super) fn of_prompt(shop: &Workshop, prompt: &str) -> Result<PromptText> {
    let built_in = Library::default();
    let (library, prompt) = match prompt.strip_prefix(BUILT_IN) {
        Some(rest) => (&built_in, rest),
        None => (&shop.library, prompt),
    };
    let now = read_prompt(library, &named(prompt)?)?;
    Ok(PromptText {
        from: format!("{} [{}]", now.glance.file, now.glance.origin),
        text: now.text,
    })
}

/// Reads PROTOCOL/TEMPLATE.
pub(super) fn named(prompt: &str) -> Result<PromptName> {
    Ok(prompt.parse()?)
}

/// Prints what two texts differ in.
///
/// # Errors
/// When one of them cannot be found.
pub(super) fn diff(shop: &Workshop, one: &str, other: &str) -> Result<()> {
    let (one, other) = (of_anything(shop, one)?, of_anything(shop, other)?);
    if one.text == other.text {
        output::notice(&format!("{} and {} are the same", one.from, other.from));
        return Ok(());
    }
    print_difference((&one.from, &one.text), (&other.from, &other.text))
}

/// Prints what two texts with names differ in, line by line.
pub(super) fn print_difference(one: (&str, &str), other: (&str, &str)) -> Result<()> {
    let lines = TextDiff::from_lines(one.1, other.1);
    let text = lines.unified_diff().header(one.0, other.0).to_string();
    output::out(&output::harmless_text(&text))
}

fn of_anything(shop: &Workshop, text: &str) -> Result<PromptText> {
    let path = Path::new(text);
    if path.is_file() {
        return Ok(PromptText {
            from: text.to_owned(),
            text: read_text(path)?,
        });
    }
    let (name, version) = match (text.split_once('@'), text.contains('/')) {
        (Some((prompt, version)), _) => (Some(named(prompt)?), version),
        (None, true) => return of_prompt(shop, text),
        (None, false) => (None, text),
    };
    let (hash, found) = find_version(&shop.layout, &shop.library, name.as_ref(), version)?;
    Ok(PromptText {
        from: short(&hash),
        text: found.to_string(),
    })
}
