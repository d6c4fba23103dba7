//! Commands and results of the prompt screens.

use super::deed::Ticket;
use crate::debate::SessionId;
use crate::experiments::{PromptHistory, PromptPreview, PromptStage};
use crate::workspace::Hash as TextHash;
use crate::workspace::prompts::{
    Acceptance, AskedFor, Pin, PromptName, PromptPlaces, PromptText, Saved, TextFault,
};
use std::sync::Arc;

/// A place where a prompt was used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PromptAt {
    pub session: SessionId,
    pub asked: AskedFor,
}

/// Something to be done with prompts; answered with [`PromptTold`].
#[derive(Debug, Clone)]
pub enum PromptDeed {
    /// Reads a prompt, `Opened`, and reports when its file is `Changed`; then finds a turn to
    /// preview it on, `Staged`: the given one or the last that used it.
    Open(PromptName, Option<PromptAt>),
    /// Reports when its file is `Changed`, and once the text in use.
    Watch(PromptName),
    /// Ends the watch of the file.
    Close,
    /// Look at it somewhere else, on sample data where no place is named: `Staged`.
    Stage(PromptName, Option<PromptAt>),
    /// Find where it was used: `Places`.
    FindPlaces(PromptName),
    /// Renders a text: `Shown` with the same ticket; of several that wait, the last alone.
    Show(Ticket, Arc<PromptStage>, String),
    /// Every text that a prompt had: `Versions`.
    Versions(PromptName),
    /// Sets a label on a text, or removes it if the text has it: `Versions`.
    Label {
        name: PromptName,
        text: Arc<str>,
        label: String,
    },
    /// Look at what accepting the text as it is now would change, where it is pinned: `Acceptance`.
    Acceptance(PromptName),
    /// Accept it: `Accepted`.
    Accept(PromptName, Arc<Acceptance>),
    /// Make a text the one that is used: `Saved`.
    Save {
        name: PromptName,
        /// The version that was edited.
        opened: TextHash,
        text: String,
    },
}

/// Result of a prompt command.
#[derive(Debug, Clone)]
pub enum PromptTold {
    Opened(PromptName, Result<Arc<PromptText>, String>),
    /// The file was written, moved or removed: what is used now.
    Changed(PromptName, Result<Arc<PromptText>, String>),
    /// Turn that it is previewed on, with all of its uses in the same session.
    Staged(PromptName, Result<Arc<Staged>, String>),
    Places(PromptName, Result<Arc<Vec<PromptPlaces>>, String>),
    Shown(Ticket, Result<Arc<PromptPreview>, TextFault>),
    Saved(PromptName, SaveEnd),
    Versions(PromptName, Result<Arc<PromptHistory>, String>),
    /// Pin of the prompt in its game, if there is one.
    Pinned(PromptName, Result<Option<Pin>, String>),
    Acceptance(PromptName, Result<Arc<Acceptance>, String>),
    Accepted(PromptName, Result<Arc<Acceptance>, String>),
}

/// A place with its neighbours.
#[derive(Debug, Clone)]
pub struct Staged {
    pub stage: Arc<PromptStage>,
    /// Of the same session; none for sample data.
    pub beside: Option<PromptPlaces>,
}

/// Result of saving.
#[derive(Debug, Clone)]
pub enum SaveEnd {
    Saved(Arc<Saved>),
    /// Another program changed the file meanwhile: this is the text in use now.
    Changed(Arc<PromptText>),
    /// The text cannot be used.
    Fault(TextFault),
    Failed(String),
}
