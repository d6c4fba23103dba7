//! Drawing of the prompt trial: the prompt and turn, a strip of all columns, and the columns below.

use super::Try;
use crate::tui::app::DrawContext;
use crate::tui::theme::{Look, Role};
use crate::tui::widgets::{ColumnHead, Paragraph, StyledLine, count_cells, draw_text};
use elenchus_run::drafts::prompt_trial::TrialLayout;
use ratatui::buffer::Buffer;
use ratatui::layout::{Constraint, Layout, Position, Rect};

/// A narrower column is hard to read next to another.
pub(super) const MIN_COLUMN: u16 = 46;
/// Space between two tabs of the strip, so that a result does not run into the next number.
const TAB_GAP: &str = "  ";

impl Try {
    pub(super) fn draw_trial(
        &mut self,
        buffer: &mut Buffer,
        area: Rect,
        context: DrawContext<'_>,
    ) -> Option<Position> {
        let look = context.look;
        let rows = [
            Constraint::Length(1),
            Constraint::Length(1),
            Constraint::Fill(1),
            Constraint::Length(1),
        ];
        let [head, strip, body, foot] = Layout::vertical(rows).areas(area);
        draw_text(buffer, head, look, &[self.trial.heading()]);
        let below = self.trial.footer(self.replies.show);
        draw_text(buffer, foot, look, &[below]);
        if let Err(why) = &self.trial.card {
            let empty = Paragraph::new(Role::Notice, why.to_string()).with_indent(1, 1);
            draw_text(buffer, body, look, &[empty]);
            return None;
        }
        let tabs = self.lay_out_tabs(strip.width.into(), look);
        tabs.draw(buffer, strip, look);
        self.draw_columns(buffer, body, context);
        let (asking, card) = (self.asking.as_ref()?, self.trial.card.as_ref().ok()?);
        asking.draw(area, buffer, context, card)
    }

    fn draw_columns(&mut self, buffer: &mut Buffer, area: Rect, context: DrawContext<'_>) {
        let columns = &mut self.replies.columns;
        let column_indices = columns.visible_columns(area.width);
        let layout = match column_indices.len() {
            0 | 1 => TrialLayout::Woven,
            _ => TrialLayout::Beside,
        };
        // The sample under the cursor, or else the first one in sight.
        let first = column_indices.get(1).copied();
        let against = Some(columns.cursor()).filter(|at| *at > 0).or(first);
        if self.last_comparison != (layout, against) {
            self.last_comparison = (layout, against);
            columns.forget_layouts();
        }
        let trial = &self.trial;
        let head = |at| ColumnHead {
            title: trial.column_title(at),
            grows: trial.is_growing(at),
        };
        let page = |at, show| trial.column_page(at, against, (layout, show));
        self.replies.draw(buffer, area, context, head, page);
    }

    /// The strip of all columns, with the one under the cursor on it.
    fn lay_out_tabs(&self, width: usize, look: &Look) -> StyledLine {
        let here = self.replies.columns.cursor();
        let tabs: Vec<_> = (0..self.trial.column_count())
            .map(|at| self.trial.column_tab(at))
            .collect();
        let widths: Vec<usize> = tabs
            .iter()
            .map(|tab| 1 + count_cells(&tab.name) + count_cells(&tab.finding) + TAB_GAP.len())
            .collect();
        let used = |from: usize| -> usize {
            let some = widths.get(from..=here);
            some.map_or(0, |some| some.iter().sum())
        };
        let from = (0..here).find(|from| used(*from) <= width).unwrap_or(here);
        let mut runs = Vec::new();
        for (at, tab) in tabs.into_iter().enumerate().skip(from) {
            let (mark, name) = match at == here {
                true => (look.glyphs().focus, Role::Strong),
                false => (" ", Role::Muted),
            };
            runs.push((name, format!("{mark}{}", tab.name)));
            runs.push((tab.role, tab.finding));
            runs.push((Role::Text, TAB_GAP.to_owned()));
        }
        StyledLine::from_runs(runs)
    }
}
