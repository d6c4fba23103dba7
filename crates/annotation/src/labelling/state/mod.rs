//! Sitting: a person labels one thing after the other, and nothing they are shown reveals a verdict, an arm, a
//! protocol or a prompt's version. Pure: it says what is to be read and written, and takes in what came of it.
//!
//! A label is durable before the next item is shown; a letter that comes earlier is refused, since the person
//! cannot have read the next item yet.
//!
//! | file | content |
//! |---|---|
//! | `effect` | what is to be done for a sitting |
//! | `reads_writes` | what is read and written for it |
//! | `labels` | letters of labels, categories and strengths; labels given, taken back and given again |
//! | `notes` | notes and flags that go along with a label |
//! | `disclosure` | what is hidden, shown on request; disagreements with evaluators |
//! | `pages` | what is shown: question, turn, letters, progress |

mod disclosure;
mod effect;
mod labels;
mod notes;
mod pages;
mod reads_writes;
#[cfg(test)]
mod tests;

pub use effect::{LabellingEffect, LabellingText};
pub use pages::{LetterChoice, LetterChoices, NextStep};
pub use reads_writes::{
    LabelWriteId, LabellingRead, LabellingUpdate, LabellingWrite, RetractedLabel,
};

use super::{EarlierTurns, LabelItem, LabellingWork, OpenedWork};
use crate::BlindedTranscript;
use crate::blinded::{BlindedTurn, TranscriptParts};
use effect::notice_effect;
use elenchus_game::debate::SessionId;
use elenchus_records::workspace::WorkspaceError;
use elenchus_records::workspace::annotations::AnnotationTarget;
use elenchus_text::Content;
use elenchus_text::word_diff::Marking;
use labels::{LabelQuestion, LabelStep, PendingWrite};
use notes::LabelExtras;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Transcripts that are kept: beyond this all but the one on the screen are forgotten and read again when needed.
const MAX_TRANSCRIPTS: usize = 64;

/// One person's labelling of some work.
pub struct LabellingState {
    work: LabellingWork,
    begun_from: BegunFrom,
    keys: LabellingKeys,
    progress: LabelProgress,
    /// Message while there is nothing to show.
    empty: String,
    card: Option<Arc<OpenedWork>>,
    items: Vec<LabelItem>,
    spent_ms: Vec<u64>,
    /// Place of the item on the screen.
    at: usize,
    transcripts: BTreeMap<SessionId, Result<Arc<BlindedTranscript>, WorkspaceError>>,
    /// Session of the item on the screen while it is being read.
    awaited: Option<SessionId>,
    asking: Option<LabelQuestion>,
    last_write: LabelWriteId,
    saving: Option<(LabelWriteId, PendingWrite)>,
    undo: Vec<LabelStep>,
    redo: Vec<LabelStep>,
    /// Notes and flags that go along with the label of something.
    pending: BTreeMap<usize, LabelExtras>,
    /// Verdicts that were revealed, by item.
    revealed: BTreeMap<usize, Arc<Vec<String>>>,
    /// Item whose revealing was asked for once: the second time it is done.
    warned: Option<usize>,
    /// What comes next is being read: only that is taken of the work when it comes.
    awaits_next_steps: bool,
    shows: DisplayOptions,
    content: Content,
    marking: Marking,
}

/// Marks of the keys that what is said names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LabellingKeys {
    /// Lets letters label again when everything is labelled.
    pub open: char,
    /// Shows what is hidden.
    pub reveal: char,
    /// Leaves the program.
    pub quit: char,
}

/// Where labelling was begun.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BegunFrom {
    /// The command line, so that no verdict was on the screen before.
    CommandLine,
    /// Another screen, which leaving goes back to.
    Screen,
}

/// Whether letters label.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LabelProgress {
    /// They do.
    Labelling,
    /// The last open label was just given: a stray letter changes nothing.
    JustDone,
    /// Everything was labelled when it was opened, which is all that is shown.
    Done,
}

/// Key that is no letter of a label, by what it means to the sitting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OtherKey {
    /// Leaves the question that is asked, or the sitting.
    Back,
    /// Lets letters label again.
    Open,
    /// Means something when everything is labelled, too.
    Always,
    /// Means something while there is something to label.
    WhileLabelling,
}

/// Display options of an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct DisplayOptions {
    before: EarlierTurns,
    turn: TurnDisplay,
    names: AnnotatorNames,
}

/// Display of the turn itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TurnDisplay {
    Whole,
    /// With the words marked that the same seat did not say in the round before.
    Difference,
}

/// Display of annotators' names in a dispute.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum AnnotatorNames {
    Hidden,
    Shown,
}

impl LabellingState {
    /// A sitting whose work is still to be opened.
    pub fn new(work: LabellingWork, begun_from: BegunFrom, keys: LabellingKeys) -> Self {
        Self {
            work,
            begun_from,
            keys,
            progress: LabelProgress::Labelling,
            empty: "reading what is to be labelled".to_owned(),
            card: None,
            items: Vec::new(),
            spent_ms: Vec::new(),
            at: 0,
            transcripts: BTreeMap::new(),
            awaited: None,
            asking: None,
            last_write: LabelWriteId::default(),
            saving: None,
            undo: Vec::new(),
            redo: Vec::new(),
            pending: BTreeMap::new(),
            revealed: BTreeMap::new(),
            warned: None,
            awaits_next_steps: false,
            shows: DisplayOptions {
                before: EarlierTurns::Folded,
                turn: TurnDisplay::Whole,
                names: AnnotatorNames::Hidden,
            },
            content: Content::Shown,
            marking: Marking::Look,
        }
    }

    /// Takes how texts are shown: masked or not, and with which marks of differences. A text that was opened
    /// before content is masked is closed: it is written as it was then.
    pub fn show_as(&mut self, content: Content, marking: Marking) -> Vec<LabellingEffect> {
        if (content, marking) == (self.content, self.marking) {
            return Vec::new();
        }
        let is_changed = content != self.content;
        (self.content, self.marking) = (content, marking);
        let close = is_changed.then_some(LabellingEffect::CloseText);
        [LabellingEffect::PageChanged]
            .into_iter()
            .chain(close)
            .collect()
    }

    pub fn progress(&self) -> LabelProgress {
        self.progress
    }

    /// Returns how many items there are; hidden repeats are not counted.
    pub fn len(&self) -> usize {
        let items = self.items.iter();
        items.filter(|item| item.repeat == 0).count()
    }

    /// Says whether there is nothing to label, or nothing yet.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// Says whether a category or a strength is asked for.
    pub fn is_asking(&self) -> bool {
        self.asking.is_some()
    }

    /// Says whether a label is on its way to the disk.
    pub fn is_saving(&self) -> bool {
        self.saving.is_some()
    }

    /// Returns what is read first.
    pub fn initial_read(&self) -> LabellingEffect {
        LabellingEffect::Read(LabellingRead::Work(self.work.clone()))
    }

    /// Takes in what came of what was read and written.
    pub fn handle_news(&mut self, news: LabellingUpdate) -> Vec<LabellingEffect> {
        match news {
            LabellingUpdate::Opened(work, card) if work == self.work => {
                self.handle_opened_work(card)
            }
            LabellingUpdate::Opened(..) => Vec::new(),
            LabellingUpdate::Transcript(session, read) => self.handle_transcript(session, read),
            LabellingUpdate::Disagreement(at) => self.handle_disagreement(at),
            LabellingUpdate::Given(write, result) => self.handle_label_result(write, result),
            LabellingUpdate::TakenBack(write, result) => {
                self.handle_retraction_result(write, result)
            }
            LabellingUpdate::Revealed(on, what, result) => {
                self.handle_reveal_result(&on, what, result)
            }
            LabellingUpdate::NoteFound(at, draft) => {
                self.handle_earlier_note(at, draft);
                Vec::new()
            }
        }
    }

    /// Takes the work as it was opened; it resumes at the first item without a label.
    fn handle_opened_work(
        &mut self,
        card: Result<Arc<OpenedWork>, WorkspaceError>,
    ) -> Vec<LabellingEffect> {
        let card = match card {
            Ok(card) => card,
            Err(why) => {
                self.empty = why.to_string();
                return Vec::new();
            }
        };
        if std::mem::take(&mut self.awaits_next_steps) {
            return self.take_next_steps(&card);
        }
        self.items.clone_from(&card.items);
        self.spent_ms.clone_from(&card.spent_ms);
        // What is on its way, and what was taken back, is of another label set.
        (self.saving, self.redo) = (None, Vec::new());
        self.undo = labels::build_undo_steps(&self.items);
        self.card = Some(Arc::clone(&card));
        if let Some(first) = &card.first_transcript {
            let session = first.session.clone();
            self.transcripts.insert(session, Ok(Arc::clone(first)));
        }
        if self.items.is_empty() {
            let why = match self.work {
                LabellingWork::Disputes(_) => {
                    "annotators disagree on nothing here, or fewer than two have labelled"
                }
                LabellingWork::Queue(_) | LabellingWork::One { .. } => "nothing is to be labelled",
            };
            self.empty = why.to_owned();
            return Vec::new();
        }
        let open = self.items.iter().position(|item| item.mine.is_none());
        let mut effects = self.go_to_item(open.unwrap_or(0));
        let mut notices = card.notices.clone();
        if open.is_none() && !self.is_single() {
            self.progress = LabelProgress::Done;
            notices.push("everything is labelled".to_owned());
        }
        if !notices.is_empty() {
            effects.extend(notice_effect(notices.join("; ")));
        }
        effects
    }

    /// Takes of the work what others have labelled; what is on the screen stays.
    fn take_next_steps(&mut self, now: &OpenedWork) -> Vec<LabellingEffect> {
        if let Some(card) = &mut self.card {
            let card = Arc::make_mut(card);
            card.other_annotators = now.other_annotators;
            card.open_disputes = now.open_disputes;
        }
        vec![LabellingEffect::PageChanged]
    }

    /// Takes a transcript that was read.
    fn handle_transcript(
        &mut self,
        session: SessionId,
        transcript: Result<Arc<BlindedTranscript>, WorkspaceError>,
    ) -> Vec<LabellingEffect> {
        self.transcripts.insert(session.clone(), transcript);
        if self.session() != Some(&session) {
            return Vec::new();
        }
        let mut effects = vec![LabellingEffect::PageChanged];
        // The time of what was still being read begins when it is there.
        if self
            .awaited
            .take_if(|awaited| *awaited == session)
            .is_some()
        {
            effects.push(LabellingEffect::TimeBegins);
        }
        effects
    }

    /// Takes a key that is no letter; `None` where it does what it does while there is something to label.
    pub fn handle_other_key(&mut self, key: OtherKey) -> Option<Vec<LabellingEffect>> {
        let asking = self.asking.take();
        match (key, self.progress) {
            (OtherKey::Back, _) if asking.is_some() => Some(notice_effect("not labelled")),
            (OtherKey::Back, _) => Some(self.leave()),
            _ if self.items.is_empty() => Some(Vec::new()),
            (OtherKey::Open, LabelProgress::JustDone | LabelProgress::Done) => {
                self.progress = LabelProgress::Labelling;
                Some(notice_effect("letters change labels again"))
            }
            (OtherKey::WhileLabelling, LabelProgress::Done) => {
                Some(notice_effect(self.done_text()))
            }
            _ => None,
        }
    }

    fn leave(&self) -> Vec<LabellingEffect> {
        match self.begun_from {
            BegunFrom::Screen => vec![LabellingEffect::Leave],
            // A key torn apart by a slow link must not end the work.
            BegunFrom::CommandLine => notice_effect(format!(
                "{} leaves; every label that was given is kept",
                self.keys.quit
            )),
        }
    }

    /// Goes to the next item, or the one before.
    pub fn step(&mut self, by: isize) -> Vec<LabellingEffect> {
        let last = self.items.len().saturating_sub(1);
        let to = self.at.saturating_add_signed(by).min(last);
        match to == self.at {
            true if by < 0 => notice_effect("this is the first"),
            true => notice_effect("this is the last"),
            false => self.go_to_item(to),
        }
    }

    /// Goes to the next item that is not labelled, from the beginning again where there is none behind.
    pub fn go_to_unlabelled_item(&mut self) -> Vec<LabellingEffect> {
        self.go_to_unlabelled_after(self.at)
    }

    fn go_to_unlabelled_after(&mut self, from: usize) -> Vec<LabellingEffect> {
        let mut places = self.places_after(from);
        let open = places.find(|at| self.items.get(*at).is_some_and(|item| item.mine.is_none()));
        match open {
            Some(at) if at != self.at => self.go_to_item(at),
            Some(_) => notice_effect("this is the only one left"),
            None => notice_effect("everything is labelled"),
        }
    }

    /// Labels the one thing by the next set.
    pub fn switch_set(&mut self) -> Vec<LabellingEffect> {
        let (LabellingWork::One { on, set }, Some(card)) = (&self.work, &self.card) else {
            return notice_effect("a queue is labelled by one set");
        };
        let at = card.sets.iter().position(|name| name == set);
        let next = at.map_or(0, |at| at + 1) % card.sets.len().max(1);
        let Some(set) = card.sets.get(next).cloned() else {
            return Vec::new();
        };
        let on = on.clone();
        self.work = LabellingWork::One { on, set };
        // Nothing is labelled before the set is there.
        self.transcripts.clear();
        vec![self.initial_read()]
    }

    /// Shows the turns before, or folds them; returns how they are shown now.
    pub fn toggle_earlier(&mut self) -> EarlierTurns {
        self.shows.before = match self.shows.before {
            EarlierTurns::Folded => EarlierTurns::Unfolded,
            EarlierTurns::Unfolded => EarlierTurns::Folded,
        };
        self.shows.before
    }

    /// Shows what the same seat did not say before, or the turn as it was said.
    pub fn toggle_difference(&mut self) -> Vec<LabellingEffect> {
        if self.previous_turn().is_none() {
            return notice_effect("the same seat has said nothing before");
        }
        self.shows.turn = match self.shows.turn {
            TurnDisplay::Whole => TurnDisplay::Difference,
            TurnDisplay::Difference => TurnDisplay::Whole,
        };
        vec![LabellingEffect::PageChanged]
    }

    /// Names the annotators of a dispute, or hides who they are.
    pub fn toggle_names(&mut self) -> Vec<LabellingEffect> {
        if !self.is_adjudication() {
            return notice_effect("annotators do not see each other's labels here");
        }
        self.shows.names = match self.shows.names {
            AnnotatorNames::Hidden => AnnotatorNames::Shown,
            AnnotatorNames::Shown => AnnotatorNames::Hidden,
        };
        vec![LabellingEffect::PageChanged]
    }

    /// Goes to an item, reading its transcript where it is not there yet, and ahead for the next.
    fn go_to_item(&mut self, at: usize) -> Vec<LabellingEffect> {
        self.at = at.min(self.items.len().saturating_sub(1));
        (self.asking, self.warned) = (None, None);
        // What is labelled is the turn as it was said.
        self.shows.turn = TurnDisplay::Whole;
        let next = self.items.get(self.at..).unwrap_or_default().iter().take(2);
        let unread = next.map(|item| &item.on.session);
        let unread = unread.filter(|session| !self.transcripts.contains_key(session));
        let mut unread: Vec<SessionId> = unread.cloned().collect();
        unread.dedup();
        let here = self.session().cloned();
        if self.transcripts.len() + unread.len() > MAX_TRANSCRIPTS {
            self.transcripts
                .retain(|session, _| Some(session) == here.as_ref());
        }
        // The time of what is still being read begins when it is there.
        self.awaited = here.filter(|session| !self.transcripts.contains_key(session));
        let parts = self.transcript_parts();
        let read = |session| LabellingEffect::Read(LabellingRead::Transcript(session, parts));
        let mut effects = vec![LabellingEffect::ItemShown];
        effects.extend(unread.into_iter().map(read));
        effects.extend(self.find_note());
        effects
    }

    /// Returns all places from the one behind another on, and around.
    fn places_after(&self, from: usize) -> impl Iterator<Item = usize> + use<> {
        let count = self.items.len();
        (from + 1..count).chain(0..count.min(from + 1))
    }

    /// Item on the screen.
    fn item(&self) -> Option<&LabelItem> {
        self.items.get(self.at)
    }

    fn session(&self) -> Option<&SessionId> {
        self.item().map(|item| &item.on.session)
    }

    fn is_on(&self, on: &AnnotationTarget) -> bool {
        self.item().is_some_and(|item| item.on == *on)
    }

    /// Transcript of the item on the screen, and its turn's place in it; a debate as a whole has no turn.
    fn transcript(&self) -> Option<(&BlindedTranscript, Option<usize>)> {
        let item = self.item()?;
        let transcript = self.transcripts.get(&item.on.session)?.as_ref().ok()?;
        match &item.on.attempt {
            None => Some((transcript, None)),
            Some(on) => Some((transcript, Some(transcript.find_turn(on)?))),
        }
    }

    /// The turn on the screen.
    fn turn(&self) -> Option<&BlindedTurn> {
        let (transcript, at) = self.transcript()?;
        transcript.turns.get(at?)
    }

    /// What the same seat said before.
    fn previous_turn(&self) -> Option<&BlindedTurn> {
        let (transcript, at) = self.transcript()?;
        transcript.find_previous_turn(at?)
    }

    fn transcript_parts(&self) -> TranscriptParts {
        let card = self.card.as_ref();
        card.map(|card| TranscriptParts::from_set(&card.book.set))
            .unwrap_or_default()
    }

    fn is_adjudication(&self) -> bool {
        matches!(self.work, LabellingWork::Disputes(_))
    }

    /// Says whether one thing is labelled that the person chose.
    fn is_single(&self) -> bool {
        matches!(self.work, LabellingWork::One { .. })
    }

    fn count_open_items(&self) -> usize {
        let open = self.items.iter().filter(|item| item.mine.is_none());
        open.count()
    }

    /// Says that letters label nothing any more, and what changes that.
    fn done_text(&self) -> String {
        let open = self.keys.open;
        format!("everything is labelled; {open} lets labels be changed")
    }
}
