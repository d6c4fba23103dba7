//! How a dataset is named on the command line.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use super::DatasetError;

/// Whose format a file is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
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
    /// Any table, JSON or plain text whose columns can be recognised.
    Own,
}

impl Kind {
    /// Gives every kind, in the order in which messages list them.
    pub const ALL: [Kind; 6] = [
        Kind::HarmBench,
        Kind::CoSafe,
        Kind::XsTest,
        Kind::TriviaQa,
        Kind::Math,
        Kind::Own,
    ];

    /// Returns the word that stands before the colon in `kind:FILE`.
    pub fn name(self) -> &'static str {
        match self {
            Kind::HarmBench => "harmbench",
            Kind::CoSafe => "cosafe",
            Kind::XsTest => "xstest",
            Kind::TriviaQa => "triviaqa",
            Kind::Math => "math",
            Kind::Own => "own",
        }
    }

    /// Returns how a file of each kind is named, for messages.
    pub(super) fn forms() -> String {
        Kind::ALL.map(|kind| format!("{kind}:FILE")).join(", ")
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A dataset as it is named: `harmbench:FILE` and the like with the name of a [`Kind`], or `FILE` alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DatasetSpec {
    /// `None` means that the file's content decides.
    pub kind: Option<Kind>,
    pub path: PathBuf,
}

impl FromStr for DatasetSpec {
    type Err = DatasetError;

    /// Reads a spec; a word before a colon that is no kind is an error, not a part of the file's name.
    fn from_str(given: &str) -> Result<Self, DatasetError> {
        let (kind, path) = match given.split_once(':') {
            Some((prefix, rest)) if is_word(prefix) => {
                let kind = Kind::ALL
                    .into_iter()
                    .find(|kind| kind.name().eq_ignore_ascii_case(prefix))
                    .ok_or_else(|| DatasetError::UnknownKind {
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

/// Tells a mistyped kind from a path: one letter is a drive, and a path has a dot or a separator.
fn is_word(prefix: &str) -> bool {
    prefix.chars().count() > 1
        && prefix
            .chars()
            .all(|c| c.is_alphanumeric() || c == '_' || c == '-')
}
