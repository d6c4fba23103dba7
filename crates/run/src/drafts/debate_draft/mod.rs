//! Draft of a debate, or of a run over a data set: values as a person fills them in, their faults, and the
//! plan that they make.
//!
//! | file | content |
//! |---|---|
//! | `fields` | which fields a game has, and their faults |
//! | `choices` | what the next debate can begin with |
//! | `drafted` | a draft that was left, as it comes back |
//! | `setup`, `task` | a draft with what was read for it so far, and what is to be read or estimated next |
//! | `described` | its fields as a form shows them |
//! | `lists` | the lists that fields are chosen from |
//! | `texts` | what is said of the focused field, the game and the cost |
//! | `ready` | a debate or run that was worked out, with its cost |

mod choices;
mod described;
mod drafted;
mod fields;
mod lists;
mod ready;
mod setup;
mod task;
mod texts;

use crate::engine::seats::{CastRequest, SeatRequest};
use crate::engine::{DebatePlan, MemoryShown, TypedTopic};
use crate::experiments::run::RunPlan;
pub use choices::DebateChoices;
pub use drafted::DraftedDebate;
use elenchus_game::debate::protocol::{SettingSpec, Settings};
use elenchus_game::debate::{Chair, Document, Protocol, SeatId, Topic};
pub use fields::{DebateField, PlayedRows};
pub use lists::DebateList;
pub use ready::{CostQuestion, ReadyPlan};
pub use setup::{BeginStep, DebateSetup, SetupSource, SetupStep};
use std::collections::BTreeMap;
use task::parse_columns;
pub use task::{RowSource, SetupResult, SetupTask};
pub use texts::DetailRoom;

/// Separator of options in their line.
const BETWEEN_OPTIONS: char = '|';
/// The setting that follows from who evaluates until it is chosen.
const RUBRIC: &str = "rubric";

/// Values that were filled in.
#[derive(Debug, Clone, Default)]
pub struct DebateDraft {
    /// The game's id; empty before one is chosen.
    pub game: String,
    /// The text of the topic.
    pub topic: String,
    /// The row of a data set, or the session's topic, that the topic began as.
    pub row: Option<Topic>,
    /// Rows that the data set has; 0 before it is read.
    pub available: usize,
    pub rows: PlayedRows,
    pub documents: Vec<Document>,
    pub memory: MemoryShown,
    /// Values of the other fields, as they were typed or chosen; left out where they are as usual.
    values: BTreeMap<DebateField, String>,
}

impl DebateDraft {
    /// Returns the value of a field of one line, typed or usual.
    pub fn get(&self, field: &DebateField) -> &str {
        let usual = match field {
            DebateField::Seed => "0",
            DebateField::SampleSize => "20",
            _ => "",
        };
        self.values.get(field).map_or(usual, String::as_str)
    }

    /// Says whether a field has a value of its own.
    pub fn has_value(&self, field: &DebateField) -> bool {
        self.values.contains_key(field)
    }

    /// Takes a value; an empty one is none.
    pub fn set_value(&mut self, field: DebateField, text: &str) {
        match text {
            "" => self.values.remove(&field),
            text => self.values.insert(field, text.to_owned()),
        };
    }

    /// Takes a value of a setting; the usual one is none.
    pub fn set_setting(&mut self, name: String, value: &str, spec: Option<&SettingSpec>) {
        let default = spec.map(|spec| spec.default.to_string());
        // A rubric that is chosen is no rubric that follows from who evaluates, also the usual one.
        let is_usual = default.as_deref() == Some(value) && name != RUBRIC;
        let value = if is_usual { "" } else { value };
        self.set_value(DebateField::Setting(name), value);
    }

    /// Drops what means nothing in another game: seats and settings.
    pub fn change_game(&mut self, id: String) {
        self.game = id;
        self.values.retain(|field, _| {
            !matches!(
                field,
                DebateField::Chair(_) | DebateField::Persona(_) | DebateField::Setting(_)
            )
        });
    }

    /// Forgets every value of one line, what belongs to the topic too; its text, row and documents stay.
    fn clear_choices(&mut self) {
        self.values.clear();
    }

    /// Begins with what an earlier debate was played with.
    pub fn take_choices(&mut self, choices: &DebateChoices) {
        self.change_game(choices.game.clone());
        let chairs = choices.chairs.iter();
        let chairs = chairs.map(|(chair, name)| (DebateField::Chair(chair.clone()), name));
        let personas = choices.personas.iter();
        let personas = personas.map(|(seat, text)| (DebateField::Persona(seat.clone()), text));
        let settings = choices.settings.iter();
        let settings = settings.map(|(name, text)| (DebateField::Setting(name.clone()), text));
        let everybody = choices.everybody.iter();
        let everybody = everybody.map(|name| (DebateField::Everybody, name));
        for (field, text) in everybody.chain(chairs).chain(personas).chain(settings) {
            self.set_value(field, text);
        }
    }

    /// Returns what the next debate can begin with.
    pub fn to_choices(&self) -> DebateChoices {
        let mut choices = DebateChoices {
            game: self.game.clone(),
            ..DebateChoices::default()
        };
        for (field, text) in &self.values {
            let text = text.clone();
            match field {
                DebateField::Everybody => choices.everybody = Some(text),
                DebateField::Chair(chair) => drop(choices.chairs.insert(chair.clone(), text)),
                DebateField::Persona(seat) => drop(choices.personas.insert(seat.clone(), text)),
                DebateField::Setting(name) => drop(choices.settings.insert(name.clone(), text)),
                _ => {}
            }
        }
        choices
    }

    /// Returns the planned debate; settings that are not accepted are left out. `default_model`
    /// takes the chairs without a named participant.
    pub fn build_plan(&self, protocol: &Protocol, default_model: Option<&str>) -> DebatePlan {
        DebatePlan {
            settings: self.parse_settings(protocol),
            cast: self.build_cast(protocol, default_model),
            seed: self.get(&DebateField::Seed).parse().unwrap_or(0),
            shown: self.memory,
            budget_usd: self.parse_budget().ok().flatten(),
            ..DebatePlan::new(self.game.clone(), self.build_topic())
        }
    }

    /// Returns the run of a debate's plan over the rows that are asked for; none where one debate is.
    pub fn run_plan(&self, debate: DebatePlan) -> Option<RunPlan> {
        self.is_run().then(|| RunPlan {
            debate,
            dataset: self.get(&DebateField::Dataset).to_owned(),
            // A line with a fault does not begin.
            columns: parse_columns(self.get(&DebateField::Columns)).unwrap_or_default(),
            sample: match self.rows {
                PlayedRows::Sample => Some(self.debate_count().unwrap_or(0)),
                PlayedRows::One | PlayedRows::All => None,
            },
        })
    }

    /// Returns the data set that is named, with what is said of its columns.
    pub fn row_source(&self) -> RowSource {
        RowSource {
            dataset: self.get(&DebateField::Dataset).to_owned(),
            columns: self.get(&DebateField::Columns).to_owned(),
        }
    }

    /// Says whether rows of a data set are played as a run.
    pub fn is_run(&self) -> bool {
        self.available > 0 && self.rows != PlayedRows::One
    }

    /// Returns how many debates are played; `None` where that was typed wrong.
    pub fn debate_count(&self) -> Option<usize> {
        match self.rows {
            PlayedRows::One => Some(1),
            PlayedRows::Sample => {
                let size = self.get(&DebateField::SampleSize).trim().parse().ok();
                size.filter(|size| (1..=self.available).contains(size))
            }
            PlayedRows::All => Some(self.available),
        }
    }

    fn parse_options(&self) -> Vec<String> {
        let options = self.get(&DebateField::Options).split(BETWEEN_OPTIONS);
        let options = options.map(str::trim).filter(|option| !option.is_empty());
        options.map(str::to_owned).collect()
    }

    /// Takes a topic, with all that belongs to it.
    pub fn take_topic(&mut self, topic: &Topic) {
        self.topic.clone_from(&topic.text);
        self.documents.clone_from(&topic.documents);
        let between = format!(" {BETWEEN_OPTIONS} ");
        self.set_value(DebateField::Options, &topic.options.join(&between));
        self.set_value(DebateField::Reference, reference_answer(topic));
        self.row = Some(topic.clone());
    }

    /// Forgets the topic, with all that belongs to it.
    pub fn forget_topic(&mut self) {
        self.row = None;
        self.topic.clear();
        self.documents.clear();
        self.set_value(DebateField::Options, "");
        self.set_value(DebateField::Reference, "");
    }

    /// Says whether the topic is still the one it was taken as.
    pub fn is_row(&self) -> bool {
        self.row.as_ref().is_some_and(|row| {
            row.text.trim() == self.topic.trim()
                && row.documents == self.documents
                && row.options == self.parse_options()
                && reference_answer(row) == self.get(&DebateField::Reference)
        })
    }

    fn build_topic(&self) -> Topic {
        if let Some(row) = self.row.as_ref().filter(|_| self.is_row()) {
            return row.clone();
        }
        let reference = self.values.get(&DebateField::Reference);
        let typed_topic = TypedTopic {
            text: self.topic.clone(),
            documents: self.documents.clone(),
            options: self.parse_options(),
            reference: reference.cloned(),
        };
        // Without a text the cost can be estimated all the same; beginning asks for one.
        typed_topic.into_topic().unwrap_or_else(|_| Topic {
            id: "untold".to_owned(),
            text: String::new(),
            category: None,
            conversation: Vec::new(),
            context: None,
            reference: None,
            expected: None,
            documents: self.documents.clone(),
            options: self.parse_options(),
            level: None,
            needs_hash_check: false,
            dataset: None,
        })
    }

    /// Returns the settings that were changed, as far as they are accepted.
    pub fn parse_settings(&self, protocol: &Protocol) -> Settings {
        let specs = protocol.settings.iter();
        let settings = specs.filter_map(|(name, spec)| {
            let text = self.values.get(&DebateField::Setting(name.clone()))?;
            Some((name.clone(), spec.parse_value(text).ok()?))
        });
        settings.collect()
    }

    fn player_at(&self, seat: &SeatId, index: u32) -> Option<&String> {
        let seat = seat.clone();
        self.values.get(&DebateField::Chair(Chair { seat, index }))
    }

    /// Says whether every chair of the seats that are played has a participant of its own.
    pub fn names_all(&self, protocol: &Protocol) -> bool {
        let seats = protocol.seats.iter();
        let mut seats = seats.filter(|seat| protocol.is_played(seat));
        seats.all(|seat| (0..seat.count).all(|index| self.player_at(&seat.id, index).is_some()))
    }

    /// A seat with a chair or a persona set names all its chairs, as far as a participant is known
    /// for the others.
    fn build_cast(&self, protocol: &Protocol, default_model: Option<&str>) -> CastRequest {
        let everybody = self.values.get(&DebateField::Everybody).cloned();
        let mut cast = CastRequest {
            model: everybody.or(default_model.map(str::to_owned)),
            ..CastRequest::default()
        };
        for seat in &protocol.seats {
            let chairs = 0..seat.count;
            let players: Vec<_> = chairs
                .map(|index| self.player_at(&seat.id, index))
                .collect();
            let persona = DebateField::Persona(seat.id.clone());
            let persona = self.values.get(&persona).cloned();
            if players.iter().all(Option::is_none) && persona.is_none() {
                continue;
            }
            let others = cast.model.as_ref();
            let models: Option<Vec<&String>> =
                players.into_iter().map(|name| name.or(others)).collect();
            let request = SeatRequest {
                models: models.unwrap_or_default().into_iter().cloned().collect(),
                persona,
                ..SeatRequest::default()
            };
            cast.seats.insert(seat.id.clone(), request);
        }
        cast
    }

    /// Returns the ceiling; an empty one is none.
    fn parse_budget(&self) -> Result<Option<f64>, ()> {
        let text = self
            .get(&DebateField::Budget)
            .trim()
            .trim_start_matches('$');
        if text.is_empty() {
            return Ok(None);
        }
        match text.parse::<f64>() {
            Ok(usd) if usd.is_finite() && usd >= 0.0 => Ok(Some(usd)),
            Ok(_) | Err(_) => Err(()),
        }
    }
}

/// Returns the answer that graders know of a topic.
fn reference_answer(topic: &Topic) -> &str {
    let reference = topic.reference.as_ref();
    reference.map_or("", |reference| reference.answer.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn draft(fields: &[(DebateField, &str)]) -> DebateDraft {
        let mut draft = DebateDraft {
            game: "pred".to_owned(),
            topic: "Is it so?".to_owned(),
            ..DebateDraft::default()
        };
        for (field, text) in fields {
            draft.set_value(field.clone(), text);
        }
        draft
    }

    #[test]
    fn what_is_typed_wrong_is_a_fault_of_its_field() {
        let wrong = [(DebateField::Seed, "-1"), (DebateField::Budget, "much")];
        let faults = draft(&wrong).find_faults(None);
        let fields: Vec<_> = faults.keys().cloned().collect();
        assert_eq!(fields, [DebateField::Seed, DebateField::Budget]);
        assert!(
            draft(&[(DebateField::Budget, "$2.50")])
                .find_faults(None)
                .is_empty()
        );
    }

    #[test]
    fn a_sample_is_of_rows_that_there_are() {
        let mut draft = draft(&[(DebateField::SampleSize, "30")]);
        draft.available = 20;
        assert!(!draft.is_run(), "one row is a debate");
        draft.rows = PlayedRows::Sample;
        assert!(draft.is_run());
        assert_eq!(draft.debate_count(), None);
        assert!(
            draft
                .find_faults(None)
                .contains_key(&DebateField::SampleSize)
        );
        draft.set_value(DebateField::SampleSize, "7");
        assert_eq!(draft.debate_count(), Some(7));
    }

    #[test]
    fn another_game_keeps_who_plays_and_drops_its_own_settings() {
        let setting = DebateField::Setting("rounds".to_owned());
        let mut draft = draft(&[(DebateField::Everybody, "large"), (setting.clone(), "3")]);
        draft.change_game("other".to_owned());
        assert!(!draft.has_value(&setting));
        assert_eq!(draft.to_choices().everybody.as_deref(), Some("large"));
    }
}
