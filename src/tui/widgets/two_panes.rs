//! Two panes: side by side where there is room for both, else the one with the focus alone.

use super::draw_context::DrawContext;
use super::frame::Focus;
use super::list::Moved;
use crate::tui::keys::Action;
use elenchus_text::{Paragraph, Role};
use ratatui::layout::{Constraint, Layout, Rect};

/// One of two panes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    Left,
    Right,
}

/// Which pane has the focus, and whether both are in sight.
#[derive(Debug, Clone, Copy)]
pub struct TwoPanes {
    pub focus: Side,
    /// Width from which on there is room for both.
    wide: u16,
    is_wide: bool,
    /// The one with the focus is alone, however much room there is.
    is_zoomed: bool,
}

impl TwoPanes {
    /// Panes that are side by side from a width on; the left one has the focus.
    pub fn new(wide: u16) -> Self {
        Self {
            focus: Side::Left,
            wide,
            is_wide: true,
            is_zoomed: false,
        }
    }

    /// Goes to the other pane or zooms, if the action does.
    pub fn handle_action(&mut self, action: Action) -> Moved {
        match action {
            Action::FocusNext | Action::FocusPrevious | Action::Left | Action::Right => {
                self.focus = match self.focus {
                    Side::Left => Side::Right,
                    Side::Right => Side::Left,
                };
            }
            Action::Zoom => self.is_zoomed = !self.is_zoomed,
            _ => return Moved::No,
        }
        Moved::Yes
    }

    /// Takes note of how wide they are drawn.
    pub fn set_width(&mut self, width: u16) {
        self.is_wide = width >= self.wide;
    }

    /// Says whether both are in sight.
    pub(crate) fn are_both_in_sight(self) -> bool {
        self.is_wide && !self.is_zoomed
    }

    /// Returns the areas of the left and of the right one, where they are in sight.
    pub fn split_area(self, area: Rect) -> [Option<Rect>; 2] {
        if self.are_both_in_sight() {
            let halves = [Constraint::Length(area.width / 2), Constraint::Fill(1)];
            let halves: [Rect; 2] = Layout::horizontal(halves).areas(area);
            return halves.map(Some);
        }
        match self.focus {
            Side::Left => [Some(area), None],
            Side::Right => [None, Some(area)],
        }
    }

    /// Notes where a click reaches the panes in sight.
    pub(crate) fn note_areas(self, areas: [Option<Rect>; 2], context: DrawContext<'_>) {
        for (pane, area) in areas.into_iter().enumerate() {
            if let Some(area) = area {
                context.rows.note_pane(area, pane, self.focus as usize);
            }
        }
    }

    pub fn focus_of(self, side: Side) -> Focus {
        match self.focus == side {
            true => Focus::Focused,
            false => Focus::Unfocused,
        }
    }

    /// Adds the names of both to a line, where only one is in sight, with a mark on that one's.
    pub fn with_names(self, mut line: Paragraph, names: [&str; 2]) -> Paragraph {
        if self.are_both_in_sight() {
            return line;
        }
        for (side, name) in [Side::Left, Side::Right].into_iter().zip(names) {
            let role = match self.focus == side {
                true => Role::Selection,
                false => Role::Muted,
            };
            line = line
                .with_run(Role::Text, " ")
                .with_run(role, format!(" {name} "));
        }
        line
    }
}
