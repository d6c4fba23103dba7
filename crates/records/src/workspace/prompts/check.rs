//! Check of a prompt's text, with the line of a fault.

use super::name::PromptName;
use crate::library::{Game, GameError, GameVariant, Library};
use crate::workspace::error::WorkspaceError;
use elenchus_game::prompt::PromptError;
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
    pub fn from_prompt_error(error: &PromptError, name: &str) -> Self {
        Self::find_own_fault(error, name).unwrap_or_else(|| Self {
            line: None,
            why: error.to_string(),
        })
    }

    /// Says what an error finds wrong with a template; `None` where it is about something else.
    fn find_own_fault(error: &PromptError, name: &str) -> Option<Self> {
        let fault = |line: Option<usize>, why: &str| {
            Some(Self {
                line,
                why: why.to_owned(),
            })
        };
        match error {
            PromptError::File(found) if found.name == name => fault(Some(found.line), &found.why),
            PromptError::Render {
                template,
                line,
                why,
            } if template == name => fault(Some(*line), why),
            PromptError::MarkLost { template, line } if template == name => fault(
                Some(*line),
                "a value that carries its origin was joined or filtered; print it alone, as in \
                 {{ turn.text }}",
            ),
            PromptError::NoUserSection(template) if template == name => {
                fault(None, "it has no '=== user' section")
            }
            PromptError::File(_)
            | PromptError::Render { .. }
            | PromptError::MarkLost { .. }
            | PromptError::NoUserSection(_)
            | PromptError::NoTemplate(_)
            | PromptError::NotBegun
            | PromptError::NoSuchPlace(_) => None,
        }
    }

    pub fn from_driver_error(error: &WorkspaceError, name: &str) -> Self {
        match error {
            WorkspaceError::Prompt(error) | WorkspaceError::Game(GameError::Prompt(error)) => {
                Self::from_prompt_error(error, name)
            }
            other => Self {
                line: None,
                why: other.to_string(),
            },
        }
    }
}

/// Renders a text on sample data wherever its game uses the prompt, at the settings as they come, or at the one that
/// brings the prompt into the game.
/// Blocks.
///
/// # Errors
/// The first thing that is wrong with the text. Faults of other files are not this one's.
pub fn check_text(library: &Library, name: &PromptName, text: &str) -> Result<(), TextFault> {
    let of_game = |error: GameError| {
        TextFault::from_driver_error(&WorkspaceError::Game(error), &name.template)
    };
    let GameVariant {
        protocol,
        settings,
        mut parts,
        ..
    } = library
        .read_variant_with(&name.protocol, &name.template)
        .map_err(of_game)?;
    parts.files.remove(&name.template);
    let template = name.template.clone();
    parts.templates.insert(template, text.to_owned());
    let game = Game::new(protocol, settings, parts).map_err(of_game)?;
    let faults = game.rehearse_templates().into_iter();
    let mut own =
        faults.filter_map(|fault| TextFault::find_own_fault(&fault.error, &name.template));
    match own.next() {
        Some(fault) => Err(fault),
        None => Ok(()),
    }
}
