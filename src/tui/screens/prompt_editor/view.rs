//! Drawing of the prompt editor: the text and its preview.

use super::{PromptEditor, SHOWN, TEXT};
use crate::tui::app::DrawContext;
use crate::tui::theme::Role;
use crate::tui::widgets::{
    Content, EditorFault, Paragraph, draw_frame, draw_text, draw_top_lines, lay_out,
};
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

impl PromptEditor {
    pub(super) fn draw_editor(
        &mut self,
        buffer: &mut Buffer,
        area: Rect,
        context: DrawContext<'_>,
    ) -> Option<Position> {
        self.content = context.content;
        self.pane.note_style(context);
        self.panes.set_width(area.width);
        let head = lay_out(&[self.build_head()], area.width.into());
        let head = head.get(..1).unwrap_or_default();
        let body = draw_top_lines(buffer, area, context.look, head);
        let [text, shown] = self.panes.split_area(body);
        self.panes.note_areas([text, shown], context);
        let cursor = text.and_then(|area| self.draw_text(buffer, area, context));
        if let Some(preview_area) = shown {
            let focus = self.panes.focus_of(SHOWN);
            self.pane.draw(buffer, preview_area, context, focus);
        }
        if !self.has_overlay() {
            return cursor;
        }
        match (&self.find, &mut self.versions) {
            _ if self.file.is_asking() => self.file.draw_dialog(buffer, area, context),
            (Some(find), _) => find.draw(area, buffer, context),
            (None, Some(versions)) => versions.draw(area, buffer, context),
            (None, None) => self.pane.draw_dialog(buffer, area, context),
        }
    }

    fn build_head(&self) -> Paragraph {
        let head = self.file.edit.heading();
        if self.panes.are_both_in_sight() {
            return match self.file.edit.text_in_use() {
                Some(used) => head.with_run(Role::Text, format!(" · {}", used.overview.location())),
                None => head,
            };
        }
        let head = self.panes.with_names(head, ["text", "shown"]);
        // What it is shown on is in the other pane.
        match self.pane.preview.place() {
            Some(at) => {
                let text = format!(" {} of {}", at.asked, at.short_session());
                head.with_run(Role::Accent, text)
            }
            None => head,
        }
    }

    fn draw_text(
        &self,
        buffer: &mut Buffer,
        area: Rect,
        context: DrawContext<'_>,
    ) -> Option<Position> {
        let look = context.look;
        let title = match self.file.edit.is_changed() {
            true => "text, changed",
            false => "text",
        };
        let inner = draw_frame(area, buffer, look, title, self.panes.focus_of(TEXT));
        let instead = match self.content {
            Content::Masked => Some("content is masked"),
            Content::Shown => self.file.edit.closed_reason(),
        };
        if let Some(instead) = instead {
            draw_text(
                buffer,
                inner,
                look,
                &[Paragraph::new(Role::Notice, instead)],
            );
            return None;
        }
        let fault = self.pane.preview.fault.as_ref().map(|fault| EditorFault {
            line: fault.line,
            why: fault.to_string(),
        });
        let fault = fault.as_ref();
        let cursor = self.editor.draw_with_fault(inner, buffer, look, fault);
        self.is_typing.then_some(cursor)
    }
}
