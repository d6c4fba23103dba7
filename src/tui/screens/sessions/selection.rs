//! Selection in the arranged list: the choice stays on its session when the order changes. Pure.

use crate::debate::SessionId;
use crate::tui::keys::Action;
use crate::tui::widgets::{ListCursor, Moved};
use crate::workspace::session_browser::{
    ArrangedList, KnownSessions, ListArrangement, ListLine, SessionEntry, SessionGroup, SessionLine,
};

/// Line that can be chosen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ListPick {
    Session(SessionId),
    Heading(SessionGroup),
}

/// The lines of the list.
#[derive(Debug, Clone, Default)]
pub(super) struct ListView {
    list: ArrangedList,
    rows: ListCursor,
    pick: Option<ListPick>,
    /// Session to choose as soon as it is listed.
    wanted: Option<SessionId>,
}

impl ListView {
    /// Arranges the list again.
    pub fn arrange(&mut self, stock: &KnownSessions, how: &ListArrangement) {
        self.list = how.arrange(stock.entries(), stock.now());
        self.rows.set_len(self.list.lines.len());
        let place = |pick: &ListPick| {
            let mut lines = self.list.lines.iter();
            lines.position(|line| pick_of(line, stock).as_ref() == Some(pick))
        };
        let wanted = self.wanted.clone().map(ListPick::Session);
        let wanted = wanted.as_ref().and_then(place);
        let at = wanted.or_else(|| self.pick.as_ref().and_then(place));
        if wanted.is_some() {
            self.wanted = None;
        }
        match at {
            Some(at) => self.rows.choose(at),
            // Its place is taken by what follows; at first by the first session.
            None if self.pick.is_none() => {
                let first = self.list.lines.iter().position(|line| match line {
                    ListLine::Session(_) => true,
                    ListLine::Heading { .. } => false,
                });
                self.rows.choose(first.unwrap_or(0));
            }
            None => {}
        }
        self.note(stock);
    }

    /// Moves the choice, if the action moves.
    pub fn act(&mut self, action: Action, stock: &KnownSessions) -> Moved {
        let moved = self.rows.act(action);
        if moved == Moved::Yes {
            self.wanted = None;
        }
        self.note(stock);
        moved
    }

    /// Chooses a session as soon as it is listed, unless the choice is moved before.
    pub fn choose(&mut self, session: SessionId) {
        self.wanted = Some(session);
    }

    /// Returns the lines.
    pub fn lines(&self) -> &[ListLine] {
        &self.list.lines
    }

    /// Returns how many replicates are out of sight.
    pub fn replicates(&self) -> usize {
        self.list.replicates
    }

    /// Returns the chosen line of a session, and whether a fork of it follows.
    pub fn chosen_line(&self) -> Option<(SessionLine, bool)> {
        let at = self.rows.chosen()?;
        let line = |at: usize| match self.list.lines.get(at)? {
            ListLine::Session(line) => Some(*line),
            ListLine::Heading { .. } => None,
        };
        let chosen = line(at)?;
        let next = line(at + 1);
        Some((chosen, next.is_some_and(|next| next.depth > chosen.depth)))
    }

    /// Returns the chosen line and the first line to draw.
    pub fn rows(&self) -> ListCursor {
        self.rows
    }

    /// Returns what is chosen.
    pub fn pick(&self) -> Option<&ListPick> {
        self.pick.as_ref()
    }

    /// Returns the chosen session.
    pub fn entry<'a>(&self, stock: &'a KnownSessions) -> Option<&'a SessionEntry> {
        match self.pick.as_ref()? {
            ListPick::Session(id) => stock.entry(id),
            ListPick::Heading(_) => None,
        }
    }

    /// Returns how many sessions are listed.
    pub fn sessions(&self) -> usize {
        let count = |line: &ListLine| match line {
            ListLine::Session(_) => 1,
            ListLine::Heading { count, folded, .. } => {
                if *folded {
                    *count
                } else {
                    0
                }
            }
        };
        self.list.lines.iter().map(count).sum()
    }

    fn note(&mut self, stock: &KnownSessions) {
        let chosen = self.rows.chosen().and_then(|at| self.list.lines.get(at));
        self.pick = chosen.and_then(|line| pick_of(line, stock));
    }
}

fn pick_of(line: &ListLine, stock: &KnownSessions) -> Option<ListPick> {
    match line {
        ListLine::Session(line) => {
            let entry = stock.entries().get(line.at)?;
            Some(ListPick::Session(entry.id.clone()))
        }
        ListLine::Heading { group, .. } => Some(ListPick::Heading(group.clone())),
    }
}
