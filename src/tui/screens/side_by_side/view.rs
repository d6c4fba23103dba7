//! Drawing of runs side by side: the table of arms, the forest of differences, and what is under the cursor.

use super::SideBySide;
use crate::tui::app::DrawContext;
use crate::tui::keys::{Action, Context, key_for};
use crate::tui::theme::{GlyphSet, Look, Role};
use crate::tui::widgets::{
    Focus, Paragraph, StyledLine, body_and_foot, count_cells, draw_frame, draw_tabs, draw_text,
    draw_top_lines, head_and_body, lay_out, mark_hidden_after, mark_hidden_before,
};
use elenchus_metrics::{Figure, Unit, format_cell, format_value, intervals_in_brackets};
use elenchus_plot::{ForestAxis, PlotGlyphs, PlottedValue};
use elenchus_run::experiments::side_by_side::{
    ArmColumn, ArmDifferences, ArmView, ArmsSideBySide, SharedTopics, SideArm,
};
use elenchus_text::{Keep, fit_to_width, format_noun_count, make_visible};
use ratatui::buffer::Buffer;
use ratatui::layout::{Constraint, Layout, Rect};

/// From this width on, the forest stands beside the table.
const WIDE: u16 = 116;
/// Cells of an arm's name, at most.
const MAX_NAME: usize = 24;
/// Cells of a value, and of one with its interval.
const VALUE: usize = 11;
const WITH_INTERVAL: usize = 22;
/// Cells before a row: the cursor's mark and a blank.
const MARGIN: usize = 2;
/// Cells between two columns at least.
const GAP: usize = 2;
/// Cells of a difference, its interval and its p-value.
const DIFFERENCE: usize = 9;
const LIMITS: usize = 18;
const P: usize = 10;
/// What stands in the place of a figure that an arm does not have; the line at the foot says why.
const MISSING: &str = "n/a";
/// Rows at the foot for what is under the cursor.
const FOOT: u16 = 4;

/// What is drawn of the arms in a width.
struct ArmsTable<'a> {
    screen: &'a SideBySide,
    arms: &'a ArmsSideBySide,
    differences: Option<&'a ArmDifferences>,
    axis: Option<ForestAxis>,
    glyphs: PlotGlyphs,
    cursor_mark: &'static str,
    /// Cells of a name, and of a column.
    name: usize,
    cell: usize,
    /// There is room for intervals.
    has_intervals: bool,
    /// Columns in sight.
    shown: std::ops::Range<usize>,
}

impl SideBySide {
    pub(super) fn draw_arms(&self, buffer: &mut Buffer, area: Rect, context: DrawContext<'_>) {
        let look = context.look;
        let title = match &self.arms {
            Some(arms) if arms.is_simulated() => "runs side by side · SIMULATED",
            Some(_) | None => "runs side by side",
        };
        let title = match look.glyph_set() {
            GlyphSet::Unicode => title.to_owned(),
            GlyphSet::Ascii => title.replace('·', "-"),
        };
        let inner = draw_frame(area, buffer, look, &title, Focus::Focused);
        let Some(arms) = &self.arms else {
            draw_text(
                buffer,
                inner,
                look,
                &[Paragraph::new(Role::Notice, &*self.empty)],
            );
            return;
        };
        let [tabs, body] = head_and_body(inner, 1);
        let names = ArmView::ALL.map(|view| view.title().to_owned());
        let chosen = ArmView::ALL.iter().position(|view| *view == self.view);
        draw_tabs(buffer, tabs, look, &names, chosen.unwrap_or(0), "");
        let cell = lay_out(&self.describe_cell(arms, context), body.width.into());
        let rows = u16::try_from(cell.len()).unwrap_or(FOOT);
        let [body, foot] = body_and_foot(body, rows.min(FOOT).min(body.height / 3));
        draw_top_lines(buffer, foot, look, &cell);
        let is_wide = body.width >= WIDE;
        let table = self.build_table(arms, body.width.into(), is_wide, context);
        let mut heading = table.heading();
        if is_wide {
            heading.push((Role::Strong, format!("  {}", table.forest_heading())));
        }
        let blank = StyledLine::default();
        let lines = [table.mark_hidden(look), StyledLine::from_runs(heading)];
        let body = draw_top_lines(buffer, body, look, &lines);
        let below = if is_wide { 1 } else { arms.arms().len() + 3 };
        let height = u16::try_from(arms.arms().len()).unwrap_or(u16::MAX);
        let left = body
            .height
            .saturating_sub(u16::try_from(below).unwrap_or(u16::MAX));
        let [rows, rest] = head_and_body(body, height.min(left.max(body.height / 3)));
        context.rows.note_rows(self.rows, rows);
        self.rows.draw(buffer, rows, look, |at, _| {
            let arm = arms.arms().get(at);
            let mut runs = arm.map_or_else(Vec::new, |arm| table.row(arm));
            if let Some(arm) = arm.filter(|_| is_wide) {
                runs.extend(table.forest_row(arm));
            }
            StyledLine::from_runs(runs)
        });
        let mut lines = Vec::new();
        if is_wide {
            let before = MARGIN + table.width();
            lines.push(table.ticks(before));
        } else {
            lines.push(blank.clone());
            let heading = format!("  {}", table.forest_heading());
            lines.push(StyledLine::from_text(Role::Strong, heading));
            for arm in arms.arms() {
                let name = format!("  {}", fit_to_width(&clean(&arm.name), table.name));
                let mut runs = vec![(Role::Text, name)];
                runs.extend(table.forest_row(arm));
                lines.push(StyledLine::from_runs(runs));
            }
            lines.push(table.ticks(MARGIN + table.name));
        }
        if !is_wide {
            // The forest stands below its heading, a row for each arm.
            for (at, row) in (0..arms.arms().len()).zip(rest.rows().skip(2)) {
                let chosen = self.rows.selected_row().unwrap_or(0);
                context.rows.note_item(row, at, chosen);
            }
        }
        table.note_columns(rows, context);
        lines.push(blank);
        let notes = self.list_notes(arms).into_iter();
        let notes = notes.map(|note| {
            Paragraph::new(Role::Muted, format!("! {}", clean(&note))).with_indent(0, 2)
        });
        lines.extend(lay_out(&notes.collect::<Vec<_>>(), rest.width.into()));
        draw_top_lines(buffer, rest, look, &lines);
    }

    fn build_table<'a>(
        &'a self,
        arms: &'a ArmsSideBySide,
        width: usize,
        is_wide: bool,
        context: DrawContext<'_>,
    ) -> ArmsTable<'a> {
        let names = arms.arms().iter().map(|arm| count_cells(&clean(&arm.name)));
        let name = names.max().unwrap_or(0).min(MAX_NAME) + 1;
        let least = match self.view {
            ArmView::Headline | ArmView::Agreement => WITH_INTERVAL,
            ArmView::Round | ArmView::Category | ArmView::Cost => VALUE,
        };
        // Beside a forest the table has one half.
        let room = if is_wide { width / 2 } else { width };
        let room = room.saturating_sub(MARGIN + name);
        // Headings are whole: what is scrolled out of sight is counted, and what is cut cannot be told apart.
        let headings = self.columns.iter();
        let headings = headings.map(|column| count_cells(&clean(&column.heading)) + GAP);
        let widest = headings.max().unwrap_or(0);
        let share = room / self.columns.len().max(1);
        let cell = least.max(widest.min(share.max(WITH_INTERVAL)));
        let fitting = (room / cell).max(1);
        let first = (self.column + 1).saturating_sub(fitting);
        let shown = first..self.columns.len().min(first + fitting);
        let used = MARGIN + name + if is_wide { shown.len() * cell } else { 0 };
        let numbers = DIFFERENCE + LIMITS + P;
        let strip = width.saturating_sub(used + numbers + 1).max(10);
        let differences = self.shown_differences();
        let plotted: Vec<PlottedValue> = arms
            .arms()
            .iter()
            .filter_map(|arm| plot_difference(differences?, &arm.arm))
            .collect();
        let unit = self
            .selected_column()
            .map_or(Unit::Share, |column| column.measure.unit());
        ArmsTable {
            screen: self,
            arms,
            differences,
            axis: (!plotted.is_empty()).then(|| ForestAxis::around(plotted.iter(), unit, strip)),
            glyphs: context.look.plot_glyphs(),
            cursor_mark: context.look.glyphs().right,
            name,
            has_intervals: least == WITH_INTERVAL,
            cell,
            shown,
        }
    }

    /// Says what is known of the cell under the cursor, and what Enter does.
    fn describe_cell(&self, arms: &ArmsSideBySide, context: DrawContext<'_>) -> Vec<Paragraph> {
        let (Some(arm), Some(column)) = (self.selected_arm(), self.selected_column()) else {
            return Vec::new();
        };
        let mut text = format!("{}: {} ", clean(&arm.name), clean(&column.title()));
        let figure = arms.find_figure(&arm.arm, column);
        text.push_str(&figure.map_or_else(|| MISSING.to_owned(), format_cell));
        if let Some(figure) = figure.filter(|figure| figure.value.is_some()) {
            text.push_str(&format!(
                ", {} {} of {}",
                figure.observations,
                figure.measure.counted(),
                format_noun_count(figure.topics, "topic")
            ));
        }
        if let Some(why) = arms.describe_missing(&arm.arm, column) {
            text.push_str(&format!(": {}", clean(&why)));
        }
        let differences = self.shown_differences();
        let difference = differences.and_then(|all| Some((all, all.find_figure(&arm.arm)?)));
        if let Some((all, figure)) = difference.filter(|(_, figure)| figure.value.is_some()) {
            let reference = clean(arms.name_of(&all.reference));
            let what = match figure.unit {
                Unit::Multiple => format!("; of {reference} "),
                _ => format!("; minus {reference} "),
            };
            text.push_str(&what);
            text.push_str(&format_cell(figure));
            if let Some(test) = figure.compared.and_then(|compared| compared.test) {
                text.push_str(&format!(", p {}", test.shown_p()));
            }
            let both = if all.is_paired() {
                " that both have"
            } else {
                ""
            };
            let topics = format_noun_count(figure.topics, "topic");
            text.push_str(&format!(" over {topics}{both}"));
        }
        let runs = match arm.runs.len() {
            1 => "1 run".to_owned(),
            runs => format!("{runs} runs"),
        };
        let enter = key_for(Context::SideBySide, Action::Open);
        let category = column.category();
        let of = category.map_or_else(String::new, |category| format!(" in {}", clean(category)));
        vec![
            Paragraph::new(Role::Text, text),
            Paragraph::new(
                Role::Muted,
                context.spell_keys(&format!("{enter} lists its debates{of}, of {runs}")),
            ),
        ]
    }

    /// Returns what is said of figures and differences, each sentence once.
    fn list_notes(&self, arms: &ArmsSideBySide) -> Vec<String> {
        let differences = self.shown_differences();
        // What is said of a difference that is shown comes first: there is no room for all.
        let mut notes: Vec<String> = Vec::new();
        notes.extend(differences.iter().flat_map(|one| one.list_figure_notes()));
        notes.extend(self.describe_intervals(arms, differences));
        notes.extend(self.describe_family());
        for note in arms.list_notes() {
            if !notes.contains(&note) {
                notes.push(note);
            }
        }
        if differences.is_some_and(|all| arms.find_shared_topics(all).is_some()) {
            let text = "a difference is over the topics that both arms have, a value over all of its arm's";
            notes.insert(0, text.to_owned());
        }
        if let Some(Err(why)) = differences.map(|differences| &differences.comparison) {
            notes.insert(0, format!("no differences: {why}"));
        }
        for note in differences.iter().flat_map(|one| one.list_notes()) {
            if !notes.contains(&note) {
                notes.push(note);
            }
        }
        notes
    }

    /// Says what p-values and intervals of differences are adjusted for: another number of comparisons gives others.
    fn describe_family(&self) -> Option<String> {
        let has_differences = self.has_differences();
        has_differences.then(|| {
            "p and lines are of this column alone: 'metrics --compare' of several measures adjusts for all of them"
                .to_owned()
        })
    }

    /// Says how sure the intervals are that stand here.
    fn describe_intervals(
        &self,
        arms: &ArmsSideBySide,
        differences: Option<&ArmDifferences>,
    ) -> Option<String> {
        let column = self.selected_column()?;
        let arms = arms
            .arms()
            .iter()
            .map(|arm| arms.find_figure(&arm.arm, column));
        let with_interval = arms.flatten().filter(|figure| figure.interval.is_some());
        let with_interval: Vec<&Figure> = with_interval.collect();
        let of_values =
            (!with_interval.is_empty()).then(|| intervals_in_brackets(with_interval.into_iter()));
        let family = differences
            .map(ArmDifferences::family)
            .filter(|_| self.has_differences());
        let of_lines = family.map(|family| match family {
            0 | 1 => "lines: 95 % intervals of differences".to_owned(),
            family => format!("lines: intervals of differences, adjusted for {family} comparisons"),
        });
        let parts: Vec<String> = of_values.into_iter().chain(of_lines).collect();
        (!parts.is_empty()).then(|| parts.join("; "))
    }

    fn has_differences(&self) -> bool {
        let mut arms = self.arms().iter();
        arms.any(|arm| {
            let figure = self
                .shown_differences()
                .and_then(|all| all.find_figure(&arm.arm));
            figure.is_some_and(|figure| figure.interval.is_some())
        })
    }
}

impl ArmsTable<'_> {
    /// Cells of the name and the columns in sight.
    fn width(&self) -> usize {
        self.name + self.shown.len() * self.cell
    }

    /// Notes where a click reaches the columns in sight.
    fn note_columns(&self, rows: Rect, context: DrawContext<'_>) {
        let cells = |count: usize| u16::try_from(count).unwrap_or(u16::MAX);
        let before = [Constraint::Length(cells(MARGIN + self.name))];
        let columns = self
            .shown
            .clone()
            .map(|_| Constraint::Length(cells(self.cell)));
        let areas = Layout::horizontal(before.into_iter().chain(columns)).split(rows);
        for (area, at) in areas.iter().skip(1).zip(self.shown.clone()) {
            context.rows.note_column(*area, at, self.screen.column);
        }
    }

    fn columns(&self) -> impl Iterator<Item = (usize, &ArmColumn)> {
        let columns = self.screen.columns.iter().enumerate();
        columns.skip(self.shown.start).take(self.shown.len())
    }

    /// Says above the columns how many are out of sight at either side.
    fn mark_hidden(&self, look: &Look) -> StyledLine {
        let (before, after) = (self.shown.start, self.screen.columns.len() - self.shown.end);
        let mark = |columns: usize, mark: fn(&Look, usize) -> String| match columns {
            0 => String::new(),
            columns => mark(look, columns),
        };
        let before = mark(before, mark_hidden_before);
        let after = mark(after, mark_hidden_after);
        let columns = self.shown.len() * self.cell;
        let first = MARGIN + self.name + GAP;
        let after_width = (MARGIN + self.name + columns).saturating_sub(first);
        let text = format!("{before:>first$}{after:>after_width$}");
        StyledLine::from_text(Role::Accent, text.trim_end().to_owned())
    }

    fn heading(&self) -> Vec<(Role, String)> {
        let name = format!("  {}", fit_to_width("arm", self.name));
        let mut runs = vec![(Role::Muted, name)];
        runs.extend(self.columns().map(|(at, column)| {
            let role = match at == self.screen.column {
                true => Role::Strong,
                false => Role::Muted,
            };
            (role, self.align(&clean(&column.heading)))
        }));
        runs
    }

    fn align(&self, text: &str) -> String {
        let room = self.cell - GAP;
        let text = match count_cells(text) > room {
            true => fit_to_width(text, room),
            false => text.to_owned(),
        };
        format!(
            "{}{text}",
            " ".repeat(self.cell.saturating_sub(count_cells(&text)))
        )
    }

    fn row(&self, arm: &SideArm) -> Vec<(Role, String)> {
        let is_reference = self.screen.reference() == Some(&arm.arm);
        let role = if is_reference {
            Role::Strong
        } else {
            Role::Text
        };
        let mut runs = vec![(role, fit_to_width(&clean(&arm.name), self.name))];
        if let Some(why) = self.arms.describe_absence(&arm.arm) {
            let cells = self.shown.len() * self.cell;
            let text = format!("  {MISSING}: {why}");
            // Where it has no room the forest beside it says it.
            let text = match count_cells(&text) <= cells {
                true => text,
                false => format!("  {MISSING}"),
            };
            runs.push((Role::Muted, fit_to_width(&text, cells)));
            return runs;
        }
        let is_row = self.screen.selected_arm() == Some(arm);
        for (at, column) in self.columns() {
            let text = self.arms.find_figure(&arm.arm, column);
            let text = text.map_or_else(|| MISSING.to_owned(), |figure| self.format_figure(figure));
            let is_chosen = is_row && at == self.screen.column;
            let (role, text) = match is_chosen {
                true => (Role::Accent, format!("{}{text}", self.cursor_mark)),
                false => (Role::Text, text),
            };
            runs.push((role, self.align(&text)));
        }
        runs
    }

    fn format_figure(&self, figure: &Figure) -> String {
        match (self.has_intervals, figure.value) {
            (true, _) | (_, None) => format_cell(figure),
            (false, Some(value)) => format_value(value, figure.unit),
        }
    }

    /// Says what the forest shows, and whether it is paired and adjusted.
    fn forest_heading(&self) -> String {
        let (Some(column), Some(reference)) =
            (self.screen.selected_column(), self.screen.reference())
        else {
            return String::new();
        };
        let (title, reference) = (clean(&column.title()), clean(self.arms.name_of(reference)));
        let Some(differences) = self.differences else {
            return format!("{title} minus {reference}: comparing");
        };
        if self.axis.is_none() {
            return format!("{title}: no difference from {reference} to draw");
        }
        let paired = match self.arms.find_shared_topics(differences) {
            Some(SharedTopics::Each(topics)) => {
                format!(", over {} both have", format_noun_count(topics, "topic"))
            }
            Some(SharedTopics::Various) => ", over topics both have".to_owned(),
            None if differences.is_paired() => ", paired by topic".to_owned(),
            None => String::new(),
        };
        let adjusted = match differences.family() {
            0 | 1 => String::new(),
            family => format!(", adjusted for {family}"),
        };
        format!("{title} minus {reference}{paired}{adjusted}")
    }

    fn forest_row(&self, arm: &SideArm) -> Vec<(Role, String)> {
        if self.screen.reference() == Some(&arm.arm) {
            let strip = self.axis.as_ref();
            let strip = strip.map_or_else(String::new, |axis| axis.draw_row(None, self.glyphs));
            return vec![(Role::Muted, strip)];
        }
        let figure = self.differences.and_then(|all| all.find_figure(&arm.arm));
        let Some((figure, value)) = figure.and_then(|figure| Some((figure, figure.value?))) else {
            let why = figure.and_then(|figure| figure.not_applicable.as_deref());
            let absence = self.arms.describe_absence(&arm.arm);
            let absence = absence.map(|why| format!("{MISSING}: {why}"));
            // Beside a table it would go on in the value before it.
            let why = absence.unwrap_or_else(|| clean(why.unwrap_or_default()));
            return vec![(Role::Muted, format!("  {why}"))];
        };
        let mut runs = Vec::new();
        if let (Some(axis), Some(plotted)) = (&self.axis, plot_figure(figure)) {
            runs.push((Role::Accent, axis.draw_row(Some(&plotted), self.glyphs)));
        }
        let limits = figure.interval.map_or_else(String::new, |interval| {
            let plain = |value: f64| {
                let text = format_value(value, figure.unit);
                text.trim_end_matches(" %").to_owned()
            };
            format!("{} to {}", plain(interval.low), plain(interval.high))
        });
        let test = figure.compared.and_then(|compared| compared.test);
        let p = test.map_or_else(String::new, |test| format!("p {}", test.shown_p()));
        let value = format_value(value, figure.unit);
        runs.push((Role::Text, format!("{value:>DIFFERENCE$}")));
        runs.push((Role::Muted, format!("{limits:>LIMITS$}{p:>P$}")));
        runs
    }

    fn ticks(&self, before: usize) -> StyledLine {
        let ticks = self.axis.as_ref().map(ForestAxis::draw_ticks);
        let text = format!("{}{}", " ".repeat(before), ticks.unwrap_or_default());
        StyledLine::from_text(Role::Muted, text)
    }
}

/// Returns a difference as it is drawn; multiples are no differences.
fn plot_figure(figure: &Figure) -> Option<PlottedValue> {
    PlottedValue::from_figure(figure).filter(|_| figure.unit != Unit::Multiple)
}

fn plot_difference(differences: &ArmDifferences, arm: &str) -> Option<PlottedValue> {
    plot_figure(differences.find_figure(arm)?)
}

/// Returns a name of others as one line that does nothing.
fn clean(text: &str) -> String {
    make_visible(text, Keep::Nothing).into_owned()
}
