//! Prompt list: every prompt of every game with its seats, origin and version.

mod tasks;
mod view;

use super::places::Place;
use super::prompt_ab;
use super::prompt_editor::{Begin, PromptEditor};
use crate::tui::app::{DrawContext, Effect, Screen, Update, fail, say};
use crate::tui::keys::{Action, Context, ScreenKeys};
use crate::tui::widgets::{FilterList, Moved, Typed};
use elenchus_records::workspace::prompts::{PromptCatalogue, PromptName, PromptOverview};
use elenchus_run::drafts::PromptResults;
use elenchus_terminal::Paste;
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::KeyEvent;
use ratatui::layout::{Position, Rect};
use std::sync::Arc;

/// How the screen is reached from everywhere.
pub(super) const PLACE: Place = Place {
    keys: &ScreenKeys {
        key: "2",
        name: "prompts",
        action: "show-prompts",
        label: "prompts",
        help: "Go to the prompts.",
        own: &[],
    },
    context: Context::Prompts,
    open: || Prompts::show(None),
};

/// The list of prompts.
pub struct Prompts {
    shelf: Option<Arc<PromptCatalogue>>,
    results: Arc<PromptResults>,
    /// Prompts of the shelf, by index.
    list: FilterList,
    /// Prompt to select when the list arrives.
    wanted: Option<PromptName>,
}

impl Prompts {
    /// Opens the list; of one game alone where it is named.
    pub fn show(protocol: Option<&str>) -> Vec<Effect> {
        let screen = Self {
            shelf: None,
            results: Arc::default(),
            list: FilterList::filtered(&protocol.map(|id| format!("{id}/")).unwrap_or_default()),
            wanted: None,
        };
        vec![Effect::Show(Box::new(screen))]
    }

    fn chosen(&self) -> Option<&PromptOverview> {
        self.shelf.as_ref()?.prompts.get(self.list.chosen()?)
    }

    /// Lists the prompts that match the filter; the cursor stays on its prompt where it can.
    fn arrange(&mut self) {
        let stood_on = self.chosen().map(|prompt| prompt.name.clone());
        let wanted = self.wanted.take().or(stood_on);
        let words = self.list.words();
        let prompts = self.shelf.iter().flat_map(|shelf| shelf.prompts.iter());
        let chosen = prompts
            .clone()
            .position(|prompt| Some(&prompt.name) == wanted.as_ref());
        let listed = prompts
            .enumerate()
            .filter(|(_, prompt)| prompt.holds(&words));
        let listed = listed.map(|(at, _)| at).collect();
        self.list.list(listed, chosen);
    }

    fn open(&mut self, begin: Begin) -> Vec<Effect> {
        match self.chosen() {
            Some(prompt) => PromptEditor::show(prompt.name.clone(), None, begin),
            None => say("choose a prompt first"),
        }
    }
}

/// Result of a task of this screen.
pub enum Message {
    Listed(Arc<PromptCatalogue>),
    /// Results of the latest debate with each text, and the labels of texts.
    Results(Result<Arc<PromptResults>, String>),
}

impl Update for Prompts {
    type Message = Message;

    fn update(&mut self, message: Message) -> Vec<Effect> {
        match message {
            Message::Listed(shelf) => {
                self.shelf = Some(shelf);
                self.arrange();
                Vec::new()
            }
            Message::Results(Ok(results)) => {
                self.results = results;
                Vec::new()
            }
            Message::Results(Err(why)) => fail(why),
        }
    }
}

impl Screen for Prompts {
    fn context(&self) -> Context {
        Context::Prompts
    }

    fn opened(&mut self) -> Vec<Effect> {
        vec![Effect::Start(tasks::list())]
    }

    fn is_typing(&self) -> bool {
        self.list.is_typing()
    }

    fn act(&mut self, action: Action) -> Vec<Effect> {
        if self.list.act(action) == Moved::Yes {
            return Vec::new();
        }
        // The table of keys offers this screen a part of all actions; it needs no others.
        match action {
            Action::Back if self.list.clear() => {
                self.arrange();
                Vec::new()
            }
            Action::Back => vec![Effect::Leave],
            Action::Open => self.open(Begin::Reading),
            Action::Edit => self.open(Begin::Writing),
            Action::EditOutside => self.open(Begin::Outside),
            Action::Versions => self.open(Begin::Versions),
            Action::ComparePrompts => prompt_ab::show(),
            Action::Filter => {
                self.list.type_filter();
                Vec::new()
            }
            _ => Vec::new(),
        }
    }

    fn typed(&mut self, key: KeyEvent) -> Vec<Effect> {
        if self.list.key(key) == Typed::Changed {
            self.arrange();
        }
        Vec::new()
    }

    fn pasted(&mut self, paste: &Paste) -> Vec<Effect> {
        if !self.list.is_typing() {
            return say("nothing is typed here; a filter takes text");
        }
        if self.list.paste(&paste.text) == Typed::Changed {
            self.arrange();
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
        match &self.shelf {
            Some(shelf) => format!("{} of {} prompts", self.list.len(), shelf.prompts.len()),
            None => "reading prompts".to_owned(),
        }
    }

    fn hints(&self) -> Vec<Action> {
        vec![
            Action::Open,
            Action::Edit,
            Action::Filter,
            Action::Versions,
            Action::ComparePrompts,
        ]
    }

    fn returned(&mut self) -> Vec<Effect> {
        self.opened()
    }
}
