//! Drawing of the new-debate screen: the form and its side panel.

use super::chooser::{Choice, Over};
use super::form::FormField;
use super::side_panel::{self, DetailRoom};
use super::{NewDebate, Source};
use crate::tui::app::DrawContext;
use crate::tui::popups::{Dialog, Picker};
use crate::tui::theme::Role;
use crate::tui::widgets::{
    Focus, Paragraph, Split, draw_text, fill, frame, head_and_body, lay_out, put, window,
};
use ratatui::buffer::Buffer;
use ratatui::layout::{Constraint, Layout, Position, Rect};

/// From this width on details have a pane next to the form.
const BESIDE: u16 = 100;
/// From this height on there are more lines for details and cost.
const HIGH: u16 = 20;
/// Lines of the cost and its notices, at most.
const MAX_COST: u16 = 6;
/// Cells before a field, for the cursor.
const MARGIN: u16 = 2;
/// Width of the column of names.
const LABELS: u16 = 18;

/// A line of the form.
enum FormLine {
    Heading(&'static str),
    Field(FormField),
    Fault(String),
}

impl NewDebate {
    /// Draws everything; returns the position of the cursor while text is typed.
    pub(super) fn paint(
        &mut self,
        buffer: &mut Buffer,
        area: Rect,
        brush: DrawContext<'_>,
    ) -> Option<Position> {
        if area.height < 8 || area.width < 20 {
            return None;
        }
        let look = brush.look;
        let cost_page = self.cost();
        let cost = match area.height >= HIGH {
            // What is warned about is read whole.
            true => {
                let lines = lay_out(&cost_page, area.width.into()).len();
                u16::try_from(lines).map_or(MAX_COST, |lines| lines.clamp(3, MAX_COST))
            }
            false => 2,
        };
        let [title, body, rule, cost, begin] = Layout::vertical([
            Constraint::Length(1),
            Constraint::Fill(1),
            Constraint::Length(1),
            Constraint::Length(cost),
            Constraint::Length(1),
        ])
        .areas(area);
        let name = match self.form.is_run() {
            true => "New run",
            false => "New debate",
        };
        text(buffer, title, brush, Role::Strong, name);
        line_across(buffer, rule, brush);
        draw_text(buffer, cost, look, &cost_page);
        self.draw_begin(buffer, begin, brush);
        let (form, detail, room) = if area.width >= BESIDE {
            let left = Constraint::Length((area.width / 2).min(64));
            let areas = Layout::horizontal([left, Constraint::Length(2), Constraint::Fill(1)]);
            let [form, _, detail] = areas.areas(body);
            (form, detail, DetailRoom::Wide)
        } else {
            let low = match area.height >= HIGH {
                true => body.height / 3 + 1,
                false => 2,
            };
            let low = Constraint::Length(low);
            let areas = Layout::vertical([Constraint::Fill(1), Constraint::Length(1), low]);
            let [form, between, detail] = areas.areas(body);
            line_across(buffer, between, brush);
            (form, detail, DetailRoom::Narrow)
        };
        let cursor = self.draw_form(buffer, form, brush);
        draw_text(buffer, detail, look, &self.detail(brush, room));
        self.draw_over(buffer, area, body, brush).or(cursor)
    }

    fn draw_over(
        &self,
        buffer: &mut Buffer,
        area: Rect,
        body: Rect,
        brush: DrawContext<'_>,
    ) -> Option<Position> {
        let look = brush.look;
        match &self.over {
            Over::Nothing | Over::Asks(Dialog::Line(..)) => None,
            Over::Topic => {
                fill(body, buffer, look);
                let title = "Topic: Enter: new line, Ctrl-D or Tab: done";
                let inner = frame(body, buffer, look, title, Focus::Focused);
                Some(self.form.topic.draw(inner, buffer, look))
            }
            Over::Asks(Dialog::Confirm(ask, _)) => {
                ask.draw(body, buffer, look);
                None
            }
            Over::Asks(Dialog::List(pick, choice)) => {
                let page = self.about_chosen(pick, choice, brush);
                draw_list(buffer, area, brush, pick, &page)
            }
        }
    }

    /// Returns what is said of the item under the cursor of a list.
    fn about_chosen(
        &self,
        pick: &Picker,
        choice: &Choice,
        brush: DrawContext<'_>,
    ) -> Vec<Paragraph> {
        let at = pick.chosen();
        match choice {
            Choice::Game => {
                let game = at.and_then(|at| self.library.games.get(at));
                match game.and_then(|game| self.games.get(&game.id)?.as_ref()) {
                    Some(Ok(protocol)) => side_panel::game(protocol),
                    Some(Err(why)) => vec![Paragraph::of(Role::Error, why.clone())],
                    None => Vec::new(),
                }
            }
            Choice::Player(..) => self.servers().collect(),
            Choice::Rows | Choice::Line(_) | Choice::Unlisted => Vec::new(),
            Choice::Row => {
                let topic = at.and_then(|at| self.topics.get(at));
                let page = topic.map(|topic| side_panel::row(topic, brush.content));
                page.unwrap_or_default()
            }
        }
    }

    fn draw_form(
        &self,
        buffer: &mut Buffer,
        area: Rect,
        brush: DrawContext<'_>,
    ) -> Option<Position> {
        let lines = self.lines();
        let is_focus = |line: &FormLine| match line {
            FormLine::Field(field) => *field == self.focus,
            FormLine::Heading(_) | FormLine::Fault(_) => false,
        };
        let last = lines.len().saturating_sub(1);
        let chosen = lines.iter().position(is_focus).unwrap_or(last);
        let top = window(chosen, lines.len(), area.height);
        let mut cursor = None;
        for (row, line) in area.rows().zip(lines.iter().skip(top)) {
            match line {
                FormLine::Heading(heading) => text(buffer, row, brush, Role::Muted, heading),
                FormLine::Fault(fault) => {
                    text(buffer, row, brush, Role::Error, &format!("    {fault}"));
                }
                FormLine::Field(field) => {
                    cursor = cursor.or(self.draw_field(buffer, row, brush, field));
                }
            }
        }
        cursor
    }

    fn draw_field(
        &self,
        buffer: &mut Buffer,
        row: Rect,
        brush: DrawContext<'_>,
        field: &FormField,
    ) -> Option<Position> {
        let look = brush.look;
        let [_, name, _, value] = Layout::horizontal([
            Constraint::Length(MARGIN),
            Constraint::Length(LABELS.min(row.width / 2)),
            Constraint::Length(1),
            Constraint::Fill(1),
        ])
        .areas(row);
        text(buffer, name, brush, Role::Strong, &self.label(field));
        if let Over::Asks(Dialog::Line(line, Choice::Line(asked))) = &self.over
            && asked == field
        {
            return Some(line.draw(value, buffer, look, Role::Text));
        }
        let (role, shown) = self.value(field, brush.content);
        text(buffer, value, brush, role, &shown);
        self.mark_focus(buffer, row, brush, field);
        None
    }

    /// The button does not scroll with the form.
    fn draw_begin(&self, buffer: &mut Buffer, row: Rect, brush: DrawContext<'_>) {
        let faults = self.faults();
        let name = self.label(&FormField::Begin);
        let (role, said) = match faults.is_empty() {
            true => (Role::Accent, name),
            false => {
                let fields = faults
                    .keys()
                    .map(|field| self.label(field).trim().to_owned());
                let fields = fields.collect::<Vec<_>>().join(", ");
                (Role::Muted, format!("{name} (look at: {fields})"))
            }
        };
        text(buffer, row, brush, role, &format!("  {said}"));
        self.mark_focus(buffer, row, brush, &FormField::Begin);
    }

    fn mark_focus(
        &self,
        buffer: &mut Buffer,
        row: Rect,
        brush: DrawContext<'_>,
        field: &FormField,
    ) {
        if *field == self.focus {
            let style = brush.look.style(Role::Selection);
            buffer.set_style(row, style);
            buffer.set_string(row.x, row.y, brush.look.glyphs().cursor, style);
        }
    }

    fn lines(&self) -> Vec<FormLine> {
        let faults = self.faults();
        let mut lines = Vec::new();
        let mut has_settings = false;
        for field in self.fields() {
            let heading = match &field {
                FormField::Everybody => Some(match self.from {
                    Source::Nothing => "Cast",
                    Source::Last => "Cast (begun with what was played last)",
                    Source::Session(_) => "Cast (begun with what the session was played with)",
                }),
                FormField::Setting(_) if !std::mem::replace(&mut has_settings, true) => {
                    Some("Settings of the game")
                }
                FormField::Seed if self.form.is_run() => Some("This run"),
                FormField::Seed => Some("This debate"),
                // It has a row of its own at the foot.
                FormField::Begin => continue,
                _ => None,
            };
            lines.extend(heading.map(FormLine::Heading));
            // A topic that is not there yet is no mistake.
            let fault = faults.get(&field).filter(|_| field != FormField::Topic);
            let fault = fault.cloned();
            lines.push(FormLine::Field(field));
            lines.extend(fault.map(FormLine::Fault));
        }
        lines
    }
}

fn line_across(buffer: &mut Buffer, row: Rect, brush: DrawContext<'_>) {
    let line = &brush.look.glyphs().border.horizontal_top;
    text(
        buffer,
        row,
        brush,
        Role::Border,
        &line.repeat(row.width.into()),
    );
}

/// Draws a text in one line, and says where it is cut.
fn text(buffer: &mut Buffer, row: Rect, brush: DrawContext<'_>, role: Role, text: &str) {
    let (look, style) = (brush.look, brush.look.style(role));
    put(buffer, row.as_position(), row.width, text, style, look);
}

/// Draws a list to pick from, whole where it fits, with what is said of the item under its cursor.
fn draw_list(
    buffer: &mut Buffer,
    area: Rect,
    brush: DrawContext<'_>,
    pick: &Picker,
    page: &[Paragraph],
) -> Option<Position> {
    fill(area, buffer, brush.look);
    let split = Split {
        wide: BESIDE,
        left: Constraint::Percentage(60),
        above: Constraint::Length(pick.height()),
    };
    let [list, beside] = match page {
        [] => head_and_body(area, area.height),
        _ => split.areas(area),
    };
    draw_text(buffer, beside, brush.look, page);
    pick.draw(list, buffer, brush.look)
}
