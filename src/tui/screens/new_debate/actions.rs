//! Actions of the new-debate form: moving, choosing and stepping through values.

use super::NewDebate;
use super::ask::{Over, Sitter};
use super::form::{FormField, RowSelection, choices};
use crate::debate::protocol::SettingValue;
use crate::engine::seats::HUMAN;
use crate::tui::app::Effect;
use crate::tui::keys::Action;
use crate::tui::popups::{PickItem, Picker};
use crate::tui::widgets::LineInput;

/// The setting that follows from who evaluates until it is chosen.
const RUBRIC: &str = "rubric";
/// Fields that a page is.
const PAGE: usize = 8;

/// Direction in which values are cycled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CycleDirection {
    Back,
    On,
}

impl NewDebate {
    /// Answers an action.
    pub(crate) fn answer(&mut self, action: Action) -> Vec<Effect> {
        let fields = self.fields();
        let last = fields.len().saturating_sub(1);
        let at = fields
            .iter()
            .position(|field| *field == self.focus)
            .unwrap_or(0);
        let to = match action {
            Action::Up | Action::FocusPrevious => at.saturating_sub(1),
            Action::Down | Action::FocusNext => at + 1,
            Action::PageUp => at.saturating_sub(PAGE),
            Action::PageDown => at + PAGE,
            Action::Top => 0,
            Action::Bottom => last,
            Action::Left => return self.step(CycleDirection::Back),
            Action::Right => return self.step(CycleDirection::On),
            Action::Open => return self.enter(),
            // In the list of games letters filter at once.
            Action::Filter => return self.choose_game(),
            Action::Back => return vec![Effect::Leave],
            _ => return Vec::new(),
        };
        if let Some(field) = fields.get(to.min(last)) {
            self.focus = field.clone();
        }
        Vec::new()
    }

    /// Does what Enter does in the focused field.
    fn enter(&mut self) -> Vec<Effect> {
        match self.focus.clone() {
            FormField::Game => self.choose_game(),
            FormField::Topic => {
                self.over = Over::Topic;
                Vec::new()
            }
            FormField::Dataset => self.ask(FormField::Dataset, self.form.dataset.clone()),
            FormField::Rows => {
                self.choose_rows();
                Vec::new()
            }
            FormField::SampleSize => self.ask(FormField::SampleSize, self.form.sample.clone()),
            FormField::Documents => self.ask(FormField::Documents, String::new()),
            FormField::Options => self.ask(FormField::Options, self.form.options.clone()),
            FormField::Reference => self.ask(FormField::Reference, self.form.reference.clone()),
            FormField::Persona(seat) => {
                let text = self.form.personas.get(&seat).cloned().unwrap_or_default();
                self.ask(FormField::Persona(seat), text)
            }
            FormField::Seed => self.ask(FormField::Seed, self.form.seed.clone()),
            FormField::Budget => self.ask(FormField::Budget, self.form.budget.clone()),
            field @ (FormField::Everybody | FormField::Chair(_)) => self.choose_sitter(field),
            FormField::Setting(name) => {
                let Some(spec) = self.spec(&name) else {
                    return Vec::new();
                };
                if choices(spec).is_empty() {
                    let value = self.setting(&name, spec);
                    self.ask(FormField::Setting(name), value)
                } else {
                    self.step(CycleDirection::On)
                }
            }
            FormField::Memory => self.step(CycleDirection::On),
            FormField::Begin => self.begin(),
        }
    }

    pub(super) fn ask(&mut self, field: FormField, text: String) -> Vec<Effect> {
        self.over = Over::Line(field, LineInput::new(&text));
        Vec::new()
    }

    fn choose_game(&mut self) -> Vec<Effect> {
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
        self.over = Over::Games(pick);
        Vec::new()
    }

    fn choose_sitter(&mut self, field: FormField) -> Vec<Effect> {
        let sitters = self.sitters();
        let items = sitters.iter().map(|sitter| match sitter {
            Sitter::AsOthers => PickItem {
                label: "-".to_owned(),
                detail: match field {
                    FormField::Everybody => match self.default_model() {
                        Some(model) => self.usual(model),
                        None => "not chosen yet".to_owned(),
                    },
                    _ => "as every seat".to_owned(),
                },
                aside: String::new(),
            },
            Sitter::Named(name) => PickItem {
                label: name.clone(),
                detail: self.about(name),
                aside: String::new(),
            },
            Sitter::Typed => PickItem {
                label: "...".to_owned(),
                detail: "another name, typed: a model, or human:NAME".to_owned(),
                aside: String::new(),
            },
        });
        let title = match field {
            FormField::Everybody => "Model for all seats".to_owned(),
            _ => format!("Model for {}", self.label(&field).trim()),
        };
        let mut pick = Picker::new(&title, items.collect())
            .or_as_typed("no match; Enter uses the name as typed");
        let now = self.sitting(&field);
        if let Some(at) = sitters.iter().position(|sitter| *sitter == now) {
            pick.choose(at);
        }
        self.over = Over::Sitters(field, pick, sitters);
        Vec::new()
    }

    fn sitters(&self) -> Vec<Sitter> {
        let models = self.library.models.iter();
        let mut sitters = vec![Sitter::AsOthers];
        sitters.extend(models.map(|model| Sitter::Named(model.name.clone())));
        sitters.push(Sitter::Named(HUMAN.to_owned()));
        sitters.push(Sitter::Typed);
        sitters
    }

    fn sitting(&self, field: &FormField) -> Sitter {
        let named = match field {
            FormField::Chair(chair) => self.form.chairs.get(chair),
            _ => self.form.everybody.as_ref(),
        };
        named.map_or(Sitter::AsOthers, |name| Sitter::Named(name.clone()))
    }

    pub(super) fn seat(&mut self, field: &FormField, sitter: Sitter) -> Vec<Effect> {
        let name = match sitter {
            Sitter::AsOthers => None,
            Sitter::Named(name) => Some(name),
            Sitter::Typed => return self.ask(field.clone(), String::new()),
        };
        match (field, name) {
            (FormField::Chair(chair), Some(name)) => {
                self.form.chairs.insert(chair.clone(), name);
            }
            (FormField::Chair(chair), None) => {
                self.form.chairs.remove(chair);
            }
            (_, name) => self.form.everybody = name,
        }
        self.prepare()
    }

    /// Takes the next value, or the one before.
    fn step(&mut self, way: CycleDirection) -> Vec<Effect> {
        match self.focus.clone() {
            field @ (FormField::Everybody | FormField::Chair(_)) => {
                let mut sitters = self.sitters();
                sitters.retain(|sitter| *sitter != Sitter::Typed);
                match next_of(&sitters, &self.sitting(&field), way) {
                    Some(sitter) => self.seat(&field, sitter),
                    None => Vec::new(),
                }
            }
            FormField::Setting(name) => self.step_setting(name, way),
            FormField::Memory => {
                self.form.memory = self.form.memory.next();
                self.prepare()
            }
            FormField::Game => {
                let ids: Vec<String> = self
                    .library
                    .games
                    .iter()
                    .map(|game| game.id.clone())
                    .collect();
                match next_of(&ids, &self.form.game, way) {
                    Some(id) => self.take_game(id),
                    None => Vec::new(),
                }
            }
            FormField::Rows => match next_of(&RowSelection::ALL, &self.form.rows, way) {
                Some(rows) => self.play_rows(rows),
                None => Vec::new(),
            },
            FormField::Topic
            | FormField::Dataset
            | FormField::SampleSize
            | FormField::Documents
            | FormField::Options
            | FormField::Reference
            | FormField::Persona(_)
            | FormField::Seed
            | FormField::Budget
            | FormField::Begin => Vec::new(),
        }
    }

    fn step_setting(&mut self, name: String, way: CycleDirection) -> Vec<Effect> {
        let Some(spec) = self.spec(&name) else {
            return Vec::new();
        };
        let now = self.setting(&name, spec);
        let values = choices(spec);
        let next = if !values.is_empty() {
            next_of(&values, &now, way)
        } else if let (SettingValue::Integer(_), Ok(number)) = (&spec.default, now.parse::<i64>()) {
            let next = match way {
                CycleDirection::Back => number.saturating_sub(1),
                CycleDirection::On => number.saturating_add(1),
            };
            let accepted = spec.accept(&SettingValue::Integer(next)).is_ok();
            accepted.then(|| next.to_string())
        } else {
            None
        };
        match next {
            Some(value) => self.set(name, value),
            None => Vec::new(),
        }
    }

    pub(super) fn set(&mut self, name: String, value: String) -> Vec<Effect> {
        let default = self.spec(&name).map(|spec| spec.default.to_string());
        // A rubric that is chosen is no rubric that follows from who evaluates, also the usual one.
        if default.as_ref() == Some(&value) && name != RUBRIC {
            self.form.settings.remove(&name);
        } else {
            self.form.settings.insert(name, value);
        }
        self.prepare()
    }
}

impl NewDebate {
    /// Describes the default model and why it is the default.
    pub(crate) fn usual(&self, model: &str) -> String {
        format!("{model} ({})", self.library.default_why)
    }
}

/// Returns the value after the one there is, round and round.
fn next_of<T: Clone + PartialEq>(values: &[T], now: &T, way: CycleDirection) -> Option<T> {
    let count = values.len();
    let at = values.iter().position(|value| value == now);
    let to = match (at, way) {
        (Some(at), CycleDirection::On) => at + 1,
        (Some(at), CycleDirection::Back) => at + count.saturating_sub(1),
        (None, CycleDirection::On | CycleDirection::Back) => 0,
    };
    values.get(to % count.max(1)).cloned()
}
