//! Drawing of the session list screen.

use super::{ListPurpose, Sessions};
use crate::tui::app::DrawContext;
use crate::tui::components::session_columns::SessionTable;
use crate::tui::components::session_search::draw_hits;
use crate::tui::keys::{Action, Context, key_for, spelled};
use crate::tui::theme::Role;
use crate::tui::widgets::{
    Paragraph, StyledLine, TableRow, draw_at_right, draw_line_across, draw_lines, draw_text,
    head_and_body, lay_out, verdict_legend,
};
use elenchus_text::format_grouped_count;
use elenchus_view::session_browser::{
    HeadingKey, ListLine, ListPick, session_facts, session_topic,
};
use ratatui::buffer::Buffer;
use ratatui::layout::{Constraint, Layout, Position, Rect};

/// From this height on the foot has four lines, below it three.
const HIGH: u16 = 20;

impl Sessions {
    /// Draws everything; returns the position of the cursor while text is typed.
    pub(super) fn draw_sessions(
        &mut self,
        buffer: &mut Buffer,
        area: Rect,
        context: DrawContext<'_>,
    ) -> Option<Position> {
        self.list.refresh();
        self.content = context.content;
        if area.height < 4 || area.width < 20 {
            return None;
        }
        let foot = Constraint::Length(if area.height >= HIGH { 4 } else { 3 });
        let [top, rule, foot] =
            Layout::vertical([Constraint::Fill(1), Constraint::Length(1), foot]).areas(area);
        let look = context.look;
        let head = lay_out(
            &self.list.head_paragraphs(|key| self.heading_key(key)),
            area.width.into(),
        );
        let height = u16::try_from(head.len()).unwrap_or(u16::MAX);
        let [head_area, body] = head_and_body(top, height.min(top.height / 2));
        draw_lines(buffer, head_area, look, &head);
        self.draw_legend(buffer, head_area, &head, context);
        if !draw_hits(&self.list, self.list_cursor(), buffer, body, context) {
            self.draw_list(buffer, body, context);
        }
        draw_line_across(buffer, rule, look);
        let prompt = self.prompt.as_ref();
        let cursor = prompt.map(|prompt| prompt.draw(buffer, foot, context));
        let cursor = cursor.or_else(|| self.acts.draw_prompt(buffer, foot, context));
        if cursor.is_none() {
            draw_lines(buffer, foot, look, &self.lay_out_foot(foot, context));
        }
        self.acts.draw_question(buffer, area, context);
        cursor
    }

    /// Says what the letters of verdicts mean, beside what is listed, where there is room.
    fn draw_legend(
        &self,
        buffer: &mut Buffer,
        area: Rect,
        head: &[StyledLine],
        context: DrawContext<'_>,
    ) {
        let [first] = head else { return };
        let entries = self.list.known_sessions().entries();
        let listed = self.list.lines().iter().filter_map(|line| match line {
            ListLine::Session(line) => entries.get(line.at),
            ListLine::Heading { .. } => None,
        });
        let glances = listed.filter_map(|entry| entry.found.as_ref().ok());
        let verdicts = glances.map(|glance| glance.summary.verdicts.as_str());
        let room = usize::from(area.width).saturating_sub(first.count_cells() + 2);
        if let Some(legend) = verdict_legend(verdicts, room, context.look) {
            draw_at_right(buffer, area, context.look, &legend);
        }
    }

    fn heading_key(&self, key: HeadingKey) -> String {
        let action = match key {
            HeadingKey::New => Action::New,
            HeadingKey::Open => Action::Open,
            HeadingKey::Help => Action::Help,
            HeadingKey::Quit => Action::Quit,
            HeadingKey::LeaveFilter => Action::Back,
        };
        let mark = key_for(Context::Sessions, action);
        let text = match (key, self.purpose) {
            (HeadingKey::LeaveFilter, ListPurpose::All) => format!("{mark} clears the filter"),
            (HeadingKey::LeaveFilter, ListPurpose::Asked) => format!("{mark} goes back"),
            _ => mark.to_string(),
        };
        spelled(&text, &self.keys)
    }

    fn draw_list(&self, buffer: &mut Buffer, area: Rect, context: DrawContext<'_>) {
        if let Some(text) = self.list.empty_words() {
            let text = Paragraph::new(Role::Muted, text).with_indent(2, 2);
            draw_text(buffer, area, context.look, &[text]);
            return;
        }
        let (lines, known, cursor) = (
            self.list.lines(),
            self.list.known_sessions(),
            self.list_cursor(),
        );
        let entry = |line: &ListLine| match line {
            ListLine::Session(line) => known.entries().get(line.at),
            ListLine::Heading { .. } => None,
        };
        let [heading, body] = head_and_body(area, 1);
        let in_sight = lines.iter().skip(cursor.top_row(body.height));
        let in_sight = in_sight.take(body.height.into()).filter_map(entry);
        let table = SessionTable::new(area.width, self.list.sort_order(), in_sight, context);
        table.columns.draw_headings(buffer, heading, context.look);
        table
            .columns
            .draw_rows(buffer, body, context, cursor, |at| {
                let line = lines.get(at);
                match (line, line.and_then(entry)) {
                    (Some(ListLine::Session(line)), Some(entry)) => TableRow::Cells {
                        is_marked: self.list.is_marked(&entry.id),
                        cells: table.build_cells(entry, *line, known.now()),
                    },
                    (
                        Some(ListLine::Heading {
                            group,
                            count,
                            folded,
                        }),
                        _,
                    ) => TableRow::Heading {
                        is_folded: *folded,
                        title: group.title(context.content),
                        after: format_grouped_count(*count, "session"),
                    },
                    (Some(ListLine::Session(_)) | None, _) => TableRow::new_blank(),
                }
            });
    }

    /// Returns what is known of what the cursor is on.
    fn lay_out_foot(&self, foot: Rect, context: DrawContext<'_>) -> Vec<StyledLine> {
        let (width, height) = (usize::from(foot.width), usize::from(foot.height));
        match (self.list.chosen_session(), self.list.pick()) {
            (Some(entry), _) => {
                let facts = lay_out(&[session_facts(entry, self.list.known_sessions())], width);
                let mut lines = lay_out(&[session_topic(entry, context.content)], width);
                // The facts are short; what they leave is the topic's.
                lines.truncate(height.saturating_sub(facts.len()).max(1));
                lines.extend(facts);
                lines.truncate(height);
                lines
            }
            (None, Some(ListPick::Heading(group))) => {
                let title = group.title(context.content);
                let enter = key_for(Context::Sessions, Action::Open);
                let text = context.spell_keys(&format!("{title} {enter} folds or unfolds it."));
                lay_out(&[Paragraph::new(Role::Muted, text)], width)
            }
            (None, Some(ListPick::Session(_)) | None) => Vec::new(),
        }
    }
}
