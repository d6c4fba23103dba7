//! Dataset argument of the command line: `kind:FILE` or `FILE`.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use super::DatasetError;
use super::columns::normalise_name;

/// Kind of dataset, in the order of messages.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, strum::Display, strum::EnumString, strum::VariantArray,
)]
#[strum(serialize_all = "lowercase")]
pub enum DatasetKind {
    /// HarmBench's behaviour table.
    HarmBench,
    /// CoSafe's conversations, one a line.
    CoSafe,
    /// XSTest's prompts, each safe or unsafe.
    XsTest,
    /// TriviaQA's questions, with all spellings of their answers.
    TriviaQa,
    /// MATH's problems, each with a level and a boxed answer; also the folder of its release.
    Math,
    /// Aegis 2's prompts, each safe or unsafe, with the categories that it violates.
    Aegis,
    /// WildJailbreak's prompts, harmful or benign, plain or adversarial.
    WildJailbreak,
    /// QuALITY's questions on long texts, each with options.
    Quality,
    /// Any table, JSON or plain text whose columns can be recognised.
    Own,
    /// JailbreakBench's behaviours: the goal is the prompt.
    JailbreakBench,
    /// StrongREJECT's forbidden prompts.
    StrongReject,
    /// AdvBench's goals; the target is the opening of a compliant reply.
    AdvBench,
    /// do-not-answer's questions, with their risk area.
    DoNotAnswer,
    /// BeaverTails' prompts, with the harms that are marked.
    BeaverTails,
    /// TruthfulQA's questions, with all right answers.
    TruthfulQa,
}

impl DatasetKind {
    /// Returns the forms of the argument for all kinds, for messages.
    pub(super) fn list_forms() -> String {
        let kinds = <Self as strum::VariantArray>::VARIANTS.iter();
        let forms: Vec<String> = kinds.map(|kind| format!("{kind}:FILE")).collect();
        forms.join(", ")
    }
}

/// A dataset argument: `harmbench:FILE` and the like with the name of a [`DatasetKind`], or `FILE` alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DatasetSpec {
    /// `None`: detected from the file's content.
    pub kind: Option<DatasetKind>,
    pub path: PathBuf,
}

impl FromStr for DatasetSpec {
    type Err = DatasetError;

    /// Parses an argument; an unknown word before a colon is an error, not a part of the file's
    /// name.
    fn from_str(given: &str) -> Result<Self, DatasetError> {
        let (kind, path) = match given.split_once(':') {
            Some((prefix, rest)) if is_word(prefix) => {
                let kind = normalise_name(prefix).parse();
                let kind = kind.map_err(|_| DatasetError::UnknownKind {
                    given: prefix.to_owned(),
                })?;
                (Some(kind), rest)
            }
            Some(_) | None => (None, given),
        };
        if path.is_empty() {
            return Err(DatasetError::NoPath {
                given: given.to_owned(),
            });
        }
        Ok(DatasetSpec {
            kind,
            path: PathBuf::from(path),
        })
    }
}

impl fmt::Display for DatasetSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind {
            Some(kind) => write!(f, "{kind}:{}", self.path.display()),
            None => write!(f, "{}", self.path.display()),
        }
    }
}

/// Distinguishes a mistyped kind from a path: one letter is a drive, and a path has a dot or a
/// separator.
fn is_word(prefix: &str) -> bool {
    prefix.chars().count() > 1
        && prefix
            .chars()
            .all(|c| c.is_alphanumeric() || c == '_' || c == '-')
}
