//! What a seat is shown, above the text that a person writes for it: everything since its last turn in sight, and
//! what was before it further up.

use super::dialog::DebateText;
use super::{Debate, Message};
use crate::tui::app::{DrawContext, Effect, Task};
use crate::tui::components::step_preview::preview_step;
use crate::tui::keys::Action;
use crate::tui::theme::Role;
use crate::tui::widgets::{
    Focus, Moved, ScrollText, draw_edge_hint, draw_frame, fill_area, lay_out,
};
use elenchus_game::debate::step::{Step, StepId};
use elenchus_run::engine::live::Preview;
use elenchus_text::format_noun_count;
use elenchus_view::seat_view::{SeatReading, ViewOptions};
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::layout::Rect;

/// Rows below which nothing can be read above an editor.
const MIN_HEIGHT: u16 = 4;

/// What is read while a step is answered.
pub(super) struct ReadAbove {
    step: StepId,
    reading: SeatReading,
    text: ScrollText,
    /// What the text was laid out with.
    show: Option<ViewOptions>,
}

impl ReadAbove {
    /// Scrolls by a key that an editor above which nothing is read has for itself; says whether it is one.
    pub(super) fn handle_key(&mut self, key: KeyEvent) -> bool {
        let by_line = key.modifiers == KeyModifiers::CONTROL;
        let action = match key.code {
            KeyCode::PageUp => Action::PageUp,
            KeyCode::PageDown => Action::PageDown,
            KeyCode::Up if by_line => Action::Up,
            KeyCode::Down if by_line => Action::Down,
            _ => return false,
        };
        self.text.handle_action(action) == Moved::Yes
    }

    fn draw(&mut self, buffer: &mut Buffer, area: Rect, context: DrawContext<'_>, private: bool) {
        let look = context.look;
        let show = ViewOptions {
            content: context.content,
            private,
        };
        fill_area(area, buffer, look);
        let title = match self.reading.count_new_turns() {
            0 => "what your seat is shown".to_owned(),
            new => format!(
                "what your seat is shown: {} since your last",
                format_noun_count(new, "turn")
            ),
        };
        let inner = draw_frame(area, buffer, look, &title, Focus::Unfocused);
        let (page, first_new) = self.reading.to_paragraphs(show);
        let is_laid_out = self.show == Some(show) && self.text.width() == inner.width;
        self.show = Some(show);
        if !is_laid_out {
            let before = page.get(..first_new).unwrap_or_default();
            self.text.reset();
            self.text
                .go_to_line(lay_out(before, inner.width.into()).len());
        }
        self.text
            .draw(buffer, inner, look, |width| lay_out(&page, width));
        if self.text.has_more() {
            let hint = " PgUp PgDn read on ";
            draw_edge_hint(buffer, area, look, Role::KeyHint, hint);
        }
    }
}

impl Debate {
    /// Asks for what an open step is shown, to be read while it is answered.
    pub(super) fn read_for_step(&self, step: &Step) -> Effect {
        Effect::Start(self.preview_task(step))
    }

    fn preview_task(&self, step: &Step) -> Task {
        let of = step.clone();
        preview_step(&self.id, step, move |preview| {
            Message::Previewed(Box::new(of), preview)
        })
    }

    /// Takes what a step is shown, where that one is still answered. Where there is nothing to show the panes stay in
    /// sight.
    pub(super) fn take_reading(&mut self, step: &Step, preview: &Preview) {
        let answers = self
            .writing
            .as_ref()
            .is_some_and(|writing| writing.purpose.answers(&step.id()));
        let reading = SeatReading::from_messages(&self.source.state, step, &preview.messages);
        if !answers || reading.is_empty() {
            return;
        }
        self.read_above = Some(ReadAbove {
            step: step.id(),
            reading,
            text: ScrollText::default(),
            show: None,
        });
    }

    /// Scrolls what is read above a text; says whether the key did.
    pub(super) fn scrolls_above(&mut self, writing: &DebateText, key: KeyEvent) -> bool {
        let above = self.read_above.as_mut();
        let above = above.filter(|above| writing.purpose.answers(&above.step));
        above.is_some_and(|above| above.handle_key(key))
    }

    /// Draws what is read above the editor, where it is for the step that is answered and there is room.
    pub(super) fn draw_read_above(
        &mut self,
        buffer: &mut Buffer,
        area: Rect,
        context: DrawContext<'_>,
    ) {
        let private = self.source.show.private;
        let Some(writing) = &self.writing else { return };
        if let Some(above) = &mut self.read_above
            && writing.purpose.answers(&above.step)
            && area.height >= MIN_HEIGHT
        {
            above.draw(buffer, area, context, private);
        }
    }
}
