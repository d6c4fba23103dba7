//! Validation screen: a table of evaluators against people's labels; the page of one with its matrix and figures;
//! and the turns of any cell.
//!
//! | file | content |
//! |---|---|
//! | `actions` | what keys do |
//! | `cell_turns` | turns of a cell |
//! | `tasks` | what is read and drawn in the background |
//! | `view` | drawing |

mod actions;
mod cell_turns;
mod tasks;
mod view;

use super::annotate::Annotate;
use super::places::Place;
use crate::tui::app::{
    DrawContext, Effect, Screen, Ticket, Update, say_error, say_notice, say_warning, show_screen,
};
use crate::tui::components::shown_writing::{PageWritten, ShownWriting};
use crate::tui::keys::{Action, Context, ScreenKeys};
use crate::tui::popups::{Dialog, DialogAnswer};
use crate::tui::widgets::{ListCursor, ScrollText};
use cell_turns::CellList;
use elenchus_annotation::labelling::LabellingWork;
use elenchus_annotation::queue::{DrawnCall, FurtherDraw, describe_draw, warn_of_single_call};
use elenchus_annotation::validation::{
    CellTurn, MissingLabels, ValidationRequest, ValidationResult,
};
use elenchus_metrics::{
    EvaluatorReport, LabelCommand, Overview, ValidationSection, ValidationSubject,
};
use elenchus_records::workspace::WorkspaceError;
use elenchus_terminal::Paste;
use elenchus_text::format_grouped_count;
use elenchus_view::TurnAddress;
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::KeyEvent;
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
    /// Names the turns that are read.
    turns_ticket: Ticket,
    result: Option<Arc<ValidationResult>>,
    overview: Overview,
    /// Message while there is nothing to show.
    empty: String,
    page_kind: PageKind,
    /// Rows of the table.
    rows: ListCursor,
    /// Subject that is shown: an evaluator or a group of people.
    subject: usize,
    /// The cell under the cursor: row and column.
    cell: (usize, usize),
    page: ScrollText,
    turns: Option<CellList>,
    /// Labels and verdicts are being read: what is known is of before.
    is_reading: bool,
    /// Draws are to be offered once they are read.
    is_draw_wanted: bool,
    /// The labels that can be drawn, one row an arm.
    draws: Option<Dialog<Vec<MissingLabels>>>,
    writing: ShownWriting,
}

/// What is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PageKind {
    /// The table of evaluators.
    Table,
    /// The page of one of them.
    Subject,
}

impl Validate {
    /// Opens the screen on everything that is labelled.
    pub fn show_validation() -> Vec<Effect> {
        let screen = Self {
            request: ValidationRequest::default(),
            ticket: Ticket(0),
            turns_ticket: Ticket(0),
            result: None,
            overview: Overview::default(),
            empty: String::new(),
            page_kind: PageKind::Table,
            rows: ListCursor::default(),
            subject: 0,
            cell: (0, 0),
            page: ScrollText::default(),
            turns: None,
            is_reading: false,
            is_draw_wanted: false,
            draws: None,
            writing: ShownWriting::default(),
        };
        show_screen(screen)
    }

    /// Asks again; present figures stay until the answer comes.
    fn start_validation(&mut self) -> Effect {
        self.ticket.0 += 1;
        self.is_reading = true;
        self.empty = "reading labels and verdicts".to_owned();
        Effect::Start(tasks::compute_validation(self.ticket, self.request.clone()))
    }

    /// Returns the subject of a row of the table; the row after the evaluators with labels stands for all without.
    fn subject_of_row(&self, row: usize) -> Option<usize> {
        match self.overview.rows.get(row) {
            Some(row) => Some(row.subject),
            None => self
                .overview
                .unlabelled
                .first()
                .map(|(subject, _)| *subject),
        }
    }

    /// Returns the subject that actions are about: that of the row, or the one that is shown.
    fn selected_subject(&self) -> Option<ValidationSubject<'_>> {
        let subject = match self.page_kind {
            PageKind::Table => self.subject_of_row(self.rows.selected_row()?)?,
            PageKind::Subject => self.subject,
        };
        let subjects = self.result.as_ref()?.validation.list_subjects();
        subjects.get(subject).copied()
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
            let command: &LabelCommand<'_> =
                &|section, evaluator, arm| known.find_next_labels(section, evaluator, arm);
            known.validation.subject_to_text(subject, width, command)
        })
    }

    fn set_result(&mut self, result: Result<Arc<ValidationResult>, WorkspaceError>) -> Vec<Effect> {
        self.page.invalidate();
        self.is_reading = false;
        let is_draw_wanted = std::mem::take(&mut self.is_draw_wanted);
        match result {
            Ok(known) => {
                let validation = &known.validation;
                self.overview = validation.build_overview();
                let count =
                    self.overview.rows.len() + usize::from(!self.overview.unlabelled.is_empty());
                self.rows.set_len(count);
                let last = validation.list_subjects().len().saturating_sub(1);
                if self.result.is_none() {
                    self.subject = validation.most_labelled_index();
                    let mut rows = self.overview.rows.iter();
                    let most = rows.position(|row| row.subject == self.subject);
                    self.rows.select_row(most.unwrap_or(0));
                }
                self.subject = self.subject.min(last);
                self.result = Some(known);
                self.empty = "no turn was judged or labelled yet".to_owned();
                self.clamp_cell();
                match is_draw_wanted {
                    true => self.offer_draws(),
                    false => Vec::new(),
                }
            }
            Err(why) => {
                self.empty = why.to_string();
                say_error(why)
            }
        }
    }

    /// Says what was drawn, and goes on to label it.
    fn label_drawn(queue: String, calls: &[DrawnCall]) -> Vec<Effect> {
        let asked: Vec<(String, u32)> = calls
            .iter()
            .map(|one| (one.call.clone(), one.asked))
            .collect();
        let mut effects = match warn_of_single_call(&asked) {
            Some(warning) => say_warning(warning),
            None => say_notice(describe_draw(calls)),
        };
        effects.extend(Annotate::show_work(LabellingWork::Queue(queue)));
        effects
    }
}

/// Result of a task of this screen.
pub enum Message {
    Validated(Ticket, Result<Arc<ValidationResult>, WorkspaceError>),
    /// The turns of a cell, one for each place.
    TurnsRead(Ticket, Vec<CellTurn>),
    /// What a queue can go on with.
    DrawRead(Result<(String, FurtherDraw), WorkspaceError>),
    /// Turns that were drawn, with their queue's name.
    Drawn(Result<(String, Vec<DrawnCall>), WorkspaceError>),
    PageWritten(PageWritten),
}

impl Update for Validate {
    type Message = Message;

    fn update(&mut self, message: Message) -> Vec<Effect> {
        match message {
            Message::Validated(ticket, result) if ticket == self.ticket => self.set_result(result),
            Message::Validated(..) => Vec::new(),
            Message::TurnsRead(ticket, read) => {
                let turns = self.turns.as_mut().filter(|turns| turns.ticket == ticket);
                if let Some(turns) = turns {
                    turns.read = read;
                }
                Vec::new()
            }
            Message::DrawRead(Ok((queue, further))) => {
                vec![Effect::Start(tasks::draw_labels(queue, further))]
            }
            Message::Drawn(Ok((queue, calls))) => {
                // What is drawn is not to be offered again: it is known by reading anew.
                let mut effects = vec![self.start_validation()];
                effects.extend(Self::label_drawn(queue, &calls));
                effects
            }
            Message::DrawRead(Err(why)) | Message::Drawn(Err(why)) => say_error(why),
            Message::PageWritten(written) => written.say(),
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

    fn is_typing(&self) -> bool {
        self.draws.is_some() || self.writing.is_asking()
    }

    fn handle_action(&mut self, action: Action) -> Vec<Effect> {
        self.handle_report_action(action)
    }

    fn handle_typed_key(&mut self, key: KeyEvent) -> Vec<Effect> {
        if self.writing.is_asking() {
            return self.writing.handle_key(key, Message::PageWritten);
        }
        match Dialog::answer_key(&mut self.draws, key) {
            Some(DialogAnswer::Item(draws, at, _)) => {
                let draw = draws.get(at).cloned();
                let task = draw.map(|draw| Effect::Start(tasks::read_draw(draw)));
                task.into_iter().collect()
            }
            Some(_) | None => Vec::new(),
        }
    }

    fn handle_paste(&mut self, paste: &Paste) -> Vec<Effect> {
        match (&mut self.draws, self.writing.is_asking()) {
            (_, true) => self.writing.paste_text(&paste.text),
            (Some(draws), false) => draws.paste_text(&paste.text),
            (None, false) => {}
        }
        Vec::new()
    }

    fn draw(
        &mut self,
        buffer: &mut Buffer,
        area: Rect,
        context: DrawContext<'_>,
    ) -> Option<Position> {
        self.draw_report(buffer, area, context);
        // Whoever is asked first is answered first, also where the other question came meanwhile.
        match &self.draws {
            Some(draws) if !self.writing.is_asking() => draws.draw(area, buffer, context),
            Some(_) | None => self.writing.draw(area, buffer, context),
        }
    }

    fn describe_status(&self) -> String {
        match (&self.turns, self.selected_section()) {
            (Some(turns), _) => turns.describe_place(),
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
        let of_all = [
            Action::LabelMissing,
            Action::NextSet,
            Action::SwitchPositive,
            Action::Export,
            Action::CountUnblinded,
        ];
        match (&self.turns, self.page_kind) {
            (Some(_), _) => vec![
                Action::Open,
                Action::NextWrong,
                Action::Copy,
                Action::Export,
                Action::Back,
            ],
            (None, PageKind::Table) => [&[Action::Open][..], &of_all].concat(),
            (None, PageKind::Subject) => {
                let own = [Action::Open, Action::FocusNext, Action::PageDown];
                [&own[..], &of_all].concat()
            }
        }
    }

    fn select_turn(&mut self, address: TurnAddress) {
        if let Some(turns) = &mut self.turns {
            turns.select_turn(&address);
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
