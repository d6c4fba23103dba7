//! The tree of forks that a session belongs to, over the list. Pure.

use super::columns;
use super::stock::Stock;
use crate::debate::SessionId;
use crate::driver::desk::{Branch, Tree, Whereabouts};
use crate::tui::app::Brush;
use crate::tui::parts::{Focus, Rows, centred, fill, frame, put};
use crate::tui::theme::{Glyphs, Role};
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use std::sync::Arc;

/// The widest and highest it is drawn.
const MOST: (u16, u16) = (100, 30);

/// A tree that is shown, or is being read.
#[derive(Debug, Clone)]
pub struct Branches {
    pub of: SessionId,
    tree: Option<Arc<Tree>>,
    pub rows: Rows,
}

impl Branches {
    /// The tree of a session, before it is read.
    pub fn new(of: SessionId) -> Self {
        Self {
            of,
            tree: None,
            rows: Rows::default(),
        }
    }

    /// Takes the tree; the session it was asked for is chosen.
    pub fn take(&mut self, tree: &Arc<Tree>) {
        self.rows = Rows::new(tree.branches.len());
        let at = tree
            .branches
            .iter()
            .position(|branch| branch.session == self.of);
        self.rows.choose(at.unwrap_or(0));
        self.tree = Some(Arc::clone(tree));
    }

    /// Returns the chosen session.
    pub fn chosen(&self) -> Option<&Branch> {
        let at = self.rows.chosen()?;
        self.tree.as_ref()?.branches.get(at)
    }

    /// Draws it in the middle of an area.
    pub fn draw(&self, buffer: &mut Buffer, area: Rect, stock: &Stock, brush: Brush<'_>) {
        let look = brush.look;
        let branches = self.tree.as_ref().map_or(&[][..], |tree| &tree.branches);
        let rows = u16::try_from(branches.len()).unwrap_or(u16::MAX);
        let height = rows.saturating_add(2).clamp(3, MOST.1);
        let outer = centred(area, area.width.saturating_sub(2).min(MOST.0), height);
        fill(outer, buffer, look);
        let inner = frame(
            outer,
            buffer,
            look,
            "Forks: Enter opens, Esc goes back",
            Focus::Focused,
        );
        if branches.is_empty() {
            let at = Position::new(inner.x, inner.y);
            let style = look.style(Role::Muted);
            put(buffer, at, inner.width, "reading the tree", style, look);
            return;
        }
        let top = self.rows.top(inner.height);
        let lines = branches.iter().enumerate().skip(top);
        for (y, (at, branch)) in (inner.y..inner.bottom()).zip(lines) {
            let row = Rect::new(inner.x, y, inner.width, 1);
            let role = match branch.whereabouts {
                Whereabouts::Kept => Role::Text,
                Whereabouts::Deleted | Whereabouts::Missing => Role::Muted,
            };
            let text = format!(
                "{} {}",
                stem(branches, at, look.glyphs()),
                words(branch, stock, brush)
            );
            let place = Position::new(row.x + 2, y);
            let room = row.width.saturating_sub(2);
            put(buffer, place, room, &text, look.style(role), look);
            if self.rows.chosen() == Some(at) {
                let style = look.style(Role::Selection);
                buffer.set_style(row, style);
                buffer.set_string(row.x, y, look.glyphs().cursor, style);
            }
        }
    }
}

/// Returns the lines before a branch.
fn stem(branches: &[Branch], at: usize, glyphs: &Glyphs) -> String {
    let depth = branches.get(at).map_or(0, |branch| branch.depth);
    let mut stem = String::new();
    for level in 1..=depth {
        let later = branches
            .iter()
            .skip(at + 1)
            .take_while(|branch| branch.depth >= level)
            .any(|branch| branch.depth == level);
        stem.push_str(match (level == depth, later) {
            (true, true) => glyphs.tree_child,
            (true, false) => glyphs.tree_last,
            (false, true) => glyphs.tree_past,
            (false, false) => glyphs.tree_none,
        });
    }
    stem
}

fn words(branch: &Branch, stock: &Stock, brush: Brush<'_>) -> String {
    let mut parts = Vec::new();
    if let Some(parting) = &branch.parting {
        parts.push(match &parting.turn {
            Some(turn) => format!("from round {}, {}, {}", turn.round, turn.stage, turn.chair),
            None => format!("after {} lines", parting.lines),
        });
    }
    match branch.whereabouts {
        Whereabouts::Kept => {}
        Whereabouts::Deleted => parts.push("in the trash".to_owned()),
        Whereabouts::Missing => parts.push("not in this store".to_owned()),
    }
    if let Some(entry) = stock.entry(&branch.session) {
        if let Ok(glance) = &entry.found {
            let summary = &glance.summary;
            parts.push(format!(
                "{} {}/{} {}",
                summary.state.word(),
                summary.rounds.0,
                summary.rounds.1,
                columns::age(&summary.last_at, stock.now()),
            ));
        }
        if branch.parting.is_none() || entry.name.is_some() {
            parts.push(brush.content.of(entry.title()));
        }
    } else {
        parts.push(branch.session.to_string());
    }
    parts.join(" - ")
}
