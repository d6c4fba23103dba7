//! Reads and writes of labelling, and what came of them.
//!
//! A label is reported when it is durable; hidden content is handed out when the record that it is shown is
//! durable.

use crate::labelling::{
    LabellingWork, OpenedWork, find_disagreement, give_label, open_work, recorded_time_ms,
    reveal_content, take_label_back,
};
use crate::{BlindedTranscript, TranscriptParts, read_blinded_transcript};
use elenchus_game::debate::SessionId;
use elenchus_records::library::Library;
use elenchus_records::workspace::annotations::{
    AnnotationId, AnnotationJournal, AnnotationTarget, CurrentLabel, Label, LabelKey, Revealing,
    ShownHere,
};
use elenchus_records::workspace::{Draft, StoreContext, TableSide, WorkspaceError};
use std::sync::Arc;
use tokio::sync::Mutex;

/// Names a write, so that a late answer is not taken for another's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LabelWriteId(u64);

impl LabelWriteId {
    /// Returns the name of the next write.
    pub(super) fn next(&mut self) -> Self {
        self.0 += 1;
        *self
    }
}

/// Something that is to be read for a sitting.
#[derive(Debug, Clone, PartialEq)]
pub enum LabellingRead {
    Work(LabellingWork),
    Transcript(SessionId, TranscriptParts),
    /// The first of some labels that evaluators contradict; each with its place and its side.
    Disagreement(Vec<(usize, AnnotationTarget, TableSide)>),
}

/// Something that is to be written for a sitting.
#[derive(Debug, Clone, PartialEq)]
pub enum LabellingWrite {
    Give(LabelWriteId, Box<Label>),
    /// A mark is taken back, be it a label or the taking back of one.
    TakeBack(LabelWriteId, AnnotationId, LabelKey),
    /// Something hidden is recorded as shown, and read.
    Reveal(AnnotationTarget, Revealing),
}

/// Mark that takes a label back or gives it again, and the label that is in force then.
pub type RetractedLabel = (AnnotationId, Option<Box<CurrentLabel>>);

/// What a sitting hears of.
#[derive(Debug)]
pub enum LabellingUpdate {
    Opened(LabellingWork, Result<Arc<OpenedWork>, WorkspaceError>),
    Transcript(SessionId, Result<Arc<BlindedTranscript>, WorkspaceError>),
    /// The first label that evaluators contradict.
    Disagreement(Option<usize>),
    /// A label is durable.
    Given(LabelWriteId, Result<Box<CurrentLabel>, WorkspaceError>),
    /// A label was taken back, or given again.
    TakenBack(LabelWriteId, Result<RetractedLabel, WorkspaceError>),
    /// What was hidden; the record that it is shown is durable.
    Revealed(
        AnnotationTarget,
        Revealing,
        Result<Arc<Vec<String>>, WorkspaceError>,
    ),
    /// A note of an earlier time on an item.
    NoteFound(usize, Draft),
}

impl LabellingRead {
    /// Says whether what is being shown elsewhere is to be on record before this is read.
    pub fn needs_record_first(&self) -> bool {
        matches!(self, LabellingRead::Work(_))
    }

    /// Reads it. Blocks.
    pub fn perform(self, store: &StoreContext, library: &Library) -> LabellingUpdate {
        match self {
            LabellingRead::Work(work) => {
                let card = open_work(store, library, &work).map(Arc::new);
                LabellingUpdate::Opened(work, card)
            }
            LabellingRead::Transcript(session, parts) => {
                let read = read_blinded_transcript(&store.layout, &session, parts);
                LabellingUpdate::Transcript(session, read.map(Arc::new))
            }
            LabellingRead::Disagreement(labels) => {
                LabellingUpdate::Disagreement(find_disagreement(&store.layout, &labels))
            }
        }
    }
}

impl LabellingWrite {
    /// Takes note of how long the item was on the screen, where a label is given.
    pub fn set_duration(&mut self, spent_ms: u128) {
        if let LabellingWrite::Give(_, label) = self {
            label.spent_ms = Some(recorded_time_ms(spent_ms));
        }
    }

    /// Writes it into the journal of the person; `shown` is held while something is recorded as
    /// shown.
    pub async fn perform(
        self,
        store: &StoreContext,
        journal: &Mutex<Option<AnnotationJournal>>,
        shown: &Mutex<ShownHere>,
    ) -> LabellingUpdate {
        match self {
            LabellingWrite::Give(write, label) => {
                let mut journal = journal.lock().await;
                // What is being shown is recorded first.
                drop(shown.lock().await);
                let label_result = give_label(store, &mut journal, label).await;
                LabellingUpdate::Given(write, label_result.map(Box::new))
            }
            LabellingWrite::TakeBack(write, of, key) => {
                let mut journal = journal.lock().await;
                let retraction = take_label_back(store, &mut journal, of, &key).await;
                LabellingUpdate::TakenBack(write, retraction)
            }
            LabellingWrite::Reveal(on, what) => {
                let words = reveal_content(store, shown, &on, what).await;
                LabellingUpdate::Revealed(on, what, words.map(Arc::new))
            }
        }
    }
}
