//! Actions of the validation screen.

use super::{Turns, Validate};
use crate::tui::app::SessionPosition;
use crate::tui::app::{Command, Effect, Task, say};
use crate::tui::keys::Action;
use crate::tui::widgets::{ListCursor, Moved, around};
use elenchus_game::debate::{SessionId, TurnId};
use elenchus_metrics::BlindingRule;
use std::collections::BTreeSet;

/// The width of a page that is copied or paged.
const PAGE_WIDTH: usize = 80;

impl Validate {
    pub(super) fn answer(&mut self, action: Action) -> Vec<Effect> {
        if let Some(turns) = &mut self.turns
            && turns.rows.act(action) == Moved::Yes
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
            Action::FocusNext => self.turn_to(1),
            Action::FocusPrevious => self.turn_to(-1),
            Action::Up | Action::Down if self.evaluator().is_none() => self.scroll(action),
            Action::Up => self.step(-1, 0),
            Action::Down => self.step(1, 0),
            Action::Left => self.step(0, -1),
            Action::Right => self.step(0, 1),
            Action::PageDown | Action::PageUp | Action::Top | Action::Bottom => self.scroll(action),
            Action::NextSet => self.next_set(),
            Action::SwitchPositive => self.switch_positive(),
            Action::CountUnblinded => {
                self.wish.blindfold = match self.wish.blindfold {
                    BlindingRule::BlindOnly => BlindingRule::Any,
                    BlindingRule::Any => BlindingRule::BlindOnly,
                };
                vec![self.read()]
            }
            Action::Copy => vec![Effect::Do(Command::Copy(self.whole()))],
            Action::Pager => vec![Effect::Do(Command::Page(self.whole()))],
            Action::Interrupt => vec![Effect::Quit],
            _ => Vec::new(),
        }
    }

    fn whole(&self) -> String {
        self.text(PAGE_WIDTH)
    }

    fn turn_to(&mut self, by: isize) -> Vec<Effect> {
        let known = self.known.as_ref();
        let tabs = known.map_or(0, |known| known.validation.subjects().len());
        self.turns = None;
        self.tab = around(self.tab, by, tabs);
        self.page.replaced();
        self.move_to_a_cell();
        Vec::new()
    }

    /// Moves the cursor of the matrix.
    fn step(&mut self, down: isize, right: isize) -> Vec<Effect> {
        if self.turns.is_some() {
            return Vec::new();
        }
        let (row, column) = self.cell;
        self.cell = (
            row.saturating_add_signed(down),
            column.saturating_add_signed(right),
        );
        self.move_to_a_cell();
        Vec::new()
    }

    /// Keeps the cursor inside of the matrix.
    pub(super) fn move_to_a_cell(&mut self) {
        let Some(evaluator) = self.evaluator() else {
            return;
        };
        let (rows, columns) = (evaluator.matrix.gold.len(), evaluator.matrix.found.len());
        self.cell = (
            self.cell.0.min(rows.saturating_sub(1)),
            self.cell.1.min(columns.saturating_sub(1)),
        );
    }

    fn scroll(&mut self, action: Action) -> Vec<Effect> {
        match self.page.act(action) {
            Moved::Yes | Moved::No => Vec::new(),
        }
    }

    /// Lists the turns of the cell under the cursor. They are listed by the evaluator's verdict, so
    /// the person is no longer blind to it.
    fn list_turns(&mut self) -> Vec<Effect> {
        let Some(evaluator) = self.evaluator() else {
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
            return say(text);
        }
        let sessions: BTreeSet<&String> = places.iter().map(|place| &place.session).collect();
        let seen = sessions.into_iter().map(|id| SessionId::new(id.clone()));
        let seen = seen.collect();
        let rows = ListCursor::new(places.len());
        self.turns = Some(Turns {
            gold,
            found,
            places,
            rows,
        });
        vec![Effect::Start(Task::record_listed(seen))]
    }

    fn open_turn(&self) -> Vec<Effect> {
        let chosen = self.turns.as_ref().and_then(|turns| {
            let at = turns.rows.chosen()?;
            turns.places.get(at)
        });
        let Some(place) = chosen else {
            return Vec::new();
        };
        let turn = place.turn.split('#').next().unwrap_or_default();
        let turn = TurnId::try_from(turn.to_owned()).ok();
        let session = SessionId::new(place.session.clone());
        let place = SessionPosition { turn, pane: None };
        vec![Effect::Open(session, Some(place))]
    }

    fn next_set(&mut self) -> Vec<Effect> {
        let Some(known) = &self.known else {
            return Vec::new();
        };
        match known.next_set() {
            Some(set) => {
                self.wish.set = Some(set.clone());
                self.wish.positive = None;
                self.turns = None;
                vec![self.read()]
            }
            None => {
                let here = &known.validation.classes.set;
                let text = format!("turns are labelled by no other set than {here}");
                say(text)
            }
        }
    }

    /// Goes through the labels that can be positive, and back to what the set says.
    fn switch_positive(&mut self) -> Vec<Effect> {
        let Some(known) = &self.known else {
            return Vec::new();
        };
        self.wish.positive = known.next_positive(self.wish.positive.as_deref());
        self.turns = None;
        vec![self.read()]
    }
}
