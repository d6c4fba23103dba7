//! Name of a prompt: PROTOCOL/TEMPLATE.

use std::fmt;
use std::str::FromStr;
use thiserror::Error;

/// A template of a game: `sred/socratic`, or `sred/rubric:safety` for the prompt of a judge.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PromptName {
    pub protocol: String,
    /// The template's name in sessions.
    pub template: String,
}

/// A text that names no prompt.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error(
    "'{0}' is not PROTOCOL/TEMPLATE, as in sred/socratic; 'elenchus prompts list' has them all"
)]
pub struct NotAPrompt(pub String);

impl fmt::Display for PromptName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.protocol, self.template)
    }
}

impl FromStr for PromptName {
    type Err = NotAPrompt;

    fn from_str(text: &str) -> Result<Self, NotAPrompt> {
        match text.split_once('/') {
            Some((protocol, template)) if !protocol.is_empty() && !template.is_empty() => {
                Ok(Self {
                    protocol: protocol.to_owned(),
                    template: template.to_owned(),
                })
            }
            Some(_) | None => Err(NotAPrompt(text.to_owned())),
        }
    }
}
