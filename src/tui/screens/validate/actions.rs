//! Actions of the validation screen.

use super::{Turns, Validate};
use crate::tui::app::SessionPosition;
use crate::tui::app::{Command, Effect, Task, say_notice};
use crate::tui::keys::Action;
use crate::tui::widgets::{ListCursor, Moved, wrap_index};
use elenchus_game::debate::{SessionId, TurnId};
use elenchus_metrics::BlindingRule;
use std::collections::BTreeSet;

/// The width of a page that is copied or paged.
const PAGE_WIDTH: usize = 80;

impl Validate {
    pub(super) fn handle_report_action(&mut self, action: Action) -> Vec<Effect> {
        if let Some(turns) = &mut self.turns
            && turns.rows.handle_action(action) == Moved::Yes
        {
            return Vec::new();
        }
        // The table of keys offers this screen a part of all actions; it needs no others.
        match action {
            Action::Back if self.turns.is_some() => {
                self.turns = None;
                Vec::new()
            }
            Action::Back => vec![Effect::Leave],
            Action::Open => match self.turns {
                Some(_) => self.open_turn(),
                None => self.list_turns(),
            },
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
                    BlindingRule::Any => BlindingRule::BlindOnly,
                };
                vec![self.start_validation()]
            }
            Action::Copy => vec![Effect::Do(Command::Copy(self.format_page()))],
            Action::Pager => vec![Effect::Do(Command::Page(self.format_page()))],
            Action::Interrupt => vec![Effect::Quit],
            _ => Vec::new(),
        }
    }

    fn format_page(&self) -> String {
        self.format_subject(PAGE_WIDTH)
    }

    fn switch_tab(&mut self, by: isize) -> Vec<Effect> {
        let result = self.result.as_ref();
        let tabs = result.map_or(0, |known| known.validation.list_subjects().len());
        self.turns = None;
        self.tab = wrap_index(self.tab, by, tabs);
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

    /// Lists the turns of the cell under the cursor. They are listed by the evaluator's verdict, so
    /// the person is no longer blind to it.
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
        let rows = ListCursor::new(places.len());
        self.turns = Some(Turns {
            gold,
            verdict: found,
            places,
            rows,
        });
        vec![Effect::Start(Task::record_listing(session_ids))]
    }

    fn open_turn(&self) -> Vec<Effect> {
        let turn_place = self.turns.as_ref().and_then(|turns| {
            let at = turns.rows.selected_row()?;
            turns.places.get(at)
        });
        let Some(place) = turn_place else {
            return Vec::new();
        };
        let turn = place.turn.split('#').next().unwrap_or_default();
        let turn = TurnId::try_from(turn.to_owned()).ok();
        let session = SessionId::new(place.session.clone());
        let place = SessionPosition { turn, pane: None };
        vec![Effect::Open(session, Some(place))]
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
