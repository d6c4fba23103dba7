//! Drawing of the prompt trial: the prompt and turn, a strip of all columns, and the columns below.

use super::Try;
use crate::tui::app::DrawContext;
use crate::tui::theme::{Look, Role};
use crate::tui::widgets::{ColumnHead, Paragraph, StyledLine, cells, draw_text};
use elenchus_run::drafts::prompt_trial::TrialLayout;
use ratatui::buffer::Buffer;
use ratatui::layout::{Constraint, Layout, Position, Rect};

/// A narrower column is hard to read next to another.
pub(super) const MIN_COLUMN: u16 = 46;
/// Space between two tabs of the strip, so that a result does not run into the next number.
const TAB_GAP: &str = "  ";

impl Try {
    pub(super) fn paint(
        &mut self,
        buffer: &mut Buffer,
        area: Rect,
        brush: DrawContext<'_>,
    ) -> Option<Position> {
        let look = brush.look;
        let rows = [
            Constraint::Length(1),
            Constraint::Length(1),
            Constraint::Fill(1),
            Constraint::Length(1),
        ];
        let [head, strip, body, foot] = Layout::vertical(rows).areas(area);
        draw_text(buffer, head, look, &[self.trial.heading()]);
        let below = self.trial.foot(self.replies.show);
        draw_text(buffer, foot, look, &[below]);
        if let Err(why) = &self.trial.card {
            let empty = Paragraph::of(Role::Notice, why.clone()).indented(1, 1);
            draw_text(buffer, body, look, &[empty]);
            return None;
        }
        let tabs = self.strip(strip.width.into(), look);
        tabs.put(buffer, strip, look);
        self.draw_columns(buffer, body, brush);
        let (asking, card) = (self.asking.as_ref()?, self.trial.card.as_ref().ok()?);
        asking.draw(area, buffer, brush, card)
    }

    fn draw_columns(&mut self, buffer: &mut Buffer, area: Rect, brush: DrawContext<'_>) {
        let columns = &mut self.replies.columns;
        let shown = columns.in_sight(area.width);
        let layout = match shown.len() {
            0 | 1 => TrialLayout::Woven,
            _ => TrialLayout::Beside,
        };
        // The sample under the cursor, or else the first one in sight.
        let first = shown.get(1).copied();
        let against = Some(columns.cursor()).filter(|at| *at > 0).or(first);
        if self.compared != (layout, against) {
            self.compared = (layout, against);
            columns.forget();
        }
        let trial = &self.trial;
        let head = |at| ColumnHead {
            title: trial.title(at),
            grows: trial.grows(at),
        };
        let page = |at, show| trial.page(at, against, (layout, show));
        self.replies.draw(buffer, area, brush, head, page);
    }

    /// The strip of all columns, with the one under the cursor on it.
    fn strip(&self, width: usize, look: &Look) -> StyledLine {
        let here = self.replies.columns.cursor();
        let tabs: Vec<_> = (0..self.trial.columns())
            .map(|at| self.trial.tab(at))
            .collect();
        let widths: Vec<usize> = tabs
            .iter()
            .map(|tab| 1 + cells(&tab.name) + cells(&tab.found) + TAB_GAP.len())
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
            runs.push((tab.role, tab.found));
            runs.push((Role::Text, TAB_GAP.to_owned()));
        }
        StyledLine::from_runs(runs)
    }
}
