//! Memory screen: lessons and guardrails of a namespace, to read and to edit.
//!
//! | file | content |
//! |---|---|
//! | `actions` | actions of the screen |
//! | `guardrails` | acceptance of guardrails, standing of entries |
//! | `typing` | typed lines and texts, confirmations |
//! | `tasks`, `update` | work in the background, and what came of it |
//! | `ablation` | replicates that leave an entry out |
//! | `view` | drawing |

mod ablation;
mod actions;
mod guardrails;
mod tasks;
mod typing;
mod update;
mod view;

use super::places::Place;
use crate::experiments::AblationReport;
use crate::terminal::Paste;
use crate::tui::app::{DrawContext, Effect, Screen, Ticket};
use crate::tui::keys::{Action, Context, ScreenKeys, key_for};
use crate::tui::popups::{Dialog, Writing};
use crate::tui::widgets::{Content, ListCursor, ScrollList};
use crate::workspace::memory::{
    EntryChange, EntryPage, EntryUses, GuardPreview, LessonPreview, NamespaceEntries,
    NamespaceOverview, PageItem, PageKeys,
};
use crate::workspace::{EntryId, EntryKind, MemoryEntry};
use ablation::Trial;
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::KeyEvent;
use ratatui::layout::{Position, Rect};
use std::sync::Arc;
use typing::{MemoryQuestion, Purpose};
use update::Message;

/// How the screen is reached from everywhere.
pub(super) const PLACE: Place = Place {
    keys: &ScreenKeys {
        key: "3",
        name: "memory",
        action: "show-memory",
        label: "lessons, guardrails",
        help: "Go to long-term memory: lessons and guardrails.",
        own: &[],
    },
    context: Context::Memory,
    open: || Memory::show(None, None),
};

/// A namespace of long-term memory, and which others there are.
#[derive(Debug, Clone)]
pub struct MemoryCard {
    namespaces: Vec<NamespaceOverview>,
    shelf: NamespaceEntries,
    /// Notice where no embedding model is installed.
    by_words: Option<&'static str>,
}

/// Preview of the memory that a debate about a topic would be given.
#[derive(Debug, Clone)]
pub struct TopicTried {
    shown: LessonPreview,
    /// Guardrails it would ask.
    asked: GuardPreview,
}

/// The screen of a namespace of long-term memory.
pub struct Memory {
    /// The namespace that is wanted; `None` for the one that has most to show.
    namespace: Option<String>,
    /// Entry to choose once it is listed.
    wanted: Option<EntryId>,
    card: Option<Arc<MemoryCard>>,
    /// Message while there is nothing to show.
    empty: String,
    /// Kind that is listed while nothing is searched.
    kind: EntryKind,
    showing: ListContent,
    list_deleted: bool,
    listed: Vec<ListedEntry>,
    rows: ListCursor,
    focus: MemoryPane,
    items: Vec<PageItem>,
    roll: ScrollList,
    /// Uses of the entry that was asked about last.
    uses: Option<(EntryId, Result<EntryUses, String>)>,
    dialog: Option<Dialog<MemoryQuestion>>,
    writing: Option<Box<Writing<Purpose>>>,
    /// Undo and redo steps.
    undo: Vec<EntryChange>,
    redo: Vec<EntryChange>,
    changing: Option<Changing>,
    trial: Trial,
    /// What runs that left an entry out came to.
    ablations: Option<(EntryId, Result<Vec<AblationReport>, String>)>,
    tickets: u64,
    content: Content,
}

/// Content of the list.
#[derive(Debug, Clone)]
enum ListContent {
    /// Every entry of a kind, the newest first.
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
    /// Index among the entries of the namespace.
    at: usize,
    score: Option<f64>,
}

/// Pane with the focus.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum MemoryPane {
    List,
    Page,
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
    pub fn show(namespace: Option<String>, at: Option<EntryId>) -> Vec<Effect> {
        let screen = Self {
            namespace,
            kind: EntryKind::Lesson,
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
            dialog: None,
            writing: None,
            undo: Vec::new(),
            redo: Vec::new(),
            changing: None,
            trial: Trial::None,
            ablations: None,
            tickets: 0,
            content: Content::Shown,
        };
        vec![Effect::Show(Box::new(screen))]
    }

    fn entries(&self) -> &[MemoryEntry] {
        let card = self.card.as_ref();
        card.map_or(&[], |card| &card.shelf.folded.entries)
    }

    fn of_kind(&self, kind: EntryKind) -> impl Iterator<Item = &MemoryEntry> {
        let entries = self.entries().iter();
        entries.filter(move |entry| entry.kind() == kind)
    }

    fn entry_at(&self, listed: ListedEntry) -> Option<&MemoryEntry> {
        self.entries().get(listed.at)
    }

    /// The entry under the cursor of the list.
    fn chosen(&self) -> Option<&MemoryEntry> {
        self.entry_at(*self.listed.get(self.rows.chosen()?)?)
    }

    /// The guardrail under the cursor of the list.
    fn chosen_guard(&self) -> Option<&MemoryEntry> {
        let chosen = self.chosen();
        chosen.filter(|entry| entry.kind() == EntryKind::Guardrail)
    }

    /// Lists every entry of a kind.
    fn list_all(&mut self) {
        let chosen = self.chosen().map(|entry| entry.id.clone());
        let stood_on = chosen.clone();
        self.showing = ListContent::All;
        let shown = self.entries().iter().enumerate().rev();
        let shown = shown.filter(|(_, entry)| {
            entry.kind() == self.kind && (self.list_deleted || !entry.deleted)
        });
        let rows = shown.map(|(at, _)| ListedEntry { at, score: None });
        self.listed = rows.collect();
        self.rows.set_len(self.listed.len());
        if let Some(id) = self.wanted.take().or(chosen) {
            let mut rows = self.listed.iter();
            let is_it = |entry: &MemoryEntry| entry.answers_to(&id);
            let at = rows.position(|listed| self.entry_at(*listed).is_some_and(is_it));
            if let Some(at) = at {
                self.rows.choose(at);
            }
        }
        // Whoever reads a page is not sent back to its beginning by what others write.
        match self.chosen().map(|entry| &entry.id) == stood_on.as_ref() {
            true => self.refresh_page(),
            false => self.turn_page(),
        }
    }

    /// Makes the page of what is chosen.
    fn turn_page(&mut self) {
        self.items = self.page();
        self.roll = ScrollList::default();
        self.roll.set_count(self.items.len());
    }

    fn page(&self) -> Vec<PageItem> {
        let chosen = self.chosen();
        let uses = self.uses.as_ref().zip(chosen);
        let uses = uses.filter(|((id, _), entry)| *id == entry.id);
        let page = EntryPage {
            content: self.content,
            namespace: self.namespace.as_deref(),
            uses: uses.map(|((_, uses), _)| uses),
            keys: Some(PageKeys {
                open: key(Action::Open),
                leave_out: key(Action::LeaveOut),
            }),
        };
        match (&self.showing, chosen) {
            (ListContent::Topic { text, tried }, _) => page.topic(text, &tried.shown, &tried.asked),
            (_, Some(entry)) => page.entry(entry, self.trial_items(&entry.id)),
            (_, None) => Vec::new(),
        }
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

    fn opened(&mut self) -> Vec<Effect> {
        vec![self.read_again()]
    }

    fn is_typing(&self) -> bool {
        self.dialog.is_some() || self.writing.is_some()
    }

    fn act(&mut self, action: Action) -> Vec<Effect> {
        self.answer(action)
    }

    fn typed(&mut self, key: KeyEvent) -> Vec<Effect> {
        self.take_key(key)
    }

    fn pasted(&mut self, paste: &Paste) -> Vec<Effect> {
        self.take_paste(paste)
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
        self.paint(buffer, area, brush)
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

    fn refresh(&mut self) -> Vec<Effect> {
        self.returned()
    }

    fn returned(&mut self) -> Vec<Effect> {
        self.opened()
    }
}
