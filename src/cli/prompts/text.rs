//! Lookup of a template's text by name, label, hash or file; and the difference of two texts.

use crate::cli::common::{CommandContext, output, read_text};
use anyhow::Result;
use elenchus_records::library::{Library, shorten_hash};
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
        shorten_hash(&Hash::digest(self.text.as_bytes()))
    }
}

/// Reads a template by PROTOCOL/TEMPLATE.
///
/// # Errors
/// When there is no such protocol or template; names those that there are.
pub(super) fn read_prompt_text(context: &CommandContext, prompt: &str) -> Result<PromptText> {
    let built_in = Library::default();
    let (library, prompt) = match prompt.strip_prefix(BUILT_IN) {
        Some(rest) => (&built_in, rest),
        None => (&context.library, prompt),
    };
    let now = read_prompt(library, &parse_prompt_name(prompt)?)?;
    Ok(PromptText {
        from: format!("{} [{}]", now.overview.file, now.overview.origin),
        text: now.text,
    })
}

/// Reads PROTOCOL/TEMPLATE.
pub(super) fn parse_prompt_name(prompt: &str) -> Result<PromptName> {
    Ok(prompt.parse()?)
}

/// Prints what two texts differ in.
///
/// # Errors
/// When one of them cannot be found.
pub(super) fn compare_texts(context: &CommandContext, one: &str, other: &str) -> Result<()> {
    let (one, other) = (find_text(context, one)?, find_text(context, other)?);
    if one.text == other.text {
        output::print_notice(&format!("{} and {} are the same", one.from, other.from));
        return Ok(());
    }
    print_difference((&one.from, &one.text), (&other.from, &other.text))
}

/// Prints what two texts with names differ in, line by line.
pub(super) fn print_difference(one: (&str, &str), other: (&str, &str)) -> Result<()> {
    let lines = TextDiff::from_lines(one.1, other.1);
    let text = lines.unified_diff().header(one.0, other.0).to_string();
    output::print_text(&output::clean_text(&text))
}

fn find_text(context: &CommandContext, text: &str) -> Result<PromptText> {
    let path = Path::new(text);
    if path.is_file() {
        return Ok(PromptText {
            from: text.to_owned(),
            text: read_text(path)?,
        });
    }
    let (name, version) = match (text.split_once('@'), text.contains('/')) {
        (Some((prompt, version)), _) => (Some(parse_prompt_name(prompt)?), version),
        (None, true) => return read_prompt_text(context, text),
        (None, false) => (None, text),
    };
    let (hash, version_text) = find_version(
        &context.store.layout,
        &context.library,
        name.as_ref(),
        version,
    )?;
    Ok(PromptText {
        from: shorten_hash(&hash),
        text: version_text.to_string(),
    })
}
