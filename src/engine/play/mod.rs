//! Plays a debate: performs the open steps concurrently and records what happened.
//!
//! It plays by itself or under somebody's [hand](super::live): then only what is allowed starts,
//! orders arrive while it waits, and it rests instead of ending.

mod calls;
mod guardrails;
mod settle;

use super::asked::question;
use super::budget::{Budget, Reservation};
use super::call::Call;
use super::clock::Clock;
use super::derive::Derived;
use super::error::DriverError;
use super::live::{Hand, Order};
use super::memory_book::MemoryBook;
use super::observe::{Answer, Observer, People, Question};
use super::purse::Purse;
use super::rules;
use super::seats::Seats;
use super::session::Session;
use crate::debate::State;
use crate::debate::event::{Author, Event, Failed};
use crate::debate::step::{Done, Opening, Step, StepId};
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
    Play::of(session, table, None)?.run(session).await
}

/// Plays a session as its orders say, until they end.
///
/// # Errors
/// As [`play`].
pub(super) async fn play_by_hand(
    session: &mut Session,
    table: Table<'_>,
    hand: Hand,
) -> Result<Left, DriverError> {
    let hand = Some(Box::new(hand));
    Play::of(session, table, hand)?.run(session).await
}

/// What came of something that was started.
enum Came<'a> {
    /// The worst case of a call is set aside: it may be sent.
    Reserved(Box<Call>, Reservation<'a>),
    /// The run's ceiling allows no more.
    Refused(StepId),
    /// It was cancelled before it was sent.
    Withdrawn(StepId),
    Called {
        call: Box<Call>,
        reservation: Reservation<'a>,
        result: Box<Result<crate::model::Reply, CallError>>,
    },
    /// A derivation of a guardrail is over.
    Derived(Result<Derived, DriverError>),
    Answered {
        step: Box<Step>,
        question: Box<Question>,
        answer: std::io::Result<Answer>,
    },
}

/// What woke the engine.
enum Next<'a> {
    Retried(Event),
    Came(Came<'a>),
    Ordered(Order),
    /// Whoever gave orders is gone.
    Closed,
    /// Nothing is going on.
    Nothing,
}

/// How far the derivation of a guardrail is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Deriving {
    NotYet,
    Now,
    /// It was tried, or there was nothing to derive from.
    Over,
}

/// A step that was started, and what it may cost.
pub(super) struct Running {
    usd: f64,
    tokens: u64,
    is_call: bool,
    /// Whether the state counts its worst case already: then it was sent.
    pub noted: bool,
    /// Ends this call alone.
    pub cancel: CancellationToken,
}

/// A session while it is played.
pub(super) struct Play<'a> {
    pub table: Table<'a>,
    doing: FuturesUnordered<BoxFuture<'a, Came<'a>>>,
    pub running: BTreeMap<StepId, Running>,
    purse: Arc<Purse>,
    /// Retries of calls in flight.
    retried: UnboundedReceiver<Event>,
    retrying: UnboundedSender<Event>,
    pub paused: bool,
    left: bool,
    deriving: Deriving,
    /// Whose orders it follows; nobody's when it plays by itself.
    pub hand: Option<Box<Hand>>,
}

impl<'a> Play<'a> {
    fn of(
        session: &Session,
        table: Table<'a>,
        hand: Option<Box<Hand>>,
    ) -> Result<Self, DriverError> {
        let ceiling = session.created()?.protocol.ceilings.cost_usd;
        let (retrying, retried) = unbounded_channel();
        Ok(Self {
            table,
            doing: FuturesUnordered::new(),
            running: BTreeMap::new(),
            purse: Arc::new(Purse::new(ceiling)),
            retried,
            retrying,
            paused: false,
            left: false,
            deriving: Deriving::NotYet,
            hand,
        })
    }

    async fn run(mut self, session: &mut Session) -> Result<Left, DriverError> {
        let left = self.go_on(session).await;
        if left.is_err() {
            self.keep_what_was_sent(session).await;
        }
        left
    }

    /// Calls in flight are paid for: their replies are kept before an error ends the debate.
    async fn keep_what_was_sent(&mut self, session: &mut Session) {
        if let Some(hand) = &mut self.hand {
            hand.hurry();
        }
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
                self.derive(session)?;
                if self.hand.is_none() && self.deriving != Deriving::Now {
                    return Ok(Left::Done(done));
                }
            }
            self.paused |= self.table.budget.is_exhausted();
            let stopping = self.paused || self.left || self.table.cancel.is_cancelled();
            let mut progressed = false;
            if !stopping {
                for step in self.allowed(&session.state, opening) {
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
            if self.hand.is_some() && self.doing.is_empty() {
                if self.table.cancel.is_cancelled() {
                    self.tell_what_was_noted(session).await?;
                    return Ok(Left::Stopped);
                }
                if self.rest(session).await? {
                    continue;
                }
            }
            match self.next().await {
                Next::Retried(retried) => self.note_retry(session, retried)?,
                Next::Came(first) => {
                    let mut came = vec![first];
                    // Whatever else is ready shares the same fsync.
                    while let Some(Some(next)) =
                        futures_util::FutureExt::now_or_never(self.doing.next())
                    {
                        came.push(next);
                    }
                    self.take_in(session, came).await?;
                }
                Next::Ordered(order) => self.obey(session, order).await?,
                Next::Closed => self.table.cancel.cancel(),
                Next::Nothing => return Ok(self.how_it_was_left(session)),
            }
        }
    }

    async fn next(&mut self) -> Next<'a> {
        let Some(hand) = &mut self.hand else {
            return tokio::select! {
                biased;
                Some(retried) = self.retried.recv() => Next::Retried(retried),
                first = self.doing.next() => first.map_or(Next::Nothing, Next::Came),
            };
        };
        let closing = self.table.cancel.is_cancelled();
        tokio::select! {
            biased;
            Some(retried) = self.retried.recv() => Next::Retried(retried),
            order = hand.orders.recv(), if !closing => order.map_or(Next::Closed, Next::Ordered),
            Some(first) = self.doing.next() => Next::Came(first),
        }
    }

    /// Returns the open steps that may start: all of them, unless a hand holds some back.
    fn allowed(&mut self, state: &State, opening: Opening) -> Vec<Step> {
        match &mut self.hand {
            None => opening.steps,
            Some(hand) => hand.allowed(state, opening.steps, &self.running),
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
                let event = retrieve(self.table, session).await?;
                self.record(session, vec![(Author::Engine, event)]).await?;
                Ok(true)
            }
            Step::RetrieveGuards => {
                let event = guardrails::retrieve(self.table, session).await?;
                self.record(session, vec![(Author::Engine, event)]).await?;
                Ok(true)
            }
            Step::Refuse(speak) => {
                let event = rules::refused(&session.state, speak);
                self.record(session, vec![(Author::Engine, event)]).await?;
                Ok(true)
            }
            Step::Grade { judging, target } => {
                let event = rules::applied(&session.state, judging, target);
                self.record(session, vec![(Author::Engine, event)]).await?;
                Ok(true)
            }
            Step::Recite(speak) => {
                let event = rules::recited(&session.state, speak);
                self.record(session, vec![(Author::Engine, event)]).await?;
                Ok(true)
            }
            Step::Guard(_) | Step::Speak(_) | Step::Judge(_) | Step::WriteFeedback(_) => {
                self.start_call(session, &step).await
            }
            Step::AwaitSpeaker(_) | Step::AwaitJudge(_) | Step::AwaitFeedback(_) => {
                self.start_question(session, step)?;
                Ok(false)
            }
        }
    }

    fn start_question(&mut self, session: &Session, step: Step) -> Result<(), DriverError> {
        let question = question(&session.state, &session.game, &step)?;
        if let Some(hand) = &mut self.hand {
            hand.ask(question, step);
            return Ok(());
        }
        self.running.insert(
            step.id(),
            Running {
                usd: 0.0,
                tokens: 0,
                is_call: false,
                noted: false,
                cancel: self.table.cancel.clone(),
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
}

async fn retrieve(table: Table<'_>, session: &Session) -> Result<Event, DriverError> {
    let created = session.created()?;
    if let Some(given) = &created.memory.given {
        return Ok(Event::Retrieved((**given).clone()));
    }
    let Some(book) = table.memory else {
        return Ok(Event::Retrieved(crate::debate::event::Retrieved {
            retriever: "none".to_owned(),
            entries: Vec::new(),
            excluded: Vec::new(),
        }));
    };
    let ordered = book.retrieve(created).await?;
    for notice in &ordered.notices {
        table.observer.noticed(notice);
    }
    Ok(Event::Retrieved(ordered.found))
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
