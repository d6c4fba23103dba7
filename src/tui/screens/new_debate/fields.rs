//! Fields of the new-debate form: name, value and help. Pure.

use super::NewDebate;
use super::form::{FormField, RowSelection, choices, duty};
use crate::debate::protocol::SettingSpec;
use crate::engine::MemoryShown;
use crate::tui::keys::{Action, Context, key_for};
use crate::tui::theme::Role;
use crate::tui::widgets::Content;

impl NewDebate {
    /// Returns what a field is called.
    pub(crate) fn label(&self, field: &FormField) -> String {
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

    /// Returns the value of a field, in one line.
    pub(crate) fn value(&self, field: &FormField, content: Content) -> (Role, String) {
        let form = &self.form;
        let text = |text: &str, empty: &str| {
            if text.is_empty() {
                (Role::Muted, empty.to_owned())
            } else {
                (Role::Text, text.to_owned())
            }
        };
        match field {
            FormField::Game => match self.game_line() {
                Some(game) => (Role::Text, format!("{} - {}", game.id, game.name)),
                None => text(&form.game, "none chosen"),
            },
            FormField::Topic => {
                let topic = form.topic.text();
                let first = topic.split_whitespace().collect::<Vec<_>>().join(" ");
                if first.is_empty() {
                    return (Role::Muted, "empty".to_owned());
                }
                let role = match content {
                    Content::Shown => Role::Text,
                    Content::Masked => Role::Masked,
                };
                (role, content.of(&first))
            }
            FormField::Dataset => match form.row.as_ref().filter(|_| form.is_row()) {
                Some(row) => (Role::Text, format!("{}, {}", form.dataset, row.id)),
                None => text(&form.dataset, "harmbench:FILE, xstest:FILE, own:FILE ..."),
            },
            FormField::Rows => {
                let of = self.form.available;
                let text = match self.form.rows {
                    RowSelection::One => "one row, played here".to_owned(),
                    RowSelection::Sample => format!("a sample of {of}, drawn by the seed"),
                    RowSelection::All => format!("all {of}"),
                };
                (Role::Text, text)
            }
            FormField::SampleSize => (Role::Text, form.sample.clone()),
            FormField::Documents => {
                let names: Vec<&str> = form.documents.iter().map(|one| one.name.as_str()).collect();
                text(&names.join(", "), "none")
            }
            FormField::Options => match content {
                Content::Masked if !form.options.is_empty() => {
                    (Role::Masked, content.of(&form.options))
                }
                Content::Shown | Content::Masked => text(&form.options, "none; part them by |"),
            },
            FormField::Reference => match content {
                Content::Masked if !form.reference.is_empty() => {
                    (Role::Masked, content.of(&form.reference))
                }
                Content::Shown | Content::Masked => text(&form.reference, "none"),
            },
            FormField::Everybody => match &form.everybody {
                Some(model) => self.sitter(model),
                None => match self.default_model() {
                    Some(model) => (Role::Muted, self.usual(model)),
                    None => (Role::Warning, "no model is chosen yet".to_owned()),
                },
            },
            FormField::Chair(chair) => match form.chairs.get(chair) {
                Some(model) => self.sitter(model),
                None => (Role::Muted, "as every seat".to_owned()),
            },
            FormField::Persona(seat) => match (form.personas.get(seat), content) {
                (Some(persona), Content::Masked) => (Role::Masked, content.of(persona)),
                (Some(persona), Content::Shown) => (Role::FromPersona, persona.clone()),
                (None, Content::Shown | Content::Masked) => {
                    (Role::Muted, "the game's own".to_owned())
                }
            },
            FormField::Setting(name) => match self.spec(name) {
                Some(spec) => {
                    let changed = form.settings.contains_key(name);
                    let role = if changed { Role::Accent } else { Role::Text };
                    (role, self.setting(name, spec))
                }
                None => (Role::Muted, String::new()),
            },
            FormField::Seed => (Role::Text, form.seed.clone()),
            FormField::Memory => match form.memory {
                MemoryShown::Lessons => (Role::Text, "lessons are shown".to_owned()),
                MemoryShown::Guardrails => (Role::Text, "guardrails refuse".to_owned()),
                MemoryShown::Both => (
                    Role::Text,
                    "lessons are shown, guardrails refuse".to_owned(),
                ),
                MemoryShown::Nothing => (Role::Text, "off".to_owned()),
            },
            FormField::Budget => text(&form.budget, "no ceiling"),
            FormField::Begin => (Role::Text, String::new()),
        }
    }

    /// Returns what a field is for, and what to press in it, with marks for keys.
    pub(crate) fn help(&self, field: &FormField) -> String {
        let enter = key(Action::Open);
        match field {
            FormField::Game => format!("{enter} chooses another game."),
            FormField::Topic => format!(
                "What the debate is about. {enter} writes here, a pasted text goes in; Esc or Tab \
                 leaves the text."
            ),
            FormField::Dataset => format!(
                "{enter} asks for KIND:FILE as --dataset takes it. One of its rows is played here; a \
                 sample of them, or all, as a run."
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
                format!("{enter} asks for a file to add; '-' takes the last one away.")
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
