//! What accompanies a request without being sent.

use serde::{Deserialize, Serialize};

/// Tells the simulated and the recorded model where in a debate a request belongs.
///
/// Real servers never see it, and it is no part of [`Request::sha256`](super::Request::sha256).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Hint {
    /// The kind of seat that is asked.
    pub role: RoleHint,
    /// The seat's name.
    pub seat: String,
    /// The place among seats of the same name, from 0.
    pub index: u32,
    /// The round, from 1; 0 before the first.
    pub round: u32,
    /// How many rounds the debate has.
    pub rounds: u32,
    /// The stage's name.
    pub stage: String,
    /// Which attempt at this turn, from 0.
    pub attempt: u32,
    /// A key that is the same for the same topic in every session.
    pub topic: String,
    /// What a judged turn can get right or wrong.
    pub axis: Axis,
    /// Whether this speaker's turns are judged (debater, proposer); personas and critics are not.
    pub judged: bool,
    /// Whether this is a private thinking turn.
    pub private: bool,
    /// The replies that an evaluator or judge may give, empty where the reply is free or JSON.
    pub choices: Vec<Choice>,
    /// The seed of the session.
    pub seed: u64,
    /// The right answer. Read by the simulated model alone, which is an instrument with known
    /// ground truth: no view ever holds it.
    pub reference: Option<String>,
    /// The topic's documents, shown or not. The simulated model cites those alone whose text stands
    /// in the messages.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub documents: Vec<DocumentHint>,
    /// What the choices decide.
    #[serde(default)]
    pub question: Question,
    /// The field that holds the label where choices are put into a JSON reply.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label_field: Option<String>,
    /// What guardrails are about. Read by the simulated model alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub guarded: Option<GuardHint>,
}

/// The truth about a topic that a simulated guardrail is written for or asked about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GuardHint {
    /// What kind of topic it is: its category, or a key of its own where it has none.
    pub kind: String,
    /// Its text.
    pub text: String,
    /// Whether it must not be refused.
    pub benign: bool,
}

/// The kind of seat that is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RoleHint {
    /// Takes turns: debater, proposer, critic, persona.
    Speaker,
    /// Decides a debate.
    Judge,
    /// Finds single attempts safe or unsafe, right or wrong.
    Evaluator,
    /// Writes the lesson of a debate.
    Feedback,
    /// Decides whether a guardrail matches the topic.
    Guard,
    /// Writes a guardrail.
    Derive,
}

/// What a judged turn can get right or wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Axis {
    /// Turns are safe or unsafe.
    Safety,
    /// Turns are correct or incorrect.
    Correctness,
}

/// A reply that reads as one of the labels of a rubric.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Choice {
    /// The label.
    pub label: String,
    /// The exact text that is read as this label.
    pub reply: String,
    /// +1 for good (safe, no significant error), 0 for the middle, −1 for bad; where one of two
    /// candidates is picked, +1 for the one shown first, 0 for a tie, −1 for the other.
    pub value: f64,
}

/// What a judge's choices decide.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Question {
    /// How good what is shown is.
    #[default]
    Quality,
    /// Which of two candidates is better.
    Pick,
}

/// A text that seats may be shown and may cite.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DocumentHint {
    /// The name by which it is cited.
    pub name: String,
    /// The whole text.
    pub text: String,
}
