//! Labelling screen: one item after the other, one key a label, and nothing on the screen that
//! shows a verdict, an arm, a protocol or a prompt's version.
//!
//! The items come from a [`Sheet`], which holds none of these. A label is durable before the next
//! item is shown; a key that comes earlier is refused, since the person cannot have read the next
//! item yet.
//!
//! | file | content |
//! |---|---|
//! | `actions` | actions of the screen |
//! | `labelling` | letters of labels, categories and strengths; undo and redo |
//! | `over` | overlays: codebook, what the seat saw, typed lines |
//! | `paragraphs` | question and turn as paragraphs |
//! | `queue_list`, `queue_form` | queues, who labels; what a new queue is drawn from |
//! | `tasks`, `update` | work in the background, and what came of it |
//! | `view` | drawing |

mod actions;
mod labelling;
mod over;
mod paragraphs;
mod queue_form;
mod queue_list;
mod tasks;
mod update;
mod view;

use super::places::Place;
use crate::annotation::BlindedTranscript;
use crate::annotation::labelling::{EarlierTurns, LabelItem, LabellingCard, LabellingWork};
use crate::debate::SessionId;
use crate::terminal::Paste;
use crate::tui::app::{DrawContext, Effect, Screen, Task, Ticket};
use crate::tui::keys::{Action, Context, ScreenKeys};
use crate::tui::widgets::{Content, Marking, Page};
use crate::workspace::SeatNames;
use labelling::{Asking, LabelStep, Saving};
use over::Over;
use queue_list::QueueChoice;
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::KeyEvent;
use ratatui::layout::{Position, Rect};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;
use update::Message;

/// How the screen is reached from everywhere.
pub(super) const PLACE: Place = Place {
    keys: &ScreenKeys {
        key: "4",
        name: "labelling",
        action: "show-queues",
        label: "queues to be labelled",
        help: "Go to the queues of turns to be labelled.",
        own: &[],
    },
    context: Context::Queues,
    open: || Annotate::show(None),
};

/// Sheets that are kept: beyond this all are forgotten and read again when needed.
const MAX_SHEETS: usize = 64;

/// The screen on which turns are labelled.
pub struct Annotate {
    /// Work at hand; `None` while a queue is being chosen.
    work: Option<LabellingWork>,
    below: Below,
    choice: QueueChoice,
    progress: LabelProgress,
    /// Message while there is nothing to show.
    empty: String,
    card: Option<Arc<LabellingCard>>,
    posts: Vec<LabelItem>,
    spent_ms: Vec<u64>,
    at: usize,
    sheets: BTreeMap<SessionId, Result<Arc<BlindedTranscript>, String>>,
    /// Session that was requested and has not arrived.
    wanted: Option<SessionId>,
    asking: Option<Asking>,
    saving: Option<(Ticket, Saving)>,
    /// Undo and redo steps of labels.
    undo: Vec<LabelStep>,
    redo: Vec<LabelStep>,
    /// Notes and flags that go along with the label of something.
    pending: BTreeMap<usize, LabelExtras>,
    /// Content that was revealed, by item.
    revealed: BTreeMap<usize, Arc<Vec<String>>>,
    /// Item whose revealing was asked for once: the second time it is done.
    warned: Option<usize>,
    shows: DisplayOptions,
    over: Option<Over>,
    focus: AnnotatePane,
    question: Page,
    turn: Page,
    tickets: u64,
    /// Since when the item is on the screen.
    shown_at: Option<Instant>,
    content: Content,
    marking: Marking,
}

/// Whether letters label.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LabelProgress {
    /// They do.
    Labelling,
    /// The last open label was just given: a stray letter changes nothing.
    JustDone,
    /// Everything was labelled when it was opened, which is all that is shown.
    Done,
}

/// Screen below this one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Below {
    /// None: it was opened by itself, so that no verdict was on the screen before.
    Nothing,
    Another,
}

/// Note and flag that go along with a label.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct LabelExtras {
    note: Option<String>,
    flagged: bool,
}

/// Display options.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct DisplayOptions {
    before: EarlierTurns,
    turn: TurnDisplay,
    names: Names,
}

/// The turn itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TurnDisplay {
    Whole,
    /// With the words marked that the same seat did not say in the round before.
    Difference,
}

/// Display of annotators' names in a dispute.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Names {
    Hidden,
    Shown,
}

/// Pane that scrolls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum AnnotatePane {
    Question,
    Turn,
}

impl Annotate {
    /// A screen that nothing lies under.
    pub fn of(work: LabellingWork) -> Self {
        Self::over(Some(work), Below::Nothing)
    }

    /// Opens the screen on top of another: on some work, or on the queues.
    pub fn show(work: Option<LabellingWork>) -> Vec<Effect> {
        vec![Effect::Show(Box::new(Self::over(work, Below::Another)))]
    }

    fn over(work: Option<LabellingWork>, below: Below) -> Self {
        Self {
            work,
            below,
            choice: QueueChoice::default(),
            progress: LabelProgress::Labelling,
            empty: "reading what is to be labelled".to_owned(),
            card: None,
            posts: Vec::new(),
            spent_ms: Vec::new(),
            at: 0,
            sheets: BTreeMap::new(),
            wanted: None,
            asking: None,
            saving: None,
            undo: Vec::new(),
            redo: Vec::new(),
            pending: BTreeMap::new(),
            revealed: BTreeMap::new(),
            warned: None,
            shows: DisplayOptions {
                before: EarlierTurns::Folded,
                turn: TurnDisplay::Whole,
                names: Names::Hidden,
            },
            over: None,
            focus: AnnotatePane::Turn,
            question: Page::default(),
            turn: Page::default(),
            tickets: 0,
            shown_at: None,
            content: Content::Shown,
            marking: Marking::Look,
        }
    }

    /// Item on the screen.
    fn post(&self) -> Option<&LabelItem> {
        self.posts.get(self.at)
    }

    /// Blinded transcript of the item on the screen, and its turn's index in it; a debate as a
    /// whole has no turn.
    fn sheet(&self) -> Option<(&BlindedTranscript, Option<usize>)> {
        let post = self.post()?;
        let sheet = self.sheets.get(&post.on.session)?.as_ref().ok()?;
        match &post.on.attempt {
            None => Some((sheet, None)),
            Some(on) => Some((sheet, Some(sheet.find(on)?))),
        }
    }

    fn names(&self) -> SeatNames {
        let card = self.card.as_ref();
        card.map(|card| card.book.set.seats).unwrap_or_default()
    }

    fn settles(&self) -> bool {
        matches!(self.work, Some(LabellingWork::Disputes(_)))
    }

    fn is_labelled(post: &LabelItem) -> bool {
        post.mine.is_some()
    }

    fn left(&self) -> usize {
        self.posts
            .iter()
            .filter(|post| !Self::is_labelled(post))
            .count()
    }

    /// Goes to something, reading its sheet where it is not there yet, and ahead for the next.
    fn go(&mut self, at: usize) -> Vec<Effect> {
        self.at = at.min(self.posts.len().saturating_sub(1));
        self.asking = None;
        self.warned = None;
        self.over = None;
        self.focus = AnnotatePane::Turn;
        // What is labelled is the turn as it was said.
        self.shows.turn = TurnDisplay::Whole;
        let next = self.posts.get(self.at..).unwrap_or_default();
        let mut sessions: Vec<SessionId> = Vec::new();
        for post in next.iter().take(2) {
            if !self.sheets.contains_key(&post.on.session) {
                sessions.push(post.on.session.clone());
            }
        }
        sessions.dedup();
        if self.sheets.len() + sessions.len() > MAX_SHEETS {
            let here = self.post().map(|post| post.on.session.clone());
            self.sheets
                .retain(|session, _| Some(session) == here.as_ref());
        }
        self.turn_page();
        let names = self.names();
        let mut effects: Vec<Effect> = sessions
            .into_iter()
            .map(|session| Effect::Start(tasks::read_sheet(session, names)))
            .collect();
        // The time of what is still being read begins when it is there.
        let here = self.post().map(|post| post.on.session.clone());
        self.wanted = here.filter(|session| !self.sheets.contains_key(session));
        self.shown_at = None;
        let bare = self.post().is_some_and(|post| !Self::is_labelled(post));
        if bare && !self.pending.contains_key(&self.at) {
            let place = self.draft_place(self.at).into_iter();
            let at = self.at;
            let find = |place| Task::find_draft(place, move |draft| Message::NoteFound(at, draft));
            effects.extend(place.map(|place| Effect::Start(find(place))));
        }
        effects
    }

    /// Makes the page of what is on the screen.
    fn turn_page(&mut self) {
        self.question = Page::of(self.question_page());
        self.turn = Page::of(self.turn_page_items());
    }

    fn ticket(&mut self) -> Ticket {
        self.tickets += 1;
        Ticket(self.tickets)
    }
}

impl Screen for Annotate {
    fn context(&self) -> Context {
        match self.work {
            Some(_) => Context::Annotate,
            None => Context::Queues,
        }
    }

    fn opened(&mut self) -> Vec<Effect> {
        match &self.work {
            Some(work) => vec![Effect::Start(tasks::open(work.clone()))],
            None => self.opened_queues(),
        }
    }

    fn is_typing(&self) -> bool {
        self.choice.is_typing() || self.over.as_ref().is_some_and(Over::is_typing)
    }

    fn takes(&mut self, key: KeyEvent) -> Option<Vec<Effect>> {
        match self.work {
            Some(_) => self.letter(key),
            None => self.choice.begins_typing(key),
        }
    }

    fn act(&mut self, action: Action) -> Vec<Effect> {
        self.answer(action)
    }

    fn typed(&mut self, key: KeyEvent) -> Vec<Effect> {
        match self.work {
            Some(_) => self.line_typed(key),
            None => self.queue_key(key),
        }
    }

    fn pasted(&mut self, paste: &Paste) -> Vec<Effect> {
        match self.work {
            Some(_) => self.line_pasted(paste),
            None => {
                self.choice.paste(&paste.text);
                Vec::new()
            }
        }
    }

    fn draw(
        &mut self,
        buffer: &mut Buffer,
        area: Rect,
        brush: DrawContext<'_>,
    ) -> Option<Position> {
        if self.content != brush.content {
            self.content = brush.content;
            self.turn_page();
        }
        self.shown_at.get_or_insert(brush.now);
        self.paint(buffer, area, brush)
    }

    fn status(&self) -> String {
        self.status_text()
    }

    fn hints(&self) -> Vec<Action> {
        self.useful()
    }

    fn busy(&self) -> Option<String> {
        let saving = self.saving.as_ref();
        saving.map(|_| "a label is being made durable".to_owned())
    }

    fn returned(&mut self) -> Vec<Effect> {
        self.shown_at = None;
        Vec::new()
    }
}
