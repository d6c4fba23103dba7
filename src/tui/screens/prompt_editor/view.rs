//! Drawing of the prompt editor: the text and its preview.

use super::{EditorPane, PromptEditor};
use crate::tui::app::DrawContext;
use crate::tui::theme::Role;
use crate::tui::widgets::{
    Content, Focus, Paragraph, StyledLine, body_and_foot, draw_lines, draw_text, frame, lay_out,
    lines_and_rest,
};
use ratatui::buffer::Buffer;
use ratatui::layout::{Constraint, Layout, Position, Rect};

/// From this width on, text and preview are side by side.
const WIDE: u16 = 100;
/// Lines that a fault takes at most.
const MAX_FAULT: usize = 4;

impl PromptEditor {
    pub(super) fn paint(
        &mut self,
        buffer: &mut Buffer,
        area: Rect,
        brush: DrawContext<'_>,
    ) -> Option<Position> {
        self.content = brush.content;
        self.pane.note_style(brush);
        self.is_wide = area.width >= WIDE;
        let head = lay_out(&[self.head()], area.width.into());
        let head = head.get(..1).unwrap_or_default();
        let body = lines_and_rest(buffer, area, brush.look, head);
        let (left, right) = match (self.sees(EditorPane::Text), self.sees(EditorPane::Shown)) {
            (true, true) => {
                let halves = [Constraint::Length(body.width / 2), Constraint::Fill(1)];
                let [left, right] = Layout::horizontal(halves).areas(body);
                (Some(left), Some(right))
            }
            (true, false) => (Some(body), None),
            (false, _) => (None, Some(body)),
        };
        let cursor = left.and_then(|area| self.draw_text(buffer, area, brush));
        if let Some(right) = right {
            let focus = self.focus_of(EditorPane::Shown);
            self.pane.draw(buffer, right, brush, focus);
        }
        match self.is_covered() {
            true => self.draw_over(buffer, area, brush),
            false => cursor,
        }
    }

    fn draw_over(
        &mut self,
        buffer: &mut Buffer,
        area: Rect,
        brush: DrawContext<'_>,
    ) -> Option<Position> {
        match (&self.find, &mut self.versions) {
            _ if self.file.is_asking() => self.file.draw_over(buffer, area, brush),
            (Some(find), _) => find.draw(area, buffer, brush),
            (None, Some(versions)) => versions.draw(area, buffer, brush),
            (None, None) => self.pane.draw_over(buffer, area, brush),
        }
    }

    fn head(&self) -> Paragraph {
        let mut head = self.file.edit.heading();
        if self.sees(EditorPane::Text) && self.sees(EditorPane::Shown) {
            return match self.file.edit.used() {
                Some(used) => head.and(Role::Text, format!(" · {}", used.glance.place())),
                None => head,
            };
        }
        for (pane, name) in [(EditorPane::Text, "text"), (EditorPane::Shown, "shown")] {
            let role = match self.focus == pane {
                true => Role::Selection,
                false => Role::Muted,
            };
            head = head.and(Role::Text, " ").and(role, format!(" {name} "));
        }
        // What it is shown on is in the other pane.
        match self.pane.preview.place() {
            Some(at) => {
                let text = format!(" {} of {}", at.asked, at.short_session());
                head.and(Role::Accent, text)
            }
            None => head,
        }
    }

    fn draw_text(
        &self,
        buffer: &mut Buffer,
        area: Rect,
        brush: DrawContext<'_>,
    ) -> Option<Position> {
        let look = brush.look;
        let title = match self.file.edit.is_changed() {
            true => "text, changed",
            false => "text",
        };
        let inner = frame(area, buffer, look, title, self.focus_of(EditorPane::Text));
        let instead = match self.content {
            Content::Masked => Some("content is masked"),
            Content::Shown => self.file.edit.closed(),
        };
        if let Some(instead) = instead {
            draw_text(buffer, inner, look, &[Paragraph::of(Role::Notice, instead)]);
            return None;
        }
        let fault = self.pane.preview.fault.as_ref();
        let text = fault.map(|fault| Paragraph::of(Role::Error, format!("! {fault}")));
        let text = text.map(|text| text.indented(0, 2));
        let lines = lay_out(text.as_slice(), inner.width.into()).into_iter();
        let lines: Vec<StyledLine> = lines.take(MAX_FAULT).collect();
        let below = u16::try_from(lines.len()).unwrap_or(0);
        let [text, foot] = body_and_foot(inner, below.min(inner.height / 2));
        let marked = fault.and_then(|fault| fault.line);
        let cursor = self.editor.draw_numbered(text, buffer, look, marked);
        draw_lines(buffer, foot, look, &lines);
        self.is_typing.then_some(cursor)
    }

    fn focus_of(&self, pane: EditorPane) -> Focus {
        match self.focus == pane {
            true => Focus::Focused,
            false => Focus::Unfocused,
        }
    }
}
