//! New-debate form: values as a person fills them in, and their faults. Pure.

use crate::debate::protocol::{DocumentsSeen, SeatKind, SettingSpec, SettingValue, Settings};
use crate::debate::{Chair, Document, Protocol, SeatId, Topic};
use crate::engine::seats::{CastRequest, SeatRequest};
use crate::engine::{DebatePlan, MemoryShown, TypedTopic};
use crate::experiments::run::RunPlan;
use crate::tui::app::DebateChoices;
use crate::tui::widgets::{Editor, TooLong};
use std::collections::BTreeMap;

/// Separator of options in their line.
const BETWEEN_OPTIONS: char = '|';

/// A field of the form.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum FormField {
    Game,
    Topic,
    Dataset,
    /// Selection of the data set's rows.
    Rows,
    SampleSize,
    Documents,
    Options,
    Reference,
    /// Participant of every chair without one of its own.
    Everybody,
    Chair(Chair),
    /// Persona of a seat.
    Persona(SeatId),
    Setting(String),
    Seed,
    Memory,
    Budget,
    Begin,
}

/// Selection of a data set's rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum RowSelection {
    /// One, as an interactive debate.
    #[default]
    One,
    /// A number of rows, drawn by the seed, as a run.
    Sample,
    /// Every one, as a run.
    All,
}

impl RowSelection {
    /// Every choice, in the order in which they are offered.
    pub const ALL: [RowSelection; 3] = [RowSelection::One, RowSelection::Sample, RowSelection::All];
}

/// Values that were filled in.
#[derive(Debug, Clone, Default)]
pub(super) struct NewDebateForm {
    /// The game's id; empty before one is chosen.
    pub game: String,
    pub topic: Editor,
    /// The row of a data set, or the session's topic, that the topic began as.
    pub row: Option<Topic>,
    /// Rows that the data set has; 0 before it is read.
    pub available: usize,
    pub rows: RowSelection,
    pub documents: Vec<Document>,
    pub memory: MemoryShown,
    /// Values of the other fields, as they were typed or chosen; left out where they are as usual.
    values: BTreeMap<FormField, String>,
}

impl NewDebateForm {
    /// Returns the value of a field of one line, typed or usual.
    pub fn get(&self, field: &FormField) -> &str {
        let usual = match field {
            FormField::Seed => "0",
            FormField::SampleSize => "20",
            _ => "",
        };
        self.values.get(field).map_or(usual, String::as_str)
    }

    /// Says whether a field has a value of its own.
    pub fn has(&self, field: &FormField) -> bool {
        self.values.contains_key(field)
    }

    /// Takes a value; an empty one is none.
    pub fn set(&mut self, field: FormField, text: &str) {
        match text {
            "" => self.values.remove(&field),
            text => self.values.insert(field, text.to_owned()),
        };
    }

    /// Drops what means nothing in another game: seats and settings.
    pub fn change_game(&mut self, id: String) {
        self.game = id;
        self.values.retain(|field, _| {
            !matches!(
                field,
                FormField::Chair(_) | FormField::Persona(_) | FormField::Setting(_)
            )
        });
    }

    /// Begins with what an earlier debate was played with.
    pub fn take_choices(&mut self, choices: &DebateChoices) {
        self.change_game(choices.game.clone());
        let chairs = choices.chairs.iter();
        let chairs = chairs.map(|(chair, name)| (FormField::Chair(chair.clone()), name));
        let personas = choices.personas.iter();
        let personas = personas.map(|(seat, text)| (FormField::Persona(seat.clone()), text));
        let settings = choices.settings.iter();
        let settings = settings.map(|(name, text)| (FormField::Setting(name.clone()), text));
        let everybody = choices.everybody.iter();
        let everybody = everybody.map(|name| (FormField::Everybody, name));
        for (field, text) in everybody.chain(chairs).chain(personas).chain(settings) {
            self.set(field, text);
        }
    }

    /// Returns what the next debate can begin with.
    pub fn choices(&self) -> DebateChoices {
        let mut choices = DebateChoices {
            game: self.game.clone(),
            ..DebateChoices::default()
        };
        for (field, text) in &self.values {
            let text = text.clone();
            match field {
                FormField::Everybody => choices.everybody = Some(text),
                FormField::Chair(chair) => drop(choices.chairs.insert(chair.clone(), text)),
                FormField::Persona(seat) => drop(choices.personas.insert(seat.clone(), text)),
                FormField::Setting(name) => drop(choices.settings.insert(name.clone(), text)),
                _ => {}
            }
        }
        choices
    }

    /// Returns the fields that a game has, in their order.
    pub fn fields(&self, protocol: Option<&Protocol>) -> Vec<FormField> {
        let mut fields = match self.is_run() {
            true => vec![FormField::Game, FormField::Dataset],
            false => vec![FormField::Game, FormField::Topic, FormField::Dataset],
        };
        if self.available > 0 {
            fields.push(FormField::Rows);
        }
        if self.is_run() && self.rows == RowSelection::Sample {
            fields.push(FormField::SampleSize);
        }
        if let Some(protocol) = protocol {
            if !self.is_run() {
                fields.extend(self.topic_fields(protocol));
            }
            fields.push(FormField::Everybody);
            for seat in &protocol.seats {
                let chair = |index| Chair {
                    seat: seat.id.clone(),
                    index,
                };
                fields.extend((0..seat.count).map(|index| FormField::Chair(chair(index))));
                if seat.kind == SeatKind::Speaker {
                    fields.push(FormField::Persona(seat.id.clone()));
                }
            }
            fields.extend(protocol.settings.keys().cloned().map(FormField::Setting));
        }
        fields.extend([
            FormField::Seed,
            FormField::Memory,
            FormField::Budget,
            FormField::Begin,
        ]);
        fields
    }

    /// Returns what belongs to a topic besides its text, as far as the game shows it.
    fn topic_fields(&self, protocol: &Protocol) -> Vec<FormField> {
        let graded = protocol.judging.iter().any(|rule| rule.grader.is_some());
        let shown = [
            (
                FormField::Documents,
                shows_documents(protocol) || !self.documents.is_empty(),
            ),
            (FormField::Options, shows_options(protocol)),
            (FormField::Reference, graded),
        ];
        let shown = shown.into_iter();
        let shown = shown.filter(|(field, is_asked)| *is_asked || self.has(field));
        shown.map(|(field, _)| field).collect()
    }

    /// Returns the faults by field, as far as they are known without reading files.
    pub fn faults(&self, protocol: Option<&Protocol>) -> BTreeMap<FormField, String> {
        let mut faults = BTreeMap::new();
        let mut fault = |is_wrong: bool, field: FormField, text: String| {
            if is_wrong {
                faults.insert(field, text);
            }
        };
        let is_run = self.is_run();
        fault(
            self.game.is_empty(),
            FormField::Game,
            "choose a game".to_owned(),
        );
        fault(
            !is_run && self.topic.text().trim().is_empty(),
            FormField::Topic,
            "type or paste one, or pick it from a data set".to_owned(),
        );
        fault(
            self.get(&FormField::Seed).parse::<u64>().is_err(),
            FormField::Seed,
            "a whole number, 0 or more".to_owned(),
        );
        fault(
            self.budget().is_err(),
            FormField::Budget,
            "an amount of US dollars, 0 or more; empty for none".to_owned(),
        );
        fault(
            is_run && self.debates().is_none(),
            FormField::SampleSize,
            format!("a whole number, 1 to {}", self.available),
        );
        let Some(protocol) = protocol else {
            return faults;
        };
        for (name, spec) in &protocol.settings {
            let field = FormField::Setting(name.clone());
            if let Some(Err(expected)) = self.values.get(&field).map(|text| accept(spec, text)) {
                fault(true, field, expected);
            }
        }
        let (given, needed) = (self.options().len(), protocol.options_needed());
        fault(
            given < needed && !is_run,
            FormField::Options,
            format!("{needed} chairs argue for one each; {given} are given"),
        );
        faults
    }

    /// Returns the planned debate; settings that are not accepted are left out. `default_model`
    /// takes the chairs without a named participant.
    pub fn plan(&self, protocol: &Protocol, default_model: Option<&str>) -> DebatePlan {
        DebatePlan {
            settings: self.settings(protocol),
            cast: self.cast(protocol, default_model),
            seed: self.get(&FormField::Seed).parse().unwrap_or(0),
            shown: self.memory,
            budget_usd: self.budget().ok().flatten(),
            ..DebatePlan::new(self.game.clone(), self.topic())
        }
    }

    /// Returns the run of a debate's plan over the rows that are asked for; none where one debate is.
    pub fn run_plan(&self, debate: DebatePlan) -> Option<RunPlan> {
        self.is_run().then(|| RunPlan {
            debate,
            dataset: self.get(&FormField::Dataset).to_owned(),
            sample: match self.rows {
                RowSelection::Sample => Some(self.debates().unwrap_or(0)),
                RowSelection::One | RowSelection::All => None,
            },
        })
    }

    /// Says whether rows of a data set are played as a run.
    pub fn is_run(&self) -> bool {
        self.available > 0 && self.rows != RowSelection::One
    }

    /// Returns how many debates are played; `None` where that was typed wrong.
    pub fn debates(&self) -> Option<usize> {
        match self.rows {
            RowSelection::One => Some(1),
            RowSelection::Sample => {
                let size = self.get(&FormField::SampleSize).trim().parse().ok();
                size.filter(|size| (1..=self.available).contains(size))
            }
            RowSelection::All => Some(self.available),
        }
    }

    fn options(&self) -> Vec<String> {
        let options = self.get(&FormField::Options).split(BETWEEN_OPTIONS);
        let options = options.map(str::trim).filter(|option| !option.is_empty());
        options.map(str::to_owned).collect()
    }

    /// Takes a topic, with all that belongs to it.
    pub fn take_topic(&mut self, topic: &Topic) -> Result<(), TooLong> {
        self.topic = Editor::open(&topic.text)?;
        self.documents.clone_from(&topic.documents);
        let between = format!(" {BETWEEN_OPTIONS} ");
        self.set(FormField::Options, &topic.options.join(&between));
        self.set(FormField::Reference, answer(topic));
        self.row = Some(topic.clone());
        Ok(())
    }

    /// Says whether the topic is still the one it was taken as.
    pub fn is_row(&self) -> bool {
        self.row.as_ref().is_some_and(|row| {
            row.text.trim() == self.topic.text().trim()
                && row.documents == self.documents
                && row.options == self.options()
                && answer(row) == self.get(&FormField::Reference)
        })
    }

    fn topic(&self) -> Topic {
        if let Some(row) = self.row.as_ref().filter(|_| self.is_row()) {
            return row.clone();
        }
        let reference = self.values.get(&FormField::Reference);
        let typed = TypedTopic {
            text: self.topic.text(),
            documents: self.documents.clone(),
            options: self.options(),
            reference: reference.cloned(),
        };
        // Without a text the cost can be estimated all the same; beginning asks for one.
        typed.topic().unwrap_or_else(|_| Topic {
            id: "untold".to_owned(),
            text: String::new(),
            category: None,
            conversation: Vec::new(),
            context: None,
            reference: None,
            expected: None,
            documents: self.documents.clone(),
            options: self.options(),
            level: None,
            needs_hash_check: false,
            dataset: None,
        })
    }

    /// Returns the settings that were changed, as far as they are accepted.
    pub fn settings(&self, protocol: &Protocol) -> Settings {
        let specs = protocol.settings.iter();
        let typed = specs.filter_map(|(name, spec)| {
            let text = self.values.get(&FormField::Setting(name.clone()))?;
            Some((name.clone(), accept(spec, text).ok()?))
        });
        typed.collect()
    }

    fn player(&self, seat: &SeatId, index: u32) -> Option<&String> {
        let seat = seat.clone();
        self.values.get(&FormField::Chair(Chair { seat, index }))
    }

    /// Says whether every chair of the seats that are played has a participant of its own.
    pub fn names_all(&self, protocol: &Protocol) -> bool {
        let seats = protocol.seats.iter();
        let mut seats = seats.filter(|seat| protocol.is_played(seat));
        seats.all(|seat| (0..seat.count).all(|index| self.player(&seat.id, index).is_some()))
    }

    /// A seat with a chair or a persona set names all its chairs, as far as a participant is known
    /// for the others.
    fn cast(&self, protocol: &Protocol, default_model: Option<&str>) -> CastRequest {
        let everybody = self.values.get(&FormField::Everybody).cloned();
        let mut cast = CastRequest {
            model: everybody.or(default_model.map(str::to_owned)),
            ..CastRequest::default()
        };
        for seat in &protocol.seats {
            let chairs = 0..seat.count;
            let named: Vec<_> = chairs.map(|index| self.player(&seat.id, index)).collect();
            let persona = FormField::Persona(seat.id.clone());
            let persona = self.values.get(&persona).cloned();
            if named.iter().all(Option::is_none) && persona.is_none() {
                continue;
            }
            let others = cast.model.as_ref();
            let models: Option<Vec<&String>> =
                named.into_iter().map(|name| name.or(others)).collect();
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
    fn budget(&self) -> Result<Option<f64>, ()> {
        let text = self.get(&FormField::Budget).trim().trim_start_matches('$');
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
fn answer(topic: &Topic) -> &str {
    let reference = topic.reference.as_ref();
    reference.map_or("", |reference| reference.answer.as_str())
}

/// Reads a value of a setting; a setting that is a text takes what is typed as it is.
fn accept(spec: &SettingSpec, text: &str) -> Result<SettingValue, String> {
    spec.accept(&match spec.default {
        SettingValue::Text(_) => SettingValue::Text(text.to_owned()),
        SettingValue::Bool(_) | SettingValue::Integer(_) | SettingValue::Float(_) => {
            SettingValue::from_typed(text.trim())
        }
    })
}

/// Returns the values of a setting that has few, in their order.
pub(super) fn choices(spec: &SettingSpec) -> Vec<String> {
    match spec.default {
        SettingValue::Bool(_) => vec!["true".to_owned(), "false".to_owned()],
        SettingValue::Integer(_) | SettingValue::Float(_) | SettingValue::Text(_) => {
            spec.one_of.iter().map(ToString::to_string).collect()
        }
    }
}

fn shows_documents(protocol: &Protocol) -> bool {
    let stages = protocol.stages.iter().map(|stage| &stage.sees);
    let rules = protocol.judging.iter().map(|rule| &rule.sees);
    stages
        .chain(rules)
        .any(|sees| sees.documents != DocumentsSeen::None)
}

fn shows_options(protocol: &Protocol) -> bool {
    let stages = protocol.stages.iter().map(|stage| &stage.sees);
    let rules = protocol.judging.iter().map(|rule| &rule.sees);
    protocol.options_needed() > 0 || stages.chain(rules).any(|sees| sees.options)
}
