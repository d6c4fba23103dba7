//! Whether anything has been shown a turn: changing one that was seen needs a fork.

use super::event::{Event, FailureKind};
use super::ids::{JudgingId, TurnId};
use super::protocol::Protocol;
use super::sight::{self, Reader};
use super::state::State;
use super::step::{Step, Target};

impl State {
    /// Says whether a later turn, a judge, the lesson or a call in flight has been shown this
    /// turn, or whether the debate has gone on because of what its fields say.
    pub fn is_seen(&self, turn: &TurnId) -> bool {
        let Some(protocol) = self.protocol() else {
            return false;
        };
        self.feedback.is_some()
            || self
                .turns
                .keys()
                .any(|later| follows(protocol, later, turn))
            || self
                .verdicts
                .keys()
                .any(|(id, target)| self.judge_saw(protocol, id, target, turn))
            || self.is_seen_in_flight(protocol, turn)
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
                    left_out.any(|step| self.step_sees(protocol, &step, turn))
                }
            },
            Event::Created(_)
            | Event::Forked { .. }
            | Event::Resumed {}
            | Event::CallStarted { .. }
            | Event::CallRetried { .. }
            | Event::Retrieved(_)
            | Event::Edited { .. }
            | Event::Chosen { .. }
            | Event::Truncated { .. } => false,
        }
    }

    fn step_sees(&self, protocol: &Protocol, step: &Step, turn: &TurnId) -> bool {
        match step {
            Step::Speak(speak) | Step::AwaitSpeaker(speak) | Step::Recite(speak) => {
                follows(protocol, &speak.turn, turn)
            }
            Step::Judge(judge) | Step::AwaitJudge(judge) => {
                self.judge_saw(protocol, &judge.judging, &judge.target, turn)
            }
            Step::WriteFeedback(_) | Step::AwaitFeedback(_) => true,
            Step::Retrieve | Step::Grade { .. } => false,
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
        sight::visible(protocol, &judging.sees, reader).contains(turn)
    }

    fn is_seen_in_flight(&self, protocol: &Protocol, turn: &TurnId) -> bool {
        if self.started.is_empty() {
            return false;
        }
        let opening = self.open();
        let mut asked = opening
            .steps
            .iter()
            .filter(|step| self.started.contains_key(&step.id()));
        asked.any(|step| self.step_sees(protocol, step, turn))
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
        && (sight::visible(protocol, &stage.sees, reader).contains(turn)
            || sight::own_private(protocol, &stage.sees, reader).contains(turn))
}
