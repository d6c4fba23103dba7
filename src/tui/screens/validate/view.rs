//! Drawing of the validation screen: tabs, the matrix, and figures or turns.

use super::{Turns, Validate};
use crate::tui::app::DrawContext;
use crate::tui::components::rows::cut_to_width;
use crate::tui::keys::{Action, Context, key_for};
use crate::tui::theme::Role;
use crate::tui::widgets::{
    Focus, Paragraph, Split, StyledLine, count_cells, draw_frame, draw_lines, draw_tabs, draw_text,
    head_and_body,
};
use elenchus_metrics::{BlindingRule, ConfusionMatrix};
use ratatui::buffer::Buffer;
use ratatui::layout::{Constraint, Layout, Rect};

/// From this width on, matrix and figures are side by side.
const WIDE: u16 = 120;
/// Columns of the matrix where they do.
const MATRIX: u16 = 48;
/// The narrowest column of the matrix.
const MIN_COLUMN: usize = 8;

impl Validate {
    pub(super) fn draw_report(
        &mut self,
        buffer: &mut Buffer,
        area: Rect,
        context: DrawContext<'_>,
    ) {
        let [title, head, body] = Layout::vertical([
            Constraint::Length(1),
            Constraint::Length(1),
            Constraint::Fill(1),
        ])
        .areas(area);
        draw_text(buffer, title, context.look, &[self.build_title(area.width)]);
        let names = self.result.as_ref().map_or_else(Vec::new, |known| {
            let subjects = known.validation.list_subjects().into_iter();
            subjects.map(|one| known.validation.name_of(one)).collect()
        });
        let hint = match names.len() {
            0 | 1 => String::new(),
            many => {
                let key = key_for(Context::Validate, Action::FocusNext);
                context.spell_keys(&format!("{} of {many}, {key} shows the next", self.tab + 1))
            }
        };
        draw_tabs(buffer, head, context.look, &names, self.tab, &hint);
        let Some(matrix) = self
            .selected_evaluator()
            .map(|evaluator| evaluator.matrix.clone())
        else {
            self.draw_page(buffer, body, context);
            return;
        };
        // A line of names, and the frame.
        let rows = u16::try_from(matrix.gold.len() + 3).unwrap_or(u16::MAX);
        let split = Split {
            wide: WIDE,
            left: Constraint::Length(MATRIX),
            above: Constraint::Length(rows.min(body.height * 2 / 3)),
        };
        let [left, right] = split.split_area(body);
        self.draw_matrix(buffer, left, context, &matrix);
        match &self.turns {
            Some(turns) => self.draw_turns(buffer, right, context, turns),
            None => self.draw_page(buffer, right, context),
        }
    }

    fn build_title(&self, width: u16) -> Paragraph {
        let mut title = Paragraph::new(Role::Strong, "validate ");
        let (Some(known), Some(section)) = (&self.result, self.selected_section()) else {
            return title.with_run(Role::Notice, self.empty.clone());
        };
        let set = &known.validation.classes.set;
        title = title.with_run(Role::Text, format!("label set {set}"));
        // Before what a narrow screen cuts off: names of labels may be long.
        if section.simulated {
            title = title.with_run(Role::Simulated, " SIMULATED");
        }
        if self.request.blindfold == BlindingRule::Any {
            title = title.with_run(Role::Warning, ", with labels not given blind");
        }
        if let Some(evaluator) = self.selected_evaluator() {
            let turn_count = evaluator.matrix.judged_count();
            let text = format!(
                ", {turn_count} labelled and judged, positive is {}",
                evaluator.positive
            );
            let used: usize = title.runs.iter().map(|(_, text)| count_cells(text)).sum();
            let room = usize::from(width).saturating_sub(used);
            title = title.with_run(Role::Text, cut_to_width(&text, room));
        }
        title
    }

    fn draw_matrix(
        &self,
        buffer: &mut Buffer,
        area: Rect,
        context: DrawContext<'_>,
        matrix: &ConfusionMatrix,
    ) {
        let look = context.look;
        let focus = match self.turns {
            Some(_) => Focus::Unfocused,
            None => Focus::Focused,
        };
        let title = "rows: gold label, columns: verdict";
        let inner = draw_frame(area, buffer, look, title, focus);
        let columns = matrix.found.len().max(1);
        let width = usize::from(inner.width);
        let names = matrix.gold.iter().map(|name| name.chars().count()).max();
        let name_width = (names.unwrap_or(0) + 2).clamp(8, (width / 3).max(8));
        let column = (width.saturating_sub(name_width) / columns).clamp(MIN_COLUMN, 16);
        let mut text = format!("{:name_width$}", "");
        for name in &matrix.found {
            text.push_str(&format!("{:>column$}", cut_to_width(name, column - 2)));
        }
        let [head, body] = head_and_body(inner, 1);
        StyledLine::from_text(Role::Muted, text).draw(buffer, head, look);
        let lines = matrix.gold.iter().enumerate().map(|(at, name)| {
            let name = cut_to_width(name, name_width - 1);
            let mut runs = vec![(Role::Text, format!("{name:<name_width$}"))];
            let cells = matrix.cells.iter().skip(at * columns).take(columns);
            for (place, cell) in cells.enumerate() {
                let is_chosen = self.cell == (at, place);
                // Marked by a glyph as well: colour alone is not enough.
                let (mark, role) = match is_chosen {
                    true => (look.glyphs().cursor, Role::Selection),
                    false => (" ", Role::Strong),
                };
                let room = column - 1;
                let count = format!("{:>room$}", cell.turns.len());
                let spaces = count.chars().take_while(|c| *c == ' ').count();
                let (blank, count) = count.split_at(spaces);
                runs.push((Role::Text, blank.to_owned()));
                runs.push((Role::Accent, mark.to_owned()));
                runs.push((role, count.to_owned()));
            }
            StyledLine::from_runs(runs)
        });
        draw_lines(buffer, body, look, &lines.collect::<Vec<_>>());
    }

    fn draw_page(&mut self, buffer: &mut Buffer, area: Rect, context: DrawContext<'_>) {
        let title = match self.selected_evaluator() {
            Some(_) => "what it says",
            None => "between people",
        };
        let inner = draw_frame(area, buffer, context.look, title, Focus::Unfocused);
        let mut page = std::mem::take(&mut self.page);
        page.draw(buffer, inner, context.look, |width| {
            let text = self.format_subject(width);
            let line = |text: &str| match text.starts_with('!') {
                true => StyledLine::from_text(Role::Warning, text),
                false => StyledLine::from_text(Role::Text, text),
            };
            text.lines().map(line).collect()
        });
        self.page = page;
    }

    fn draw_turns(&self, buffer: &mut Buffer, area: Rect, context: DrawContext<'_>, turns: &Turns) {
        let title = format!("gold {}, verdict {}", turns.gold, turns.verdict);
        let inner = draw_frame(area, buffer, context.look, &title, Focus::Focused);
        context.rows.note_rows(turns.rows, inner);
        turns.rows.draw(buffer, inner, context.look, |at, width| {
            let text = turns.places.get(at).map_or_else(String::new, |place| {
                let topic = context.content.show_or_mask(&place.topic);
                format!("{}  {}  {topic}", place.turn, place.session)
            });
            StyledLine::from_text(Role::Text, cut_to_width(&text, width))
        });
    }
}
