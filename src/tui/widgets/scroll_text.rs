//! Scrolling text: lines that are laid out once for a width, of which those in sight are drawn.

use super::list::{Moved, move_target};
use super::wrapped_lines::{StyledLine, draw_lines};
use crate::tui::keys::Action;
use crate::tui::theme::Look;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

/// Lines of a text, and the first one in sight.
#[derive(Debug, Clone, Default)]
pub struct ScrollText {
    top: usize,
    height: usize,
    width: u16,
    /// `None` where the text has changed since.
    lines: Option<Vec<StyledLine>>,
}

impl ScrollText {
    /// Takes note that the text has changed; the place in it stays where it can.
    pub fn invalidate(&mut self) {
        self.lines = None;
    }

    /// Goes to a line, as far as there is text below it to fill the area.
    pub(crate) fn go_to_line(&mut self, line: usize) {
        self.top = line;
    }

    /// Returns the width that it was laid out for.
    pub(crate) fn width(&self) -> u16 {
        self.width
    }

    /// Says whether there is more than what is in sight.
    pub(crate) fn has_more(&self) -> bool {
        self.top > 0 || self.has_more_below()
    }

    /// Goes to the beginning of another text.
    pub fn reset(&mut self) {
        (self.top, self.lines) = (0, None);
    }

    /// Scrolls, if the action does.
    pub fn handle_action(&mut self, action: Action) -> Moved {
        let Some(to) = move_target(action, self.top, (self.height / 2).max(1)) else {
            return Moved::No;
        };
        self.top = to.min(self.last_top());
        Moved::Yes
    }

    /// Lays the text out where it or the width has changed; returns how many lines there are.
    pub(crate) fn lay_out(
        &mut self,
        width: u16,
        lay_out: impl FnOnce(usize) -> Vec<StyledLine>,
    ) -> usize {
        if self.width != width {
            (self.width, self.lines) = (width, None);
        }
        let lines = self.lines.get_or_insert_with(|| lay_out(width.into()));
        lines.len()
    }

    /// Says whether there is more below what is in sight.
    pub(crate) fn has_more_below(&self) -> bool {
        self.top < self.last_top()
    }

    /// Draws what is in sight; `lay_out` is asked for the lines where text or width have changed.
    pub fn draw(
        &mut self,
        buffer: &mut Buffer,
        area: Rect,
        look: &Look,
        lay_out: impl FnOnce(usize) -> Vec<StyledLine>,
    ) {
        self.lay_out(area.width, lay_out);
        self.height = usize::from(area.height);
        self.top = self.top.min(self.last_top());
        let lines = self.lines.iter().flatten().skip(self.top);
        draw_lines(buffer, area, look, lines);
    }

    /// Returns the first line in sight where the last is at the bottom.
    fn last_top(&self) -> usize {
        let lines = self.lines.as_ref().map_or(0, Vec::len);
        lines.saturating_sub(self.height.max(1))
    }
}
