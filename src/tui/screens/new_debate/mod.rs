//! New-debate screen: a game, a topic, the cast, the settings, and the cost.
//!
//! | file | content |
//! |---|---|
//! | `fields` | name, value, kind and help of each field |
//! | `chooser` | lists over the form: games, models, rows |
//! | `actions`, `typing` | actions; typed keys and pasted text |
//! | `begin` | what could begin, and beginning it |
//! | `tasks` | what is read, estimated and begun in the background |
//! | `view`, `side_panel` | drawing |

mod actions;
mod begin;
mod chooser;
mod fields;
mod side_panel;
mod tasks;
mod typing;
mod view;

use crate::debate::protocol::SettingSpec;
use crate::debate::{Document, Protocol, SessionId, Topic};
use crate::engine::DebatePlan;
use crate::engine::seats::{HUMAN, UnlistedModel};
use crate::engine::{LibraryList, ModelLine};
use crate::experiments::BackgroundEvent;
use crate::experiments::debate_draft::{DebateChoices, DebateDraft, DebateField, ReadyPlan};
use crate::terminal::Paste;
use crate::tui::app::{
    Broadcast, DrawContext, Effect, RunEvent, Screen, Ticket, UiState, Update, fail, say,
};
use crate::tui::keys::{Action, Context};
use crate::tui::popups::Dialog;
use crate::tui::widgets::{Editor, FieldKind, Form};
use crate::workspace::{Draft, Opened};
use chooser::Choice;
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::KeyEvent;
use ratatui::layout::{Position, Rect};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Key of the topic's draft.
const DRAFT: &str = "new-debate";
/// The game that is chosen at first where none is configured; another one will do as well.
const USUAL_GAME: &str = "pred";

/// The screen on which a debate is set out.
pub struct NewDebate {
    draft: DebateDraft,
    /// The editor of its topic.
    topic: Editor,
    rows: Form<DebateField>,
    /// The topic is being written.
    is_writing: bool,
    over: Option<Dialog<Choice>>,
    /// What the form began with.
    from: Source,
    library: Arc<LibraryList>,
    /// Games that were read, or why they cannot be; `None` while one is read.
    games: BTreeMap<String, Option<Result<Arc<Protocol>, String>>>,
    /// Faults that files and data sets report, by field.
    wrong: BTreeMap<DebateField, String>,
    /// Names the latest question for the cost.
    ticket: Ticket,
    prepared: Option<Result<ReadyPlan, String>>,
    /// Names that are on no list of their server, and that the person said are meant.
    meant: Vec<UnlistedModel>,
    /// The rows of the data set that was named.
    topics: Arc<Vec<Topic>>,
    /// The debate was asked to begin.
    beginning: bool,
    /// What the debate that began was played with.
    begun: Option<DebateChoices>,
}

/// Source of the values that a form begins with.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Source {
    Nothing,
    /// The debate that was begun last.
    Last,
    Session(SessionId),
}

/// Result of a task of this screen.
pub enum Message {
    /// Games and models; again when servers have answered.
    Library(Arc<LibraryList>),
    Game(String, Result<Arc<Protocol>, String>),
    /// What a session was played with, and its topic.
    Session(Result<Box<(DebateChoices, Topic)>, String>),
    /// The topic that was written last and not used.
    Draft(Draft),
    /// The topics of a data set, by how it was named.
    Rows(String, Result<Arc<Vec<Topic>>, String>),
    Document(Result<Document, String>),
    Prepared(Ticket, Result<ReadyPlan, String>),
    Begun(Result<(SessionId, Arc<Opened>), String>),
}

impl NewDebate {
    /// Shows a form that begins with what was played last, or with what a session was played with.
    pub fn show(like: Option<SessionId>) -> Vec<Effect> {
        let from = like.map_or(Source::Nothing, Source::Session);
        vec![Effect::Show(Box::new(Self {
            from,
            ..Self::default()
        }))]
    }

    /// Returns the debate that the form describes, once its game was read.
    pub fn plan(&self) -> Option<DebatePlan> {
        Some(self.draft.plan(self.protocol()?, self.default_model()))
    }

    /// Returns the game with its settings in place, as far as that is known.
    fn protocol(&self) -> Option<&Protocol> {
        match &self.prepared {
            // A change of a setting may have changed the seats.
            Some(Ok(ready)) => Some(&ready.game().protocol),
            Some(Err(_)) | None => self.game().map(Arc::as_ref),
        }
    }

    /// Returns the game as it was read.
    fn game(&self) -> Option<&Arc<Protocol>> {
        self.games.get(&self.draft.game)?.as_ref()?.as_ref().ok()
    }

    fn fields(&self) -> Vec<DebateField> {
        self.draft.fields(self.protocol())
    }

    fn spec(&self, name: &str) -> Option<&SettingSpec> {
        self.protocol()?.settings.get(name)
    }

    /// Returns the value of a setting: as typed, else as the game was prepared with it, where a
    /// rubric follows the evaluator.
    fn setting(&self, name: &str, spec: &SettingSpec) -> String {
        let field = DebateField::Setting(name.to_owned());
        let prepared = match &self.prepared {
            Some(Ok(ready)) => ready.game().settings.get(name),
            Some(Err(_)) | None => None,
        };
        match prepared {
            _ if self.draft.has(&field) => self.draft.get(&field).to_owned(),
            Some(value) => value.to_string(),
            None => spec.default.to_string(),
        }
    }

    fn default_model(&self) -> Option<&str> {
        self.library.default_model.as_deref()
    }

    /// Says whether a model must still be chosen: a server is configured and there is no default
    /// model.
    fn needs_somebody(&self) -> bool {
        let Some(protocol) = self.protocol() else {
            return false;
        };
        let is_library_read = !self.library.games.is_empty();
        let is_usual = self.draft.has(&DebateField::Everybody) || self.default_model().is_some();
        is_library_read && !is_usual && !self.draft.names_all(protocol)
    }

    fn model(&self, name: &str) -> Option<&ModelLine> {
        self.library.models.iter().find(|model| model.name == name)
    }

    /// Describes a participant that may be chosen.
    fn about(&self, name: &str) -> String {
        match (name, self.model(name), &self.library.any_model_of) {
            (HUMAN, ..) => "a person, at this terminal".to_owned(),
            (_, Some(model), _) => model.about.clone(),
            (name, None, _) if is_person(name) => "a person".to_owned(),
            (_, None, Some(address)) => format!("as a model of {address}"),
            (_, None, None) => String::new(),
        }
    }

    /// Returns everything that is wrong, field by field.
    fn faults(&self) -> BTreeMap<DebateField, String> {
        let mut faults = self.draft.faults(self.protocol());
        faults.extend(self.wrong.clone());
        if let Some(Some(Err(why))) = self.games.get(&self.draft.game) {
            faults.insert(DebateField::Game, why.clone());
        }
        if self.needs_somebody() {
            let text = "choose a model (Enter lists them), or sim for a simulated debate";
            faults.insert(DebateField::Everybody, text.to_owned());
        }
        if let Some(Err(why)) = &self.prepared
            && let Some(field) = self.named_in(why)
        {
            faults.entry(field).or_insert_with(|| why.clone());
        }
        faults
    }

    /// Returns the field that an error names between quotes.
    fn named_in(&self, why: &str) -> Option<DebateField> {
        let quoted = |name: &str| why.contains(&format!("'{name}'"));
        self.fields().into_iter().find(|field| match field {
            DebateField::Setting(name) => quoted(name),
            DebateField::Chair(chair) => {
                quoted(chair.seat.as_str()) || quoted(self.draft.get(field))
            }
            DebateField::Everybody => quoted(self.draft.get(field)),
            _ => false,
        })
    }

    fn take_library(&mut self, library: Arc<LibraryList>) -> Vec<Effect> {
        let is_changed = self.library.default_model != library.default_model;
        let has = |id: &str| library.games.iter().any(|game| game.id == id);
        let usual = library.default_protocol.clone();
        let usual = usual.or_else(|| has(USUAL_GAME).then(|| USUAL_GAME.to_owned()));
        let usual = usual.or_else(|| library.games.first().map(|game| game.id.clone()));
        let is_gone = match self.from {
            Source::Nothing => self.draft.game.is_empty(),
            Source::Last => !has(&self.draft.game),
            Source::Session(_) => false,
        };
        self.library = library;
        match usual {
            Some(game) if is_gone => self.take_game(game),
            // A server has answered: the default model may have changed.
            Some(_) | None if is_changed => self.prepare(),
            Some(_) | None => Vec::new(),
        }
    }

    /// Takes a game; it is read if that was not done yet.
    fn take_game(&mut self, id: String) -> Vec<Effect> {
        if self.draft.game != id {
            self.draft.change_game(id.clone());
            self.from = Source::Nothing;
            self.prepared = None;
        }
        match self.games.get(&id) {
            Some(Some(_)) => self.prepare(),
            Some(None) | None => self.read_game(id),
        }
    }

    /// Asks for a game that was not read yet.
    fn read_game(&mut self, id: String) -> Vec<Effect> {
        if self.games.contains_key(&id) {
            return Vec::new();
        }
        self.games.insert(id.clone(), None);
        vec![Effect::Start(tasks::read_game(id))]
    }

    fn take_session(&mut self, choices: &DebateChoices, topic: &Topic) -> Vec<Effect> {
        self.draft.take_choices(choices);
        let mut effects = self.take_topic(topic);
        effects.extend(self.read_game(choices.game.clone()));
        effects
    }

    fn take_topic(&mut self, topic: &Topic) -> Vec<Effect> {
        match Editor::open(&topic.text) {
            Ok(editor) => {
                self.draft.take_topic(topic);
                self.open_topic(editor);
                self.prepare()
            }
            Err(why) => fail(why.to_string()),
        }
    }

    fn open_topic(&mut self, editor: Editor) {
        self.draft.topic = editor.text();
        self.topic = editor;
    }

    fn take_draft(&mut self, text: &str) -> Vec<Effect> {
        match Editor::open(text) {
            Ok(editor) if self.topic.is_empty() && !text.is_empty() => {
                self.open_topic(editor);
            }
            Ok(_) | Err(_) => return Vec::new(),
        }
        let said = "this is the topic that you were writing last time";
        let mut effects = say(said);
        effects.extend(self.prepare());
        effects
    }
}

fn is_person(name: &str) -> bool {
    name == HUMAN || name.starts_with("human:")
}

impl Default for NewDebate {
    /// An empty form.
    fn default() -> Self {
        Self {
            draft: DebateDraft::default(),
            topic: Editor::default(),
            rows: Form::at(DebateField::Game),
            is_writing: false,
            over: None,
            from: Source::Nothing,
            library: Arc::default(),
            games: BTreeMap::new(),
            wrong: BTreeMap::new(),
            ticket: Ticket::default(),
            prepared: None,
            meant: Vec::new(),
            topics: Arc::default(),
            beginning: false,
            begun: None,
        }
    }
}

impl Update for NewDebate {
    type Message = Message;

    fn update(&mut self, message: Message) -> Vec<Effect> {
        match message {
            Message::Library(library) => self.take_library(library),
            Message::Game(id, read) => {
                let is_shown = id == self.draft.game;
                self.games.insert(id, Some(read));
                match is_shown {
                    true => self.prepare(),
                    false => Vec::new(),
                }
            }
            Message::Session(Ok(session)) => self.take_session(&session.0, &session.1),
            Message::Session(Err(why)) => {
                self.from = Source::Nothing;
                let mut effects = fail(why);
                effects.extend(self.take_library(Arc::clone(&self.library)));
                effects
            }
            Message::Draft(draft) => self.take_draft(&draft.text),
            Message::Rows(name, rows) if name == self.draft.get(&DebateField::Dataset) => {
                match rows {
                    Ok(topics) => {
                        self.draft.available = topics.len();
                        self.topics = topics;
                        self.choose_rows();
                    }
                    Err(why) => drop(self.wrong.insert(DebateField::Dataset, why)),
                }
                Vec::new()
            }
            Message::Document(Ok(document)) => {
                self.draft.documents.push(document);
                self.prepare()
            }
            Message::Document(Err(why)) => {
                self.wrong.insert(DebateField::Documents, why);
                Vec::new()
            }
            // An answer to an older question says nothing about the form as it is.
            Message::Prepared(ticket, result) if ticket == self.ticket => {
                self.prepared = Some(result);
                Vec::new()
            }
            Message::Rows(..) | Message::Prepared(..) => Vec::new(),
            Message::Begun(result) => self.has_begun(result),
        }
    }
}

impl Screen for NewDebate {
    fn context(&self) -> Context {
        Context::NewDebate
    }

    fn recall(&mut self, kept: &UiState) {
        if let (Source::Nothing, Some(last)) = (&self.from, &kept.last_debate) {
            self.draft.take_choices(last);
            self.from = Source::Last;
        }
    }

    fn opened(&mut self) -> Vec<Effect> {
        let mut effects = vec![Effect::Start(tasks::read_library())];
        match self.from.clone() {
            Source::Session(id) => effects.push(Effect::Start(tasks::read_session(id))),
            Source::Last => effects.extend(self.read_game(self.draft.game.clone())),
            Source::Nothing => {}
        }
        if !matches!(self.from, Source::Session(_)) {
            effects.push(Effect::Start(tasks::find_draft()));
        }
        effects
    }

    fn is_typing(&self) -> bool {
        self.is_writing || self.rows.is_typing() || self.over.is_some()
    }

    fn takes(&mut self, key: KeyEvent) -> Option<Vec<Effect>> {
        self.begins_typing(key)
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

    fn notice(&mut self, news: &Broadcast) -> Vec<Effect> {
        match news {
            Broadcast::Run(RunEvent::Played(BackgroundEvent::Began(began)))
                if std::mem::take(&mut self.beginning) =>
            {
                match began {
                    Ok(_) => {
                        self.begun = Some(self.draft.choices());
                        vec![Effect::Leave]
                    }
                    // The workbench says it; the form stays as it is.
                    Err(_) => Vec::new(),
                }
            }
            Broadcast::Run(_) | Broadcast::Live(..) => Vec::new(),
        }
    }

    fn draw(
        &mut self,
        buffer: &mut Buffer,
        area: Rect,
        brush: DrawContext<'_>,
    ) -> Option<Position> {
        self.paint(buffer, area, brush)
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
        if self.kind(&self.rows.focus) == FieldKind::Text {
            // Letters are text here.
            return vec![Action::Open, Action::FocusNext, Action::Back, Action::Help];
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

    fn keep(&self, kept: &mut UiState) {
        if let Some(begun) = &self.begun {
            kept.last_debate = Some(begun.clone());
        }
    }
}
