//! Choosers of the new-debate form: lists of games, of models and people for a seat, and of rows.

use super::NewDebate;
use crate::engine::seats::HUMAN;
use crate::experiments::debate_draft::{DebateField, PlayedRows};
use crate::tui::app::Effect;
use crate::tui::popups::{Dialog, PickItem, Picker};

/// What is asked for.
#[derive(Debug, Clone)]
pub(super) enum Choice {
    /// Whether names are meant that their server does not list.
    Unlisted,
    /// The games, in the order of the library.
    Game,
    /// The participants of a field; `None` is the default.
    Player(DebateField, Vec<Option<String>>),
    /// Which rows are played, in the order of [`PlayedRows::ALL`].
    Rows,
    /// The rows of the data set.
    Row,
}

impl NewDebate {
    pub(super) fn choose_game(&mut self) -> Vec<Effect> {
        let games = &self.library.games;
        let items = games.iter().map(|game| PickItem {
            label: game.id.clone(),
            detail: format!("{}. {}", game.name, game.description),
            aside: game.origin.clone(),
        });
        let mut pick = Picker::new("Choose a game", items.collect());
        if let Some(at) = games.iter().position(|game| game.id == self.draft.game) {
            pick.choose(at);
        }
        self.over = Some(Dialog::list(pick, Choice::Game));
        Vec::new()
    }

    pub(super) fn choose_player(&mut self, field: DebateField) {
        let names = self.players();
        let usual = match (&field, self.default_model()) {
            (DebateField::Everybody, Some(model)) => self.usual(model),
            (DebateField::Everybody, None) => "not chosen yet".to_owned(),
            _ => "as every seat".to_owned(),
        };
        let items = names.iter().map(|name| PickItem {
            label: name.clone().unwrap_or_else(|| "-".to_owned()),
            detail: match name {
                Some(name) => self.about(name),
                None => usual.clone(),
            },
            aside: String::new(),
        });
        let title = match field {
            DebateField::Everybody => "Model for all seats".to_owned(),
            _ => format!("Model for {}", self.label(&field).trim()),
        };
        let typed = match &self.library.any_model_of {
            Some(address) => format!("use this name at {address}, or human:NAME"),
            None => "use this name as it is typed: a model, or human:NAME".to_owned(),
        };
        let mut pick = Picker::new(&title, items.collect()).or_as_typed(typed);
        let now = self.player(&field);
        if let Some(at) = names.iter().position(|name| *name == now) {
            pick.choose(at);
        }
        self.over = Some(Dialog::list(pick, Choice::Player(field, names)));
    }

    /// Returns who can be chosen for a seat; `None` is the default.
    pub(super) fn players(&self) -> Vec<Option<String>> {
        let models = self.library.models.iter().map(|model| model.name.clone());
        let named = models.chain([HUMAN.to_owned()]).map(Some);
        [None].into_iter().chain(named).collect()
    }

    pub(super) fn player(&self, field: &DebateField) -> Option<String> {
        let has = self.draft.has(field);
        has.then(|| self.draft.get(field).to_owned())
    }

    pub(super) fn seat(&mut self, field: DebateField, name: Option<String>) -> Vec<Effect> {
        self.draft.set(field, name.as_deref().unwrap_or_default());
        self.prepare()
    }

    /// Asks which rows of the data set are played.
    pub(super) fn choose_rows(&mut self) {
        let items = PlayedRows::ALL.map(|rows| {
            let (label, detail) = match rows {
                PlayedRows::One => (
                    "one row".to_owned(),
                    "picked from the list, and played turn by turn",
                ),
                PlayedRows::Sample => (
                    "a sample".to_owned(),
                    "a number of rows, drawn by the seed, as a run",
                ),
                PlayedRows::All => (
                    format!("all {}", self.draft.available),
                    "every row, as a run",
                ),
            };
            PickItem {
                label,
                detail: detail.to_owned(),
                aside: String::new(),
            }
        });
        let title = format!("What is played of {} rows", self.draft.available);
        let mut pick = Picker::new(&title, items.into());
        let mut all = PlayedRows::ALL.iter();
        pick.choose(all.position(|rows| *rows == self.draft.rows).unwrap_or(0));
        self.over = Some(Dialog::list(pick, Choice::Rows));
    }

    /// Takes what was chosen in a list; beyond its last item, what was typed.
    pub(super) fn chosen(&mut self, choice: Choice, at: usize, typed: &str) -> Vec<Effect> {
        match choice {
            Choice::Unlisted => Vec::new(),
            Choice::Game => match self.library.games.get(at) {
                Some(game) => self.take_game(game.id.clone()),
                None => Vec::new(),
            },
            Choice::Player(field, names) => {
                let name = names.get(at).cloned();
                self.seat(field, name.unwrap_or_else(|| Some(typed.to_owned())))
            }
            Choice::Rows => match PlayedRows::ALL.get(at) {
                Some(rows) => self.take_rows(*rows),
                None => Vec::new(),
            },
            Choice::Row => {
                let Some(topic) = self.topics.get(at).cloned() else {
                    return Vec::new();
                };
                self.rows.focus = DebateField::Topic;
                if self.draft.is_run() {
                    // What a run costs says nothing about one debate.
                    self.prepared = None;
                }
                self.draft.rows = PlayedRows::One;
                self.take_topic(&topic)
            }
        }
    }

    /// Takes which rows are played: a row is still to be picked, a number to be typed.
    fn take_rows(&mut self, rows: PlayedRows) -> Vec<Effect> {
        match rows {
            PlayedRows::One => {
                let items = self.topics.iter().map(|topic| PickItem {
                    label: topic.id.clone(),
                    detail: topic.text.split_whitespace().collect::<Vec<_>>().join(" "),
                    aside: topic.category.clone().unwrap_or_default(),
                });
                let pick = Picker::new("Choose a topic", items.collect());
                self.over = Some(Dialog::list(pick, Choice::Row));
                Vec::new()
            }
            PlayedRows::Sample => {
                self.draft.rows = rows;
                self.rows.focus = DebateField::SampleSize;
                if self.draft.debates().is_none() {
                    // The usual number is more than there are.
                    let all = self.draft.available.to_string();
                    self.draft.set(DebateField::SampleSize, &all);
                }
                self.play_rows(rows)
            }
            PlayedRows::All => {
                self.rows.focus = DebateField::Rows;
                self.play_rows(rows)
            }
        }
    }

    /// Plays these rows from now on.
    pub(super) fn play_rows(&mut self, rows: PlayedRows) -> Vec<Effect> {
        self.draft.rows = rows;
        self.prepared = None;
        self.prepare()
    }
}
