//! Controller of a live session: permissions, pending questions, and the channel of its events.

use super::messages::{IdleReason, LiveCommand, LiveEvent};
use super::rerolls::Rerolls;
use super::stepping::Allowance;
use super::stream_buffer::StreamBuffer;
use crate::engine::observer::PersonQuestion;
use crate::engine::play::Running;
use elenchus_game::debate::event::{Author, Event, Record};
use elenchus_game::debate::ids::TurnId;
use elenchus_game::debate::step::{Step, StepId};
use elenchus_game::debate::{SessionId, State};
use std::collections::BTreeMap;
use std::sync::Arc;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender};

/// Controls a session that the engine plays: decides what may start, and publishes what happens.
pub(crate) struct Controller {
    session: SessionId,
    pub(crate) commands: UnboundedReceiver<LiveCommand>,
    tell: UnboundedSender<(SessionId, LiveEvent)>,
    pub(crate) allowance: Allowance,
    /// Open questions to people.
    pub(crate) asked: BTreeMap<StepId, Step>,
    pub(crate) rerolls: Rerolls,
    /// Texts of people for seats whose model call is being cancelled.
    pub(crate) takeovers: BTreeMap<StepId, String>,
    stream: BTreeMap<StepId, Arc<StreamBuffer>>,
    /// Written but not durable, and not published.
    pub(crate) noted: Vec<Record>,
    /// Calls that are over and whose records are not published yet.
    over: Vec<StepId>,
    /// The idle reason last published, while nothing has happened since.
    pub(crate) reported_idle: Option<IdleReason>,
    /// The ceiling refused a call since the last command: that is why nothing runs, even where the debate is
    /// over and the call was for more than it.
    pub(crate) was_refused: bool,
    /// Failures are to be tried again once no call is in flight.
    pub(crate) retries: bool,
    /// Whether leftovers of an earlier process were looked for.
    pub(crate) resume_checked: bool,
}

impl Controller {
    pub(crate) fn new(
        session: SessionId,
        commands: UnboundedReceiver<LiveCommand>,
        tell: UnboundedSender<(SessionId, LiveEvent)>,
    ) -> Self {
        Self {
            session,
            commands,
            tell,
            allowance: Allowance::default(),
            asked: BTreeMap::new(),
            rerolls: Rerolls::default(),
            takeovers: BTreeMap::new(),
            stream: BTreeMap::new(),
            noted: Vec::new(),
            over: Vec::new(),
            reported_idle: None,
            was_refused: false,
            retries: false,
            resume_checked: false,
        }
    }

    pub(super) fn send_event(&self, event: LiveEvent) {
        // The receiver may have been dropped; ignore the send error.
        let _ = self.tell.send((self.session.clone(), event));
    }

    /// Returns the steps that may start now.
    pub(crate) fn allowed(
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
            self.reported_idle = None;
        }
        steps
    }

    /// Says whether a step waits for fresh attempts of a turn that it is shown.
    pub(super) fn is_held_by_rerolls(&self, state: &State, step: &Step) -> bool {
        self.rerolls.turns().any(|turn| {
            let is_own = step.id().turn().as_ref() == Some(turn);
            is_own || state.would_see(step, turn)
        })
    }

    /// Publishes a question to a person.
    pub(crate) fn ask(&mut self, question: PersonQuestion, step: Step) {
        let id = step.id();
        self.send_event(LiveEvent::Asks(Box::new(question), id.clone()));
        self.asked.insert(id, step);
    }

    /// Says whether a question to a person is open.
    pub(crate) fn waits(&self) -> bool {
        !self.asked.is_empty()
    }

    /// Withdraws questions.
    pub(super) fn withdraw(&mut self, which: impl Fn(&StepId, &Step) -> bool) {
        let gone = self.asked.extract_if(.., |id, step| which(id, step));
        let gone: Vec<StepId> = gone.map(|(id, _)| id).collect();
        for step in gone {
            self.send_event(LiveEvent::Ended { step });
        }
    }

    /// Withdraws the questions whose view shows a changed turn; they are asked again with the new view.
    pub(super) fn withdraw_viewers(&mut self, state: &State, turn: &TurnId) {
        self.withdraw(|_, step| state.would_see(step, turn));
    }

    /// Publishes that a call was sent, and returns the buffer of its streamed reply.
    pub(crate) fn began(&mut self, step: &StepId, started: Record) -> Arc<StreamBuffer> {
        self.noted.push(started);
        self.send_event(LiveEvent::Began { step: step.clone() });
        let stream = StreamBuffer::new(self.session.clone(), step.clone(), self.tell.clone());
        self.stream.insert(step.clone(), Arc::clone(&stream));
        stream
    }

    /// Ends the stream of a call. Returns the event to record now.
    pub(crate) fn call_is_over(&mut self, step: &StepId, event: Option<Event>) -> Option<Event> {
        let stream = self.stream.remove(step);
        if let Some(stream) = &stream {
            stream.end();
        }
        let event = match step.rerolled() {
            None => event,
            Some(call) => {
                let replied = matches!(event, Some(Event::Replied(_)));
                let event = self.rerolls.end(&call, event);
                if replied {
                    // Its end is published when it is recorded.
                    return event;
                }
                event
            }
        };
        if stream.is_some() {
            self.over.push(step.clone());
        }
        event
    }

    /// Returns the fresh attempts that may be recorded.
    pub(crate) fn rerolled(&mut self, state: &State) -> Vec<(Author, Event)> {
        let taken = self.rerolls.take(state);
        self.over.extend(taken.iter().map(|(call, _)| call.clone()));
        let events = taken.into_iter().map(|(_, event)| (Author::Engine, event));
        events.collect()
    }

    /// Releases every reply for recording, since the session breaks off.
    pub(crate) fn release_all(&mut self) {
        self.rerolls.release_all();
        self.takeovers.clear();
    }

    /// Publishes the ends of calls whose records were published.
    pub(super) fn publish_ended(&mut self) {
        for step in std::mem::take(&mut self.over) {
            self.send_event(LiveEvent::Ended { step });
        }
    }
}
