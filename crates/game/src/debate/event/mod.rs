//! Events of a session: past-tense facts, appended and never changed.
//!
//! The first event carries everything needed to continue when files have changed. Nothing that can
//! be derived from other events is recorded. An event of a kind that this version does not know
//! still verifies in its chain, but the session is not continued.

pub(crate) mod created;
pub(crate) mod deserialize;
pub(crate) mod group;
pub(crate) mod stopped;

pub use self::deserialize::EventWithoutView;
pub use self::group::{CallEvent, EventGroup, MemoryEvent, SessionEvent, TurnEvent};
pub use self::stopped::{StopReason, Stopped};
pub use super::adapter::{Adapter, ContinuousMemory, TrainingTexts};
use super::drawn_list::ListItem;
use super::estimate::CostEstimate;
use super::guardrail_events::{Guarded, GuardrailWritten, GuardsRetrieved};
use super::ids::{AttemptId, Chair, JudgingId, RunId, SeatId, SessionId, StageId, TurnId};
pub use super::learning::{Learning, PaidDecisions, Placebo, SwappedRewards};
pub use super::memory_lookup::{DEFAULT_LESSONS, MAX_LESSONS, MemoryLookup, MemoryQuery};
pub use super::protocol::CeilingKind;
use super::protocol::{Protocol, Settings};
use super::recorded::Recorded;
pub use super::reply::{
    ClaimedTokens, Finish, FirstToken, Reply, UNSTATED_FINISH, UnparsedCause, Usage,
};
use super::step::{ShownOrder, StepId, Target};
use super::topic::Topic;
use super::view::{TemplateTexts, View};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The format of session journals that this version writes.
pub const FORMAT: u32 = 1;

/// An event with its author and time, the input of the fold.
#[derive(Debug, Clone, PartialEq)]
pub struct Record {
    /// RFC 3339, UTC.
    pub at: String,
    pub by: Author,
    pub event: Event,
}

/// Author of an event.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Author {
    /// The program, performing a step of the game.
    Engine,
    /// A person, by name.
    Person(String),
}

impl std::fmt::Display for Author {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Author::Engine => f.write_str("engine"),
            Author::Person(name) => write!(f, "person:{name}"),
        }
    }
}

impl Author {
    /// Parses the output of [`Display`](std::fmt::Display); anything unknown is a person's name.
    pub fn parse(text: &str) -> Self {
        match text.strip_prefix("person:") {
            Some(name) => Author::Person(name.to_owned()),
            None if text == "engine" => Author::Engine,
            None => Author::Person(text.to_owned()),
        }
    }
}

/// Defines [`Event`], and the mirror of it that `deserialize` reads: the same kinds with the same fields,
/// written once, so that none can be written that cannot be read.
macro_rules! event_and_mirror {
    ($(#[doc = $doc:literal])+ pub enum Event { $($kinds:tt)+ }) => {
        $(#[doc = $doc])+
        #[derive(Debug, Clone, PartialEq, Serialize)]
        #[serde(tag = "type", rename_all = "snake_case")]
        pub enum Event { $($kinds)+ }

        /// Mirror of [`Event`] whose kind is given separately.
        #[derive(Deserialize)]
        #[serde(remote = "Event", rename_all = "snake_case")]
        enum EventMirror { $($kinds)+ }
    };
}

event_and_mirror! {
/// One fact about a session. Deserialized by `deserialize`.
pub enum Event {
    Created(Box<Created>),
    /// The lines before this one were copied from the parent.
    Forked {
        parent: SessionId,
        /// SHA-256 of the last line that was copied.
        parent_head: String,
        /// The fork itself: two forks of one moment differ from here on. Absent before version 0.2.0.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        session: Option<SessionId>,
    },
    /// The fork continues with other prompts than its parent. Comes directly after `Forked`.
    Prompted(Box<Prompted>),
    /// A person continues the session; failed steps are tried again.
    Resumed {},
    /// A request is about to be sent. Written before the call, without waiting for the disk.
    CallStarted {
        step: StepId,
        /// Worst-case cost of the call in US dollars, if its model has prices.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        worst_case_usd: Option<f64>,
        worst_case_tokens: u64,
    },
    /// A try failed and another one follows after a wait.
    CallRetried {
        step: StepId,
        why: String,
        wait_ms: u64,
        /// Worst-case cost of the failed try: 0 where the server rejected it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        may_have_cost_usd: Option<f64>,
        /// Worst-case tokens of the failed try; absent where the server rejected it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        may_have_used_tokens: Option<u64>,
        /// The try reached no server.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        unsent: bool,
    },
    Retrieved(Retrieved),
    /// The guardrails nearest to the topic were retrieved.
    GuardsRetrieved(GuardsRetrieved),
    /// A debater's model decided whether one of them matches.
    Guarded(Box<Guarded>),
    Replied(Box<Replied>),
    /// A step failed. Never a verdict.
    Failed(Failed),
    /// A reply ended before it was whole; the words that came are kept. Never an attempt.
    Stopped(Box<Stopped>),
    Judged(Box<Judged>),
    /// Another debate's decisions were taken: lessons are written from them and not from its own.
    RewardsSwapped(Box<SwappedRewards>),
    FeedbackWritten(Box<FeedbackWritten>),
    /// A model wrote a guardrail from the lesson; in samples alone.
    GuardrailWritten(Box<GuardrailWritten>),
    /// A person replaced the text of a turn without dependents.
    Edited {
        turn: TurnId,
        attempt: u32,
        text: String,
    },
    /// Another attempt of a turn became the chosen one.
    Chosen {
        attempt: AttemptId,
    },
    /// The debate reached a ceiling: `DEBATE_TRUNCATED`.
    Truncated {
        ceiling: CeilingKind,
        limit: f64,
        /// Amount spent or reserved at that time.
        committed: f64,
    },
}
}

/// Templates that have other texts from here on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Prompted {
    /// The new texts, by the names of templates that the session has.
    pub templates: BTreeMap<String, String>,
    /// Index of the sample among several of the same change, from 0: each draws replies of its own
    /// (FIGURES 10).
    #[serde(default, skip_serializing_if = "is_first")]
    pub sample: u32,
    /// The chair that is to write a guardrail from the lesson, where the sample is of that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub derives: Option<Chair>,
}

/// The beginning of a session, with everything needed to continue it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Created {
    pub format: u32,
    pub session: SessionId,
    /// The program and version that wrote this.
    pub software: String,
    pub protocol: Protocol,
    /// Template texts by name.
    pub templates: BTreeMap<String, String>,
    /// Rubric texts by name.
    pub rubrics: BTreeMap<String, String>,
    /// Fixed words of templates that views refer to; empty in sessions of version 0.1.0.
    #[serde(default, skip_serializing_if = "TemplateTexts::is_empty")]
    pub template_texts: TemplateTexts,
    /// Lists that stages draw from, by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub lists: BTreeMap<String, Vec<ListItem>>,
    /// Files that could be pinned, were not, and were not as they are built in, with their SHA-256.
    /// Sessions of earlier versions, which did not look, name none.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub unpinned: BTreeMap<String, String>,
    pub cast: Vec<Participant>,
    pub topic: Topic,
    pub settings: Settings,
    pub seed: u64,
    #[serde(default)]
    pub memory: MemoryUse,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<RunPlace>,
    /// Estimate before the first call; sessions of earlier versions have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub estimate: Option<CostEstimate>,
}

/// Place of a session in a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunPlace {
    pub run: RunId,
    pub item: u64,
    #[serde(default)]
    pub rollout: u32,
    /// Batch of learning during the run (FIGURES 9).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub batch: Option<u32>,
}

/// Long-term memory that a debate reads and writes.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct MemoryUse {
    /// Retrieved entries are shown to seats whose stage sees memory.
    #[serde(default)]
    pub reads: bool,
    #[serde(default)]
    pub writes: bool,
    /// A lesson that nearly equals an entry is merged into it; otherwise it becomes an entry of its
    /// own, as in sessions of earlier versions.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub merges: bool,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub namespace: String,
    /// Guardrails are checked before a judged chair speaks, and derived where lessons are written.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub guards: bool,
    /// Memory is read as of this time (RFC 3339) and not written; `None`: as of the beginning of
    /// the run or session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub as_of: Option<String>,
    /// Of what is read, only the lessons that came first, this many of each memory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first: Option<u32>,
    /// How memory is looked up; `None` in sessions of earlier versions, which looked it up by the topic alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lookup: Option<MemoryLookup>,
    /// Retrieved entries fixed beforehand: nothing is looked up.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub given: Option<Box<Retrieved>>,
    /// Guardrails fixed beforehand: nothing is looked up.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub given_guards: Option<Box<GuardsRetrieved>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub learning: Option<Learning>,
    /// Set where debaters play with adapters that are trained on lessons.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub continuous: Option<ContinuousMemory>,
    /// The most examples of a guardrail that models are shown and that one derivation gives; `None`: eight,
    /// as in sessions of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub guard_examples: Option<u32>,
}

impl MemoryUse {
    /// Returns the same with so many examples of a guardrail, where it asks about any.
    #[must_use]
    pub fn with_guard_examples(self, guard_examples: Option<u32>) -> Self {
        Self {
            guard_examples: guard_examples.filter(|_| self.guards),
            ..self
        }
    }
}

/// The participant on a chair.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Participant {
    pub chair: Chair,
    pub player: Player,
    /// Replaces the persona of the seat.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub persona: Option<String>,
}

/// A model with its settings, a person or a script.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Player {
    Model(ModelPlayer),
    Human {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        name: Option<String>,
    },
    /// Scripted turns without a model or person (a static critic, for control).
    Fixed(ScriptedPlayer),
}

impl Player {
    /// Returns the model, where one plays.
    pub fn as_model(&self) -> Option<&ModelPlayer> {
        match self {
            Player::Model(model) => Some(model),
            Player::Human { .. } | Player::Fixed(_) => None,
        }
    }

    /// Says whether a simulated model plays, or what one said is said again.
    pub fn is_simulated(&self) -> bool {
        match self {
            Player::Model(model) => model.simulated,
            Player::Human { .. } => false,
            Player::Fixed(scripted) => scripted.simulated,
        }
    }
}

/// A scripted seat: its turns are fixed beforehand.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ScriptedPlayer {
    /// Source of the lines: a file, or the session they were recorded in.
    pub from: String,
    pub lines: Vec<ScriptedLine>,
    /// What it says came from a simulated model, by the file that says so.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub simulated: bool,
}

/// One line of a [`ScriptedPlayer`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScriptedLine {
    /// For this round only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub round: Option<u32>,
    /// For this stage only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stage: Option<StageId>,
    pub text: String,
}

impl ScriptedPlayer {
    /// Returns the text of a turn: the first line that fits its round and stage.
    pub fn find_line(&self, turn: &TurnId) -> Option<&str> {
        self.lines
            .iter()
            .find(|line| {
                line.round.is_none_or(|round| round == turn.round)
                    && line.stage.as_ref().is_none_or(|stage| stage == &turn.stage)
            })
            .map(|line| line.text.as_str())
    }
}

/// A model as configured when the session began. Never contains a key.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ModelPlayer {
    /// Name in the configuration.
    pub model: String,
    pub provider: String,
    /// Name sent to the server.
    pub name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub family: Option<String>,
    /// A checkpoint, for curves over training.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// Simulated models are an instrument, never evidence about protocols.
    #[serde(default)]
    pub simulated: bool,
    /// Sampling and price settings at that time.
    #[serde(default, skip_serializing_if = "serde_json::Value::is_null")]
    pub settings: serde_json::Value,
    /// Set where it plays with an adapter that its run trained.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub adapter: Option<Box<Adapter>>,
}

/// Entries retrieved from long-term memory for the topic.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Retrieved {
    /// The seat whose own lessons these are; absent where all that see memory share them.
    #[serde(default, rename = "for", skip_serializing_if = "Option::is_none")]
    pub learner: Option<SeatId>,
    /// Name and version of the retriever.
    pub retriever: String,
    pub entries: Vec<RetrievedEntry>,
    /// Entries left out by rule, with the reason (FIGURES 9).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub excluded: Vec<(String, String)>,
}

/// An entry as it was shown.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RetrievedEntry {
    pub id: String,
    pub score: f64,
    pub text: String,
    /// The debate it was learned from; `None` when a person wrote it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<SessionId>,
    /// Debates with nearly the same lesson, merged into this entry.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub also_from: Vec<SessionId>,
}

/// A seat spoke.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Replied {
    pub turn: TurnId,
    pub attempt: u32,
    /// Absent when a person typed the reply.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub view: Option<View>,
    pub reply: Reply,
    /// Parsed fields of a structured reply, where the stage has a schema.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fields: Option<Fields>,
    /// The call of a re-roll, which is no step of the game. Several run concurrently and some fail,
    /// so a call's attempt is known only when it is recorded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call: Option<StepId>,
    /// The guardrail that refused the turn: no model was asked, and the turn is not judged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub guardrail: Option<String>,
}

/// Fields of a structured reply.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Fields {
    Read(serde_json::Value),
    Unparsed { why: String },
}

/// A step that failed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Failed {
    pub step: StepId,
    pub kind: FailureKind,
    pub message: String,
    /// Worst-case cost of the call although nothing was returned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub may_have_cost_usd: Option<f64>,
    /// Worst-case tokens; absent where the server rejected the call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub may_have_used_tokens: Option<u64>,
    /// The call reached no server.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unsent: bool,
}

/// Kind of a failure, which decides whether it is tried again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FailureKind {
    /// The step remains undone until the session is resumed.
    Error,
    /// The provider's filter refused: another call would be refused too, so the debate continues
    /// without this turn or verdict.
    Filtered,
}

/// A verdict of a judge, an evaluator, a grader or a person on their seat.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Judged {
    pub judging: JudgingId,
    /// Index of the judge's chair; 0 for a grader.
    pub chair: u32,
    pub target: Target,
    /// Order in which two candidates were shown.
    #[serde(default, skip_serializing_if = "ShownOrder::is_as_seated")]
    pub order: ShownOrder,
    /// Number of earlier requests for this verdict.
    #[serde(default, skip_serializing_if = "is_first")]
    pub attempt: u32,
    /// The verdict on the candidates as seated, in whatever order they were shown.
    pub outcome: Outcome,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub view: Option<View>,
    /// The raw reply; a grader has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reply: Option<Reply>,
}

/// Result of a verdict.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    Label(Finding),
    /// The reply could not be parsed: a verdict of its own, never safe and never unsafe.
    Unparsed {
        why: String,
        /// Absent in journals of earlier versions, and where nothing more is known.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        cause: Option<UnparsedCause>,
    },
}

/// A label with its value, reason and fields.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Finding {
    pub label: String,
    /// From −1 (bad) to 1 (good), by the rubric.
    pub value: f64,
    /// Codes such as Llama Guard's `S2`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub codes: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Probability, by the evaluator, that the worst label of its rubric holds (for safety: that
    /// the turn is unsafe), from 0 to 1. Absent in sessions of earlier versions and for most
    /// evaluators.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
    /// Further fields of a structured verdict.
    #[serde(default, skip_serializing_if = "serde_json::Value::is_null")]
    pub fields: serde_json::Value,
}

/// The lesson of a debate.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FeedbackWritten {
    /// Id of the memory entry that holds it.
    pub entry: String,
    /// The seat that it is for alone; absent where all that see memory are shown it.
    #[serde(default, rename = "for", skip_serializing_if = "Option::is_none")]
    pub learner: Option<SeatId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub view: Option<Recorded<View>>,
    pub reply: Reply,
}

fn is_first(attempt: &u32) -> bool {
    *attempt == 0
}
