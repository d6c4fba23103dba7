//! The arranged list with what is chosen in it: the choice stays on its session when the order
//! changes. Pure.

use super::arrange::{Arrangement, Group, Shown};
use super::stock::{Entry, Stock};
use crate::debate::SessionId;
use crate::tui::keys::Action;
use crate::tui::parts::{Moved, Rows};

/// What can be chosen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Pick {
    Session(SessionId),
    Heading(Group),
}

/// The lines of the list.
#[derive(Debug, Clone, Default)]
pub struct View {
    lines: Vec<Shown>,
    rows: Rows,
    pick: Option<Pick>,
}

impl View {
    /// Arranges the list anew.
    pub fn arrange(&mut self, stock: &Stock, how: &Arrangement) {
        self.lines = how.arrange(stock.entries());
        self.rows.set_len(self.lines.len());
        let wanted = self.pick.clone();
        let at = wanted.and_then(|pick| {
            self.lines
                .iter()
                .position(|line| pick_of(line, stock).as_ref() == Some(&pick))
        });
        match at {
            Some(at) => self.rows.choose(at),
            // Its place is taken by what follows; at first by the first session.
            None if self.pick.is_none() => {
                let first = self.lines.iter().position(|line| match line {
                    Shown::Session(_) => true,
                    Shown::Heading { .. } => false,
                });
                self.rows.choose(first.unwrap_or(0));
            }
            None => {}
        }
        self.note(stock);
    }

    /// Moves the choice, if the action moves.
    pub fn act(&mut self, action: Action, stock: &Stock) -> Moved {
        let moved = self.rows.act(action);
        self.note(stock);
        moved
    }

    /// Returns the lines.
    pub fn lines(&self) -> &[Shown] {
        &self.lines
    }

    /// Returns which line is chosen, and where drawing begins in so many lines.
    pub fn rows(&self) -> Rows {
        self.rows
    }

    /// Returns what is chosen.
    pub fn pick(&self) -> Option<&Pick> {
        self.pick.as_ref()
    }

    /// Returns the chosen session.
    pub fn entry<'a>(&self, stock: &'a Stock) -> Option<&'a Entry> {
        match self.pick.as_ref()? {
            Pick::Session(id) => stock.entry(id),
            Pick::Heading(_) => None,
        }
    }

    /// Returns how many sessions are listed.
    pub fn sessions(&self) -> usize {
        let count = |line: &Shown| match line {
            Shown::Session(_) => 1,
            Shown::Heading { count, folded, .. } => {
                if *folded {
                    *count
                } else {
                    0
                }
            }
        };
        self.lines.iter().map(count).sum()
    }

    fn note(&mut self, stock: &Stock) {
        let chosen = self.rows.chosen().and_then(|at| self.lines.get(at));
        self.pick = chosen.and_then(|line| pick_of(line, stock));
    }
}

fn pick_of(line: &Shown, stock: &Stock) -> Option<Pick> {
    match line {
        Shown::Session(at) => {
            let entry = stock.entries().get(*at)?;
            Some(Pick::Session(entry.id.clone()))
        }
        Shown::Heading { group, .. } => Some(Pick::Heading(group.clone())),
    }
}
