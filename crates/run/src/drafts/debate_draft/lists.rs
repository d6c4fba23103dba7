//! Lists that fields of a debate are chosen from: games, models and people for a chair, rows of a data set. Pure.

use super::setup::{DebateSetup, SetupStep, is_person};
use super::{DebateField, PlayedRows};
use crate::engine::seats::HUMAN;
use elenchus_text::safe_text::describe_with_causes;
use elenchus_text::{Content, Paragraph, PickItem, PickList, Role, described};

/// A list to choose from.
#[derive(Debug, Clone)]
pub enum DebateList {
    /// The games, in the order of the library.
    Game,
    /// The participants of a field; `None` is the default.
    Player(DebateField, Vec<Option<String>>),
    /// Which rows are played, in the order of [`PlayedRows::ALL`].
    Rows,
    /// The rows of the data set.
    Row,
}

impl DebateSetup {
    /// Returns the list that a field is chosen from.
    pub fn list_of(&self, field: &DebateField) -> DebateList {
        match field {
            DebateField::Game => DebateList::Game,
            DebateField::Rows => DebateList::Rows,
            field => DebateList::Player(field.clone(), self.player_choices()),
        }
    }

    /// Returns the items of a list.
    pub fn list_items(&self, list: &DebateList) -> PickList {
        match list {
            DebateList::Game => self.list_games(),
            DebateList::Player(field, names) => self.list_players(field, names),
            DebateList::Rows => self.list_row_kinds(),
            DebateList::Row => {
                let items = self.topics.iter().map(|topic| PickItem {
                    label: topic.id.clone(),
                    detail: topic.text.split_whitespace().collect::<Vec<_>>().join(" "),
                    aside: topic.category.clone().unwrap_or_default(),
                });
                PickList {
                    title: "Choose a topic".to_owned(),
                    items: items.collect(),
                    ..PickList::default()
                }
            }
        }
    }

    fn list_games(&self) -> PickList {
        let games = self.library.games.iter();
        let game_index = games.clone().position(|game| game.id == self.draft.game);
        let items = games.map(|game| PickItem {
            label: game.id.clone(),
            detail: format!("{}. {}", game.name, game.description),
            aside: game.origin.clone(),
        });
        PickList {
            title: "Choose a game".to_owned(),
            items: items.collect(),
            chosen: game_index.unwrap_or(0),
            typed: None,
        }
    }

    fn list_players(&self, field: &DebateField, names: &[Option<String>]) -> PickList {
        let usual = match (field, self.default_model()) {
            (DebateField::Everybody, Some(model)) => self.describe_default_model(model),
            (DebateField::Everybody, None) => "not chosen yet".to_owned(),
            _ => "as every seat".to_owned(),
        };
        let items = names.iter().map(|name| PickItem {
            label: name.clone().unwrap_or_else(|| "-".to_owned()),
            detail: match name {
                Some(name) => self.describe_player(name),
                None => usual.clone(),
            },
            aside: String::new(),
        });
        let now = self.chosen_player(field);
        PickList {
            title: match field {
                DebateField::Everybody => "Model for all seats".to_owned(),
                field => format!("Model for {}", self.field_name(field).trim()),
            },
            items: items.collect(),
            chosen: names.iter().position(|name| *name == now).unwrap_or(0),
            typed: Some(match &self.library.any_model_of {
                Some(address) => format!("use this name at {address}, or human:NAME"),
                None => "use this name as it is typed: a model, or human:NAME".to_owned(),
            }),
        }
    }

    fn list_row_kinds(&self) -> PickList {
        let of = self.draft.available;
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
                PlayedRows::All => (format!("all {of}"), "every row, as a run"),
            };
            PickItem {
                label,
                detail: detail.to_owned(),
                aside: String::new(),
            }
        });
        let mut all = PlayedRows::ALL.iter();
        PickList {
            title: format!("What is played of {of} rows"),
            items: items.into(),
            chosen: all.position(|rows| *rows == self.draft.rows).unwrap_or(0),
            typed: None,
        }
    }

    /// Describes an item of a list. A game that was not read yet is asked for by [`DebateSetup::look_at`].
    pub fn describe_item(
        &self,
        list: &DebateList,
        at: Option<usize>,
        content: Content,
    ) -> Vec<Paragraph> {
        match list {
            DebateList::Game => {
                let game = at.and_then(|at| self.library.games.get(at));
                match game.and_then(|game| self.games.get(&game.id)?.as_ref()) {
                    Some(Ok(protocol)) => described::describe_protocol(protocol),
                    Some(Err(why)) => vec![Paragraph::new(Role::Error, describe_with_causes(why))],
                    None => Vec::new(),
                }
            }
            DebateList::Player(..) => self.server_warnings().collect(),
            DebateList::Rows => Vec::new(),
            DebateList::Row => {
                let topic = at.and_then(|at| self.topics.get(at));
                let page = topic.map(|topic| described::describe_topic(topic, content));
                page.unwrap_or_default()
            }
        }
    }

    /// Takes note that an item of a list is looked at: its game is described beside the list.
    pub fn look_at(&mut self, list: &DebateList, at: usize) {
        if let (DebateList::Game, Some(game)) = (list, self.library.games.get(at)) {
            self.read_game(game.id.clone());
        }
    }

    /// Takes an item of a list; beyond its last one, what was typed.
    pub fn pick_item(&mut self, list: DebateList, at: usize, typed: &str) -> SetupStep {
        self.note_touch();
        match list {
            DebateList::Game => {
                if let Some(game) = self.library.games.get(at) {
                    self.take_game(game.id.clone());
                }
                SetupStep::Nothing
            }
            DebateList::Player(field, names) => {
                let name = names.get(at).cloned();
                self.seat_player(&field, name.unwrap_or_else(|| Some(typed.to_owned())));
                SetupStep::Nothing
            }
            DebateList::Rows => match PlayedRows::ALL.get(at) {
                Some(rows) => self.pick_rows(*rows),
                None => SetupStep::Nothing,
            },
            DebateList::Row => {
                let Some(topic) = self.topics.get(at).cloned() else {
                    return SetupStep::Nothing;
                };
                if self.draft.is_run() {
                    // What a run costs says nothing about one debate.
                    self.ready_plan = None;
                }
                self.draft.rows = PlayedRows::One;
                SetupStep::Take(Box::new(topic))
            }
        }
    }

    /// Takes which rows are played: a row is still to be picked, a number to be typed.
    fn pick_rows(&mut self, rows: PlayedRows) -> SetupStep {
        let field = match rows {
            PlayedRows::One => return SetupStep::Choose(DebateList::Row),
            PlayedRows::Sample => DebateField::SampleSize,
            PlayedRows::All => DebateField::Rows,
        };
        self.play_rows(rows);
        if self.draft.debate_count().is_none() {
            // The usual number is more than there are.
            let all = self.draft.available.to_string();
            self.draft.set_value(DebateField::SampleSize, &all);
        }
        SetupStep::Focus(field)
    }

    /// Returns who can be chosen for a chair; `None` is the default.
    pub(super) fn player_choices(&self) -> Vec<Option<String>> {
        let models = self.library.models.iter().map(|model| model.name.clone());
        let names = models.chain([HUMAN.to_owned()]).map(Some);
        [None].into_iter().chain(names).collect()
    }

    pub(super) fn chosen_player(&self, field: &DebateField) -> Option<String> {
        let has = self.draft.has_value(field);
        has.then(|| self.draft.get(field).to_owned())
    }

    pub(super) fn seat_player(&mut self, field: &DebateField, name: Option<String>) {
        self.draft
            .set_value(field.clone(), name.as_deref().unwrap_or_default());
        self.note_change();
    }

    /// Describes a participant that may be chosen.
    pub(super) fn describe_player(&self, name: &str) -> String {
        match (name, self.find_model(name), &self.library.any_model_of) {
            (HUMAN, ..) => "a person, at this terminal".to_owned(),
            (_, Some(model), _) => model.about.clone(),
            (name, None, _) if is_person(name) => "a person".to_owned(),
            (_, None, Some(address)) => format!("as a model of {address}"),
            (_, None, None) => String::new(),
        }
    }
}
