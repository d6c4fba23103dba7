//! A new debate: a game, a topic, who sits where, what is varied, and what it will cost.
//!
//! | file | what it is |
//! |---|---|
//! | `form` | what was filled in, what is wrong with it, the plan it makes |
//! | `rows` | each field's name, value and help |
//! | `ask` | what lies over the form |
//! | `row_choice` | which rows of a data set are played |
//! | `acts`, `heard` | what keys do; what came of deeds |
//! | `paint`, `detail` | drawing |

mod acts;
mod ask;
mod detail;
mod form;
mod heard;
mod paint;
mod row_choice;
mod rows;

use crate::debate::protocol::SettingSpec;
use crate::debate::{Estimate, Protocol, Topic};
use crate::driver::desk::{Prepared, PreparedRun};
use crate::driver::{Game, UnlistedModel};
use crate::tui::app::{
    Brush, Deed, Effect, GameCard, GameLine, LibraryList, RunDeed, Screen, Ticket, Told,
};
use crate::tui::input::{Key, Paste};
use crate::tui::keys::{Action, Context};
use crate::tui::parts::above_status;
use crate::tui::theme::Role;
use ask::Over;
use form::{Field, Form};
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Where the draft of the topic is kept.
const DRAFT: &str = "new-debate";

/// What could begin as the form stands.
#[derive(Debug, Clone)]
enum Ready {
    Debate(Arc<Prepared>),
    Run(Arc<PreparedRun>),
}

impl Ready {
    fn game(&self) -> &Game {
        match self {
            Ready::Debate(prepared) => &prepared.game,
            Ready::Run(prepared) => prepared.game(),
        }
    }

    fn estimate(&self) -> Option<&Estimate> {
        match self {
            Ready::Debate(prepared) => prepared.estimate(),
            Ready::Run(prepared) => prepared.estimate.as_ref(),
        }
    }

    fn unlisted(&self) -> &[UnlistedModel] {
        match self {
            Ready::Debate(prepared) => &prepared.unlisted,
            Ready::Run(prepared) => &prepared.unlisted,
        }
    }

    fn notices(&self) -> &[String] {
        match self {
            Ready::Debate(prepared) => &prepared.notices,
            Ready::Run(prepared) => &prepared.notices,
        }
    }
}

/// The screen on which a debate is set out.
pub struct NewDebate {
    form: Form,
    focus: Field,
    over: Over,
    library: Arc<LibraryList>,
    /// Games that were read, or why they cannot be.
    cards: BTreeMap<String, Result<Arc<GameCard>, String>>,
    /// Games that were asked for.
    reading: BTreeSet<String>,
    /// What files and data sets had to say against a field.
    wrong: BTreeMap<Field, String>,
    /// Names the latest question for the cost.
    ticket: Ticket,
    prepared: Option<Result<Ready, String>>,
    /// Names that are on no list of their server, and that the person said are meant.
    meant: Vec<UnlistedModel>,
    /// The rows of the data set that was named.
    topics: Arc<Vec<Topic>>,
    /// The debate was asked to begin.
    beginning: bool,
}

impl NewDebate {
    /// Returns what shows an empty form.
    pub fn show() -> Vec<Effect> {
        vec![
            Effect::Show(Box::new(Self::new())),
            Effect::Do(Deed::Library),
            Effect::Do(Deed::FindDraft(DRAFT.to_owned())),
        ]
    }

    /// An empty form. Whoever shows it asks for the library and the draft, as [`NewDebate::show`]
    /// does.
    pub fn new() -> Self {
        Self {
            form: Form::default(),
            focus: Field::Game,
            over: Over::Nothing,
            library: Arc::default(),
            cards: BTreeMap::new(),
            reading: BTreeSet::new(),
            wrong: BTreeMap::new(),
            ticket: Ticket::default(),
            prepared: None,
            meant: Vec::new(),
            topics: Arc::default(),
            beginning: false,
        }
    }

    /// Returns the game with its settings in place, as far as that is known.
    fn protocol(&self) -> Option<&Protocol> {
        match &self.prepared {
            // A change of a setting may have changed the seats.
            Some(Ok(ready)) => Some(&ready.game().protocol),
            Some(Err(_)) | None => match self.cards.get(&self.form.game)? {
                Ok(card) => Some(&card.protocol),
                Err(_) => None,
            },
        }
    }

    fn fields(&self) -> Vec<Field> {
        self.form.fields(self.protocol())
    }

    fn spec(&self, name: &str) -> Option<&SettingSpec> {
        self.protocol()?.settings.get(name)
    }

    /// Returns a setting as it stands: as it was typed, else as the game was prepared with it, where a
    /// rubric follows the evaluator.
    fn setting(&self, name: &str, spec: &SettingSpec) -> String {
        let prepared = match &self.prepared {
            Some(Ok(ready)) => ready.game().settings.get(name),
            Some(Err(_)) | None => None,
        };
        match prepared {
            Some(value) if !self.form.settings.contains_key(name) => value.to_string(),
            Some(_) | None => self.form.setting(name, spec),
        }
    }

    fn game_line(&self) -> Option<&GameLine> {
        self.library
            .games
            .iter()
            .find(|game| game.id == self.form.game)
    }

    fn default_model(&self) -> Option<&str> {
        self.library.default_model.as_deref()
    }

    /// Whether somebody must still be chosen: a server is there, and nobody sits where nobody is named.
    pub(super) fn needs_somebody(&self) -> bool {
        let Some(protocol) = self.protocol() else {
            return false;
        };
        let is_library_read = !self.library.games.is_empty();
        let usual = self.form.everybody.as_deref().or(self.default_model());
        is_library_read && usual.is_none() && !self.form.names_all(protocol)
    }

    /// Returns what is known of somebody who may sit on a chair.
    fn about(&self, name: &str) -> String {
        if name == crate::driver::HUMAN {
            return "a person, at this terminal".to_owned();
        }
        let model = self.library.models.iter().find(|model| model.name == name);
        model.map(|model| model.about.clone()).unwrap_or_default()
    }

    fn sitter(&self, name: &str) -> (Role, String) {
        let is_person = name == crate::driver::HUMAN || name.starts_with("human:");
        let model = self.library.models.iter().find(|model| model.name == name);
        let role = match model {
            Some(model) if model.simulated => Role::Simulated,
            Some(_) | None if is_person => Role::Human,
            Some(_) | None => Role::Text,
        };
        let about = self.about(name);
        if about.is_empty() {
            (role, name.to_owned())
        } else {
            (role, format!("{name} - {about}"))
        }
    }

    /// Returns everything that is wrong, field by field.
    fn faults(&self) -> BTreeMap<Field, String> {
        let mut faults = self.form.faults(self.protocol());
        faults.extend(self.wrong.clone());
        if let Some(Err(why)) = self.cards.get(&self.form.game) {
            faults.insert(Field::Game, why.clone());
        }
        if self.needs_somebody() {
            let text = "choose a model (Enter lists them), or sim for a simulated debate";
            faults.insert(Field::Everybody, text.to_owned());
        }
        if let Some(Err(why)) = &self.prepared
            && let Some(field) = self.named_in(why)
        {
            faults.entry(field).or_insert_with(|| why.clone());
        }
        faults
    }

    /// Returns the field that an error names between quotes.
    fn named_in(&self, why: &str) -> Option<Field> {
        let quoted = |name: &str| why.contains(&format!("'{name}'"));
        self.fields().into_iter().find(|field| match field {
            Field::Setting(name) => quoted(name),
            Field::Chair(chair) => {
                quoted(chair.seat.as_str())
                    || self.form.chairs.get(chair).is_some_and(|name| quoted(name))
            }
            Field::Everybody => self.form.everybody.as_deref().is_some_and(quoted),
            Field::Persona(_)
            | Field::Game
            | Field::Topic
            | Field::Dataset
            | Field::Rows
            | Field::SampleSize
            | Field::Documents
            | Field::Options
            | Field::Reference
            | Field::Seed
            | Field::Memory
            | Field::Budget
            | Field::Begin => false,
        })
    }

    /// Asks what the debate would cost as it stands; answers to earlier questions count no more.
    fn prepare(&mut self) -> Vec<Effect> {
        self.ticket = Ticket(self.ticket.0 + 1);
        if self.needs_somebody() {
            self.prepared = None;
            return Vec::new();
        }
        let Some(Ok(card)) = self.cards.get(&self.form.game) else {
            return Vec::new();
        };
        let protocol = self.protocol().unwrap_or(&card.protocol);
        let deed = match self.form.run_plan(protocol, self.default_model()) {
            Some(run) => Deed::Run(RunDeed::Prepare(self.ticket, Box::new(run))),
            None => {
                let plan = self.form.plan(protocol, self.default_model());
                Deed::Prepare(self.ticket, Box::new(plan))
            }
        };
        vec![Effect::Do(deed)]
    }
}

impl Default for NewDebate {
    fn default() -> Self {
        Self::new()
    }
}

impl Screen for NewDebate {
    fn context(&self) -> Context {
        Context::NewDebate
    }

    fn is_typing(&self) -> bool {
        self.over.is_typing()
    }

    fn act(&mut self, action: Action) -> Vec<Effect> {
        self.answer(action)
    }

    fn typed(&mut self, key: Key) -> Vec<Effect> {
        self.take_key(key)
    }

    fn pasted(&mut self, paste: &Paste) -> Vec<Effect> {
        self.take_paste(paste)
    }

    fn told(&mut self, told: &Told) -> Vec<Effect> {
        self.hear(told)
    }

    fn draw(&mut self, buffer: &mut Buffer, area: Rect, brush: Brush<'_>) -> Option<Position> {
        self.paint(buffer, above_status(area), brush)
    }

    fn status(&self) -> String {
        if self.beginning {
            return "beginning".to_owned();
        }
        match self.faults().len() {
            0 if self.protocol().is_none() => "reading the game".to_owned(),
            0 => "ready to begin".to_owned(),
            1 => "1 field is missing or wrong".to_owned(),
            many => format!("{many} fields are missing or wrong"),
        }
    }

    fn hints(&self) -> Vec<Action> {
        if self.is_typing() {
            return Vec::new();
        }
        vec![
            Action::Open,
            Action::Down,
            Action::Up,
            Action::Right,
            Action::Bottom,
            Action::Back,
            Action::Help,
        ]
    }
}
