//! Dialog over a screen: a line, a choice from a list or a confirmation, kept with what its answer is for.

use super::{Confirm, ConfirmAnswer, Picker, PopupResult};
use crate::tui::widgets::LineInput;
use ratatui::crossterm::event::{KeyCode, KeyEvent};

/// A question, and what its answer is for.
#[derive(Debug, Clone)]
pub enum Dialog<T> {
    Line(LineInput, T),
    List(Box<Picker>, T),
    Confirm(Confirm, T),
}

/// Result of a key; a dialog that does not stay is gone.
#[derive(Debug)]
pub enum DialogAnswer<T> {
    Stays(Dialog<T>),
    /// It was left, or answered by no.
    Left(T),
    /// What was typed, without blanks around it.
    Line(T, String),
    /// An item of the list, and what was typed.
    Item(T, usize, String),
    Yes(T),
}

impl<T> Dialog<T> {
    /// A line with a text to begin with.
    pub fn line(text: &str, of: T) -> Self {
        Dialog::Line(LineInput::new(text), of)
    }

    pub fn list(pick: Picker, of: T) -> Self {
        Dialog::List(Box::new(pick), of)
    }

    /// A question that Enter answers with no.
    pub fn confirm(title: &str, question: &str, of: T) -> Self {
        Dialog::Confirm(Confirm::new(title, question, ConfirmAnswer::No), of)
    }

    /// Takes a key.
    pub fn key(self, key: KeyEvent) -> DialogAnswer<T> {
        match self {
            Dialog::Line(mut line, of) => match key.code {
                KeyCode::Esc => DialogAnswer::Left(of),
                KeyCode::Enter => DialogAnswer::Line(of, line.text().trim().to_owned()),
                _ => {
                    line.key(key);
                    DialogAnswer::Stays(Dialog::Line(line, of))
                }
            },
            Dialog::List(mut pick, of) => match pick.key(key) {
                PopupResult::Says(at) => DialogAnswer::Item(of, at, pick.typed().trim().to_owned()),
                PopupResult::Closes => DialogAnswer::Left(of),
                PopupResult::Stays => DialogAnswer::Stays(Dialog::List(pick, of)),
            },
            Dialog::Confirm(mut ask, of) => match ask.key(key) {
                PopupResult::Says(ConfirmAnswer::Yes) => DialogAnswer::Yes(of),
                PopupResult::Closes | PopupResult::Says(ConfirmAnswer::No) => {
                    DialogAnswer::Left(of)
                }
                PopupResult::Stays => DialogAnswer::Stays(Dialog::Confirm(ask, of)),
            },
        }
    }

    /// Types pasted text; nothing pasted answers a confirmation.
    pub fn paste(&mut self, text: &str) {
        match self {
            Dialog::Line(line, _) => drop(line.paste(text)),
            Dialog::List(pick, _) => pick.paste(text),
            Dialog::Confirm(..) => {}
        }
    }
}
