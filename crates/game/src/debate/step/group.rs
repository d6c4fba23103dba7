//! Group of a step: what it is about, and who performs it. Readers match on groups, so that a new
//! step is placed here once, and only those are touched that need to know of it.

use super::{Judge, LessonStep, Speak, Step, Target};
use crate::debate::ids::{Chair, JudgingId, TurnId};

/// What a step is about.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum StepGroup<'a> {
    /// Long-term memory is asked, or the run for what a lesson is written from.
    Memory,
    /// A chair's model decides about guardrails, or writes one.
    Guard(&'a Chair),
    Turn(&'a Speak),
    Verdict(VerdictStep<'a>),
    Lesson(&'a LessonStep),
}

/// A step that brings a verdict.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct VerdictStep<'a> {
    pub judging: &'a JudgingId,
    pub target: &'a Target,
    /// `None` for a rule, which asks no model.
    pub judge: Option<&'a Judge>,
}

/// Who performs a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Performer {
    /// The program itself, at once.
    Engine,
    Model,
    Person,
}

impl Step {
    /// Returns what the step is about.
    pub fn group(&self) -> StepGroup<'_> {
        match self {
            Step::Retrieve(_) | Step::RetrieveGuards | Step::SwapRewards => StepGroup::Memory,
            Step::Guard(chair) | Step::DeriveGuardrail(chair) => StepGroup::Guard(chair),
            Step::Speak(speak)
            | Step::AwaitSpeaker(speak)
            | Step::Recite(speak)
            | Step::Refuse(speak) => StepGroup::Turn(speak),
            Step::Judge(judge) | Step::AwaitJudge(judge) => StepGroup::Verdict(VerdictStep {
                judging: &judge.judging,
                target: &judge.target,
                judge: Some(judge),
            }),
            Step::Grade { judging, target } => StepGroup::Verdict(VerdictStep {
                judging,
                target,
                judge: None,
            }),
            Step::WriteFeedback(lesson) | Step::AwaitFeedback(lesson) => StepGroup::Lesson(lesson),
        }
    }

    /// Returns who performs the step.
    pub fn performer(&self) -> Performer {
        match self {
            Step::Guard(_)
            | Step::Speak(_)
            | Step::Judge(_)
            | Step::WriteFeedback(_)
            | Step::DeriveGuardrail(_) => Performer::Model,
            Step::AwaitSpeaker(_) | Step::AwaitJudge(_) | Step::AwaitFeedback(_) => {
                Performer::Person
            }
            Step::Retrieve(_)
            | Step::RetrieveGuards
            | Step::SwapRewards
            | Step::Recite(_)
            | Step::Refuse(_)
            | Step::Grade { .. } => Performer::Engine,
        }
    }

    /// Returns the turn to be spoken.
    pub fn as_speak(&self) -> Option<&Speak> {
        match self.group() {
            StepGroup::Turn(speak) => Some(speak),
            StepGroup::Memory
            | StepGroup::Guard(_)
            | StepGroup::Verdict(_)
            | StepGroup::Lesson(_) => None,
        }
    }

    /// Returns the turn that the step brings.
    pub fn turn(&self) -> Option<&TurnId> {
        Some(&self.as_speak()?.turn)
    }

    /// Returns the verdict that the step brings.
    pub fn as_verdict(&self) -> Option<VerdictStep<'_>> {
        match self.group() {
            StepGroup::Verdict(verdict) => Some(verdict),
            StepGroup::Memory | StepGroup::Guard(_) | StepGroup::Turn(_) | StepGroup::Lesson(_) => {
                None
            }
        }
    }

    /// Returns the chair that a person or a model performs the step from, or that it speaks for.
    pub fn chair(&self) -> Option<&Chair> {
        match self.group() {
            StepGroup::Turn(speak) => Some(&speak.turn.chair),
            StepGroup::Verdict(verdict) => Some(&verdict.judge?.chair),
            StepGroup::Guard(chair) => Some(chair),
            StepGroup::Lesson(lesson) => Some(&lesson.chair),
            StepGroup::Memory => None,
        }
    }
}
