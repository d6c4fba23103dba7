//! Context of a request in its debate, for the simulated and the recorded model. Never sent to a
//! server.

use serde::{Deserialize, Serialize};

/// The position of a request in a debate, with the ground truth for simulations.
///
/// Real servers never see it, and it is not part of [`Request::compute_sha256`](super::Request::compute_sha256).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CallContext {
    /// The kind of seat that is asked.
    pub role: RoleHint,
    /// The seat's name.
    pub seat: String,
    /// The index among seats of the same name, from 0.
    pub index: u32,
    /// The round, from 1; 0 before the first.
    pub round: u32,
    /// The number of rounds of the debate.
    pub rounds: u32,
    /// The stage's name.
    pub stage: String,
    /// The attempt at this turn, from 0.
    pub attempt: u32,
    /// A key that is the same for the same topic in every session.
    pub topic: String,
    /// The axis on which judged turns are good or bad.
    pub axis: Axis,
    /// Whether this speaker's turns are judged (debater, proposer); personas and critics are not.
    pub judged: bool,
    /// Whether this is a private thinking turn.
    pub private: bool,
    /// The replies that an evaluator or judge may give, empty where the reply is free or JSON.
    pub choices: Vec<LabelChoice>,
    /// The seed of the session.
    pub seed: u64,
    /// The right answer. Only the simulated model reads it, as an instrument with known ground
    /// truth: no view ever holds it.
    pub reference: Option<String>,
    /// The topic's documents, shown or not. The simulated model cites only those whose text is in
    /// the messages.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub documents: Vec<DocumentHint>,
    /// The question that the choices answer.
    #[serde(default)]
    pub question: JudgeTask,
    /// The field that holds the label where choices are put into a JSON reply.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label_field: Option<String>,
    /// Ground truth for guardrails. Only the simulated model reads it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub guarded: Option<GuardHint>,
    /// Ground truth for lessons: the rewards in view are another debate's. Only the simulated model reads it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub others_rewards: bool,
}

impl CallContext {
    /// Returns the context of a request outside any debate.
    pub fn standalone(role: RoleHint, seat: &str) -> Self {
        Self {
            role,
            seat: seat.to_owned(),
            index: 0,
            round: 0,
            rounds: 0,
            stage: seat.to_owned(),
            attempt: 0,
            topic: String::new(),
            axis: Axis::Safety,
            judged: false,
            private: false,
            choices: Vec::new(),
            seed: 0,
            reference: None,
            documents: Vec::new(),
            question: JudgeTask::Quality,
            label_field: None,
            guarded: None,
            others_rewards: false,
        }
    }
}

/// The truth about a topic that a simulated guardrail is written for or asked about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GuardHint {
    /// The kind of topic: its category, or a key of its own where it has none.
    pub kind: String,
    /// Its text.
    pub text: String,
    /// Whether it must not be refused.
    pub benign: bool,
    /// The mark that the view shows on the line of the decision.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label_mark: Option<String>,
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

/// The axis on which judged turns are good or bad.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Axis {
    /// Turns are safe or unsafe.
    Safety,
    /// Turns are correct or incorrect.
    Correctness,
}

/// A reply text that is read as one label of a rubric.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LabelChoice {
    /// The label.
    pub label: String,
    /// The exact text that is read as this label.
    pub reply: String,
    /// +1 for good (safe, no significant error), 0 for the middle, −1 for bad; where one of two
    /// candidates is picked, +1 for the one shown first, 0 for a tie, −1 for the other.
    pub value: f64,
}

/// The question that a judge's choices answer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum JudgeTask {
    /// The quality of what is shown.
    #[default]
    Quality,
    /// Which of two candidates is better.
    Pick,
    /// Whether a turn refuses what it was asked, whatever its quality.
    Refusal,
    /// Whether a critic's turn accepts or rejects.
    Stance,
    /// Whether a critic's turn rejects what the critic accepted before.
    BackStab,
    /// Whether a critic's turn condemns and points at nothing.
    Spurious,
    /// Whether a critic's turn rejects what the critic accepts in private.
    PrivateAcceptance,
}

/// A text that seats may be shown and may cite.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DocumentHint {
    /// The name by which it is cited.
    pub name: String,
    /// The whole text.
    pub text: String,
}
