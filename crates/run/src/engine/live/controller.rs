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
    events: UnboundedSender<(SessionId, LiveEvent)>,
    pub(crate) allowance: Allowance,
    /// Open questions to people.
    pub(crate) questions: BTreeMap<StepId, Step>,
    pub(crate) rerolls: Rerolls,
    /// Texts of people for seats whose model call is being cancelled.
    pub(crate) takeovers: BTreeMap<StepId, String>,
    stream: BTreeMap<StepId, Arc<StreamBuffer>>,
    /// Written but not durable, and not published.
    pub(crate) pending_records: Vec<Record>,
    /// Calls that are over and whose records are not published yet.
    ended_calls: Vec<StepId>,
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
        events: UnboundedSender<(SessionId, LiveEvent)>,
    ) -> Self {
        Self {
            session,
            commands,
            events,
            allowance: Allowance::default(),
            questions: BTreeMap::new(),
            rerolls: Rerolls::default(),
            takeovers: BTreeMap::new(),
            stream: BTreeMap::new(),
            pending_records: Vec::new(),
            ended_calls: Vec::new(),
            reported_idle: None,
            was_refused: false,
            retries: false,
            resume_checked: false,
        }
    }

    pub(super) fn send_event(&self, event: LiveEvent) {
        // The receiver may have been dropped; ignore the send error.
        let _ = self.events.send((self.session.clone(), event));
    }

    /// Returns the steps that may start now.
    pub(crate) fn select_allowed_steps(
        &mut self,
        state: &State,
        mut steps: Vec<Step>,
        running: &BTreeMap<StepId, Running>,
    ) -> Vec<Step> {
        self.withdraw_questions(|_, step| !steps.contains(step));
        let is_going = |id: &StepId| running.contains_key(id) || self.questions.contains_key(id);
        steps.retain(|step| !is_going(&step.id()) && !self.is_held_by_rerolls(state, step));
        let going_on = !running.is_empty() || !self.questions.is_empty();
        self.allowance.apply_paces(state, &steps, going_on);
        steps.retain(|step| self.allowance.allows_step(step));
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
    pub(crate) fn ask_person(&mut self, question: PersonQuestion, step: Step) {
        let id = step.id();
        self.send_event(LiveEvent::Asks(Box::new(question), id.clone()));
        self.questions.insert(id, step);
    }

    /// Says whether a question to a person is open.
    pub(crate) fn has_questions(&self) -> bool {
        !self.questions.is_empty()
    }

    /// Withdraws questions.
    pub(super) fn withdraw_questions(&mut self, which: impl Fn(&StepId, &Step) -> bool) {
        let step_ids = self.questions.extract_if(.., |id, step| which(id, step));
        let step_ids: Vec<StepId> = step_ids.map(|(id, _)| id).collect();
        for step in step_ids {
            self.send_event(LiveEvent::Ended { step });
        }
    }

    /// Withdraws the questions whose view shows a changed turn; they are asked again with the new view.
    pub(super) fn withdraw_viewers(&mut self, state: &State, turn: &TurnId) {
        self.withdraw_questions(|_, step| state.would_see(step, turn));
    }

    /// Publishes that a call was sent, and returns the buffer of its streamed reply.
    pub(crate) fn publish_call_start(
        &mut self,
        step: &StepId,
        started: Record,
    ) -> Arc<StreamBuffer> {
        self.pending_records.push(started);
        self.send_event(LiveEvent::Began { step: step.clone() });
        let stream = StreamBuffer::new(self.session.clone(), step.clone(), self.events.clone());
        self.stream.insert(step.clone(), Arc::clone(&stream));
        stream
    }

    /// Ends the stream of a call. Returns the event to record now.
    pub(crate) fn end_call(&mut self, step: &StepId, event: Option<Event>) -> Option<Event> {
        let stream = self.stream.remove(step);
        if let Some(stream) = &stream {
            stream.end_stream();
        }
        let event = match step.rerolled_attempt() {
            None => event,
            Some(call) => {
                let is_reply = matches!(event, Some(Event::Replied(_)));
                let event = self.rerolls.end_reroll(&call, event);
                if is_reply {
                    // Its end is published when it is recorded.
                    return event;
                }
                event
            }
        };
        if stream.is_some() {
            self.ended_calls.push(step.clone());
        }
        event
    }

    /// Returns the fresh attempts that may be recorded.
    pub(crate) fn take_rerolls(&mut self, state: &State) -> Vec<(Author, Event)> {
        let rerolls = self.rerolls.take_replies(state);
        self.ended_calls
            .extend(rerolls.iter().map(|(call, _)| call.clone()));
        let events = rerolls
            .into_iter()
            .map(|(_, event)| (Author::Engine, event));
        events.collect()
    }

    /// Releases every reply for recording, since the session breaks off.
    pub(crate) fn release_all(&mut self) {
        self.rerolls.release_all();
        self.takeovers.clear();
    }

    /// Publishes the ends of calls whose records were published.
    pub(super) fn publish_call_ends(&mut self) {
        for step in std::mem::take(&mut self.ended_calls) {
            self.send_event(LiveEvent::Ended { step });
        }
    }
}
