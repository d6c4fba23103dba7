//! Journal events of a prompt comparison.

use crate::engine::Repeats;
use crate::experiments::prompt_trial::{PromptChange, RollForward, TriedCall};
use elenchus_game::debate::event::ModelPlayer;
use elenchus_game::debate::protocol::Ceilings;
use elenchus_game::debate::{Expense, SessionId, State, TopicKey, TurnId};
use elenchus_metrics::Preferred;
use elenchus_records::workspace::{BudgetFields, RepeatKey, Result, read_session};
use elenchus_store::Layout;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::path::PathBuf;

/// The format of journals of comparisons that this version writes.
pub(super) const FORMAT: u32 = 1;

/// What a comparison was begun with, enough to go on when files have changed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AbManifest {
    pub format: u32,
    pub id: String,
    /// The program and version that wrote this.
    pub software: String,
    #[serde(flatten)]
    pub plan: AbPlan,
    /// The judge of the preference that is asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judge: Option<Box<AbJudge>>,
}

/// Requested comparison.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AbPlan {
    /// What sessions call the template.
    pub template: String,
    pub arms: [AbArm; 2],
    pub contexts: Vec<AbContext>,
    /// Samples of each arm on each turn, from 1 to [`MAX_SAMPLES`](crate::experiments::prompt_trial::MAX_SAMPLES).
    pub samples: u32,
    pub roll: RollForward,
    #[serde(default, skip_serializing_if = "AbStop::is_fixed")]
    pub stop: AbStop,
    /// Who is asked which of both replies is better, where anybody is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preference: Option<AbPreference>,
    /// What verdicts of a judge's prompt are held against.
    #[serde(default, skip_serializing_if = "VerdictTruth::is_grader")]
    pub truth: VerdictTruth,
    #[serde(default, skip_serializing_if = "Repeats::serves")]
    pub repeats: Repeats,
    /// Ceilings that pause it.
    #[serde(flatten, with = "BudgetFields")]
    pub ceilings: Ceilings,
    /// Fixes the order in which turns are asked.
    pub seed: u64,
    /// Key under which it was begun, where it was under one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repeat: Option<Box<RepeatKey>>,
}

impl AbPlan {
    /// Says what both prompts are tried on; turns where there is nothing.
    pub fn context_kind(&self) -> ContextKind {
        let first = self.contexts.first();
        first.map_or(ContextKind::Turn, AbContext::kind)
    }
}

/// When a comparison is over.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(tag = "by", rename_all = "snake_case")]
pub enum AbStop {
    /// When every planned sample is played.
    #[default]
    Fixed,
    /// As soon as a confidence sequence of the difference of error rates leaves 0 out, and with the
    /// planned samples at the latest. Topics come in an order drawn by the seed.
    Settled {
        /// The chance, over all looks together, that it settles although nothing differs.
        alpha: f64,
    },
}

/// Where it is known from what a verdict should have been.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(tag = "by", content = "name", rename_all = "snake_case")]
pub enum VerdictTruth {
    /// What the game's graders found.
    #[default]
    Grader,
    /// What people said blind, by this label set.
    Labels(String),
    /// What the judge of this pass found.
    Pass(String),
}

impl VerdictTruth {
    pub(super) fn is_grader(&self) -> bool {
        *self == Self::Grader
    }

    /// Says whose word it is about what is compared.
    pub fn describe(&self, compared: ContextKind) -> String {
        match self {
            Self::Grader if compared == ContextKind::GuardDecision => {
                "the label that the topic is expected to have, else what evaluators found"
                    .to_owned()
            }
            Self::Grader => "what graders found".to_owned(),
            Self::Labels(set) => format!("what people said blind, by the label set '{set}'"),
            Self::Pass(pass) => format!("what pass {pass} found"),
        }
    }
}

/// Default error probability of stopping early.
pub const DEFAULT_ALPHA: f64 = 0.05;

impl AbStop {
    pub(super) fn is_fixed(&self) -> bool {
        match self {
            AbStop::Fixed => true,
            AbStop::Settled { .. } => false,
        }
    }

    /// Returns the error rate of the confidence sequence that is shown.
    pub fn alpha(self) -> f64 {
        match self {
            AbStop::Fixed => DEFAULT_ALPHA,
            AbStop::Settled { alpha } => alpha,
        }
    }
}

/// Who compares the replies of both prompts, pair by pair.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AbPreference {
    /// The name of a configured model.
    pub judge: String,
    /// The name of a rubric.
    pub rubric: String,
}

/// Everything that the judge of a preference is asked with, kept so that it can be asked when files
/// and configuration have changed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AbJudge {
    pub player: ModelPlayer,
    /// The text of the rubric, and of its template.
    pub rubric: String,
    pub template: String,
    /// Whether it is of one family with a seat whose replies it compares.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_kin: bool,
}

/// One question to the judge of a preference: about the replies of one sample of both arms, in one
/// order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct AbPair {
    /// Counts the contexts from 0.
    pub context: u32,
    pub sample: u32,
    pub order: AbOrder,
}

/// Whose reply is shown first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AbOrder {
    AFirst,
    BFirst,
}

/// What the judge of a preference said.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AbAnswer {
    pub said: Preferred,
    /// The judge's whole reply.
    pub text: String,
    /// Why it could not be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// Of the exact request, hex.
    pub request_sha256: String,
    pub cached: bool,
    /// `None` where the model has no price.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_usd: Option<f64>,
}

/// One of the two prompts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AbArm {
    /// What it is called: a file, `built-in`, `recorded`.
    pub name: String,
    /// `None` for the text that each debate was recorded with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

impl AbArm {
    /// Returns the change that this arm makes.
    pub(crate) fn build_change(&self, template: &str) -> Option<PromptChange> {
        Some(PromptChange {
            template: template.to_owned(),
            text: self.text.clone()?,
            named: self.name.clone(),
        })
    }
}

/// What both prompts are tried on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AbContext {
    /// The recorded session; for a fresh debate, one in the store of tries that has only begun.
    pub session: SessionId,
    /// The recorded call; `None` for a whole fresh debate.
    #[serde(flatten)]
    pub call: Option<TriedCall>,
    /// What the verdict or decision should say: whether it is about something good. Earlier versions left it to the graders
    /// of the session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub truth: Option<bool>,
    /// The topic's id.
    pub topic: String,
    /// What the topic is; earlier versions left it to the session to say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub topic_key: Option<TopicKey>,
}

/// Kind of what both prompts are tried on: one for all contexts of a comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ContextKind {
    /// A whole fresh debate.
    Debate,
    Turn,
    Verdict,
    Lesson,
    GuardDecision,
    /// A guardrail from a lesson: an error where none can be read.
    Guardrail,
}

impl ContextKind {
    /// Returns the noun for one that is asked for by itself, and not judged by what follows.
    pub fn noun_alone(self) -> Option<&'static str> {
        match self {
            Self::Debate | Self::Turn => None,
            Self::Verdict | Self::Lesson | Self::GuardDecision | Self::Guardrail => {
                Some(self.noun())
            }
        }
    }

    /// Returns the noun for one of them.
    pub fn noun(self) -> &'static str {
        match self {
            Self::Debate => "topic",
            Self::Turn => "turn",
            Self::Verdict => "verdict",
            Self::Lesson => "lesson",
            Self::GuardDecision => "decision",
            Self::Guardrail => "guardrail",
        }
    }

    /// Says whether a sample is right or wrong by a truth that is known beforehand.
    pub fn has_truth(self) -> bool {
        match self {
            Self::Verdict | Self::GuardDecision => true,
            Self::Debate | Self::Turn | Self::Lesson | Self::Guardrail => false,
        }
    }

    /// Says whether a sample is one call, which no debate goes on from.
    pub fn is_asked_alone(self) -> bool {
        match self {
            Self::Verdict | Self::GuardDecision | Self::Lesson | Self::Guardrail => true,
            Self::Debate | Self::Turn => false,
        }
    }
}

impl AbContext {
    /// Returns the recorded turn, where it is one.
    pub fn turn(&self) -> Option<&TurnId> {
        self.call.as_ref()?.turn()
    }

    /// Says what it is.
    pub fn kind(&self) -> ContextKind {
        match &self.call {
            None => ContextKind::Debate,
            Some(TriedCall::Turn(_)) => ContextKind::Turn,
            Some(TriedCall::Verdict(_)) => ContextKind::Verdict,
            Some(TriedCall::Lesson(_)) => ContextKind::Lesson,
            Some(TriedCall::GuardDecision(_)) => ContextKind::GuardDecision,
            Some(TriedCall::Derivation(_)) => ContextKind::Guardrail,
        }
    }

    /// Says whether a whole debate is played.
    pub fn is_fresh(&self) -> bool {
        self.kind() == ContextKind::Debate
    }

    /// Returns the journal of its session.
    ///
    /// # Errors
    /// When the session has no name of one.
    pub(super) fn session_path(&self, layout: &Layout) -> Result<PathBuf> {
        Ok(match self.is_fresh() {
            false => layout.session_path(self.session.as_str())?,
            true => layout.tries_store().session_path(self.session.as_str())?,
        })
    }

    /// Reads its session. Blocks.
    ///
    /// # Errors
    /// When it cannot be read.
    pub(crate) fn read_state(&self, layout: &Layout) -> Result<State> {
        read_session(&self.session_path(layout)?)
    }
}

/// One sample of one arm on one turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct AbCell {
    /// Counts the contexts from 0.
    pub context: u32,
    /// 0 or 1.
    pub arm: u8,
    pub sample: u32,
}

impl AbCell {
    /// Returns the questions to a judge about this sample of both arms, in both orders.
    pub(super) fn to_pairs(self) -> [AbPair; 2] {
        [AbOrder::AFirst, AbOrder::BFirst].map(|order| AbPair {
            context: self.context,
            sample: self.sample,
            order,
        })
    }
}

impl fmt::Display for AbCell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let arm = match self.arm {
            0 => "A",
            _ => "B",
        };
        write!(
            f,
            "turn {}, prompt {arm}, sample {}",
            self.context, self.sample
        )
    }
}

impl fmt::Display for AbPair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "preference on turn {}, sample {}",
            self.context, self.sample
        )
    }
}

/// [`Expense`] by the names of what was used; comparisons of version 0.1.0 know its dollars alone.
#[derive(Serialize, Deserialize)]
#[serde(remote = "Expense")]
struct CommittedFields {
    #[serde(rename = "committed_usd")]
    usd: f64,
    #[serde(rename = "committed_calls", default)]
    calls: u64,
    #[serde(rename = "committed_tokens", default)]
    tokens: u64,
}

/// [`Expense`] by the names of what may be used.
#[derive(Serialize, Deserialize)]
#[serde(remote = "Expense")]
struct WorstCaseFields {
    #[serde(rename = "worst_case_usd")]
    usd: f64,
    #[serde(rename = "worst_case_calls", default)]
    calls: u64,
    #[serde(rename = "worst_case_tokens", default)]
    tokens: u64,
}

/// One line of a comparison's journal.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum AbEvent {
    Begun(Box<AbManifest>),
    /// The comparison was resumed; ceilings that are given replace those before.
    Resumed {
        #[serde(flatten, with = "BudgetFields")]
        ceilings: Ceilings,
    },
    Played {
        #[serde(flatten)]
        place: AbCell,
        /// Its session, in the store of tries.
        session: SessionId,
        /// Why it is not as long as was asked.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        failed: Option<String>,
        /// The most it may have used.
        #[serde(flatten, with = "CommittedFields")]
        committed: Expense,
        /// Whether all models that were called have prices; journals of earlier versions do not say.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        priced: Option<bool>,
    },
    /// A question to the preference judge is about to be sent; it counts at this worst case until its
    /// result is recorded.
    Asked {
        #[serde(flatten)]
        pair: AbPair,
        #[serde(flatten, with = "WorstCaseFields")]
        worst_case: Expense,
    },
    /// The judge has answered.
    Answered {
        #[serde(flatten)]
        pair: AbPair,
        answer: Box<AbAnswer>,
        #[serde(flatten, with = "CommittedFields")]
        committed: Expense,
    },
    /// The judge did not answer, or was not asked.
    Unanswered {
        #[serde(flatten)]
        pair: AbPair,
        why: String,
        #[serde(flatten, with = "CommittedFields")]
        committed: Expense,
    },
    /// A turn on which an arm cannot be tried at all.
    Impossible {
        #[serde(flatten)]
        place: AbCell,
        why: String,
    },
    Paused {
        why: String,
    },
    Completed {},
}
