//! Typed keys and pasted text of the new-debate form: a letter on a text field types at once, a digit on
//! a number.

use super::chooser::Choice;
use super::{DRAFT, NewDebate, tasks};
use crate::experiments::debate_draft::{DebateField, PlayedRows};
use crate::terminal::Paste;
use crate::tui::app::{Command, Effect, say};
use crate::tui::keys::Action;
use crate::tui::popups::{Dialog, DialogAnswer};
use crate::tui::screens::writing::{cut_off, full};
use crate::tui::widgets::{Edited, Editor, FieldKind, FormKey};
use crate::workspace::Draft;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use std::path::PathBuf;

impl NewDebate {
    /// Types into the focused field; `None` leaves the key to the table.
    pub(super) fn begins_typing(&mut self, key: KeyEvent) -> Option<Vec<Effect>> {
        let kind = self.kind(&self.rows.focus);
        let value = match &self.rows.focus {
            DebateField::Topic => &self.draft.topic,
            field => self.draft.get(field),
        };
        kind.begins_with(key, value).then(|| {
            // A blank goes on with a topic that is there already.
            if self.rows.focus == DebateField::Topic && key.code != KeyCode::Char(' ') {
                self.drop_given_topic();
            }
            self.open_to_type();
            self.take_key(key)
        })
    }

    /// Opens the focused text to be continued; a number and a file are replaced.
    fn open_to_type(&mut self) {
        match self.rows.focus.clone() {
            DebateField::Topic => self.write_topic(),
            DebateField::Dataset => self.rows.open(""),
            field if self.kind(&field) == FieldKind::Number => self.rows.open(""),
            field => self.open_line(&field),
        }
    }

    /// Makes room for another topic, where nobody wrote here what there is.
    fn drop_given_topic(&mut self) {
        if self.draft.is_row() {
            self.draft.forget_topic();
            self.topic = Editor::default();
        }
    }

    /// Lets the topic be written, from its end on.
    pub(super) fn write_topic(&mut self) {
        let end = KeyEvent::new(KeyCode::End, KeyModifiers::CONTROL);
        self.topic.key(end);
        self.is_writing = true;
    }

    /// Lets the line of a field be changed.
    pub(super) fn open_line(&mut self, field: &DebateField) {
        let text = match field {
            DebateField::Documents => String::new(),
            DebateField::Setting(name) => match self.spec(name) {
                Some(spec) => self.setting(name, spec),
                None => String::new(),
            },
            field => self.draft.get(field).to_owned(),
        };
        self.rows.open(&text);
    }

    /// Takes a key while something is typed.
    pub(super) fn take_key(&mut self, key: KeyEvent) -> Vec<Effect> {
        if self.is_writing {
            return self.write(key);
        }
        if self.rows.is_typing() {
            let FormKey::Entered(text, then) = self.rows.key(key) else {
                return Vec::new();
            };
            let effects = self.entered(self.rows.focus.clone(), &text);
            if let Some(action) = then {
                self.answer(action);
            }
            return effects;
        }
        match Dialog::answer(&mut self.over, key) {
            Some(DialogAnswer::Item(choice, at, typed)) => self.chosen(choice, at, &typed),
            Some(DialogAnswer::Yes(_)) => self.mean_names(),
            Some(DialogAnswer::Left(Choice::Unlisted)) => {
                self.rows.focus = DebateField::Everybody;
                Vec::new()
            }
            Some(DialogAnswer::Line(..) | DialogAnswer::Left(_)) => Vec::new(),
            None => {
                // The game under the cursor is drawn next to the list.
                let under = match &self.over {
                    Some(Dialog::List(pick, Choice::Game)) => pick.chosen(),
                    _ => None,
                };
                let game = under.and_then(|at| self.library.games.get(at));
                let id = game.map(|game| game.id.clone());
                id.map(|id| self.read_game(id)).unwrap_or_default()
            }
        }
    }

    /// Takes pasted text: into what is typed, else into the focused text.
    pub(super) fn take_paste(&mut self, paste: &Paste) -> Vec<Effect> {
        let is_idle = !self.is_writing && !self.rows.is_typing() && self.over.is_none();
        if is_idle && self.kind(&self.rows.focus) != FieldKind::Text {
            return say("move to the topic to paste it there");
        }
        if let Some(dialog) = &mut self.over {
            dialog.paste(&paste.text);
            return Vec::new();
        }
        if is_idle {
            match self.rows.focus {
                DebateField::Topic => self.drop_given_topic(),
                _ => self.open_to_type(),
            }
        }
        if self.rows.is_typing() {
            self.rows.paste(&paste.text);
            return Vec::new();
        }
        let edited = self.topic.paste(&paste.text);
        let mut effects = self.wrote(edited);
        effects.extend(cut_off(paste));
        effects.extend(self.prepare());
        effects
    }

    /// Writes in the topic; leaving it asks for the cost again.
    fn write(&mut self, key: KeyEvent) -> Vec<Effect> {
        let then = match key.code {
            KeyCode::Tab => Some(Action::FocusNext),
            KeyCode::BackTab => Some(Action::FocusPrevious),
            KeyCode::Esc => None,
            // Ctrl-D is done in every editor of the workbench.
            KeyCode::Char('d') if key.modifiers.contains(KeyModifiers::CONTROL) => None,
            _ => {
                let edited = self.topic.key(key);
                return self.wrote(edited);
            }
        };
        self.is_writing = false;
        if let Some(action) = then {
            self.answer(action);
        }
        self.prepare()
    }

    fn wrote(&mut self, edited: Edited) -> Vec<Effect> {
        let mut effects = full(edited);
        if edited.has_changed() {
            self.draft.topic = self.topic.text();
            let draft = Draft {
                place: DRAFT.to_owned(),
                text: self.draft.topic.clone(),
            };
            effects.insert(0, Effect::Do(Command::Draft(draft)));
        }
        effects
    }

    /// Takes a line that was typed.
    fn entered(&mut self, field: DebateField, text: &str) -> Vec<Effect> {
        self.wrong.remove(&field);
        match field {
            DebateField::Dataset => {
                self.draft.set(field, text);
                // Another file has other rows.
                self.draft.available = 0;
                self.draft.rows = PlayedRows::One;
                return match text {
                    "" => self.prepare(),
                    name => vec![Effect::Start(tasks::read_rows(name.to_owned()))],
                };
            }
            DebateField::Documents => match text {
                "" => return Vec::new(),
                "-" => drop(self.draft.documents.pop()),
                path => return vec![Effect::Start(tasks::read_document(PathBuf::from(path)))],
            },
            DebateField::Setting(name) => return self.set(name, text),
            field => self.draft.set(field, text),
        }
        self.prepare()
    }
}
