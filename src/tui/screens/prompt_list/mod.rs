//! Prompt list: every prompt of every game with its seats, origin and version.

mod view;

use super::prompt_ab;
use super::prompt_editor::{Begin, PromptEditor};
use super::status_texts::said;
use crate::experiments::LastResult;
use crate::tui::app::{
    Deed, DrawContext, Effect, PromptDeed, PromptResults, PromptTold, Screen, Told,
};
use crate::tui::keys::{Action, Context};
use crate::tui::terminal::Paste;
use crate::tui::theme::Role;
use crate::tui::widgets::{LineInput, ListCursor, Moved, Typed, above_status};
use crate::workspace::prompts::{PromptCatalogue, PromptName, PromptOverview};
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::{KeyCode, KeyEvent};
use ratatui::layout::{Position, Rect};
use std::sync::Arc;

/// The list of prompts.
pub struct Prompts {
    shelf: Option<Arc<PromptCatalogue>>,
    results: Option<Arc<PromptResults>>,
    filter: LineInput,
    filtering: bool,
    /// Places in the shelf of those that the filter lets through.
    listed: Vec<usize>,
    rows: ListCursor,
    /// Prompt to select when the list arrives.
    wanted: Option<PromptName>,
}

impl Prompts {
    /// Opens the list; of one game alone where it is named.
    pub fn show(protocol: Option<&str>) -> Vec<Effect> {
        let screen = Self {
            shelf: None,
            results: None,
            filter: LineInput::new(&protocol.map(|id| format!("{id}/")).unwrap_or_default()),
            filtering: false,
            listed: Vec::new(),
            rows: ListCursor::default(),
            wanted: None,
        };
        vec![Effect::Show(Box::new(screen)), list()]
    }

    fn chosen(&self) -> Option<&PromptOverview> {
        let at = self.listed.get(self.rows.chosen()?)?;
        self.shelf.as_ref()?.prompts.get(*at)
    }

    /// Lists the prompts that match the filter; the cursor stays on its prompt where it can.
    fn arrange(&mut self) {
        let stood_on = self.chosen().map(|prompt| prompt.name.clone());
        let wanted = self.wanted.take().or(stood_on);
        let words = self.filter.text().to_lowercase();
        let words: Vec<&str> = words.split_whitespace().collect();
        let prompts = self.shelf.iter().flat_map(|shelf| shelf.prompts.iter());
        let fits = |prompt: &PromptOverview| {
            let text = format!(
                "{} {} {} {}",
                prompt.name, prompt.tellers, prompt.description, prompt.origin
            );
            let text = text.to_lowercase();
            words.iter().all(|word| text.contains(word))
        };
        let listed = prompts.enumerate().filter(|(_, prompt)| fits(prompt));
        self.listed = listed.map(|(at, _)| at).collect();
        self.rows = ListCursor::new(self.listed.len());
        let shelf = self.shelf.clone();
        let name = |at: &usize| Some(&shelf.as_ref()?.prompts.get(*at)?.name);
        if let Some(wanted) = wanted
            && let Some(row) = (self.listed.iter()).position(|at| name(at) == Some(&wanted))
        {
            self.rows.choose(row);
        }
    }

    /// Labels of a prompt's text in use, and its last result.
    fn known_of(&self, prompt: &PromptOverview) -> (Vec<&str>, Option<&LastResult>) {
        let Some(results) = &self.results else {
            return (Vec::new(), None);
        };
        let labels = results.labels.get(&prompt.name).into_iter().flatten();
        let own = labels.filter(|(_, hash)| **hash == prompt.hash);
        let last = results.last.get(&(prompt.name.clone(), prompt.hash));
        (own.map(|(label, _)| label.as_str()).collect(), last)
    }

    fn open(&mut self, begin: Begin) -> Vec<Effect> {
        match self.chosen() {
            Some(prompt) => PromptEditor::show(prompt.name.clone(), None, begin),
            None => say("choose a prompt first"),
        }
    }
}

fn list() -> Effect {
    Effect::Do(Deed::Prompt(PromptDeed::List))
}

fn say(text: &str) -> Vec<Effect> {
    vec![Effect::Say(Role::Notice, text.to_owned())]
}

no_own_messages!(Prompts);

impl Screen for Prompts {
    fn context(&self) -> Context {
        Context::Prompts
    }

    fn is_typing(&self) -> bool {
        self.filtering
    }

    fn act(&mut self, action: Action) -> Vec<Effect> {
        if self.rows.act(action) == Moved::Yes {
            return Vec::new();
        }
        // The table of keys offers this screen a part of all actions; it needs no others.
        match action {
            Action::Back if !self.filter.text().is_empty() => {
                self.filter.clear();
                self.arrange();
                Vec::new()
            }
            Action::Back => vec![Effect::Leave],
            Action::Open => self.open(Begin::Reading),
            Action::Edit => self.open(Begin::Writing),
            Action::EditOutside => self.open(Begin::Outside),
            Action::Versions => self.open(Begin::Versions),
            Action::ComparePrompts => prompt_ab::show(None),
            Action::Filter => {
                self.filtering = true;
                Vec::new()
            }
            _ => Vec::new(),
        }
    }

    fn typed(&mut self, key: KeyEvent) -> Vec<Effect> {
        match key.code {
            KeyCode::Esc | KeyCode::Enter => self.filtering = false,
            KeyCode::Up => {
                self.rows.act(Action::Up);
            }
            KeyCode::Down => {
                self.rows.act(Action::Down);
            }
            _ => {
                if self.filter.key(key) == Typed::Changed {
                    self.arrange();
                }
            }
        }
        Vec::new()
    }

    fn pasted(&mut self, paste: &Paste) -> Vec<Effect> {
        if !self.filtering {
            return say("nothing is typed here; a filter takes text");
        }
        self.filter.paste(&paste.text);
        self.arrange();
        Vec::new()
    }

    fn told(&mut self, told: &Told) -> Vec<Effect> {
        match told {
            Told::Prompt(PromptTold::Listed(shelf)) => {
                self.shelf = Some(Arc::clone(shelf));
                self.arrange();
                Vec::new()
            }
            Told::Prompt(PromptTold::Results(results)) => match results {
                Ok(results) => {
                    self.results = Some(Arc::clone(results));
                    Vec::new()
                }
                Err(why) => vec![Effect::Say(Role::Error, why.clone())],
            },
            other => said(other),
        }
    }

    fn draw(
        &mut self,
        buffer: &mut Buffer,
        area: Rect,
        brush: DrawContext<'_>,
    ) -> Option<Position> {
        self.paint(buffer, above_status(area), brush)
    }

    fn status(&self) -> String {
        match &self.shelf {
            Some(shelf) => format!("{} of {} prompts", self.listed.len(), shelf.prompts.len()),
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
        vec![list()]
    }
}
