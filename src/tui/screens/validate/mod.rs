//! Validation screen: evaluators against people's labels, with the matrix, its figures, and the
//! turns of any cell.

mod actions;
mod tasks;
mod view;

use super::places::Place;
use crate::tui::app::{DrawContext, Effect, Screen, Ticket, Update, fail};
use crate::tui::keys::{Action, Context, ScreenKeys};
use crate::tui::widgets::{ListCursor, ScrollText};
use elenchus_annotation::validation::{ValidationRequest, ValidationResult};
use elenchus_metrics::{EvaluatorReport, TurnPlace, ValidationSection, ValidationSubject};
use elenchus_text::grouped_count;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use std::sync::Arc;

/// How the screen is reached from everywhere.
pub(super) const PLACE: Place = Place {
    keys: &ScreenKeys {
        key: "5",
        name: "validation",
        action: "show-validation",
        label: "evaluators, labels",
        help: "Go to the measures of evaluators against people's labels.",
        own: &[],
    },
    context: Context::Validate,
    open: Validate::show,
};

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
    page: ScrollText,
    turns: Option<Turns>,
}

/// The turns of a cell.
struct Turns {
    gold: String,
    found: String,
    places: Vec<TurnPlace>,
    rows: ListCursor,
}

impl Validate {
    /// Opens the screen on everything that is labelled.
    pub fn show() -> Vec<Effect> {
        let screen = Self {
            wish: ValidationRequest::default(),
            ticket: Ticket(0),
            known: None,
            empty: String::new(),
            tab: 0,
            cell: (0, 0),
            page: ScrollText::default(),
            turns: None,
        };
        vec![Effect::Show(Box::new(screen))]
    }

    /// Asks again; present figures stay until the answer comes.
    fn read(&mut self) -> Effect {
        self.ticket.0 += 1;
        self.empty = "reading labels and verdicts".to_owned();
        Effect::Start(tasks::validate(self.ticket, self.wish.clone()))
    }

    fn subject(&self) -> Option<ValidationSubject<'_>> {
        let subjects = self.known.as_ref()?.validation.subjects();
        subjects.get(self.tab).copied()
    }

    fn section(&self) -> Option<&ValidationSection> {
        self.subject().map(|subject| subject.section)
    }

    fn evaluator(&self) -> Option<&EvaluatorReport> {
        self.subject()?.evaluator
    }

    fn text(&self, width: usize) -> String {
        let known = self.known.as_ref().zip(self.subject());
        known.map_or_else(String::new, |(known, subject)| {
            known.validation.subject_to_text(subject, width)
        })
    }

    fn learned(&mut self, result: Result<Arc<ValidationResult>, String>) -> Vec<Effect> {
        self.page.changed();
        match result {
            Ok(known) => {
                let last = known.validation.subjects().len().saturating_sub(1);
                self.tab = match self.known {
                    None => known.validation.most_labelled(),
                    Some(_) => self.tab.min(last),
                };
                self.known = Some(known);
                self.empty = "no turn was judged or labelled yet".to_owned();
                self.move_to_a_cell();
                Vec::new()
            }
            Err(why) => {
                self.empty.clone_from(&why);
                fail(why)
            }
        }
    }
}

/// Result of a task of this screen.
pub enum Message {
    Validated(Ticket, Result<Arc<ValidationResult>, String>),
}

impl Update for Validate {
    type Message = Message;

    fn update(&mut self, message: Message) -> Vec<Effect> {
        match message {
            Message::Validated(ticket, result) if ticket == self.ticket => self.learned(result),
            Message::Validated(..) => Vec::new(),
        }
    }
}

impl Screen for Validate {
    fn context(&self) -> Context {
        Context::Validate
    }

    fn opened(&mut self) -> Vec<Effect> {
        vec![self.read()]
    }

    fn act(&mut self, action: Action) -> Vec<Effect> {
        self.answer(action)
    }

    fn draw(
        &mut self,
        buffer: &mut Buffer,
        area: Rect,
        brush: DrawContext<'_>,
    ) -> Option<Position> {
        self.paint(buffer, area, brush);
        None
    }

    fn status(&self) -> String {
        match (&self.turns, self.section()) {
            (Some(turns), _) => format!(
                "turn {} of {}",
                turns.rows.chosen().map_or(0, |at| at + 1),
                turns.places.len()
            ),
            (None, Some(section)) => {
                format!("{} with gold", grouped_count(section.labelled, "turn"))
            }
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
