//! Fields of the new-debate form: name, kind, value and help. Pure.

use super::form::{FormField, RowSelection, choices};
use super::{NewDebate, is_person};
use crate::debate::protocol::{SeatKind, SettingSpec, SettingValue};
use crate::engine::MemoryShown;
use crate::tui::keys::{Action, Context, key_for};
use crate::tui::theme::Role;
use crate::tui::widgets::{Content, FieldKind};

impl NewDebate {
    /// Returns what a field is called.
    pub(super) fn label(&self, field: &FormField) -> String {
        match field {
            FormField::Game => "game".to_owned(),
            FormField::Topic => "topic".to_owned(),
            FormField::Dataset if self.form.is_run() => "data set".to_owned(),
            FormField::Dataset => "or from data set".to_owned(),
            FormField::Rows => "rows".to_owned(),
            FormField::SampleSize => "  how many".to_owned(),
            FormField::Documents => "documents".to_owned(),
            FormField::Options => "options".to_owned(),
            FormField::Reference => "right answer".to_owned(),
            FormField::Everybody => "every seat".to_owned(),
            FormField::Chair(chair) => {
                let seat = self
                    .protocol()
                    .and_then(|protocol| protocol.seat(&chair.seat));
                match seat {
                    Some(seat) if seat.count > 1 => {
                        format!("  {} {}", chair.seat, chair.index + 1)
                    }
                    Some(_) | None => format!("  {}", chair.seat),
                }
            }
            FormField::Persona(seat) => format!("  {seat} persona"),
            FormField::Setting(name) => name.clone(),
            FormField::Seed => "seed".to_owned(),
            FormField::Memory => "memory".to_owned(),
            FormField::Budget => "budget in US$".to_owned(),
            FormField::Begin => match self.form.debates().filter(|_| self.form.is_run()) {
                Some(1) => "Begin the run of 1 debate".to_owned(),
                Some(many) => format!("Begin the run of {many} debates"),
                None => "Begin the debate".to_owned(),
            },
        }
    }

    /// Returns how a field is filled in.
    pub(super) fn kind(&self, field: &FormField) -> FieldKind {
        match field {
            FormField::Topic
            | FormField::Dataset
            | FormField::Documents
            | FormField::Options
            | FormField::Reference
            | FormField::Persona(_) => FieldKind::Text,
            FormField::SampleSize | FormField::Seed | FormField::Budget => FieldKind::Number,
            FormField::Setting(name) => match self.spec(name) {
                Some(spec) if choices(spec).is_empty() => match spec.default {
                    SettingValue::Integer(_) | SettingValue::Float(_) => FieldKind::Number,
                    SettingValue::Bool(_) | SettingValue::Text(_) => FieldKind::Text,
                },
                Some(_) | None => FieldKind::Chosen,
            },
            FormField::Game
            | FormField::Rows
            | FormField::Everybody
            | FormField::Chair(_)
            | FormField::Memory
            | FormField::Begin => FieldKind::Chosen,
        }
    }

    /// Returns the value of a field, in one line.
    pub(super) fn value(&self, field: &FormField, content: Content) -> (Role, String) {
        let form = &self.form;
        let quiet = |text: &str| (Role::Muted, text.to_owned());
        let or = |text: &str, empty: &str| match text {
            "" => quiet(empty),
            text => (Role::Text, text.to_owned()),
        };
        // What a debate is about is masked in public.
        let secret = |role: Role, text: &str, empty: &str| match content {
            _ if text.is_empty() => quiet(empty),
            Content::Shown => (role, text.to_owned()),
            Content::Masked => (Role::Masked, content.of(text)),
        };
        match field {
            FormField::Game => {
                let mut games = self.library.games.iter();
                match games.find(|game| game.id == form.game) {
                    Some(game) => (Role::Text, format!("{} - {}", game.id, game.name)),
                    None => or(&form.game, "none chosen"),
                }
            }
            FormField::Topic => {
                let topic = form.topic.text();
                let first = topic.split_whitespace().collect::<Vec<_>>().join(" ");
                secret(Role::Text, &first, "empty")
            }
            FormField::Dataset => {
                let name = form.get(field);
                match form.row.as_ref().filter(|_| form.is_row()) {
                    Some(row) if !name.is_empty() => (Role::Text, format!("{name}, {}", row.id)),
                    Some(_) | None => or(name, "harmbench:FILE, xstest:FILE, own:FILE ..."),
                }
            }
            FormField::Rows => {
                let of = form.available;
                let text = match form.rows {
                    RowSelection::One => "one row, played here".to_owned(),
                    RowSelection::Sample => format!("a sample of {of}, drawn by the seed"),
                    RowSelection::All => format!("all {of}"),
                };
                (Role::Text, text)
            }
            FormField::Documents => {
                let names = form.documents.iter().map(|one| one.name.as_str());
                or(&names.collect::<Vec<_>>().join(", "), "none")
            }
            FormField::Options => secret(Role::Text, form.get(field), "none; part them by |"),
            FormField::Reference => secret(Role::Text, form.get(field), "none"),
            FormField::Everybody if form.has(field) => self.sitter(form.get(field)),
            FormField::Everybody => match self.default_model() {
                Some(model) => quiet(&self.usual(model)),
                None => (Role::Warning, "no model is chosen yet".to_owned()),
            },
            FormField::Chair(_) if form.has(field) => self.sitter(form.get(field)),
            FormField::Chair(_) => quiet("as every seat"),
            FormField::Persona(_) => secret(Role::FromPersona, form.get(field), "the game's own"),
            FormField::Setting(name) => match self.spec(name) {
                Some(spec) => {
                    let is_changed = form.has(field);
                    let role = if is_changed { Role::Accent } else { Role::Text };
                    (role, self.setting(name, spec))
                }
                None => quiet(""),
            },
            FormField::Memory => {
                let text = match form.memory {
                    MemoryShown::Lessons => "lessons are shown",
                    MemoryShown::Guardrails => "guardrails refuse",
                    MemoryShown::Both => "lessons are shown, guardrails refuse",
                    MemoryShown::Nothing => "off",
                };
                (Role::Text, text.to_owned())
            }
            FormField::Budget => or(form.get(field), "no ceiling"),
            FormField::SampleSize | FormField::Seed | FormField::Begin => {
                (Role::Text, form.get(field).to_owned())
            }
        }
    }

    /// Describes who sits on a chair.
    fn sitter(&self, name: &str) -> (Role, String) {
        let role = match self.model(name) {
            Some(model) if model.simulated => Role::Simulated,
            Some(_) | None if is_person(name) => Role::Human,
            Some(_) | None => Role::Text,
        };
        match self.about(name).as_str() {
            "" => (role, name.to_owned()),
            about => (role, format!("{name} - {about}")),
        }
    }

    /// Returns what a field is for, and what to press in it, with marks for keys.
    pub(super) fn help(&self, field: &FormField) -> String {
        let enter = key(Action::Open);
        match field {
            FormField::Game => format!("{enter} chooses another game."),
            FormField::Topic => format!(
                "What the debate is about. Letters write here at once, {enter} opens the text; Esc or \
                 Tab leaves it."
            ),
            FormField::Dataset => format!(
                "Type KIND:FILE as --dataset takes it. One of its rows is played here; a sample of \
                 them, or all, as a run. {enter} changes what was typed."
            ),
            FormField::Rows => format!(
                "One row is played under your hands, a sample or all as a run in the background. \
                 {enter} asks which, {} and {} go through them.",
                key(Action::Left),
                key(Action::Right)
            ),
            FormField::SampleSize => format!(
                "How many of {} rows are drawn by the seed. {enter} types another number.",
                self.form.available
            ),
            FormField::Documents => {
                "Type the name of a file to add; '-' takes the last one away.".to_owned()
            }
            FormField::Options => {
                "The answers or positions that the topic offers, parted by |.".to_owned()
            }
            FormField::Reference => "For graders alone; no seat is shown it.".to_owned(),
            FormField::Everybody => format!(
                "Who sits on each chair that names nobody itself. {enter} lists models, {} and {} \
                 go through them.",
                key(Action::Left),
                key(Action::Right)
            ),
            FormField::Chair(chair) => {
                let kind = self
                    .protocol()
                    .and_then(|protocol| protocol.seat(&chair.seat))
                    .map(|seat| duty(seat.kind));
                format!(
                    "This chair {}. {enter} lists models and people; {} and {} go through them.",
                    kind.unwrap_or("plays"),
                    key(Action::Left),
                    key(Action::Right)
                )
            }
            FormField::Persona(seat) => format!(
                "What everybody on seat '{seat}' is told to be, as far as its prompt shows it; the \
                 game's own where nothing is written. {enter} writes it."
            ),
            FormField::Setting(name) => match self.spec(name) {
                Some(spec) => setting_help(spec),
                None => String::new(),
            },
            FormField::Seed => "Every draw follows from it.".to_owned(),
            FormField::Memory => format!(
                "Whether seats are shown lessons of earlier debates, and whether guardrails that were \
                 accepted refuse what they match. {enter} goes on to the next: off, lessons, \
                 guardrails, both."
            ),
            FormField::Budget if self.form.is_run() => {
                "What the whole run may spend: it pauses before it \
                                                    could cost more, and can be gone on with."
                    .to_owned()
            }
            FormField::Budget => {
                "What may be spent at most; calls are reserved at their worst case \
                              first."
                    .to_owned()
            }
            FormField::Begin if self.form.is_run() => format!(
                "{enter} begins: calls are sent at once, debates are played side by side in the \
                 background, and the list of sessions shows them as they come."
            ),
            FormField::Begin => format!("{enter} begins: nothing is sent until you play a turn."),
        }
    }
}

/// Returns what a chair's kind of seat does, in words.
fn duty(kind: SeatKind) -> &'static str {
    match kind {
        SeatKind::Speaker => "speaks",
        SeatKind::Judge => "judges",
        SeatKind::Evaluator => "evaluates",
        SeatKind::Feedback => "writes the lesson",
    }
}

fn setting_help(spec: &SettingSpec) -> String {
    let enter = key(Action::Open);
    let how = if choices(spec).is_empty() {
        format!("{enter} types another value.")
    } else {
        let (left, right) = (key(Action::Left), key(Action::Right));
        format!("{left} and {right}, or {enter}, go through the values.")
    };
    format!(
        "{} ({}; by default {}). {how}",
        spec.help,
        spec.expected(),
        spec.default
    )
}

fn key(action: Action) -> char {
    key_for(Context::NewDebate, action)
}
