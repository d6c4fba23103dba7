//! Draft of a debate that was left: everything that was filled in, but for the text of the topic, which is kept as
//! every other text is. Pure.

use super::setup::{DebateSetup, SetupSource};
use super::{DebateChoices, DebateField, PlayedRows};
use crate::engine::MemoryShown;
use elenchus_game::debate::{Document, SessionId, Topic};
use serde::{Deserialize, Serialize};

/// What a person filled in and did not begin. Fields that are left out are as usual.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct DraftedDebate {
    /// The session that it began with.
    pub session: Option<SessionId>,
    pub choices: DebateChoices,
    pub dataset: String,
    pub columns: String,
    pub rows: PlayedRows,
    pub sample_size: String,
    /// The row of a data set, or the session's topic, that the topic began as.
    pub row: Option<Topic>,
    pub documents: Vec<Document>,
    pub options: String,
    pub reference: String,
    pub seed: String,
    pub memory: MemoryShown,
    pub budget: String,
}

/// Fields of one line besides the choices, with where each is kept.
type KeptLine = (DebateField, fn(&mut DraftedDebate) -> &mut String);

const LINES: [KeptLine; 7] = [
    (DebateField::Dataset, |kept| &mut kept.dataset),
    (DebateField::Columns, |kept| &mut kept.columns),
    (DebateField::SampleSize, |kept| &mut kept.sample_size),
    (DebateField::Options, |kept| &mut kept.options),
    (DebateField::Reference, |kept| &mut kept.reference),
    (DebateField::Seed, |kept| &mut kept.seed),
    (DebateField::Budget, |kept| &mut kept.budget),
];

impl DebateSetup {
    /// Returns what is kept of the draft; `None` before somebody filled in anything.
    pub fn to_drafted(&self) -> Option<DraftedDebate> {
        if !self.is_touched {
            return None;
        }
        let draft = &self.draft;
        let mut drafted = DraftedDebate {
            session: self.session.clone(),
            choices: draft.to_choices(),
            // Of a data set that is being read again, what was asked for is not chosen yet.
            rows: self.rows_again.unwrap_or(draft.rows),
            row: draft.row.clone().filter(|_| draft.is_row()),
            documents: draft.documents.clone(),
            memory: draft.memory,
            ..DraftedDebate::default()
        };
        for (field, line) in LINES {
            if draft.has_value(&field) {
                draft.get(&field).clone_into(line(&mut drafted));
            }
        }
        Some(drafted)
    }

    /// Takes a draft that was left, in the place of what the form began with; says whether it did: a form that begins
    /// with a session takes only what was left of that one, and nothing is taken over what somebody filled in here.
    pub fn take_drafted(&mut self, mut drafted: DraftedDebate) -> bool {
        let is_of_other = self.is_of_session() && drafted.session != self.session;
        if self.is_touched || is_of_other || drafted.choices.game.is_empty() {
            return false;
        }
        self.draft.clear_choices();
        self.draft.take_choices(&drafted.choices);
        self.draft.memory = drafted.memory;
        self.draft.documents = std::mem::take(&mut drafted.documents);
        self.draft.row = drafted.row.take();
        let row = self.draft.row.as_ref();
        self.draft.topic = row.map(|row| row.text.clone()).unwrap_or_default();
        for (field, line) in LINES {
            let text = std::mem::take(line(&mut drafted));
            self.draft.set_value(field, &text);
        }
        self.from = SetupSource::Draft;
        self.is_touched = true;
        self.read_game(self.draft.game.clone());
        if self.draft.has_value(&DebateField::Dataset) {
            self.read_rows_again(drafted.rows);
        }
        self.note_change();
        true
    }
}
