//! Typed keys and pasted text of the new-debate form: the topic, the lines that are asked for, and the
//! lists over the form.

use super::ask::{Over, Sitter};
use super::form::{FormField, RowSelection};
use super::{DRAFT, NewDebate};
use crate::tui::app::Draft;
use crate::tui::app::{Deed, Effect};
use crate::tui::keys::Action;
use crate::tui::popups::PopupResult;
use crate::tui::terminal::Paste;
use crate::tui::theme::Role;
use crate::tui::widgets::Edited;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use std::path::PathBuf;

impl NewDebate {
    /// Takes a key while something is typed.
    pub(crate) fn take_key(&mut self, key: KeyEvent) -> Vec<Effect> {
        match std::mem::take(&mut self.over) {
            Over::Nothing => Vec::new(),
            Over::Topic => self.write(key),
            Over::Line(field, mut line) => match key.code {
                KeyCode::Esc => Vec::new(),
                KeyCode::Enter => self.entered(field, line.text().trim()),
                _ => {
                    line.key(key);
                    self.over = Over::Line(field, line);
                    Vec::new()
                }
            },
            Over::Games(mut pick) => match pick.key(key) {
                PopupResult::Says(at) => match self.library.games.get(at) {
                    Some(game) => self.take_game(game.id.clone()),
                    None => Vec::new(),
                },
                PopupResult::Closes => Vec::new(),
                PopupResult::Stays => {
                    // The game under the cursor is drawn next to the list.
                    let under = pick.chosen().and_then(|at| self.library.games.get(at));
                    let id = under.map(|game| game.id.clone());
                    self.over = Over::Games(pick);
                    id.map(|id| self.read_game(id)).unwrap_or_default()
                }
            },
            Over::Sitters(field, pick, _) if key.code == KeyCode::Enter && pick.is_no_item() => {
                let name = pick.typed().trim().to_owned();
                self.seat(&field, Sitter::Named(name))
            }
            Over::Sitters(field, mut pick, sitters) => match pick.key(key) {
                PopupResult::Says(at) => match sitters.get(at) {
                    Some(sitter) => self.seat(&field, sitter.clone()),
                    None => Vec::new(),
                },
                PopupResult::Closes => Vec::new(),
                PopupResult::Stays => {
                    self.over = Over::Sitters(field, pick, sitters);
                    Vec::new()
                }
            },
            Over::Unlisted(mut ask) => match ask.key(key) {
                PopupResult::Says(answer) => self.answer_names(answer),
                PopupResult::Closes => Vec::new(),
                PopupResult::Stays => {
                    self.over = Over::Unlisted(ask);
                    Vec::new()
                }
            },
            Over::Choice(mut pick) => match pick.key(key) {
                PopupResult::Says(at) => match RowSelection::ALL.get(at) {
                    Some(rows) => self.take_rows(*rows),
                    None => Vec::new(),
                },
                PopupResult::Closes => Vec::new(),
                PopupResult::Stays => {
                    self.over = Over::Choice(pick);
                    Vec::new()
                }
            },
            Over::Rows(mut pick, topics) => match pick.key(key) {
                PopupResult::Says(at) => match topics.get(at) {
                    Some(topic) => self.take_row(topic),
                    None => Vec::new(),
                },
                PopupResult::Closes => Vec::new(),
                PopupResult::Stays => {
                    self.over = Over::Rows(pick, topics);
                    Vec::new()
                }
            },
        }
    }

    /// Takes pasted text: into what is typed, else into the topic.
    pub(crate) fn take_paste(&mut self, paste: &Paste) -> Vec<Effect> {
        match &mut self.over {
            Over::Line(_, line) => {
                line.paste(&paste.text);
                Vec::new()
            }
            Over::Games(pick)
            | Over::Sitters(_, pick, _)
            | Over::Choice(pick)
            | Over::Rows(pick, _) => {
                pick.paste(&paste.text);
                Vec::new()
            }
            // Nothing pasted answers a question.
            Over::Unlisted(_) => Vec::new(),
            Over::Nothing if self.focus != FormField::Topic => {
                let text = "move to the topic to paste it there";
                vec![Effect::Say(Role::Notice, text.to_owned())]
            }
            Over::Nothing | Over::Topic => {
                let edited = self.form.topic.paste(&paste.text);
                let mut effects = self.wrote(edited);
                if paste.dropped_bytes > 0 {
                    let text = format!("{} bytes at the end were left out", paste.dropped_bytes);
                    effects.push(Effect::Say(Role::Warning, text));
                }
                effects.extend(self.prepare());
                effects
            }
        }
    }

    /// Writes in the topic; leaving it asks for the cost again.
    fn write(&mut self, key: KeyEvent) -> Vec<Effect> {
        match key.code {
            // Ctrl-D is done in every editor of the workbench.
            KeyCode::Esc | KeyCode::Tab | KeyCode::Char('d') if leaves(key) => {
                if key.code == KeyCode::Tab {
                    self.answer(Action::FocusNext);
                }
                self.prepare()
            }
            KeyCode::BackTab => {
                self.answer(Action::FocusPrevious);
                self.prepare()
            }
            _ => {
                let edited = self.form.topic.key(key);
                self.over = Over::Topic;
                self.wrote(edited)
            }
        }
    }

    fn wrote(&mut self, edited: Edited) -> Vec<Effect> {
        let draft = Effect::Do(Deed::Draft(Draft {
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

    /// Takes a line that was asked for.
    fn entered(&mut self, field: FormField, text: &str) -> Vec<Effect> {
        match field {
            FormField::Dataset => {
                self.form.dataset = text.to_owned();
                // Another file has other rows.
                self.form.available = 0;
                self.form.rows = RowSelection::One;
                self.wrong.remove(&FormField::Dataset);
                if text.is_empty() {
                    return Vec::new();
                }
                return vec![Effect::Do(Deed::ReadRows(text.to_owned()))];
            }
            FormField::Documents if text == "-" => {
                self.form.documents.pop();
            }
            FormField::Documents => {
                self.wrong.remove(&FormField::Documents);
                if text.is_empty() {
                    return Vec::new();
                }
                return vec![Effect::Do(Deed::ReadDocument(PathBuf::from(text)))];
            }
            FormField::Options => self.form.options = text.to_owned(),
            FormField::Reference => self.form.reference = text.to_owned(),
            FormField::Persona(seat) if text.is_empty() => {
                self.form.personas.remove(&seat);
            }
            FormField::Persona(seat) => {
                self.form.personas.insert(seat, text.to_owned());
            }
            FormField::Seed => self.form.seed = text.to_owned(),
            FormField::Budget => self.form.budget = text.to_owned(),
            FormField::Setting(name) => return self.set(name, text.to_owned()),
            FormField::Everybody | FormField::Chair(_) => {
                let sitter = match text {
                    "" => Sitter::AsOthers,
                    name => Sitter::Named(name.to_owned()),
                };
                return self.seat(&field, sitter);
            }
            FormField::SampleSize => self.form.sample = text.to_owned(),
            FormField::Game
            | FormField::Topic
            | FormField::Rows
            | FormField::Memory
            | FormField::Begin => {}
        }
        self.prepare()
    }
}

/// Says whether a key leaves the editor: a letter only with Ctrl.
fn leaves(key: KeyEvent) -> bool {
    match key.code {
        KeyCode::Char(_) => key.modifiers.contains(KeyModifiers::CONTROL),
        _ => true,
    }
}
