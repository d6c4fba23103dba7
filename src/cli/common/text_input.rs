//! Texts that are typed or named on the command line: a topic with its documents, an answer.

use anyhow::{Context, Result, anyhow, bail};
use elenchus_game::debate::{Document, Topic};
use std::io::Read;
use std::path::{Path, PathBuf};

/// The longest topic or document that is read, in bytes.
const MAX_TEXT_BYTES: u64 = 8 << 20;

/// Returns a text of the command line; '-' is read from standard input.
pub(crate) fn read_text_or_stdin(text: &str) -> Result<String> {
    if text != "-" {
        return Ok(text.to_owned());
    }
    let mut stdin_text = String::new();
    std::io::stdin()
        .take(MAX_TEXT_BYTES + 1)
        .read_to_string(&mut stdin_text)
        .context("standard input could not be read")?;
    if stdin_text.len() as u64 > MAX_TEXT_BYTES {
        bail!(
            "the text on standard input is larger than {} MiB",
            MAX_TEXT_BYTES >> 20
        );
    }
    Ok(stdin_text)
}

/// A topic as a command line gives it.
pub(crate) struct TopicText<'a> {
    /// '-' is read from standard input.
    pub text: &'a str,
    pub documents: &'a [PathBuf],
    pub options: &'a [String],
    /// For graders alone.
    pub reference: Option<&'a str>,
}

/// The topic of a single debate.
pub(crate) fn read_topic(typed: &TopicText<'_>) -> Result<Topic> {
    let text = self::read_text_or_stdin(typed.text)?;
    if text.trim().is_empty() {
        bail!("the topic is empty");
    }
    let documents = typed
        .documents
        .iter()
        .map(|path| {
            Ok(Document {
                name: path.file_name().map_or_else(
                    || path.display().to_string(),
                    |name| name.to_string_lossy().into_owned(),
                ),
                text: read_text(path)?,
            })
        })
        .collect::<Result<_>>()?;
    let topic = elenchus_run::engine::TypedTopic {
        text,
        documents,
        options: typed.options.to_vec(),
        reference: typed.reference.map(str::to_owned),
    };
    Ok(topic.into_topic()?)
}

/// Reads a text file of bounded size.
pub(crate) fn read_text(path: &Path) -> Result<String> {
    let path_display = path.display();
    let size = std::fs::metadata(path)
        .with_context(|| format!("{path_display} cannot be read"))?
        .len();
    if size > MAX_TEXT_BYTES {
        bail!("{path_display} is larger than {} MiB", MAX_TEXT_BYTES >> 20);
    }
    let bytes = std::fs::read(path).with_context(|| format!("{path_display} cannot be read"))?;
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        anyhow!("{path_display} is not UTF-8 text (byte {at}); save it as UTF-8")
    })
}
