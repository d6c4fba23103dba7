//! Drawing of the validation screen: the table of evaluators; tabs, the matrix and figures of one; turns.

use super::cell_turns::CellList;
use super::{PageKind, Validate};
use crate::tui::app::DrawContext;
use crate::tui::components::rows::cut_to_width;
use crate::tui::keys::{Action, Context, key_for};
use crate::tui::theme::Role;
use crate::tui::widgets::{
    Focus, Paragraph, Split, StyledLine, count_cells, draw_frame, draw_lines, draw_tabs, draw_text,
    head_and_body,
};
use elenchus_metrics::{BlindingRule, ConfusionMatrix, OVERVIEW_COLUMNS};
use ratatui::buffer::Buffer;
use ratatui::layout::{Constraint, Layout, Rect};

/// From this width on, matrix and figures are side by side.
const WIDE: u16 = 120;
/// Columns of the matrix where they do.
const MATRIX: u16 = 48;
/// Head of the names.
const FIRST_HEAD: &str = "evaluator";
/// From this width on, the heads of the table are written out.
const WITH_LONG_HEADS: usize = 96;
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
        if let Some(turns) = &self.turns {
            let below = head.union(body);
            return self.draw_turns(buffer, below, context, turns);
        }
        if self.page_kind == PageKind::Table {
            return self.draw_table(buffer, head.union(body), context);
        }
        let names = self.result.as_ref().map_or_else(Vec::new, |known| {
            let subjects = known.validation.list_subjects().into_iter();
            subjects.map(|one| known.validation.name_of(one)).collect()
        });
        let hint = match names.len() {
            0 | 1 => String::new(),
            many => {
                let key = key_for(Context::Validate, Action::FocusNext);
                context.spell_keys(&format!(
                    "{} of {many}, {key} shows the next",
                    self.subject + 1
                ))
            }
        };
        draw_tabs(buffer, head, context.look, &names, self.subject, &hint);
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
        self.draw_page(buffer, right, context);
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
        let counted = match self.request.blindfold {
            BlindingRule::BlindOnly => "",
            BlindingRule::Any => ", with labels not given blind",
            BlindingRule::AfterReasons => ", only labels after the judge's reasons",
        };
        title = title.with_run(Role::Warning, counted);
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
        let title = "rows: gold label, columns: verdict";
        let inner = draw_frame(area, buffer, look, title, Focus::Focused);
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

    fn longest_name(&self) -> usize {
        let names = self.overview.rows.iter().map(|row| count_cells(&row.name));
        names.chain([count_cells(FIRST_HEAD)]).max().unwrap_or(0)
    }

    /// Draws the table of evaluators, and why labels stand in several places.
    fn draw_table(&self, buffer: &mut Buffer, area: Rect, context: DrawContext<'_>) {
        let look = context.look;
        let inner = draw_frame(area, buffer, look, "evaluators", Focus::Focused);
        let Some(known) = &self.result else {
            let text = Paragraph::new(Role::Notice, self.empty.clone());
            draw_text(buffer, inner, look, &[text]);
            return;
        };
        if self.rows.row_count() == 0 {
            let text = Paragraph::new(Role::Notice, self.empty.clone());
            draw_text(buffer, inner, look, &[text]);
            return;
        }
        let [head, body] = head_and_body(inner, 1);
        let [_, head] =
            Layout::horizontal([Constraint::Length(2), Constraint::Fill(1)]).areas(head);
        let columns = TableColumns::from_width(head.width.into(), self.longest_name());
        let heads = columns.heads.map(str::to_owned);
        let text = columns.lay_out(FIRST_HEAD, &heads);
        StyledLine::from_text(Role::Muted, text).draw(buffer, head, look);
        let rows = u16::try_from(self.rows.row_count()).unwrap_or(u16::MAX);
        let reasons = known.validation.describe_division().into_iter();
        let reasons: Vec<Paragraph> = reasons
            .flat_map(|text| [Paragraph::gap(), Paragraph::new(Role::Muted, text)])
            .collect();
        let [list, below] =
            Layout::vertical([Constraint::Max(rows), Constraint::Fill(1)]).areas(body);
        context.rows.note_rows(self.rows, list);
        self.rows.draw(buffer, list, look, |at, width| {
            match self.overview.rows.get(at) {
                Some(row) => {
                    let text = columns.lay_out(&row.name, &row.cells);
                    StyledLine::from_text(Role::Text, text)
                }
                None => {
                    let text = self.overview.describe_unlabelled().unwrap_or_default();
                    StyledLine::from_text(Role::Muted, cut_to_width(&text, width))
                }
            }
        });
        draw_text(buffer, below, look, &reasons);
    }

    fn draw_turns(
        &self,
        buffer: &mut Buffer,
        area: Rect,
        context: DrawContext<'_>,
        turns: &CellList,
    ) {
        let evaluator = self.selected_evaluator();
        let evaluator = evaluator.map_or("", |one| one.evaluator.as_str());
        let (gold, verdict) = (&turns.gold, &turns.verdict);
        let title = format!("{evaluator}: gold {gold}, verdict {verdict}");
        let inner = draw_frame(area, buffer, context.look, &title, Focus::Focused);
        turns.draw(buffer, inner, context);
    }

    /// Writes the table as it is copied.
    pub(super) fn format_table(&self, width: usize) -> String {
        let columns = TableColumns::from_width(width, self.longest_name());
        let heads = columns.heads.map(str::to_owned);
        let mut text = columns.lay_out(FIRST_HEAD, &heads);
        for row in &self.overview.rows {
            text.push('\n');
            text.push_str(&columns.lay_out(&row.name, &row.cells));
        }
        if let Some(unlabelled) = self.overview.describe_unlabelled() {
            text.push('\n');
            text.push_str(&unlabelled);
        }
        text.push('\n');
        text
    }
}

/// Columns of the table after the name.
struct TableColumns {
    name: usize,
    heads: [&'static str; 5],
    widths: [usize; 5],
}

impl TableColumns {
    /// Where there is little room, heads are short.
    fn from_width(width: usize, longest: usize) -> Self {
        let (mut heads, mut widths) = (
            OVERVIEW_COLUMNS.map(|(head, _)| head),
            OVERVIEW_COLUMNS.map(|(_, width)| width),
        );
        if width < WITH_LONG_HEADS {
            [heads[1], heads[2]] = ["sens.", "spec."];
            [widths[1], widths[2]] = [8, 8];
        }
        let name = width.saturating_sub(widths.iter().sum()).min(longest);
        Self {
            name,
            heads,
            widths,
        }
    }

    fn lay_out(&self, name: &str, cells: &[String; 5]) -> String {
        let name = cut_to_width(name, self.name);
        let missing = self.name.saturating_sub(count_cells(&name));
        let mut text = format!("{name}{}", " ".repeat(missing));
        for (cell, width) in cells.iter().zip(self.widths) {
            let cell = cut_to_width(cell, width - 1);
            let before = width.saturating_sub(count_cells(&cell));
            text.push_str(&format!("{}{cell}", " ".repeat(before)));
        }
        text
    }
}
