//! Application of events to the state; an event that does not fit is rejected with a reason.

use super::refusal::EventRefusal;
use super::{Attempt, FeedbackState, ReplacedTemplates, SentBack, Started, State};
use crate::debate::event::{
    Author, CeilingKind, Created, Event, FORMAT, Fields, Prompted, Record, Replied, Reply,
};
use crate::debate::ids::{AttemptId, TurnId};
use crate::debate::step::open::is_person;
use crate::debate::step::{Step, StepId};
use std::collections::BTreeMap;

impl State {
    /// Applies one event.
    ///
    /// # Errors
    /// When the event does not fit; the state is then unchanged.
    pub fn apply(&mut self, record: &Record) -> Result<(), EventRefusal> {
        match &record.event {
            Event::Created(created) => self.begin(created)?,
            Event::Forked {
                parent, session, ..
            } => {
                self.created().ok_or(EventRefusal::NotBegun)?;
                self.inherit();
                self.forks.push(parent.clone());
                self.fork.clone_from(session);
            }
            Event::Prompted(prompted) => self.prompted(record, prompted)?,
            Event::Resumed {} => {
                self.created().ok_or(EventRefusal::NotBegun)?;
                self.failures.clear();
                self.retry_guards();
                self.doubt_running_calls();
            }
            Event::CallStarted {
                step,
                worst_case_usd,
                worst_case_tokens,
            } => {
                let call = Started {
                    worst_case_usd: worst_case_usd.unwrap_or(0.0),
                    is_priced: worst_case_usd.is_some(),
                    worst_case_tokens: *worst_case_tokens,
                    event: self.events,
                };
                self.call_started(step, call)?;
            }
            Event::CallRetried {
                may_have_cost_usd,
                may_have_used_tokens,
                unsent,
                ..
            } => {
                self.begun()?;
                let (spend, used) = (&mut self.spend, may_have_used_tokens.unwrap_or(0));
                spend.retries += 1;
                spend.failed_tries += u64::from(!unsent);
                spend.in_doubt_usd += may_have_cost_usd.unwrap_or(0.0);
                spend.in_doubt_tokens = spend.in_doubt_tokens.saturating_add(used);
            }
            Event::Retrieved(retrieved) => {
                let created = self.begun()?;
                if !created.memory.reads || self.retrieved.is_some() {
                    return Err(EventRefusal::NoRetrieval);
                }
                self.retrieved = Some(retrieved.clone());
                self.settle_step(&record.by, &Step::Retrieve);
            }
            Event::GuardsRetrieved(near) => self.guards_retrieved(record, near)?,
            Event::Guarded(guarded) => self.guarded_by(record, guarded)?,
            Event::Replied(replied) => self.replied(record, replied)?,
            Event::Failed(failed) => self.failed(record, failed)?,
            Event::Stopped(stopped) => self.reply_stopped(record, stopped)?,
            Event::Judged(judged) => self.judged(record, judged)?,
            Event::FeedbackWritten(written) => {
                self.feedback_is_expected()?;
                self.pay(&record.by, Some(&written.reply));
                self.settle(&record.by, &feedback_id());
                if written.reply.ask_again {
                    self.empty_lesson = Some((**written).clone());
                } else {
                    self.feedback = Some(FeedbackState {
                        written: Some((**written).clone()),
                        at: record.at.clone(),
                        inherited: false,
                    });
                }
            }
            Event::Edited {
                turn,
                attempt,
                text,
            } => self.edited(record, turn, *attempt, text)?,
            Event::Chosen { attempt } => self.choose(record, attempt)?,
            Event::Truncated { ceiling, .. } => self.truncate(*ceiling)?,
        }
        if self.events == 0 {
            self.first_at.clone_from(&record.at);
        }
        self.last_at.clone_from(&record.at);
        self.just_forked = matches!(record.event, Event::Forked { .. });
        self.events += 1;
        Ok(())
    }

    /// Folds a whole log.
    ///
    /// # Errors
    /// Names the first event (counted from 0) that does not fit.
    pub fn fold<'a>(
        records: impl IntoIterator<Item = &'a Record>,
    ) -> Result<Self, (usize, EventRefusal)> {
        let mut state = State::default();
        for (at, record) in records.into_iter().enumerate() {
            state.apply(record).map_err(|refusal| (at, refusal))?;
        }
        Ok(state)
    }

    pub(crate) fn begun(&self) -> Result<&Created, EventRefusal> {
        if self.truncated.is_some() {
            return Err(EventRefusal::Over);
        }
        self.created().ok_or(EventRefusal::NotBegun)
    }

    fn begin(&mut self, created: &Created) -> Result<(), EventRefusal> {
        if self.created.is_some() {
            return Err(EventRefusal::BegunTwice);
        }
        if created.format > FORMAT {
            return Err(EventRefusal::Format(created.format));
        }
        let seats = created.protocol.seats.iter();
        for seat in seats.filter(|seat| created.protocol.is_played(seat)) {
            for index in 0..seat.count {
                let chair = crate::debate::ids::Chair {
                    seat: seat.id.clone(),
                    index,
                };
                if created.player(&chair).is_none() {
                    return Err(EventRefusal::EmptyChair(chair.to_string()));
                }
            }
        }
        created.stances()?;
        self.created = Some(Box::new(created.clone()));
        Ok(())
    }

    fn inherit(&mut self) {
        for turn in self.turns.values_mut() {
            for attempt in &mut turn.attempts {
                attempt.inherited = true;
            }
        }
        for by_slot in self.verdicts.values_mut().flat_map(BTreeMap::values_mut) {
            for verdict in by_slot.values_mut() {
                verdict.inherited = true;
            }
        }
        if let Some(feedback) = &mut self.feedback {
            feedback.inherited = true;
        }
        for guarded in self.guarded.values_mut() {
            guarded.inherited = true;
        }
        for stopped in &mut self.stopped {
            stopped.inherited = true;
        }
        self.spend = super::Spend::default();
        self.started.clear();
        self.failures.clear();
        // A fork of a truncated debate has a ceiling of its own.
        self.truncated = None;
    }

    fn prompted(&mut self, record: &Record, prompted: &Prompted) -> Result<(), EventRefusal> {
        if !self.just_forked {
            return Err(EventRefusal::NotForked);
        }
        let created = self.created.as_mut().ok_or(EventRefusal::NotBegun)?;
        for name in prompted.templates.keys() {
            if !created.templates.contains_key(name) {
                return Err(EventRefusal::NoSuchTemplate(name.clone()));
            }
        }
        let mut before = ReplacedTemplates {
            at: record.at.clone(),
            ..ReplacedTemplates::default()
        };
        for (name, text) in &prompted.templates {
            let replaced = created.templates.insert(name.clone(), text.clone());
            before
                .texts
                .extend(replaced.map(|replaced| (name.clone(), replaced)));
        }
        self.replaced.push(before);
        self.sample = prompted.sample;
        Ok(())
    }

    pub(crate) fn pay(&mut self, by: &Author, reply: Option<&Reply>) {
        let Some(reply) = reply else { return };
        if is_person(by) || reply.cached {
            return;
        }
        let (spend, usage) = (&mut self.spend, reply.usage);
        spend.calls += 1;
        // A server may return any number.
        spend.input_tokens = spend.input_tokens.saturating_add(usage.input_tokens);
        spend.output_tokens = spend.output_tokens.saturating_add(usage.output_tokens);
        match reply.cost_usd {
            Some(cost) => self.spend.cost_usd += cost,
            None => self.spend.unpriced_calls += 1,
        }
    }

    fn replied(&mut self, record: &Record, replied: &Replied) -> Result<(), EventRefusal> {
        let turn = &replied.turn;
        let created = self.begun()?;
        if !created.protocol.has_turn(turn) {
            return Err(EventRefusal::NoSuchTurn(turn.clone()));
        }
        if let Some(call) = &replied.call {
            let is_of_turn = call.rerolled().is_some_and(|reroll| &reroll.turn == turn);
            if !is_of_turn || !self.started.contains_key(call) {
                return Err(EventRefusal::NotOpen(call.clone()));
            }
        }
        let expected = self.turns.get(turn).map_or(0, |state| state.attempts.len());
        if replied.attempt as usize != expected {
            return Err(EventRefusal::WrongAttempt {
                turn: turn.clone(),
                found: replied.attempt,
                expected,
            });
        }
        if expected == 0 && !self.is_ready(turn) {
            return Err(EventRefusal::TooEarly(turn.clone()));
        }
        self.fits_guardrails(created, &record.by, replied)?;
        // A re-roll does not answer a rule that sends a reply back.
        let owed = self.owed_retry(turn).filter(|_| replied.call.is_none());
        let known = self.turns.get(turn);
        let empty = known.filter(|known| known.asks_again() && replied.call.is_none());
        // A turn refused by the filter was skipped by the turns after it.
        let settled = expected > 0 || self.is_settled(turn);
        if settled && owed.is_none() && empty.is_none() && self.is_seen(turn) {
            return Err(EventRefusal::Seen(turn.clone()));
        }
        let answers_the_same = empty.and_then(|known| known.chosen()?.instead_of);
        let seated_person = created.sits_a_person(&turn.chair);
        let attempt = Attempt {
            by: record.by.clone(),
            at: record.at.clone(),
            reply: replied.reply.clone(),
            view: replied.view.as_ref().map(|view| self.views.keep(view)),
            fields: replied.fields.clone(),
            edited: false,
            inherited: false,
            by_person: seated_person || is_person(&record.by),
            is_reroll: replied
                .call
                .as_ref()
                .is_some_and(|call| call.rerolled().is_some()),
            guardrail: replied.guardrail.clone(),
            prompts: self.replaced.len(),
            instead_of: answers_the_same.or(owed.map(|rule| SentBack {
                rule,
                attempt: self.turns.get(turn).map_or(0, |state| state.chosen),
            })),
        };
        let state = self.turns.entry(turn.clone()).or_default();
        if let Some(rule) = owed {
            *state.retries.entry(rule).or_default() += 1;
        }
        state.chosen = state.attempts.len();
        // Few turns have a second one.
        state.attempts.reserve_exact(1);
        state.attempts.push(attempt);
        state.filtered = false;
        let answered = owed.is_some() || answers_the_same.is_some();
        if answered && self.rule_to_answer(turn).is_none() {
            self.stand_on_what_was_read(turn);
        }
        self.mark_rounds(turn.round);
        self.pay(&record.by, Some(&replied.reply));
        match &replied.call {
            Some(call) => self.settle(&record.by, call),
            None => {
                let step = Step::Speak(crate::debate::step::Speak {
                    turn: turn.clone(),
                    attempt: replied.attempt,
                    retry: None,
                });
                self.settle_step(&record.by, &step);
            }
        }
        Ok(())
    }

    /// Keeps the earlier parsed reply chosen where its repetition could not be parsed.
    fn stand_on_what_was_read(&mut self, turn: &TurnId) {
        let Some(state) = self.turns.get_mut(turn) else {
            return;
        };
        let was_read = |attempt: &Attempt| match attempt.fields {
            Some(Fields::Read(_)) => true,
            Some(Fields::Unparsed { .. }) | None => false,
        };
        if !state.chosen().is_some_and(was_read)
            && let Some(read) = state.attempts.iter().rposition(was_read)
        {
            state.chosen = read;
        }
    }

    fn feedback_is_expected(&self) -> Result<(), EventRefusal> {
        self.begun()?;
        let opening = self.open();
        let id = feedback_id();
        let open = opening.steps.iter().any(|step| step.id() == id);
        if open || opening.blocked.contains(&id) {
            Ok(())
        } else {
            Err(EventRefusal::NoFeedbackDue)
        }
    }

    fn edited(
        &mut self,
        record: &Record,
        turn: &TurnId,
        attempt: u32,
        text: &str,
    ) -> Result<(), EventRefusal> {
        self.begun()?;
        if self.is_seen(turn) {
            return Err(EventRefusal::Seen(turn.clone()));
        }
        let Some(state) = self.turns.get_mut(turn) else {
            return Err(EventRefusal::NoSuchTurn(turn.clone()));
        };
        if attempt as usize != state.attempts.len() {
            return Err(EventRefusal::WrongAttempt {
                turn: turn.clone(),
                found: attempt,
                expected: state.attempts.len(),
            });
        }
        let edited = state.chosen();
        let view = edited.and_then(|attempt| attempt.view);
        // The view next to the new text is the edited attempt's.
        let prompts = edited.map_or(0, |attempt| attempt.prompts);
        let instead_of = edited.and_then(|attempt| attempt.instead_of);
        state.chosen = state.attempts.len();
        state.filtered = false;
        state.attempts.push(Attempt {
            by: record.by.clone(),
            at: record.at.clone(),
            reply: Reply {
                text: text.to_owned(),
                ..Reply::default()
            },
            view,
            fields: None,
            edited: true,
            inherited: false,
            by_person: true,
            is_reroll: false,
            guardrail: None,
            prompts,
            instead_of,
        });
        self.mark_rounds(turn.round);
        Ok(())
    }

    fn choose(&mut self, record: &Record, id: &AttemptId) -> Result<(), EventRefusal> {
        self.begun()?;
        if self.is_seen(&id.turn) {
            return Err(EventRefusal::Seen(id.turn.clone()));
        }
        let attempt = self
            .turns
            .get_mut(&id.turn)
            .filter(|state| state.attempts.len() > id.attempt as usize);
        let Some(state) = attempt else {
            return Err(EventRefusal::NoSuchAttempt(id.clone()));
        };
        state.chosen = id.attempt as usize;
        let by_person = is_person(&record.by);
        if let Some(attempt) = state.attempts.get_mut(id.attempt as usize) {
            attempt.by_person |= by_person;
        }
        self.mark_rounds(id.turn.round);
        Ok(())
    }

    fn truncate(&mut self, ceiling: CeilingKind) -> Result<(), EventRefusal> {
        self.begun()?;
        self.truncated = Some(ceiling);
        self.doubt_running_calls();
        Ok(())
    }
}

/// A debate has at most one lesson, so its step has one id.
fn feedback_id() -> StepId {
    StepId::from("feedback".to_owned())
}
