//! Form: fields with a name and a value each, one of which has the focus. A text is typed in the row of its
//! field.

use super::frame::put;
use super::line_input::{LineInput, Typed};
use super::list::{ListCursor, Moved, mark_row, window};
use crate::tui::keys::{Action, typed_char};
use crate::tui::theme::{Look, Role};
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::{KeyCode, KeyEvent};
use ratatui::layout::{Constraint, Layout, Position, Rect};

/// Cells before a field, for the cursor.
const MARGIN: u16 = 2;
/// Cells between a name and its value.
const GAP: u16 = 1;
/// Characters that stay commands on a text that is not being written.
const COMMANDS: [char; 2] = ['?', ':'];
/// Characters that a number may begin with.
const NUMBER: [char; 3] = ['.', '-', '$'];

/// Way in which a field is filled in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FieldKind {
    /// By choosing, or by a key of its own.
    Chosen,
    Text,
    Number,
}

impl FieldKind {
    /// Says whether a key begins a text of this kind, whose value so far is given. No text begins with a
    /// blank, which is a command as well.
    pub fn begins_with(self, key: KeyEvent, value: &str) -> bool {
        let Some(c) = typed_char(key) else {
            return false;
        };
        match self {
            FieldKind::Chosen => false,
            FieldKind::Text if c == ' ' => !value.is_empty(),
            FieldKind::Text => !COMMANDS.contains(&c),
            FieldKind::Number => c.is_ascii_digit() || NUMBER.contains(&c),
        }
    }
}

/// A line of a form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FormLine<F> {
    Heading(String),
    Field {
        field: F,
        name: String,
        role: Role,
        value: String,
    },
    /// What is wrong with the field before it.
    Fault(String),
}

/// Result of a key while a text is typed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FormKey {
    Stays,
    /// The text was left as it was.
    Left,
    /// A text, without blanks around it, and where the focus goes then.
    Entered(String, Option<Action>),
}

/// The field with the focus, and what is typed into it.
#[derive(Debug, Clone)]
pub struct Form<F> {
    pub focus: F,
    line: Option<LineInput>,
    /// Why the line was refused; gone when it changes.
    refused: Option<String>,
}

impl<F: Clone + PartialEq> Form<F> {
    pub fn at(focus: F) -> Self {
        Self {
            focus,
            line: None,
            refused: None,
        }
    }

    /// Says whether keys are text of a field.
    pub fn is_typing(&self) -> bool {
        self.line.is_some()
    }

    /// Says whether a line below the field says what does not fit.
    pub fn is_refused(&self) -> bool {
        self.refused.is_some()
    }

    /// Moves the focus, if the action does.
    pub fn act(&mut self, action: Action, fields: &[F]) -> Moved {
        let mut rows = ListCursor::new(fields.len());
        let at = fields.iter().position(|field| *field == self.focus);
        rows.choose(at.unwrap_or(0));
        let moved = rows.act(match action {
            Action::FocusPrevious => Action::Up,
            Action::FocusNext => Action::Down,
            other => other,
        });
        let field = rows.chosen().and_then(|row| fields.get(row));
        if let (Moved::Yes, Some(field)) = (moved, field) {
            self.focus = field.clone();
        }
        moved
    }

    /// Lets a text be typed into the focused field.
    pub fn open(&mut self, text: &str) {
        self.line = Some(LineInput::new(text));
    }

    /// Says why what was entered does not fit; it stays to be mended.
    pub fn refuse(&mut self, text: &str, why: String) {
        self.open(text);
        self.refused = Some(why);
    }

    /// Takes a key while a text is typed.
    pub fn key(&mut self, key: KeyEvent) -> FormKey {
        let Some(line) = &mut self.line else {
            return FormKey::Stays;
        };
        let then = match key.code {
            KeyCode::Esc => {
                (self.line, self.refused) = (None, None);
                return FormKey::Left;
            }
            KeyCode::Enter => None,
            KeyCode::Tab | KeyCode::Down => Some(Action::FocusNext),
            KeyCode::BackTab | KeyCode::Up => Some(Action::FocusPrevious),
            _ => {
                if line.key(key) == Typed::Changed {
                    self.refused = None;
                }
                return FormKey::Stays;
            }
        };
        let text = line.text().trim().to_owned();
        (self.line, self.refused) = (None, None);
        FormKey::Entered(text, then)
    }

    /// Types pasted text, where a text is typed.
    pub fn paste(&mut self, text: &str) {
        if let Some(line) = &mut self.line {
            line.paste(text);
            self.refused = None;
        }
    }

    /// Draws the lines in sight, names in a column of so many cells; returns the cursor while a text is typed.
    pub fn draw(
        &self,
        buffer: &mut Buffer,
        area: Rect,
        look: &Look,
        names: u16,
        lines: &[FormLine<F>],
    ) -> Option<Position> {
        let is_focus = |line: &FormLine<F>| matches!(line, FormLine::Field { field, .. } if *field == self.focus);
        let last = lines.len().saturating_sub(1);
        let chosen = lines.iter().position(is_focus).unwrap_or(last);
        let top = window(chosen, lines.len(), area.height);
        let refused = self.refused.iter().cloned().map(FormLine::Fault);
        let shown = lines.iter().take(chosen + 1).cloned();
        let shown = shown
            .chain(refused)
            .chain(lines.iter().skip(chosen + 1).cloned());
        let mut cursor = None;
        for (row, line) in area.rows().zip(shown.skip(top)) {
            let (role, text) = match line {
                FormLine::Heading(heading) => (Role::Muted, heading),
                FormLine::Fault(fault) => (Role::Error, format!("    {fault}")),
                FormLine::Field {
                    field,
                    name,
                    role,
                    value,
                } => {
                    let is_focus = field == self.focus;
                    let typed = self.line.as_ref().filter(|_| is_focus);
                    let at = draw_field(buffer, row, look, names, (&name, role, &value), typed);
                    cursor = cursor.or(at);
                    if is_focus && typed.is_none() {
                        mark_row(buffer, row, look);
                    }
                    continue;
                }
            };
            put(
                buffer,
                row.as_position(),
                row.width,
                &text,
                look.style(role),
                look,
            );
        }
        cursor
    }
}

fn draw_field(
    buffer: &mut Buffer,
    row: Rect,
    look: &Look,
    names: u16,
    (name, role, value): (&str, Role, &str),
    typed: Option<&LineInput>,
) -> Option<Position> {
    let [_, label, _, place] = Layout::horizontal([
        Constraint::Length(MARGIN),
        Constraint::Length(names.min(row.width / 2)),
        Constraint::Length(GAP),
        Constraint::Fill(1),
    ])
    .areas(row);
    // A button has no value, and the whole row for its name.
    let room = if value.is_empty() && typed.is_none() {
        row.width.saturating_sub(MARGIN)
    } else {
        label.width
    };
    put(
        buffer,
        label.as_position(),
        room,
        name,
        look.style(Role::Strong),
        look,
    );
    if let Some(line) = typed {
        return Some(line.draw(place, buffer, look, Role::Text));
    }
    put(
        buffer,
        place.as_position(),
        place.width,
        value,
        look.style(role),
        look,
    );
    None
}
