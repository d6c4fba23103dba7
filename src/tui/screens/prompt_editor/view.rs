//! Drawing of the prompt editor: the text and its preview.

use super::{EditorPane, PromptEditor};
use crate::library::short;
use crate::tui::app::DrawContext;
use crate::tui::screens::rows::cut;
use crate::tui::theme::Role;
use crate::tui::widgets::{
    Content, Focus, Marking, Paragraph, StyledLine, body_and_foot, draw_lines, draw_text, frame,
    lay_out, lines_and_rest, put,
};
use ratatui::buffer::Buffer;
use ratatui::layout::{Constraint, Layout, Position, Rect};

/// From this width on, text and preview are side by side.
const WIDE: u16 = 100;
/// Lines that a fault takes at most.
const MAX_FAULT: usize = 4;
/// Lines of what is known of the place.
const MAX_FACTS: usize = 3;

impl PromptEditor {
    pub(crate) fn paint(
        &mut self,
        buffer: &mut Buffer,
        area: Rect,
        brush: DrawContext<'_>,
    ) -> Option<Position> {
        let look = brush.look;
        (self.content, self.marking) = (brush.content, Marking::on(look));
        self.is_wide = area.width >= WIDE;
        let head = self.head(usize::from(area.width));
        let body = lines_and_rest(buffer, area, look, &[head]);
        let (left, right) = match (self.sees(EditorPane::Text), self.sees(EditorPane::Shown)) {
            (true, true) => {
                let halves = [Constraint::Length(body.width / 2), Constraint::Fill(1)];
                let [left, right] = Layout::horizontal(halves).areas(body);
                (Some(left), Some(right))
            }
            (true, false) => (Some(body), None),
            (false, _) => (None, Some(body)),
        };
        let mut cursor = left.and_then(|area| self.draw_text(buffer, area, brush));
        if let Some(right) = right {
            self.draw_shown(buffer, right, brush);
        }
        if self.over.is_some() || self.dialog.is_some() {
            cursor = self.draw_over(area, buffer, brush);
        }
        cursor
    }

    fn head(&self, width: usize) -> StyledLine {
        let mut head = Paragraph::of(Role::Strong, self.name.to_string());
        if let Some(opened) = &self.opened {
            head = head.and(Role::Muted, format!(" {}", short(&opened.glance.hash)));
        }
        if self.pin.as_ref().is_some_and(|pin| !pin.holds) {
            let text = " ! not the pinned text: the game refuses it until it is accepted";
            head = head.and(Role::Warning, text);
        }
        if self.sees(EditorPane::Text) && self.sees(EditorPane::Shown) {
            if let Some(opened) = &self.opened {
                head = head.and(Role::Text, format!(" · {}", opened.glance.place()));
            }
        } else {
            for (pane, name) in [(EditorPane::Text, "text"), (EditorPane::Shown, "shown")] {
                let role = match self.focus == pane {
                    true => Role::Selection,
                    false => Role::Muted,
                };
                head = head.and(Role::Text, " ").and(role, format!(" {name} "));
            }
            // What it is shown on is in the other pane.
            if let Some(at) = self.place() {
                let text = format!(" {} of {}", at.asked, at.short_session());
                head = head.and(Role::Accent, text);
            }
        }
        let lines = lay_out(&[head], width);
        lines.into_iter().next().unwrap_or_default()
    }

    fn draw_text(
        &self,
        buffer: &mut Buffer,
        area: Rect,
        brush: DrawContext<'_>,
    ) -> Option<Position> {
        let look = brush.look;
        let title = match self.changed {
            true => "text, changed",
            false => "text",
        };
        let inner = frame(area, buffer, look, title, self.focus_of(EditorPane::Text));
        if self.content == Content::Masked {
            let text = "content is masked";
            let at = inner.as_position();
            put(
                buffer,
                at,
                inner.width,
                text,
                look.style(Role::Notice),
                look,
            );
            return None;
        }
        if !self.empty.is_empty() {
            let page = [Paragraph::of(Role::Notice, self.empty.clone())];
            draw_text(buffer, inner, look, &page);
            return None;
        }
        let fault: Vec<StyledLine> = match &self.fault {
            Some(fault) => {
                let text = Paragraph::of(Role::Error, format!("! {fault}")).indented(0, 2);
                let lines = lay_out(&[text], usize::from(inner.width));
                lines.into_iter().take(MAX_FAULT).collect()
            }
            None => Vec::new(),
        };
        let below = u16::try_from(fault.len())
            .unwrap_or(0)
            .min(inner.height / 2);
        let [text, foot] = body_and_foot(inner, below);
        let marked = self.fault.as_ref().and_then(|fault| fault.line);
        let cursor = self.editor.draw_numbered(text, buffer, look, marked);
        draw_lines(buffer, foot, look, &fault);
        self.is_typing.then_some(cursor)
    }

    fn draw_shown(&mut self, buffer: &mut Buffer, area: Rect, brush: DrawContext<'_>) {
        let look = brush.look;
        let title = match (self.difference, &self.fault) {
            (true, _) => "shown, against what was recorded",
            (false, Some(_)) => "shown, by the last text that could be used",
            (false, None) => "shown",
        };
        let inner = frame(area, buffer, look, title, self.focus_of(EditorPane::Shown));
        let facts = self.facts(usize::from(inner.width));
        let body = lines_and_rest(buffer, inner, look, &facts);
        let mut roll = std::mem::take(&mut self.roll);
        let focus = self.focus_of(EditorPane::Shown);
        roll.draw(buffer, body, brush, focus, &|item, width| {
            self.lines(item, width)
        });
        self.roll = roll;
    }

    fn focus_of(&self, pane: EditorPane) -> Focus {
        match self.focus == pane {
            true => Focus::Focused,
            false => Focus::Unfocused,
        }
    }

    /// Previewed turn, and the request besides the messages.
    fn facts(&self, width: usize) -> Vec<StyledLine> {
        let mut page = Vec::new();
        page.extend(self.staged.iter().map(|staged| staged.stage.heading()));
        if let Some(shown) = &self.shown {
            let late = match self.is_late() {
                true => " (being counted)",
                false => "",
            };
            let tokens = shown.tokens_in_words() + late;
            page.push(Paragraph::of(Role::Muted, tokens));
            let request = shown.request_in_words();
            page.extend(request.map(|request| Paragraph::of(Role::Muted, request)));
        }
        let lines = lay_out(&page, width).into_iter();
        lines
            .take(MAX_FACTS)
            .map(|line| shortened(line, width))
            .collect()
    }
}

fn shortened(line: StyledLine, width: usize) -> StyledLine {
    match line.runs.as_slice() {
        [(role, text)] => StyledLine {
            indent: line.indent,
            runs: vec![(*role, cut(text, width))],
        },
        _ => line,
    }
}
