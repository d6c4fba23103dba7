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
    in_flight: BTreeMap<TurnId, BTreeMap<u32, Slot>>,
    /// Waits for no more attempts: those that arrived are kept even where an earlier one is missing.
    releases_all: bool,
}

enum Slot {
    InFlight,
    /// Came before an earlier one did.
    Came(Event),
}

impl Rerolls {
    /// Says whether attempts of this turn are on their way.
    pub(crate) fn is_going(&self, turn: &TurnId) -> bool {
        self.in_flight.contains_key(turn)
    }

    /// Returns the turns of which attempts are on their way.
    pub(crate) fn turns(&self) -> impl Iterator<Item = &TurnId> {
        self.in_flight.keys()
    }

    /// One more is on its way.
    pub(crate) fn start_reroll(&mut self, call: &AttemptId) {
        let calls = self.in_flight.entry(call.turn.clone()).or_default();
        calls.insert(call.attempt, Slot::InFlight);
    }

    /// Takes what a call brought. A reply waits for those before it; anything else is handed back.
    pub(crate) fn end_reroll(&mut self, call: &AttemptId, event: Option<Event>) -> Option<Event> {
        let calls = self.in_flight.entry(call.turn.clone()).or_default();
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
        self.releases_all = true;
    }

    /// Returns the replies that nothing before them is missing for, each as the next attempt of its
    /// turn, with the calls that brought them.
    pub(crate) fn take_replies(&mut self, state: &State) -> Vec<(StepId, Event)> {
        let mut replies = Vec::new();
        for (turn, calls) in &mut self.in_flight {
            let turn_state = state.turns().get(turn);
            let mut next = turn_state.map_or(0, |known| known.attempts.len());
            let numbers: Vec<u32> = calls.keys().copied().collect();
            for number in numbers {
                match calls.remove(&number) {
                    Some(Slot::Came(Event::Replied(mut replied))) => {
                        let call = StepId::from_reroll(&AttemptId {
                            turn: turn.clone(),
                            attempt: number,
                        });
                        replied.attempt = u32::try_from(next).unwrap_or(u32::MAX);
                        replied.call = Some(call.clone());
                        next += 1;
                        replies.push((call, Event::Replied(replied)));
                    }
                    Some(slot) => {
                        calls.insert(number, slot);
                        if !self.releases_all {
                            break;
                        }
                    }
                    None => {}
                }
            }
        }
        self.in_flight.retain(|_, calls| !calls.is_empty());
        replies
    }
}
