//! Validation screen: evaluators against people's labels, with the matrix, its figures, and the
//! turns of any cell.

mod actions;
mod tasks;
mod view;

use super::places::Place;
use crate::tui::app::{DrawContext, Effect, Screen, Ticket, Update, say_error};
use crate::tui::keys::{Action, Context, ScreenKeys};
use crate::tui::widgets::{ListCursor, ScrollText};
use elenchus_annotation::validation::{ValidationRequest, ValidationResult};
use elenchus_metrics::{EvaluatorReport, TurnPlace, ValidationSection, ValidationSubject};
use elenchus_records::workspace::WorkspaceError;
use elenchus_text::format_grouped_count;
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
    open: Validate::show_validation,
};

/// The screen of evaluators and annotators.
pub struct Validate {
    request: ValidationRequest,
    ticket: Ticket,
    result: Option<Arc<ValidationResult>>,
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
    verdict: String,
    places: Vec<TurnPlace>,
    rows: ListCursor,
}

impl Validate {
    /// Opens the screen on everything that is labelled.
    pub fn show_validation() -> Vec<Effect> {
        let screen = Self {
            request: ValidationRequest::default(),
            ticket: Ticket(0),
            result: None,
            empty: String::new(),
            tab: 0,
            cell: (0, 0),
            page: ScrollText::default(),
            turns: None,
        };
        vec![Effect::Show(Box::new(screen))]
    }

    /// Asks again; present figures stay until the answer comes.
    fn start_validation(&mut self) -> Effect {
        self.ticket.0 += 1;
        self.empty = "reading labels and verdicts".to_owned();
        Effect::Start(tasks::compute_validation(self.ticket, self.request.clone()))
    }

    fn selected_subject(&self) -> Option<ValidationSubject<'_>> {
        let subjects = self.result.as_ref()?.validation.list_subjects();
        subjects.get(self.tab).copied()
    }

    fn selected_section(&self) -> Option<&ValidationSection> {
        self.selected_subject().map(|subject| subject.section)
    }

    fn selected_evaluator(&self) -> Option<&EvaluatorReport> {
        self.selected_subject()?.evaluator
    }

    fn format_subject(&self, width: usize) -> String {
        let result_and_subject = self.result.as_ref().zip(self.selected_subject());
        result_and_subject.map_or_else(String::new, |(known, subject)| {
            known.validation.subject_to_text(subject, width)
        })
    }

    fn set_result(&mut self, result: Result<Arc<ValidationResult>, WorkspaceError>) -> Vec<Effect> {
        self.page.invalidate();
        match result {
            Ok(known) => {
                let last = known.validation.list_subjects().len().saturating_sub(1);
                self.tab = match self.result {
                    None => known.validation.most_labelled_index(),
                    Some(_) => self.tab.min(last),
                };
                self.result = Some(known);
                self.empty = "no turn was judged or labelled yet".to_owned();
                self.clamp_cell();
                Vec::new()
            }
            Err(why) => {
                self.empty = why.to_string();
                say_error(why)
            }
        }
    }
}

/// Result of a task of this screen.
pub enum Message {
    Validated(Ticket, Result<Arc<ValidationResult>, WorkspaceError>),
}

impl Update for Validate {
    type Message = Message;

    fn update(&mut self, message: Message) -> Vec<Effect> {
        match message {
            Message::Validated(ticket, result) if ticket == self.ticket => self.set_result(result),
            Message::Validated(..) => Vec::new(),
        }
    }
}

impl Screen for Validate {
    fn key_context(&self) -> Context {
        Context::Validate
    }

    fn handle_open(&mut self) -> Vec<Effect> {
        vec![self.start_validation()]
    }

    fn handle_action(&mut self, action: Action) -> Vec<Effect> {
        self.handle_report_action(action)
    }

    fn draw(
        &mut self,
        buffer: &mut Buffer,
        area: Rect,
        context: DrawContext<'_>,
    ) -> Option<Position> {
        self.draw_report(buffer, area, context);
        None
    }

    fn describe_status(&self) -> String {
        match (&self.turns, self.selected_section()) {
            (Some(turns), _) => format!(
                "turn {} of {}",
                turns.rows.selected_row().map_or(0, |at| at + 1),
                turns.places.len()
            ),
            (None, Some(section)) => {
                format!(
                    "{} with gold",
                    format_grouped_count(section.labelled, "turn")
                )
            }
            (None, None) => String::new(),
        }
    }

    fn list_hints(&self) -> Vec<Action> {
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

    fn handle_return(&mut self) -> Vec<Effect> {
        match self.turns {
            // The list stays as it was while one goes through it.
            Some(_) => Vec::new(),
            None => vec![self.start_validation()],
        }
    }
}
