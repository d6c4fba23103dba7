//! Steps of the game: the actions that the engine can perform next.

pub(crate) mod group;
pub(crate) mod open;
pub(crate) mod pending_judges;
mod round_order;
pub(crate) mod search;

pub use self::group::{Performer, StepGroup, VerdictStep};
use super::ids::{AttemptId, Chair, JudgingId, SeatId, TurnId};
use super::protocol::CeilingKind;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Prefix of the ids of steps that request a turn.
const SPEAK: &str = "speak ";
/// Prefix of the ids of calls that re-roll a turn.
const REROLL: &str = "reroll ";
/// Prefix of the ids of steps that request a verdict.
const JUDGE: &str = "judge ";
/// Id of the step that writes the lesson of a debate; a learner's name follows its own.
const FEEDBACK: &str = "feedback";
/// Id of the step that retrieves lessons; a learner's name follows where it has its own.
const RETRIEVE: &str = "retrieve";
/// Prefix of the ids of steps that request a guardrail decision.
const GUARD: &str = "guard ";
/// Prefix of the ids of steps that request a guardrail.
const DERIVE: &str = "derive-guardrail ";

/// Stable id of a step: the same before and after a restart.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct StepId(String);

impl fmt::Display for StepId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl StepId {
    /// Returns the id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Says whether a text is the id of a step, or begins as one.
    pub fn is_written_as(text: &str) -> bool {
        let whole = [FEEDBACK, RETRIEVE].contains(&text);
        let own = [FEEDBACK, RETRIEVE].iter().any(|step| {
            let learner = text.strip_prefix(step);
            learner.is_some_and(|learner| learner.starts_with(' '))
        });
        whole
            || own
            || [SPEAK, REROLL, JUDGE, GUARD, DERIVE]
                .iter()
                .any(|step| text.starts_with(step))
    }

    /// Returns the id of the call that re-rolls a turn. A re-roll is no step of the game.
    pub fn from_reroll(attempt: &AttemptId) -> Self {
        Self(format!("{REROLL}{attempt}"))
    }

    /// Returns the id of the step that writes the lesson of a debate, or that of a learner.
    pub fn feedback_step(learner: Option<&SeatId>) -> Self {
        Self::with_learner(FEEDBACK, learner)
    }

    fn with_learner(step: &str, learner: Option<&SeatId>) -> Self {
        Self(match learner {
            None => step.to_owned(),
            Some(learner) => format!("{step} {learner}"),
        })
    }

    /// Returns the turn that the step requests, if it requests one.
    pub fn turn(&self) -> Option<TurnId> {
        let attempt = self.spoken_attempt().or_else(|| self.rerolled_attempt())?;
        Some(attempt.turn)
    }

    /// Returns the attempt that a re-roll requests; its number is the call's, the attempt's may be
    /// lower.
    pub fn rerolled_attempt(&self) -> Option<AttemptId> {
        AttemptId::parse(self.0.strip_prefix(REROLL)?)
    }

    /// Returns the attempt that a step of the game requests.
    pub(super) fn spoken_attempt(&self) -> Option<AttemptId> {
        AttemptId::parse(self.0.strip_prefix(SPEAK)?)
    }

    /// Returns the chair whose model decides about guardrails in this step.
    pub fn guarded_chair(&self) -> Option<Chair> {
        Chair::try_from(self.0.strip_prefix(GUARD)?.to_owned()).ok()
    }

    /// Returns the verdict that a step of the game requests, without the number of its requests.
    pub fn requested_verdict(&self) -> Option<(JudgingId, Chair, Target, ShownOrder)> {
        let mut words = self.0.strip_prefix(JUDGE)?.split(' ');
        let judging = JudgingId::from(words.next()?);
        let chair = Chair::try_from(words.next()?.to_owned()).ok()?;
        let target = Target::parse(words.next()?)?;
        let order = match words.next() {
            Some("swapped") => ShownOrder::Swapped,
            Some(_) | None => ShownOrder::AsSeated,
        };
        Some((judging, chair, target, order))
    }
}

impl From<String> for StepId {
    fn from(text: String) -> Self {
        Self(text)
    }
}

/// A step that can be done now.
#[derive(Debug, Clone, PartialEq)]
pub enum Step {
    /// Retrieve entries of long-term memory for the topic: those of a learner, or those that all share.
    Retrieve(Option<SeatId>),
    /// Retrieve guardrails for the topic.
    RetrieveGuards,
    /// Ask the model on a chair whether a guardrail matches the topic.
    Guard(Chair),
    /// Ask a model on a chair for a turn.
    Speak(Speak),
    /// Wait for the person on this chair to speak.
    AwaitSpeaker(Speak),
    /// Take the chair's text from its script.
    Recite(Speak),
    /// Refuse the turn because a guardrail matched, without a model call.
    Refuse(Speak),
    /// Ask a judge or evaluator for a verdict.
    Judge(Judge),
    /// Wait for the person on the judge's chair.
    AwaitJudge(Judge),
    /// Apply a grader or detector.
    Grade { judging: JudgingId, target: Target },
    /// Take the rewards of another debate of the batch, which the lessons are then written from.
    SwapRewards,
    /// Write a lesson of the debate.
    WriteFeedback(LessonStep),
    /// Ask the model on a chair for a guardrail, from the lesson that was written; in samples alone.
    DeriveGuardrail(Chair),
    /// Wait for the person who writes the lesson.
    AwaitFeedback(LessonStep),
}

/// A lesson to be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LessonStep {
    /// The chair that writes it.
    pub chair: Chair,
    /// The seat that it is for alone; `None`: for all that see memory.
    pub learner: Option<SeatId>,
}

/// A turn to be spoken.
#[derive(Debug, Clone, PartialEq)]
pub struct Speak {
    pub turn: TurnId,
    pub attempt: u32,
    /// Index of the stage's retry rule that asks for another attempt.
    pub retry: Option<usize>,
}

/// A verdict to be requested.
#[derive(Debug, Clone, PartialEq)]
pub struct Judge {
    pub judging: JudgingId,
    pub chair: Chair,
    pub target: Target,
    pub order: ShownOrder,
    /// Number of earlier requests for this verdict.
    pub attempt: u32,
}

/// Order in which a judge is shown two candidates.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
#[serde(rename_all = "snake_case")]
pub enum ShownOrder {
    /// The order of the seats in the protocol.
    #[default]
    AsSeated,
    Swapped,
}

impl ShownOrder {
    pub(super) fn is_as_seated(&self) -> bool {
        *self == ShownOrder::AsSeated
    }
}

/// Slot of a finding that a rule requires on a target: one per chair and order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct VerdictSlot {
    /// Index of the judge's chair; 0 for a grader or detector.
    pub chair: u32,
    pub order: ShownOrder,
}

/// Subject of a verdict.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Target {
    Attempt(AttemptId),
    Round(u32),
    Debate,
}

impl Target {
    /// Parses the output of [`Display`](fmt::Display).
    fn parse(text: &str) -> Option<Self> {
        if text == "debate" {
            return Some(Target::Debate);
        }
        let round = text.strip_prefix('r').and_then(|round| round.parse().ok());
        round
            .map(Target::Round)
            .or_else(|| AttemptId::parse(text).map(Target::Attempt))
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Target::Attempt(attempt) => attempt.fmt(f),
            Target::Round(round) => write!(f, "r{round}"),
            Target::Debate => f.write_str("debate"),
        }
    }
}

impl Step {
    /// Returns whether the step is a turn of a speaker.
    pub fn is_spoken(&self) -> bool {
        self.as_speak().is_some()
    }

    /// Returns the step's stable id.
    pub fn id(&self) -> StepId {
        StepId(match self {
            Step::Retrieve(learner) => {
                return StepId::with_learner(RETRIEVE, learner.as_ref());
            }
            Step::SwapRewards => "swap-rewards".to_owned(),
            Step::RetrieveGuards => "retrieve-guards".to_owned(),
            Step::Guard(chair) => format!("{GUARD}{chair}"),
            Step::DeriveGuardrail(chair) => format!("{DERIVE}{chair}"),
            Step::Speak(speak)
            | Step::AwaitSpeaker(speak)
            | Step::Recite(speak)
            | Step::Refuse(speak) => {
                format!("{SPEAK}{}#{}", speak.turn, speak.attempt)
            }
            Step::Judge(judge) | Step::AwaitJudge(judge) => judge.format_id(),
            Step::Grade { judging, target } => format!("grade {judging} {target}"),
            Step::WriteFeedback(lesson) | Step::AwaitFeedback(lesson) => {
                return StepId::feedback_step(lesson.learner.as_ref());
            }
        })
    }
}

impl Judge {
    fn format_id(&self) -> String {
        let order = match self.order {
            ShownOrder::AsSeated => "",
            ShownOrder::Swapped => " swapped",
        };
        let again = match self.attempt {
            0 => String::new(),
            attempt => format!(" #{attempt}"),
        };
        format!(
            "{JUDGE}{} {} {}{order}{again}",
            self.judging, self.chair, self.target
        )
    }
}

/// The open steps.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Opening {
    pub steps: Vec<Step>,
    /// Failed steps that wait for the session to be resumed.
    pub blocked: Vec<StepId>,
    /// Set when nothing is left to do.
    pub done: Option<EndReason>,
}

/// Reason why a debate is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EndReason {
    Complete,
    /// A stop rule ended it after this round.
    Stopped {
        after_round: u32,
    },
    Truncated(CeilingKind),
}
