//! Pending verdicts of models on one attempt, whether or not the game requests them yet.

use super::{Judge, Target};
use crate::debate::ids::{AttemptId, Chair};
use crate::debate::protocol::JudgedThing;
use crate::debate::state::State;
use crate::debate::visibility;

impl State {
    /// Returns the verdicts on an attempt that models have not given, whether or not the game
    /// requests them now. Evaluators that wait for the end of a debate can judge an attempt before:
    /// their view is the attempt and the turns before it.
    pub fn judges_of(&self, attempt: &AttemptId) -> Vec<Judge> {
        let Some(first_event) = self.first_event() else {
            return Vec::new();
        };
        let target = Target::Attempt(attempt.clone());
        let turn_state = self.turns.get(&attempt.turn);
        let is_there =
            turn_state.is_some_and(|turn| turn.attempts.len() > attempt.attempt as usize);
        if !is_there || self.is_refusal(&target) || self.is_empty_target(&target) {
            return Vec::new();
        }
        let protocol = &first_event.protocol;
        let rules = protocol.judging.iter().filter(|rule| {
            rule.enabled
                && rule.of == JudgedThing::Turn
                && visibility::is_target(protocol, rule, &attempt.turn)
        });
        let judges = rules.flat_map(|rule| {
            let missing = self.missing_slots(protocol, rule, &target).into_iter();
            let target = &target;
            missing.filter_map(move |missing| {
                let chair = Chair {
                    seat: rule.by.clone()?,
                    index: missing.slot.chair,
                };
                first_event.player_of(&chair)?.as_model()?;
                Some(Judge {
                    judging: rule.id.clone(),
                    chair,
                    target: target.clone(),
                    order: missing.slot.order,
                    attempt: missing.attempt,
                })
            })
        });
        judges.collect()
    }
}
