//! Whether anything has been shown a turn: changing one that was seen needs a fork.

use super::ids::TurnId;
use super::sight::{self, Reader};
use super::state::State;
use super::step::Target;

impl State {
    /// Says whether a later turn, a judge or the lesson has been shown this turn.
    pub fn is_seen(&self, turn: &TurnId) -> bool {
        let Some(protocol) = self.protocol() else {
            return false;
        };
        if self.feedback.is_some() {
            return true;
        }
        let by_turns = self.turns.keys().any(|later| {
            let Some(stage) = protocol.stage(&later.stage) else {
                return false;
            };
            let reader = Reader::at(protocol, later);
            later != turn
                && (sight::visible(protocol, &stage.sees, reader).contains(turn)
                    || sight::own_private(protocol, &stage.sees, reader).contains(turn))
        });
        by_turns
            || self.verdicts.iter().any(|((id, target), _)| {
                let Some(judging) = protocol.judging(id) else {
                    return false;
                };
                let reader = match target {
                    Target::Attempt(attempt) => {
                        if &attempt.turn == turn {
                            return true;
                        }
                        Reader {
                            chair: None,
                            round: attempt.turn.round,
                            stage: protocol.stage_place(&attempt.turn.stage),
                        }
                    }
                    Target::Round(round) => Reader::after_round(protocol, *round),
                    Target::Debate => Reader::after_round(protocol, protocol.rounds),
                };
                sight::visible(protocol, &judging.sees, reader).contains(turn)
            })
    }
}
