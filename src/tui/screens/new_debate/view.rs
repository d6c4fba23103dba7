//! Drawing of the new-debate screen: the form and its side panel.

use super::NewDebate;
use super::ask::Over;
use super::form::FormField;
use super::side_panel;
use super::side_panel::DetailRoom;
use crate::tui::app::DrawContext;
use crate::tui::popups::Picker;
use crate::tui::theme::Role;
use crate::tui::widgets::Paragraph;
use crate::tui::widgets::lay_out;
use crate::tui::widgets::{Focus, fill, frame, put, window};
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

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
    pub(crate) fn paint(
        &mut self,
        buffer: &mut Buffer,
        area: Rect,
        brush: DrawContext<'_>,
    ) -> Option<Position> {
        let look = brush.look;
        if area.height < 8 || area.width < 20 {
            return None;
        }
        let at = Position::new(area.x, area.y);
        put(
            buffer,
            at,
            area.width,
            if self.form.is_run() {
                "New run"
            } else {
                "New debate"
            },
            look.style(Role::Strong),
            look,
        );
        let cost_page = self.cost();
        let cost_height = if area.height >= HIGH {
            // What is warned about is read whole.
            let lines = lay_out(&cost_page, area.width.into()).len();
            u16::try_from(lines).map_or(MAX_COST, |lines| lines.clamp(3, MAX_COST))
        } else {
            2
        };
        let begin = Rect::new(area.x, area.bottom() - 1, area.width, 1);
        let cost = Rect::new(area.x, begin.y - cost_height, area.width, cost_height);
        let rule = Rect::new(area.x, cost.y - 1, area.width, 1);
        let body = Rect::new(area.x, area.y + 1, area.width, rule.y - area.y - 1);
        self.line_across(buffer, rule, brush);
        put_lines(buffer, cost, brush, &cost_page);
        self.begin_row(buffer, begin, brush);
        let (form, detail, room) = if area.width >= BESIDE {
            let left = (area.width / 2).min(64);
            let form = Rect {
                width: left,
                ..body
            };
            let detail = Rect {
                x: body.x + left + 2,
                width: body.width.saturating_sub(left + 2),
                ..body
            };
            (form, detail, DetailRoom::Wide)
        } else {
            let low = if area.height >= HIGH {
                body.height / 3 + 1
            } else {
                2
            };
            let form = Rect {
                height: body.height.saturating_sub(low + 1),
                ..body
            };
            let between = Rect::new(body.x, form.bottom(), body.width, 1);
            self.line_across(buffer, between, brush);
            let detail = Rect {
                y: form.bottom() + 1,
                height: low,
                ..body
            };
            (form, detail, DetailRoom::Narrow)
        };
        let cursor = self.form_rows(buffer, form, brush);
        put_lines(buffer, detail, brush, &self.detail(brush, room));
        self.overlay(buffer, body, brush).or(cursor)
    }

    fn overlay(&self, buffer: &mut Buffer, area: Rect, brush: DrawContext<'_>) -> Option<Position> {
        match &self.over {
            Over::Nothing | Over::Line(..) => None,
            Over::Topic => {
                fill(area, buffer, brush.look);
                let title = "Topic: Enter: new line, Ctrl-D or Tab: done";
                let inner = frame(area, buffer, brush.look, title, Focus::Focused);
                Some(self.form.topic.draw(inner, buffer, brush.look))
            }
            Over::Games(pick) => {
                let under = pick.chosen().and_then(|at| self.library.games.get(at));
                let card = under.and_then(|game| self.cards.get(&game.id));
                let page = match (card, under) {
                    (Some(Ok(card)), _) => side_panel::game(&card.protocol),
                    (Some(Err(why)), _) => vec![Paragraph::of(Role::Error, why.clone())],
                    (None, Some(game)) => {
                        vec![Paragraph::of(Role::Text, game.description.clone())]
                    }
                    (None, None) => Vec::new(),
                };
                beside(buffer, area, brush, pick, &page)
            }
            Over::Sitters(_, pick, _) => {
                fill(area, buffer, brush.look);
                pick.draw(area, buffer, brush.look)
            }
            Over::Unlisted(ask) => {
                ask.draw(area, buffer, brush.look);
                None
            }
            Over::Choice(pick) => {
                fill(area, buffer, brush.look);
                pick.draw(area, buffer, brush.look)
            }
            Over::Rows(pick, topics) => {
                let under = pick.chosen().and_then(|at| topics.get(at));
                let page = under.map(|topic| side_panel::row(topic, brush.content));
                beside(buffer, area, brush, pick, &page.unwrap_or_default())
            }
        }
    }

    fn form_rows(
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
        let chosen = lines.iter().position(is_focus).unwrap_or(lines.len());
        let top = window(
            chosen.min(lines.len().saturating_sub(1)),
            lines.len(),
            area.height,
        );
        let look = brush.look;
        let mut cursor = None;
        for (y, line) in (area.y..area.bottom()).zip(lines.iter().skip(top)) {
            let row = Rect::new(area.x, y, area.width, 1);
            let at = Position::new(row.x + MARGIN, y);
            let room = row.width.saturating_sub(MARGIN);
            match line {
                FormLine::Heading(text) => {
                    put(
                        buffer,
                        Position::new(row.x, y),
                        row.width,
                        text,
                        look.style(Role::Muted),
                        look,
                    );
                }
                FormLine::Fault(text) => {
                    let text = format!("  {text}");
                    put(buffer, at, room, &text, look.style(Role::Error), look);
                }
                FormLine::Field(field) => {
                    let found = self.field_row(buffer, row, brush, field);
                    cursor = cursor.or(found);
                }
            }
        }
        cursor
    }

    fn field_row(
        &self,
        buffer: &mut Buffer,
        row: Rect,
        brush: DrawContext<'_>,
        field: &FormField,
    ) -> Option<Position> {
        let look = brush.look;
        let at = Position::new(row.x + MARGIN, row.y);
        let width = LABELS.min(row.width / 2);
        put(
            buffer,
            at,
            width,
            &self.label(field),
            look.style(Role::Strong),
            look,
        );
        let x = row.x + MARGIN + width + 1;
        let room = row.right().saturating_sub(x);
        let value = Rect::new(x, row.y, room, 1);
        if let Over::Line(asked, line) = &self.over
            && asked == field
        {
            return Some(line.draw(value, buffer, look, Role::Text));
        }
        let (role, text) = self.value(field, brush.content);
        put(
            buffer,
            Position::new(x, row.y),
            room,
            &text,
            look.style(role),
            look,
        );
        if *field == self.focus {
            let style = look.style(Role::Selection);
            buffer.set_style(row, style);
            buffer.set_string(row.x, row.y, look.glyphs().cursor, style);
        }
        None
    }

    /// The button does not scroll with the form.
    fn begin_row(&self, buffer: &mut Buffer, row: Rect, brush: DrawContext<'_>) {
        let look = brush.look;
        let text = match self.faults().len() {
            0 => self.label(&FormField::Begin),
            _ => format!("{} ({})", self.label(&FormField::Begin), self.missing()),
        };
        let at = Position::new(row.x + MARGIN, row.y);
        let role = if self.faults().is_empty() {
            Role::Accent
        } else {
            Role::Muted
        };
        let room = row.width.saturating_sub(MARGIN);
        put(buffer, at, room, &text, look.style(role), look);
        if self.focus == FormField::Begin {
            let style = look.style(Role::Selection);
            buffer.set_style(row, style);
            buffer.set_string(row.x, row.y, look.glyphs().cursor, style);
        }
    }

    fn missing(&self) -> String {
        let names: Vec<String> = self
            .faults()
            .keys()
            .map(|field| self.label(field).trim().to_owned())
            .collect();
        format!("look at: {}", names.join(", "))
    }

    fn lines(&self) -> Vec<FormLine> {
        let faults = self.faults();
        let mut lines = Vec::new();
        let mut settings = false;
        for field in self.fields() {
            match &field {
                FormField::Everybody => lines.push(FormLine::Heading("Cast")),
                FormField::Setting(_) if !settings => {
                    settings = true;
                    lines.push(FormLine::Heading("Settings of the game"));
                }
                FormField::Seed if self.form.is_run() => lines.push(FormLine::Heading("This run")),
                FormField::Seed => lines.push(FormLine::Heading("This debate")),
                // It has a row of its own at the foot.
                FormField::Begin => continue,
                FormField::Game
                | FormField::Topic
                | FormField::Dataset
                | FormField::Rows
                | FormField::SampleSize
                | FormField::Documents
                | FormField::Options
                | FormField::Reference
                | FormField::Chair(_)
                | FormField::Persona(_)
                | FormField::Setting(_)
                | FormField::Memory
                | FormField::Budget => {}
            }
            let fault = faults.get(&field).cloned();
            // A topic that is not there yet is no mistake.
            let quiet = field == FormField::Topic;
            lines.push(FormLine::Field(field));
            lines.extend(fault.filter(|_| !quiet).map(FormLine::Fault));
        }
        lines
    }

    fn line_across(&self, buffer: &mut Buffer, row: Rect, brush: DrawContext<'_>) {
        let look = brush.look;
        let line = look.glyphs().border.horizontal_top.repeat(row.width.into());
        let at = Position::new(row.x, row.y);
        put(buffer, at, row.width, &line, look.style(Role::Border), look);
    }
}

/// Draws a list to pick from, with details of the item under its cursor.
fn beside(
    buffer: &mut Buffer,
    area: Rect,
    brush: DrawContext<'_>,
    pick: &Picker,
    page: &[Paragraph],
) -> Option<Position> {
    fill(area, buffer, brush.look);
    let (list, preview) = if area.width >= BESIDE {
        let left = area.width / 2;
        let list = Rect {
            width: left,
            ..area
        };
        let preview = Rect {
            x: area.x + left + 1,
            width: area.width.saturating_sub(left + 1),
            ..area
        };
        (list, preview)
    } else {
        let high = area.height.div_ceil(2).max(7).min(area.height);
        let list = Rect {
            height: high,
            ..area
        };
        let preview = Rect {
            y: list.bottom(),
            height: area.height - high,
            ..area
        };
        (list, preview)
    };
    put_lines(buffer, preview, brush, page);
    pick.draw(list, buffer, brush.look)
}

fn put_lines(buffer: &mut Buffer, area: Rect, brush: DrawContext<'_>, page: &[Paragraph]) {
    let lines = lay_out(page, area.width.into());
    for (y, line) in (area.y..area.bottom()).zip(lines) {
        let row = Rect {
            y,
            height: 1,
            ..area
        };
        line.put(buffer, row, brush.look);
    }
}
