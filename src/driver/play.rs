//! Plays a debate: performs the open steps concurrently and records what happened.

use super::asked::{answered, person_at, question};
use super::budget::{Budget, Reservation};
use super::call::{self, Call, outcome};
use super::clock::Clock;
use super::error::DriverError;
use super::log;
use super::memory_book::MemoryBook;
use super::observe::{Answer, Observer, People, Question};
use super::purse::Purse;
use super::retries::Retries;
use super::rules;
use super::seats::Seats;
use super::session::Session;
use crate::debate::State;
use crate::debate::event::{Author, CeilingKind, Event, Failed};
use crate::debate::step::{Done, Step, StepId};
use crate::model::CallError;
use futures_util::future::BoxFuture;
use futures_util::stream::{FuturesUnordered, StreamExt};
use std::collections::BTreeMap;
use std::sync::Arc;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio_util::sync::CancellationToken;

/// How a debate was left.
#[derive(Debug, Clone, PartialEq)]
pub enum Left {
    Done(Done),
    /// Steps failed and wait for somebody to resume the session.
    Stuck(Vec<Failed>),
    /// The run's ceiling allows no more calls.
    Paused,
    /// Somebody stopped it, or a person left their seat.
    Stopped,
}

/// What a debate is played with.
#[derive(Clone, Copy)]
pub struct Table<'a> {
    pub clock: Clock,
    pub seats: &'a Seats,
    pub budget: &'a Budget,
    pub memory: Option<&'a MemoryBook>,
    pub observer: &'a dyn Observer,
    pub people: &'a dyn People,
    pub cancel: &'a CancellationToken,
}

/// Plays a session until nothing is open, or until it must stop.
///
/// Open steps run side by side; a reply is durable before the next step sees it.
///
/// # Errors
/// When the disk, a template or a model's settings stop the session; what was recorded stays.
pub async fn play(session: &mut Session, table: Table<'_>) -> Result<Left, DriverError> {
    let ceiling = session.created()?.protocol.ceilings.cost_usd;
    let (retrying, retried) = unbounded_channel();
    Play {
        table,
        doing: FuturesUnordered::new(),
        running: BTreeMap::new(),
        purse: Arc::new(Purse::new(ceiling)),
        retried,
        retrying,
        paused: false,
        left: false,
    }
    .run(session)
    .await
}

/// What came of something that was started.
enum Came<'a> {
    /// The worst case of a call is set aside: it may be sent.
    Reserved(Box<Call>, Reservation<'a>),
    /// The run's ceiling allows no more.
    Refused(StepId),
    Called {
        call: Box<Call>,
        reservation: Reservation<'a>,
        result: Box<Result<crate::model::Reply, CallError>>,
    },
    Answered {
        step: Box<Step>,
        question: Box<Question>,
        answer: std::io::Result<Answer>,
    },
}

/// What a step that was started may cost.
#[derive(Clone, Copy)]
struct Running {
    usd: f64,
    tokens: u64,
    is_call: bool,
    /// Whether the state counts its worst case already.
    noted: bool,
}

struct Play<'a> {
    table: Table<'a>,
    doing: FuturesUnordered<BoxFuture<'a, Came<'a>>>,
    running: BTreeMap<StepId, Running>,
    purse: Arc<Purse>,
    /// Retries of calls in flight.
    retried: UnboundedReceiver<Event>,
    retrying: UnboundedSender<Event>,
    paused: bool,
    left: bool,
}

impl<'a> Play<'a> {
    async fn run(mut self, session: &mut Session) -> Result<Left, DriverError> {
        let left = self.go_on(session).await;
        if left.is_err() {
            self.keep_what_was_sent(session).await;
        }
        left
    }

    /// Calls in flight are paid for: their replies are kept before an error ends the debate.
    async fn keep_what_was_sent(&mut self, session: &mut Session) {
        while self.running.values().any(|running| running.noted) {
            let Some(came) = self.doing.next().await else {
                return;
            };
            // Nothing new is sent and nobody is asked; the first error is the one that is told.
            if let Came::Called { .. } = came
                && self.take_in(session, vec![came]).await.is_err()
            {
                return;
            }
        }
    }

    async fn go_on(&mut self, session: &mut Session) -> Result<Left, DriverError> {
        loop {
            let opening = session.state.open();
            if let Some(done) = opening.done {
                learn(self.table, session).await?;
                return Ok(Left::Done(done));
            }
            self.paused |= self.table.budget.is_exhausted();
            let stopping = self.paused || self.left || self.table.cancel.is_cancelled();
            let mut progressed = false;
            if !stopping {
                for step in opening.steps {
                    if session.state.truncated().is_some() {
                        // The step before met a ceiling: the debate is over, this one with it.
                        break;
                    }
                    if !self.running.contains_key(&step.id()) {
                        progressed |= self.start(session, step).await?;
                    }
                }
            }
            if progressed {
                // Something was done on the spot and may have opened more.
                continue;
            }
            let first = tokio::select! {
                biased;
                Some(retried) = self.retried.recv() => {
                    self.note_retry(session, retried)?;
                    continue;
                }
                first = self.doing.next() => first,
            };
            let Some(first) = first else {
                return Ok(self.how_it_was_left(session));
            };
            let mut came = vec![first];
            // Whatever else is ready shares the same fsync.
            while let Some(Some(next)) = futures_util::FutureExt::now_or_never(self.doing.next()) {
                came.push(next);
            }
            self.take_in(session, came).await?;
        }
    }

    fn how_it_was_left(&self, session: &Session) -> Left {
        if self.paused {
            Left::Paused
        } else if self.left || self.table.cancel.is_cancelled() {
            Left::Stopped
        } else {
            Left::Stuck(session.state.failures().values().cloned().collect())
        }
    }

    /// Starts a step, or does it on the spot. Returns whether the state changed.
    async fn start(&mut self, session: &mut Session, step: Step) -> Result<bool, DriverError> {
        match &step {
            Step::Retrieve => {
                let event = self.retrieve(session)?;
                record(self.table, session, vec![(Author::Engine, event)]).await?;
                Ok(true)
            }
            Step::Grade { judging, target } => {
                let event = rules::applied(&session.state, judging, target);
                record(self.table, session, vec![(Author::Engine, event)]).await?;
                Ok(true)
            }
            Step::Recite(speak) => {
                let event = rules::recited(&session.state, speak);
                record(self.table, session, vec![(Author::Engine, event)]).await?;
                Ok(true)
            }
            Step::Speak(_) | Step::Judge(_) | Step::WriteFeedback(_) => {
                self.start_call(session, &step).await
            }
            Step::AwaitSpeaker(_) | Step::AwaitJudge(_) | Step::AwaitFeedback(_) => {
                self.start_question(session, step)?;
                Ok(false)
            }
        }
    }

    async fn start_call(
        &mut self,
        session: &mut Session,
        step: &Step,
    ) -> Result<bool, DriverError> {
        let call = call::prepare(&session.state, &session.game, self.table.seats, step)?;
        let Some(call) = call else {
            return Ok(false);
        };
        let running = Running {
            usd: call.worst_case_usd.unwrap_or(0.0),
            tokens: call.worst_case_tokens,
            is_call: true,
            noted: false,
        };
        if let Some((ceiling, limit, committed)) = self.debate_ceiling(&session.state, running) {
            if !self.running.is_empty() {
                // Calls in flight may turn out cheaper than their worst case.
                return Ok(false);
            }
            let event = Event::Truncated {
                ceiling,
                limit,
                committed,
            };
            record(self.table, session, vec![(Author::Engine, event)]).await?;
            return Ok(true);
        }
        self.running.insert(call.id.clone(), running);
        self.purse.commit(self.committed_usd(&session.state));
        let budget = self.table.budget;
        let call = Box::new(call);
        self.doing.push(Box::pin(async move {
            match budget.reserve(running.usd).await {
                Ok(reservation) => Came::Reserved(call, reservation),
                Err(_) => Came::Refused(call.id),
            }
        }));
        Ok(false)
    }

    /// Says which of the debate's own ceilings another call might break.
    fn debate_ceiling(&self, state: &State, next: Running) -> Option<(CeilingKind, f64, f64)> {
        let ceilings = &state.protocol()?.ceilings;
        // The state counts calls that were sent, whatever became of them.
        let unsent = || self.running.values().filter(|running| !running.noted);
        if let Some(limit) = ceilings.cost_usd {
            let usd = self.committed_usd(state) + self.purse.charged_usd() + next.usd;
            if usd > limit {
                return Some((CeilingKind::CostUsd, limit, usd));
            }
        }
        if let Some(limit) = ceilings.calls {
            let waiting = unsent().filter(|running| running.is_call).count();
            let calls = state.committed_calls() + waiting as u64 + 1;
            if calls > limit {
                return Some((CeilingKind::Calls, limit as f64, calls as f64));
            }
        }
        if let Some(limit) = ceilings.tokens {
            let waiting: u64 = unsent().map(|running| running.tokens).sum();
            let tokens = (state.committed_tokens())
                .saturating_add(waiting)
                .saturating_add(next.tokens);
            if tokens > limit {
                return Some((CeilingKind::Tokens, limit as f64, tokens as f64));
            }
        }
        None
    }

    /// What is spent or in doubt, calls that were not sent yet included at their worst.
    fn committed_usd(&self, state: &State) -> f64 {
        let unsent = self.running.values().filter(|running| !running.noted);
        state.committed_usd() + unsent.map(|running| running.usd).sum::<f64>()
    }

    fn retrieve(&self, session: &Session) -> Result<Event, DriverError> {
        let created = session.created()?;
        Ok(Event::Retrieved(match self.table.memory {
            Some(book) => book.retrieve(created),
            None => crate::debate::event::Retrieved {
                retriever: "none".to_owned(),
                entries: Vec::new(),
                excluded: Vec::new(),
            },
        }))
    }

    fn start_question(&mut self, session: &Session, step: Step) -> Result<(), DriverError> {
        let question = question(session, &step)?;
        self.running.insert(
            step.id(),
            Running {
                usd: 0.0,
                tokens: 0,
                is_call: false,
                noted: false,
            },
        );
        let people = self.table.people;
        let cancel = self.table.cancel;
        self.doing.push(Box::pin(async move {
            // Whoever presses Ctrl-C does not want to finish the answer first.
            let answer = tokio::select! {
                answer = people.ask(&question) => answer,
                () = cancel.cancelled() => Ok(Answer::Left),
            };
            Came::Answered {
                step: Box::new(step),
                question: Box::new(question),
                answer,
            }
        }));
        Ok(())
    }

    /// Records everything that came, together.
    async fn take_in(
        &mut self,
        session: &mut Session,
        came: Vec<Came<'a>>,
    ) -> Result<(), DriverError> {
        let mut events = Vec::new();
        let mut settled = Vec::new();
        while let Ok(retried) = self.retried.try_recv() {
            self.note_retry(session, retried)?;
        }
        let mut fault = None;
        for came in came {
            match came {
                Came::Reserved(call, _) if self.table.cancel.is_cancelled() => {
                    self.running.remove(&call.id);
                }
                Came::Reserved(call, reservation) => self.send(session, call, reservation)?,
                Came::Refused(step) => {
                    self.running.remove(&step);
                    self.paused = true;
                }
                Came::Called {
                    call,
                    reservation,
                    result,
                } => {
                    self.running.remove(&call.id);
                    let (event, cost) = outcome(session, *call, *result);
                    if let Some(event) = event {
                        events.push((Author::Engine, event));
                    }
                    settled.push((reservation, cost));
                }
                Came::Answered {
                    step,
                    question,
                    answer,
                } => {
                    self.running.remove(&step.id());
                    let author = person_at(session, &step, self.table.people);
                    match answer.map(|answer| answered(session, *step, *question, answer)) {
                        Ok(Some(event)) => events.push((author, event)),
                        Ok(None) => self.left = true,
                        Err(error) => {
                            fault = Some(format!("the answer could not be read: {error}"));
                        }
                    }
                }
            }
        }
        if !events.is_empty() {
            record(self.table, session, events).await?;
        }
        self.purse.commit(self.committed_usd(&session.state));
        for (reservation, cost) in settled {
            reservation.settle(cost);
        }
        learn(self.table, session).await?;
        match fault {
            Some(fault) => Err(DriverError::Invalid(fault)),
            None => Ok(()),
        }
    }

    /// Writes that a call is made again: before its outcome is known, for it may have cost money.
    fn note_retry(&mut self, session: &mut Session, retried: Event) -> Result<(), DriverError> {
        let charged = match &retried {
            Event::CallRetried {
                may_have_cost_usd, ..
            } => may_have_cost_usd.unwrap_or(0.0),
            _ => 0.0,
        };
        let record = session.note(self.table.clock.now(), retried)?;
        self.purse.recorded(charged);
        self.purse.commit(self.committed_usd(&session.state));
        log::tell(&session.id, &record.event);
        self.table
            .observer
            .happened(&session.id, &record, &session.state);
        Ok(())
    }

    /// Notes that a call is about to be sent, and sends it.
    fn send(
        &mut self,
        session: &mut Session,
        call: Box<Call>,
        mut reservation: Reservation<'a>,
    ) -> Result<(), DriverError> {
        let started = Event::CallStarted {
            step: call.id.clone(),
            worst_case_usd: call.worst_case_usd,
            worst_case_tokens: call.worst_case_tokens,
        };
        log::sent(&session.id, &call.id);
        session.note(self.table.clock.now(), started)?;
        if let Some(running) = self.running.get_mut(&call.id) {
            running.noted = true;
        }
        reservation.sent();
        let cancel = self.table.cancel.child_token();
        let budget = self.table.budget;
        let purse = Arc::clone(&self.purse);
        let retrying = self.retrying.clone();
        self.doing.push(Box::pin(async move {
            let retries = Retries {
                call: &call,
                budget,
                purse: &purse,
                cancel: &cancel,
                tell: &retrying,
            };
            let result = call
                .seat
                .model
                .complete(&call.request, &retries, &cancel)
                .await;
            Came::Called {
                call,
                reservation,
                result: Box::new(result),
            }
        }));
        Ok(())
    }
}

async fn record(
    table: Table<'_>,
    session: &mut Session,
    events: Vec<(Author, Event)>,
) -> Result<(), DriverError> {
    let records = session.record_all(table.clock.now(), events).await?;
    for record in &records {
        log::tell(&session.id, &record.event);
        table.observer.happened(&session.id, record, &session.state);
    }
    Ok(())
}

/// Puts the lesson, once it is durable in the session, into long-term memory.
async fn learn(table: Table<'_>, session: &Session) -> Result<(), DriverError> {
    let created = session.created()?;
    if let (Some(book), true) = (table.memory, created.memory.writes) {
        let at = table.clock.now();
        let notices = book
            .learn(&session.id, &session.state, created, &at)
            .await?;
        for notice in &notices {
            table.observer.mended(notice);
        }
    }
    Ok(())
}
