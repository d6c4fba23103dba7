//! Memory screen: lessons and guardrails of a namespace, to read and to edit. What is listed, chosen and
//! changed comes from `workspace::memory::MemoryBrowser`.
//!
//! | file | content |
//! |---|---|
//! | `actions` | actions, and what is typed |
//! | `update` | work in the background, and its results |
//! | `view` | drawing |

mod actions;
mod update;
mod view;

use super::places::Place;
use crate::tui::app::{DrawContext, Effect, Screen, say};
use crate::tui::components::entry_acts::EntryActs;
use crate::tui::components::leave_one_out::LeaveOneOut;
use crate::tui::keys::{Action, Context, ScreenKeys, key_for};
use crate::tui::popups::Dialog;
use crate::tui::widgets::{Content, Page};
use elenchus_records::workspace::{EntryId, EntryKind};
use elenchus_terminal::Paste;
use elenchus_view::memory::{BrowserKeys, MemoryBrowser, PageKeys, PageSubject};
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::KeyEvent;
use ratatui::layout::{Position, Rect};
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

/// The screen of a namespace of long-term memory.
pub struct Memory {
    memory: MemoryBrowser,
    focus: MemoryPane,
    /// The page of what is chosen.
    page: Page,
    subject: PageSubject,
    dialog: Option<Dialog<MemoryQuestion>>,
    acts: EntryActs<Message>,
    replicates: LeaveOneOut<Message>,
    content: Content,
}

/// Pane with the focus.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum MemoryPane {
    List,
    Page,
}

/// What a dialog is for.
#[derive(Debug, Clone, Copy)]
enum MemoryQuestion {
    Search,
    Topic,
}

/// Returns the mark of a key of this screen.
fn key(action: Action) -> char {
    key_for(Context::Memory, action)
}

impl Memory {
    /// Opens the screen, at something in a namespace if they are named.
    pub fn show(namespace: Option<String>, at: Option<EntryId>) -> Vec<Effect> {
        let keys = BrowserKeys {
            page: PageKeys {
                open: key(Action::Open),
                leave_out: key(Action::LeaveOut),
            },
            back: key(Action::Back),
            other_kind: key(Action::OtherKind),
            add: key(Action::AddEntry),
            delete: key(Action::DeleteEntry),
            disable: key(Action::DisableEntry),
            undo: key(Action::Undo),
            unmask: key(Action::Mask),
        };
        vec![Effect::Show(Box::new(Self {
            memory: MemoryBrowser::new(namespace, at, keys),
            focus: MemoryPane::List,
            page: Page::default(),
            subject: PageSubject::default(),
            dialog: None,
            acts: EntryActs::new(Message::Act),
            replicates: LeaveOneOut::new(Message::Replicates),
            content: Content::Shown,
        }))]
    }
}

impl Screen for Memory {
    fn context(&self) -> Context {
        Context::Memory
    }

    fn opened(&mut self) -> Vec<Effect> {
        self.refresh()
    }

    fn is_typing(&self) -> bool {
        self.dialog.is_some() || self.acts.is_asking() || self.replicates.is_asking()
    }

    fn act(&mut self, action: Action) -> Vec<Effect> {
        let effects = self.answer(action);
        self.settle_page();
        effects
    }

    fn typed(&mut self, key: KeyEvent) -> Vec<Effect> {
        let effects = self.take_key(key);
        self.settle_page();
        effects
    }

    fn pasted(&mut self, paste: &Paste) -> Vec<Effect> {
        if let Some(dialog) = &mut self.dialog {
            dialog.paste(&paste.text);
        } else if self.replicates.is_asking() {
            self.replicates.paste(&paste.text);
        } else {
            let written = self.acts.paste(paste);
            return written.unwrap_or_else(|| {
                say(format!(
                    "nothing takes text here: {} takes a topic, {} writes an entry",
                    key(Action::TryTopic),
                    key(Action::AddEntry)
                ))
            });
        }
        Vec::new()
    }

    fn draw(
        &mut self,
        buffer: &mut Buffer,
        area: Rect,
        brush: DrawContext<'_>,
    ) -> Option<Position> {
        self.paint(buffer, area, brush)
    }

    fn status(&self) -> String {
        let replicates = self.replicates.status();
        replicates.unwrap_or_else(|| self.memory.place_words())
    }

    fn hints(&self) -> Vec<Action> {
        use Action::{
            AcceptGuardrail, AddEntry, Back, Copy, DeleteEntry, DisableEntry, Down, EditEntry,
            Help, LeaveOut, Open, OtherKind, RejectGuardrail, SearchMemory, TryTopic, Undo,
        };
        let own: &[Action] = match (self.memory.is_preview(), self.memory.kind(), self.focus) {
            (false, EntryKind::Guardrail, _) => &[
                OtherKind,
                Open,
                AcceptGuardrail,
                RejectGuardrail,
                EditEntry,
                DisableEntry,
                DeleteEntry,
            ],
            (_, _, MemoryPane::List) => &[
                TryTopic,
                OtherKind,
                SearchMemory,
                Open,
                EditEntry,
                DisableEntry,
                DeleteEntry,
                AddEntry,
            ],
            (true, _, MemoryPane::Page) => &[Down, Copy],
            (false, _, MemoryPane::Page) => &[Open, LeaveOut, EditEntry, Down],
        };
        let undo = self.memory.can_undo().then_some(Undo);
        own.iter()
            .copied()
            .chain(undo)
            .chain([Back, Help])
            .collect()
    }

    fn busy(&self) -> Option<String> {
        self.replicates.busy()
    }

    fn refresh(&mut self) -> Vec<Effect> {
        vec![update::read(self.memory.namespace())]
    }
}
