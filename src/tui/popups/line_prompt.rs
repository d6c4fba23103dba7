//! Line prompt popup: asks for one line, with an initial text.

use super::PopupResult;
use crate::tui::keys::typed_char;
use crate::tui::theme::{Look, Role};
use crate::tui::widgets::{
    Focus, LineInput, Typed, body_and_foot, center_rect, draw_frame, draw_lines, fill_area,
    head_and_body, lay_out, prose_paragraphs,
};
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::{KeyCode, KeyEvent};
use ratatui::layout::{Margin, Position, Rect};

const WIDTH: u16 = 66;
const HEIGHT: u16 = 5;
const FOOT_HEIGHT: u16 = 3;

/// The line, with what it is for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinePrompt {
    title: String,
    hint: String,
    line: LineInput,
    /// Reason why the line was refused; cleared when it changes.
    fault: Option<String>,
    place: LinePlace,
    /// What stands there is only proposed: the first letter that is typed takes its place.
    is_proposed: bool,
}

/// Place of the prompt over a screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LinePlace {
    Middle,
    /// What it is about stays in sight above; its title says what Enter will do.
    Foot,
}

impl LinePrompt {
    /// Asks for a line; `hint` says in a few words what Enter will do.
    pub fn new(title: &str, hint: &str, initial: &str) -> Self {
        Self {
            title: title.to_owned(),
            hint: hint.to_owned(),
            line: LineInput::new(initial),
            fault: None,
            place: LinePlace::Middle,
            is_proposed: false,
        }
    }

    /// Returns the prompt with its text as a proposal, which the first letter that is typed replaces.
    #[must_use]
    pub fn with_proposal(self) -> Self {
        Self {
            is_proposed: true,
            ..self
        }
    }

    /// Asks for a line at the foot of an area; the title says what Enter will do.
    pub(crate) fn new_at_foot(title: &str, initial: &str) -> Self {
        Self {
            place: LinePlace::Foot,
            ..Self::new(title, "", initial)
        }
    }

    /// Says why the line cannot be taken; the prompt stays open.
    pub fn set_fault(&mut self, why: &str) {
        self.fault = Some(why.to_owned());
    }

    /// Takes a key: Enter says the line, Esc closes.
    pub fn handle_key(&mut self, key: KeyEvent) -> PopupResult<String> {
        match key.code {
            KeyCode::Esc => return PopupResult::Closes,
            KeyCode::Enter => return PopupResult::Says(self.line.text().to_owned()),
            _ => {}
        }
        let was_proposed = std::mem::take(&mut self.is_proposed);
        if was_proposed && typed_char(key).is_some() {
            self.line.clear();
        }
        if self.line.handle_key(key) == Typed::Changed {
            self.fault = None;
        }
        PopupResult::Stays
    }

    /// Types pasted text.
    pub fn paste_text(&mut self, text: &str) {
        if std::mem::take(&mut self.is_proposed) {
            self.line.clear();
        }
        self.line.paste_text(text);
        self.fault = None;
    }

    /// Draws the prompt and returns where the terminal's cursor belongs.
    pub fn draw(&self, area: Rect, buf: &mut Buffer, look: &Look) -> Option<Position> {
        match self.place {
            LinePlace::Middle => self.draw_in_middle(area, buf, look),
            LinePlace::Foot => Some(self.draw_at_foot(area, buf, look)),
        }
    }

    fn draw_at_foot(&self, area: Rect, buf: &mut Buffer, look: &Look) -> Position {
        let [_, area] = body_and_foot(area, FOOT_HEIGHT.min(area.height));
        fill_area(area, buf, look);
        let title = self.fault.as_ref().unwrap_or(&self.title);
        let inner = draw_frame(area, buf, look, title, Focus::Focused);
        self.line.draw(inner, buf, look, Role::Text)
    }

    fn draw_in_middle(&self, area: Rect, buf: &mut Buffer, look: &Look) -> Option<Position> {
        let area = center_rect(area, WIDTH.min(area.width.saturating_sub(2)), HEIGHT);
        fill_area(area, buf, look);
        let inner = draw_frame(area, buf, look, &self.title, Focus::Focused);
        if inner.height < 3 || inner.width < 4 {
            return None;
        }
        let [line, below] = head_and_body(inner.inner(Margin::new(1, 0)), 1);
        let cursor = self.line.draw(line, buf, look, Role::Text);
        let (said, role) = match &self.fault {
            Some(why) => (format!("{} {why}", look.tag(Role::Error)), Role::Error),
            None => (self.hint.clone(), Role::Muted),
        };
        let lines = lay_out(&prose_paragraphs(role, 0, &said), below.width.into());
        let rows = u16::try_from(lines.len()).unwrap_or(u16::MAX);
        let [_, said] = body_and_foot(below, rows.min(below.height));
        draw_lines(buf, said, look, &lines);
        Some(cursor)
    }
}
