//! Fields of a draft: which of them a game has, and their faults. Pure.

use super::{DebateDraft, parse_columns};
use elenchus_game::debate::protocol::{DocumentsSeen, SeatKind};
use elenchus_game::debate::{Chair, Protocol, SeatId};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A field of the draft.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum DebateField {
    #[default]
    Topic,
    Dataset,
    /// Which columns of the data set are what.
    Columns,
    /// Selection of the data set's rows.
    Rows,
    SampleSize,
    Game,
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
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PlayedRows {
    /// One, as an interactive debate.
    #[default]
    One,
    /// A number of rows, drawn by the seed, as a run.
    Sample,
    /// Every one, as a run.
    All,
}

impl PlayedRows {
    /// Every choice, in the order in which they are offered.
    pub const ALL: [PlayedRows; 3] = [PlayedRows::One, PlayedRows::Sample, PlayedRows::All];
}

impl DebateDraft {
    /// Returns the fields that a game has, in their order.
    pub fn list_fields(&self, protocol: Option<&Protocol>) -> Vec<DebateField> {
        let mut fields = match self.is_run() {
            true => vec![DebateField::Dataset],
            false => vec![DebateField::Topic, DebateField::Dataset],
        };
        if self.has_value(&DebateField::Dataset) {
            fields.push(DebateField::Columns);
        }
        if self.available > 0 {
            fields.push(DebateField::Rows);
        }
        if self.is_run() && self.rows == PlayedRows::Sample {
            fields.push(DebateField::SampleSize);
        }
        fields.push(DebateField::Game);
        if let Some(protocol) = protocol {
            // What belongs to the topic and may be left out stands behind who plays.
            let (needed, optional) = match self.is_run() {
                true => (Vec::new(), Vec::new()),
                false => self.topic_fields(protocol),
            };
            fields.extend(needed);
            fields.push(DebateField::Everybody);
            for seat in &protocol.seats {
                let chair = |index| Chair {
                    seat: seat.id.clone(),
                    index,
                };
                fields.extend((0..seat.count).map(|index| DebateField::Chair(chair(index))));
                if seat.kind == SeatKind::Speaker {
                    fields.push(DebateField::Persona(seat.id.clone()));
                }
            }
            fields.extend(optional);
            fields.extend(protocol.settings.keys().cloned().map(DebateField::Setting));
        }
        fields.extend([
            DebateField::Seed,
            DebateField::Memory,
            DebateField::Budget,
            DebateField::Begin,
        ]);
        fields
    }

    /// Returns what belongs to a topic besides its text, as far as the game shows it: what the game needs, and the
    /// rest.
    fn topic_fields(&self, protocol: &Protocol) -> (Vec<DebateField>, Vec<DebateField>) {
        let has_grader = protocol.judging.iter().any(|rule| rule.grader.is_some());
        let optional_fields = [
            (
                DebateField::Documents,
                shows_documents(protocol) || !self.documents.is_empty(),
            ),
            (DebateField::Options, shows_options(protocol)),
            (DebateField::Reference, has_grader),
        ];
        let optional_fields = optional_fields.into_iter();
        let optional_fields =
            optional_fields.filter(|(field, is_asked)| *is_asked || self.has_value(field));
        let needs_options = protocol.count_needed_options() > 0;
        optional_fields
            .map(|(field, _)| field)
            .partition(|field| needs_options && *field == DebateField::Options)
    }

    /// Returns the faults by field, as far as they are known without reading files.
    pub fn find_faults(&self, protocol: Option<&Protocol>) -> BTreeMap<DebateField, String> {
        let mut faults = BTreeMap::new();
        let mut fault = |is_wrong: bool, field: DebateField, text: String| {
            if is_wrong {
                faults.insert(field, text);
            }
        };
        let is_run = self.is_run();
        fault(
            self.game.is_empty(),
            DebateField::Game,
            "choose a game".to_owned(),
        );
        fault(
            !is_run && self.topic.trim().is_empty(),
            DebateField::Topic,
            "type or paste one, or pick it from a data set".to_owned(),
        );
        fault(
            self.get(&DebateField::Seed).parse::<u64>().is_err(),
            DebateField::Seed,
            "a whole number, 0 or more".to_owned(),
        );
        fault(
            self.parse_budget().is_err(),
            DebateField::Budget,
            "an amount of US dollars, 0 or more; empty for none".to_owned(),
        );
        fault(
            is_run && self.debate_count().is_none(),
            DebateField::SampleSize,
            format!("a whole number, 1 to {}", self.available),
        );
        if let Err(why) = parse_columns(self.get(&DebateField::Columns)) {
            fault(true, DebateField::Columns, why.to_string());
        }
        let Some(protocol) = protocol else {
            return faults;
        };
        for (name, spec) in &protocol.settings {
            let field = DebateField::Setting(name.clone());
            if let Some(Err(expected)) = self.values.get(&field).map(|text| spec.parse_value(text))
            {
                fault(true, field, expected);
            }
        }
        let (option_count, min_options) =
            (self.parse_options().len(), protocol.count_needed_options());
        fault(
            option_count < min_options && !is_run,
            DebateField::Options,
            format!("{min_options} chairs argue for one each; {option_count} are given"),
        );
        faults
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
    protocol.count_needed_options() > 0 || stages.chain(rules).any(|sees| sees.options)
}
