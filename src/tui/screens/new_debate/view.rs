//! Drawing of the new-debate screen: the form with its button, details, the cost, and lists over it.

use super::{NewDebate, Question};
use crate::exchange::{FormField, FormValues};
use crate::experiments::debate_draft::{DebateField, DetailRoom};
use crate::tui::app::DrawContext;
use crate::tui::keys::Context;
use crate::tui::popups::{Dialog, Picker};
use crate::tui::theme::Role;
use crate::tui::widgets::{
    Paragraph, Split, draw_text, fill, head_and_body, lay_out, mark_row, put,
};
use ratatui::buffer::Buffer;
use ratatui::layout::{Constraint, Layout, Position, Rect};

/// From this width on details have a pane next to the form.
const BESIDE: u16 = 100;
/// From this height on there are more lines for details and cost.
const HIGH: u16 = 20;
/// Lines of the cost and its notices, at most.
const MAX_COST: u16 = 6;
/// Width of the column of names.
const LABELS: u16 = 18;

impl NewDebate {
    /// Draws everything; returns the position of the cursor while text is typed.
    pub(super) fn paint(
        &self,
        buffer: &mut Buffer,
        area: Rect,
        brush: DrawContext<'_>,
    ) -> Option<Position> {
        if area.height < 8 || area.width < 20 {
            return None;
        }
        let is_high = area.height >= HIGH;
        let cost_page = self.setup.cost();
        let cost = match is_high {
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
        let name = match self.setup.draft.is_run() {
            true => "New run",
            false => "New debate",
        };
        text(buffer, title, brush, Role::Strong, name);
        line_across(buffer, rule, brush);
        draw_text(buffer, cost, brush.look, &cost_page);
        let (form, detail, room) = if area.width >= BESIDE {
            let left = Constraint::Length((area.width / 2).min(64));
            let areas = Layout::horizontal([left, Constraint::Length(2), Constraint::Fill(1)]);
            let [form, _, detail] = areas.areas(body);
            (form, detail, DetailRoom::Wide)
        } else {
            let low = Constraint::Length(if is_high { body.height / 3 + 1 } else { 2 });
            let areas = Layout::vertical([Constraint::Fill(1), Constraint::Length(1), low]);
            let [form, between, detail] = areas.areas(body);
            line_across(buffer, between, brush);
            (form, detail, DetailRoom::Narrow)
        };
        let fields = self.setup.fields();
        let help = brush.spelled(&self.form.help(Context::NewDebate, &fields));
        let mut page = vec![Paragraph::of(Role::Muted, help)];
        let focus = &self.form.focus;
        page.extend(self.setup.details(focus, brush.content, room));
        draw_text(buffer, detail, brush.look, &page);
        let cursor = self.draw_form(buffer, form, begin, brush, &fields);
        if self.topic.is_open {
            return self.topic.draw(buffer, body, brush);
        }
        match &self.over {
            None => cursor,
            Some(Dialog::List(pick, Question::List(list))) => {
                let page = self.setup.about_item(list, pick.chosen(), brush.content);
                draw_list(buffer, area, brush, pick, &page)
            }
            Some(dialog) => dialog.draw(body, buffer, brush),
        }
    }

    /// Draws the fields, and the button, which does not scroll with them.
    fn draw_form(
        &self,
        buffer: &mut Buffer,
        area: Rect,
        button: Rect,
        brush: DrawContext<'_>,
        fields: &[FormField<DebateField>],
    ) -> Option<Position> {
        let (begin, others) = fields.split_last()?;
        let said = format!("  {} {}", begin.name, begin.value);
        text(buffer, button, brush, begin.role, said.trim_end());
        if begin.field == self.form.focus {
            mark_row(buffer, button, brush.look);
        }
        self.form.draw(buffer, area, brush, LABELS, others)
    }
}

fn line_across(buffer: &mut Buffer, row: Rect, brush: DrawContext<'_>) {
    let line = &brush.look.glyphs().border.horizontal_top;
    let line = line.repeat(row.width.into());
    text(buffer, row, brush, Role::Border, &line);
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
