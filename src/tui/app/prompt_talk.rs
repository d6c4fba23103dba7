//! What the screens of prompts want done, and what came of it.

use super::deed::Ticket;
use crate::debate::SessionId;
use crate::driver::prompt_desk::{
    Acceptance, AskedFor, KeptPrompts, LastResult, Pin, PromptHistory, PromptName, PromptPlaces,
    PromptShelf, PromptShown, PromptStage, PromptText, Saved, TextFault, TextHash,
};
use std::collections::BTreeMap;
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
    /// List every prompt: `Listed`, then `Results`.
    List,
    /// Read a prompt, `Opened`, and from then on tell when its file is `Changed`; then find where it is
    /// looked at: `Staged`, there or where it was used last.
    Open(PromptName, Option<PromptAt>),
    /// Tell when its file is `Changed`, and once what is used now.
    Watch(PromptName),
    /// Nobody looks at the file any more.
    Close,
    /// Look at it somewhere else, on sample data where no place is named: `Staged`.
    Stage(PromptName, Option<PromptAt>),
    /// Find where it was used: `Places`.
    FindPlaces(PromptName),
    /// What a text shows: `Shown` with the same ticket; of several that wait, the last alone.
    Show(Ticket, Arc<PromptStage>, String),
    /// Every text that a prompt had: `Versions`.
    Versions(PromptName),
    /// How texts of every prompt are labelled: `Labels`.
    Labels,
    /// Put a label on a text, or take it away where it stands there: `Versions`.
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

/// What came of something that was done with prompts.
#[derive(Debug, Clone)]
pub enum PromptTold {
    Listed(Arc<PromptShelf>),
    /// What came of the latest debate with each text, and how texts are labelled.
    Results(Result<Arc<PromptResults>, String>),
    Opened(PromptName, Result<Arc<PromptText>, String>),
    /// The file was written, moved or removed: what is used now.
    Changed(PromptName, Result<Arc<PromptText>, String>),
    /// Where it is looked at, with everything that it asked for in the same session.
    Staged(PromptName, Result<Arc<Staged>, String>),
    Places(PromptName, Result<Arc<Vec<PromptPlaces>>, String>),
    Shown(Ticket, Result<Arc<PromptShown>, TextFault>),
    Saved(PromptName, SaveEnd),
    Versions(PromptName, Result<Arc<PromptHistory>, String>),
    /// How its game pins it, if it does.
    Pinned(PromptName, Result<Option<Pin>, String>),
    Acceptance(PromptName, Result<Arc<Acceptance>, String>),
    Accepted(PromptName, Result<Arc<Acceptance>, String>),
    Labels(Result<Arc<KeptPrompts>, String>),
}

/// What is known of the texts in a list.
#[derive(Debug, Clone, Default)]
pub struct PromptResults {
    pub last: BTreeMap<(PromptName, TextHash), LastResult>,
    /// Which text each label of a prompt stands on.
    pub labels: BTreeMap<PromptName, BTreeMap<String, TextHash>>,
}

/// A place with its neighbours.
#[derive(Debug, Clone)]
pub struct Staged {
    pub stage: Arc<PromptStage>,
    /// Of the same session; none for sample data.
    pub beside: Option<PromptPlaces>,
}

/// What came of saving.
#[derive(Debug, Clone)]
pub enum SaveEnd {
    Saved(Arc<Saved>),
    /// Somebody else changed the file meanwhile: this is what is used now.
    Changed(Arc<PromptText>),
    /// The text cannot be used.
    Fault(TextFault),
    Failed(String),
}
