//! Debate that is being set out: its draft, the library and the games that were read so far, and what is to be
//! read or estimated next. Pure: whoever holds it performs its tasks and hands back their results.

use super::{
    CostQuestion, DebateChoices, DebateDraft, DebateField, DebateList, PlayedRows, ReadyPlan,
    SetupResult, SetupTask, parse_columns,
};
use crate::engine::seats::{HUMAN, UnlistedModel};
use crate::engine::{DebatePlan, LibraryList, ModelLine};
use crate::experiments::run::RunPlan;
use elenchus_game::debate::protocol::SettingSpec;
use elenchus_game::debate::{Protocol, SessionId, Topic};
use elenchus_records::workspace::WorkspaceError;
use elenchus_text::Role;
use elenchus_text::safe_text::describe_with_causes;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The game that is chosen at first where none is configured; another one will do as well.
const USUAL_GAME: &str = "pred";

/// Source of the values that a debate is set out with.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum SetupSource {
    #[default]
    Nothing,
    /// The debate that was begun last.
    Last,
    Session(SessionId),
    /// The draft that was left.
    Draft,
}

/// What follows from a result, or from an item that was chosen.
#[derive(Debug, Clone)]
pub enum SetupStep {
    Nothing,
    /// This field is looked at next.
    Focus(DebateField),
    /// A list is to be chosen from.
    Choose(DebateList),
    /// This topic is to be taken.
    Take(Box<Topic>),
    Fail(String),
}

/// What beginning leads to.
#[derive(Debug, Clone)]
pub enum BeginStep {
    /// A field that is missing or wrong.
    Mend(DebateField, String),
    /// Nothing yet: this is being done first.
    Wait(&'static str),
    /// A question about names that no server lists.
    Ask(String),
    Debate(Box<DebatePlan>),
    Run(Box<RunPlan>),
}

/// A debate as far as it is set out.
#[derive(Debug, Clone, Default)]
pub struct DebateSetup {
    pub draft: DebateDraft,
    /// What it began with.
    pub(super) from: SetupSource,
    /// The session that it began with.
    pub(super) session: Option<SessionId>,
    pub(super) library: Arc<LibraryList>,
    /// Games that were read, or why they cannot be; `None` while one is read.
    pub(super) games: BTreeMap<String, Option<Result<Arc<Protocol>, WorkspaceError>>>,
    /// Faults that files and data sets report, by field.
    wrong: BTreeMap<DebateField, String>,
    /// The rows of the data set that was named.
    pub(super) topics: Arc<Vec<Topic>>,
    pub(super) ready_plan: Option<Result<ReadyPlan, WorkspaceError>>,
    /// Names that are on no list of their server, and that the person said are meant.
    confirmed_names: Vec<UnlistedModel>,
    /// Number of the latest question for the cost.
    question: u64,
    /// The question whose answer is about the draft as it is.
    open_question: Option<u64>,
    /// Number of documents and data sets that are being read.
    open_files: usize,
    tasks: Vec<SetupTask>,
    /// Somebody filled in something.
    pub(super) is_touched: bool,
    /// It was asked to begin: what is missing is an error from then on.
    is_begun: bool,
    /// Which rows are played once those of a draft's data set were read.
    pub(super) rows_again: Option<PlayedRows>,
    /// The cost is to be asked for.
    is_changed: bool,
}

impl DebateSetup {
    pub fn new(from: SetupSource) -> Self {
        let session = match &from {
            SetupSource::Session(id) => Some(id.clone()),
            SetupSource::Nothing | SetupSource::Last | SetupSource::Draft => None,
        };
        Self {
            from,
            session,
            ..Self::default()
        }
    }

    /// Begins with what was played last, unless it begins with a session.
    pub fn take_last_choices(&mut self, last: &DebateChoices) {
        if self.from == SetupSource::Nothing {
            self.draft.take_choices(last);
            self.from = SetupSource::Last;
        }
    }

    /// Asks for the session that it begins with, or for the game that was played last.
    pub fn request_source(&mut self) {
        match self.from.clone() {
            SetupSource::Session(id) => self.tasks.push(SetupTask::ReadSession(id)),
            SetupSource::Last => self.read_game(self.draft.game.clone()),
            SetupSource::Nothing | SetupSource::Draft => {}
        }
    }

    /// Says whether it begins with a session and the topic of that one.
    pub fn is_of_session(&self) -> bool {
        self.session.is_some()
    }

    /// Says whether a draft that was left came back.
    pub fn is_of_draft(&self) -> bool {
        self.from == SetupSource::Draft
    }

    /// Returns what is to be read or estimated since it was asked last.
    pub fn take_tasks(&mut self) -> Vec<SetupTask> {
        let mut tasks = std::mem::take(&mut self.tasks);
        if std::mem::take(&mut self.is_changed)
            && let Some(game) = self.current_game().cloned()
        {
            tasks.extend(self.ask_cost(game));
        }
        tasks
    }

    /// Asks for the cost; answers to earlier questions are stale.
    fn ask_cost(&mut self, game: Arc<Protocol>) -> Option<SetupTask> {
        self.question += 1;
        if self.needs_model() {
            (self.ready_plan, self.open_question) = (None, None);
            return None;
        }
        self.open_question = Some(self.question);
        let question = CostQuestion {
            draft: self.draft.clone(),
            game,
            default_model: self.default_model().map(str::to_owned),
        };
        Some(SetupTask::Estimate(self.question, Box::new(question)))
    }

    /// Says whether the cost that was worked out is that of the draft as it is.
    pub(super) fn is_counted(&self) -> bool {
        self.open_question.is_none() && !self.is_changed && self.open_files == 0
    }

    /// Takes note that a value is another one.
    pub fn note_change(&mut self) {
        self.is_changed = true;
    }

    /// Takes note that a person filled in something.
    pub fn note_touch(&mut self) {
        self.is_touched = true;
    }

    /// Takes the games and models there are; they come again when servers have answered.
    pub fn take_library(&mut self, library: Arc<LibraryList>) {
        let has_new_default = self.library.default_model != library.default_model;
        let has = |id: &str| library.games.iter().any(|game| game.id == id);
        let usual = library.default_protocol.clone();
        let usual = usual.or_else(|| has(USUAL_GAME).then(|| USUAL_GAME.to_owned()));
        let usual = usual.or_else(|| library.games.first().map(|game| game.id.clone()));
        let is_gone = match self.from {
            SetupSource::Nothing => self.draft.game.is_empty(),
            SetupSource::Last | SetupSource::Draft => !has(&self.draft.game),
            SetupSource::Session(_) => false,
        };
        self.library = library;
        match usual {
            Some(game) if is_gone => self.take_game(game),
            // A server has answered: the default model may have changed.
            Some(_) | None if has_new_default => self.note_change(),
            Some(_) | None => {}
        }
    }

    /// Chooses a game; it is read if that was not done yet.
    pub(super) fn take_game(&mut self, id: String) {
        if self.draft.game != id {
            self.draft.change_game(id.clone());
            self.from = SetupSource::Nothing;
            (self.ready_plan, self.open_question) = (None, None);
        }
        match self.games.get(&id) {
            Some(Some(_)) => self.note_change(),
            Some(None) | None => self.read_game(id),
        }
    }

    /// Asks for a game that was not read yet.
    pub(super) fn read_game(&mut self, id: String) {
        if !self.games.contains_key(&id) {
            self.games.insert(id.clone(), None);
            self.tasks.push(SetupTask::ReadGame(id));
        }
    }

    /// Takes the result of a task; returns what follows. What is about another data set, or about a question that
    /// is not the latest, says nothing about the draft as it is.
    pub fn take_result(&mut self, result: SetupResult) -> SetupStep {
        if let SetupResult::Rows(..) | SetupResult::Document(_) = result {
            self.open_files = self.open_files.saturating_sub(1);
        }
        match result {
            // A draft that was left has taken its place.
            SetupResult::Session(_) if self.from == SetupSource::Draft => {}
            SetupResult::Session(Ok(session)) => {
                let (choices, topic) = *session;
                self.draft.take_choices(&choices);
                self.read_game(choices.game);
                return SetupStep::Take(Box::new(topic));
            }
            SetupResult::Session(Err(why)) => {
                self.from = SetupSource::Nothing;
                self.take_library(Arc::clone(&self.library));
                return SetupStep::Fail(why.to_string());
            }
            SetupResult::Game(id, read) => {
                if id == self.draft.game {
                    self.note_change();
                }
                self.games.insert(id, Some(read));
            }
            SetupResult::Rows(source, rows) if source == self.draft.row_source() => match rows {
                Ok(topics) => {
                    self.draft.available = topics.len();
                    self.topics = topics;
                    if let Some(rows) = self.rows_again.take() {
                        self.play_rows(rows);
                        return SetupStep::Nothing;
                    }
                    return SetupStep::Choose(DebateList::Rows);
                }
                Err(why) => {
                    self.wrong
                        .insert(DebateField::Dataset, describe_with_causes(&why));
                }
            },
            SetupResult::Document(Ok(document)) => {
                self.draft.documents.push(document);
                self.note_change();
            }
            SetupResult::Document(Err(why)) => {
                self.wrong
                    .insert(DebateField::Documents, describe_with_causes(&why));
            }
            SetupResult::Estimate(number, answer) if self.open_question == Some(number) => {
                self.open_question = None;
                self.ready_plan = Some(answer);
            }
            SetupResult::Rows(..) | SetupResult::Estimate(..) => {}
        }
        SetupStep::Nothing
    }

    /// Takes a topic with all that belongs to it, and its text as it can be edited.
    pub fn take_topic(&mut self, topic: &Topic, text: String) {
        self.draft.take_topic(topic);
        self.draft.topic = text;
        self.note_change();
    }

    /// Takes in why it did not begin.
    pub fn take_refusal(&mut self, why: WorkspaceError) {
        self.ready_plan = Some(Err(why));
    }

    /// Takes a typed line of a field.
    pub(super) fn take_line(&mut self, field: &DebateField, text: &str) {
        self.wrong.remove(field);
        match field {
            DebateField::Dataset => {
                self.draft.set_value(field.clone(), text);
                // Another file has other columns.
                self.draft.set_value(DebateField::Columns, "");
                self.read_rows();
            }
            DebateField::Columns => {
                self.draft.set_value(field.clone(), text);
                self.wrong.remove(&DebateField::Dataset);
                self.read_rows();
            }
            DebateField::Documents => match text {
                "" => {}
                "-" => {
                    self.draft.documents.pop();
                    self.note_change();
                }
                path => self.read_file(SetupTask::ReadDocument(path.into())),
            },
            DebateField::Setting(name) => self.set_setting(name, text),
            field => {
                self.draft.set_value(field.clone(), text);
                self.note_change();
            }
        }
    }

    /// Asks for the rows of a draft's data set, of which these were to be played.
    pub(super) fn read_rows_again(&mut self, rows: PlayedRows) {
        self.read_rows();
        self.rows_again = Some(rows);
    }

    /// Asks for the rows of the data set; until they are there it has none.
    fn read_rows(&mut self) {
        self.draft.available = 0;
        self.draft.rows = PlayedRows::One;
        self.rows_again = None;
        let source = self.draft.row_source();
        match source.dataset.is_empty() || parse_columns(&source.columns).is_err() {
            true => self.note_change(),
            false => self.read_file(SetupTask::ReadRows(source)),
        }
    }

    /// Asks for a file; nothing begins before it is there.
    fn read_file(&mut self, task: SetupTask) {
        self.open_files += 1;
        self.tasks.push(task);
    }

    pub(super) fn set_setting(&mut self, name: &str, value: &str) {
        let spec = self.setting_spec(name).cloned();
        self.draft
            .set_setting(name.to_owned(), value, spec.as_ref());
        self.note_change();
    }

    /// Plays these rows from now on.
    pub(super) fn play_rows(&mut self, rows: PlayedRows) {
        self.draft.rows = rows;
        self.ready_plan = None;
        self.note_change();
    }

    /// Returns the debate that is set out, once its game was read.
    pub fn build_plan(&self) -> Option<DebatePlan> {
        Some(
            self.draft
                .build_plan(self.protocol()?, self.default_model()),
        )
    }

    /// Returns what beginning leads to: faults come first, what costs another amount than is shown waits until that is
    /// counted, and names that no server lists are asked about.
    pub fn begin_step(&mut self) -> BeginStep {
        self.is_begun = true;
        let faults = match self.is_counted() {
            true => self.collect_faults(),
            // What was found wrong with the draft before may be mended in this one.
            false => self.collect_own_faults(),
        };
        if let Some((field, fault)) = faults.into_iter().next() {
            let text = format!("{}: {fault}", self.field_name(&field).trim());
            return BeginStep::Mend(field, text);
        }
        let Some(plan) = self.build_plan() else {
            return BeginStep::Wait("reading the game");
        };
        if !self.is_counted() {
            return BeginStep::Wait("counting the cost");
        }
        if let Some(question) = self.name_question() {
            return BeginStep::Ask(question);
        }
        match self.draft.run_plan(plan.clone()) {
            Some(run) => BeginStep::Run(Box::new(run)),
            None => BeginStep::Debate(Box::new(plan)),
        }
    }

    /// Asks about names that no server lists and that were not confirmed yet. A name in the configuration is
    /// accepted even if the server does not list it.
    fn name_question(&self) -> Option<String> {
        let missing_models = match &self.ready_plan {
            Some(Ok(prepared)) => prepared.unlisted_models(),
            Some(Err(_)) | None => return None,
        };
        let mut doubtful = missing_models.iter().filter(|model| !model.is_configured);
        doubtful.find(|model| !self.confirmed_names.contains(model))?;
        let messages: Vec<String> = missing_models.iter().map(ToString::to_string).collect();
        Some(format!("{}. Begin all the same?", messages.join("; ")))
    }

    /// Takes that names are meant that are not listed.
    pub fn confirm_names(&mut self) {
        if let Some(Ok(prepared)) = &self.ready_plan {
            self.confirmed_names = prepared.unlisted_models().to_vec();
        }
    }

    /// Returns the game with its settings in place, as far as that is known.
    pub(super) fn protocol(&self) -> Option<&Protocol> {
        match &self.ready_plan {
            // A change of a setting may have changed the seats.
            Some(Ok(ready)) => Some(&ready.game().protocol),
            Some(Err(_)) | None => self.current_game().map(Arc::as_ref),
        }
    }

    /// Returns the game as it was read.
    fn current_game(&self) -> Option<&Arc<Protocol>> {
        self.games.get(&self.draft.game)?.as_ref()?.as_ref().ok()
    }

    pub(super) fn setting_spec(&self, name: &str) -> Option<&SettingSpec> {
        self.protocol()?.settings.get(name)
    }

    /// Returns the value of a setting: as typed, else as the game was prepared with it, where a rubric follows
    /// the evaluator.
    pub(super) fn setting_value(&self, name: &str, spec: &SettingSpec) -> String {
        let field = DebateField::Setting(name.to_owned());
        let game_value = match &self.ready_plan {
            Some(Ok(ready)) => ready.game().settings.get(name),
            Some(Err(_)) | None => None,
        };
        match game_value {
            _ if self.draft.has_value(&field) => self.draft.get(&field).to_owned(),
            Some(value) => value.to_string(),
            None => spec.default.to_string(),
        }
    }

    pub(super) fn default_model(&self) -> Option<&str> {
        self.library.default_model.as_deref()
    }

    /// Says whether a model must still be chosen: what can be chosen was read, and nothing is chosen for all seats.
    pub(super) fn needs_model(&self) -> bool {
        let Some(protocol) = self.protocol() else {
            return false;
        };
        let is_library_read = !self.library.games.is_empty();
        let is_usual =
            self.draft.has_value(&DebateField::Everybody) || self.default_model().is_some();
        is_library_read && !is_usual && !self.draft.names_all(protocol)
    }

    pub(super) fn find_model(&self, name: &str) -> Option<&ModelLine> {
        self.library.models.iter().find(|model| model.name == name)
    }

    /// Returns everything that is wrong, field by field.
    pub(super) fn collect_faults(&self) -> BTreeMap<DebateField, String> {
        let mut faults = self.collect_own_faults();
        if let Some(Err(why)) = &self.ready_plan
            && let Some(field) = self.find_named_field(why)
        {
            faults.entry(field).or_insert_with(|| why.to_string());
        }
        faults
    }

    /// Returns what is wrong with the draft as it is, as far as that is known before it is worked out.
    fn collect_own_faults(&self) -> BTreeMap<DebateField, String> {
        let mut faults = self.draft.find_faults(self.protocol());
        faults.extend(self.wrong.clone());
        if let Some(Some(Err(why))) = self.games.get(&self.draft.game) {
            faults.insert(DebateField::Game, describe_with_causes(why));
        }
        if self.needs_model() {
            let text = "choose a model (Enter lists them), or sim for a simulated debate";
            faults.insert(DebateField::Everybody, text.to_owned());
        }
        faults
    }

    /// Says whether a field is still to be filled in, where it has a fault.
    pub(super) fn is_missing(&self, field: &DebateField) -> bool {
        match field {
            DebateField::Topic => self.draft.topic.trim().is_empty(),
            DebateField::Game => self.draft.game.is_empty(),
            DebateField::Options => !self.draft.has_value(field),
            DebateField::Everybody => self.needs_model(),
            DebateField::Dataset
            | DebateField::Columns
            | DebateField::Rows
            | DebateField::SampleSize
            | DebateField::Documents
            | DebateField::Reference
            | DebateField::Chair(_)
            | DebateField::Persona(_)
            | DebateField::Setting(_)
            | DebateField::Seed
            | DebateField::Memory
            | DebateField::Budget
            | DebateField::Begin => false,
        }
    }

    /// Returns the look of a field's fault: nothing is an error before a person did something, and what is missing
    /// none before it was asked to begin.
    pub(super) fn fault_role(&self, field: &DebateField) -> Role {
        match self.is_begun || (self.is_touched && !self.is_missing(field)) {
            true => Role::Error,
            false => Role::Muted,
        }
    }

    /// Returns the look of why the game cannot be prepared: what is still missing may be the reason.
    pub(super) fn refusal_role(&self) -> Role {
        let mut fields = self.collect_faults().into_keys();
        let waits = fields.any(|field| self.is_missing(&field));
        match self.is_begun || (self.is_touched && !waits) {
            true => Role::Error,
            false => Role::Muted,
        }
    }

    /// Returns the field that an error is about.
    fn find_named_field(&self, error: &WorkspaceError) -> Option<DebateField> {
        let subjects = error.list_subjects();
        let is_subject = |name: &str| subjects.contains(&name);
        let mut fields = self.draft.list_fields(self.protocol()).into_iter();
        fields.find(|field| match field {
            DebateField::Setting(name) => is_subject(name),
            DebateField::Chair(chair) => {
                is_subject(chair.seat.as_str()) || is_subject(self.draft.get(field))
            }
            DebateField::Everybody => is_subject(self.draft.get(field)),
            DebateField::Topic
            | DebateField::Dataset
            | DebateField::Columns
            | DebateField::Rows
            | DebateField::SampleSize
            | DebateField::Game
            | DebateField::Documents
            | DebateField::Options
            | DebateField::Reference
            | DebateField::Persona(_)
            | DebateField::Seed
            | DebateField::Memory
            | DebateField::Budget
            | DebateField::Begin => false,
        })
    }
}

/// Says whether a participant is a person.
pub(super) fn is_person(name: &str) -> bool {
    name == HUMAN || name.starts_with("human:")
}
