//! Drawing of the inspector.

use super::{Inspector, MessageEditor};
use crate::tui::app::DrawContext;
use crate::tui::components::tagged_text::{TAG, lay_out_part};
use crate::tui::theme::Role;
use crate::tui::widgets::{
    Content, Focus, LayOut, Paragraph, ScrollList, StyledLine, body_and_foot, draw_text,
    draw_top_lines, lay_out,
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
    pub(super) fn update_list(&mut self, how: impl FnOnce(&mut ScrollList, LayOut<'_>)) {
        let mut list = std::mem::take(&mut self.list);
        how(&mut list, &|item, width| self.lay_out_item(item, width));
        self.list = list;
    }

    pub(super) fn draw_inspector(
        &mut self,
        buffer: &mut Buffer,
        area: Rect,
        context: DrawContext<'_>,
    ) -> Option<Position> {
        let look = context.look;
        self.inspection.set_content(context.content);
        self.marking = look.marking();
        let head = self.lay_out_head(usize::from(area.width));
        let area = draw_top_lines(buffer, area, look, &head);
        let [body, last] = body_and_foot(area, 1);
        draw_text(buffer, last, look, &[self.build_foot(context)]);
        match (&self.editing, context.content) {
            (Some(editing), Content::Shown) => Some(editing.editor.draw(body, buffer, look)),
            // The text would show in an editor that was opened before content was masked.
            (Some(_), Content::Masked) => None,
            (None, _) => {
                self.update_list(|list, lay_out| {
                    list.draw(buffer, body, context, Focus::Focused, lay_out);
                });
                None
            }
        }
    }

    fn lay_out_head(&self, width: usize) -> Vec<StyledLine> {
        let pages = self.inspection.pages();
        let (Some(title), Some(view)) = (self.inspection.title(), pages.current_view()) else {
            return Vec::new();
        };
        let part = |page: &[Paragraph], most| lay_out(page, width).into_iter().take(most);
        let title = part(&[title], MAX_TITLE);
        let facts = part(&view.all_facts(), MAX_FACTS);
        let legend = part(pages.build_legend().as_slice(), MAX_LEGEND);
        title.chain(facts).chain(legend).collect()
    }

    fn build_foot(&self, context: DrawContext<'_>) -> Paragraph {
        let Some(MessageEditor { message, .. }) = self.editing else {
            return context.spell_paragraph(self.inspection.footer(self.list.cursor()));
        };
        let text = match context.content {
            Content::Shown => format!(
                "message {}: Ctrl-D uses the text, Esc does not, Ctrl-E your own editor",
                message + 1
            ),
            Content::Masked => "content is masked: Esc leaves the editor".to_owned(),
        };
        Paragraph::new(Role::Accent, text)
    }

    /// Lays one item out.
    fn lay_out_item(&self, item: usize, width: usize) -> Vec<StyledLine> {
        let inspection = &self.inspection;
        let item_text =
            inspection
                .pages()
                .build_item_text(item, inspection.view_options(), self.marking);
        match item_text {
            ViewItemText::Part {
                heading,
                origin,
                role,
                text,
            } => {
                let mut lines = lay_out(&heading, width);
                lines.extend(lay_out_part(&origin, role, &text, width));
                lines
            }
            ViewItemText::Differences { heading, page } => {
                let page = page.into_iter().map(|line| line.with_indent(TAG, TAG));
                let page: Vec<Paragraph> = heading.into_iter().chain(page).collect();
                lay_out(&page, width)
            }
            ViewItemText::Page(page) => lay_out(&page, width),
        }
    }
}
