//! Change of a prompt: another text of a template, checked before use.

use elenchus_game::debate::State;
use elenchus_game::debate::event::Prompted;
use elenchus_game::prompt::{Engine, PromptError};
use elenchus_records::library::Game;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use thiserror::Error;

/// One template with another text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PromptChange {
    /// What the session calls the template.
    pub template: String,
    pub text: String,
    /// What errors call the text: a file's name, or the template's.
    pub named: String,
}

/// Why a changed prompt cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum PromptFault {
    #[error("this debate has no template '{name}'; it has {known}")]
    NoSuchTemplate { name: String, known: String },
    #[error("{0}")]
    Text(String),
}

impl PromptChange {
    /// Returns the game of a session with this change in it.
    ///
    /// # Errors
    /// When the session has no such template, or the text is no template.
    pub(crate) fn build_game(&self, state: &State) -> Result<Game, PromptFault> {
        let Some(created) = state.first_event() else {
            return Err(PromptFault::Text("the session has not begun".to_owned()));
        };
        if !created.templates.contains_key(&self.template) {
            let names: Vec<&str> = created.templates.keys().map(String::as_str).collect();
            return Err(PromptFault::NoSuchTemplate {
                name: self.template.clone(),
                known: names.join(", "),
            });
        }
        // By its own name first, for a fault to be found in the right file.
        Engine::new(&BTreeMap::from([(
            self.template.clone(),
            self.text.clone(),
        )]))
        .map_err(|error| self.to_fault(&error))?;
        let mut new_created = created.clone();
        let text = self.text.clone();
        new_created.templates.insert(self.template.clone(), text);
        Game::from_created(&new_created).map_err(|error| PromptFault::Text(error.to_string()))
    }

    /// Returns the event that makes the change in a fork.
    pub(crate) fn to_event(&self, sample: u32) -> Prompted {
        Prompted {
            templates: BTreeMap::from([(self.template.clone(), self.text.clone())]),
            sample,
            derives: None,
        }
    }

    /// Says what is wrong with the text by the name of its file.
    pub(crate) fn to_fault(&self, error: &PromptError) -> PromptFault {
        PromptFault::Text(match error {
            PromptError::File(fault) => format!("{}:{}: {}", self.named, fault.line, fault.why),
            PromptError::Render {
                template,
                line,
                why,
            } if *template == self.template => format!("{}:{line}: {why}", self.named),
            PromptError::MarkLost { template, line } if *template == self.template => format!(
                "{}:{line}: a value that carries its origin was joined or filtered; print it \
                 alone, as in {{{{ turn.text }}}}",
                self.named
            ),
            PromptError::NoUserSection(_) => {
                format!("{}: it has no '=== user' section", self.named)
            }
            PromptError::Render { .. }
            | PromptError::MarkLost { .. }
            | PromptError::NoTemplate(_)
            | PromptError::NotBegun
            | PromptError::NoSuchPlace(_) => error.to_string(),
        })
    }
}

/// Returns the event of a fork that changes no text, and draws replies of its own all the same.
pub(crate) fn event_without_change(sample: u32) -> Prompted {
    Prompted {
        templates: BTreeMap::new(),
        sample,
        derives: None,
    }
}
