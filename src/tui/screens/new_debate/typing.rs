//! Typed keys and pasted text of the new-debate form: a letter on a text field types at once, a digit on
//! a number.

use super::chooser::{Choice, Over};
use super::form::{FieldKind, FormField, RowSelection};
use super::{DRAFT, NewDebate, tasks};
use crate::tui::app::{Command, Draft, Effect, say};
use crate::tui::keys::{Action, typed_char};
use crate::tui::popups::{Dialog, DialogAnswer};
use crate::tui::terminal::Paste;
use crate::tui::theme::Role;
use crate::tui::widgets::Edited;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use std::path::PathBuf;

/// Characters that stay commands on a text that is not being written.
const COMMANDS: [char; 2] = ['?', ':'];
/// Characters that a number may begin with.
const NUMBER: [char; 3] = ['.', '-', '$'];

impl NewDebate {
    /// Types into the focused field; `None` leaves the key to the table.
    pub(super) fn begins_typing(&mut self, key: KeyEvent) -> Option<Vec<Effect>> {
        let c = typed_char(key)?;
        let is_taken = match self.kind(&self.focus) {
            FieldKind::Chosen => false,
            // No text begins with a blank, which is a command as well.
            FieldKind::Text if c == ' ' => match self.focus {
                FormField::Topic => !self.form.topic.is_empty(),
                ref field => self.form.has(field),
            },
            FieldKind::Text => !COMMANDS.contains(&c),
            FieldKind::Number => c.is_ascii_digit() || NUMBER.contains(&c),
        };
        is_taken.then(|| {
            self.open_to_type();
            self.take_key(key)
        })
    }

    /// Opens the focused text to be continued; a number and a file are replaced.
    fn open_to_type(&mut self) {
        match self.focus.clone() {
            FormField::Topic => {
                let end = KeyEvent::new(KeyCode::End, KeyModifiers::CONTROL);
                self.form.topic.key(end);
                self.over = Over::Topic;
            }
            field if field == FormField::Dataset || self.kind(&field) == FieldKind::Number => {
                self.over = Over::Asks(Dialog::line("", Choice::Line(field)));
            }
            field => self.open_line(field),
        }
    }

    /// Lets the line of a field be changed.
    pub(super) fn open_line(&mut self, field: FormField) {
        let text = match &field {
            FormField::Documents => String::new(),
            FormField::Setting(name) => match self.spec(name) {
                Some(spec) => self.setting(name, spec),
                None => String::new(),
            },
            field => self.form.get(field).to_owned(),
        };
        self.over = Over::Asks(Dialog::line(&text, Choice::Line(field)));
    }

    /// Takes a key while something is typed.
    pub(super) fn take_key(&mut self, key: KeyEvent) -> Vec<Effect> {
        match std::mem::take(&mut self.over) {
            Over::Nothing => Vec::new(),
            Over::Topic => self.write(key),
            Over::Asks(Dialog::Line(line, Choice::Line(field))) if moves(key).is_some() => {
                let effects = self.entered(field, line.text().trim());
                if let Some(action) = moves(key) {
                    self.answer(action);
                }
                effects
            }
            Over::Asks(dialog) => match dialog.key(key) {
                DialogAnswer::Line(Choice::Line(field), text) => self.entered(field, &text),
                DialogAnswer::Item(choice, at, typed) => self.chosen(choice, at, &typed),
                DialogAnswer::Yes(_) => self.mean_names(),
                DialogAnswer::Left(Choice::Unlisted) => {
                    self.focus = FormField::Everybody;
                    Vec::new()
                }
                DialogAnswer::Line(..) | DialogAnswer::Left(_) => Vec::new(),
                DialogAnswer::Stays(dialog) => {
                    // The game under the cursor is drawn next to the list.
                    let under = match &dialog {
                        Dialog::List(pick, Choice::Game) => pick.chosen(),
                        _ => None,
                    };
                    let game = under.and_then(|at| self.library.games.get(at));
                    let id = game.map(|game| game.id.clone());
                    self.over = Over::Asks(dialog);
                    id.map(|id| self.read_game(id)).unwrap_or_default()
                }
            },
        }
    }

    /// Takes pasted text: into what is typed, else into the focused text.
    pub(super) fn take_paste(&mut self, paste: &Paste) -> Vec<Effect> {
        if matches!(self.over, Over::Nothing) {
            if self.kind(&self.focus) != FieldKind::Text {
                return say("move to the topic to paste it there");
            }
            if self.focus != FormField::Topic {
                self.open_to_type();
            }
        }
        match &mut self.over {
            Over::Asks(dialog) => dialog.paste(&paste.text),
            Over::Nothing | Over::Topic => {
                let edited = self.form.topic.paste(&paste.text);
                let mut effects = self.wrote(edited);
                if paste.dropped_bytes > 0 {
                    let text = format!("{} bytes at the end were left out", paste.dropped_bytes);
                    effects.push(Effect::Say(Role::Warning, text));
                }
                effects.extend(self.prepare());
                return effects;
            }
        }
        Vec::new()
    }

    /// Writes in the topic; leaving it asks for the cost again.
    fn write(&mut self, key: KeyEvent) -> Vec<Effect> {
        let then = match key.code {
            KeyCode::Tab | KeyCode::BackTab => moves(key),
            KeyCode::Esc => None,
            // Ctrl-D is done in every editor of the workbench.
            KeyCode::Char('d') if key.modifiers.contains(KeyModifiers::CONTROL) => None,
            _ => {
                let edited = self.form.topic.key(key);
                self.over = Over::Topic;
                return self.wrote(edited);
            }
        };
        if let Some(action) = then {
            self.answer(action);
        }
        self.prepare()
    }

    fn wrote(&mut self, edited: Edited) -> Vec<Effect> {
        let draft = Effect::Do(Command::Draft(Draft {
            place: DRAFT.to_owned(),
            text: self.form.topic.text(),
        }));
        match edited {
            Edited::Changed => vec![draft],
            Edited::Moved | Edited::Ignored => Vec::new(),
            Edited::Full { dropped_bytes } => {
                let text = format!("the topic is full: {dropped_bytes} bytes were left out");
                vec![draft, Effect::Say(Role::Warning, text)]
            }
        }
    }

    /// Takes a line that was typed.
    fn entered(&mut self, field: FormField, text: &str) -> Vec<Effect> {
        self.wrong.remove(&field);
        match field {
            FormField::Dataset => {
                self.form.set(field, text);
                // Another file has other rows.
                self.form.available = 0;
                self.form.rows = RowSelection::One;
                return match text {
                    "" => self.prepare(),
                    name => vec![Effect::Start(tasks::read_rows(name.to_owned()))],
                };
            }
            FormField::Documents => match text {
                "" => return Vec::new(),
                "-" => drop(self.form.documents.pop()),
                path => return vec![Effect::Start(tasks::read_document(PathBuf::from(path)))],
            },
            FormField::Setting(name) => return self.set(name, text),
            field => self.form.set(field, text),
        }
        self.prepare()
    }
}

/// Returns where a key goes that ends a line.
fn moves(key: KeyEvent) -> Option<Action> {
    match key.code {
        KeyCode::Tab | KeyCode::Down => Some(Action::FocusNext),
        KeyCode::BackTab | KeyCode::Up => Some(Action::FocusPrevious),
        _ => None,
    }
}
