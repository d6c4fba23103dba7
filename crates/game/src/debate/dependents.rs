//! Dependents of a turn: what was already shown it. Changing a turn that has dependents needs a
//! fork.

use super::event::{Event, EventGroup, TurnEvent};
use super::ids::{JudgingId, TurnId};
use super::protocol::Protocol;
use super::state::State;
use super::step::{Step, StepGroup, StepId, Target};
use super::visibility::{self, ReaderPosition};
use std::fmt;

/// A reader of a turn, or a decision that depended on it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Dependent {
    /// The speaker of a later turn.
    Speaker(TurnId),
    Judge {
        judging: JudgingId,
        target: Target,
    },
    /// The author of the lesson.
    Lesson,
    /// A stop rule read the turn before this round began.
    Round(u32),
    /// A call without an outcome.
    Call(StepId),
}

impl fmt::Display for Dependent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Dependent::Speaker(turn) => write!(f, "the speaker of {turn}"),
            Dependent::Judge { judging, target } => {
                write!(f, "the verdict '{judging}' on {target}")
            }
            Dependent::Lesson => f.write_str("the lesson"),
            Dependent::Round(round) => {
                write!(f, "the rule that let round {round} begin")
            }
            Dependent::Call(step) => write!(f, "the call '{step}', whose outcome is not known"),
        }
    }
}

impl State {
    /// Returns whether a later turn, a judge, the lesson or a call in flight has been shown this
    /// turn, or whether the debate continued because of its fields.
    pub fn is_seen(&self, turn: &TurnId) -> bool {
        self.find_dependent(turn).is_some()
    }

    /// Returns the first dependent of a turn; `None` while there is none.
    pub fn find_dependent(&self, turn: &TurnId) -> Option<Dependent> {
        let protocol = self.protocol()?;
        if !self.feedback.is_empty() {
            return Some(Dependent::Lesson);
        }
        let mut turns = self.turns.keys();
        if let Some(later) = turns.find(|later| speaker_saw(protocol, later, turn)) {
            return Some(Dependent::Speaker(later.clone()));
        }
        let mut verdicts = self.verdicts();
        let verdict = verdicts.find(|(id, target, _)| self.judge_saw(protocol, id, target, turn));
        if let Some((judging, target, _)) = verdict {
            return Some(Dependent::Judge {
                judging: judging.clone(),
                target: target.clone(),
            });
        }
        self.find_dependent_round(protocol, turn)
            .map(Dependent::Round)
            .or_else(|| self.find_dependent_call(turn).map(Dependent::Call))
    }

    /// Returns whether a step would show this turn to its reader.
    pub fn would_see(&self, step: &Step, turn: &TurnId) -> bool {
        let Some(protocol) = self.protocol() else {
            return false;
        };
        match step.group() {
            StepGroup::Turn(speak) => speaker_saw(protocol, &speak.turn, turn),
            StepGroup::Verdict(verdict) => {
                self.judge_saw(protocol, verdict.judging, verdict.target, turn)
            }
            StepGroup::Lesson(_) => true,
            // These show the topic, which no turn changes.
            StepGroup::Memory | StepGroup::Guard(_) => false,
        }
    }

    /// Returns whether an event that fits next depends on this turn: something was shown the turn
    /// or its fields decided that the debate continues.
    pub fn is_seen_by(&self, event: &Event, turn: &TurnId) -> bool {
        let Some(protocol) = self.protocol() else {
            return false;
        };
        match event.group() {
            EventGroup::Turn(TurnEvent::Replied(replied)) => {
                depends_on(protocol, &replied.turn, turn)
            }
            EventGroup::Verdict(judged) => {
                self.judge_saw(protocol, &judged.judging, &judged.target, turn)
            }
            EventGroup::Lesson(_) => true,
            // Where a step was passed over, the debate continued without its result.
            EventGroup::Call(_) => event.skipped_step().is_some_and(|skipped| {
                let steps = self.find_open_steps().steps.into_iter();
                let mut left_out = steps.filter(|step| &step.id() == skipped);
                left_out.any(|step| self.would_see(&step, turn))
            }),
            EventGroup::Turn(TurnEvent::Edited { .. } | TurnEvent::Chosen(_))
            | EventGroup::Session(_)
            | EventGroup::Memory(_) => false,
        }
    }

    fn judge_saw(
        &self,
        protocol: &Protocol,
        id: &JudgingId,
        target: &Target,
        turn: &TurnId,
    ) -> bool {
        let Some(judging) = protocol.find_judging(id) else {
            return false;
        };
        let reader = match target {
            Target::Attempt(attempt) if &attempt.turn == turn => return true,
            Target::Attempt(attempt) => ReaderPosition::from_examined_turn(protocol, &attempt.turn),
            Target::Round(round) => ReaderPosition::from_round_end(protocol, *round),
            Target::Debate => ReaderPosition::from_round_end(protocol, self.last_round()),
        };
        visibility::is_visible(protocol, &judging.sees, reader, turn)
            || visibility::find_private_turns(protocol, &judging.sees, reader).contains(turn)
    }

    /// Returns the round that began after a stop rule had read the turn.
    fn find_dependent_round(&self, protocol: &Protocol, turn: &TurnId) -> Option<u32> {
        let mut stages = protocol.stop.iter().filter_map(|rule| rule.stage.as_ref());
        let has_stop_rule = stages.any(|stage| stage == &turn.stage);
        let later = self.turns.keys().find(|later| later.round > turn.round);
        later.filter(|_| has_stop_rule).map(|later| later.round)
    }

    fn find_dependent_call(&self, turn: &TurnId) -> Option<StepId> {
        if self.started.is_empty() {
            return None;
        }
        let opening = self.find_open_steps();
        opening
            .steps
            .iter()
            .find(|step| self.started.contains_key(&step.id()) && self.would_see(step, turn))
            .map(Step::id)
    }
}

/// Returns whether a turn was shown another one, or belongs to a round that began after a stop rule
/// had read that one.
fn depends_on(protocol: &Protocol, later: &TurnId, turn: &TurnId) -> bool {
    let stops = || {
        let mut stages = protocol.stop.iter().filter_map(|rule| rule.stage.as_ref());
        later.round > turn.round && stages.any(|stage| stage == &turn.stage)
    };
    speaker_saw(protocol, later, turn) || stops()
}

fn speaker_saw(protocol: &Protocol, later: &TurnId, turn: &TurnId) -> bool {
    let Some(stage) = protocol.find_stage(&later.stage) else {
        return false;
    };
    let reader = ReaderPosition::from_spoken_turn(protocol, later);
    later != turn
        && (visibility::is_visible(protocol, &stage.sees, reader, turn)
            || visibility::find_private_turns(protocol, &stage.sees, reader).contains(turn))
}
