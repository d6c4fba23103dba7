//! Re-rolls: fresh attempts of one turn, concurrently; recorded in the order in which they were requested.

use elenchus_game::debate::State;
use elenchus_game::debate::event::Event;
use elenchus_game::debate::ids::{AttemptId, TurnId};
use elenchus_game::debate::step::StepId;
use std::collections::BTreeMap;

/// Every re-roll that is going on.
#[derive(Default)]
pub(crate) struct Rerolls {
    /// By turn: its calls by number.
    going: BTreeMap<TurnId, BTreeMap<u32, Slot>>,
    /// Waits for no more attempts: those that arrived are kept even where an earlier one is missing.
    hurried: bool,
}

enum Slot {
    InFlight,
    /// Came before an earlier one did.
    Came(Event),
}

impl Rerolls {
    /// Says whether attempts of this turn are on their way.
    pub(crate) fn is_going(&self, turn: &TurnId) -> bool {
        self.going.contains_key(turn)
    }

    /// Returns the turns of which attempts are on their way.
    pub(crate) fn turns(&self) -> impl Iterator<Item = &TurnId> {
        self.going.keys()
    }

    /// One more is on its way.
    pub(crate) fn begin(&mut self, call: &AttemptId) {
        let calls = self.going.entry(call.turn.clone()).or_default();
        calls.insert(call.attempt, Slot::InFlight);
    }

    /// Takes what a call brought. A reply waits for those before it; anything else is handed back.
    pub(crate) fn end(&mut self, call: &AttemptId, event: Option<Event>) -> Option<Event> {
        let calls = self.going.entry(call.turn.clone()).or_default();
        match event {
            Some(event @ Event::Replied(_)) => {
                calls.insert(call.attempt, Slot::Came(event));
                None
            }
            other => {
                calls.remove(&call.attempt);
                other
            }
        }
    }

    /// Lets every reply go that came.
    pub(crate) fn release_all(&mut self) {
        self.hurried = true;
    }

    /// Returns the replies that nothing before them is missing for, each as the next attempt of its
    /// turn, with the calls that brought them.
    pub(crate) fn take(&mut self, state: &State) -> Vec<(StepId, Event)> {
        let mut taken = Vec::new();
        for (turn, calls) in &mut self.going {
            let known = state.turns().get(turn);
            let mut next = known.map_or(0, |known| known.attempts.len());
            let numbers: Vec<u32> = calls.keys().copied().collect();
            for number in numbers {
                match calls.remove(&number) {
                    Some(Slot::Came(Event::Replied(mut replied))) => {
                        let call = StepId::of_reroll(&AttemptId {
                            turn: turn.clone(),
                            attempt: number,
                        });
                        replied.attempt = u32::try_from(next).unwrap_or(u32::MAX);
                        replied.call = Some(call.clone());
                        next += 1;
                        taken.push((call, Event::Replied(replied)));
                    }
                    Some(slot) => {
                        calls.insert(number, slot);
                        if !self.hurried {
                            break;
                        }
                    }
                    None => {}
                }
            }
        }
        self.going.retain(|_, calls| !calls.is_empty());
        taken
    }
}
