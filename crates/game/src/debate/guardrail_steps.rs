//! Guardrail steps: the guarded chairs, their permission to speak, and the turns that are refused
//! without a model call.
//!
//! A chair is guarded if an evaluator judges its turns. Its own model decides once, before its
//! first turn, because the decision is about the topic, which does not change. A decision that
//! failed or could not be parsed lets the chair speak; it is counted and never becomes a match.

use super::event::{Author, Created, Failed, Player, Record, Replied};
use super::guardrail_events::{GuardDecision, Guarded, GuardsRetrieved};
use super::ids::{AttemptId, Chair, SeatId, TurnId};
use super::protocol::{JudgedThing, Judging, Protocol};
use super::state::refusal::EventRefusal;
use super::state::{GuardState, State};
use super::step::{Step, Target};
use super::visibility;

/// The seat of the model that writes guardrails, where it is not the one that writes lessons. No protocol
/// names it: it speaks in no debate.
const GUARDRAIL_SEAT: &str = "guardrail";

/// Returns the chair of the model that writes guardrails.
pub fn guardrail_chair() -> Chair {
    Chair::first(SeatId::new(GUARDRAIL_SEAT))
}

/// Permission of a chair to speak.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum GuardPermission<'a> {
    Free,
    /// Its model has not decided yet.
    Undecided,
    /// This guardrail matched.
    Refused(&'a str),
}

impl Protocol {
    /// Returns the chairs whose turns are judged by an evaluator, in the order of the seats.
    pub fn judged_chairs(&self) -> Vec<Chair> {
        let seats = self.seats.iter().filter(|seat| {
            let mut rules = self.judging.iter();
            rules.any(|rule| asks_about_turns(rule) && names_seat(rule, &seat.id))
        });
        seats
            .flat_map(|seat| {
                (0..seat.count).map(|index| Chair {
                    seat: seat.id.clone(),
                    index,
                })
            })
            .collect()
    }
}

fn asks_about_turns(rule: &Judging) -> bool {
    rule.enabled && rule.of == JudgedThing::Turn && rule.has_judge()
}

fn names_seat(rule: &Judging, seat: &super::ids::SeatId) -> bool {
    rule.turns.iter().any(|turns| turns.seats.contains(seat))
}

impl Created {
    /// Returns the chairs that guardrails apply to: judged chairs played by a model.
    pub fn guarded_chairs(&self) -> Vec<Chair> {
        if !self.memory.guards {
            return Vec::new();
        }
        let mut chairs = self.protocol.judged_chairs();
        chairs.retain(|chair| self.player_of(chair).and_then(Player::as_model).is_some());
        chairs
    }

    /// Returns the chair that writes guardrails: that of a participant who does nothing else, else the one that
    /// writes the lesson; `None` in a game without lessons.
    pub fn guardrail_writer(&self) -> Option<Chair> {
        let own = guardrail_chair();
        // A game may call a seat so that speaks.
        let is_seat = self.protocol.find_seat(&own.seat).is_some();
        if !is_seat && self.player_of(&own).is_some() {
            return Some(own);
        }
        let rule = self.protocol.feedback.first()?;
        Some(Chair::first(rule.by.clone()))
    }

    fn is_guarded(&self, chair: &Chair) -> bool {
        let mut rules = self.protocol.judging.iter();
        self.memory.guards
            && rules.any(|rule| asks_about_turns(rule) && names_seat(rule, &chair.seat))
            && self.player_of(chair).and_then(Player::as_model).is_some()
    }
}

impl State {
    /// Returns the retrieved guardrails, once they were looked up.
    pub fn retrieved_guards(&self) -> Option<&GuardsRetrieved> {
        self.guards.as_ref()
    }

    /// Returns the decisions by chair, of the chairs that were asked.
    pub fn guard_states(&self) -> &std::collections::BTreeMap<Chair, GuardState> {
        &self.guarded
    }

    /// Returns the guardrail that keeps a chair from speaking.
    pub fn guardrail_of(&self, chair: &Chair) -> Option<&str> {
        let state = self.guarded.get(chair)?;
        state.decided.as_ref().ok()?.decision.matching_guardrail()
    }

    /// Returns the guardrail that refused a turn, if its chosen attempt is such a refusal.
    pub fn refusing_guardrail(&self, turn: &TurnId) -> Option<&str> {
        self.turns.get(turn)?.chosen_attempt()?.guardrail.as_deref()
    }

    /// Returns whether a target is a refusal by a guardrail; those are not judged.
    pub(super) fn is_refusal(&self, target: &Target) -> bool {
        let Target::Attempt(AttemptId { turn, attempt }) = target else {
            return false;
        };
        let state = self.turns.get(turn);
        state
            .and_then(|known| known.attempts.get(*attempt as usize))
            .is_some_and(|attempt| attempt.guardrail.is_some())
    }

    /// Returns whether a rule judges a turn in its present state: refusals by guardrails and empty
    /// replies are not judged.
    pub(super) fn is_judged_by(&self, protocol: &Protocol, rule: &Judging, turn: &TurnId) -> bool {
        visibility::is_target(protocol, rule, turn)
            && self.refusing_guardrail(turn).is_none()
            && !self.is_empty_turn(turn)
    }

    pub(super) fn guard_permission(&self, created: &Created, chair: &Chair) -> GuardPermission<'_> {
        if !created.is_guarded(chair) {
            return GuardPermission::Free;
        }
        let Some(near) = &self.guards else {
            return GuardPermission::Undecided;
        };
        if near.candidates.is_empty() {
            return GuardPermission::Free;
        }
        match self.guarded.get(chair) {
            None => GuardPermission::Undecided,
            Some(_) => self
                .guardrail_of(chair)
                .map_or(GuardPermission::Free, GuardPermission::Refused),
        }
    }

    /// Returns the steps that guardrails still need: the retrieval, then a decision of each guarded
    /// chair.
    pub(super) fn guard_steps(&self, created: &Created) -> Vec<Step> {
        let chairs = created.guarded_chairs();
        match &self.guards {
            _ if chairs.is_empty() => Vec::new(),
            None => vec![Step::RetrieveGuards],
            Some(near) if near.candidates.is_empty() => Vec::new(),
            Some(_) => chairs
                .into_iter()
                .filter(|chair| !self.guarded.contains_key(chair))
                .map(Step::Guard)
                .collect(),
        }
    }

    pub(super) fn apply_retrieved_guards(
        &mut self,
        record: &Record,
        near: &GuardsRetrieved,
    ) -> Result<(), EventRefusal> {
        let first_event = self.check_running()?;
        if first_event.guarded_chairs().is_empty() || self.guards.is_some() {
            return Err(EventRefusal::NoGuardsWanted);
        }
        self.guards = Some(near.clone());
        self.settle_step(&record.by, &Step::RetrieveGuards);
        Ok(())
    }

    pub(super) fn apply_guard_decision(
        &mut self,
        record: &Record,
        guarded: &Guarded,
    ) -> Result<(), EventRefusal> {
        let first_event = self.check_running()?;
        let step = Step::Guard(guarded.chair.clone());
        if !self.guard_steps(first_event).contains(&step) {
            return Err(EventRefusal::NotOpen(step.id()));
        }
        let is_candidate = |id: &str| {
            let near = self.guards.iter().flat_map(|near| &near.candidates);
            near.into_iter().any(|candidate| candidate.id == id)
        };
        match &guarded.decision {
            GuardDecision::Matched { guardrail } if !is_candidate(guardrail) => {
                return Err(EventRefusal::NoSuchGuardrail(guardrail.clone()));
            }
            GuardDecision::Matched { .. }
            | GuardDecision::NoMatch
            | GuardDecision::Unparsed { .. } => {}
        }
        self.charge_reply(&record.by, Some(&guarded.reply));
        self.settle_step(&record.by, &step);
        if guarded.reply.ask_again {
            let chair = guarded.chair.clone();
            self.empty_decisions.insert(chair, guarded.clone());
            return Ok(());
        }
        self.insert_guard_state(record, &guarded.chair, Ok(guarded.clone()));
        Ok(())
    }

    /// Records that a chair's model could not be asked; the chair may speak.
    pub(super) fn apply_guard_failure(&mut self, record: &Record, chair: &Chair, failed: &Failed) {
        self.insert_guard_state(record, chair, Err(failed.clone()));
    }

    fn insert_guard_state(
        &mut self,
        record: &Record,
        chair: &Chair,
        decided: Result<Guarded, Failed>,
    ) {
        let state = GuardState {
            at: record.at.clone(),
            decided,
            inherited: false,
        };
        self.guarded.insert(chair.clone(), state);
    }

    /// Reopens failed decisions of chairs that have not spoken since.
    pub(super) fn retry_guards(&mut self) {
        let turns = &self.turns;
        self.guarded.retain(|chair, state| {
            state.decided.is_ok() || turns.keys().any(|turn| &turn.chair == chair)
        });
    }

    /// Rejects replies that a guardrail forbids, and refusals without a guardrail.
    pub(super) fn check_guardrails(
        &self,
        created: &Created,
        by: &Author,
        replied: &Replied,
    ) -> Result<(), EventRefusal> {
        let turn = &replied.turn;
        let is_first = !self.turns.contains_key(turn);
        match (
            &replied.guardrail,
            self.guard_permission(created, &turn.chair),
        ) {
            (Some(by), GuardPermission::Refused(matched))
                if by == matched && is_first && replied.call.is_none() =>
            {
                Ok(())
            }
            (
                Some(by),
                GuardPermission::Free | GuardPermission::Undecided | GuardPermission::Refused(_),
            ) => Err(EventRefusal::NoSuchGuardrail(by.clone())),
            // A person's text, or an attempt that a person requested, is allowed after a refusal.
            (None, GuardPermission::Refused(_)) => match by {
                Author::Engine if is_first && replied.call.is_none() => {
                    Err(EventRefusal::Guarded(turn.clone()))
                }
                Author::Engine | Author::Person(_) => Ok(()),
            },
            (None, GuardPermission::Undecided) => Err(EventRefusal::TooEarly(turn.clone())),
            (None, GuardPermission::Free) => Ok(()),
        }
    }
}
