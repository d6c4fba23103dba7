//! Fields of the new-debate form: name, kind, value and help. Pure.

use super::{NewDebate, is_person};
use crate::debate::protocol::{SeatKind, SettingSpec, SettingValue};
use crate::engine::MemoryShown;
use crate::experiments::debate_draft::{DebateField, PlayedRows};
use crate::tui::keys::{Action, Context, key_for};
use crate::tui::theme::Role;
use crate::tui::widgets::{Content, FieldKind};

impl NewDebate {
    /// Returns what a field is called.
    pub(super) fn label(&self, field: &DebateField) -> String {
        match field {
            DebateField::Game => "game".to_owned(),
            DebateField::Topic => "topic".to_owned(),
            DebateField::Dataset if self.draft.is_run() => "data set".to_owned(),
            DebateField::Dataset => "or from data set".to_owned(),
            DebateField::Rows => "rows".to_owned(),
            DebateField::SampleSize => "  how many".to_owned(),
            DebateField::Documents => "documents".to_owned(),
            DebateField::Options => "options".to_owned(),
            DebateField::Reference => "right answer".to_owned(),
            DebateField::Everybody => "every seat".to_owned(),
            DebateField::Chair(chair) => {
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
            DebateField::Persona(seat) => format!("  {seat} persona"),
            DebateField::Setting(name) => name.clone(),
            DebateField::Seed => "seed".to_owned(),
            DebateField::Memory => "memory".to_owned(),
            DebateField::Budget => "budget in US$".to_owned(),
            DebateField::Begin => match self.draft.debates().filter(|_| self.draft.is_run()) {
                Some(1) => "Begin the run of 1 debate".to_owned(),
                Some(many) => format!("Begin the run of {many} debates"),
                None => "Begin the debate".to_owned(),
            },
        }
    }

    /// Returns how a field is filled in.
    pub(super) fn kind(&self, field: &DebateField) -> FieldKind {
        match field {
            DebateField::Topic
            | DebateField::Dataset
            | DebateField::Documents
            | DebateField::Options
            | DebateField::Reference
            | DebateField::Persona(_) => FieldKind::Text,
            DebateField::SampleSize | DebateField::Seed | DebateField::Budget => FieldKind::Number,
            DebateField::Setting(name) => match self.spec(name) {
                Some(spec) if spec.choices().is_empty() => match spec.default {
                    SettingValue::Integer(_) | SettingValue::Float(_) => FieldKind::Number,
                    SettingValue::Bool(_) | SettingValue::Text(_) => FieldKind::Text,
                },
                Some(_) | None => FieldKind::Chosen,
            },
            DebateField::Game
            | DebateField::Rows
            | DebateField::Everybody
            | DebateField::Chair(_)
            | DebateField::Memory
            | DebateField::Begin => FieldKind::Chosen,
        }
    }

    /// Returns the value of a field, in one line.
    pub(super) fn value(&self, field: &DebateField, content: Content) -> (Role, String) {
        let draft = &self.draft;
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
            DebateField::Game => {
                let mut games = self.library.games.iter();
                match games.find(|game| game.id == draft.game) {
                    Some(game) => (Role::Text, format!("{} - {}", game.id, game.name)),
                    None => or(&draft.game, "none chosen"),
                }
            }
            DebateField::Topic => {
                let topic = draft.topic.as_str();
                let first = topic.split_whitespace().collect::<Vec<_>>().join(" ");
                secret(Role::Text, &first, "empty")
            }
            DebateField::Dataset => {
                let name = draft.get(field);
                match draft.row.as_ref().filter(|_| draft.is_row()) {
                    Some(row) if !name.is_empty() => (Role::Text, format!("{name}, {}", row.id)),
                    Some(_) | None => or(name, "harmbench:FILE, xstest:FILE, own:FILE ..."),
                }
            }
            DebateField::Rows => {
                let of = draft.available;
                let text = match draft.rows {
                    PlayedRows::One => "one row, played here".to_owned(),
                    PlayedRows::Sample => format!("a sample of {of}, drawn by the seed"),
                    PlayedRows::All => format!("all {of}"),
                };
                (Role::Text, text)
            }
            DebateField::Documents => {
                let names = draft.documents.iter().map(|one| one.name.as_str());
                or(&names.collect::<Vec<_>>().join(", "), "none")
            }
            DebateField::Options => secret(Role::Text, draft.get(field), "none; part them by |"),
            DebateField::Reference => secret(Role::Text, draft.get(field), "none"),
            DebateField::Everybody if draft.has(field) => self.sitter(draft.get(field)),
            DebateField::Everybody => match self.default_model() {
                Some(model) => quiet(&self.usual(model)),
                None => (Role::Warning, "no model is chosen yet".to_owned()),
            },
            DebateField::Chair(_) if draft.has(field) => self.sitter(draft.get(field)),
            DebateField::Chair(_) => quiet("as every seat"),
            DebateField::Persona(_) => {
                secret(Role::FromPersona, draft.get(field), "the game's own")
            }
            DebateField::Setting(name) => match self.spec(name) {
                Some(spec) => {
                    let is_changed = draft.has(field);
                    let role = if is_changed { Role::Accent } else { Role::Text };
                    (role, self.setting(name, spec))
                }
                None => quiet(""),
            },
            DebateField::Memory => {
                let text = match draft.memory {
                    MemoryShown::Lessons => "lessons are shown",
                    MemoryShown::Guardrails => "guardrails refuse",
                    MemoryShown::Both => "lessons are shown, guardrails refuse",
                    MemoryShown::Nothing => "off",
                };
                (Role::Text, text.to_owned())
            }
            DebateField::Budget => or(draft.get(field), "no ceiling"),
            DebateField::SampleSize | DebateField::Seed | DebateField::Begin => {
                (Role::Text, draft.get(field).to_owned())
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
    pub(super) fn help(&self, field: &DebateField) -> String {
        let enter = key(Action::Open);
        match field {
            DebateField::Game => format!("{enter} chooses another game."),
            DebateField::Topic => format!(
                "What the debate is about. Letters write here at once, {enter} opens the text; Esc or \
                 Tab leaves it."
            ),
            DebateField::Dataset => format!(
                "Type KIND:FILE as --dataset takes it. One of its rows is played here; a sample of \
                 them, or all, as a run. {enter} changes what was typed."
            ),
            DebateField::Rows => format!(
                "One row is played under your hands, a sample or all as a run in the background. \
                 {enter} asks which, {} and {} go through them.",
                key(Action::Left),
                key(Action::Right)
            ),
            DebateField::SampleSize => format!(
                "How many of {} rows are drawn by the seed. A digit types another number.",
                self.draft.available
            ),
            DebateField::Documents => {
                "Type the name of a file to add; '-' takes the last one away.".to_owned()
            }
            DebateField::Options => {
                "The answers or positions that the topic offers, parted by |.".to_owned()
            }
            DebateField::Reference => "For graders alone; no seat is shown it.".to_owned(),
            DebateField::Everybody => format!(
                "Who sits on each chair that names nobody itself. {enter} lists models, {} and {} \
                 go through them.",
                key(Action::Left),
                key(Action::Right)
            ),
            DebateField::Chair(chair) => {
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
            DebateField::Persona(seat) => format!(
                "What everybody on seat '{seat}' is told to be, as far as its prompt shows it; the \
                 game's own where nothing is written. {enter} writes it."
            ),
            DebateField::Setting(name) => match self.spec(name) {
                Some(spec) => setting_help(spec),
                None => String::new(),
            },
            DebateField::Seed => "Every draw follows from it.".to_owned(),
            DebateField::Memory => format!(
                "Whether seats are shown lessons of earlier debates, and whether guardrails that were \
                 accepted refuse what they match. {enter} goes on to the next: off, lessons, \
                 guardrails, both."
            ),
            DebateField::Budget if self.draft.is_run() => {
                "What the whole run may spend: it pauses before it \
                                                    could cost more, and can be gone on with."
                    .to_owned()
            }
            DebateField::Budget => {
                "What may be spent at most; calls are reserved at their worst case \
                              first."
                    .to_owned()
            }
            DebateField::Begin if self.draft.is_run() => format!(
                "{enter} begins: calls are sent at once, debates are played side by side in the \
                 background, and the list of sessions shows them as they come."
            ),
            DebateField::Begin => format!("{enter} begins: nothing is sent until you play a turn."),
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
    let how = if spec.choices().is_empty() {
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
