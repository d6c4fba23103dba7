//! Whether a text can be used as a prompt, and in which line it cannot.

use super::super::error::DriverError;
use super::super::game::{Game, GameError};
use super::super::library::Library;
use super::name::PromptName;
use crate::prompt::PromptError;
use thiserror::Error;

/// Why a text cannot be used as a prompt.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{}{why}", line.map(|line| format!("line {line}: ")).unwrap_or_default())]
pub struct TextFault {
    /// From 1; `None` where it is in no line of this text.
    pub line: Option<usize>,
    pub why: String,
}

impl TextFault {
    /// Says where in the text of a template an error is.
    pub(super) fn of(error: &PromptError, name: &str) -> Self {
        let (line, why) = match error {
            PromptError::File(fault) if fault.name == name => (Some(fault.line), fault.why.clone()),
            PromptError::Render {
                template,
                line,
                why,
            } if template == name => (Some(*line), why.clone()),
            PromptError::MarkLost { template, line } if template == name => (
                Some(*line),
                "a value that carries its origin was joined or filtered; print it alone, as in \
                 {{ turn.text }}"
                    .to_owned(),
            ),
            PromptError::NoUserSection(template) if template == name => {
                (None, "it has no '=== user' section".to_owned())
            }
            PromptError::File(_)
            | PromptError::Render { .. }
            | PromptError::MarkLost { .. }
            | PromptError::NoUserSection(_)
            | PromptError::NoTemplate(_)
            | PromptError::NotBegun
            | PromptError::NoSuchPlace(_) => (None, error.to_string()),
        };
        Self { line, why }
    }

    pub(super) fn of_driver(error: &DriverError, name: &str) -> Self {
        match error {
            DriverError::Prompt(error) | DriverError::Game(GameError::Prompt(error)) => {
                Self::of(error, name)
            }
            other => Self {
                line: None,
                why: other.to_string(),
            },
        }
    }
}

/// Renders a text on sample data wherever its game uses the prompt, at the settings as they come.
/// Blocks.
///
/// # Errors
/// The first thing that is wrong with the text. Faults of other files are not this one's.
pub fn check_text(library: &Library, name: &PromptName, text: &str) -> Result<(), TextFault> {
    let of_game =
        |error: GameError| TextFault::of_driver(&DriverError::Game(error), &name.template);
    let (protocol, settings, mut parts) =
        library.unchecked_parts(&name.protocol).map_err(of_game)?;
    parts.files.remove(&name.template);
    let template = name.template.clone();
    parts.templates.insert(template, text.to_owned());
    let game = Game::new(protocol, settings, parts).map_err(of_game)?;
    let faults = game.rehearse().into_iter();
    let mut own = faults.map(|fault| TextFault::of(&fault.error, &name.template));
    match own.find(|fault| fault.line.is_some()) {
        Some(fault) => Err(fault),
        None => Ok(()),
    }
}
