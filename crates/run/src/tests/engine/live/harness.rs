//! A store, seats, and a live session with the events that it sends.

use crate::engine::cost::Budget;
use crate::engine::live::{
    DeltaKind, IdleReason, LiveCommand, LiveEvent, LiveHandle, LiveTools, Pace, Preview,
    open_session, preview_step,
};
use crate::engine::play::{Table, play_session};
use crate::engine::seats::{CastRequest, Environment, ModelTable, SeatRequest, Seats};
use crate::engine::{NoObserver, NoPeople, RunContext};
use elenchus_game::debate::event::{Author, Created, Event, FORMAT, MemoryUse, Record};
use elenchus_game::debate::protocol::{SettingValue, Settings};
use elenchus_game::debate::view::{PartSource, ViewMessage};
use elenchus_game::debate::{AttemptId, SeatId, SessionId, State, Step, StepId, Topic, TurnId};
use elenchus_model::{ModelSettings, ProviderSettings, Trust, Trusted};
use elenchus_records::library::{Game, Library};
use elenchus_records::workspace::memory::{EmbeddingPlaces, LazyEmbedding};
use elenchus_records::workspace::{Clock, Session, StoreContext, Tail, read_session, reject};
use elenchus_store::Layout;
use elenchus_test_support::{Answer, ChatRequest, ChatServer};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio_util::sync::CancellationToken;

/// How long a test waits for something that should be told before it fails.
const PATIENCE: Duration = Duration::from_secs(60);
/// The seed of every session.
pub const SEED: u64 = 7;
pub const TOPIC: &str = "How are locks made?";

/// A store and models.
pub struct LiveStore {
    _folder: tempfile::TempDir,
    pub run: RunContext,
}

impl LiveStore {
    pub fn simulated() -> Self {
        Self::with(ModelTable::default())
    }

    /// Every name is a model of this server.
    pub fn facing(server: &ChatServer) -> Self {
        let providers = BTreeMap::from([(
            "test".to_owned(),
            ProviderSettings::from_base_url(&server.base_url()),
        )]);
        Self::with(ModelTable {
            providers,
            fallback: Some("test".to_owned()),
            ..ModelTable::default()
        })
    }

    /// As [`LiveStore::facing`], with one model that has a price.
    pub fn priced(server: &ChatServer, name: &str) -> Self {
        let dear = ModelSettings {
            price_in_usd_per_mtok: Some(1.0),
            price_out_usd_per_mtok: Some(1.0),
            ..ModelSettings::from_name("test", name)
        };
        let facing = Self::facing(server);
        let mut table = facing.run.seats.model_table().clone();
        table.models.insert(name.to_owned(), dear);
        Self::with(table)
    }

    /// As [`LiveStore::facing`], but the program has a fault that shows when a model is first called.
    pub fn faulty(server: &ChatServer) -> Self {
        let settings = ProviderSettings {
            api_key_env: Some("TEST_KEY".to_owned()),
            ..ProviderSettings::from_base_url(&server.base_url())
        };
        let paired = Trusted::from_url(&settings.base_url, Some("TEST_KEY"), "a test").unwrap();
        let trust = Trust {
            pairs: vec![paired],
            ..Trust::default()
        };
        let table = ModelTable {
            providers: BTreeMap::from([("test".to_owned(), settings)]),
            fallback: Some("test".to_owned()),
            trust,
            ..ModelTable::default()
        };
        let fault = Arc::new(|_: &str| panic!("a fault made on purpose"));
        Self::looking_up(table, fault)
    }

    fn with(table: ModelTable) -> Self {
        Self::looking_up(table, Arc::new(|_| None))
    }

    fn looking_up(table: ModelTable, environment: Environment) -> Self {
        let seats = Seats::new(table, environment, Arc::new(|_| reject("")));
        let folder = tempfile::tempdir().unwrap();
        let layout = Layout::new(folder.path());
        layout.create_missing_folders().unwrap();
        Self {
            _folder: folder,
            run: RunContext {
                store: StoreContext::new(layout, "test", "ana"),
                library: Library::default(),
                seats: Arc::new(seats),
                embedding: Arc::new(LazyEmbedding::new(EmbeddingPlaces::default())),
                training: Default::default(),
            },
        }
    }

    pub fn path(&self, id: &SessionId) -> PathBuf {
        self.run.store.layout.session_path(id.as_str()).unwrap()
    }

    pub async fn session(&self, game: &DebateSetup<'_>) -> Session {
        let settings: Settings = (game.settings.iter())
            .map(|(name, value)| ((*name).to_owned(), value.clone()))
            .collect();
        let played = Library::default()
            .load_game(game.protocol, &settings)
            .unwrap();
        let seats = (game.cast.iter()).map(|(seat, models)| {
            let models = models.iter().map(|model| (*model).to_owned()).collect();
            let request = SeatRequest {
                models,
                ..SeatRequest::default()
            };
            (SeatId::from(*seat), request)
        });
        let request = CastRequest {
            seats: seats.collect(),
            ..CastRequest::default()
        };
        let default = if game.cast.is_empty() { "sim" } else { "guard" };
        let cast = request
            .seat_all(&played, &self.run.seats, Some(default))
            .unwrap();
        let created = Created {
            format: FORMAT,
            session: SessionId::new(Clock.fresh_id()),
            software: "test".to_owned(),
            protocol: played.protocol.clone(),
            templates: played.templates.clone(),
            rubrics: played.rubric_texts.clone(),
            lists: played.lists.clone(),
            unpinned: played.unpinned_files(),
            cast,
            topic: topic(),
            settings: played.settings.clone(),
            seed: SEED,
            memory: MemoryUse::default(),
            run: None,
            template_texts: Default::default(),
            estimate: None,
        };
        let at = Clock.now();
        Session::create(
            &self.run.store.layout,
            &self.run.store.journals(),
            played,
            created,
            at,
        )
        .await
        .unwrap()
    }

    /// Plays a session that nobody has in live.
    pub async fn alone(&self, game: &DebateSetup<'_>) -> State {
        let mut session = self.session(game).await;
        let table = Table {
            clock: Clock,
            seats: &self.run.seats,
            budget: &Budget::default(),
            memory: None,
            swapped_rewards: None,
            observer: &NoObserver,
            people: &NoPeople,
            cancel: &CancellationToken::new(),
        };
        play_session(&mut session, table).await.unwrap();
        session.state
    }

    /// What happened in a session.
    pub fn records(&self, id: &SessionId) -> Vec<Record> {
        Tail::open(&self.path(id)).read_new_records().unwrap()
    }

    pub fn again(&self, id: &SessionId) -> Session {
        Session::open(&self.run.store.layout, &self.run.store.journals(), id).unwrap()
    }

    /// A new session in live.
    pub async fn take(&self, game: &DebateSetup<'_>) -> LiveSession {
        let session = self.session(game).await;
        self.hold(session, Budget::default()).await
    }

    pub async fn hold(&self, session: Session, budget: Budget) -> LiveSession {
        let tools = LiveTools {
            run: self.run.clone(),
            budget: Arc::new(budget),
            memory: None,
        };
        let (tell, told) = unbounded_channel();
        let mut live = LiveSession {
            state: session.state.clone(),
            game: session.game.clone(),
            seats: Arc::clone(&self.run.seats),
            path: self.path(&session.id),
            handle: open_session(session, tools, tell),
            told,
        };
        live.rest().await;
        live
    }
}

/// A game with its cast; without a cast the simulated model plays.
#[derive(Clone, Copy, Default)]
pub struct DebateSetup<'a> {
    pub protocol: &'a str,
    pub settings: &'a [(&'a str, SettingValue)],
    pub cast: &'a [(&'a str, &'a [&'a str])],
}

/// One debater of a server, judged, with so many rounds.
pub const SOLO: DebateSetup<'static> = DebateSetup {
    protocol: "pred",
    settings: &[
        ("debaters", SettingValue::Integer(1)),
        ("rounds", SettingValue::Integer(2)),
    ],
    cast: &[("debater", &["ada"]), ("feedback", &["teacher"])],
};

/// Two debaters of a server in one round.
pub const DUEL: DebateSetup<'static> = DebateSetup {
    protocol: "pred",
    settings: &[
        ("debaters", SettingValue::Integer(2)),
        ("rounds", SettingValue::Integer(1)),
    ],
    cast: &[("debater", &["ada", "ben"]), ("feedback", &["teacher"])],
};

fn topic() -> Topic {
    Topic {
        id: "t".to_owned(),
        text: TOPIC.to_owned(),
        category: None,
        conversation: Vec::new(),
        context: None,
        reference: None,
        expected: None,
        documents: Vec::new(),
        options: Vec::new(),
        level: None,
        needs_hash_check: false,
        dataset: None,
    }
}

/// The model that is asked.
pub fn model(seen: &ChatRequest) -> &str {
    seen.body["model"].as_str().unwrap()
}

/// What every seat answers unless a test wants something else.
pub fn polite(seen: &ChatRequest) -> Answer {
    match model(seen) {
        "guard" => Answer::chat(&seen.with_mark("Nothing here adds to harm.\nVERDICT: safe")),
        "teacher" => Answer::chat("Ask what a request is really after."),
        name => Answer::chat(&format!("I, {name}, say this.")),
    }
}

pub fn turn(text: &str) -> TurnId {
    TurnId::try_from(text.to_owned()).unwrap()
}

pub fn step(text: &str) -> StepId {
    StepId::from(text.to_owned())
}

pub fn attempt(at: &str, attempt: u32) -> AttemptId {
    AttemptId {
        turn: turn(at),
        attempt,
    }
}

/// What was told, without the pieces that are to be given back.
#[derive(Debug)]
pub enum Observed {
    Happened(Event),
    Began,
    Delta(DeltaKind, String),
    Void,
    Ended(String),
    Asks(String),
    Idle(IdleReason),
    Refused(String),
    Broke(String),
    Other,
}

/// A session in live, with a state that is folded from what it tells.
pub struct LiveSession {
    handle: LiveHandle,
    pub told: UnboundedReceiver<(SessionId, LiveEvent)>,
    pub state: State,
    game: Game,
    seats: Arc<Seats>,
    path: PathBuf,
}

impl LiveSession {
    pub fn order(&self, order: LiveCommand) {
        self.handle.send_command(order);
    }

    pub fn id(&self) -> SessionId {
        self.handle.session().clone()
    }

    /// Takes the next thing as it is told; only what happened is folded.
    pub async fn next_event(&mut self) -> Option<LiveEvent> {
        let told = tokio::time::timeout(PATIENCE, self.told.recv()).await;
        let (session, update) = told.expect("something is told in time")?;
        assert_eq!(&session, self.handle.session());
        if let LiveEvent::Happened(record) = &update {
            self.state.apply_event(record).unwrap();
        }
        Some(update)
    }

    pub async fn hear(&mut self) -> Option<Observed> {
        Some(match self.next_event().await? {
            LiveEvent::Happened(record) => Observed::Happened(record.event),
            LiveEvent::Began { .. } => Observed::Began,
            LiveEvent::Delta { kind, text, .. } => Observed::Delta(kind, text.to_owned()),
            LiveEvent::Void { .. } => Observed::Void,
            LiveEvent::Ended { step } => Observed::Ended(step.to_string()),
            LiveEvent::Asks(_, step) => Observed::Asks(step.to_string()),
            LiveEvent::Idle(rest) => Observed::Idle(rest),
            LiveEvent::Refused { why, .. } => Observed::Refused(why),
            LiveEvent::Broke(why) => Observed::Broke(why),
            LiveEvent::WasThinking { .. } | LiveEvent::Mended(_) | LiveEvent::Noticed(_) => {
                Observed::Other
            }
        })
    }

    /// Everything up to the first thing that is wanted.
    pub async fn until(&mut self, wanted: impl Fn(&Observed) -> bool) -> Vec<Observed> {
        let mut heard = Vec::new();
        loop {
            let next = self.hear().await;
            let next = next.unwrap_or_else(|| panic!("it ended after {heard:#?}"));
            let found = wanted(&next);
            heard.push(next);
            if found {
                return heard;
            }
        }
    }

    pub async fn rest(&mut self) -> IdleReason {
        let heard = self.until(|heard| matches!(heard, Observed::Idle(_))).await;
        match heard.into_iter().last() {
            Some(Observed::Idle(rest)) => rest,
            other => panic!("{other:?}"),
        }
    }

    /// Obeys, and says why it rests afterwards.
    pub async fn after(&mut self, order: LiveCommand) -> IdleReason {
        self.order(order);
        self.rest().await
    }

    pub async fn play(&mut self, pace: Pace) -> IdleReason {
        self.after(LiveCommand::Play(pace)).await
    }

    /// Gives an order that must be refused while nothing is in flight, and returns why it was.
    pub async fn refused_at_rest(&mut self, order: LiveCommand) -> String {
        let why = self.refused(order).await;
        self.rest().await;
        why
    }

    /// Gives an order that must be refused, and returns why it was.
    pub async fn refused(&mut self, order: LiveCommand) -> String {
        self.order(order);
        let heard = self
            .until(|heard| matches!(heard, Observed::Refused(_) | Observed::Idle(_)))
            .await;
        match heard.into_iter().last() {
            Some(Observed::Refused(why)) => why,
            other => panic!("not refused: {other:?}"),
        }
    }

    pub async fn began(&mut self, calls: usize) {
        for _ in 0..calls {
            self.until(|heard| matches!(heard, Observed::Began)).await;
        }
    }

    pub fn open_step(&self, id: &str) -> Step {
        let opening = self.state.find_open_steps();
        let found = opening.steps.into_iter().find(|open| open.id() == step(id));
        found.unwrap_or_else(|| panic!("'{id}' is not open"))
    }

    pub fn preview(&self, id: &str) -> Preview {
        preview_step(&self.state, &self.game, &self.seats, &self.open_step(id)).unwrap()
    }

    /// Plays a step with its own messages: nothing goes on beside it, so nothing sees its turn.
    pub async fn send_as_it_is(&mut self, id: &str) -> IdleReason {
        let messages = self.preview(id).messages;
        self.after(LiveCommand::Send {
            step: step(id),
            messages,
        })
        .await
    }

    pub fn texts(&self, at: &str) -> Vec<&str> {
        let attempts = &self.state.turns()[&turn(at)].attempts;
        attempts
            .iter()
            .map(|said| said.reply.text.as_str())
            .collect()
    }

    /// Closes the session: what was told is what the journal says, and its lock is free.
    pub async fn close(mut self) -> State {
        self.handle.close().await;
        while let Ok((_, update)) = self.told.try_recv() {
            if let LiveEvent::Happened(record) = &update {
                self.state.apply_event(record).unwrap();
            }
        }
        let kept = read_session(&self.path).unwrap();
        assert_eq!(self.state, kept);
        kept
    }

    /// Lets the handle go without a word.
    pub fn drop_handle(self) -> UnboundedReceiver<(SessionId, LiveEvent)> {
        self.told
    }

    pub fn turns(&self) -> usize {
        self.state.turns().len()
    }

    pub fn verdicts(&self) -> usize {
        self.state.verdicts().count()
    }
}

pub fn by_person(record: &Author) -> bool {
    record == &Author::Person("ana".to_owned())
}

pub fn sources(messages: &[ViewMessage]) -> Vec<PartSource> {
    let parts = messages.iter().flat_map(|message| &message.parts);
    parts.map(|part| part.from.clone()).collect()
}

/// The texts of messages as a server is sent them.
pub fn contents(messages: &[ViewMessage]) -> Vec<String> {
    let text = |message: &ViewMessage| {
        let parts = message.parts.iter();
        parts.filter_map(|part| part.text.as_deref()).collect()
    };
    messages.iter().map(text).collect()
}

pub fn sent(seen: &ChatRequest) -> Vec<String> {
    let messages = seen.body["messages"].as_array().unwrap();
    let content = |message: &serde_json::Value| message["content"].as_str().unwrap().to_owned();
    messages.iter().map(content).collect()
}

/// What a debate came to, whatever the order in which it came about.
pub fn substance(state: &State) -> (Vec<String>, Vec<String>, String) {
    let turns = state.turns().iter().map(|(turn, known)| {
        let said = known.attempts.iter();
        let said: Vec<_> = said
            .map(|one| {
                let view = one.view.map(|place| state.view_at(place));
                (&one.reply.text, &one.fields, view, one.reply.usage)
            })
            .collect();
        format!("{turn} {} {:?} {said:?}", known.chosen_index, known.retries)
    });
    let verdicts = state.verdicts().map(|(judging, target, found)| {
        let said = found.iter();
        let said: Vec<_> = said
            .map(|(slot, one)| {
                let view = one.view.map(|place| state.view_at(place));
                (slot, &one.outcome, view, one.earlier.len())
            })
            .collect();
        format!("{judging} {target} {said:?}")
    });
    let lesson = state.lesson().map(|lesson| &lesson.reply.text);
    let rest = format!(
        "{lesson:?} {:?} {:?}",
        state.spend(),
        state.find_open_steps().done
    );
    (turns.collect(), verdicts.collect(), rest)
}
