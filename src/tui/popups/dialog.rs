//! Dialog over a screen: a line, a choice from a list or a confirmation, kept with what its answer is for.

use super::{Confirm, ConfirmAnswer, InputKind, LinePrompt, Picker, PopupResult};
use crate::tui::keys::Action;
use crate::tui::widgets::DrawContext;
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::KeyEvent;
use ratatui::layout::{Position, Rect};

/// A question, and what its answer is for.
#[derive(Debug, Clone)]
pub enum Dialog<T> {
    Line(LinePrompt, T),
    List(Box<Picker>, T),
    Confirm(Confirm, T),
}

/// Answer to a dialog, which is gone then.
#[derive(Debug)]
pub enum DialogAnswer<T> {
    /// It was left, or answered by no.
    Left(T),
    /// What was typed, without blanks around it.
    Line(T, String),
    /// An item of the list, and what was typed.
    Item(T, usize, String),
    Yes(T),
}

impl<T> Dialog<T> {
    /// A line with a text to begin with; `hint` says what Enter does.
    pub fn new_line_prompt(title: &str, hint: &str, text: &str, purpose: T) -> Self {
        Dialog::Line(LinePrompt::new(title, hint, text), purpose)
    }

    /// A line with a proposal, which the first letter that is typed replaces.
    pub fn new_proposal(title: &str, hint: &str, proposal: &str, purpose: T) -> Self {
        Dialog::Line(
            LinePrompt::new(title, hint, proposal).with_proposal(),
            purpose,
        )
    }

    /// A line at the foot of the area, with a text to begin with; the title says what Enter does.
    pub(crate) fn new_foot_prompt(title: &str, text: &str, purpose: T) -> Self {
        Dialog::Line(LinePrompt::new_at_foot(title, text), purpose)
    }

    pub fn new_list(pick: Picker, purpose: T) -> Self {
        Dialog::List(Box::new(pick), purpose)
    }

    /// A question that Enter answers with no.
    pub fn new_confirm(title: &str, question: &str, purpose: T) -> Self {
        Dialog::Confirm(Confirm::new(title, question, ConfirmAnswer::No), purpose)
    }

    /// Returns the dialog with the reason why what was typed does not do.
    #[must_use]
    pub(crate) fn with_fault(mut self, why: &str) -> Self {
        if let Dialog::Line(line, _) = &mut self {
            line.set_fault(why);
        }
        self
    }

    /// Returns what it reads: keys by [`Dialog::answer_key`], or actions by [`Dialog::answer_action`].
    pub(crate) fn input_kind(&self) -> InputKind {
        match self {
            Dialog::List(pick, _) => pick.input_kind(),
            Dialog::Line(..) | Dialog::Confirm(..) => InputKind::Text,
        }
    }

    /// Gives a key to the dialog that lies over a screen, if one does; it is taken away when it is answered.
    pub fn answer_key(over: &mut Option<Self>, key: KeyEvent) -> Option<DialogAnswer<T>> {
        let result = match over.as_mut()? {
            Dialog::Line(line, _) => match line.handle_key(key) {
                PopupResult::Stays => PopupResult::Stays,
                PopupResult::Closes => PopupResult::Closes,
                PopupResult::Says(text) => PopupResult::Says((0, text)),
            },
            Dialog::List(pick, _) => add_typed_text(pick.handle_key(key), pick),
            Dialog::Confirm(ask, _) => match ask.handle_key(key) {
                PopupResult::Stays => PopupResult::Stays,
                PopupResult::Closes | PopupResult::Says(ConfirmAnswer::No) => PopupResult::Closes,
                PopupResult::Says(ConfirmAnswer::Yes) => PopupResult::Says((0, String::new())),
            },
        };
        Self::take_answer(over, result)
    }

    /// Gives an action to the dialog that lies over a screen, if one does that reads them.
    pub(crate) fn answer_action(
        over: &mut Option<Self>,
        action: Action,
    ) -> Option<DialogAnswer<T>> {
        let Dialog::List(pick, _) = over.as_mut()? else {
            return None;
        };
        let result = add_typed_text(pick.handle_action(action), pick);
        Self::take_answer(over, result)
    }

    /// Takes the dialog away where it is answered.
    fn take_answer(
        over: &mut Option<Self>,
        result: PopupResult<(usize, String)>,
    ) -> Option<DialogAnswer<T>> {
        let answer = match result {
            PopupResult::Stays => return None,
            PopupResult::Closes => None,
            PopupResult::Says((at, text)) => Some((at, text.trim().to_owned())),
        };
        Some(match (over.take()?, answer) {
            (Dialog::Line(_, of) | Dialog::List(_, of) | Dialog::Confirm(_, of), None) => {
                DialogAnswer::Left(of)
            }
            (Dialog::Line(_, of), Some((_, text))) => DialogAnswer::Line(of, text),
            (Dialog::List(_, of), Some((at, text))) => DialogAnswer::Item(of, at, text),
            (Dialog::Confirm(_, of), Some(_)) => DialogAnswer::Yes(of),
        })
    }

    /// Types pasted text; nothing pasted answers a confirmation.
    pub fn paste_text(&mut self, text: &str) {
        match self {
            Dialog::Line(line, _) => line.paste_text(text),
            Dialog::List(pick, _) => pick.paste_text(text),
            Dialog::Confirm(..) => {}
        }
    }

    /// Draws it over an area, and returns where the terminal's cursor belongs.
    pub fn draw(&self, area: Rect, buf: &mut Buffer, context: DrawContext<'_>) -> Option<Position> {
        let look = context.look;
        context.rows.begin_popup();
        match self {
            Dialog::Line(line, _) => line.draw(area, buf, look),
            Dialog::List(pick, _) => {
                pick.note_rows(area, context.rows);
                pick.draw(area, buf, look)
            }
            Dialog::Confirm(ask, _) => {
                ask.draw(area, buf, look);
                None
            }
        }
    }
}

fn add_typed_text(result: PopupResult<usize>, pick: &Picker) -> PopupResult<(usize, String)> {
    match result {
        PopupResult::Stays => PopupResult::Stays,
        PopupResult::Closes => PopupResult::Closes,
        PopupResult::Says(at) => PopupResult::Says((at, pick.typed_text().to_owned())),
    }
}
