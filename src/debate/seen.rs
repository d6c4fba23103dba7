//! Whether anything has been shown a turn: changing one that was seen needs a fork.

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
                .any(|later| speaker_saw(protocol, later, turn))
            || self
                .verdicts()
                .any(|(id, target, _)| self.judge_saw(protocol, id, target, turn))
            || self.let_a_round_begin(protocol, turn)
            || self.is_seen_in_flight(protocol, turn)
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
    fn let_a_round_begin(&self, protocol: &Protocol, turn: &TurnId) -> bool {
        let mut stages = protocol.stop.iter().filter_map(|rule| rule.stage.as_ref());
        stages.any(|stage| stage == &turn.stage)
            && self.turns.keys().any(|later| later.round > turn.round)
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
        asked.any(|step| match step {
            Step::Speak(speak) | Step::AwaitSpeaker(speak) | Step::Recite(speak) => {
                speaker_saw(protocol, &speak.turn, turn)
            }
            Step::Judge(judge) | Step::AwaitJudge(judge) => {
                self.judge_saw(protocol, &judge.judging, &judge.target, turn)
            }
            Step::WriteFeedback(_) | Step::AwaitFeedback(_) => true,
            Step::Retrieve | Step::Grade { .. } => false,
        })
    }
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
