//! Page: paragraphs in items that are scrolled through, with a cursor on one of them.

use super::draw_context::DrawContext;
use super::frame::Focus;
use super::list::Moved;
use super::scroll_list::ScrollList;
use super::wrapped_lines::lay_out;
use crate::exchange::Paragraph;
use crate::tui::keys::Action;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

/// Items, and the place among them.
#[derive(Debug, Clone, Default)]
pub(crate) struct Page {
    items: Vec<Vec<Paragraph>>,
    list: ScrollList,
}

impl Page {
    /// A page with the cursor at its beginning.
    pub(crate) fn of(items: Vec<Vec<Paragraph>>) -> Self {
        let mut page = Self::default();
        page.change(items);
        page
    }

    /// Takes the same page with what is known by now; the cursor stays where it can.
    pub(crate) fn change(&mut self, items: Vec<Vec<Paragraph>>) {
        self.list.set_count(items.len());
        self.items = items;
    }

    pub(crate) fn items(&self) -> &[Vec<Paragraph>] {
        &self.items
    }

    /// Moves, if the action does.
    pub(crate) fn act(&mut self, action: Action) -> Moved {
        let items = &self.items;
        self.list.act(action, &|at, width| laid(items, at, width))
    }

    /// Draws what is in sight; the item under the cursor has a mark before each of its lines.
    pub(crate) fn draw(&mut self, buffer: &mut Buffer, area: Rect, brush: DrawContext<'_>) {
        let items = &self.items;
        let lay_out = |at: usize, width: usize| laid(items, at, width);
        // What a click does there is up to the screen: it may be to label.
        self.list
            .draw(buffer, area, brush, Focus::Unfocused, &lay_out);
    }
}

fn laid(items: &[Vec<Paragraph>], at: usize, width: usize) -> Vec<super::StyledLine> {
    lay_out(items.get(at).map_or(&[], Vec::as_slice), width)
}
