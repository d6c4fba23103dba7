//! Validation screen: evaluators against people's labels, with the matrix, its figures, and the
//! turns of any cell.

mod actions;
mod view;

use super::status_texts::said;
use crate::annotation::validation::{ValidationRequest, ValidationResult};
use crate::metrics::{
    EvaluatorReport, TurnPlace, ValidationSection, evaluator_to_text, people_to_text,
};
use crate::tui::app::{Deed, DrawContext, Effect, Screen, Ticket, Told};
use crate::tui::keys::{Action, Context};
use crate::tui::terminal::Paste;
use crate::tui::theme::Role;
use crate::tui::widgets::{Content, counted};
use crate::tui::widgets::{ListCursor, above_status};
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::KeyEvent;
use ratatui::layout::{Position, Rect};
use std::sync::Arc;

/// The screen of evaluators and annotators.
pub struct Validate {
    wish: ValidationRequest,
    ticket: Ticket,
    known: Option<Arc<ValidationResult>>,
    /// Message while there is nothing to show.
    empty: String,
    /// Tab that is shown: an evaluator or a group of people.
    tab: usize,
    /// The cell under the cursor: row and column.
    cell: (usize, usize),
    /// The first line of the page that is shown, and how many fit.
    top: usize,
    height: usize,
    /// The page as it was written for a tab and width.
    page: Option<(usize, usize, Vec<String>)>,
    turns: Option<Turns>,
    content: Content,
}

/// The turns of a cell.
struct Turns {
    gold: String,
    found: String,
    places: Vec<TurnPlace>,
    rows: ListCursor,
}

/// Subject of a tab.
#[derive(Debug, Clone, Copy)]
enum Tab {
    /// Indices of the section and of its evaluator.
    Evaluator(usize, usize),
    /// The people of a section.
    People(usize),
}

impl Validate {
    /// Opens the screen on everything that is labelled.
    pub fn show() -> Vec<Effect> {
        let mut screen = Self {
            wish: ValidationRequest::default(),
            ticket: Ticket(0),
            known: None,
            empty: String::new(),
            tab: 0,
            cell: (0, 0),
            top: 0,
            height: 1,
            page: None,
            turns: None,
            content: Content::Shown,
        };
        let read = screen.read();
        vec![Effect::Show(Box::new(screen)), read]
    }

    /// Asks again; present figures stay until the answer comes.
    fn read(&mut self) -> Effect {
        self.ticket.0 += 1;
        self.empty = "reading labels and verdicts".to_owned();
        Effect::Do(Deed::Validate(self.ticket, Box::new(self.wish.clone())))
    }

    fn tabs(&self) -> Vec<Tab> {
        let Some(known) = &self.known else {
            return Vec::new();
        };
        let sections = known.validation.sections.iter().enumerate();
        sections
            .flat_map(|(at, section)| {
                let evaluators = (0..section.evaluators.len()).map(move |one| (at, one));
                let evaluators = evaluators.map(|(at, one)| Tab::Evaluator(at, one));
                evaluators.chain([Tab::People(at)])
            })
            .collect()
    }

    fn section(&self) -> Option<&ValidationSection> {
        let at = match self.tabs().get(self.tab)? {
            Tab::Evaluator(at, _) | Tab::People(at) => *at,
        };
        self.known.as_ref()?.validation.sections.get(at)
    }

    fn evaluator(&self) -> Option<&EvaluatorReport> {
        match self.tabs().get(self.tab)? {
            Tab::Evaluator(_, one) => self.section()?.evaluators.get(*one),
            Tab::People(_) => None,
        }
    }

    /// Lines of the page, laid out again where the tab or the width changed.
    fn lines(&mut self, width: usize) -> &[String] {
        let is_fresh = |page: &(usize, usize, Vec<String>)| (page.0, page.1) == (self.tab, width);
        if !self.page.as_ref().is_some_and(is_fresh) {
            let text = self.text(width);
            let lines = text.lines().map(str::to_owned).collect();
            self.page = Some((self.tab, width, lines));
        }
        let page = self.page.as_ref();
        page.map_or(&[], |(_, _, lines)| lines)
    }

    fn text(&self, width: usize) -> String {
        let (Some(known), Some(section)) = (&self.known, self.section()) else {
            return String::new();
        };
        let set = &known.validation.classes.set;
        match self.evaluator() {
            Some(evaluator) => evaluator_to_text(section, evaluator, set, width),
            None => people_to_text(section, set, width),
        }
    }

    fn learned(&mut self, result: &Result<Arc<ValidationResult>, String>) -> Vec<Effect> {
        self.page = None;
        match result {
            Ok(known) => {
                self.known = Some(Arc::clone(known));
                self.empty = "no turn was judged or labelled yet".to_owned();
                self.tab = self.tab.min(self.tabs().len().saturating_sub(1));
                self.move_to_a_cell();
                Vec::new()
            }
            Err(why) => {
                self.empty.clone_from(why);
                vec![Effect::Say(Role::Error, why.clone())]
            }
        }
    }
}

impl Screen for Validate {
    fn context(&self) -> Context {
        Context::Validate
    }

    fn is_typing(&self) -> bool {
        false
    }

    fn act(&mut self, action: Action) -> Vec<Effect> {
        self.answer(action)
    }

    fn typed(&mut self, _key: KeyEvent) -> Vec<Effect> {
        Vec::new()
    }

    fn pasted(&mut self, _paste: &Paste) -> Vec<Effect> {
        vec![Effect::Say(
            Role::Notice,
            "nothing is typed here".to_owned(),
        )]
    }

    fn told(&mut self, told: &Told) -> Vec<Effect> {
        match told {
            Told::Validated(ticket, result) if *ticket == self.ticket => self.learned(result),
            other => said(other),
        }
    }

    fn draw(
        &mut self,
        buffer: &mut Buffer,
        area: Rect,
        brush: DrawContext<'_>,
    ) -> Option<Position> {
        self.content = brush.content;
        self.paint(buffer, above_status(area), brush);
        None
    }

    fn status(&self) -> String {
        match (&self.turns, self.section()) {
            (Some(turns), _) => format!(
                "turn {} of {}",
                turns.rows.chosen().map_or(0, |at| at + 1),
                turns.places.len()
            ),
            (None, Some(section)) => format!("{} with gold", counted(section.labelled, "turn")),
            (None, None) => String::new(),
        }
    }

    fn hints(&self) -> Vec<Action> {
        match self.turns {
            Some(_) => vec![Action::Open, Action::Back],
            None => vec![
                Action::Open,
                Action::FocusNext,
                Action::PageDown,
                Action::NextSet,
                Action::SwitchPositive,
                Action::CountUnblinded,
            ],
        }
    }

    fn returned(&mut self) -> Vec<Effect> {
        match self.turns {
            // The list stays as it was while one goes through it.
            Some(_) => Vec::new(),
            None => vec![self.read()],
        }
    }
}
