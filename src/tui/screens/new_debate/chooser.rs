//! Choosers of the new-debate form: lists of games, of models and people for a seat, and of rows.

use super::NewDebate;
use super::form::{FormField, RowSelection};
use crate::engine::seats::HUMAN;
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
    Player(FormField, Vec<Option<String>>),
    /// Which rows are played, in the order of [`RowSelection::ALL`].
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
        if let Some(at) = games.iter().position(|game| game.id == self.form.game) {
            pick.choose(at);
        }
        self.over = Some(Dialog::list(pick, Choice::Game));
        Vec::new()
    }

    pub(super) fn choose_player(&mut self, field: FormField) {
        let names = self.players();
        let usual = match (&field, self.default_model()) {
            (FormField::Everybody, Some(model)) => self.usual(model),
            (FormField::Everybody, None) => "not chosen yet".to_owned(),
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
            FormField::Everybody => "Model for all seats".to_owned(),
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

    pub(super) fn player(&self, field: &FormField) -> Option<String> {
        let has = self.form.has(field);
        has.then(|| self.form.get(field).to_owned())
    }

    pub(super) fn seat(&mut self, field: FormField, name: Option<String>) -> Vec<Effect> {
        self.form.set(field, name.as_deref().unwrap_or_default());
        self.prepare()
    }

    /// Asks which rows of the data set are played.
    pub(super) fn choose_rows(&mut self) {
        let items = RowSelection::ALL.map(|rows| {
            let (label, detail) = match rows {
                RowSelection::One => (
                    "one row".to_owned(),
                    "picked from the list, and played turn by turn",
                ),
                RowSelection::Sample => (
                    "a sample".to_owned(),
                    "a number of rows, drawn by the seed, as a run",
                ),
                RowSelection::All => (
                    format!("all {}", self.form.available),
                    "every row, as a run",
                ),
            };
            PickItem {
                label,
                detail: detail.to_owned(),
                aside: String::new(),
            }
        });
        let title = format!("What is played of {} rows", self.form.available);
        let mut pick = Picker::new(&title, items.into());
        let mut all = RowSelection::ALL.iter();
        pick.choose(all.position(|rows| *rows == self.form.rows).unwrap_or(0));
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
            Choice::Rows => match RowSelection::ALL.get(at) {
                Some(rows) => self.take_rows(*rows),
                None => Vec::new(),
            },
            Choice::Row => {
                let Some(topic) = self.topics.get(at).cloned() else {
                    return Vec::new();
                };
                self.rows.focus = FormField::Topic;
                if self.form.is_run() {
                    // What a run costs says nothing about one debate.
                    self.prepared = None;
                }
                self.form.rows = RowSelection::One;
                self.take_topic(&topic)
            }
        }
    }

    /// Takes which rows are played: a row is still to be picked, a number to be typed.
    fn take_rows(&mut self, rows: RowSelection) -> Vec<Effect> {
        match rows {
            RowSelection::One => {
                let items = self.topics.iter().map(|topic| PickItem {
                    label: topic.id.clone(),
                    detail: topic.text.split_whitespace().collect::<Vec<_>>().join(" "),
                    aside: topic.category.clone().unwrap_or_default(),
                });
                let pick = Picker::new("Choose a topic", items.collect());
                self.over = Some(Dialog::list(pick, Choice::Row));
                Vec::new()
            }
            RowSelection::Sample => {
                self.form.rows = rows;
                self.rows.focus = FormField::SampleSize;
                if self.form.debates().is_none() {
                    // The usual number is more than there are.
                    let all = self.form.available.to_string();
                    self.form.set(FormField::SampleSize, &all);
                }
                self.open_line(&FormField::SampleSize);
                self.play_rows(rows)
            }
            RowSelection::All => {
                self.rows.focus = FormField::Rows;
                self.play_rows(rows)
            }
        }
    }

    /// Plays these rows from now on.
    pub(super) fn play_rows(&mut self, rows: RowSelection) -> Vec<Effect> {
        self.form.rows = rows;
        self.prepared = None;
        self.prepare()
    }
}
