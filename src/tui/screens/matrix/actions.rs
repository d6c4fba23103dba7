//! Actions of the matrix screen.

use super::tasks;
use super::{FilterQuestion, MatrixSource, VerdictMatrix};
use crate::tui::app::{Effect, TurnWalk, copy_text, say_notice, show_in_pager};
use crate::tui::components::shown_writing::{ShownContent, ShownForm};
use crate::tui::keys::Action;
use crate::tui::popups::{FootPrompt, PromptKeyResult};
use crate::tui::widgets::Moved;
use elenchus_html::Subject;
use elenchus_records::workspace::is_example;
use elenchus_text::wrap_index;
use elenchus_view::TurnAddress;
use elenchus_view::matrix::{CellText, CellTurn, CellVerdict, MatrixLayout, Way, filter_fault};
use ratatui::crossterm::event::KeyEvent;

/// Width of a text that is copied or paged.
const TEXT_WIDTH: usize = 100;
/// What the turns are called that are walked through.
const BAD_TURN: &str = "wrong or unsafe turn";

impl VerdictMatrix {
    pub(super) fn handle_matrix_action(&mut self, action: Action) -> Vec<Effect> {
        if self.lines.handle_action(action) == Moved::Yes {
            return Vec::new();
        }
        // The table of keys offers this screen a part of all actions; it needs no others.
        match action {
            Action::Left => self.column = self.column.saturating_sub(1),
            Action::Right => {
                let last = self.matrix.columns.len().saturating_sub(1);
                self.column = (self.column + 1).min(last);
            }
            Action::FocusNext => return self.turn_layout(1),
            Action::FocusPrevious => return self.turn_layout(-1),
            Action::Sort => {
                self.arrangement.sort = self.arrangement.sort.next();
                self.arrangement.is_reversed = false;
                self.rebuild_matrix();
            }
            Action::SortReverse => {
                self.arrangement.is_reversed = !self.arrangement.is_reversed;
                self.rebuild_matrix();
            }
            Action::Filter => self.prompt = Some(FootPrompt::new(FilterQuestion, &self.filter)),
            Action::NextWrong => return self.go_to_bad_cell(Way::Forth),
            Action::PreviousWrong => return self.go_to_bad_cell(Way::Back),
            Action::Open => return self.open_cell(),
            Action::Copy | Action::Pager => {
                let text = self.text_to_copy();
                let shown = text.as_ref().and_then(|_| self.record_all());
                let effects = match action {
                    Action::Copy => copy_text(text),
                    _ => show_in_pager(text),
                };
                return shown.into_iter().chain(effects).collect();
            }
            Action::Export => {
                let forms = self.list_forms();
                return self.writing.ask_form(forms);
            }
            Action::Back if !self.filter.is_empty() => {
                self.filter.clear();
                self.rebuild_matrix();
            }
            Action::Back => return vec![Effect::Leave],
            _ => {}
        }
        Vec::new()
    }

    /// Returns the table as text, below what part of the debates it is of; nothing while it is read.
    fn text_to_copy(&self) -> Option<String> {
        self.known.as_ref()?;
        let table = self.matrix.to_text(TEXT_WIDTH);
        let parts: Vec<String> = self
            .part_words()
            .into_iter()
            .chain(self.filter_words())
            .collect();
        Some(match parts.is_empty() {
            true => table,
            false => format!("{}\n{table}", parts.join(" · ")),
        })
    }

    /// Says which part of an experiment's debates are shown.
    pub(super) fn part_words(&self) -> Option<String> {
        let part = self.source.part_name();
        (!part.is_empty()).then(|| format!("only {part}"))
    }

    /// Returns the forms in which the table can be written.
    fn list_forms(&self) -> Vec<ShownForm> {
        let Some(text) = self.text_to_copy() else {
            return Vec::new();
        };
        let (name, subjects) = match &self.source {
            MatrixSource::Experiment(one) => (
                one.summary.id.as_str(),
                Subject::from_experiment(one).into_iter().collect(),
            ),
            MatrixSource::Part(one, _) => (one.summary.id.as_str(), self.list_debates_shown()),
            MatrixSource::Sessions(_) => ("sessions", self.list_debates_shown()),
        };
        let table = ShownForm {
            what: "the table as text",
            file: format!("elenchus-matrix-{name}.txt"),
            content: ShownContent::Text(text, self.list_shown_sessions()),
        };
        let has_page = !subjects.is_empty();
        let page = has_page.then(|| ShownForm::page_of(subjects, name));
        [table].into_iter().chain(page).collect()
    }

    /// Returns the debates in the table that are in the store, as what a page is of.
    fn list_debates_shown(&self) -> Vec<Subject> {
        let lines = self.matrix.lines.iter();
        let sessions = lines.flat_map(|line| line.sessions.iter().cloned());
        let stored = sessions.filter(|session| !is_example(session));
        stored.map(Subject::Session).collect()
    }

    /// Makes the columns something else.
    fn turn_layout(&mut self, by: isize) -> Vec<Effect> {
        let layouts = MatrixLayout::list_layouts(self.debates());
        let layout = self.arrangement.layout;
        let here = layouts.iter().position(|one| *one == layout);
        let next = layouts.get(wrap_index(here.unwrap_or(0), by, layouts.len()));
        match next.copied() {
            Some(next) if next != layout => {
                self.arrangement.layout = next;
                self.has_chosen_layout = true;
                self.rebuild_matrix();
                Vec::new()
            }
            Some(_) | None => say_notice("these debates have one arm and no checkpoints"),
        }
    }

    fn go_to_bad_cell(&mut self, way: Way) -> Vec<Effect> {
        match (self.matrix.find_bad_cell(self.place(), way), way) {
            (Some(place), _) => {
                self.go_to_cell(place);
                Vec::new()
            }
            (None, Way::Forth) => say_notice("no further cell is wrong or unsafe"),
            (None, Way::Back) => say_notice("no cell before this one is wrong or unsafe"),
        }
    }

    /// Returns the turn that the cell under the cursor stands for.
    pub(super) fn selected_turn(&self) -> Option<&CellTurn> {
        let line = self.matrix.lines.get(self.lines.selected_row()?)?;
        line.cells.get(self.column)?.first_turn()
    }

    /// Opens the debate at the turn of the cell, with the wrong and unsafe turns of the matrix to walk on through.
    fn open_cell(&self) -> Vec<Effect> {
        let Some(turn) = self.selected_turn() else {
            return self.open_line();
        };
        let (bad, here) = (self.matrix.list_bad_turns(), &turn.address);
        let listed = bad.iter().position(|address| address == here);
        let walk = match listed {
            Some(at) => TurnWalk::from_list(BAD_TURN, bad, at),
            None => {
                let next = self.matrix.count_bad_before(self.place());
                Some(TurnWalk::from_unlisted(BAD_TURN, bad, here.clone(), next))
            }
        };
        walk.map(Effect::Walk).into_iter().collect()
    }

    /// Opens the debate of a line that is one debate: what has no verdict in it can be read all the same.
    fn open_line(&self) -> Vec<Effect> {
        let line = self.matrix.lines.get(self.place().line);
        match line.map(|line| line.sessions.as_slice()) {
            Some([session]) => vec![Effect::Open(session.clone(), None)],
            Some(_) | None => say_notice("there is no turn in this cell"),
        }
    }

    pub(super) fn handle_filter_key(&mut self, key: KeyEvent) {
        match FootPrompt::answer_key(&mut self.prompt, key) {
            PromptKeyResult::Changed => self.apply_filter(),
            PromptKeyResult::Left(FilterQuestion) => {
                self.filter.clear();
                self.rebuild_matrix();
            }
            PromptKeyResult::Moves(action) => {
                self.lines.handle_action(action);
            }
            PromptKeyResult::Entered(..) | PromptKeyResult::Stays | PromptKeyResult::Turns => {}
        }
    }

    /// The matrix follows a filter that is typed.
    pub(super) fn apply_filter(&mut self) {
        if let Some(prompt) = &self.prompt {
            self.filter = prompt.text().to_owned();
            self.rebuild_matrix();
        }
    }

    /// Reads the text of the cell under the cursor, one at a time.
    pub(super) fn read_text(&mut self) -> Vec<Effect> {
        let turn = self.selected_turn();
        let turn = turn.filter(|turn| turn.verdict != CellVerdict::Hidden);
        let address = turn.map(|turn| turn.address.clone());
        let Some(address) = address else {
            self.text = None;
            return Vec::new();
        };
        let is_known = self.text.as_ref().is_some_and(|(of, _)| *of == address);
        if !is_known {
            self.text = Some((address.clone(), None));
        }
        let is_wanted = self.text.as_ref().is_some_and(|(_, text)| text.is_none());
        if !is_wanted || std::mem::replace(&mut self.is_reading_text, true) {
            return Vec::new();
        }
        vec![Effect::Start(tasks::read_text(address))]
    }

    /// Takes the text of a turn, unless the cursor has moved on.
    pub(super) fn take_text(&mut self, address: TurnAddress, text: Result<CellText, String>) {
        self.is_reading_text = false;
        if let Some((of, known)) = &mut self.text
            && *of == address
        {
            *known = Some(text);
        }
    }

    /// Says what the filter does, or what is wrong with it.
    pub(super) fn filter_words(&self) -> Option<String> {
        let filter = self.filter.trim();
        match filter_fault(filter) {
            Some(fault) => Some(fault),
            None if filter.is_empty() => None,
            None => Some(format!("filter {filter}")),
        }
    }
}
