//! New-debate form: values as a person fills them in, and their faults. Pure.

use crate::debate::protocol::{DocumentsSeen, SeatKind, SettingSpec, SettingValue, Settings};
use crate::debate::{Chair, Document, Protocol, SeatId, Topic};
use crate::engine::seats::{CastRequest, SeatRequest};
use crate::engine::{DebatePlan, MemoryShown, TypedTopic};
use crate::experiments::run::RunPlan;
use crate::tui::widgets::Editor;
use std::collections::BTreeMap;

/// Separator of options in their line.
const BETWEEN_OPTIONS: char = '|';

/// Default number of rows that are drawn.
const SAMPLE: &str = "20";

/// A field of the form.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum FormField {
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
#[derive(Debug, Clone)]
pub(super) struct NewDebateForm {
    /// The game's id; empty before one is chosen.
    pub game: String,
    pub topic: Editor,
    /// The row of a data set that the topic began as.
    pub row: Option<Topic>,
    /// The data set as it was typed last, for example `harmbench:FILE`.
    pub dataset: String,
    /// Rows that the data set has; 0 before it is read.
    pub available: usize,
    pub rows: RowSelection,
    /// Number of rows to draw, as it was typed.
    pub sample: String,
    pub documents: Vec<Document>,
    pub options: String,
    pub reference: String,
    /// A model, or a person; left out, the configured one.
    pub everybody: Option<String>,
    pub chairs: BTreeMap<Chair, String>,
    pub personas: BTreeMap<SeatId, String>,
    /// Settings that were changed, as they were typed.
    pub settings: BTreeMap<String, String>,
    pub seed: String,
    pub memory: MemoryShown,
    pub budget: String,
}

impl Default for NewDebateForm {
    fn default() -> Self {
        Self {
            game: String::new(),
            topic: Editor::default(),
            row: None,
            dataset: String::new(),
            available: 0,
            rows: RowSelection::One,
            sample: SAMPLE.to_owned(),
            documents: Vec::new(),
            options: String::new(),
            reference: String::new(),
            everybody: None,
            chairs: BTreeMap::new(),
            personas: BTreeMap::new(),
            settings: BTreeMap::new(),
            seed: "0".to_owned(),
            memory: MemoryShown::Nothing,
            budget: String::new(),
        }
    }
}

impl NewDebateForm {
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
                fields.extend((0..seat.count).map(|index| {
                    FormField::Chair(Chair {
                        seat: seat.id.clone(),
                        index,
                    })
                }));
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
        let mut fields = Vec::new();
        if shows_documents(protocol) || !self.documents.is_empty() {
            fields.push(FormField::Documents);
        }
        if shows_options(protocol) || !self.options.is_empty() {
            fields.push(FormField::Options);
        }
        let graded = protocol.judging.iter().any(|rule| rule.grader.is_some());
        if graded || !self.reference.is_empty() {
            fields.push(FormField::Reference);
        }
        fields
    }

    /// Returns the faults by field, as far as they are known without reading files.
    pub fn faults(&self, protocol: Option<&Protocol>) -> BTreeMap<FormField, String> {
        let mut faults = BTreeMap::new();
        if self.game.is_empty() {
            faults.insert(FormField::Game, "choose a game".to_owned());
        }
        if !self.is_run() && self.topic.text().trim().is_empty() {
            let text = "type or paste one, or pick it from a data set";
            faults.insert(FormField::Topic, text.to_owned());
        }
        if self.seed.parse::<u64>().is_err() {
            let text = "a whole number, 0 or more";
            faults.insert(FormField::Seed, text.to_owned());
        }
        if budget(&self.budget).is_err() {
            let text = "an amount of US dollars, 0 or more; empty for none";
            faults.insert(FormField::Budget, text.to_owned());
        }
        if self.is_run() && self.rows == RowSelection::Sample && self.sample_size().is_none() {
            let text = format!("a whole number, 1 to {}", self.available);
            faults.insert(FormField::SampleSize, text);
        }
        let Some(protocol) = protocol else {
            return faults;
        };
        for (name, text) in &self.settings {
            if let Some(spec) = protocol.settings.get(name)
                && let Err(expected) = spec.accept(&value(spec, text))
            {
                faults.insert(FormField::Setting(name.clone()), expected);
            }
        }
        let (given, needed) = (self.options().len(), protocol.options_needed());
        if given < needed && !self.is_run() {
            let text = format!("{needed} chairs argue for one each; {given} are given");
            faults.insert(FormField::Options, text);
        }
        faults
    }

    /// Returns the planned debate; settings that are not accepted are left out. `default_model`
    /// takes the chairs without a named participant.
    pub fn plan(&self, protocol: &Protocol, default_model: Option<&str>) -> DebatePlan {
        DebatePlan {
            settings: self.settings(protocol),
            cast: self.cast(protocol, default_model),
            seed: self.seed.parse().unwrap_or(0),
            shown: self.memory,
            budget_usd: budget(&self.budget).ok().flatten(),
            ..DebatePlan::new(self.game.clone(), self.topic())
        }
    }

    /// Returns the run that is asked for; none where one debate is.
    pub(super) fn run_plan(
        &self,
        protocol: &Protocol,
        default_model: Option<&str>,
    ) -> Option<RunPlan> {
        self.is_run().then(|| RunPlan {
            debate: self.plan(protocol, default_model),
            dataset: self.dataset.clone(),
            sample: match self.rows {
                RowSelection::Sample => Some(self.sample_size().unwrap_or(0)),
                RowSelection::One | RowSelection::All => None,
            },
        })
    }

    /// Says whether rows of a data set are played as a run.
    pub(super) fn is_run(&self) -> bool {
        self.available > 0 && self.rows != RowSelection::One
    }

    /// Returns how many debates a run has; `None` where that was typed wrong.
    pub fn debates(&self) -> Option<usize> {
        match self.rows {
            RowSelection::One => Some(1),
            RowSelection::Sample => self.sample_size(),
            RowSelection::All => Some(self.available),
        }
    }

    fn sample_size(&self) -> Option<usize> {
        let size = self.sample.trim().parse().ok();
        size.filter(|size| (1..=self.available).contains(size))
    }

    /// Returns the options that were typed.
    pub fn options(&self) -> Vec<String> {
        let options = self.options.split(BETWEEN_OPTIONS).map(str::trim);
        options
            .filter(|option| !option.is_empty())
            .map(str::to_owned)
            .collect()
    }

    /// Takes the topic of a data set, with all that belongs to it.
    pub(super) fn take_row(&mut self, topic: &Topic) -> Result<(), crate::tui::widgets::TooLong> {
        self.topic = Editor::open(&topic.text)?;
        self.documents.clone_from(&topic.documents);
        let between = format!(" {BETWEEN_OPTIONS} ");
        self.options = topic.options.join(&between);
        self.reference = topic
            .reference
            .as_ref()
            .map(|reference| reference.answer.clone())
            .unwrap_or_default();
        self.row = Some(topic.clone());
        Ok(())
    }

    /// Returns the value of a setting.
    pub fn setting(&self, name: &str, spec: &SettingSpec) -> String {
        match self.settings.get(name) {
            Some(typed) => typed.clone(),
            None => spec.default.to_string(),
        }
    }

    /// Says whether the topic is still the row it was picked as.
    pub(super) fn is_row(&self) -> bool {
        self.row.as_ref().is_some_and(|row| {
            row.text.trim() == self.topic.text().trim()
                && row.documents == self.documents
                && row.options == self.options()
                && row
                    .reference
                    .as_ref()
                    .map_or("", |reference| reference.answer.as_str())
                    == self.reference
        })
    }

    fn topic(&self) -> Topic {
        if let Some(row) = self.row.as_ref().filter(|_| self.is_row()) {
            return row.clone();
        }
        let typed = TypedTopic {
            text: self.topic.text(),
            documents: self.documents.clone(),
            options: self.options(),
            reference: (!self.reference.is_empty()).then(|| self.reference.clone()),
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
        })
    }

    fn settings(&self, protocol: &Protocol) -> Settings {
        let typed = self.settings.iter();
        typed
            .filter_map(|(name, text)| {
                let spec = protocol.settings.get(name)?;
                Some((name.clone(), spec.accept(&value(spec, text)).ok()?))
            })
            .collect()
    }

    /// Says whether every chair of the seats that are played has a participant of its own.
    pub(super) fn names_all(&self, protocol: &Protocol) -> bool {
        let mut seats = protocol
            .seats
            .iter()
            .filter(|seat| protocol.is_played(seat));
        seats.all(|seat| {
            (0..seat.count).all(|index| {
                let seat = seat.id.clone();
                self.chairs.contains_key(&Chair { seat, index })
            })
        })
    }

    /// A seat with a chair or a persona set names all its chairs, as far as a participant is known
    /// for the others.
    fn cast(&self, protocol: &Protocol, default_model: Option<&str>) -> CastRequest {
        let mut cast = CastRequest {
            model: self.everybody.clone().or(default_model.map(str::to_owned)),
            ..CastRequest::default()
        };
        for seat in &protocol.seats {
            let chair = |index| Chair {
                seat: seat.id.clone(),
                index,
            };
            let named: Vec<Option<&String>> = (0..seat.count)
                .map(|index| self.chairs.get(&chair(index)))
                .collect();
            let persona = self.personas.get(&seat.id).cloned();
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
}

/// Reads a budget; an empty one is none.
fn budget(text: &str) -> Result<Option<f64>, ()> {
    let text = text.trim().trim_start_matches('$');
    if text.is_empty() {
        return Ok(None);
    }
    match text.parse::<f64>() {
        Ok(usd) if usd.is_finite() && usd >= 0.0 => Ok(Some(usd)),
        Ok(_) | Err(_) => Err(()),
    }
}

/// Reads a value; a setting that is a text takes what is typed as it is.
fn value(spec: &SettingSpec, text: &str) -> SettingValue {
    match spec.default {
        SettingValue::Text(_) => SettingValue::Text(text.to_owned()),
        SettingValue::Bool(_) | SettingValue::Integer(_) | SettingValue::Float(_) => {
            SettingValue::from_typed(text.trim())
        }
    }
}

/// Returns the values of a setting that has few, in their order.
pub fn choices(spec: &SettingSpec) -> Vec<String> {
    match spec.default {
        SettingValue::Bool(_) => vec!["true".to_owned(), "false".to_owned()],
        SettingValue::Integer(_) | SettingValue::Float(_) | SettingValue::Text(_) => {
            spec.one_of.iter().map(ToString::to_string).collect()
        }
    }
}

/// Returns what a chair's kind of seat does, in words.
pub fn duty(kind: SeatKind) -> &'static str {
    match kind {
        SeatKind::Speaker => "speaks",
        SeatKind::Judge => "judges",
        SeatKind::Evaluator => "evaluates",
        SeatKind::Feedback => "writes the lesson",
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
