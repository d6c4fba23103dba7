//! Memory screen: lessons and guardrails of a namespace, to read and to edit.
//!
//! | file | content |
//! |---|---|
//! | `actions` | actions of the screen |
//! | `guardrails` | actions on guardrails |
//! | `typing` | typed lines and texts, confirmations |
//! | `heard` | results of commands |
//! | `ablation` | replicates that leave an entry out |
//! | `page` | page of an entry, or preview of a debate |
//! | `guardrail_page` | page of a guardrail |
//! | `view` | drawing |

mod ablation;
mod actions;
mod guardrail_page;
mod guardrails;
mod heard;
mod page;
mod typing;
mod view;

use crate::debate::SessionId;
use crate::tui::app::{
    Deed, DrawContext, Effect, MemoryCard, MemoryDeed, Screen, Ticket, Told, TopicTried,
};
use crate::tui::keys::{Action, Context, key_for};
use crate::tui::terminal::{Key, Paste};
use crate::tui::widgets::Content;
use crate::tui::widgets::Paragraph;
use crate::tui::widgets::ScrollList;
use crate::tui::widgets::{ListCursor, above_status};
use crate::workspace::memory::{EntryChange, EntryUses, Firings, GuardChange};
use crate::workspace::{EntryId, EntryStatus, Guard, GuardId, MemoryEntry};
use ablation::Trial;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use std::sync::Arc;
use typing::Dialog;

/// The screen of a namespace of long-term memory.
pub struct Memory {
    /// The namespace that is wanted; `None` for the one that has most to show.
    namespace: Option<String>,
    /// Entry to choose once it is listed.
    wanted: Option<MemoryRef>,
    card: Option<Arc<MemoryCard>>,
    /// Message while there is nothing to show.
    empty: String,
    kind: ListedKind,
    showing: ListContent,
    list_deleted: bool,
    listed: Vec<ListedEntry>,
    rows: ListCursor,
    focus: MemoryPane,
    items: Vec<PageItem>,
    roll: ScrollList,
    /// Uses of the entry that was asked about last.
    uses: Option<(EntryId, Result<Arc<EntryUses>, String>)>,
    /// Firings of the guardrail that was asked about last.
    firings: Option<(GuardId, Result<Arc<Firings>, String>)>,
    dialog: Option<Dialog>,
    /// Undo and redo steps.
    undo: Vec<MemoryEdit>,
    redo: Vec<MemoryEdit>,
    changing: Option<Changing>,
    trial: Trial,
    tickets: u64,
    content: Content,
}

/// Identity of an entry or a guardrail.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MemoryRef {
    Entry(EntryId),
    Guardrail(GuardId),
}

/// Kind that is listed while nothing is searched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ListedKind {
    Lessons,
    Guardrails,
}

/// Change of an entry or a guardrail.
#[derive(Debug, Clone, PartialEq)]
enum MemoryEdit {
    Entry(EntryChange),
    Guard(GuardChange),
}

/// Content of the list.
#[derive(Debug, Clone)]
enum ListContent {
    /// Every entry, or every guardrail, the newest first.
    All,
    /// Something was asked and is not answered yet.
    Asked { text: String, ticket: Ticket },
    /// The entries nearest to a text.
    Found { query: String, retriever: String },
    /// Entries and guardrails that a debate about a topic would be given.
    Topic {
        text: String,
        tried: Arc<TopicTried>,
    },
}

/// A row of the list.
#[derive(Debug, Clone, Copy, PartialEq)]
struct ListedEntry {
    at: EntryIndex,
    score: Option<f64>,
}

/// Index of an entry or a guardrail of the namespace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum EntryIndex {
    Entry(usize),
    Guard(usize),
}

/// Pane with the focus.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum MemoryPane {
    List,
    Page,
}

/// A piece of the page, and what is opened from it.
#[derive(Debug, Clone, Default)]
struct PageItem {
    paragraphs: Vec<Paragraph>,
    /// A sentence after the last paragraph that names keys by their marks.
    hint: Option<String>,
    opens: Option<SessionId>,
}

/// Returns the mark of a key of this screen.
fn key(action: Action) -> char {
    key_for(Context::Memory, action)
}

/// Effect of a change on the undo steps.
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
    pub fn show(namespace: Option<String>, at: Option<MemoryRef>) -> Vec<Effect> {
        let screen = Self {
            namespace: namespace.clone(),
            kind: match at {
                Some(MemoryRef::Guardrail(_)) => ListedKind::Guardrails,
                Some(MemoryRef::Entry(_)) | None => ListedKind::Lessons,
            },
            wanted: at,
            card: None,
            empty: "reading memory".to_owned(),
            showing: ListContent::All,
            list_deleted: false,
            listed: Vec::new(),
            rows: ListCursor::default(),
            focus: MemoryPane::List,
            items: Vec::new(),
            roll: ScrollList::default(),
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

    fn entry_at(&self, listed: ListedEntry) -> Option<&MemoryEntry> {
        match listed.at {
            EntryIndex::Entry(at) => self.card.as_ref()?.shelf.folded.entries.get(at),
            EntryIndex::Guard(_) => None,
        }
    }

    fn guard_at(&self, listed: ListedEntry) -> Option<&Guard> {
        match listed.at {
            EntryIndex::Entry(_) => None,
            EntryIndex::Guard(at) => self.guards().get(at),
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
    fn chosen(&self) -> Option<&MemoryEntry> {
        let listed = self.listed.get(self.rows.chosen()?)?;
        self.entry_at(*listed)
    }

    /// The guardrail under the cursor of the list.
    fn chosen_guard(&self) -> Option<&Guard> {
        let listed = self.listed.get(self.rows.chosen()?)?;
        self.guard_at(*listed)
    }

    fn chosen_one(&self) -> Option<MemoryRef> {
        let entry = self
            .chosen()
            .map(|entry| MemoryRef::Entry(entry.id.clone()));
        let guard = || Some(MemoryRef::Guardrail(self.chosen_guard()?.id.clone()));
        entry.or_else(guard)
    }

    fn shows(&self, entry: &MemoryEntry) -> bool {
        self.list_deleted || entry.standing() != EntryStatus::Deleted
    }

    /// Lists every entry, or every guardrail.
    fn list_all(&mut self) {
        let chosen = self.chosen_one();
        self.showing = ListContent::All;
        let row = |at| ListedEntry { at, score: None };
        let mut listed: Vec<ListedEntry> = match self.kind {
            ListedKind::Lessons => {
                let cards = self.card.iter();
                let entries = cards.flat_map(|card| card.shelf.folded.entries.iter().enumerate());
                let shown = entries.filter(|(_, entry)| self.shows(entry));
                shown.map(|(at, _)| row(EntryIndex::Entry(at))).collect()
            }
            ListedKind::Guardrails => {
                let guards = self.guards().iter().enumerate();
                let shown = guards.filter(|(_, guard)| self.list_deleted || !guard.deleted);
                shown.map(|(at, _)| row(EntryIndex::Guard(at))).collect()
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

    fn choose(&mut self, one: &MemoryRef) {
        let at = self.listed.iter().position(|listed| match one {
            MemoryRef::Entry(id) => {
                let entry = self.entry_at(*listed);
                entry.is_some_and(|entry| entry.answers_to(id))
            }
            MemoryRef::Guardrail(id) => {
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
        self.roll = ScrollList::default();
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

    fn draw(
        &mut self,
        buffer: &mut Buffer,
        area: Rect,
        brush: DrawContext<'_>,
    ) -> Option<Position> {
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
