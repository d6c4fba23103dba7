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
use crate::tui::app::{DrawContext, Effect, Screen, say_notice, show_screen};
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
    open: || Memory::show_namespace(None, None),
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
fn memory_key(action: Action) -> char {
    key_for(Context::Memory, action)
}

impl Memory {
    /// Opens the screen, at something in a namespace if they are named.
    pub fn show_namespace(namespace: Option<String>, at: Option<EntryId>) -> Vec<Effect> {
        let keys = BrowserKeys {
            page: PageKeys {
                open: memory_key(Action::Open),
                leave_out: memory_key(Action::LeaveOut),
            },
            back: memory_key(Action::Back),
            other_kind: memory_key(Action::OtherKind),
            add: memory_key(Action::AddEntry),
            delete: memory_key(Action::DeleteEntry),
            disable: memory_key(Action::DisableEntry),
            undo: memory_key(Action::Undo),
            unmask: memory_key(Action::Mask),
        };
        show_screen(Self {
            memory: MemoryBrowser::new(namespace, at, keys),
            focus: MemoryPane::List,
            page: Page::default(),
            subject: PageSubject::default(),
            dialog: None,
            acts: EntryActs::new(Message::Act),
            replicates: LeaveOneOut::new(Message::Replicates),
            content: Content::Shown,
        })
    }
}

impl Screen for Memory {
    fn key_context(&self) -> Context {
        Context::Memory
    }

    fn handle_open(&mut self) -> Vec<Effect> {
        self.refresh()
    }

    fn is_typing(&self) -> bool {
        self.dialog.is_some() || self.acts.is_asking() || self.replicates.is_asking()
    }

    fn handle_action(&mut self, action: Action) -> Vec<Effect> {
        let effects = self.handle_memory_action(action);
        self.settle_page();
        effects
    }

    fn handle_typed_key(&mut self, key: KeyEvent) -> Vec<Effect> {
        let effects = self.handle_dialog_key(key);
        self.settle_page();
        effects
    }

    fn handle_paste(&mut self, paste: &Paste) -> Vec<Effect> {
        if let Some(dialog) = &mut self.dialog {
            dialog.paste_text(&paste.text);
        } else if self.replicates.is_asking() {
            self.replicates.paste_text(&paste.text);
        } else {
            let effects = self.acts.handle_paste(paste);
            return effects.unwrap_or_else(|| {
                say_notice(format!(
                    "nothing takes text here: {} takes a topic, {} writes an entry",
                    memory_key(Action::TryTopic),
                    memory_key(Action::AddEntry)
                ))
            });
        }
        Vec::new()
    }

    fn draw(
        &mut self,
        buffer: &mut Buffer,
        area: Rect,
        context: DrawContext<'_>,
    ) -> Option<Position> {
        self.draw_memory(buffer, area, context)
    }

    fn describe_status(&self) -> String {
        let replicates = self.replicates.describe_status();
        replicates.unwrap_or_else(|| self.memory.place_words())
    }

    fn list_hints(&self) -> Vec<Action> {
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

    fn describe_open_work(&self) -> Option<String> {
        self.replicates.describe_open_work()
    }

    fn refresh(&mut self) -> Vec<Effect> {
        vec![update::read_namespace(self.memory.namespace())]
    }
}
