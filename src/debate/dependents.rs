//! Whether anything has been shown a turn: changing one that was seen needs a fork.

use super::event::{Event, FailureKind};
use super::ids::{JudgingId, TurnId};
use super::protocol::Protocol;
use super::sight::{self, Reader};
use super::state::State;
use super::step::{Step, StepId, Target};
use std::fmt;

/// What has been shown a turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Onlooker {
    /// The speaker of a later turn.
    Speaker(TurnId),
    Judge {
        judging: JudgingId,
        target: Target,
    },
    /// The author of the lesson.
    Lesson,
    /// A stop rule looked at it before this round began.
    Round(u32),
    /// A call without an outcome.
    Call(StepId),
}

impl fmt::Display for Onlooker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Onlooker::Speaker(turn) => write!(f, "the speaker of {turn}"),
            Onlooker::Judge { judging, target } => {
                write!(f, "the verdict '{judging}' on {target}")
            }
            Onlooker::Lesson => f.write_str("the lesson"),
            Onlooker::Round(round) => {
                write!(f, "the rule that let round {round} begin")
            }
            Onlooker::Call(step) => write!(f, "the call '{step}', whose outcome is not known"),
        }
    }
}

impl State {
    /// Says whether a later turn, a judge, the lesson or a call in flight has been shown this
    /// turn, or whether the debate has gone on because of what its fields say.
    pub fn is_seen(&self, turn: &TurnId) -> bool {
        self.seen_by(turn).is_some()
    }

    /// Returns the first that has been shown a turn; `None` while nothing has.
    pub fn seen_by(&self, turn: &TurnId) -> Option<Onlooker> {
        let protocol = self.protocol()?;
        if self.feedback.is_some() {
            return Some(Onlooker::Lesson);
        }
        let mut turns = self.turns.keys();
        if let Some(later) = turns.find(|later| speaker_saw(protocol, later, turn)) {
            return Some(Onlooker::Speaker(later.clone()));
        }
        let mut verdicts = self.verdicts();
        let verdict = verdicts.find(|(id, target, _)| self.judge_saw(protocol, id, target, turn));
        if let Some((judging, target, _)) = verdict {
            return Some(Onlooker::Judge {
                judging: judging.clone(),
                target: target.clone(),
            });
        }
        self.let_a_round_begin(protocol, turn)
            .map(Onlooker::Round)
            .or_else(|| self.seen_in_flight(turn).map(Onlooker::Call))
    }

    /// Says whether doing a step shows its reader this turn.
    pub fn would_see(&self, step: &Step, turn: &TurnId) -> bool {
        let Some(protocol) = self.protocol() else {
            return false;
        };
        match step {
            Step::Speak(speak)
            | Step::AwaitSpeaker(speak)
            | Step::Recite(speak)
            | Step::Refuse(speak) => speaker_saw(protocol, &speak.turn, turn),
            Step::Judge(judge) | Step::AwaitJudge(judge) => {
                self.judge_saw(protocol, &judge.judging, &judge.target, turn)
            }
            Step::Grade { judging, target } => self.judge_saw(protocol, judging, target, turn),
            Step::WriteFeedback(_) | Step::AwaitFeedback(_) => true,
            // What they show is the topic, which no turn changes.
            Step::Retrieve | Step::RetrieveGuards | Step::Guard(_) => false,
        }
    }

    /// Says whether an event, which fits next, can only have come about because something was shown
    /// this turn or depended on what its fields say.
    pub fn is_seen_by(&self, event: &Event, turn: &TurnId) -> bool {
        let Some(protocol) = self.protocol() else {
            return false;
        };
        match event {
            Event::Replied(replied) => follows(protocol, &replied.turn, turn),
            Event::Judged(judged) => {
                self.judge_saw(protocol, &judged.judging, &judged.target, turn)
            }
            Event::FeedbackWritten(_) => true,
            Event::Failed(failed) => match failed.kind {
                FailureKind::Error => false,
                // The debate went on without it, as if it had been there.
                FailureKind::Filtered => {
                    let steps = self.open().steps.into_iter();
                    let mut left_out = steps.filter(|step| step.id() == failed.step);
                    left_out.any(|step| self.would_see(&step, turn))
                }
            },
            Event::Created(_)
            | Event::Forked { .. }
            | Event::Prompted(_)
            | Event::Resumed {}
            | Event::CallStarted { .. }
            | Event::CallRetried { .. }
            | Event::Retrieved(_)
            | Event::GuardsRetrieved(_)
            | Event::Guarded(_)
            | Event::Edited { .. }
            | Event::Chosen { .. }
            | Event::Truncated { .. } => false,
        }
    }

    fn judge_saw(
        &self,
        protocol: &Protocol,
        id: &JudgingId,
        target: &Target,
        turn: &TurnId,
    ) -> bool {
        let Some(judging) = protocol.judging(id) else {
            return false;
        };
        let reader = match target {
            Target::Attempt(attempt) if &attempt.turn == turn => return true,
            Target::Attempt(attempt) => Reader::examining(protocol, &attempt.turn),
            Target::Round(round) => Reader::after_round(protocol, *round),
            Target::Debate => Reader::after_round(protocol, self.last_round()),
        };
        sight::is_visible(protocol, &judging.sees, reader, turn)
    }

    /// A stop rule on the turn's stage looked at it before the next round began.
    fn let_a_round_begin(&self, protocol: &Protocol, turn: &TurnId) -> Option<u32> {
        let mut stages = protocol.stop.iter().filter_map(|rule| rule.stage.as_ref());
        let looked = stages.any(|stage| stage == &turn.stage);
        let later = self.turns.keys().find(|later| later.round > turn.round);
        later.filter(|_| looked).map(|later| later.round)
    }

    fn seen_in_flight(&self, turn: &TurnId) -> Option<StepId> {
        if self.started.is_empty() {
            return None;
        }
        let opening = self.open();
        opening
            .steps
            .iter()
            .find(|step| self.started.contains_key(&step.id()) && self.would_see(step, turn))
            .map(Step::id)
    }
}

/// Says whether a turn was shown another one, or belongs to a round that a stop rule let begin
/// after it had looked at that one.
fn follows(protocol: &Protocol, later: &TurnId, turn: &TurnId) -> bool {
    let stops = || {
        let mut stages = protocol.stop.iter().filter_map(|rule| rule.stage.as_ref());
        later.round > turn.round && stages.any(|stage| stage == &turn.stage)
    };
    speaker_saw(protocol, later, turn) || stops()
}

fn speaker_saw(protocol: &Protocol, later: &TurnId, turn: &TurnId) -> bool {
    let Some(stage) = protocol.stage(&later.stage) else {
        return false;
    };
    let reader = Reader::at(protocol, later);
    later != turn
        && (sight::is_visible(protocol, &stage.sees, reader, turn)
            || sight::own_private(protocol, &stage.sees, reader).contains(turn))
}
