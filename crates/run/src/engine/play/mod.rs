//! Play of a debate: performs the open steps concurrently and records the results.
//!
//! A debate plays to its end by itself, or under a [controller](crate::engine::live). With a controller only
//! permitted steps start, commands arrive between results, and the loop idles instead of ending.

mod calls;
mod guardrails;
mod running;
mod settle;
mod table;

pub(super) use running::Running;
pub use table::Table;

use super::automatic_steps;
use super::call::Call;
use super::cost::{Reservation, SpendLimit};
use super::grader_command::AskedCommand;
use super::guardrails::DerivationEnd;
use super::live::{Controller, LiveCommand};
use super::observer::{PersonAnswer, PersonQuestion};
use super::partial_saver::PartialSaver;
use super::seats::build_question;
use elenchus_game::debate::event::{Author, Event, Failed};
use elenchus_game::debate::step::{EndReason, Opening, Step, StepId};
use elenchus_game::debate::{SeatId, State};
use elenchus_model::CallError;
use elenchus_records::workspace::{PartialReply, Session, WorkspaceError};
use futures_util::future::BoxFuture;
use futures_util::stream::{FuturesUnordered, StreamExt};
use std::collections::BTreeMap;
use std::sync::Arc;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

/// Why a debate whose run exchanges rewards is not over by itself.
pub const AWAITS_REWARDS: &str = "its lessons are written from the rewards of another debate of its run: \
    'elenchus run --resume RUN' goes on with all of them";

/// End of a play.
#[derive(Debug, Clone, PartialEq)]
pub enum PlayEnd {
    Done(EndReason),
    /// Its lessons wait for the other debates of its batch.
    AwaitsRewards,
    /// Steps failed; they are retried when the session is resumed.
    Stuck(Vec<Failed>),
    /// The run's ceiling allows no more calls.
    Paused,
    /// It was cancelled, or a person left their seat.
    Stopped,
}

/// Plays a session until nothing is open, or until it must stop.
///
/// Open steps run concurrently; a reply is durable before the next step sees it.
///
/// # Errors
/// When the disk, a template or a model's settings stop the session; what was recorded stays.
pub async fn play_session(
    session: &mut Session,
    table: Table<'_>,
) -> Result<PlayEnd, WorkspaceError> {
    Play::new(session, table, None)?.run_to_end(session).await
}

/// Plays a session under a controller, until its channel of commands closes.
///
/// # Errors
/// As [`play_session`].
pub(super) async fn play_with_commands(
    session: &mut Session,
    table: Table<'_>,
    controller: Controller,
) -> Result<PlayEnd, WorkspaceError> {
    let controller = Some(Box::new(controller));
    Play::new(session, table, controller)?
        .run_to_end(session)
        .await
}

/// Result of a started step.
pub(super) enum StepResult<'a> {
    /// The worst case of a call is set aside: it may be sent.
    Reserved(Box<Call>, Reservation<'a>),
    /// The run's ceiling allows no more.
    Refused(StepId),
    /// It was cancelled before it was sent.
    Withdrawn(StepId),
    Called {
        call: Box<Call>,
        reservation: Reservation<'a>,
        result: Box<Result<elenchus_model::Reply, CallError>>,
        /// The words that came in its last try.
        words: PartialReply,
    },
    /// A grader's command is over; `None` where the play was cancelled meanwhile.
    Graded {
        step: StepId,
        event: Option<Box<Event>>,
    },
    /// A derivation of a guardrail is over.
    Derived(Result<DerivationEnd, WorkspaceError>),
    Answered {
        step: Box<Step>,
        question: Box<PersonQuestion>,
        answer: std::io::Result<PersonAnswer>,
    },
}

/// Reason for the loop to wake up.
enum Wakeup<'a> {
    Retried(Event),
    Finished(StepResult<'a>),
    Commanded(LiveCommand),
    /// The sender of commands was dropped.
    Closed,
    /// Nothing is in flight.
    Nothing,
}

/// Progress of the derivation of a guardrail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Deriving {
    NotYet,
    Now,
    /// It was tried, or there was nothing to derive from.
    Over,
}

/// Session under play.
pub(super) struct Play<'a> {
    pub table: Table<'a>,
    doing: FuturesUnordered<BoxFuture<'a, StepResult<'a>>>,
    pub running: BTreeMap<StepId, Running>,
    /// Words of the calls that have no outcome in the journal yet.
    partials: BTreeMap<StepId, Arc<PartialSaver>>,
    spend_limit: Arc<SpendLimit>,
    /// Retries of calls in flight.
    retry_receiver: UnboundedReceiver<Event>,
    retry_sender: UnboundedSender<Event>,
    pub paused: bool,
    person_left: bool,
    deriving: Deriving,
    /// `None` when it plays to its end by itself.
    pub controller: Option<Box<Controller>>,
}

impl<'a> Play<'a> {
    fn new(
        session: &Session,
        table: Table<'a>,
        controller: Option<Box<Controller>>,
    ) -> Result<Self, WorkspaceError> {
        let ceiling = session.created()?.protocol.ceilings.cost_usd;
        let (sender, receiver) = unbounded_channel();
        Ok(Self {
            table,
            doing: FuturesUnordered::new(),
            running: BTreeMap::new(),
            partials: BTreeMap::new(),
            spend_limit: Arc::new(SpendLimit::new(ceiling)),
            retry_receiver: receiver,
            retry_sender: sender,
            paused: false,
            person_left: false,
            deriving: Deriving::NotYet,
            controller,
        })
    }

    async fn run_to_end(mut self, session: &mut Session) -> Result<PlayEnd, WorkspaceError> {
        let left = self.run_steps(session).await;
        if left.is_err() {
            self.keep_sent_replies(session).await;
        }
        left
    }

    /// Calls in flight are paid for: their replies are kept before an error ends the debate.
    async fn keep_sent_replies(&mut self, session: &mut Session) {
        if let Some(controller) = &mut self.controller {
            controller.release_all();
        }
        while self.running.values().any(|running| running.is_sent) {
            let Some(result) = self.doing.next().await else {
                return;
            };
            // Nothing new is sent and no person is asked; the first error is the one that is reported.
            if let StepResult::Called { .. } = result
                && self.record_results(session, vec![result]).await.is_err()
            {
                return;
            }
        }
    }

    async fn run_steps(&mut self, session: &mut Session) -> Result<PlayEnd, WorkspaceError> {
        let records = session
            .record_killed_replies(&self.table.clock.now())
            .await?;
        self.publish_records(session, &records);
        loop {
            let opening = session.state.find_open_steps();
            // Lessons that are left are stored when the session is resumed.
            if let Some(end_reason) = opening.done
                && store_lessons(self.table, session).await?
            {
                self.start_derivation(session)?;
                if self.controller.is_none() && self.deriving != Deriving::Now {
                    return Ok(PlayEnd::Done(end_reason));
                }
            }
            self.paused |= self.table.budget.is_exhausted();
            let stopping = self.paused || self.person_left || self.table.cancel.is_cancelled();
            let mut has_progress = false;
            if !stopping {
                for step in self.allowed_steps(&session.state, opening) {
                    if session.state.reached_ceiling().is_some() {
                        // The step before met a ceiling: the debate is over, this one with it.
                        break;
                    }
                    if !self.running.contains_key(&step.id()) {
                        has_progress |= self.start_step(session, step).await?;
                    }
                }
            }
            if has_progress {
                // A step was performed at once and may have opened more.
                continue;
            }
            if self.controller.is_some() && self.doing.is_empty() {
                if self.table.cancel.is_cancelled() {
                    self.publish_notes(session).await?;
                    return Ok(PlayEnd::Stopped);
                }
                if self.report_idle(session).await? {
                    continue;
                }
            }
            match self.next().await {
                Wakeup::Retried(retried) => self.note_retry(session, retried)?,
                Wakeup::Finished(first) => {
                    let mut results = vec![first];
                    // All other results that are ready share the same fsync.
                    while let Some(Some(next)) =
                        futures_util::FutureExt::now_or_never(self.doing.next())
                    {
                        results.push(next);
                    }
                    self.record_results(session, results).await?;
                }
                Wakeup::Commanded(command) => self.execute(session, command).await?,
                Wakeup::Closed => self.table.cancel.cancel(),
                Wakeup::Nothing => return Ok(self.play_end(session)),
            }
        }
    }

    async fn next(&mut self) -> Wakeup<'a> {
        let Some(controller) = &mut self.controller else {
            return tokio::select! {
                biased;
                Some(retried) = self.retry_receiver.recv() => Wakeup::Retried(retried),
                first = self.doing.next() => first.map_or(Wakeup::Nothing, Wakeup::Finished),
            };
        };
        let closing = self.table.cancel.is_cancelled();
        tokio::select! {
            biased;
            Some(retried) = self.retry_receiver.recv() => Wakeup::Retried(retried),
            command = controller.commands.recv(), if !closing => command.map_or(Wakeup::Closed, Wakeup::Commanded),
            Some(first) = self.doing.next() => Wakeup::Finished(first),
        }
    }

    /// Returns the open steps that may start: all of them, unless a controller holds some back.
    fn allowed_steps(&mut self, state: &State, opening: Opening) -> Vec<Step> {
        match &mut self.controller {
            None => opening.steps,
            Some(controller) => {
                controller.select_allowed_steps(state, opening.steps, &self.running)
            }
        }
    }

    fn play_end(&self, session: &Session) -> PlayEnd {
        if self.paused {
            PlayEnd::Paused
        } else if self.person_left || self.table.cancel.is_cancelled() {
            PlayEnd::Stopped
        } else if session.state.waits_for_rewards() {
            PlayEnd::AwaitsRewards
        } else {
            PlayEnd::Stuck(session.state.failures().values().cloned().collect())
        }
    }

    /// Starts a step, or performs it at once. Returns whether the state changed.
    async fn start_step(
        &mut self,
        session: &mut Session,
        step: Step,
    ) -> Result<bool, WorkspaceError> {
        match &step {
            Step::Retrieve(learner) => {
                let search = retrieve_lessons(self.table, session, learner.as_ref());
                let event = unless_cancelled(self.table, search).await?;
                self.record_search(session, event).await
            }
            Step::SwapRewards => {
                let Some(swapped) = self.table.swapped_rewards else {
                    return Ok(false);
                };
                let event = Event::RewardsSwapped(Box::new(swapped.clone()));
                self.record_events(session, vec![(Author::Engine, event)])
                    .await?;
                Ok(true)
            }
            Step::RetrieveGuards => {
                let search = guardrails::retrieve_guards(self.table, session);
                let event = unless_cancelled(self.table, search).await?;
                self.record_search(session, event).await
            }
            Step::Refuse(speak) => {
                let event = automatic_steps::refuse_turn(&session.state, speak);
                self.record_events(session, vec![(Author::Engine, event)])
                    .await?;
                Ok(true)
            }
            Step::Grade { judging, target } => {
                if let Some(asked) = AskedCommand::find(&session.state, judging, target) {
                    self.start_command(step.id(), asked);
                    return Ok(false);
                }
                let event = automatic_steps::apply_automatic_rule(&session.state, judging, target);
                self.record_events(session, vec![(Author::Engine, event)])
                    .await?;
                Ok(true)
            }
            Step::Recite(speak) => {
                let event = automatic_steps::recite_turn(&session.state, speak);
                self.record_events(session, vec![(Author::Engine, event)])
                    .await?;
                Ok(true)
            }
            Step::Guard(_)
            | Step::Speak(_)
            | Step::Judge(_)
            | Step::WriteFeedback(_)
            | Step::DeriveGuardrail(_) => self.start_call(session, &step).await,
            Step::AwaitSpeaker(_) | Step::AwaitJudge(_) | Step::AwaitFeedback(_) => {
                self.start_question(session, step)?;
                Ok(false)
            }
        }
    }

    /// Records what a search of memory found, if it came to its end.
    async fn record_search(
        &mut self,
        session: &mut Session,
        event: Option<Event>,
    ) -> Result<bool, WorkspaceError> {
        let Some(event) = event else {
            return Ok(false);
        };
        self.record_events(session, vec![(Author::Engine, event)])
            .await?;
        Ok(true)
    }

    /// Starts the command that a grader asks.
    fn start_command(&mut self, step: StepId, asked: AskedCommand) {
        let cancel = self.table.cancel.child_token();
        self.running.insert(
            step.clone(),
            Running {
                usd: 0.0,
                tokens: 0,
                is_call: false,
                is_sent: false,
                cancel: cancel.clone(),
            },
        );
        let programs = Arc::clone(self.table.seats.graders());
        self.doing.push(Box::pin(async move {
            let event = tokio::select! {
                event = asked.run(&programs, &step) => Some(Box::new(event)),
                () = cancel.cancelled() => None,
            };
            StepResult::Graded { step, event }
        }));
    }

    fn start_question(&mut self, session: &Session, step: Step) -> Result<(), WorkspaceError> {
        let question = build_question(&session.state, &session.game, &step)?;
        if let Some(controller) = &mut self.controller {
            controller.ask_person(question, step);
            return Ok(());
        }
        self.running.insert(
            step.id(),
            Running {
                usd: 0.0,
                tokens: 0,
                is_call: false,
                is_sent: false,
                cancel: self.table.cancel.clone(),
            },
        );
        let people = self.table.people;
        let cancel = self.table.cancel;
        self.doing.push(Box::pin(async move {
            // Ctrl-C ends the question without an answer.
            let answer = tokio::select! {
                answer = people.ask(&question) => answer,
                () = cancel.cancelled() => Ok(PersonAnswer::Left),
            };
            StepResult::Answered {
                step: Box::new(step),
                question: Box::new(question),
                answer,
            }
        }));
        Ok(())
    }
}

/// Waits for a search of memory, which a server may hold up; `None` where the play is cancelled meanwhile.
async fn unless_cancelled(
    table: Table<'_>,
    search: impl Future<Output = Result<Event, WorkspaceError>>,
) -> Result<Option<Event>, WorkspaceError> {
    tokio::select! {
        biased;
        event = search => event.map(Some),
        () = table.cancel.cancelled() => Ok(None),
    }
}

async fn retrieve_lessons(
    table: Table<'_>,
    session: &Session,
    learner: Option<&SeatId>,
) -> Result<Event, WorkspaceError> {
    let created = session.created()?;
    if let Some(fixed_lessons) = &created.memory.given {
        return Ok(Event::Retrieved((**fixed_lessons).clone()));
    }
    let Some(book) = table.memory else {
        return Ok(Event::Retrieved(elenchus_game::debate::event::Retrieved {
            learner: learner.cloned(),
            retriever: "none".to_owned(),
            entries: Vec::new(),
            excluded: Vec::new(),
        }));
    };
    let retrieval = book.retrieve_lessons(created, learner).await?;
    for notice in &retrieval.notices {
        table.observer.on_notice(notice);
    }
    Ok(Event::Retrieved(retrieval.found))
}

/// Adds lessons to long-term memory, once they are durable in the session. Returns whether none is left: the play
/// may be cancelled while a server compares them.
async fn store_lessons(table: Table<'_>, session: &Session) -> Result<bool, WorkspaceError> {
    let created = session.created()?;
    let (Some(book), true) = (table.memory, created.memory.writes) else {
        return Ok(true);
    };
    let (debate, at) = ((&session.state, created), table.clock.now());
    let learned = book.learn_lessons(&session.id, debate, &at, table.cancel);
    let Some(notices) = learned.await? else {
        return Ok(false);
    };
    for notice in &notices {
        table.observer.on_tail_repair(notice);
    }
    Ok(true)
}
