//! Drawing of the matrix screen: the table, and below it the turn of the cell under the cursor.

use super::VerdictMatrix;
use crate::tui::app::DrawContext;
use crate::tui::theme::{Look, Role};
use crate::tui::widgets::{
    Focus, GridColumn, GridFact, GridLine, Paragraph, StyledLine, VerdictGrid, body_and_foot,
    count_cells, draw_frame, draw_line_across, draw_lines, draw_text, draw_top_lines,
    head_and_body, lay_out, tell_apart, verdict_sign,
};
use elenchus_text::cost::format_cost;
use elenchus_text::{Content, Keep, cut_to_width, make_visible};
use elenchus_view::matrix::{CellText, CellVerdict, MatrixCell, MatrixLine};
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use std::collections::BTreeMap;

/// Rows below the table, with the line above them.
const FOOT: u16 = 6;
/// Below this height the foot has fewer rows.
const HIGH: u16 = 20;
const LOW_FOOT: u16 = 4;
/// Cells of a column of arms or checkpoints, of an arm beside a topic, and of a category at most.
const MAX_COLUMN: usize = 16;
const MAX_ARM: usize = 18;
const MAX_CATEGORY: usize = 15;
/// Cells of a word that is long.
const LONG_WORD: usize = 16;

impl VerdictMatrix {
    pub(super) fn draw_matrix(
        &mut self,
        buffer: &mut Buffer,
        area: Rect,
        context: DrawContext<'_>,
    ) -> Option<Position> {
        let look = context.look;
        let inner = draw_frame(area, buffer, look, &self.heading(), Focus::Focused);
        let rows = match area.height {
            HIGH.. => FOOT,
            ..HIGH => LOW_FOOT,
        };
        let [body, foot] = body_and_foot(inner, rows.min(inner.height / 2));
        let head = StyledLine::from_text(Role::Muted, self.describe_order(look));
        let body = draw_top_lines(buffer, body, look, &[head]);
        self.shown.rows = VerdictGrid::line_room(body);
        match self.empty_words() {
            Some(words) => {
                draw_text(buffer, body, look, &[Paragraph::new(Role::Notice, words)]);
            }
            None => self.draw_table(buffer, body, context),
        }
        let [rule, foot] = head_and_body(foot, 1);
        draw_line_across(buffer, rule, look);
        if let Some(prompt) = &self.prompt {
            return Some(prompt.draw(buffer, foot, context));
        }
        let width = usize::from(foot.width);
        let page = self.describe_cell(context.content, width);
        draw_lines(buffer, foot, look, &lay_out(&page, width));
        None
    }

    /// Returns what the frame is called.
    fn heading(&self) -> String {
        match &self.known {
            None => format!("matrix · {}", self.source.title()),
            Some(_) => format!(
                "matrix · {} · {}",
                self.source.title(),
                self.matrix.describe()
            ),
        }
    }

    fn empty_words(&self) -> Option<String> {
        let known = match &self.known {
            None => return Some("reading the debates".to_owned()),
            Some(known) => known,
        };
        if !self.matrix.lines.is_empty() {
            return None;
        }
        Some(match (known.debates.is_empty(), known.unfinished) {
            (false, _) => "no debate fits the filter".to_owned(),
            (true, 0) if !self.source.part_name().is_empty() => {
                "none of these debates can be shown: they left no turn".to_owned()
            }
            (true, 0) => "no debate is over yet: a line appears as one ends".to_owned(),
            (true, open) => format!("{open} of them are not over, and no other has verdicts"),
        })
    }

    /// Says what columns and order are.
    fn describe_order(&self, look: &Look) -> String {
        let arrangement = &self.arrangement;
        let is_falling = arrangement.sort.is_falling() != arrangement.is_reversed;
        let arrow = match is_falling {
            true => look.glyphs().down,
            false => look.glyphs().up,
        };
        let mut parts = vec![
            format!("by {}", arrangement.layout.label()),
            format!("sorted by {} {arrow}", arrangement.sort.label()),
        ];
        parts.extend(self.part_words());
        parts.extend(self.filter_words());
        parts.join(" · ")
    }

    pub(super) fn status_text(&self) -> String {
        let Some(known) = &self.known else {
            return "reading the debates".to_owned();
        };
        let all = self.matrix.turns();
        let (mut bad, mut found) = (0_usize, 0_usize);
        for turn in all {
            bad += usize::from(turn.verdict.is_bad());
            found += usize::from(turn.verdict.is_found());
        }
        let mut words = format!("{bad} of {found} turns wrong or unsafe");
        for (count, what) in [
            (known.unfinished, "not over"),
            (known.unreadable, "cannot be read"),
        ] {
            if count > 0 {
                words.push_str(&format!(" · {count} {what}"));
            }
        }
        words
    }

    fn draw_table(&self, buffer: &mut Buffer, area: Rect, context: DrawContext<'_>) {
        let grid = self.build_grid(context.look);
        let room = grid.title_width(area.width, self.column).into();
        let top = self.lines.top_row(VerdictGrid::line_room(area));
        let in_sight = self.matrix.lines.iter().skip(top);
        let titles = in_sight.take(area.height.into());
        let titles: Vec<&str> = titles.map(|line| line.first_line()).collect();
        let apart = tell_apart(&titles, room, context.look);
        let cursor = (self.lines, self.column);
        grid.draw(buffer, area, context, cursor, |at| {
            let line = self.matrix.lines.get(at);
            line.map_or_else(GridLine::default, |line| {
                Self::build_line(line, &apart, context)
            })
        });
    }

    fn build_grid(&self, look: &Look) -> VerdictGrid {
        let lines = &self.matrix.lines;
        let widest = |text: &dyn Fn(&MatrixLine) -> String, most: usize| {
            let widths = lines.iter().map(|line| count_cells(&text(line)));
            widths.max().unwrap_or(0).min(most)
        };
        let fact = |heading: &'static str, width: usize| GridFact {
            heading,
            width: match width {
                0 => 0,
                width => to_cells(width.max(heading.len())),
            },
        };
        let arm = fact("arm", widest(&describe_arm, MAX_ARM));
        let category = |line: &MatrixLine| line.category.clone().unwrap_or_default();
        let category = fact("category", widest(&category, MAX_CATEGORY));
        let lessons = lines.iter().any(|line| line.lessons.is_some());
        let lessons = fact("lessons", usize::from(lessons));
        let cost = fact(
            "cost",
            widest(&|line| format_cost(line.cost_usd), MAX_COLUMN),
        );
        let mut columns = Vec::new();
        let mut all = (0..).zip(&self.matrix.columns);
        for group in &self.matrix.groups {
            let of_group = all.by_ref().take(group.columns);
            for (place, (at, column)) in of_group.enumerate() {
                let cells = lines.iter().filter_map(|line| line.cells.get(at));
                let cells = cells.map(|cell| count_cells(&cell_text(cell, look).1));
                let heading = count_cells(&column.heading).min(MAX_COLUMN);
                columns.push(GridColumn {
                    heading: column.heading.clone(),
                    width: to_cells(cells.fold(heading, usize::max)),
                    group: (place == 0).then(|| group.heading.clone()),
                });
            }
        }
        VerdictGrid {
            title: "topic",
            before: vec![arm, category],
            columns,
            after: vec![lessons, cost],
        }
    }

    fn build_line(
        line: &MatrixLine,
        apart: &BTreeMap<&str, String>,
        context: DrawContext<'_>,
    ) -> GridLine {
        let title = line.first_line();
        let title = apart.get(title).map_or(title, String::as_str);
        let role = match context.content {
            Content::Masked => Role::Masked,
            Content::Shown => Role::Text,
        };
        let muted = |text: String| (Role::Muted, text);
        let category = line.category.clone().unwrap_or_default();
        let lessons = line.lessons.map(|count| count.to_string());
        GridLine {
            title: vec![(role, context.content.show_or_mask(title))],
            before: vec![muted(describe_arm(line)), muted(category)],
            cells: (line.cells.iter())
                .map(|cell| cell_text(cell, context.look))
                .collect(),
            after: vec![
                muted(lessons.unwrap_or_default()),
                muted(format_cost(line.cost_usd)),
            ],
        }
    }

    /// Returns the whole name of the column under the cursor; empty where there is none.
    fn column_name(&self) -> String {
        let column = self.matrix.columns.get(self.column);
        let name = column.map_or("", |column| column.name.as_str());
        make_visible(name, Keep::Nothing).into_owned()
    }

    /// Returns the turn of the cell under the cursor: who spoke, the first words, and why it was judged so.
    fn describe_cell(&self, content: Content, width: usize) -> Vec<Paragraph> {
        let line = self.lines.selected_row();
        let line = line.and_then(|line| self.matrix.lines.get(line));
        let cell = line.and_then(|line| line.cells.get(self.column));
        let Some((cell, verdict)) = cell.and_then(|cell| Some((cell, cell.verdict()?))) else {
            return match self.column_name() {
                column if column.is_empty() => Vec::new(),
                column => vec![Paragraph::new(Role::Muted, format!("{column}: no verdict"))],
            };
        };
        let mut page = match &self.text {
            _ if verdict == CellVerdict::Hidden => {
                let text = "verdicts of this debate are hidden while you label it";
                vec![Paragraph::new(Role::Notice, text)]
            }
            Some((_, Some(Ok(text)))) => describe_text(text, verdict, content, width),
            Some((_, Some(Err(why)))) => vec![Paragraph::new(Role::Error, why.clone())],
            Some((_, None)) | None => {
                let text = format!("{}, {}", self.column_name(), verdict.word());
                vec![Paragraph::new(verdict.role(), text)]
            }
        };
        if cell.turns.len() > 1 {
            let (bad, found) = (cell.count_bad(), cell.count_found());
            let text = format!(
                "{}: {bad} of {found} turns wrong or unsafe",
                self.column_name()
            );
            page.push(Paragraph::new(Role::Muted, text));
        }
        page
    }
}

/// Says what was said in two lines at most, so that there is room for why it was judged so.
fn describe_text(
    text: &CellText,
    verdict: CellVerdict,
    content: Content,
    width: usize,
) -> Vec<Paragraph> {
    let shown = |text: &str| {
        let text = make_visible(text, Keep::Nothing);
        content.show_or_mask(&text)
    };
    let role = match content {
        Content::Masked => Role::Masked,
        Content::Shown => Role::Text,
    };
    let who = text.describe(verdict);
    // A word that does not fit at the end of the first line goes to the second.
    let room = (2 * width).saturating_sub(count_cells(&who) + LONG_WORD);
    let line = Paragraph::new(verdict.role(), who);
    let failure = text
        .failure
        .as_deref()
        .map(|why| make_visible(why, Keep::Nothing));
    let mut page = match (&text.words, failure) {
        (Some(words), failure) => {
            let words = cut_to_width(&shown(words), room);
            let said = line.with_run(role, format!(": \"{words}\""));
            let failed = failure.map(|why| {
                Paragraph::new(
                    Role::Error,
                    format!("no verdict: {}", cut_to_width(&why, room)),
                )
            });
            [said].into_iter().chain(failed).collect()
        }
        (None, Some(why)) => {
            vec![line.with_run(Role::Error, format!(": {}", cut_to_width(&why, room)))]
        }
        (None, None) => vec![line.with_run(Role::Muted, ": nothing visible was said")],
    };
    page.extend(text.findings.iter().map(|finding| {
        let by = Paragraph::new(Role::Muted, format!("{}: ", finding.by));
        let line = by.with_run(finding.role, finding.label.clone());
        match &finding.reason {
            Some(reason) => line.with_run(role, format!(" {}", shown(reason))),
            None => line,
        }
    }));
    page
}

/// Names what tells a line from others of its topic.
fn describe_arm(line: &MatrixLine) -> String {
    let rollout = line.rollout.map(|rollout| format!("#{rollout}"));
    let parts: Vec<String> = rollout.into_iter().chain(line.short_arm.clone()).collect();
    parts.join(" ")
}

/// Returns a cell's sign; of several turns also how many are wrong or unsafe of those judged.
fn cell_text(cell: &MatrixCell, look: &Look) -> (Role, String) {
    let Some(verdict) = cell.verdict() else {
        return (Role::Muted, " ".to_owned());
    };
    let (role, sign) = verdict_sign(verdict, look);
    match cell.turns.len() {
        1 => (role, sign),
        _ => {
            let (bad, found) = (cell.count_bad(), cell.count_found());
            (role, format!("{sign} {bad}/{found}"))
        }
    }
}

fn to_cells(width: usize) -> u16 {
    u16::try_from(width).unwrap_or(u16::MAX)
}
