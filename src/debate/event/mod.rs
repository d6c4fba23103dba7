//! What happened in a session: past-tense facts, appended and never changed.
//!
//! The first event carries everything needed to go on when files have changed. Whatever can be
//! derived from these events is not among them. An event of a kind that this version does not
//! know still verifies in its chain, but the session is not continued.

use super::estimate::Estimate;
use super::guarded::{Guarded, GuardsRetrieved};
use super::ids::{AttemptId, Chair, JudgingId, RunId, SessionId, StageId, TurnId};
pub use super::learning::Learning;
use super::protocol::{Protocol, Settings};
pub use super::reply::{Finish, FirstToken, Reply, Usage};
use super::step::{ShownOrder, StepId, Target};
use super::topic::Topic;
use super::view::View;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The format of session journals that this version writes.
pub const FORMAT: u32 = 1;

/// An event with its author and time, as the fold takes it.
#[derive(Debug, Clone, PartialEq)]
pub struct Record {
    /// RFC 3339, UTC.
    pub at: String,
    pub by: Author,
    pub event: Event,
}

/// Who made something happen.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Author {
    /// The program, doing what the game asks.
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
    /// Reads what [`Display`](std::fmt::Display) wrote; anything unknown is a person's name.
    pub fn parse(text: &str) -> Self {
        match text.strip_prefix("person:") {
            Some(name) => Author::Person(name.to_owned()),
            None if text == "engine" => Author::Engine,
            None => Author::Person(text.to_owned()),
        }
    }
}

/// One fact about a session. How it is read stands in `event_reading`.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Event {
    Created(Box<Created>),
    /// The lines before this one were copied from the parent.
    Forked {
        parent: SessionId,
        /// SHA-256 of the last line that was copied.
        parent_head: String,
    },
    /// A fork goes on with other prompts than its parent. Comes directly after `Forked`.
    Prompted(Box<Prompted>),
    /// Somebody goes on with the session; failures are worth another try.
    Resumed {},
    /// A request is about to be sent. Written before the call, without waiting for the disk.
    CallStarted {
        step: StepId,
        /// What the call can cost at most, in US dollars, if its model has prices.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        worst_case_usd: Option<f64>,
        worst_case_tokens: u64,
    },
    /// A try failed and another one follows after a wait.
    CallRetried {
        step: StepId,
        why: String,
        wait_ms: u64,
        /// What the failed try may have cost: 0 where the server turned it away.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        may_have_cost_usd: Option<f64>,
        /// What it may have used; absent where the server turned it away.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        may_have_used_tokens: Option<u64>,
        /// Whether its call reached no server.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        unsent: bool,
    },
    Retrieved(Retrieved),
    /// The guardrails nearest to the topic were looked up.
    GuardsRetrieved(GuardsRetrieved),
    /// A debater's model said whether one of them matches.
    Guarded(Box<Guarded>),
    Replied(Box<Replied>),
    /// A step could not be done. This is never a verdict.
    Failed(Failed),
    Judged(Box<Judged>),
    FeedbackWritten(Box<FeedbackWritten>),
    /// A person replaced the text of a turn that nothing had seen yet.
    Edited {
        turn: TurnId,
        attempt: u32,
        text: String,
    },
    /// Another attempt of a turn became the chosen one.
    Chosen {
        attempt: AttemptId,
    },
    /// A ceiling of the debate was met: `DEBATE_TRUNCATED`.
    Truncated {
        ceiling: CeilingKind,
        limit: f64,
        /// What had been spent or reserved.
        committed: f64,
    },
}

/// Templates that have other texts from here on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Prompted {
    /// The new texts, by the names of templates that the session has.
    pub templates: BTreeMap<String, String>,
    /// Which of several samples of the same change this is, from 0: each draws replies of its own
    /// (FIGURES 10).
    #[serde(default, skip_serializing_if = "is_first")]
    pub sample: u32,
}

/// The ceilings a debate can meet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CeilingKind {
    CostUsd,
    Calls,
    Tokens,
}

/// How a session began, with everything needed to go on.
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
    /// Lists that stages draw from, by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub lists: BTreeMap<String, Vec<String>>,
    pub cast: Vec<Participant>,
    pub topic: Topic,
    pub settings: Settings,
    pub seed: u64,
    #[serde(default)]
    pub memory: MemoryUse,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<RunPlace>,
    /// What it was expected to cost; sessions of earlier versions have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub estimate: Option<Estimate>,
}

/// Where in a run a session stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunPlace {
    pub run: RunId,
    pub item: u64,
    #[serde(default)]
    pub rollout: u32,
    /// The batch of learning while running (FIGURES 9).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub batch: Option<u32>,
}

/// Which long-term memory a debate reads and writes.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct MemoryUse {
    /// Retrieved entries are shown to seats whose stage sees memory.
    #[serde(default)]
    pub reads: bool,
    #[serde(default)]
    pub writes: bool,
    /// A lesson that says nearly what an entry says becomes part of it; else it is one of its own,
    /// as in sessions of earlier versions.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub merges: bool,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub namespace: String,
    /// Guardrails are asked before a judged chair speaks, and derived where lessons are written.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub guards: bool,
    /// Memory is read as it was at this time (RFC 3339), and nothing is written; else as it was when
    /// the run or session began.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub as_of: Option<String>,
    /// What memory gives, fixed beforehand: nothing is looked up.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub given: Option<Box<Retrieved>>,
    /// The guardrails near the topic, fixed beforehand: nothing is looked up.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub given_guards: Option<Box<GuardsRetrieved>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub learning: Option<Learning>,
}

/// Who sits on a chair.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Participant {
    pub chair: Chair,
    pub player: Player,
    /// Replaces the persona of the seat.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub persona: Option<String>,
}

/// A model with its settings, or a person.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Player {
    Model(ModelPlayer),
    Human {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        name: Option<String>,
    },
    /// Nobody: what the chair says is written down beforehand (a static critic, for control).
    Fixed(FixedPlayer),
}

/// What a chair says that nobody sits on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FixedPlayer {
    /// Where the lines come from: a file, or the session they were recorded in.
    pub from: String,
    pub lines: Vec<FixedLine>,
}

/// One line of a [`FixedPlayer`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FixedLine {
    /// For this round only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub round: Option<u32>,
    /// For this stage only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stage: Option<StageId>,
    pub text: String,
}

impl FixedPlayer {
    /// Returns what is said in a turn: the first line that fits its round and stage.
    pub fn line(&self, turn: &TurnId) -> Option<&str> {
        self.lines
            .iter()
            .find(|line| {
                line.round.is_none_or(|round| round == turn.round)
                    && line.stage.as_ref().is_none_or(|stage| stage == &turn.stage)
            })
            .map(|line| line.text.as_str())
    }
}

/// A model as the configuration named it when the session began. Never a key.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ModelPlayer {
    /// The name in the configuration.
    pub model: String,
    pub provider: String,
    /// The name sent to the server.
    pub name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub family: Option<String>,
    /// A checkpoint, for curves over training.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// Simulated models are an instrument, never evidence about protocols.
    #[serde(default)]
    pub simulated: bool,
    /// Sampling and price settings as they were.
    #[serde(default, skip_serializing_if = "serde_json::Value::is_null")]
    pub settings: serde_json::Value,
}

/// What long-term memory gave for the topic.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Retrieved {
    /// The retriever's name and version.
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
    /// The debate that taught it; none when a person wrote it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<SessionId>,
    /// Debates that taught nearly the same and whose lessons became part of it.
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
    /// What a structured reply was read as, where the stage has a schema.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fields: Option<Fields>,
    /// The call that it came from, where that is no step of the game: a re-roll. Several go on side
    /// by side and some fail, so which attempt a call becomes is known when it is recorded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call: Option<StepId>,
    /// The guardrail that refused the turn: nobody was asked, and nobody judges it.
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

/// A step that could not be done.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Failed {
    pub step: StepId,
    pub kind: FailureKind,
    pub message: String,
    /// What the call may have cost although nothing came back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub may_have_cost_usd: Option<f64>,
    /// What it may have used; absent where the server turned it away.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub may_have_used_tokens: Option<u64>,
    /// Whether its call reached no server.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unsent: bool,
}

/// Whether a failure is worth another try.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FailureKind {
    /// The step stays undone until the session is resumed.
    Error,
    /// The provider's filter refused: asking again would give the same, so the debate goes on
    /// without this turn or verdict.
    Filtered,
}

/// A judge, an evaluator, a grader or a person on their seat found something.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Judged {
    pub judging: JudgingId,
    /// Which of the judge's chairs; 0 for a grader.
    pub chair: u32,
    pub target: Target,
    /// In which order two candidates were shown.
    #[serde(default, skip_serializing_if = "ShownOrder::is_as_seated")]
    pub order: ShownOrder,
    /// Counts how often this verdict was asked for again, from 0.
    #[serde(default, skip_serializing_if = "is_first")]
    pub attempt: u32,
    /// What it says of the candidates as they are seated, in whatever order they were shown.
    pub outcome: Outcome,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub view: Option<View>,
    /// The raw reply; a grader has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reply: Option<Reply>,
}

/// What a verdict says.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    Label(Finding),
    /// The reply could not be read: a verdict of its own, never safe and never unsafe.
    Unparsed {
        why: String,
    },
}

/// A label with what came with it.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Finding {
    pub label: String,
    /// From −1 (bad) to 1 (good), as the rubric says.
    pub value: f64,
    /// Codes such as Llama Guard's `S2`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub codes: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// How likely the evaluator finds it that the worst label of its rubric holds (for safety: that
    /// it is unsafe), from 0 to 1. Sessions of earlier versions have none, and most evaluators give
    /// none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
    /// Further fields of a structured verdict.
    #[serde(default, skip_serializing_if = "serde_json::Value::is_null")]
    pub fields: serde_json::Value,
}

/// The lesson of a debate.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FeedbackWritten {
    /// The memory entry that holds it.
    pub entry: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub view: Option<View>,
    pub reply: Reply,
}

fn is_first(attempt: &u32) -> bool {
    *attempt == 0
}
