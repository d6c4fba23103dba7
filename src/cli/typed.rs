//! Texts that are typed or named on the command line: a topic with its documents, an answer.

use super::page::counted;
use crate::debate::{Document, Protocol, Reference, Topic};
use crate::exchange::text::{Keep, visible};
use anyhow::{Context, bail};
use sha2::{Digest, Sha256};
use std::io::Read;
use std::path::{Path, PathBuf};

/// The longest topic or document that is read, in bytes.
const MAX_TEXT_BYTES: u64 = 8 << 20;

/// Returns a text of the command line; '-' is read from standard input.
pub(super) fn text(text: &str) -> anyhow::Result<String> {
    if text != "-" {
        return Ok(text.to_owned());
    }
    let mut read = String::new();
    std::io::stdin()
        .take(MAX_TEXT_BYTES + 1)
        .read_to_string(&mut read)
        .context("standard input could not be read")?;
    if read.len() as u64 > MAX_TEXT_BYTES {
        bail!(
            "the text on standard input is larger than {} MiB",
            MAX_TEXT_BYTES >> 20
        );
    }
    Ok(read)
}

/// A topic as a command line gives it.
pub(super) struct TypedTopic<'a> {
    /// '-' is read from standard input.
    pub text: &'a str,
    pub documents: &'a [PathBuf],
    pub options: &'a [String],
    /// For graders alone.
    pub reference: Option<&'a str>,
}

/// The topic of a single debate.
pub(super) fn topic(typed: &TypedTopic<'_>) -> anyhow::Result<Topic> {
    let text = self::text(typed.text)?;
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
        .collect::<anyhow::Result<_>>()?;
    let digest = Sha256::digest(text.trim().as_bytes());
    let short: String = digest[..6]
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    Ok(Topic {
        id: format!("typed-{short}"),
        text: text.trim().to_owned(),
        category: None,
        conversation: Vec::new(),
        context: None,
        reference: typed.reference.map(|answer| Reference {
            answer: answer.to_owned(),
            aliases: Vec::new(),
        }),
        expected: None,
        documents,
        options: options(typed.options)?,
        level: None,
        needs_hash_check: false,
    })
}

/// Refuses topics that offer fewer options than there are chairs to argue for one.
pub(super) fn check_options<'a>(
    protocol: &Protocol,
    topics: impl IntoIterator<Item = &'a Topic>,
) -> anyhow::Result<()> {
    let needed = protocol.options_needed();
    let mut topics = topics.into_iter();
    let Some(topic) = topics.find(|topic| topic.options.len() < needed) else {
        return Ok(());
    };
    bail!(
        "topic '{}' offers {}, and {needed} chairs of '{}' are to argue for one each: give it more \
         (--option, or the column 'options' of a dataset), or let the seats choose \
         ('elenchus protocols show {}' tells the setting)",
        visible(&topic.id, Keep::Nothing),
        counted(topic.options.len(), "option"),
        protocol.id,
        protocol.id
    )
}

/// The options of a typed topic, as they were typed.
fn options(given: &[String]) -> anyhow::Result<Vec<String>> {
    if given.iter().any(|option| option.trim().is_empty()) {
        bail!("an --option is empty: give each a text, or leave it out");
    }
    Ok(given
        .iter()
        .map(|option| option.trim().to_owned())
        .collect())
}

/// Reads a text file of bounded size.
pub(super) fn read_text(path: &Path) -> anyhow::Result<String> {
    let shown = path.display();
    let size = std::fs::metadata(path)
        .with_context(|| format!("cannot read {shown}"))?
        .len();
    if size > MAX_TEXT_BYTES {
        bail!("{shown} is larger than {} MiB", MAX_TEXT_BYTES >> 20);
    }
    std::fs::read_to_string(path).with_context(|| format!("cannot read {shown}"))
}
