//! Line prompt at the foot of a screen: what is above stays in sight and may follow what is typed.

use crate::tui::keys::Action;
use crate::tui::theme::Role;
use crate::tui::widgets::{
    DrawContext, LineInput, Typed, draw_label, draw_text, head_and_body, moving_action,
};
use elenchus_text::Paragraph;
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::{KeyCode, KeyEvent};
use ratatui::layout::{Position, Rect};

/// The line, with what it is for.
#[derive(Debug, Clone)]
pub struct FootPrompt<T> {
    pub purpose: T,
    line: LineInput,
}

/// What a prompt at the foot says of itself.
pub trait FootText {
    /// Returns what stands before the line.
    fn prompt_label(&self) -> String;

    /// Returns what the keys do here.
    fn key_help(&self) -> &'static str;
}

/// Result of a key.
#[derive(Debug)]
pub enum PromptKeyResult<T> {
    /// Nothing that matters outside of the line.
    Stays,
    /// Another text is typed.
    Changed,
    /// The list above is walked through.
    Moves(Action),
    /// Tab: something else is wanted.
    Turns,
    /// It was left, and is gone.
    Left(T),
    /// What was typed, without blanks around it; the prompt is gone.
    Entered(T, String),
}

impl<T: FootText> FootPrompt<T> {
    /// Asks with a text to begin with.
    pub fn new(purpose: T, text: &str) -> Self {
        let line = LineInput::new(text);
        Self { purpose, line }
    }

    pub fn text(&self) -> &str {
        self.line.text()
    }

    /// Gives a key to the prompt, if there is one; it is taken away when it is answered.
    pub fn answer_key(over: &mut Option<Self>, key: KeyEvent) -> PromptKeyResult<T> {
        let Some(mut prompt) = over.take() else {
            return PromptKeyResult::Stays;
        };
        let result = match key.code {
            KeyCode::Esc => return PromptKeyResult::Left(prompt.purpose),
            KeyCode::Enter => {
                let text = prompt.text().trim().to_owned();
                return PromptKeyResult::Entered(prompt.purpose, text);
            }
            KeyCode::Tab | KeyCode::BackTab => PromptKeyResult::Turns,
            _ => match (moving_action(key), prompt.line.handle_key(key)) {
                (Some(action), _) => PromptKeyResult::Moves(action),
                (None, Typed::Changed) => PromptKeyResult::Changed,
                (None, Typed::Moved | Typed::Ignored) => PromptKeyResult::Stays,
            },
        };
        *over = Some(prompt);
        result
    }

    /// Types pasted text.
    pub fn paste_text(&mut self, text: &str) {
        self.line.paste_text(text);
    }

    /// Draws the line and its help; returns where the terminal's cursor belongs.
    pub fn draw(&self, buffer: &mut Buffer, foot: Rect, context: DrawContext<'_>) -> Position {
        let look = context.look;
        let [row, below] = head_and_body(foot, 1);
        let input = draw_label(
            buffer,
            row,
            look,
            Role::Accent,
            &self.purpose.prompt_label(),
        );
        let cursor = self.line.draw(input, buffer, look, Role::Text);
        let help = Paragraph::new(Role::Muted, self.purpose.key_help());
        draw_text(buffer, below, look, &[help]);
        cursor
    }
}
