//! Long-term memory: what debates were taught, looked into and worked on.
//!
//! | file | what it is |
//! |---|---|
//! | `acts` | what each action does |
//! | `guards` | what is done about guardrails |
//! | `typing` | lines and texts that are typed, questions that are answered |
//! | `heard` | what came of deeds |
//! | `trial` | replicates that leave an entry out |
//! | `page` | an entry, or what a debate would be shown, as a page |
//! | `guard_page` | a guardrail as a page |
//! | `paint` | drawing |

mod acts;
mod guard_page;
mod guards;
mod heard;
mod page;
mod paint;
mod trial;
mod typing;

use crate::debate::SessionId;
use crate::driver::memory_desk::{
    Change, Entry, EntryId, EntryStanding, Firings, Guard, GuardChange, GuardId, Uses,
};
use crate::tui::app::{
    Brush, Deed, Effect, MemoryCard, MemoryDeed, Screen, Ticket, Told, TopicTried,
};
use crate::tui::input::{Key, Paste};
use crate::tui::keys::{Action, Context};
use crate::tui::parts::paragraph::Paragraph;
use crate::tui::parts::roll::Roll;
use crate::tui::parts::secret::Content;
use crate::tui::parts::{Rows, above_status};
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use std::sync::Arc;
use trial::Trial;
use typing::Dialog;

/// The screen of a namespace of long-term memory.
pub struct Memory {
    /// The namespace that is wanted; `None` for the one that has most to show.
    namespace: Option<String>,
    /// What is to be chosen once it is there.
    wanted: Option<Which>,
    card: Option<Arc<MemoryCard>>,
    /// Why there is nothing to show, while there is nothing.
    empty: String,
    kind: Kind,
    showing: Showing,
    list_deleted: bool,
    listed: Vec<Listed>,
    rows: Rows,
    focus: Pane,
    items: Vec<Item>,
    roll: Roll,
    /// Which debates were shown the entry that this was asked about last.
    uses: Option<(EntryId, Result<Arc<Uses>, String>)>,
    /// Where the guardrail fired that this was asked about last.
    firings: Option<(GuardId, Result<Arc<Firings>, String>)>,
    dialog: Option<Dialog>,
    /// What takes back what was done, and what does it again.
    undo: Vec<Wish>,
    redo: Vec<Wish>,
    changing: Option<Changing>,
    trial: Trial,
    tickets: u64,
    content: Content,
}

/// What memory holds, one of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Which {
    Entry(EntryId),
    Guardrail(GuardId),
}

/// What is listed while nothing is looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Lessons,
    Guardrails,
}

/// A change that somebody wants.
#[derive(Debug, Clone, PartialEq)]
enum Wish {
    Entry(Change),
    Guard(GuardChange),
}

/// What the list shows.
#[derive(Debug, Clone)]
enum Showing {
    /// Every entry, or every guardrail, the newest first.
    All,
    /// Something was asked and is not answered yet.
    Asked { text: String, ticket: Ticket },
    /// What is nearest to a text.
    Found { query: String, retriever: String },
    /// What a debate about a topic would be shown, and which guardrails it would ask.
    Topic {
        text: String,
        tried: Arc<TopicTried>,
    },
}

/// A row of the list.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Listed {
    at: Row,
    score: Option<f64>,
}

/// Which entry or guardrail of the namespace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Row {
    Entry(usize),
    Guard(usize),
}

/// Where keys go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Pane {
    List,
    Page,
}

/// A piece of the page, and what is opened from it.
#[derive(Debug, Clone, Default)]
struct Item {
    paragraphs: Vec<Paragraph>,
    opens: Option<SessionId>,
}

/// What becomes of the way back when a change was made.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Changing {
    /// It was asked for; the draft at this place is not needed any more.
    Do {
        draft: Option<String>,
    },
    Undo,
    Redo,
}

impl Memory {
    /// Opens the screen, at something in a namespace if they are named.
    pub fn show(namespace: Option<String>, at: Option<Which>) -> Vec<Effect> {
        let screen = Self {
            namespace: namespace.clone(),
            kind: match at {
                Some(Which::Guardrail(_)) => Kind::Guardrails,
                Some(Which::Entry(_)) | None => Kind::Lessons,
            },
            wanted: at,
            card: None,
            empty: "reading memory".to_owned(),
            showing: Showing::All,
            list_deleted: false,
            listed: Vec::new(),
            rows: Rows::default(),
            focus: Pane::List,
            items: Vec::new(),
            roll: Roll::default(),
            uses: None,
            firings: None,
            dialog: None,
            undo: Vec::new(),
            redo: Vec::new(),
            changing: None,
            trial: Trial::None,
            tickets: 0,
            content: Content::Shown,
        };
        vec![
            Effect::Show(Box::new(screen)),
            Effect::Do(Deed::Memory(MemoryDeed::Read(namespace))),
        ]
    }

    fn entry_at(&self, listed: Listed) -> Option<&Entry> {
        match listed.at {
            Row::Entry(at) => self.card.as_ref()?.shelf.folded.entries.get(at),
            Row::Guard(_) => None,
        }
    }

    fn guard_at(&self, listed: Listed) -> Option<&Guard> {
        match listed.at {
            Row::Entry(_) => None,
            Row::Guard(at) => self.guards().get(at),
        }
    }

    fn guards(&self) -> &[Guard] {
        let shelf = self
            .card
            .as_ref()
            .and_then(|card| card.guards.as_ref().ok());
        shelf.map_or(&[], |shelf| &shelf.fold.guards)
    }

    /// The entry under the cursor of the list.
    fn chosen(&self) -> Option<&Entry> {
        let listed = self.listed.get(self.rows.chosen()?)?;
        self.entry_at(*listed)
    }

    /// The guardrail under the cursor of the list.
    fn chosen_guard(&self) -> Option<&Guard> {
        let listed = self.listed.get(self.rows.chosen()?)?;
        self.guard_at(*listed)
    }

    fn chosen_one(&self) -> Option<Which> {
        let entry = self.chosen().map(|entry| Which::Entry(entry.id.clone()));
        let guard = || Some(Which::Guardrail(self.chosen_guard()?.id.clone()));
        entry.or_else(guard)
    }

    fn shows(&self, entry: &Entry) -> bool {
        self.list_deleted || entry.standing() != EntryStanding::Deleted
    }

    /// Fills the list anew with every entry, or every guardrail.
    fn list_all(&mut self) {
        let chosen = self.chosen_one();
        self.showing = Showing::All;
        let row = |at| Listed { at, score: None };
        let mut listed: Vec<Listed> = match self.kind {
            Kind::Lessons => {
                let cards = self.card.iter();
                let entries = cards.flat_map(|card| card.shelf.folded.entries.iter().enumerate());
                let shown = entries.filter(|(_, entry)| self.shows(entry));
                shown.map(|(at, _)| row(Row::Entry(at))).collect()
            }
            Kind::Guardrails => {
                let guards = self.guards().iter().enumerate();
                let shown = guards.filter(|(_, guard)| self.list_deleted || !guard.deleted);
                shown.map(|(at, _)| row(Row::Guard(at))).collect()
            }
        };
        listed.reverse();
        self.listed = listed;
        self.rows.set_len(self.listed.len());
        if let Some(one) = self.wanted.take().or(chosen) {
            self.choose(&one);
        }
        self.turn_page();
    }

    fn choose(&mut self, one: &Which) {
        let at = self.listed.iter().position(|listed| match one {
            Which::Entry(id) => {
                let entry = self.entry_at(*listed);
                entry.is_some_and(|entry| entry.answers_to(id))
            }
            Which::Guardrail(id) => {
                let guard = self.guard_at(*listed);
                guard.is_some_and(|guard| guard.id == *id || guard.merged.contains(id))
            }
        });
        if let Some(at) = at {
            self.rows.choose(at);
        }
    }

    /// Makes the page of what is chosen.
    fn turn_page(&mut self) {
        self.items = self.page();
        self.roll = Roll::default();
        self.roll.set_count(self.items.len());
    }

    /// The same page with what is known by now; the cursor stays.
    fn refresh_page(&mut self) {
        self.items = self.page();
        self.roll.set_count(self.items.len());
    }

    fn ticket(&mut self) -> Ticket {
        self.tickets += 1;
        Ticket(self.tickets)
    }
}

impl Screen for Memory {
    fn context(&self) -> Context {
        Context::Memory
    }

    fn is_typing(&self) -> bool {
        self.dialog.is_some()
    }

    fn act(&mut self, action: Action) -> Vec<Effect> {
        self.answer(action)
    }

    fn typed(&mut self, key: Key) -> Vec<Effect> {
        self.take_key(key)
    }

    fn pasted(&mut self, paste: &Paste) -> Vec<Effect> {
        self.take_paste(paste)
    }

    fn told(&mut self, told: &Told) -> Vec<Effect> {
        self.hear(told)
    }

    fn draw(&mut self, buffer: &mut Buffer, area: Rect, brush: Brush<'_>) -> Option<Position> {
        if self.content != brush.content {
            self.content = brush.content;
            self.refresh_page();
        }
        self.paint(buffer, above_status(area), brush)
    }

    fn status(&self) -> String {
        self.count()
    }

    fn hints(&self) -> Vec<Action> {
        self.useful()
    }

    fn busy(&self) -> Option<String> {
        self.trial.busy()
    }

    fn returned(&mut self) -> Vec<Effect> {
        vec![self.read_again()]
    }
}
