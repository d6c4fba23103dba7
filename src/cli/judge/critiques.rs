//! Critiques named on the command line: those of the library, filler, the one that was played, and files.

use crate::cli::common::CommandContext;
use anyhow::{Context, Result, bail};
use elenchus_records::library::CritiqueEntry;
use elenchus_records::workspace::pass::{CritiqueText, ReplacedCritique};
use std::path::Path;

/// Begins the name of a file.
const FIXED: &str = "fixed:";
/// Filler as long as the critique that was played.
const EQUAL: &str = "equal";
/// The critique that was played.
const OWN: &str = "own";
/// The critique of the library that a simulated judge takes for a spurious one.
const HARSH: &str = "harsh";
/// The longest critique, in bytes.
const MAX_BYTES: u64 = 64 << 10;

/// Reads the critiques that are named.
///
/// # Errors
/// When there is none of a name, or a file cannot be read.
pub(super) fn read_critiques(
    names: &[String],
    context: &CommandContext,
) -> Result<Vec<ReplacedCritique>> {
    if names.is_empty() {
        return Ok(Vec::new());
    }
    let known = context.library.read_critiques()?;
    let read = |name: &String| {
        if let Some(file) = name.strip_prefix(FIXED) {
            return read_file(Path::new(file));
        }
        let text = match (name.as_str(), known.get(name)) {
            (EQUAL, _) => CritiqueText::EqualLength,
            (OWN, _) => CritiqueText::Played,
            (_, Some(CritiqueEntry::Fixed { text })) => CritiqueText::Fixed {
                text: text.clone(),
                harsh: name == HARSH,
            },
            (_, Some(CritiqueEntry::Honest { correct, incorrect })) => CritiqueText::Honest {
                correct: correct.clone(),
                incorrect: incorrect.clone(),
            },
            (_, None) => {
                let names: Vec<&str> = known.keys().map(String::as_str).collect();
                bail!(
                    "there is no critique '{name}' to put in place of another; there are {}, {EQUAL}, {OWN} \
                     and {FIXED}FILE",
                    names.join(", ")
                );
            }
        };
        Ok(ReplacedCritique {
            name: name.clone(),
            text,
        })
    };
    names.iter().map(read).collect()
}

/// Reads a critique of the person's own.
fn read_file(file: &Path) -> Result<ReplacedCritique> {
    let size =
        std::fs::metadata(file).with_context(|| format!("cannot read {}", file.display()))?;
    if size.len() > MAX_BYTES {
        bail!(
            "{} is longer than a critique can be ({} KiB)",
            file.display(),
            MAX_BYTES >> 10
        );
    }
    let text =
        std::fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
    let stem = file.file_stem().map(|stem| stem.to_string_lossy());
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    // It becomes a part of a rule's id, which holds no spaces or dots.
    let name: String = stem
        .unwrap_or_default()
        .chars()
        .filter(|c| is_plain(*c))
        .collect();
    if text.trim().is_empty() || name.is_empty() {
        bail!(
            "{} holds no critique, or has no name in letters",
            file.display()
        );
    }
    Ok(ReplacedCritique {
        name,
        text: CritiqueText::Fixed {
            text: text.trim().to_owned(),
            harsh: false,
        },
    })
}

/// Returns the model that judges in place of each session's own.
///
/// # Errors
/// When several are named.
pub(super) fn find_one_model(models: &[String]) -> Result<Option<String>> {
    match models {
        [] => Ok(None),
        [one] => Ok(Some(one.clone())),
        [_, _, ..] => bail!(
            "critiques are replaced, and sides exchanged, before one judge at a time: name one --model, and begin \
             another pass for the next"
        ),
    }
}
