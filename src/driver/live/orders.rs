//! Orders, obeyed or refused with what to do instead.

use super::tiding::{MAX_REROLLS, MAX_SENT_BYTES, MAX_TEXT_BYTES, Order, Pace, Rest, Tiding};
use crate::debate::event::{Author, Event, Player};
use crate::debate::ids::{AttemptId, Chair, TurnId};
use crate::debate::step::{Opening, Speak, Step, StepId};
use crate::debate::view::ViewMessage;
use crate::debate::{Onlooker, Record, State};
use crate::driver::asked::{answered, person_at, question};
use crate::driver::call;
use crate::driver::error::DriverError;
use crate::driver::live::Hand;
use crate::driver::observe::Answer;
use crate::driver::play::Play;
use crate::driver::session::Session;
use std::fmt;

/// Why an order came to nothing.
enum NotDone {
    /// Nothing was changed; why, and what to do instead.
    Refused(String),
    Broke(DriverError),
}

impl From<DriverError> for NotDone {
    fn from(error: DriverError) -> Self {
        match error {
            DriverError::Store(_) => NotDone::Broke(error),
            DriverError::Refused(refusal) => NotDone::Refused(refusal.to_string()),
            DriverError::Game(_)
            | DriverError::Prompt(_)
            | DriverError::Cast(_)
            | DriverError::Call(_)
            | DriverError::Misfit { .. }
            | DriverError::UnknownEvent { .. }
            | DriverError::Empty { .. }
            | DriverError::NoSuch { .. }
            | DriverError::Ambiguous { .. }
            | DriverError::Invalid(_) => NotDone::Refused(error.to_string()),
        }
    }
}

fn refused<T>(why: impl Into<String>) -> Result<T, NotDone> {
    Err(NotDone::Refused(why.into()))
}

impl fmt::Display for Order {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Order::Play(Pace::Turn) => f.write_str("play a turn"),
            Order::Play(Pace::Stage) => f.write_str("play a stage"),
            Order::Play(Pace::Round) => f.write_str("play a round"),
            Order::Play(Pace::End) => f.write_str("play to the end"),
            Order::Pause => f.write_str("pause"),
            Order::StopCall(step) => write!(f, "stop '{step}'"),
            Order::Send { step, .. } => write!(f, "send '{step}'"),
            Order::Answer { step, .. } => write!(f, "answer '{step}'"),
            Order::Reroll { turn, .. } => write!(f, "re-roll {turn}"),
            Order::Edit { turn, .. } => write!(f, "edit {turn}"),
            Order::Choose(attempt) => write!(f, "choose {attempt}"),
            Order::Retry => f.write_str("retry"),
        }
    }
}

impl Play<'_> {
    /// Does what somebody wants, or says why not.
    ///
    /// # Errors
    /// When the disk stops the session.
    pub(in crate::driver) async fn obey(
        &mut self,
        session: &mut Session,
        order: Order,
    ) -> Result<(), DriverError> {
        let name = order.to_string();
        let done = self.try_to_obey(session, order).await;
        self.tell_how_it_went(name, done)
    }

    fn tell_how_it_went(
        &mut self,
        order: String,
        done: Result<(), NotDone>,
    ) -> Result<(), DriverError> {
        let Some(hand) = &mut self.hand else {
            return Ok(());
        };
        hand.rests = None;
        match done {
            Ok(()) => Ok(()),
            Err(NotDone::Refused(why)) => {
                hand.say(Tiding::Refused { order, why });
                Ok(())
            }
            Err(NotDone::Broke(error)) => Err(error),
        }
    }

    async fn try_to_obey(&mut self, session: &mut Session, order: Order) -> Result<(), NotDone> {
        match order {
            Order::Play(pace) => {
                self.take_up(session).await?;
                self.hand()?.allowance.add(pace);
                Ok(())
            }
            Order::Pause => {
                self.hand()?.allowance.clear();
                let unsent = self.running.values().filter(|running| !running.noted);
                unsent.for_each(|running| running.cancel.cancel());
                Ok(())
            }
            Order::StopCall(step) => self.stop(&session.state, &step),
            Order::Send { step, messages } => self.send_instead(session, &step, messages).await,
            Order::Answer { step, text } => self.answer_or_take_over(session, step, text).await,
            Order::Reroll { turn, attempts } => self.reroll(session, &turn, attempts).await,
            Order::Edit { turn, text } => self.edit(session, turn, text).await,
            Order::Choose(attempt) => self.choose(session, attempt).await,
            Order::Retry => self.retry(session).await,
        }
    }

    fn hand(&mut self) -> Result<&mut Hand, NotDone> {
        match &mut self.hand {
            Some(hand) => Ok(hand),
            None => refused("nobody has this session in hand"),
        }
    }

    fn person(&self) -> Author {
        Author::Person(self.table.people.name())
    }

    /// What an earlier process left in flight is in doubt and what failed is tried again, as when a
    /// session is resumed; only then, so that looking at a session changes nothing.
    async fn take_up(&mut self, session: &mut Session) -> Result<(), NotDone> {
        if std::mem::replace(&mut self.hand()?.taken_up, true) {
            return Ok(());
        }
        let state = &session.state;
        let left = state.calls_without_outcome().next().is_some() || !state.failures().is_empty();
        if left && self.running.is_empty() && state.open().done.is_none() {
            self.resume(session).await?;
        }
        Ok(())
    }

    async fn resume(&mut self, session: &mut Session) -> Result<(), DriverError> {
        let resumed = vec![(Author::Engine, Event::Resumed {})];
        self.record(session, resumed).await
    }

    fn stop(&mut self, state: &State, id: &StepId) -> Result<(), NotDone> {
        let opening = state.open();
        let step = opening.steps.iter().find(|step| &step.id() == id);
        let running = self.running.get(id).map(|running| running.cancel.clone());
        let hand = self.hand()?;
        match running {
            Some(cancel) => {
                hand.allowance.stop(id, step);
                cancel.cancel();
                Ok(())
            }
            None if hand.asked.contains_key(id) => {
                hand.allowance.stop(id, step);
                hand.withdraw(|asked, _| asked == id);
                Ok(())
            }
            None => refused("it is not in flight: there is nothing to stop"),
        }
    }

    async fn send_instead(
        &mut self,
        session: &mut Session,
        id: &StepId,
        messages: Vec<ViewMessage>,
    ) -> Result<(), NotDone> {
        if messages.is_empty() {
            return refused("there are no messages; give one at least");
        }
        let parts = messages.iter().flat_map(|message| &message.parts);
        let bytes: usize = parts
            .filter_map(|part| part.text.as_ref())
            .map(String::len)
            .sum();
        if bytes > MAX_SENT_BYTES {
            return refused(format!(
                "the messages have {bytes} bytes, and {MAX_SENT_BYTES} is the most; shorten them"
            ));
        }
        self.take_up(session).await?;
        let step = self.callable(&session.state, id)?;
        let seats = self.table.seats;
        let call = call::prepare(&session.state, &session.game, seats, &step, Some(messages))?;
        let Some(call) = call else {
            return refused("nobody sits there who could be asked");
        };
        self.enqueue_or_refuse(&session.state, call)
    }

    /// Returns the open step of a model that may be called now.
    fn callable(&mut self, state: &State, id: &StepId) -> Result<Step, NotDone> {
        if self.running.contains_key(id) {
            return refused("it is in flight; stop it first, or wait for it");
        }
        let opening = state.open();
        if opening.blocked.contains(id) {
            return refused("it failed; retry, then send it");
        }
        let Some(step) = opening.steps.into_iter().find(|step| &step.id() == id) else {
            return refused("this step is not open; look at the steps that are");
        };
        match step {
            Step::Speak(_) | Step::Judge(_) | Step::WriteFeedback(_) => {}
            Step::AwaitSpeaker(_) | Step::AwaitJudge(_) | Step::AwaitFeedback(_) => {
                return refused("a person sits there; answer it instead");
            }
            Step::Retrieve | Step::Recite(_) | Step::Grade { .. } => {
                return refused("no model is asked here; play on instead");
            }
        }
        if self.hand()?.is_held_by_rerolls(state, &step) {
            return refused("it waits for fresh attempts of what it is shown; wait, or stop them");
        }
        Ok(step)
    }

    fn enqueue_or_refuse(&mut self, state: &State, call: call::Call) -> Result<(), NotDone> {
        if self.paused {
            return refused("the ceiling allows no more calls; open the session with a higher one");
        }
        match self.enqueue(state, call) {
            None => Ok(()),
            Some((_, limit, committed)) => refused(format!(
                "with this call the debate might pass its own ceiling ({committed} of {limit}); \
                 fork it with a higher one"
            )),
        }
    }

    async fn answer_or_take_over(
        &mut self,
        session: &mut Session,
        id: StepId,
        text: String,
    ) -> Result<(), NotDone> {
        check_text(&text)?;
        if id.rerolled().is_some() {
            return refused("this is a fresh attempt; edit the turn instead");
        }
        self.take_up(session).await?;
        let Some(running) = self.running.get(&id) else {
            return self.answer(session, &id, text).await;
        };
        running.cancel.cancel();
        self.hand()?.takeovers.insert(id, text);
        Ok(())
    }

    async fn answer(
        &mut self,
        session: &mut Session,
        id: &StepId,
        text: String,
    ) -> Result<(), NotDone> {
        let state = &session.state;
        // A person may do what a model could not.
        let steps = state.open().steps.into_iter().chain(failed_steps(state));
        let Some(step) = steps.into_iter().find(|step| &step.id() == id) else {
            return refused("this step is not open any more; edit the turn, or fork before it");
        };
        let step = match step {
            Step::Speak(speak) | Step::AwaitSpeaker(speak) => Step::AwaitSpeaker(speak),
            Step::Judge(judge) | Step::AwaitJudge(judge) => Step::AwaitJudge(judge),
            Step::WriteFeedback(chair) | Step::AwaitFeedback(chair) => Step::AwaitFeedback(chair),
            Step::Retrieve | Step::Recite(_) | Step::Grade { .. } => {
                return refused("nobody is asked here; play on instead");
            }
        };
        if self.hand()?.is_held_by_rerolls(state, &step) {
            return refused("it waits for fresh attempts of what it is shown; wait, or stop them");
        }
        let question = question(state, &session.game, &step)?;
        let author = person_at(session, &step, self.table.people);
        let Some(event) = answered(session, step, question, Answer::Text(text)) else {
            return refused("this step takes no answer; play on instead");
        };
        self.record(session, vec![(author, event)]).await?;
        self.hand()?.withdraw(|asked, _| asked == id);
        Ok(())
    }

    async fn reroll(
        &mut self,
        session: &mut Session,
        turn: &TurnId,
        attempts: u32,
    ) -> Result<(), NotDone> {
        if !(1..=MAX_REROLLS).contains(&attempts) {
            return refused(format!(
                "{attempts} attempts cannot be asked for; ask for 1 to {MAX_REROLLS}"
            ));
        }
        self.take_up(session).await?;
        self.check_model(&session.state, &turn.chair)?;
        if !session.state.is_settled(turn) {
            return refused("the turn is not spoken yet; play it first");
        }
        self.check_unseen(session, turn).await?;
        let known = session.state.turns().get(turn);
        let first = known.map_or(0, crate::debate::TurnState::next_reroll);
        for number in 0..attempts {
            let attempt = AttemptId {
                turn: turn.clone(),
                attempt: first.saturating_add(number),
            };
            let step = Step::Speak(Speak {
                turn: turn.clone(),
                attempt: attempt.attempt,
                retry: None,
            });
            let seats = self.table.seats;
            let call = call::prepare(&session.state, &session.game, seats, &step, None)?;
            let Some(mut call) = call else {
                return refused("nobody sits there who could be asked");
            };
            call.id = StepId::of_reroll(&attempt);
            self.enqueue_or_refuse(&session.state, call)?;
            self.hand()?.rerolls.begin(&attempt);
        }
        Ok(())
    }

    fn check_model(&self, state: &State, chair: &Chair) -> Result<(), NotDone> {
        match state.created().and_then(|created| created.player(chair)) {
            Some(Player::Model(_)) => Ok(()),
            Some(Player::Human { .. }) => refused("a person sits there; edit the turn instead"),
            Some(Player::Fixed(_)) => {
                refused("what is said there is written down; edit the turn instead")
            }
            None => refused("nobody has that seat; look at the cast"),
        }
    }

    async fn edit(
        &mut self,
        session: &mut Session,
        turn: TurnId,
        text: String,
    ) -> Result<(), NotDone> {
        check_text(&text)?;
        self.take_up(session).await?;
        let Some(known) = session.state.turns().get(&turn) else {
            return refused("the turn is not spoken yet; answer it to speak in its place");
        };
        let attempt = u32::try_from(known.attempts.len()).unwrap_or(u32::MAX);
        self.check_unseen(session, &turn).await?;
        let event = Event::Edited {
            turn: turn.clone(),
            attempt,
            text,
        };
        self.change(session, &turn, event).await
    }

    async fn choose(&mut self, session: &mut Session, attempt: AttemptId) -> Result<(), NotDone> {
        self.take_up(session).await?;
        self.check_unseen(session, &attempt.turn).await?;
        let turn = attempt.turn.clone();
        self.change(session, &turn, Event::Chosen { attempt }).await
    }

    async fn change(
        &mut self,
        session: &mut Session,
        turn: &TurnId,
        event: Event,
    ) -> Result<(), NotDone> {
        let author = self.person();
        self.record(session, vec![(author, event)]).await?;
        self.hand()?.withdraw_viewers(&session.state, turn);
        Ok(())
    }

    /// Refuses to change a turn that anything has been shown, or is about to be.
    async fn check_unseen(&mut self, session: &mut Session, turn: &TurnId) -> Result<(), NotDone> {
        if self.hand()?.rerolls.is_going(turn) {
            return refused("fresh attempts of it are on their way; wait for them, or stop them");
        }
        let state = &session.state;
        if self
            .running
            .keys()
            .any(|id| id.turn().as_ref() == Some(turn))
        {
            return refused("a call for this turn is in flight; stop it first, or wait for it");
        }
        let opening = state.open();
        let mut running = opening
            .steps
            .iter()
            .filter(|step| self.running.contains_key(&step.id()));
        if let Some(step) = running.find(|step| state.would_see(step, turn)) {
            return refused(format!(
                "'{}' is being asked about it; stop that call first, or fork before the turn",
                step.id()
            ));
        }
        let stopped = matches!(state.seen_by(turn), Some(Onlooker::Call(_)));
        if stopped && self.running.is_empty() && state.failures().is_empty() {
            // Nothing came of what was stopped, and nobody waits for it.
            self.resume(session).await?;
        }
        match session.state.seen_by(turn) {
            None => Ok(()),
            Some(Onlooker::Call(step)) => refused(format!(
                "the stopped call '{step}' was shown it; wait until nothing is in flight, retry \
                 what failed, and do it again, or fork before the turn"
            )),
            Some(onlooker) => refused(format!(
                "{turn} has been seen by {onlooker}; fork before it to change it"
            )),
        }
    }

    async fn retry(&mut self, session: &mut Session) -> Result<(), NotDone> {
        if session.state.failures().is_empty() {
            return refused("nothing failed; play on instead");
        }
        let failed = failed_steps(&session.state);
        let hand = self.hand()?;
        hand.taken_up = true;
        for step in &failed {
            hand.allowance.add_step(step);
        }
        // A call that is in flight must not be taken for one whose outcome nobody will know.
        hand.retries = true;
        self.retry_when_quiet(session).await?;
        Ok(())
    }

    async fn retry_when_quiet(&mut self, session: &mut Session) -> Result<bool, DriverError> {
        let quiet = !self.running.values().any(|running| running.noted);
        match &mut self.hand {
            Some(hand) if hand.retries && quiet => hand.retries = false,
            Some(_) | None => return Ok(false),
        }
        self.resume(session).await?;
        Ok(true)
    }

    /// Tells what is over, and lets people speak whose seats were freed for them.
    ///
    /// # Errors
    /// When the disk stops the session.
    pub(in crate::driver) async fn after_taking_in(
        &mut self,
        session: &mut Session,
    ) -> Result<(), DriverError> {
        let Some(hand) = &mut self.hand else {
            return Ok(());
        };
        hand.tell_what_is_over();
        let freed = hand
            .takeovers
            .extract_if(.., |id, _| !self.running.contains_key(id));
        let freed: Vec<(StepId, String)> = freed.collect();
        for (id, text) in freed {
            let done = self.answer(session, &id, text).await;
            self.tell_how_it_went(format!("answer '{id}'"), done)?;
        }
        self.retry_when_quiet(session).await?;
        Ok(())
    }

    /// Nothing is in flight: tells why, once. Returns whether the state changed instead.
    ///
    /// # Errors
    /// When the disk stops the session.
    pub(in crate::driver) async fn rest(
        &mut self,
        session: &mut Session,
    ) -> Result<bool, DriverError> {
        if self.retry_when_quiet(session).await? {
            return Ok(true);
        }
        let Some(hand) = &mut self.hand else {
            return Ok(false);
        };
        if !hand.noted.is_empty() {
            session.sync().await?;
            for record in hand.noted.drain(..) {
                (self.table.observer).happened(&session.id, &record, &session.state);
            }
        }
        let rest = why_it_rests(hand, &session.state, self.paused);
        match &rest {
            Rest::Held | Rest::Done(_) => hand.allowance.clear(),
            Rest::Stuck(_) | Rest::Paused | Rest::Waits(_) => {}
        }
        if hand.rests.as_ref() != Some(&rest) {
            hand.say(Tiding::Rests(rest.clone()));
            hand.rests = Some(rest);
        }
        Ok(false)
    }
}

fn why_it_rests(hand: &Hand, state: &State, paused: bool) -> Rest {
    let Opening { steps, done, .. } = state.open();
    if let Some(done) = done {
        return Rest::Done(done);
    }
    if paused {
        return Rest::Paused;
    }
    if hand.waits() {
        return Rest::Waits(hand.asked.keys().cloned().collect());
    }
    let failed = failed_steps(state);
    let stuck = failed.iter().any(|step| hand.allowance.holds(step));
    if stuck || (steps.is_empty() && !failed.is_empty()) {
        return Rest::Stuck(state.failures().values().cloned().collect());
    }
    Rest::Held
}

/// Returns the steps that failed and would be open but for that.
fn failed_steps(state: &State) -> Vec<Step> {
    let Opening { blocked, .. } = state.open();
    if blocked.is_empty() {
        return Vec::new();
    }
    let mut forgiven = state.clone();
    let resumed = Record {
        at: String::new(),
        by: Author::Engine,
        event: Event::Resumed {},
    };
    if forgiven.apply(&resumed).is_err() {
        return Vec::new();
    }
    let steps = forgiven.open().steps.into_iter();
    steps.filter(|step| blocked.contains(&step.id())).collect()
}

fn check_text(text: &str) -> Result<(), NotDone> {
    if text.trim().is_empty() {
        return refused("there is no text; write some");
    }
    if text.len() > MAX_TEXT_BYTES {
        return refused(format!(
            "the text has {} bytes, and {MAX_TEXT_BYTES} is the most; shorten it",
            text.len()
        ));
    }
    Ok(())
}
