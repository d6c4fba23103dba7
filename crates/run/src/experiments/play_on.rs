//! Sessions that are there already, played on to their ends with nobody to ask.

use crate::engine::cost::Budget;
use crate::engine::play::{AWAITS_REWARDS, PlayEnd, Table, play_session};
use crate::engine::seats::seat_of_person;
use crate::engine::{CostCeiling, NoObserver, NoPeople, RunContext, check_models, open_memory};
use elenchus_game::debate::SessionId;
use elenchus_game::debate::failed_steps::describe_failures;
use elenchus_game::debate::step::EndReason;
use elenchus_records::workspace::{Session, WorkspaceError, reject};
use elenchus_text::{Role, format_grouped_count};
use elenchus_view::session_browser::outcome_words;
use futures_util::StreamExt;
use std::fmt;
use tokio::task::spawn_blocking;
use tokio_util::sync::CancellationToken;

/// What sessions are played on with.
#[derive(Clone)]
pub struct PlayOn {
    pub run: RunContext,
    /// The ceiling of each session, in US dollars.
    pub budget_usd: Option<f64>,
}

/// How far sessions are that are played on.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PlayOnProgress {
    pub sessions: usize,
    pub done: usize,
    /// With the reasons.
    pub failed: Vec<(SessionId, String)>,
}

impl PlayOnProgress {
    /// Takes in how a session was left.
    pub fn add_end(&mut self, session: SessionId, end: Result<(), WorkspaceError>) {
        match end {
            Ok(()) => self.done += 1,
            Err(why) => self.failed.push((session, why.to_string())),
        }
    }

    /// Returns how it ended, in words.
    pub fn describe_outcome(&self) -> Option<(Role, String)> {
        let done_text = match self.done {
            0 => None,
            done => Some(format!(
                "{} played to the end",
                format_grouped_count(done, "session")
            )),
        };
        outcome_words(done_text, &self.failed)
    }
}

impl fmt::Display for PlayOnProgress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {} at their end", self.done, self.sessions)?;
        match self.failed.len() {
            0 => Ok(()),
            failed => write!(f, ", {failed} not"),
        }
    }
}

impl PlayOn {
    /// Plays sessions to their ends, so many at once; says of each how it was left.
    pub async fn play_all(
        &self,
        sessions: Vec<SessionId>,
        at_once: usize,
        stop: &CancellationToken,
        left: impl Fn(SessionId, Result<(), WorkspaceError>),
    ) {
        let all = futures_util::stream::iter(sessions);
        all.for_each_concurrent(at_once.max(1), |id| async {
            if !stop.is_cancelled() {
                let end = self.play_to_end(&id, stop).await;
                left(id, end);
            }
        })
        .await;
    }

    /// Plays a session to its end.
    ///
    /// # Errors
    /// Says why it did not come there.
    pub async fn play_to_end(
        &self,
        id: &SessionId,
        stop: &CancellationToken,
    ) -> Result<(), WorkspaceError> {
        let (store, session_id) = (self.run.store.clone(), id.clone());
        let open_result =
            spawn_blocking(move || Session::open(&store.layout, &store.journals(), &session_id));
        let open_result = open_result.await?;
        let mut session = open_result?;
        self.check_session(&session)?;
        let resume_result = session.resume(self.run.store.clock.now()).await;
        resume_result?;
        let (layout, fsync) = (&self.run.store.layout, &self.run.store.fsync);
        let memory = open_memory(&session, layout, fsync, &self.run.embedding);
        let memory = memory?;
        let budget = Budget::new(self.budget_usd, session.state.committed_usd());
        let table = Table {
            clock: self.run.store.clock,
            seats: &self.run.seats,
            budget: &budget,
            memory: memory.as_ref(),
            swapped_rewards: None,
            observer: &NoObserver,
            people: &NoPeople,
            cancel: stop,
        };
        let end = play_session(&mut session, table).await;
        session.close().await;
        match end? {
            PlayEnd::Done(EndReason::Complete | EndReason::Stopped { .. }) => Ok(()),
            PlayEnd::Done(EndReason::Truncated(_)) => {
                reject("truncated: a ceiling of the debate was reached")
            }
            PlayEnd::Stuck(failures) => reject(describe_failures(&failures)),
            PlayEnd::Paused => reject("the ceiling allows no more calls"),
            PlayEnd::AwaitsRewards => reject(AWAITS_REWARDS),
            PlayEnd::Stopped => reject("stopped; it can be played on"),
        }
    }

    /// Says why a session cannot be played on here.
    fn check_session(&self, session: &Session) -> Result<(), WorkspaceError> {
        let created = session.created()?;
        if let Some(seat) = seat_of_person(&created.cast) {
            return reject(format!("a person speaks as {seat}: open it and play it on"));
        }
        let ceiling = CostCeiling::from_budget(self.budget_usd, &created.protocol);
        check_models(&created.cast, &self.run.seats, ceiling)?;
        match session.state.find_open_steps().done {
            Some(_) => reject("it is complete"),
            None => Ok(()),
        }
    }
}
