//! Drawing of the inspector.

use super::{Inspector, MessageEditor};
use crate::tui::app::DrawContext;
use crate::tui::components::tagged_text::{TAG, tagged};
use crate::tui::theme::Role;
use crate::tui::widgets::{
    Content, Focus, LayOut, Paragraph, ScrollList, StyledLine, body_and_foot, draw_text, lay_out,
    lines_and_rest,
};
use elenchus_view::seat_view::ViewItemText;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

/// Lines that title, facts and legend take at most, each.
const MAX_TITLE: usize = 2;
const MAX_FACTS: usize = 4;
const MAX_LEGEND: usize = 2;

impl Inspector {
    /// Moves over the page.
    pub(super) fn moved(&mut self, how: impl FnOnce(&mut ScrollList, LayOut<'_>)) {
        let mut roll = std::mem::take(&mut self.roll);
        how(&mut roll, &|item, width| self.lines(item, width));
        self.roll = roll;
    }

    pub(super) fn paint(
        &mut self,
        buffer: &mut Buffer,
        area: Rect,
        brush: DrawContext<'_>,
    ) -> Option<Position> {
        let look = brush.look;
        self.inspection.mask(brush.content);
        self.marking = look.marking();
        let head = self.head(usize::from(area.width));
        let area = lines_and_rest(buffer, area, look, &head);
        let [body, last] = body_and_foot(area, 1);
        draw_text(buffer, last, look, &[self.foot(brush)]);
        match (&self.editing, brush.content) {
            (Some(editing), Content::Shown) => Some(editing.editor.draw(body, buffer, look)),
            // The text would show in an editor that was opened before content was masked.
            (Some(_), Content::Masked) => None,
            (None, _) => {
                self.moved(|roll, lay_out| {
                    roll.draw(buffer, body, brush, Focus::Focused, lay_out);
                });
                None
            }
        }
    }

    fn head(&self, width: usize) -> Vec<StyledLine> {
        let pages = self.inspection.pages();
        let (Some(title), Some(view)) = (self.inspection.title(), pages.view()) else {
            return Vec::new();
        };
        let part = |page: &[Paragraph], most| lay_out(page, width).into_iter().take(most);
        let title = part(&[title], MAX_TITLE);
        let facts = part(&view.all_facts(), MAX_FACTS);
        let legend = part(pages.legend().as_slice(), MAX_LEGEND);
        title.chain(facts).chain(legend).collect()
    }

    fn foot(&self, brush: DrawContext<'_>) -> Paragraph {
        let Some(MessageEditor { message, .. }) = self.editing else {
            return brush.spelled_words(self.inspection.foot(self.roll.cursor()));
        };
        let text = match brush.content {
            Content::Shown => format!(
                "message {}: Ctrl-D uses the text, Esc does not, Ctrl-E your own editor",
                message + 1
            ),
            Content::Masked => "content is masked: Esc leaves the editor".to_owned(),
        };
        Paragraph::of(Role::Accent, text)
    }

    /// Lays one item out.
    fn lines(&self, item: usize, width: usize) -> Vec<StyledLine> {
        let inspection = &self.inspection;
        let shown = inspection
            .pages()
            .item(item, inspection.show(), self.marking);
        match shown {
            ViewItemText::Part {
                heading,
                origin,
                role,
                text,
            } => {
                let mut lines = lay_out(&heading, width);
                lines.extend(tagged(&origin, role, &text, width));
                lines
            }
            ViewItemText::Differences { heading, page } => {
                let page = page.into_iter().map(|line| line.indented(TAG, TAG));
                let page: Vec<Paragraph> = heading.into_iter().chain(page).collect();
                lay_out(&page, width)
            }
            ViewItemText::Page(page) => lay_out(&page, width),
        }
    }
}
