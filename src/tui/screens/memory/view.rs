//! Drawing of the memory screen: namespaces above, the list, and the page of the chosen entry.

use super::{Memory, MemoryPane, memory_key};
use crate::tui::app::DrawContext;
use crate::tui::components::rows::cut_to_width;
use crate::tui::keys::Action;
use crate::tui::theme::Role;
use crate::tui::widgets::{
    Focus, Paragraph, Split, StyledLine, count_cells, draw_frame, draw_lines, draw_text,
    head_and_body, lay_out,
};
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

/// From this width on, list and page are side by side.
const WIDE: u16 = 120;
/// Rows for the namespaces and what is listed.
const HEAD: u16 = 2;

impl Memory {
    pub(super) fn draw_memory(
        &mut self,
        buffer: &mut Buffer,
        area: Rect,
        context: DrawContext<'_>,
    ) -> Option<Position> {
        if self.content != context.content {
            self.content = context.content;
            self.settle_page();
        }
        let look = context.look;
        let [head, body] = head_and_body(area, HEAD.min(area.height));
        draw_lines(buffer, head, look, &self.lay_out_head(area.width, context));
        let panes = Split::with_share(WIDE, 50, body.height * 2 / 5);
        let [list, page] = panes.split_area(body);
        for (pane, area) in [(MemoryPane::List, list), (MemoryPane::Page, page)] {
            let (pane, focus) = (pane as usize, self.focus as usize);
            context.rows.note_pane(area, pane, focus);
        }
        self.draw_list(buffer, list, context);
        self.draw_page(buffer, page, context);
        let cursor = self.acts.draw(body, buffer, context);
        let cursor = cursor.or_else(|| self.replicates.draw(area, buffer, context));
        cursor.or_else(|| self.dialog.as_ref()?.draw(area, buffer, context))
    }

    fn lay_out_head(&self, width: u16, context: DrawContext<'_>) -> Vec<StyledLine> {
        let width = usize::from(width);
        let mut names = self.memory.namespace_names(width / 2);
        if self.memory.namespace_count() > 1 {
            let (left, right) = (memory_key(Action::Left), memory_key(Action::Right));
            let others = format!("{left} and {right} go to the others");
            names = names.with_run(Role::Muted, others);
        }
        let lines = [names, self.memory.describe_listing(self.content)].map(|mut line| {
            for (role, text) in &mut line.runs {
                if *role == Role::Muted {
                    *text = context.spell_keys(text);
                }
            }
            lay_out(&[line], width)
        });
        let first = lines
            .into_iter()
            .flat_map(|lines| lines.into_iter().take(1));
        first.collect()
    }

    fn focus_of(&self, pane: MemoryPane) -> Focus {
        match self.focus == pane {
            true => Focus::Focused,
            false => Focus::Unfocused,
        }
    }

    fn draw_list(&self, buffer: &mut Buffer, area: Rect, context: DrawContext<'_>) {
        let (look, focus) = (context.look, self.focus_of(MemoryPane::List));
        let inner = draw_frame(area, buffer, look, self.memory.titles().0, focus);
        if let Some(text) = self.memory.empty_words() {
            let text = Paragraph::new(Role::Notice, context.spell_keys(&text));
            draw_text(buffer, inner, look, &[text]);
            return;
        }
        if focus == Focus::Focused {
            context.rows.note_rows(self.list_cursor(), inner);
        }
        self.list_cursor().draw(buffer, inner, look, |at, width| {
            let Some(row) = self.memory.entry_row(at, context.content) else {
                return StyledLine::default();
            };
            let used: usize = row.before.iter().map(|(_, text)| count_cells(text)).sum();
            let mut runs = row.before;
            runs.push((
                row.role,
                cut_to_width(&row.text, width.saturating_sub(used)),
            ));
            StyledLine::from_runs(runs)
        });
    }

    fn draw_page(&mut self, buffer: &mut Buffer, area: Rect, context: DrawContext<'_>) {
        let focus = self.focus_of(MemoryPane::Page);
        let inner = draw_frame(area, buffer, context.look, self.memory.titles().1, focus);
        self.page.draw(buffer, inner, context, focus);
    }
}
