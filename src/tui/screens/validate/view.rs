//! Drawing of the validation screen: tabs, the matrix, and figures or turns.

use super::{Tab, Turns, Validate};
use crate::metrics::{BlindingRule, ConfusionMatrix};
use crate::tui::app::DrawContext;
use crate::tui::screens::rows::{cut, row};
use crate::tui::theme::Role;
use crate::tui::widgets::Paragraph;
use crate::tui::widgets::{Focus, cells, frame};
use crate::tui::widgets::{StyledLine, lay_out};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

/// From this width on, matrix and figures are side by side.
const WIDE: u16 = 120;
/// Columns of the matrix where they do.
const MATRIX: u16 = 48;
/// Rows for the title and the tabs.
const HEAD: u16 = 2;
/// The narrowest column of the matrix.
const MIN_COLUMN: usize = 8;

impl Validate {
    pub(super) fn paint(&mut self, buffer: &mut Buffer, area: Rect, brush: DrawContext<'_>) {
        for (y, line) in (area.y..).zip(self.head(area.width)) {
            line.put(buffer, row(area, y), brush.look);
        }
        let body = Rect {
            y: area.y + HEAD.min(area.height),
            height: area.height.saturating_sub(HEAD),
            ..area
        };
        let Some(matrix) = self.evaluator().map(|evaluator| evaluator.matrix.clone()) else {
            self.draw_page(buffer, body, brush);
            return;
        };
        let (left, right) = split(body, matrix.gold.len());
        self.draw_matrix(buffer, left, brush, &matrix);
        match &self.turns {
            Some(turns) => self.draw_turns(buffer, right, brush, turns),
            None => self.draw_page(buffer, right, brush),
        }
    }

    fn head(&self, width: u16) -> Vec<StyledLine> {
        let mut title = Paragraph::of(Role::Strong, "validate ");
        let mut tabs = Paragraph::of(Role::Muted, "");
        match (&self.known, self.section()) {
            (Some(known), Some(section)) => {
                let set = &known.validation.classes.set;
                title = title.and(Role::Text, format!("label set {set}"));
                // Before what a narrow screen cuts off: names of labels may be long.
                if section.simulated {
                    title = title.and(Role::Simulated, " SIMULATED");
                }
                if self.wish.blindfold == BlindingRule::Any {
                    title = title.and(Role::Warning, ", with labels not given blind");
                }
                if let Some(evaluator) = self.evaluator() {
                    let text = format!(", positive is {}", evaluator.positive);
                    let used: usize = title.runs.iter().map(|(_, text)| cells(text)).sum();
                    let room = usize::from(width).saturating_sub(used);
                    title = title.and(Role::Text, cut(&text, room));
                }
                tabs = self.tab_line(usize::from(width));
            }
            (_, _) => title = title.and(Role::Notice, self.empty.clone()),
        }
        let first = |paragraph| {
            let lines = lay_out(&[paragraph], usize::from(width));
            lines.into_iter().next().unwrap_or_default()
        };
        vec![first(title), first(tabs)]
    }

    /// The tabs from the one on from which the chosen one is in sight.
    fn tab_line(&self, width: usize) -> Paragraph {
        let names: Vec<String> = self.tabs().into_iter().map(|tab| self.name(tab)).collect();
        let mut first = self.tab;
        let mut used = names.get(first).map_or(0, |name| name.chars().count() + 3);
        while let Some(before) = first.checked_sub(1) {
            used += names.get(before).map_or(0, |name| name.chars().count() + 3);
            if used > width {
                break;
            }
            first = before;
        }
        let mut line = Paragraph::of(Role::Text, "");
        for (at, name) in names.iter().enumerate().skip(first) {
            let role = match at == self.tab {
                true => Role::Selection,
                false => Role::Muted,
            };
            line = line.and(role, format!(" {name} ")).and(Role::Text, " ");
        }
        line
    }

    fn name(&self, tab: Tab) -> String {
        let sections = self.known.as_ref().map(|known| &known.validation.sections);
        let section = |at: usize| sections.and_then(|sections| sections.get(at));
        match tab {
            Tab::Evaluator(at, one) => {
                let evaluator = section(at).and_then(|section| section.evaluators.get(one));
                evaluator.map_or(String::new(), |evaluator| evaluator.evaluator.clone())
            }
            Tab::People(_) => "people".to_owned(),
        }
    }

    fn draw_matrix(
        &self,
        buffer: &mut Buffer,
        area: Rect,
        brush: DrawContext<'_>,
        matrix: &ConfusionMatrix,
    ) {
        let look = brush.look;
        let focus = match self.turns {
            Some(_) => Focus::Unfocused,
            None => Focus::Focused,
        };
        let inner = frame(
            area,
            buffer,
            look,
            "rows: gold label, columns: verdict",
            focus,
        );
        let columns = matrix.found.len().max(1);
        let width = usize::from(inner.width);
        let names = matrix.gold.iter().map(|name| name.chars().count()).max();
        let name_width = (names.unwrap_or(0) + 2).clamp(8, (width / 3).max(8));
        let column = (width.saturating_sub(name_width) / columns).clamp(MIN_COLUMN, 16);
        let mut head = format!("{:name_width$}", "");
        for name in &matrix.found {
            head.push_str(&format!("{:>column$}", cut(name, column - 2)));
        }
        let head = StyledLine {
            indent: 0,
            runs: vec![(Role::Muted, head)],
        };
        head.put(buffer, row(inner, inner.y), look);
        for (at, (y, name)) in (inner.y + 1..inner.bottom()).zip(&matrix.gold).enumerate() {
            let name = cut(name, name_width - 1);
            let mut runs = vec![(Role::Text, format!("{name:<name_width$}"))];
            let cells = matrix.cells.iter().skip(at * columns).take(columns);
            for (place, cell) in cells.enumerate() {
                let chosen = self.cell == (at, place);
                // Marked by a glyph as well: colour alone is not enough.
                let mark = if chosen { look.glyphs().cursor } else { " " };
                let room = column - 1;
                let count = format!("{:>room$}", cell.turns.len());
                let spaces = count.chars().take_while(|c| *c == ' ').count();
                let (blank, count) = count.split_at(spaces);
                let role = if chosen {
                    Role::Selection
                } else {
                    Role::Strong
                };
                runs.push((Role::Text, blank.to_owned()));
                runs.push((Role::Accent, mark.to_owned()));
                runs.push((role, count.to_owned()));
            }
            let line = StyledLine { indent: 0, runs };
            line.put(buffer, row(inner, y), look);
        }
    }

    fn draw_page(&mut self, buffer: &mut Buffer, area: Rect, brush: DrawContext<'_>) {
        let title = match self.evaluator() {
            Some(_) => "what it says",
            None => "between people",
        };
        let inner = frame(area, buffer, brush.look, title, Focus::Unfocused);
        self.height = usize::from(inner.height).max(1);
        let height = self.height;
        let lines = self.lines(usize::from(inner.width)).to_vec();
        self.top = self.top.min(lines.len().saturating_sub(height));
        for (y, text) in (inner.y..inner.bottom()).zip(lines.iter().skip(self.top)) {
            let role = match text.starts_with('!') {
                true => Role::Warning,
                false => Role::Text,
            };
            let line = StyledLine {
                indent: 0,
                runs: vec![(role, text.clone())],
            };
            line.put(buffer, row(inner, y), brush.look);
        }
    }

    fn draw_turns(&self, buffer: &mut Buffer, area: Rect, brush: DrawContext<'_>, turns: &Turns) {
        let look = brush.look;
        let title = format!("gold {}, verdict {}", turns.gold, turns.found);
        let inner = frame(area, buffer, look, &title, Focus::Focused);
        let top = turns.rows.top(inner.height);
        let shown = turns.places.iter().enumerate().skip(top);
        for (y, (at, place)) in (inner.y..inner.bottom()).zip(shown) {
            let chosen = turns.rows.chosen() == Some(at);
            let (mark, role) = match chosen {
                true => (look.glyphs().cursor, Role::Selection),
                false => (" ", Role::Text),
            };
            let topic = self.content.of(&place.topic);
            let text = format!("{}  {}  {topic}", place.turn, place.session);
            let room = usize::from(inner.width).saturating_sub(2);
            let line = StyledLine {
                indent: 0,
                runs: vec![(Role::Accent, format!("{mark} ")), (role, cut(&text, room))],
            };
            line.put(buffer, row(inner, y), look);
        }
    }
}

/// Areas of the matrix and the page: side by side, or one over the other.
fn split(area: Rect, rows: usize) -> (Rect, Rect) {
    if area.width >= WIDE {
        let left = Rect {
            width: MATRIX,
            ..area
        };
        let right = Rect {
            x: area.x + MATRIX,
            width: area.width - MATRIX,
            ..area
        };
        return (left, right);
    }
    // A line of names, and the frame.
    let above = u16::try_from(rows + 3).unwrap_or(area.height);
    let above = above.min(area.height * 2 / 3);
    let top = Rect {
        height: above,
        ..area
    };
    let below = Rect {
        y: area.y + above,
        height: area.height - above,
        ..area
    };
    (top, below)
}
