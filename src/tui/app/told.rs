//! Results of background commands, delivered to screens.

use super::run_talk::RunTold;
use crate::debate::event::Record;
use crate::debate::{SessionId, State};
use crate::engine::live::LiveEvent;
use crate::library::JsonVerdictForm;
use crate::prompt::LabelHint;
use crate::workspace::annotations::{AnnotationId, Annotations};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Event delivered to a screen. Everything about a session in it is durable.
#[derive(Debug, Clone)]
pub enum Told {
    Opened(SessionId, Result<Arc<Opened>, String>),
    /// Another process appended to a session that is being followed.
    Grew(SessionId, Arc<Vec<Record>>),
    /// The session is no longer driven, or by another process.
    DrivenBy(SessionId, Option<String>),
    Taken(SessionId),
    NotTaken(SessionId, String),
    Released(SessionId),
    Live(SessionId, Arc<LiveEvent>),
    Forked {
        parent: SessionId,
        result: Result<(SessionId, Arc<Opened>), String>,
    },
    /// Annotations as they are now; the id retracts the one that was just written.
    Annotations(Result<(Arc<Annotations>, Option<AnnotationId>), String>),
    Run(RunTold),
}

/// A session as it was read.
#[derive(Debug, Clone)]
pub struct Opened {
    /// Shared with the screens that show it.
    pub state: Arc<State>,
    /// Process that drives it, if any.
    pub driven_by: Option<String>,
    /// It came from elsewhere.
    pub imported: bool,
    /// An embedded example: it is not in the store, and any change makes a fork.
    pub example: bool,
    pub annotations: Annotations,
    /// Labels that judges may give, by the name of their rubric.
    pub labels: BTreeMap<String, Vec<LabelHint>>,
    /// The forms of rubrics whose verdicts are objects, by the rubric's name.
    pub forms: BTreeMap<String, JsonVerdictForm>,
}

/// The games and models there are.
#[derive(Debug, Clone, Default)]
pub struct LibraryList {
    pub games: Vec<GameLine>,
    pub models: Vec<ModelLine>,
    /// Why models of a server are not listed, and what to do about it.
    pub server_faults: Vec<String>,
    /// Address of the server that is asked for any name of a model, where there is one.
    pub any_model_of: Option<String>,
    /// Model of seats without a named one; none where one must be chosen.
    pub default_model: Option<String>,
    /// Reason for that default, in words.
    pub default_why: &'static str,
    pub default_protocol: Option<String>,
}

/// A game in a list.
#[derive(Debug, Clone)]
pub struct GameLine {
    pub id: String,
    pub name: String,
    pub description: String,
    /// Origin: built in, the person's or the project's.
    pub origin: String,
}

/// A model in a list.
#[derive(Debug, Clone)]
pub struct ModelLine {
    pub name: String,
    pub simulated: bool,
    /// Provider and price, in words.
    pub about: String,
}
