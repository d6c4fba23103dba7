//! One debate: from what was asked for to its first event.

use super::super::cast::CastRequest;
use super::super::error::DriverError;
use super::super::game::Game;
use super::super::library::Library;
use super::super::seats::Seats;
use super::super::session::Session;
use super::Desk;
use crate::debate::event::Created;
use crate::debate::protocol::Settings;
use crate::debate::topic::Document;
use crate::debate::{Estimate, Topic};
use std::collections::BTreeSet;

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
    /// Whether seats are shown what long-term memory holds on the topic.
    pub reads_memory: bool,
    /// The namespace of long-term memory.
    pub namespace: String,
    /// In US dollars, for this call of the program.
    pub budget_usd: Option<f64>,
}

/// A topic as it is typed.
#[derive(Debug, Clone, Default)]
pub struct TypedTopic {
    pub text: String,
    pub documents: Vec<Document>,
    pub options: Vec<String>,
    /// For graders alone.
    pub reference: Option<String>,
}

impl TypedTopic {
    /// Returns the topic; its id is made of its text.
    ///
    /// # Errors
    /// When the text or an option is empty.
    pub fn topic(&self) -> Result<Topic, DriverError> {
        todo!()
    }
}

/// A debate that can begin: everything was checked that can be before anything is paid for.
#[derive(Debug, Clone)]
pub struct Prepared {
    pub game: Game,
    pub created: Created,
    /// `None` where the game is too large to be walked.
    pub estimate: Option<Estimate>,
    /// What a person should know before it begins.
    pub notices: Vec<String>,
    /// Names of people whom the cast seats; the empty one for whoever is there.
    pub people: BTreeSet<String>,
}

impl Plan {
    /// Reads the game, seats everybody and estimates the cost; contacts and creates nothing.
    /// `default_model` sits where the plan names nobody.
    ///
    /// # Errors
    /// When the game cannot be played, a seat or model does not exist, a model cannot be called or
    /// has no price under a ceiling, or the topic offers too few options.
    pub fn prepare(
        &self,
        desk: &Desk,
        library: &Library,
        seats: &Seats,
        default_model: &str,
    ) -> Result<Prepared, DriverError> {
        let _ = (desk, library, seats, default_model);
        todo!()
    }
}

impl Prepared {
    /// Begins the debate: its first event is durable when this returns, and nothing was played yet.
    ///
    /// # Errors
    /// When the journal cannot be written.
    pub async fn begin(self, desk: &Desk) -> Result<Session, DriverError> {
        let _ = desk;
        todo!()
    }
}
