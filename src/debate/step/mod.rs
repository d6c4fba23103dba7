//! What the game asks for next.

use super::event::CeilingKind;
use super::ids::{AttemptId, Chair, JudgingId, TurnId};
use serde::{Deserialize, Serialize};
use std::fmt;

/// How the ids of steps begin that ask for a turn.
const SPEAK: &str = "speak ";
/// How the ids of calls begin that ask for a fresh attempt of a turn.
const REROLL: &str = "reroll ";
/// How the ids of steps begin that ask for a verdict.
const JUDGE: &str = "judge ";
/// The id of the step that asks for the lesson of a debate.
const FEEDBACK: &str = "feedback";
/// How the ids of steps begin that ask whether a guardrail matches.
const GUARD: &str = "guard ";

/// The stable name of a step: the same before and after a restart.
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

    /// Names the call that asks for a fresh attempt of a turn. It is no step of the game.
    pub fn of_reroll(attempt: &AttemptId) -> Self {
        Self(format!("{REROLL}{attempt}"))
    }

    /// Names the step that writes the lesson of a debate.
    pub fn of_feedback() -> Self {
        Self(FEEDBACK.to_owned())
    }

    /// Returns the turn that the step asks for; `None` where it asks for something else.
    pub fn turn(&self) -> Option<TurnId> {
        let asked = self.spoken().or_else(|| self.rerolled())?;
        Some(asked.turn)
    }

    /// Returns what a re-roll asks for; its number is the call's, the attempt's may be lower.
    pub fn rerolled(&self) -> Option<AttemptId> {
        AttemptId::read(self.0.strip_prefix(REROLL)?)
    }

    /// Returns the attempt that a step of the game asks for.
    pub(super) fn spoken(&self) -> Option<AttemptId> {
        AttemptId::read(self.0.strip_prefix(SPEAK)?)
    }

    /// Returns the chair whose model a step asks whether a guardrail matches.
    pub fn guarded(&self) -> Option<Chair> {
        Chair::try_from(self.0.strip_prefix(GUARD)?.to_owned()).ok()
    }

    /// Returns the verdict that a step of the game asks for, but for how often it was asked.
    pub fn judged(&self) -> Option<(JudgingId, Chair, Target, ShownOrder)> {
        let mut words = self.0.strip_prefix(JUDGE)?.split(' ');
        let judging = JudgingId::from(words.next()?);
        let chair = Chair::try_from(words.next()?.to_owned()).ok()?;
        let target = Target::read(words.next()?)?;
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

/// Something that can be done now.
#[derive(Debug, Clone, PartialEq)]
pub enum Step {
    /// Look the topic up in long-term memory.
    Retrieve,
    /// Look the topic up among the guardrails.
    RetrieveGuards,
    /// Ask the model on a chair whether a guardrail matches the topic.
    Guard(Chair),
    /// Ask a model on a chair for a turn.
    Speak(Speak),
    /// A person sits on this chair.
    AwaitSpeaker(Speak),
    /// What the chair says is written down beforehand.
    Recite(Speak),
    /// A guardrail matched: the turn is refused, and nobody is asked.
    Refuse(Speak),
    /// Ask a judge or evaluator for a verdict.
    Judge(Judge),
    /// A person sits on the judge's chair.
    AwaitJudge(Judge),
    /// Apply a rule: compare with the reference answer, or look for a pattern.
    Grade { judging: JudgingId, target: Target },
    /// Write the lesson of the debate.
    WriteFeedback(Chair),
    /// A person writes the lesson.
    AwaitFeedback(Chair),
}

/// A turn to be spoken.
#[derive(Debug, Clone, PartialEq)]
pub struct Speak {
    pub turn: TurnId,
    pub attempt: u32,
    /// The retry rule that asks for another attempt, by its place in the stage.
    pub retry: Option<usize>,
}

/// A verdict to be found.
#[derive(Debug, Clone, PartialEq)]
pub struct Judge {
    pub judging: JudgingId,
    pub chair: Chair,
    pub target: Target,
    pub order: ShownOrder,
    /// Counts how often this verdict was asked for again, from 0.
    pub attempt: u32,
}

/// In which order a judge is shown two candidates.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
#[serde(rename_all = "snake_case")]
pub enum ShownOrder {
    /// As the protocol names the seats.
    #[default]
    AsSeated,
    Swapped,
}

impl ShownOrder {
    pub(super) fn is_as_seated(&self) -> bool {
        *self == ShownOrder::AsSeated
    }
}

/// One of the findings that a rule wants on a target: each chair gives one for each order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Slot {
    /// The judge's chair, from 0; 0 for a grader or detector.
    pub chair: u32,
    pub order: ShownOrder,
}

/// What a verdict is about.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Target {
    Attempt(AttemptId),
    Round(u32),
    Debate,
}

impl Target {
    /// Reads what [`Display`](fmt::Display) wrote.
    fn read(text: &str) -> Option<Self> {
        if text == "debate" {
            return Some(Target::Debate);
        }
        let round = text.strip_prefix('r').and_then(|round| round.parse().ok());
        round
            .map(Target::Round)
            .or_else(|| AttemptId::read(text).map(Target::Attempt))
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
    /// Says whether somebody is to speak.
    pub fn is_spoken(&self) -> bool {
        match self {
            Step::Speak(_) | Step::AwaitSpeaker(_) | Step::Recite(_) | Step::Refuse(_) => true,
            Step::Retrieve
            | Step::RetrieveGuards
            | Step::Guard(_)
            | Step::Judge(_)
            | Step::AwaitJudge(_)
            | Step::Grade { .. }
            | Step::WriteFeedback(_)
            | Step::AwaitFeedback(_) => false,
        }
    }

    /// Returns the step's stable id.
    pub fn id(&self) -> StepId {
        StepId(match self {
            Step::Retrieve => "retrieve".to_owned(),
            Step::RetrieveGuards => "retrieve-guards".to_owned(),
            Step::Guard(chair) => format!("{GUARD}{chair}"),
            Step::Speak(speak)
            | Step::AwaitSpeaker(speak)
            | Step::Recite(speak)
            | Step::Refuse(speak) => {
                format!("{SPEAK}{}#{}", speak.turn, speak.attempt)
            }
            Step::Judge(judge) | Step::AwaitJudge(judge) => judge.name(),
            Step::Grade { judging, target } => format!("grade {judging} {target}"),
            Step::WriteFeedback(_) | Step::AwaitFeedback(_) => FEEDBACK.to_owned(),
        })
    }
}

impl Judge {
    fn name(&self) -> String {
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

/// Everything that can happen now.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Opening {
    pub steps: Vec<Step>,
    /// Steps that failed and wait for somebody to resume the session.
    pub blocked: Vec<StepId>,
    /// Set when nothing is left to do.
    pub done: Option<Done>,
}

/// Why a debate is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Done {
    Complete,
    /// A stop rule ended it after this round.
    Stopped {
        after_round: u32,
    },
    Truncated(CeilingKind),
}
