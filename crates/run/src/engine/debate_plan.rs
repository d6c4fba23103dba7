//! Plan of one debate: from the request to the first event.

use super::seats::CastRequest;
use super::seats::GameForCast;
use super::seats::Seats;
use super::seats::UnlistedModel;
use super::setup::{
    Attendance, DebateInputs, GamePlan, MemoryShown, SeatedGame, SeatingPlan, add_guardrails,
};
use elenchus_game::debate::event::Created;
use elenchus_game::debate::protocol::Settings;
use elenchus_game::debate::{CostEstimate, SeatId, Topic};
use elenchus_records::library::Game;
use elenchus_records::library::Library;
use elenchus_records::library::SelfJudging;
use elenchus_records::workspace::Session;
use elenchus_records::workspace::StoreContext;
use elenchus_records::workspace::WorkspaceError;
use elenchus_records::workspace::memory::DEFAULT_NAMESPACE;

/// The seat whose number of models says how many chairs it has.
const DEBATER: &str = "debater";

/// Requested debate.
#[derive(Debug, Clone)]
pub struct DebatePlan {
    /// A protocol's id, or the path of its file or folder.
    pub protocol: String,
    pub settings: Settings,
    /// Replaces the setting of that name.
    pub rounds: Option<u32>,
    pub cast: CastRequest,
    pub topic: Topic,
    pub seed: u64,
    pub shown: MemoryShown,
    /// The namespace of long-term memory.
    pub namespace: String,
    /// Ceiling, in US dollars.
    pub budget_usd: Option<f64>,
}

/// Debate that can begin: everything is checked that can be checked without cost.
#[derive(Debug, Clone)]
pub struct PreparedDebate {
    pub game: Game,
    pub created: Created,
    /// Notices to show before it begins.
    pub notices: Vec<String>,
    /// Models that their server does not list, as far as its list is known.
    pub unlisted_models: Vec<UnlistedModel>,
}

impl DebatePlan {
    /// Plans a debate about a topic as the protocol and the configuration have it.
    pub fn new(protocol: impl Into<String>, topic: Topic) -> Self {
        Self {
            protocol: protocol.into(),
            settings: Settings::new(),
            rounds: None,
            cast: CastRequest::default(),
            topic,
            seed: 0,
            shown: MemoryShown::Nothing,
            namespace: DEFAULT_NAMESPACE.to_owned(),
            budget_usd: None,
        }
    }

    /// Reads the game, fills the seats and estimates the cost; contacts and creates nothing.
    /// `default_model` fills seats that the plan leaves open. Blocks while it reads files.
    ///
    /// # Errors
    /// When the game cannot be played, a seat or model does not exist, a model cannot be called or
    /// has no price under a ceiling, or the topic offers too few options.
    pub fn prepare(
        &self,
        store: &StoreContext,
        library: &Library,
        seats: &Seats,
        default_model: Option<&str>,
    ) -> Result<PreparedDebate, WorkspaceError> {
        let (seated_game, notices) = self.seat_game(store, library, seats, default_model)?;
        let debate = DebateInputs {
            topic: self.topic.clone(),
            seed: self.seed,
            memory: seated_game
                .memory_use(self.shown, &self.namespace)?
                .with_guard_examples(store.recorded_examples()),
        };
        Ok(PreparedDebate {
            created: seated_game.single_debate(&store.layout, store.clock, debate)?,
            game: seated_game.game,
            unlisted_models: Vec::new(),
            notices,
        })
    }

    /// Reads the game and fills the seats; also returns the notices to show.
    pub(crate) fn seat_game(
        &self,
        store: &StoreContext,
        library: &Library,
        seats: &Seats,
        default_model: Option<&str>,
    ) -> Result<(SeatedGame, Vec<String>), WorkspaceError> {
        let debaters = self.cast.seats.get(&SeatId::new(DEBATER));
        let game = GamePlan {
            protocol: &self.protocol,
            settings: self.settings.clone(),
            rounds: self.rounds,
            debaters: debaters.map_or(0, |seat| seat.models.len()),
        };
        let plan = SeatingPlan {
            cast: &self.cast,
            default_model,
            present: Attendance::Somebody,
            namespace: &self.namespace,
            budget_usd: self.budget_usd,
        };
        let for_cast = game.load_game_for_cast(library, &self.cast, seats, default_model)?;
        let GameForCast {
            mut game,
            guard,
            mismatches,
            self_judging,
        } = for_cast;
        if self.shown.asks_guardrails() {
            game = add_guardrails(&game, library)?;
        }
        let seated_game = SeatedGame::from_plan(game, &plan, seats, &store.layout)?;
        let notices = guard
            .into_iter()
            .chain(mismatches)
            .chain(self_judging.iter().map(SelfJudging::describe_advice))
            .chain(seated_game.game.unpinned_warnings());
        let notices = notices.collect();
        Ok((seated_game, notices))
    }
}

impl PreparedDebate {
    /// Returns the estimated cost; `None` where the game is too large for a dry run.
    pub fn cost_estimate(&self) -> Option<&CostEstimate> {
        self.created.estimate.as_ref()
    }

    /// Begins the debate: its first event is durable when this returns, and nothing was played yet.
    ///
    /// # Errors
    /// When the journal cannot be written.
    pub async fn begin_session(self, store: &StoreContext) -> Result<Session, WorkspaceError> {
        store.layout.create_missing_folders()?;
        let at = store.clock.now();
        Session::create(
            &store.layout,
            &store.journals(),
            self.game,
            self.created,
            at,
        )
        .await
    }
}
