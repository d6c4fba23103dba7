//! Labelling: one thing after the other, one key a label, and nothing on the screen that tells a
//! verdict, an arm, a protocol or a prompt's version.
//!
//! What is shown comes from a [`Sheet`], which holds none of these. A label is durable before the
//! next thing is shown; a key that comes earlier is refused, for it cannot be about what nobody has
//! seen yet.
//!
//! | file | what it is |
//! |---|---|
//! | `acts` | what each action does |
//! | `labelling` | letters of labels, categories and strengths; undo and redo |
//! | `over` | what lies over it: codebook, what the seat saw, lines that are typed |
//! | `heard` | what came of deeds |
//! | `page` | question and turn as paragraphs |
//! | `choosing` | which queue |
//! | `paint` | drawing |

mod acts;
mod choosing;
mod heard;
mod labelling;
mod over;
mod page;
mod paint;

use crate::debate::SessionId;
use crate::driver::desk::{SeatNames, Sheet};
use crate::tui::app::{
    AnnotateCard, AnnotateDeed, Brush, Deed, Effect, Post, QueueLine, Screen, Ticket, Told, Work,
};
use crate::tui::input::{Key, Paste};
use crate::tui::keys::{Action, Context};
use crate::tui::parts::differ::Marking;
use crate::tui::parts::paragraph::Paragraph;
use crate::tui::parts::roll::Roll;
use crate::tui::parts::secret::Content;
use crate::tui::parts::{Rows, above_status};
use crate::tui::theme::Role;
use labelling::{Asking, Saving, Step};
use over::Over;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Sheets that are kept: beyond this all are forgotten and read again when needed.
const MAX_SHEETS: usize = 64;

/// The screen on which turns are labelled.
pub struct Annotate {
    /// What is labelled; `None` while a queue is being chosen.
    work: Option<Work>,
    below: Below,
    queues: Arc<Vec<QueueLine>>,
    rows: Rows,
    /// Why there is nothing to show, while there is nothing.
    empty: String,
    card: Option<Arc<AnnotateCard>>,
    posts: Vec<Post>,
    spent_ms: Vec<u64>,
    at: usize,
    sheets: BTreeMap<SessionId, Result<Arc<Sheet>, String>>,
    /// What was asked for and has not come.
    wanted: Option<SessionId>,
    asking: Option<Asking>,
    saving: Option<(Ticket, Saving)>,
    /// What takes labels back, and what gives them again.
    undo: Vec<Step>,
    redo: Vec<Step>,
    /// Notes and flags that go along with the label of something.
    pending: BTreeMap<usize, Pending>,
    /// What was shown on purpose of something.
    revealed: BTreeMap<usize, Arc<Vec<String>>>,
    /// Where revealing was asked for once: the second time it is done.
    warned: Option<usize>,
    shows: Shows,
    over: Option<Over>,
    focus: Pane,
    question: Sides,
    turn: Sides,
    tickets: u64,
    content: Content,
    marking: Marking,
}

/// What is under this screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Below {
    /// Nothing: it was opened by itself, so that nothing that tells verdicts was on the screen.
    Nothing,
    Another,
}

/// What goes along with a label.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct Pending {
    note: Option<String>,
    flagged: bool,
}

/// How things are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Shows {
    before: Before,
    turn: Turn,
    names: Names,
}

/// What was said before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Before {
    Folded,
    Unfolded,
}

/// The turn itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Turn {
    Whole,
    /// With the words marked that the same seat did not say in the round before.
    Difference,
}

/// Whether annotators are named where their labels are settled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Names {
    Hidden,
    Shown,
}

/// Where keys that scroll go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Pane {
    Question,
    Turn,
}

/// One side of the page.
#[derive(Debug, Clone, Default)]
struct Sides {
    items: Vec<Vec<Paragraph>>,
    roll: Roll,
}

impl Sides {
    fn fill(&mut self, items: Vec<Vec<Paragraph>>) {
        self.items = items;
        self.roll = Roll::default();
        self.roll.set_count(self.items.len());
    }
}

impl Annotate {
    /// A screen that nothing lies under; with it what it wants done at once.
    pub fn of(work: Option<Work>) -> (Self, Deed) {
        Self::over(work, Below::Nothing)
    }

    /// Opens the screen on top of another.
    pub fn show(work: Option<Work>) -> Vec<Effect> {
        let (screen, deed) = Self::over(work, Below::Another);
        vec![Effect::Show(Box::new(screen)), Effect::Do(deed)]
    }

    fn over(work: Option<Work>, below: Below) -> (Self, Deed) {
        let deed = match &work {
            Some(work) => AnnotateDeed::Open(work.clone()),
            None => AnnotateDeed::Queues,
        };
        let screen = Self {
            work,
            below,
            queues: Arc::default(),
            rows: Rows::default(),
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
            shows: Shows {
                before: Before::Folded,
                turn: Turn::Whole,
                names: Names::Hidden,
            },
            over: None,
            focus: Pane::Turn,
            question: Sides::default(),
            turn: Sides::default(),
            tickets: 0,
            content: Content::Shown,
            marking: Marking::Look,
        };
        (screen, Deed::Annotate(deed))
    }

    /// What is on the screen.
    fn post(&self) -> Option<&Post> {
        self.posts.get(self.at)
    }

    /// The sheet of what is on the screen, and where on it the turn stands; a debate as a whole has
    /// no turn.
    fn sheet(&self) -> Option<(&Sheet, Option<usize>)> {
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
        matches!(self.work, Some(Work::Disputes(_)))
    }

    fn is_labelled(post: &Post) -> bool {
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
        self.focus = Pane::Turn;
        // What is labelled is the turn as it was said.
        self.shows.turn = Turn::Whole;
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
            .map(|session| annotate(AnnotateDeed::Sheet(session, names)))
            .collect();
        // The time of what is still being read begins when it is there.
        let here = self.post().map(|post| post.on.session.clone());
        self.wanted = here.filter(|session| !self.sheets.contains_key(session));
        if self.wanted.is_none() {
            effects.push(annotate(AnnotateDeed::Shown));
        }
        effects
    }

    /// Makes the page of what is on the screen.
    fn turn_page(&mut self) {
        let (question, turn) = (self.question_page(), self.turn_page_items());
        self.question.fill(question);
        self.turn.fill(turn);
    }

    fn ticket(&mut self) -> Ticket {
        self.tickets += 1;
        Ticket(self.tickets)
    }
}

fn annotate(deed: AnnotateDeed) -> Effect {
    Effect::Do(Deed::Annotate(deed))
}

fn say(role: Role, text: impl Into<String>) -> Vec<Effect> {
    vec![Effect::Say(role, text.into())]
}

impl Screen for Annotate {
    fn context(&self) -> Context {
        Context::Annotate
    }

    fn is_typing(&self) -> bool {
        self.over.as_ref().is_some_and(Over::is_typing)
    }

    fn takes(&mut self, key: Key) -> Option<Vec<Effect>> {
        self.letter(key)
    }

    fn act(&mut self, action: Action) -> Vec<Effect> {
        self.answer(action)
    }

    fn typed(&mut self, key: Key) -> Vec<Effect> {
        self.line_typed(key)
    }

    fn pasted(&mut self, paste: &Paste) -> Vec<Effect> {
        self.line_pasted(paste)
    }

    fn told(&mut self, told: &Told) -> Vec<Effect> {
        self.hear(told)
    }

    fn draw(&mut self, buffer: &mut Buffer, area: Rect, brush: Brush<'_>) -> Option<Position> {
        if self.content != brush.content {
            self.content = brush.content;
            self.turn_page();
        }
        self.paint(buffer, above_status(area), brush)
    }

    fn status(&self) -> String {
        self.standing()
    }

    fn hints(&self) -> Vec<Action> {
        self.useful()
    }

    fn busy(&self) -> Option<String> {
        let saving = self.saving.as_ref();
        saving.map(|_| "a label is being made durable".to_owned())
    }

    fn returned(&mut self) -> Vec<Effect> {
        vec![annotate(AnnotateDeed::Shown)]
    }
}
