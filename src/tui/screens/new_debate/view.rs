//! Drawing of the new-debate screen: the form and its side panel.

use super::chooser::Choice;
use super::side_panel::DetailRoom;
use super::{NewDebate, Source};
use crate::exchange::described;
use crate::experiments::debate_draft::DebateField;
use crate::tui::app::DrawContext;
use crate::tui::popups::{Dialog, Picker};
use crate::tui::theme::Role;
use crate::tui::widgets::{
    Content, Focus, FormLine, Paragraph, Split, draw_text, fill, frame, head_and_body, lay_out,
    mark_row, put,
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
        let name = match self.draft.is_run() {
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
        let lines = self.lines(brush.content);
        let cursor = self.rows.draw(buffer, form, look, LABELS, &lines);
        draw_text(buffer, detail, look, &self.detail(brush, room));
        if self.is_writing {
            fill(body, buffer, look);
            let title = "Topic: Enter: new line, Ctrl-D or Tab: done";
            let inner = frame(body, buffer, look, title, Focus::Focused);
            return Some(self.topic.draw(inner, buffer, look));
        }
        match &self.over {
            None => cursor,
            Some(Dialog::List(pick, choice)) => {
                let page = self.about_chosen(pick, choice, brush);
                draw_list(buffer, area, brush, pick, &page)
            }
            Some(dialog) => dialog.draw(body, buffer, brush),
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
                    Some(Ok(protocol)) => described::game(protocol),
                    Some(Err(why)) => vec![Paragraph::of(Role::Error, why.clone())],
                    None => Vec::new(),
                }
            }
            Choice::Player(..) => self.servers().collect(),
            Choice::Rows | Choice::Unlisted => Vec::new(),
            Choice::Row => {
                let topic = at.and_then(|at| self.topics.get(at));
                let page = topic.map(|topic| described::topic(topic, brush.content));
                page.unwrap_or_default()
            }
        }
    }

    /// The button does not scroll with the form.
    fn draw_begin(&self, buffer: &mut Buffer, row: Rect, brush: DrawContext<'_>) {
        let faults = self.faults();
        let name = self.label(&DebateField::Begin);
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
        if self.rows.focus == DebateField::Begin {
            mark_row(buffer, row, brush.look);
        }
    }

    fn lines(&self, content: Content) -> Vec<FormLine<DebateField>> {
        let faults = self.faults();
        let mut lines = Vec::new();
        let mut has_settings = false;
        for field in self.fields() {
            let heading = match &field {
                DebateField::Everybody => Some(match self.from {
                    Source::Nothing => "Cast",
                    Source::Last => "Cast (begun with what was played last)",
                    Source::Session(_) => "Cast (begun with what the session was played with)",
                }),
                DebateField::Setting(_) if !std::mem::replace(&mut has_settings, true) => {
                    Some("Settings of the game")
                }
                DebateField::Seed if self.draft.is_run() => Some("This run"),
                DebateField::Seed => Some("This debate"),
                // It has a row of its own at the foot.
                DebateField::Begin => continue,
                _ => None,
            };
            lines.extend(heading.map(|heading| FormLine::Heading(heading.to_owned())));
            // A topic that is not there yet is no mistake.
            let fault = faults.get(&field).filter(|_| field != DebateField::Topic);
            let fault = fault.cloned();
            let (role, value) = self.value(&field, content);
            let name = self.label(&field);
            lines.push(FormLine::Field {
                field,
                name,
                role,
                value,
            });
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
