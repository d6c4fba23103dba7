//! Drawing of the new-debate screen: the form with its button, details, the cost, and lists over it.

use super::{NewDebate, Question};
use crate::tui::app::DrawContext;
use crate::tui::keys::Context;
use crate::tui::popups::Dialog;
use crate::tui::theme::Role;
use crate::tui::widgets::{draw_label, draw_line_across, draw_text, lay_out};
use elenchus_run::drafts::debate_draft::DetailRoom;
use elenchus_text::FormValues;
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
    pub(super) fn draw_form(
        &self,
        buffer: &mut Buffer,
        area: Rect,
        context: DrawContext<'_>,
    ) -> Option<Position> {
        if area.height < 8 || area.width < 20 {
            return None;
        }
        let look = context.look;
        let cost_page = self.setup.describe_cost();
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
        draw_label(buffer, title, look, Role::Strong, self.setup.title());
        draw_line_across(buffer, rule, look);
        draw_text(buffer, cost, look, &cost_page);
        let low = match area.height >= HIGH {
            true => body.height / 4 + 1,
            false => 2,
        };
        let cursor = self.draw_fields(buffer, body, begin, low, context);
        if self.topic.is_open {
            let title = "Topic: Enter goes on, Ctrl-J breaks a line";
            let editor = &self.topic.editor;
            context.rows.begin_popup();
            return Some(editor.draw_with_frame(body, buffer, look, title));
        }
        match &self.dialog {
            None => cursor,
            Some(Dialog::List(pick, Question::List(list))) => {
                let page = self
                    .setup
                    .describe_item(list, pick.selected_item(), context.content);
                pick.draw_with_page(area, buffer, context, BESIDE, &page)
            }
            Some(dialog) => dialog.draw(body, buffer, context),
        }
    }
    /// Draws the fields, with details beside them or in so many rows below, and the button.
    fn draw_fields(
        &self,
        buffer: &mut Buffer,
        body: Rect,
        begin: Rect,
        low: u16,
        context: DrawContext<'_>,
    ) -> Option<Position> {
        let (form, detail, room) = if body.width >= BESIDE {
            let left = Constraint::Length((body.width / 2).min(64));
            let areas = Layout::horizontal([left, Constraint::Length(2), Constraint::Fill(1)]);
            let [form, _, detail] = areas.areas(body);
            (form, detail, DetailRoom::Wide)
        } else {
            let [line, low] = [1, low].map(Constraint::Length);
            let areas = Layout::vertical([Constraint::Fill(1), line, low]);
            let [form, between, detail] = areas.areas(body);
            draw_line_across(buffer, between, context.look);
            (form, detail, DetailRoom::Narrow)
        };
        let fields = self.setup.list_fields();
        let mut page = vec![
            self.form
                .describe_field(Context::NewDebate, &fields, context),
        ];
        let details = self
            .setup
            .describe_details(&self.form.focus, context.content, room);
        page.extend(details);
        draw_text(buffer, detail, context.look, &page);
        let (button, above) = fields.split_last()?;
        self.form
            .draw_button(buffer, begin, context, button, above.len(), &fields);
        self.form.draw(buffer, form, context, LABELS, above)
    }
}
