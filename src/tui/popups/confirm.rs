//! Confirmation popup: a yes-or-no question. Nothing pasted answers it.

use super::PopupResult;
use crate::tui::keys::typed_char;
use crate::tui::theme::{Look, Role};
use crate::tui::widgets::{
    Focus, center_rect, draw_frame, draw_line, fill_area, lay_out, prose_paragraphs,
};
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::{KeyCode, KeyEvent};
use ratatui::layout::{Position, Rect};

const WIDTH: u16 = 60;
/// Lines of a question that are shown.
const MAX_LINES: usize = 8;

/// An answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConfirmAnswer {
    Yes,
    No,
}

/// The question and the answer that Enter gives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Confirm {
    title: String,
    question: String,
    chosen: ConfirmAnswer,
}

impl Confirm {
    /// Asks; `chosen` is what Enter answers until another one is chosen.
    pub fn new(title: &str, question: &str, chosen: ConfirmAnswer) -> Self {
        Self {
            title: title.to_owned(),
            question: question.to_owned(),
            chosen,
        }
    }

    /// Takes a key: `y` and `n` answer, arrows and Tab choose, Enter answers what is chosen, Esc closes.
    pub fn handle_key(&mut self, key: KeyEvent) -> PopupResult<ConfirmAnswer> {
        match key.code {
            KeyCode::Esc => return PopupResult::Closes,
            KeyCode::Enter => return PopupResult::Says(self.chosen),
            KeyCode::Char('y' | 'Y') if typed_char(key).is_some() => {
                return PopupResult::Says(ConfirmAnswer::Yes);
            }
            KeyCode::Char('n' | 'N') if typed_char(key).is_some() => {
                return PopupResult::Says(ConfirmAnswer::No);
            }
            KeyCode::Left | KeyCode::Right | KeyCode::Tab | KeyCode::BackTab => {
                self.chosen = match self.chosen {
                    ConfirmAnswer::Yes => ConfirmAnswer::No,
                    ConfirmAnswer::No => ConfirmAnswer::Yes,
                };
            }
            _ => {}
        }
        PopupResult::Stays
    }

    /// Draws the question and both answers.
    pub fn draw(&self, area: Rect, buf: &mut Buffer, look: &Look) {
        let width = WIDTH.min(area.width.saturating_sub(2));
        let question = prose_paragraphs(Role::Text, 0, &self.question);
        let text = lay_out(&question, width.saturating_sub(4).into());
        // At most MAX_LINES.
        let lines = text.len().clamp(1, MAX_LINES) as u16;
        let area = center_rect(area, width, lines + 4);
        fill_area(area, buf, look);
        let inner = draw_frame(area, buf, look, &self.title, Focus::Focused);
        if inner.height < 2 || inner.width < 4 {
            return;
        }
        let room = lines.min(inner.height - 1);
        let question_area = Rect::new(inner.x + 1, inner.y, inner.width - 2, room);
        for (row, line) in question_area.rows().zip(&text) {
            line.draw(buf, row, look);
        }
        let mut x = inner.x + 1;
        for (answer, label) in [
            (ConfirmAnswer::Yes, " y  yes "),
            (ConfirmAnswer::No, " n  no "),
        ] {
            let is_chosen = self.chosen == answer;
            let role = if is_chosen {
                Role::Selection
            } else {
                Role::Text
            };
            let mark = if is_chosen { look.glyphs().cursor } else { " " };
            let text = format!("{mark}{label}");
            let at = Position::new(x, inner.bottom() - 1);
            let room = inner.right().saturating_sub(x);
            x += draw_line(buf, at, room, &text, look.style(role), look) + 2;
        }
    }
}
