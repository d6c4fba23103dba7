//! Results of commands: games, rows, documents, costs, the debate itself.

use super::form::{FormField, RowSelection};
use super::{DRAFT, NewDebate, ReadyPlan};
use crate::debate::Topic;
use crate::tui::app::Draft;
use crate::tui::app::{Deed, Effect, RunTold, Told};
use crate::tui::theme::Role;
use crate::tui::widgets::Editor;
use std::sync::Arc;

/// The game that is chosen at first where none is configured; another one will do as well.
const USUAL_GAME: &str = "pred";

impl NewDebate {
    /// Takes in a result of a command.
    pub(crate) fn hear(&mut self, told: &Told) -> Vec<Effect> {
        match told {
            Told::Library(Ok(library)) => {
                let changed = self.library.default_model != library.default_model;
                self.library = Arc::clone(library);
                let game = library.default_protocol.clone().or_else(|| {
                    let mut games = library.games.iter();
                    let usual = games.clone().find(|game| game.id == USUAL_GAME);
                    usual.or_else(|| games.next()).map(|game| game.id.clone())
                });
                match game {
                    Some(game) if self.form.game.is_empty() => self.take_game(game),
                    // A server has answered: the default model may have changed.
                    Some(_) if changed => self.prepare(),
                    Some(_) | None => Vec::new(),
                }
            }
            Told::GameRead(id, card) => {
                self.cards.insert(id.clone(), card.clone());
                if *id == self.form.game {
                    self.prepare()
                } else {
                    Vec::new()
                }
            }
            Told::RowsRead(text, rows) if *text == self.form.dataset => match rows {
                Ok(rows) => {
                    let topics: Vec<Topic> = rows.iter().map(|row| row.topic.clone()).collect();
                    self.form.available = topics.len();
                    self.topics = Arc::new(topics);
                    self.choose_rows();
                    Vec::new()
                }
                Err(why) => self.blame(FormField::Dataset, why),
            },
            Told::DocumentRead(_, read) => match read {
                Ok(document) => {
                    self.form.documents.push(document.as_ref().clone());
                    self.prepare()
                }
                Err(why) => self.blame(FormField::Documents, why),
            },
            // An answer to an older question says nothing about the form as it is.
            Told::Prepared(ticket, result) if *ticket == self.ticket => {
                self.prepared = Some(result.clone().map(ReadyPlan::Debate));
                Vec::new()
            }
            Told::Run(RunTold::Prepared(ticket, result)) if *ticket == self.ticket => {
                self.prepared = Some(result.clone().map(ReadyPlan::Run));
                Vec::new()
            }
            Told::Run(RunTold::Began(result)) if std::mem::take(&mut self.beginning) => {
                match result {
                    Ok(_) => vec![Effect::Leave],
                    // The workbench says it; the form stays as it is.
                    Err(_) => Vec::new(),
                }
            }
            Told::Begun(result) if std::mem::take(&mut self.beginning) => match result {
                Ok((session, _)) => {
                    let empty = Draft {
                        place: DRAFT.to_owned(),
                        text: String::new(),
                    };
                    vec![
                        Effect::Do(Deed::Draft(empty)),
                        Effect::Leave,
                        Effect::OpenForked(session.clone()),
                    ]
                }
                Err(why) => {
                    self.prepared = Some(Err(why.clone()));
                    vec![Effect::Say(Role::Error, why.clone())]
                }
            },
            Told::DraftFound(draft) if draft.place == DRAFT => self.take_draft(&draft.text),
            Told::Library(Err(why)) => vec![Effect::Say(Role::Error, why.clone())],
            _ => Vec::new(),
        }
    }

    /// Takes a game; it is read if that was not done yet.
    pub(super) fn take_game(&mut self, id: String) -> Vec<Effect> {
        if self.form.game != id {
            self.form.game.clone_from(&id);
            // Seats and settings of another game mean nothing here.
            self.form.chairs.clear();
            self.form.settings.clear();
            self.prepared = None;
        }
        let read = self.read_game(id);
        if self.cards.contains_key(&self.form.game) {
            return self.prepare();
        }
        read
    }

    /// Asks for a game that was not read yet.
    pub(crate) fn read_game(&mut self, id: String) -> Vec<Effect> {
        if !self.reading.insert(id.clone()) {
            return Vec::new();
        }
        vec![Effect::Do(Deed::ReadGame(id))]
    }

    /// Takes a row of a data set.
    pub(super) fn take_row(&mut self, topic: &Topic) -> Vec<Effect> {
        self.focus = FormField::Topic;
        if self.form.is_run() {
            // What a run costs says nothing about one debate.
            self.prepared = None;
        }
        self.form.rows = RowSelection::One;
        match self.form.take_row(topic) {
            Ok(()) => self.prepare(),
            Err(why) => vec![Effect::Say(Role::Error, why.to_string())],
        }
    }

    fn take_draft(&mut self, text: &str) -> Vec<Effect> {
        if !self.form.topic.is_empty() || text.is_empty() {
            return Vec::new();
        }
        let Ok(editor) = Editor::open(text) else {
            return Vec::new();
        };
        self.form.topic = editor;
        let said = "this is the topic that you were writing last time";
        let mut effects = vec![Effect::Say(Role::Notice, said.to_owned())];
        effects.extend(self.prepare());
        effects
    }

    fn blame(&mut self, field: FormField, why: &str) -> Vec<Effect> {
        self.wrong.insert(field, why.to_owned());
        Vec::new()
    }
}
