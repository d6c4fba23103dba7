//! One debate: from what was asked for to its first event.

use super::super::cast::CastRequest;
use super::super::error::DriverError;
use super::super::families::SelfJudging;
use super::super::game::Game;
use super::super::guard_models::GameForCast;
use super::super::library::Library;
use super::super::memory_book::DEFAULT_NAMESPACE;
use super::super::seats::Seats;
use super::super::session::Session;
use super::super::setting_out::{GamePlan, OneDebate, Party, PartyPlan, Present, Shown, guarded};
use super::super::unlisted_models::UnlistedModel;
use super::Desk;
use crate::debate::event::Created;
use crate::debate::protocol::Settings;
use crate::debate::{Estimate, SeatId, Topic};

/// The seat whose number of models says how many chairs it has.
const DEBATER: &str = "debater";

/// A debate as it is asked for.
#[derive(Debug, Clone)]
pub struct Plan {
    /// A protocol's id, or the path of its file or folder.
    pub protocol: String,
    pub settings: Settings,
    /// Replaces the setting of that name.
    pub rounds: Option<u32>,
    pub cast: CastRequest,
    pub topic: Topic,
    pub seed: u64,
    pub shown: Shown,
    /// The namespace of long-term memory.
    pub namespace: String,
    /// What may be spent at most, in US dollars.
    pub budget_usd: Option<f64>,
}

/// A debate that can begin: everything was checked that can be before anything is paid for.
#[derive(Debug, Clone)]
pub struct Prepared {
    pub game: Game,
    pub created: Created,
    /// What a person should know before it begins.
    pub notices: Vec<String>,
    /// Models that their server does not list, as far as its list is known.
    pub unlisted: Vec<UnlistedModel>,
}

impl Plan {
    /// Plans a debate about a topic as the protocol and the configuration have it.
    pub fn new(protocol: impl Into<String>, topic: Topic) -> Self {
        Self {
            protocol: protocol.into(),
            settings: Settings::new(),
            rounds: None,
            cast: CastRequest::default(),
            topic,
            seed: 0,
            shown: Shown::Nothing,
            namespace: DEFAULT_NAMESPACE.to_owned(),
            budget_usd: None,
        }
    }

    /// Reads the game, seats everybody and estimates the cost; contacts and creates nothing.
    /// `default_model` sits where the plan names nobody. Blocks while it reads files.
    ///
    /// # Errors
    /// When the game cannot be played, a seat or model does not exist, a model cannot be called or
    /// has no price under a ceiling, or the topic offers too few options.
    pub fn prepare(
        &self,
        desk: &Desk,
        library: &Library,
        seats: &Seats,
        default_model: Option<&str>,
    ) -> Result<Prepared, DriverError> {
        let (party, notices) = self.party(desk, library, seats, default_model)?;
        let debate = OneDebate {
            topic: self.topic.clone(),
            seed: self.seed,
            memory: party.memory_use(self.shown, &self.namespace)?,
        };
        Ok(Prepared {
            created: party.created(&desk.layout, desk.clock, debate)?,
            game: party.game,
            unlisted: Vec::new(),
            notices,
        })
    }

    /// Reads the game and seats everybody; returns what a person should know of it as well.
    pub(super) fn party(
        &self,
        desk: &Desk,
        library: &Library,
        seats: &Seats,
        default_model: Option<&str>,
    ) -> Result<(Party, Vec<String>), DriverError> {
        let debaters = self.cast.seats.get(&SeatId::new(DEBATER));
        let game = GamePlan {
            protocol: &self.protocol,
            settings: self.settings.clone(),
            rounds: self.rounds,
            debaters: debaters.map_or(0, |seat| seat.models.len()),
        };
        let plan = PartyPlan {
            cast: &self.cast,
            default_model,
            present: Present::Somebody,
            namespace: &self.namespace,
            budget_usd: self.budget_usd,
        };
        let for_cast = game.game_for(library, &self.cast, seats, default_model)?;
        let GameForCast {
            mut game,
            guard,
            mismatches,
            self_judging,
        } = for_cast;
        if self.shown.asks_guardrails() {
            game = guarded(&game, library)?;
        }
        let party = Party::gather(game, &plan, seats, &desk.layout)?;
        let notices = guard
            .into_iter()
            .chain(mismatches)
            .chain(self_judging.iter().map(SelfJudging::advice));
        let notices = notices.collect();
        Ok((party, notices))
    }
}

impl Prepared {
    /// Returns what the debate will cost; `None` where its game is too large to be walked.
    pub fn estimate(&self) -> Option<&Estimate> {
        self.created.estimate.as_ref()
    }

    /// Begins the debate: its first event is durable when this returns, and nothing was played yet.
    ///
    /// # Errors
    /// When the journal cannot be written.
    pub async fn begin(self, desk: &Desk) -> Result<Session, DriverError> {
        desk.layout.create()?;
        let at = desk.clock.now();
        let (layout, fsync) = (&desk.layout, &desk.fsync);
        Session::create(layout, fsync, &desk.holder, self.game, self.created, at).await
    }
}
