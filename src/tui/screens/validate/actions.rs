//! Actions of the validation screen.

use super::cell_turns::CellList;
use super::{PageKind, Validate, tasks};
use crate::tui::app::{Command, Effect, Task, say_notice};
use crate::tui::components::shown_writing::{ShownContent, ShownForm};
use crate::tui::keys::{Action, Context, key_for};
use crate::tui::popups::{Dialog, PickItem, Picker};
use crate::tui::widgets::{ListCursor, Moved, wrap_index};
use elenchus_annotation::validation::MissingLabels;
use elenchus_game::debate::SessionId;
use elenchus_metrics::{ArmNames, BlindingRule};
use elenchus_plot::{picture_from_calibration, write_svg};
use elenchus_records::workspace::annotations::Unblinding;
use elenchus_view::Way;
use std::collections::BTreeSet;

/// The width of a page that is copied or paged.
const PAGE_WIDTH: usize = 80;
/// Begins the ids in a picture that is written alone.
const PICTURE_ID: &str = "picture";

impl Validate {
    pub(super) fn handle_report_action(&mut self, action: Action) -> Vec<Effect> {
        if let Some(turns) = &mut self.turns
            && turns.rows.handle_action(action) == Moved::Yes
        {
            return Vec::new();
        }
        if self.page_kind == PageKind::Table && self.rows.handle_action(action) == Moved::Yes {
            return Vec::new();
        }
        // The table of keys offers this screen a part of all actions; it needs no others.
        match action {
            Action::Back if self.turns.is_some() => {
                self.turns = None;
                Vec::new()
            }
            Action::Back if self.page_kind == PageKind::Subject => {
                self.show_table();
                Vec::new()
            }
            Action::Back => vec![Effect::Leave],
            Action::Open => match (&self.turns, self.page_kind) {
                (Some(_), _) => self.open_turn(),
                (None, PageKind::Subject) => self.list_turns(),
                (None, PageKind::Table) => self.open_row(),
            },
            Action::LabelMissing => self.offer_draws(),
            Action::NextWrong => self.step_turn(Way::Forth),
            Action::PreviousWrong => self.step_turn(Way::Back),
            Action::FocusNext => self.switch_tab(1),
            Action::FocusPrevious => self.switch_tab(-1),
            Action::Up | Action::Down if self.selected_evaluator().is_none() => {
                self.scroll_page(action)
            }
            Action::Up => self.move_cell(-1, 0),
            Action::Down => self.move_cell(1, 0),
            Action::Left => self.move_cell(0, -1),
            Action::Right => self.move_cell(0, 1),
            Action::PageDown | Action::PageUp | Action::Top | Action::Bottom => {
                self.scroll_page(action)
            }
            Action::NextSet => self.next_set(),
            Action::SwitchPositive => self.switch_positive(),
            Action::CountUnblinded => {
                self.request.blindfold = match self.request.blindfold {
                    BlindingRule::BlindOnly => BlindingRule::Any,
                    BlindingRule::Any => BlindingRule::AfterReasons,
                    BlindingRule::AfterReasons => BlindingRule::BlindOnly,
                };
                vec![self.start_validation()]
            }
            Action::Copy => vec![Effect::Do(Command::Copy(self.format_page()))],
            Action::Pager => vec![Effect::Do(Command::Page(self.format_page()))],
            Action::Export => {
                let forms = self.list_forms();
                self.writing.ask_form(forms)
            }
            _ => Vec::new(),
        }
    }

    fn format_page(&self) -> String {
        match (&self.turns, self.page_kind) {
            (Some(turns), _) => turns.format_selected(),
            (None, PageKind::Table) => self.format_table(PAGE_WIDTH),
            (None, PageKind::Subject) => self.format_subject(PAGE_WIDTH),
        }
    }

    /// Returns the forms in which what is shown can be written. That the verdicts of a cell were listed was recorded
    /// when it was opened; all else is counts.
    fn list_forms(&self) -> Vec<ShownForm> {
        if self.result.is_none() {
            return Vec::new();
        }
        let (what, name, text) = match (&self.turns, self.page_kind) {
            (Some(turns), _) => ("the turns of the cell as text", "cell", turns.format_all()),
            (None, PageKind::Table) => (
                "the table as text",
                "evaluators",
                self.format_table(PAGE_WIDTH),
            ),
            (None, PageKind::Subject) => (
                "the page as text",
                "evaluator",
                self.format_subject(PAGE_WIDTH),
            ),
        };
        let text = ShownForm {
            what,
            file: format!("elenchus-validation-{name}.txt"),
            content: ShownContent::Text(text, Vec::new()),
        };
        let picture = self.draw_scores().filter(|_| self.turns.is_none());
        let picture = picture.map(|svg| ShownForm {
            what: "the picture of its scores as SVG",
            file: "elenchus-validation-reliability.svg".to_owned(),
            content: ShownContent::Picture(svg),
        });
        [text].into_iter().chain(picture).collect()
    }

    /// Draws the scores of the selected evaluator against what people found; `None` where it gives none.
    fn draw_scores(&self) -> Option<String> {
        let subject = self.selected_subject()?;
        let evaluator = subject.evaluator?;
        let picture = picture_from_calibration(
            evaluator.calibration.as_ref()?,
            &evaluator.evaluator,
            &evaluator.positive,
            subject.section.simulated,
        );
        Some(write_svg(&picture, PICTURE_ID))
    }

    fn switch_tab(&mut self, by: isize) -> Vec<Effect> {
        let result = self.result.as_ref();
        let subjects = result.map_or(0, |known| known.validation.list_subjects().len());
        self.turns = None;
        if self.page_kind == PageKind::Table {
            let rows = self.rows.row_count();
            let at = self.rows.selected_row().unwrap_or(0);
            self.rows.select_row(wrap_index(at, by, rows));
            return Vec::new();
        }
        self.subject = wrap_index(self.subject, by, subjects);
        self.page.reset();
        self.clamp_cell();
        Vec::new()
    }

    /// Moves the cursor of the matrix.
    fn move_cell(&mut self, down: isize, right: isize) -> Vec<Effect> {
        if self.turns.is_some() {
            return Vec::new();
        }
        let (row, column) = self.cell;
        self.cell = (
            row.saturating_add_signed(down),
            column.saturating_add_signed(right),
        );
        self.clamp_cell();
        Vec::new()
    }

    /// Keeps the cursor inside of the matrix.
    pub(super) fn clamp_cell(&mut self) {
        let Some(evaluator) = self.selected_evaluator() else {
            return;
        };
        let (rows, columns) = (evaluator.matrix.gold.len(), evaluator.matrix.found.len());
        self.cell = (
            self.cell.0.min(rows.saturating_sub(1)),
            self.cell.1.min(columns.saturating_sub(1)),
        );
    }

    fn scroll_page(&mut self, action: Action) -> Vec<Effect> {
        match self.page.handle_action(action) {
            Moved::Yes | Moved::No => Vec::new(),
        }
    }

    /// Lists the turns of the cell under the cursor. They are listed by the evaluator's verdict, with their models, so
    /// the person is no longer blind to either.
    fn list_turns(&mut self) -> Vec<Effect> {
        let Some(evaluator) = self.selected_evaluator() else {
            return Vec::new();
        };
        let matrix = &evaluator.matrix;
        let names = matrix
            .gold
            .get(self.cell.0)
            .zip(matrix.found.get(self.cell.1));
        let Some((gold, found)) = names.map(|(gold, found)| (gold.clone(), found.clone())) else {
            return Vec::new();
        };
        let places = matrix.cell(&gold, &found).map(|cell| cell.turns.clone());
        let places = places.unwrap_or_default();
        if places.is_empty() {
            let text = format!("no turn has gold {gold} and verdict {found}");
            return say_notice(text);
        }
        let sessions: BTreeSet<&String> = places.iter().map(|place| &place.session).collect();
        let session_ids = sessions.into_iter().map(|id| SessionId::new(id.clone()));
        let session_ids = session_ids.collect();
        let evaluator = evaluator.evaluator.clone();
        let Some(known) = self.result.clone() else {
            return Vec::new();
        };
        // Of its own: a validation that is computed meanwhile is still waited for.
        self.turns_ticket.0 += 1;
        let read = tasks::read_turns(
            self.turns_ticket,
            known,
            evaluator,
            gold.clone(),
            places.clone(),
        );
        self.turns = Some(CellList {
            ticket: self.turns_ticket,
            gold,
            verdict: found,
            rows: ListCursor::new(places.len()),
            places,
            read: Vec::new(),
        });
        vec![
            Effect::Start(Task::record_listing(session_ids, Unblinding::of_list())),
            Effect::Start(read),
        ]
    }

    fn step_turn(&mut self, way: Way) -> Vec<Effect> {
        match &mut self.turns {
            Some(turns) => {
                turns.step(way);
                Vec::new()
            }
            None => say_notice("this goes through the turns of a cell: open one"),
        }
    }

    /// Opens the page of the row's evaluator.
    fn open_row(&mut self) -> Vec<Effect> {
        let row = self.rows.selected_row();
        if let Some(subject) = row.and_then(|row| self.subject_of_row(row)) {
            self.subject = subject;
            self.page_kind = PageKind::Subject;
            self.page.reset();
            self.clamp_cell();
        }
        Vec::new()
    }

    /// Goes back to the table, to the row of what was shown.
    fn show_table(&mut self) {
        self.page_kind = PageKind::Table;
        let mut rows = self.overview.rows.iter();
        let row = rows.position(|row| row.subject == self.subject);
        self.rows
            .select_row(row.unwrap_or(self.overview.rows.len()));
    }

    /// Asks for which arm labels are drawn; how many is said first.
    pub(super) fn offer_draws(&mut self) -> Vec<Effect> {
        if self.is_reading {
            // What was drawn a moment ago would be offered again.
            self.is_draw_wanted = true;
            return say_notice("reading what is labelled and drawn by now");
        }
        let (Some(known), Some(subject)) = (&self.result, self.selected_subject()) else {
            return Vec::new();
        };
        let Some(evaluator) = subject.evaluator else {
            return say_notice("labels are drawn for an evaluator: choose one");
        };
        let of_evaluator = known.missing.list_of(subject.section, evaluator);
        let (refused, of_arms): (Vec<_>, Vec<_>) = of_evaluator
            .filter(|(_, one)| one.waiting == 0)
            .partition(|(_, one)| one.is_refused);
        let names = ArmNames::from_arms(of_arms.iter().map(|(arm, _)| arm.arm.as_str()));
        let items = of_arms.iter().map(|(arm, missing)| PickItem {
            label: format!("{} more: {}", missing.total(), missing.describe_counts()),
            aside: match of_arms.len() {
                1 => String::new(),
                _ => names.name_of(&arm.arm).to_owned(),
            },
            ..PickItem::default()
        });
        let items: Vec<PickItem> = items.collect();
        let draws: Vec<MissingLabels> = of_arms.iter().map(|(_, one)| (*one).clone()).collect();
        let Some(first) = draws.first() else {
            if let Some((_, missing)) = refused.first() {
                let draw = key_for(Context::Queues, Action::DrawQueue);
                return say_notice(format!(
                    "no more of '{}' can be drawn by chance: {draw} in the list of queues draws a new one",
                    missing.queue
                ));
            }
            let waiting = subject.section.basis.find_waiting();
            return say_notice(match waiting {
                Some((queue, count)) => format!(
                    "{} drawn already: label the queue '{queue}' first",
                    match count {
                        1 => "1 turn is".to_owned(),
                        many => format!("{many} turns are"),
                    }
                ),
                None => {
                    "labels alone halve no interval here; the evaluator's page says why".to_owned()
                }
            });
        };
        let title = format!("Draw into the queue '{}' and label", first.queue);
        self.draws = Some(Dialog::new_list(Picker::new(&title, items), draws));
        Vec::new()
    }

    fn open_turn(&self) -> Vec<Effect> {
        let walk = self.turns.as_ref().and_then(CellList::start_walk);
        walk.map(Effect::Walk).into_iter().collect()
    }

    fn next_set(&mut self) -> Vec<Effect> {
        let Some(result) = &self.result else {
            return Vec::new();
        };
        match result.next_set() {
            Some(set) => {
                self.request.set = Some(set.clone());
                self.request.positive = None;
                self.turns = None;
                vec![self.start_validation()]
            }
            None => {
                let here = &result.validation.classes.set;
                let text = format!("turns are labelled by no other set than {here}");
                say_notice(text)
            }
        }
    }

    /// Goes through the labels that can be positive, and back to what the set says.
    fn switch_positive(&mut self) -> Vec<Effect> {
        let Some(result) = &self.result else {
            return Vec::new();
        };
        self.request.positive = result.next_positive(self.request.positive.as_deref());
        self.turns = None;
        vec![self.start_validation()]
    }
}
