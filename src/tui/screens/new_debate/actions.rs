//! Actions of the new-debate form: moving, and stepping through values.

use super::NewDebate;
use crate::debate::protocol::SettingValue;
use crate::experiments::debate_draft::{DebateField, PlayedRows};
use crate::tui::app::Effect;
use crate::tui::keys::Action;
use crate::tui::widgets::Moved;

/// Direction in which values are cycled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CycleDirection {
    Back,
    On,
}

impl NewDebate {
    /// Answers an action.
    pub(super) fn answer(&mut self, action: Action) -> Vec<Effect> {
        if self.rows.act(action, &self.fields()) == Moved::Yes {
            return Vec::new();
        }
        match action {
            Action::Left => self.step(CycleDirection::Back),
            Action::Right => self.step(CycleDirection::On),
            Action::Open => self.enter(),
            // In the list of games letters filter at once.
            Action::Filter => self.choose_game(),
            Action::Back => vec![Effect::Leave],
            _ => Vec::new(),
        }
    }

    /// Does what Enter does in the focused field.
    fn enter(&mut self) -> Vec<Effect> {
        match self.rows.focus.clone() {
            DebateField::Game => return self.choose_game(),
            DebateField::Topic => self.write_topic(),
            DebateField::Rows => self.choose_rows(),
            field @ (DebateField::Everybody | DebateField::Chair(_)) => self.choose_player(field),
            DebateField::Setting(name) if self.is_chosen(&name) => {
                return self.step(CycleDirection::On);
            }
            DebateField::Memory => return self.step(CycleDirection::On),
            DebateField::Begin => return self.begin(),
            field => self.open_line(&field),
        }
        Vec::new()
    }

    fn is_chosen(&self, setting: &str) -> bool {
        let spec = self.spec(setting);
        spec.is_none_or(|spec| !spec.choices().is_empty())
    }

    /// Takes the next value, or the one before.
    fn step(&mut self, way: CycleDirection) -> Vec<Effect> {
        match self.rows.focus.clone() {
            field @ (DebateField::Everybody | DebateField::Chair(_)) => {
                match next_of(&self.players(), &self.player(&field), way) {
                    Some(name) => self.seat(field, name),
                    None => Vec::new(),
                }
            }
            DebateField::Setting(name) => self.step_setting(name, way),
            DebateField::Memory => {
                self.draft.memory = self.draft.memory.next();
                self.prepare()
            }
            DebateField::Game => {
                let games = self.library.games.iter();
                let ids: Vec<String> = games.map(|game| game.id.clone()).collect();
                match next_of(&ids, &self.draft.game, way) {
                    Some(id) => self.take_game(id),
                    None => Vec::new(),
                }
            }
            DebateField::Rows => match next_of(&PlayedRows::ALL, &self.draft.rows, way) {
                Some(rows) => self.play_rows(rows),
                None => Vec::new(),
            },
            _ => Vec::new(),
        }
    }

    fn step_setting(&mut self, name: String, way: CycleDirection) -> Vec<Effect> {
        let Some(spec) = self.spec(&name) else {
            return Vec::new();
        };
        let now = self.setting(&name, spec);
        let values = spec.choices();
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
            Some(value) => self.set(name, &value),
            None => Vec::new(),
        }
    }

    pub(super) fn set(&mut self, name: String, value: &str) -> Vec<Effect> {
        let spec = self.spec(&name).cloned();
        self.draft.set_setting(name, value, spec.as_ref());
        self.prepare()
    }

    /// Describes the default model and why it is the default.
    pub(super) fn usual(&self, model: &str) -> String {
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
