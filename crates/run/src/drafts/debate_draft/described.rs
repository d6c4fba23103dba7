//! Fields of a debate that is being set out, as a form shows them: name, kind, value and meaning, and what
//! stepping to the next value means. Pure.

use super::setup::{DebateSetup, SetupSource, is_person};
use super::{DebateField, PlayedRows};
use crate::engine::MemoryShown;
use elenchus_game::debate::protocol::{SeatKind, SettingValue};
use elenchus_game::debate::{Chair, protocol::Seat};
use elenchus_text::{FieldKind, FormField, FormValues, Role, step_through};

impl FormValues for DebateSetup {
    type Field = DebateField;

    /// The button comes last.
    fn list_fields(&self) -> Vec<FormField<DebateField>> {
        let mut faults = self.collect_faults();
        // A topic that is not there yet is no mistake.
        faults.remove(&DebateField::Topic);
        let mut has_settings = false;
        let is_run = self.draft.is_run();
        let fields = self.draft.list_fields(self.protocol()).into_iter();
        let fields = fields.map(|field| {
            let heading = match &field {
                DebateField::Everybody => Some(match self.from {
                    SetupSource::Nothing => "Cast",
                    SetupSource::Last => "Cast (begun with what was played last)",
                    SetupSource::Session(_) => "Cast (begun with what the session was played with)",
                    SetupSource::Draft => "Cast (as you left it)",
                }),
                DebateField::Setting(_) if !std::mem::replace(&mut has_settings, true) => {
                    Some("Settings of the game")
                }
                DebateField::Seed if is_run => Some("This run"),
                DebateField::Seed => Some("This debate"),
                _ => None,
            };
            FormField {
                heading: heading.map(str::to_owned),
                fault: faults.remove(&field),
                fault_role: self.fault_role(&field),
                ..self.describe_field(field)
            }
        });
        fields.collect()
    }

    fn set_value(&mut self, field: &DebateField, text: &str) -> Result<(), String> {
        self.note_touch();
        self.take_line(field, text);
        Ok(())
    }

    fn step_value(&mut self, field: &DebateField, by: isize) -> bool {
        let is_changed = self.step_choice(field, by);
        if is_changed {
            self.note_touch();
        }
        is_changed
    }
}

impl DebateSetup {
    /// Goes on through the values of a choice; says whether the field is one.
    fn step_choice(&mut self, field: &DebateField, by: isize) -> bool {
        match field {
            DebateField::Everybody | DebateField::Chair(_) => {
                let next = step_through(&self.player_choices(), &self.chosen_player(field), by);
                next.map(|name| self.seat_player(field, name)).is_some()
            }
            DebateField::Setting(name) => {
                let next = self.next_of_setting(name, by);
                next.map(|value| self.set_setting(name, &value)).is_some()
            }
            DebateField::Memory => {
                let next = step_through(MemoryShown::ALL, &self.draft.memory, by);
                self.draft.memory = next.unwrap_or_default();
                self.note_change();
                true
            }
            DebateField::Game => {
                let games = self.library.games.iter();
                let ids: Vec<String> = games.map(|game| game.id.clone()).collect();
                let next = step_through(&ids, &self.draft.game, by);
                next.map(|id| self.take_game(id)).is_some()
            }
            DebateField::Rows => {
                let next = step_through(&PlayedRows::ALL, &self.draft.rows, by);
                next.map(|rows| self.play_rows(rows)).is_some()
            }
            DebateField::Topic
            | DebateField::Dataset
            | DebateField::Columns
            | DebateField::SampleSize
            | DebateField::Documents
            | DebateField::Options
            | DebateField::Reference
            | DebateField::Persona(_)
            | DebateField::Seed
            | DebateField::Budget
            | DebateField::Begin => false,
        }
    }
}

impl DebateSetup {
    /// Returns the value of a setting after the one there is, or before it; `None` where there is none.
    fn next_of_setting(&self, name: &str, by: isize) -> Option<String> {
        let spec = self.setting_spec(name)?;
        let now = self.setting_value(name, spec);
        let values = spec.list_choices();
        if !values.is_empty() {
            return step_through(&values, &now, by);
        }
        let (SettingValue::Integer(_), Ok(number)) = (&spec.default, now.parse::<i64>()) else {
            return None;
        };
        let next = number.saturating_add(i64::try_from(by).ok()?);
        let is_valid = spec.check_value(&SettingValue::Integer(next)).is_ok();
        is_valid.then(|| next.to_string())
    }

    fn describe_field(&self, field: DebateField) -> FormField<DebateField> {
        let draft = &self.draft;
        let text = draft.get(&field).to_owned();
        let has_value = draft.has_value(&field);
        let (kind, name) = (self.field_kind(&field), self.field_name(&field));
        let new = FormField::new(field.clone(), kind, name, self.field_help(&field));
        match &field {
            DebateField::Game => {
                let mut games = self.library.games.iter();
                match games.find(|game| game.id == draft.game) {
                    Some(game) => {
                        new.with_value(Role::Text, format!("{} - {}", game.id, game.name))
                    }
                    None => new.with_text(&draft.game, "none chosen"),
                }
            }
            DebateField::Topic => {
                let words: Vec<&str> = draft.topic.split_whitespace().collect();
                new.with_text(&words.join(" "), "empty").with_mask()
            }
            DebateField::Dataset => {
                let new = new.with_text(&text, "harmbench:FILE, xstest:FILE, own:FILE ...");
                match draft.row.as_ref().filter(|_| draft.is_row()) {
                    Some(row) if !text.is_empty() => {
                        new.with_value(Role::Text, format!("{text}, {}", row.id))
                    }
                    Some(_) | None => new,
                }
            }
            DebateField::Columns => new.with_text(&text, "recognised by their names"),
            DebateField::Rows => {
                let of = draft.available;
                let text = match draft.rows {
                    PlayedRows::One => "one row, played here".to_owned(),
                    PlayedRows::Sample => format!("a sample of {of}, drawn by the seed"),
                    PlayedRows::All => format!("all {of}"),
                };
                new.with_value(Role::Text, text)
            }
            DebateField::Documents => {
                let names = draft.documents.iter().map(|one| one.name.as_str());
                match names.collect::<Vec<_>>().join(", ") {
                    names if names.is_empty() => new.with_value(Role::Muted, "none"),
                    names => new.with_value(Role::Text, names),
                }
            }
            DebateField::Options => new.with_text(&text, "none; part them by |").with_mask(),
            DebateField::Reference => new.with_text(&text, "none").with_mask(),
            DebateField::Persona(_) => {
                let new = new.with_text(&text, "the game's own").with_mask();
                let role = if has_value {
                    Role::FromPersona
                } else {
                    new.role
                };
                FormField { role, ..new }
            }
            DebateField::Everybody | DebateField::Chair(_) => {
                let (role, value) = self.describe_participant(&field);
                new.with_value(role, value)
            }
            DebateField::Setting(name) => {
                let value = self
                    .setting_spec(name)
                    .map(|spec| self.setting_value(name, spec));
                let new = new.with_text(&value.unwrap_or_default(), "");
                let role = if has_value { Role::Accent } else { new.role };
                FormField { role, ..new }
            }
            DebateField::Memory => {
                let text = match draft.memory {
                    MemoryShown::Lessons => "lessons are shown",
                    MemoryShown::Guardrails => "guardrails refuse",
                    MemoryShown::Both => "lessons are shown, guardrails refuse",
                    MemoryShown::Nothing => "off",
                };
                new.with_value(Role::Text, text)
            }
            DebateField::Budget => new.with_text(&text, "no ceiling"),
            DebateField::SampleSize | DebateField::Seed => new.with_text(&text, ""),
            DebateField::Begin => {
                let faults = self.collect_faults();
                let names = faults
                    .keys()
                    .map(|field| self.field_name(field).trim().to_owned());
                match names.collect::<Vec<_>>().join(", ") {
                    names if names.is_empty() => new.with_value(Role::Accent, ""),
                    names => new.with_value(Role::Muted, format!("(needs: {names})")),
                }
            }
        }
    }

    /// Describes who plays a field of the cast.
    fn describe_participant(&self, field: &DebateField) -> (Role, String) {
        let name = self.draft.get(field);
        if name.is_empty() {
            return match (field, self.default_model()) {
                (DebateField::Everybody, Some(model)) => {
                    (Role::Muted, self.describe_default_model(model))
                }
                (DebateField::Everybody, None) => {
                    (Role::Warning, "no model is chosen yet".to_owned())
                }
                _ => (Role::Muted, "as every seat".to_owned()),
            };
        }
        let role = match self.find_model(name) {
            Some(model) if model.simulated => Role::Simulated,
            Some(_) | None if is_person(name) => Role::Human,
            Some(_) | None => Role::Text,
        };
        match self.describe_player(name).as_str() {
            "" => (role, name.to_owned()),
            about => (role, format!("{name} - {about}")),
        }
    }

    /// Describes the default model and why it is the default.
    pub(super) fn describe_default_model(&self, model: &str) -> String {
        format!("{model} ({})", self.library.default_why)
    }

    /// Returns what a field is called.
    pub(super) fn field_name(&self, field: &DebateField) -> String {
        let name = match field {
            DebateField::Game => "game",
            DebateField::Topic => "topic",
            DebateField::Dataset if self.draft.is_run() => "data set",
            DebateField::Dataset => "or from data set",
            DebateField::Columns => "  columns",
            DebateField::Rows => "rows",
            DebateField::SampleSize => "  how many",
            DebateField::Documents => "documents",
            DebateField::Options => "options",
            DebateField::Reference => "right answer",
            DebateField::Everybody => "every seat",
            DebateField::Chair(chair) => {
                return match self.seat_of(chair) {
                    Some(seat) if seat.count > 1 => {
                        format!("  {} {}", chair.seat, chair.index + 1)
                    }
                    Some(_) | None => format!("  {}", chair.seat),
                };
            }
            DebateField::Persona(seat) => return format!("  {seat} persona"),
            DebateField::Setting(name) => name,
            DebateField::Seed => "seed",
            DebateField::Memory => "memory",
            DebateField::Budget => "budget in US$",
            DebateField::Begin => {
                return match self.draft.debate_count().filter(|_| self.draft.is_run()) {
                    Some(1) => "Begin the run of 1 debate".to_owned(),
                    Some(many) => format!("Begin the run of {many} debates"),
                    None => "Begin the debate".to_owned(),
                };
            }
        };
        name.to_owned()
    }

    /// Returns how a field is filled in.
    fn field_kind(&self, field: &DebateField) -> FieldKind {
        match field {
            DebateField::Topic => FieldKind::Page,
            DebateField::Dataset | DebateField::Documents => FieldKind::Name,
            DebateField::Columns
            | DebateField::Options
            | DebateField::Reference
            | DebateField::Persona(_) => FieldKind::Text,
            DebateField::SampleSize | DebateField::Seed | DebateField::Budget => FieldKind::Number,
            DebateField::Setting(name) => match self.setting_spec(name) {
                Some(spec) if spec.list_choices().is_empty() => match spec.default {
                    SettingValue::Integer(_) => FieldKind::Count,
                    SettingValue::Float(_) => FieldKind::Number,
                    SettingValue::Bool(_) | SettingValue::Text(_) => FieldKind::Text,
                },
                Some(_) | None => FieldKind::Choice,
            },
            DebateField::Game
            | DebateField::Rows
            | DebateField::Everybody
            | DebateField::Chair(_) => FieldKind::Listed,
            DebateField::Memory => FieldKind::Choice,
            DebateField::Begin => FieldKind::Button,
        }
    }

    /// Returns what a field means.
    fn field_help(&self, field: &DebateField) -> String {
        let is_run = self.draft.is_run();
        let help = match field {
            DebateField::Game => "The game that is played.",
            DebateField::Topic => "What the debate is about.",
            DebateField::Dataset => {
                "KIND:FILE as --dataset takes it. One of its rows is played here; a sample of them, \
                 or all, as a run."
            }
            DebateField::Columns => {
                "Where they are not recognised, which is what: text=Goal,category=Kind. -COLUMN is not \
                 read. Parted by |."
            }
            DebateField::Rows => {
                "One row is played under your hands, a sample or all as a run in the background."
            }
            DebateField::SampleSize => {
                let of = self.draft.available;
                return format!("How many of {of} rows are drawn by the seed.");
            }
            DebateField::Documents => "The name of a file adds it; '-' takes the last one away.",
            DebateField::Options => "The answers or positions that the topic offers, parted by |.",
            DebateField::Reference => "For graders alone; no seat is shown it.",
            DebateField::Everybody => "Who sits on each chair that names nobody itself.",
            DebateField::Chair(chair) => {
                let does = self
                    .seat_of(chair)
                    .map_or("plays", |seat| describe_duty(seat.kind));
                return format!("This chair {does}; models and people can sit on it.");
            }
            DebateField::Persona(seat) => {
                return format!(
                    "What everybody on seat '{seat}' is told to be, as far as its prompt shows it; \
                     the game's own where nothing is written."
                );
            }
            DebateField::Setting(name) => {
                let spec = self.setting_spec(name).map(|spec| {
                    let (expected, usual) = (spec.describe_accepted_values(), &spec.default);
                    format!("{} ({expected}; by default {usual}).", spec.help)
                });
                return spec.unwrap_or_default();
            }
            DebateField::Seed => "Every draw follows from it.",
            DebateField::Memory => {
                "Whether seats are shown lessons of earlier debates, and whether guardrails that \
                 were accepted refuse what they match: off, lessons, guardrails, both."
            }
            DebateField::Budget if is_run => {
                "What the whole run may spend: it pauses before it could cost more, and can be gone \
                 on with."
            }
            DebateField::Budget => {
                "What may be spent at most; calls are reserved at their worst case first."
            }
            DebateField::Begin if is_run => {
                "begins: calls are sent at once, debates are played side by side in the background, \
                 and the list of sessions shows them as they come."
            }
            DebateField::Begin => "begins: nothing is sent until you play a turn.",
        };
        help.to_owned()
    }

    fn seat_of(&self, chair: &Chair) -> Option<&Seat> {
        self.protocol()?.find_seat(&chair.seat)
    }
}

/// Returns what a chair's kind of seat does, in words.
fn describe_duty(kind: SeatKind) -> &'static str {
    match kind {
        SeatKind::Speaker => "speaks",
        SeatKind::Judge => "judges",
        SeatKind::Evaluator => "evaluates",
        SeatKind::Feedback => "writes the lesson",
    }
}
