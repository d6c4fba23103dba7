//! Page: pieces that are scrolled through, with a cursor on one of them.

use super::draw_context::DrawContext;
use super::frame::Focus;
use super::list::Moved;
use super::scroll_list::ScrollList;
use super::wrapped_lines::{StyledLine, lay_out};
use crate::tui::keys::Action;
use elenchus_text::{PageItem, Paragraph, Role, plain_text};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

/// Items, and the place among them.
#[derive(Debug, Clone, Default)]
pub(crate) struct Page {
    items: Vec<PageItem>,
    list: ScrollList,
}

impl Page {
    /// A page of texts alone, with the cursor at its beginning.
    pub(crate) fn from_texts(texts: Vec<Vec<Paragraph>>) -> Self {
        let mut page = Self::default();
        page.set_items(texts.into_iter().map(PageItem::from_paragraphs).collect());
        page
    }

    /// Takes the same page with what is known by now; the cursor stays where it can.
    pub(crate) fn set_items(&mut self, items: Vec<PageItem>) {
        self.list.set_count(items.len());
        self.items = items;
    }

    pub(crate) fn items(&self) -> &[PageItem] {
        &self.items
    }

    /// Returns the item under the cursor.
    pub(crate) fn selected_item(&self) -> Option<&PageItem> {
        self.items.get(self.list.cursor())
    }

    /// Returns the whole page as text, without its hints.
    pub(crate) fn text(&self) -> String {
        let items = self.items.iter();
        let texts = items.map(|item| plain_text(&item.paragraphs));
        texts.collect::<Vec<_>>().join("\n")
    }

    /// Moves, if the action does.
    pub(crate) fn handle_action(&mut self, action: Action) -> Moved {
        let items = &self.items;
        self.list.handle_action(action, &|at, width| {
            let item = items.get(at);
            lay_out(item.map_or(&[], |item| &item.paragraphs), width)
        })
    }

    /// Draws what is in sight; the item under the cursor has a mark before each of its lines. Clicks reach a
    /// page that has the focus.
    pub(crate) fn draw(
        &mut self,
        buffer: &mut Buffer,
        area: Rect,
        context: DrawContext<'_>,
        focus: Focus,
    ) {
        let items = &self.items;
        let lay_out = |at: usize, width: usize| {
            items
                .get(at)
                .map_or_else(Vec::new, |item| lay_out_with_hint(item, width, context))
        };
        self.list.draw(buffer, area, context, focus, &lay_out);
    }
}

/// Lays an item out with its hint, keys in the place of their marks.
fn lay_out_with_hint(item: &PageItem, width: usize, context: DrawContext<'_>) -> Vec<StyledLine> {
    let Some(hint) = &item.hint else {
        return lay_out(&item.paragraphs, width);
    };
    let mut page = item.paragraphs.clone();
    let hint = (Role::Muted, context.spell_keys(hint));
    match page.last_mut() {
        Some(last) => last.runs.push(hint),
        None => page.push(Paragraph::new(hint.0, hint.1)),
    }
    lay_out(&page, width)
}
