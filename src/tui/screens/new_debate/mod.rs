//! New-debate screen: a game, a topic, the cast, the settings, and the cost.
//!
//! | file | content |
//! |---|---|
//! | `form` | values, their faults, and the plan they make |
//! | `fields` | name, value and help of each field |
//! | `ask` | overlays over the form |
//! | `row_choice` | choice of a data set's rows |
//! | `actions`, `typing`, `begin` | actions; typed keys; beginning, and what is asked before |
//! | `heard` | results of commands |
//! | `view`, `side_panel` | drawing |

mod actions;
mod ask;
mod begin;
mod fields;
mod form;
mod heard;
mod row_choice;
mod side_panel;
mod typing;
mod view;

use crate::debate::protocol::SettingSpec;
use crate::debate::{CostEstimate, Protocol, Topic};
use crate::engine::PreparedDebate;
use crate::engine::seats::UnlistedModel;
use crate::experiments::run::PreparedRun;
use crate::library::Game;
use crate::tui::app::{
    Deed, DrawContext, Effect, GameCard, GameLine, LibraryList, RunDeed, Screen, Ticket, Told,
};
use crate::tui::keys::{Action, Context};
use crate::tui::terminal::Paste;
use crate::tui::theme::Role;
use crate::tui::widgets::above_status;
use ask::Over;
use form::{FormField, NewDebateForm};
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::KeyEvent;
use ratatui::layout::{Position, Rect};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Key of the topic's draft.
const DRAFT: &str = "new-debate";

/// Debate or run that could begin with the form's values.
#[derive(Debug, Clone)]
enum ReadyPlan {
    Debate(Arc<PreparedDebate>),
    Run(Arc<PreparedRun>),
}

impl ReadyPlan {
    fn game(&self) -> &Game {
        match self {
            ReadyPlan::Debate(prepared) => &prepared.game,
            ReadyPlan::Run(prepared) => prepared.game(),
        }
    }

    fn estimate(&self) -> Option<&CostEstimate> {
        match self {
            ReadyPlan::Debate(prepared) => prepared.estimate(),
            ReadyPlan::Run(prepared) => prepared.estimate.as_ref(),
        }
    }

    fn unlisted(&self) -> &[UnlistedModel] {
        match self {
            ReadyPlan::Debate(prepared) => &prepared.unlisted,
            ReadyPlan::Run(prepared) => &prepared.unlisted,
        }
    }

    fn notices(&self) -> &[String] {
        match self {
            ReadyPlan::Debate(prepared) => &prepared.notices,
            ReadyPlan::Run(prepared) => &prepared.notices,
        }
    }
}

/// The screen on which a debate is set out.
pub struct NewDebate {
    form: NewDebateForm,
    focus: FormField,
    over: Over,
    library: Arc<LibraryList>,
    /// Games that were read, or why they cannot be.
    cards: BTreeMap<String, Result<Arc<GameCard>, String>>,
    /// Games that were asked for.
    reading: BTreeSet<String>,
    /// Faults that files and data sets report, by field.
    wrong: BTreeMap<FormField, String>,
    /// Names the latest question for the cost.
    ticket: Ticket,
    prepared: Option<Result<ReadyPlan, String>>,
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

    /// An empty form. [`NewDebate::show`] also asks for the library and the draft.
    pub fn new() -> Self {
        Self {
            form: NewDebateForm::default(),
            focus: FormField::Game,
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

    fn fields(&self) -> Vec<FormField> {
        self.form.fields(self.protocol())
    }

    fn spec(&self, name: &str) -> Option<&SettingSpec> {
        self.protocol()?.settings.get(name)
    }

    /// Returns the value of a setting: as typed, else as the game was prepared with it, where a
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

    /// Says whether a model must still be chosen: a server is configured and there is no default
    /// model.
    pub(super) fn needs_somebody(&self) -> bool {
        let Some(protocol) = self.protocol() else {
            return false;
        };
        let is_library_read = !self.library.games.is_empty();
        let usual = self.form.everybody.as_deref().or(self.default_model());
        is_library_read && usual.is_none() && !self.form.names_all(protocol)
    }

    /// Describes a participant that may be chosen.
    fn about(&self, name: &str) -> String {
        if name == crate::engine::seats::HUMAN {
            return "a person, at this terminal".to_owned();
        }
        let model = self.library.models.iter().find(|model| model.name == name);
        model.map(|model| model.about.clone()).unwrap_or_default()
    }

    fn sitter(&self, name: &str) -> (Role, String) {
        let is_person = name == crate::engine::seats::HUMAN || name.starts_with("human:");
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
    fn faults(&self) -> BTreeMap<FormField, String> {
        let mut faults = self.form.faults(self.protocol());
        faults.extend(self.wrong.clone());
        if let Some(Err(why)) = self.cards.get(&self.form.game) {
            faults.insert(FormField::Game, why.clone());
        }
        if self.needs_somebody() {
            let text = "choose a model (Enter lists them), or sim for a simulated debate";
            faults.insert(FormField::Everybody, text.to_owned());
        }
        if let Some(Err(why)) = &self.prepared
            && let Some(field) = self.named_in(why)
        {
            faults.entry(field).or_insert_with(|| why.clone());
        }
        faults
    }

    /// Returns the field that an error names between quotes.
    fn named_in(&self, why: &str) -> Option<FormField> {
        let quoted = |name: &str| why.contains(&format!("'{name}'"));
        self.fields().into_iter().find(|field| match field {
            FormField::Setting(name) => quoted(name),
            FormField::Chair(chair) => {
                quoted(chair.seat.as_str())
                    || self.form.chairs.get(chair).is_some_and(|name| quoted(name))
            }
            FormField::Everybody => self.form.everybody.as_deref().is_some_and(quoted),
            FormField::Persona(_)
            | FormField::Game
            | FormField::Topic
            | FormField::Dataset
            | FormField::Rows
            | FormField::SampleSize
            | FormField::Documents
            | FormField::Options
            | FormField::Reference
            | FormField::Seed
            | FormField::Memory
            | FormField::Budget
            | FormField::Begin => false,
        })
    }

    /// Asks for the cost of the debate; answers to earlier questions are ignored.
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

no_own_messages!(NewDebate);

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

    fn typed(&mut self, key: KeyEvent) -> Vec<Effect> {
        self.take_key(key)
    }

    fn pasted(&mut self, paste: &Paste) -> Vec<Effect> {
        self.take_paste(paste)
    }

    fn told(&mut self, told: &Told) -> Vec<Effect> {
        self.hear(told)
    }

    fn draw(
        &mut self,
        buffer: &mut Buffer,
        area: Rect,
        brush: DrawContext<'_>,
    ) -> Option<Position> {
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
