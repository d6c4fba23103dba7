//! The hand on a session: what it allows, what it asked for, and whom it tells.

use super::pace::Allowance;
use super::pieces::Pieces;
use super::rerolls::Rerolls;
use super::tiding::{Order, Rest, Tiding};
use crate::debate::event::{Author, Event, Record};
use crate::debate::ids::TurnId;
use crate::debate::step::{Step, StepId};
use crate::debate::{SessionId, State};
use crate::driver::observe::Question;
use crate::driver::play::Running;
use std::collections::BTreeMap;
use std::sync::Arc;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender};

/// What the engine asks before it starts anything, and tells when something is over.
pub(in crate::driver) struct Hand {
    session: SessionId,
    pub(in crate::driver) orders: UnboundedReceiver<Order>,
    tell: UnboundedSender<(SessionId, Tiding)>,
    pub(super) allowance: Allowance,
    /// Questions to people that nobody has answered.
    pub(super) asked: BTreeMap<StepId, Step>,
    pub(super) rerolls: Rerolls,
    /// What a person says on a seat whose model is being stopped.
    pub(super) takeovers: BTreeMap<StepId, String>,
    pieces: BTreeMap<StepId, Arc<Pieces>>,
    /// Written but not durable, and not told.
    pub(in crate::driver) noted: Vec<Record>,
    /// Calls that are over and whose records are not told yet.
    over: Vec<StepId>,
    /// What was told last, while nothing has happened since.
    pub(super) rests: Option<Rest>,
    /// Failures are to be tried again once no call is in flight.
    pub(super) retries: bool,
    /// Whether what an earlier process left was looked at.
    pub(super) taken_up: bool,
}

impl Hand {
    pub(super) fn new(
        session: SessionId,
        orders: UnboundedReceiver<Order>,
        tell: UnboundedSender<(SessionId, Tiding)>,
    ) -> Self {
        Self {
            session,
            orders,
            tell,
            allowance: Allowance::default(),
            asked: BTreeMap::new(),
            rerolls: Rerolls::default(),
            takeovers: BTreeMap::new(),
            pieces: BTreeMap::new(),
            noted: Vec::new(),
            over: Vec::new(),
            rests: None,
            retries: false,
            taken_up: false,
        }
    }

    pub(super) fn say(&self, tiding: Tiding) {
        // Whoever listens no longer needs not be told.
        let _ = self.tell.send((self.session.clone(), tiding));
    }

    /// Returns the steps that may start now.
    pub(in crate::driver) fn allowed(
        &mut self,
        state: &State,
        mut steps: Vec<Step>,
        running: &BTreeMap<StepId, Running>,
    ) -> Vec<Step> {
        self.withdraw(|_, step| !steps.contains(step));
        let is_going = |id: &StepId| running.contains_key(id) || self.asked.contains_key(id);
        steps.retain(|step| !is_going(&step.id()) && !self.is_held_by_rerolls(state, step));
        let going_on = !running.is_empty() || !self.asked.is_empty();
        self.allowance.find(state, &steps, going_on);
        steps.retain(|step| self.allowance.holds(step));
        if !steps.is_empty() {
            self.rests = None;
        }
        steps
    }

    /// Whoever is shown a turn waits until its fresh attempts are there.
    pub(super) fn is_held_by_rerolls(&self, state: &State, step: &Step) -> bool {
        self.rerolls.turns().any(|turn| {
            let is_own = step.id().turn().as_ref() == Some(turn);
            is_own || state.would_see(step, turn)
        })
    }

    /// Asks a person.
    pub(in crate::driver) fn ask(&mut self, question: Question, step: Step) {
        let id = step.id();
        self.say(Tiding::Asks(Box::new(question), id.clone()));
        self.asked.insert(id, step);
    }

    /// Says whether a person is asked.
    pub(in crate::driver) fn waits(&self) -> bool {
        !self.asked.is_empty()
    }

    /// Takes questions back.
    pub(super) fn withdraw(&mut self, which: impl Fn(&StepId, &Step) -> bool) {
        let gone = self.asked.extract_if(.., |id, step| which(id, step));
        let gone: Vec<StepId> = gone.map(|(id, _)| id).collect();
        for step in gone {
            self.say(Tiding::Ended { step });
        }
    }

    /// What would show a changed turn is asked anew.
    pub(super) fn withdraw_viewers(&mut self, state: &State, turn: &TurnId) {
        self.withdraw(|_, step| state.would_see(step, turn));
    }

    /// A call was sent; its reply is shown while it arrives.
    pub(in crate::driver) fn began(&mut self, step: &StepId, started: Record) -> Arc<Pieces> {
        self.noted.push(started);
        self.say(Tiding::Began { step: step.clone() });
        let pieces = Pieces::new(self.session.clone(), step.clone(), self.tell.clone());
        self.pieces.insert(step.clone(), Arc::clone(&pieces));
        pieces
    }

    /// A call is over. Returns what is to be recorded of it now.
    pub(in crate::driver) fn call_is_over(
        &mut self,
        step: &StepId,
        event: Option<Event>,
    ) -> Option<Event> {
        let pieces = self.pieces.remove(step);
        if let Some(pieces) = &pieces {
            pieces.end();
        }
        let event = match step.rerolled() {
            None => event,
            Some(call) => {
                let replied = matches!(event, Some(Event::Replied(_)));
                let event = self.rerolls.end(&call, event);
                if replied {
                    // It is told to be over when it is recorded.
                    return event;
                }
                event
            }
        };
        if pieces.is_some() {
            self.over.push(step.clone());
        }
        event
    }

    /// Returns the fresh attempts that may be recorded.
    pub(in crate::driver) fn rerolled(&mut self, state: &State) -> Vec<(Author, Event)> {
        let taken = self.rerolls.take(state);
        self.over.extend(taken.iter().map(|(call, _)| call.clone()));
        let events = taken.into_iter().map(|(_, event)| (Author::Engine, event));
        events.collect()
    }

    /// The session breaks off: every reply that came is to be recorded.
    pub(in crate::driver) fn hurry(&mut self) {
        self.rerolls.hurry();
        self.takeovers.clear();
    }

    /// Tells which calls are over, once what they brought was told.
    pub(super) fn tell_what_is_over(&mut self) {
        for step in std::mem::take(&mut self.over) {
            self.say(Tiding::Ended { step });
        }
    }
}
