//! Prompt list: every prompt of every game with its seats, origin and version.

mod tasks;
mod view;

use super::places::Place;
use super::prompt_ab;
use super::prompt_editor::{EditorMode, PromptEditor};
use crate::tui::app::{DrawContext, Effect, Screen, Update, say_error, say_notice, show_screen};
use crate::tui::keys::{Action, Context, ScreenKeys};
use crate::tui::widgets::{FilterList, Moved, Typed};
use elenchus_records::workspace::WorkspaceError;
use elenchus_records::workspace::prompts::{PromptCatalogue, PromptName, PromptOverview};
use elenchus_run::drafts::{ComparedPrompts, PromptResults};
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
    open: || Prompts::show_prompts(None),
};

/// The list of prompts.
pub struct Prompts {
    catalogue: Option<Arc<PromptCatalogue>>,
    results: Arc<PromptResults>,
    compared: Arc<ComparedPrompts>,
    /// Prompts of the shelf, by index.
    list: FilterList,
    /// Prompt to select when the list arrives.
    target: Option<PromptName>,
}

impl Prompts {
    /// Opens the list; of one game alone where it is named.
    pub fn show_prompts(protocol: Option<&str>) -> Vec<Effect> {
        let screen = Self {
            catalogue: None,
            results: Arc::default(),
            compared: Arc::default(),
            list: FilterList::with_filter(&protocol.map(|id| format!("{id}/")).unwrap_or_default()),
            target: None,
        };
        show_screen(screen)
    }

    fn selected_prompt(&self) -> Option<&PromptOverview> {
        self.catalogue
            .as_ref()?
            .prompts
            .get(self.list.selected_item()?)
    }

    /// Lists the prompts that match the filter; the cursor stays on its prompt where it can.
    fn apply_filter(&mut self) {
        let cursor_prompt = self.selected_prompt().map(|prompt| prompt.name.clone());
        let target = self.target.take().or(cursor_prompt);
        let words = self.list.filter_words();
        let prompts = self.catalogue.iter().flat_map(|shelf| shelf.prompts.iter());
        let cursor_index = prompts
            .clone()
            .position(|prompt| Some(&prompt.name) == target.as_ref());
        let hits = prompts
            .enumerate()
            .filter(|(_, prompt)| prompt.matches_words(&words));
        let indices = hits.map(|(at, _)| at).collect();
        self.list.set_items(indices, cursor_index);
    }

    fn open_prompt(&mut self, begin: EditorMode) -> Vec<Effect> {
        match self.selected_prompt() {
            Some(prompt) => PromptEditor::show_editor(prompt.name.clone(), None, begin),
            None => say_notice("choose a prompt first"),
        }
    }
}

/// Result of a task of this screen.
pub enum Message {
    Listed(Arc<PromptCatalogue>),
    /// Results of the latest debate with each text, and the labels of texts.
    Results(Result<Arc<PromptResults>, WorkspaceError>),
    /// What comparisons of texts came to.
    Compared(Arc<ComparedPrompts>),
}

impl Update for Prompts {
    type Message = Message;

    fn update(&mut self, message: Message) -> Vec<Effect> {
        match message {
            Message::Listed(shelf) => {
                self.catalogue = Some(shelf);
                self.apply_filter();
                Vec::new()
            }
            Message::Results(Ok(results)) => {
                self.results = results;
                Vec::new()
            }
            Message::Results(Err(why)) => say_error(why),
            Message::Compared(compared) => {
                self.compared = compared;
                Vec::new()
            }
        }
    }
}

impl Screen for Prompts {
    fn key_context(&self) -> Context {
        Context::Prompts
    }

    fn handle_open(&mut self) -> Vec<Effect> {
        vec![Effect::Start(tasks::read_prompt_list())]
    }

    fn is_typing(&self) -> bool {
        self.list.is_typing()
    }

    fn handle_action(&mut self, action: Action) -> Vec<Effect> {
        if self.list.handle_action(action) == Moved::Yes {
            return Vec::new();
        }
        // The table of keys offers this screen a part of all actions; it needs no others.
        match action {
            Action::Back if self.list.clear_filter() => {
                self.apply_filter();
                Vec::new()
            }
            Action::Back => vec![Effect::Leave],
            Action::Open => self.open_prompt(EditorMode::Reading),
            Action::Edit => self.open_prompt(EditorMode::Writing),
            Action::EditOutside => self.open_prompt(EditorMode::Outside),
            Action::Versions => self.open_prompt(EditorMode::Versions),
            Action::ComparePrompts => prompt_ab::show_comparisons(),
            Action::Filter => {
                self.list.type_filter();
                self.apply_filter();
                Vec::new()
            }
            _ => Vec::new(),
        }
    }

    fn handle_typed_key(&mut self, key: KeyEvent) -> Vec<Effect> {
        if self.list.handle_key(key) == Typed::Changed {
            self.apply_filter();
        }
        Vec::new()
    }

    fn handle_paste(&mut self, paste: &Paste) -> Vec<Effect> {
        if !self.list.is_typing() {
            return say_notice("nothing is typed here; a filter takes text");
        }
        if self.list.paste_text(&paste.text) == Typed::Changed {
            self.apply_filter();
        }
        Vec::new()
    }

    fn draw(
        &mut self,
        buffer: &mut Buffer,
        area: Rect,
        context: DrawContext<'_>,
    ) -> Option<Position> {
        self.draw_prompts(buffer, area, context)
    }

    fn describe_status(&self) -> String {
        match &self.catalogue {
            Some(shelf) => format!("{} of {} prompts", self.list.len(), shelf.prompts.len()),
            None => "reading prompts".to_owned(),
        }
    }

    fn list_hints(&self) -> Vec<Action> {
        vec![
            Action::Open,
            Action::Edit,
            Action::Filter,
            Action::Versions,
            Action::ComparePrompts,
        ]
    }

    fn handle_return(&mut self) -> Vec<Effect> {
        self.handle_open()
    }
}
