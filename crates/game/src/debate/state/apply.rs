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
    pub fn apply_event(&mut self, record: &Record) -> Result<(), EventRefusal> {
        match &record.event {
            Event::Created(created) => self.apply_creation(created)?,
            Event::Forked {
                parent, session, ..
            } => {
                self.first_event().ok_or(EventRefusal::NotBegun)?;
                self.apply_fork();
                self.forks.push(parent.clone());
                self.fork.clone_from(session);
            }
            Event::Prompted(prompted) => self.apply_prompts(record, prompted)?,
            Event::Resumed {} => {
                self.first_event().ok_or(EventRefusal::NotBegun)?;
                self.failures.clear();
                self.retry_guards();
                self.count_running_calls();
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
                self.apply_call_start(step, call)?;
            }
            Event::CallRetried {
                may_have_cost_usd,
                may_have_used_tokens,
                unsent,
                ..
            } => {
                self.check_running()?;
                let (spend, used) = (&mut self.spend, may_have_used_tokens.unwrap_or(0));
                spend.retries += 1;
                spend.failed_tries += u64::from(!unsent);
                spend.in_doubt_usd += may_have_cost_usd.unwrap_or(0.0);
                spend.in_doubt_tokens = spend.in_doubt_tokens.saturating_add(used);
            }
            Event::Retrieved(retrieved) => {
                let first_event = self.check_running()?;
                let learner = &retrieved.learner;
                let is_its = first_event.protocol.has_memory_of(learner.as_ref());
                if !first_event.memory.reads || !is_its || self.retrieved.contains_key(learner) {
                    return Err(EventRefusal::NoRetrieval);
                }
                self.retrieved.insert(learner.clone(), retrieved.clone());
                self.settle_step(&record.by, &Step::Retrieve(learner.clone()));
            }
            Event::GuardsRetrieved(near) => self.apply_retrieved_guards(record, near)?,
            Event::Guarded(guarded) => self.apply_guard_decision(record, guarded)?,
            Event::Replied(replied) => self.apply_reply(record, replied)?,
            Event::Failed(failed) => self.apply_failure(record, failed)?,
            Event::Stopped(stopped) => self.apply_stopped_reply(record, stopped)?,
            Event::Judged(judged) => self.apply_verdict(record, judged)?,
            Event::FeedbackWritten(written) => {
                let id = StepId::feedback_step(written.learner.as_ref());
                self.check_open(&id, EventRefusal::NoFeedbackDue)?;
                self.charge_reply(&record.by, Some(&written.reply));
                self.settle_step_id(&record.by, &id);
                let (learner, written) = (written.learner.clone(), (**written).clone());
                if written.reply.ask_again {
                    self.empty_lessons.insert(learner, written);
                } else {
                    let lesson = FeedbackState {
                        written: Some(written),
                        at: record.at.clone(),
                        inherited: false,
                    };
                    self.feedback.insert(learner, lesson);
                }
            }
            Event::GuardrailWritten(written) => {
                let id = Step::DeriveGuardrail(written.chair.clone()).id();
                self.check_open(&id, EventRefusal::NotOpen(id.clone()))?;
                self.charge_reply(&record.by, Some(&written.reply));
                self.settle_step_id(&record.by, &id);
                self.written_guardrail = Some((**written).clone());
            }
            Event::RewardsSwapped(swapped) => {
                let id = Step::SwapRewards.id();
                self.check_open(&id, EventRefusal::NotOpen(id.clone()))?;
                self.swapped_rewards = Some((**swapped).clone());
                self.settle_step_id(&record.by, &id);
            }
            Event::Edited {
                turn,
                attempt,
                text,
            } => self.apply_edit(record, turn, *attempt, text)?,
            Event::Chosen { attempt } => self.apply_choice(record, attempt)?,
            Event::Truncated { ceiling, .. } => self.apply_truncation(*ceiling)?,
        }
        self.note_fork_origin(record);
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
    pub fn from_records<'a>(
        records: impl IntoIterator<Item = &'a Record>,
    ) -> Result<Self, (usize, EventRefusal)> {
        let mut state = State::default();
        for (at, record) in records.into_iter().enumerate() {
            state.apply_event(record).map_err(|refusal| (at, refusal))?;
        }
        Ok(state)
    }

    pub(crate) fn check_running(&self) -> Result<&Created, EventRefusal> {
        if self.truncated.is_some() {
            return Err(EventRefusal::Over);
        }
        self.first_event().ok_or(EventRefusal::NotBegun)
    }

    fn apply_creation(&mut self, created: &Created) -> Result<(), EventRefusal> {
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
                if created.player_of(&chair).is_none() {
                    return Err(EventRefusal::EmptyChair(chair.to_string()));
                }
            }
        }
        created.assign_stances()?;
        self.created = Some(Box::new(created.clone()));
        Ok(())
    }

    fn apply_fork(&mut self) {
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
        for lesson in self.feedback.values_mut() {
            lesson.inherited = true;
        }
        for guarded in self.guarded.values_mut() {
            guarded.inherited = true;
        }
        for stopped in &mut self.stopped {
            stopped.inherited = true;
        }
        (self.guardrail_writer, self.written_guardrail) = (None, None);
        self.spend = super::Spend::default();
        self.started.clear();
        self.failures.clear();
        // A fork of a truncated debate has a ceiling of its own.
        self.truncated = None;
    }

    fn apply_prompts(&mut self, record: &Record, prompted: &Prompted) -> Result<(), EventRefusal> {
        if !self.just_forked {
            return Err(EventRefusal::NotForked);
        }
        let first_event = self.created.as_mut().ok_or(EventRefusal::NotBegun)?;
        for name in prompted.templates.keys() {
            if !first_event.templates.contains_key(name) {
                return Err(EventRefusal::NoSuchTemplate(name.clone()));
            }
        }
        let mut before = ReplacedTemplates {
            at: record.at.clone(),
            ..ReplacedTemplates::default()
        };
        for (name, text) in &prompted.templates {
            let old_text = first_event.templates.insert(name.clone(), text.clone());
            before
                .texts
                .extend(old_text.map(|replaced| (name.clone(), replaced)));
        }
        self.replaced.push(before);
        self.sample = prompted.sample;
        self.guardrail_writer.clone_from(&prompted.derives);
        Ok(())
    }

    pub(crate) fn charge_reply(&mut self, by: &Author, reply: Option<&Reply>) {
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

    fn apply_reply(&mut self, record: &Record, replied: &Replied) -> Result<(), EventRefusal> {
        let turn = &replied.turn;
        let first_event = self.check_running()?;
        if !first_event.protocol.has_turn(turn) {
            return Err(EventRefusal::NoSuchTurn(turn.clone()));
        }
        if let Some(call) = &replied.call {
            let is_of_turn = call
                .rerolled_attempt()
                .is_some_and(|reroll| &reroll.turn == turn);
            if !is_of_turn || !self.started.contains_key(call) {
                return Err(EventRefusal::NotOpen(call.clone()));
            }
        }
        let attempt_count = self.turns.get(turn).map_or(0, |state| state.attempts.len());
        if replied.attempt as usize != attempt_count {
            return Err(EventRefusal::WrongAttempt {
                turn: turn.clone(),
                found: replied.attempt,
                expected: attempt_count,
            });
        }
        if attempt_count == 0 && !self.is_ready(turn) {
            return Err(EventRefusal::TooEarly(turn.clone()));
        }
        self.check_guardrails(first_event, &record.by, replied)?;
        // A re-roll does not answer a rule that sends a reply back.
        let owed = self.owed_retry(turn).filter(|_| replied.call.is_none());
        let turn_state = self.turns.get(turn);
        let empty = turn_state.filter(|known| known.asks_again() && replied.call.is_none());
        // A turn refused by the filter was skipped by the turns after it.
        let is_complete = attempt_count > 0 || self.is_settled(turn);
        if is_complete && owed.is_none() && empty.is_none() && self.is_seen(turn) {
            return Err(EventRefusal::Seen(turn.clone()));
        }
        let answers_the_same = empty.and_then(|known| known.chosen_attempt()?.instead_of);
        let seated_person = first_event.is_played_by_person(&turn.chair);
        let attempt = Attempt {
            by: record.by.clone(),
            at: record.at.clone(),
            reply: replied.reply.clone(),
            view: replied.view.as_ref().map(|view| self.views.add_view(view)),
            fields: replied.fields.clone(),
            edited: false,
            inherited: false,
            by_person: seated_person || is_person(&record.by),
            is_reroll: replied
                .call
                .as_ref()
                .is_some_and(|call| call.rerolled_attempt().is_some()),
            guardrail: replied.guardrail.clone(),
            prompts: self.replaced.len(),
            instead_of: answers_the_same.or(owed.map(|rule| SentBack {
                rule,
                attempt: self.turns.get(turn).map_or(0, |state| state.chosen_index),
            })),
        };
        let state = self.turns.entry(turn.clone()).or_default();
        if let Some(rule) = owed {
            *state.retries.entry(rule).or_default() += 1;
        }
        state.chosen_index = state.attempts.len();
        // Few turns have a second one.
        state.attempts.reserve_exact(1);
        state.attempts.push(attempt);
        state.filtered = false;
        let is_answer = owed.is_some() || answers_the_same.is_some();
        if is_answer && self.rule_to_answer(turn).is_none() {
            self.keep_parsed_reply(turn);
        }
        self.mark_rounds(turn.round);
        self.charge_reply(&record.by, Some(&replied.reply));
        match &replied.call {
            Some(call) => self.settle_step_id(&record.by, call),
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
    fn keep_parsed_reply(&mut self, turn: &TurnId) {
        let Some(state) = self.turns.get_mut(turn) else {
            return;
        };
        let was_read = |attempt: &Attempt| match attempt.fields {
            Some(Fields::Read(_)) => true,
            Some(Fields::Unparsed { .. }) | None => false,
        };
        if !state.chosen_attempt().is_some_and(was_read)
            && let Some(read) = state.attempts.iter().rposition(was_read)
        {
            state.chosen_index = read;
        }
    }

    fn check_open(&self, id: &StepId, otherwise: EventRefusal) -> Result<(), EventRefusal> {
        self.check_running()?;
        let opening = self.find_open_steps();
        let open = opening.steps.iter().any(|step| step.id() == *id);
        if open || opening.blocked.contains(id) {
            Ok(())
        } else {
            Err(otherwise)
        }
    }

    fn apply_edit(
        &mut self,
        record: &Record,
        turn: &TurnId,
        attempt: u32,
        text: &str,
    ) -> Result<(), EventRefusal> {
        self.check_running()?;
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
        let edited_attempt = state.chosen_attempt();
        let view = edited_attempt.and_then(|attempt| attempt.view);
        // The view next to the new text is the edited attempt's.
        let prompts = edited_attempt.map_or(0, |attempt| attempt.prompts);
        let instead_of = edited_attempt.and_then(|attempt| attempt.instead_of);
        state.chosen_index = state.attempts.len();
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

    fn apply_choice(&mut self, record: &Record, id: &AttemptId) -> Result<(), EventRefusal> {
        self.check_running()?;
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
        state.chosen_index = id.attempt as usize;
        let by_person = is_person(&record.by);
        if let Some(attempt) = state.attempts.get_mut(id.attempt as usize) {
            attempt.by_person |= by_person;
        }
        self.mark_rounds(id.turn.round);
        Ok(())
    }

    fn apply_truncation(&mut self, ceiling: CeilingKind) -> Result<(), EventRefusal> {
        self.check_running()?;
        self.truncated = Some(ceiling);
        self.count_running_calls();
        Ok(())
    }
}
