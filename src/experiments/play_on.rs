//! Session that is there already, played on to its end with nobody to ask. One at a time; the caller may play
//! several at once.

use super::run::failure_text;
use crate::debate::SessionId;
use crate::debate::step::EndReason;
use crate::engine::cost::Budget;
use crate::engine::play::{PlayEnd, Table, play};
use crate::engine::seats::{Seats, seat_of_person};
use crate::engine::{CostCeiling, NoObserver, NoPeople, check_models, open_memory};
use crate::workspace::memory::LazyEmbedding;
use crate::workspace::{Desk, Session};
use std::sync::Arc;
use tokio::task::spawn_blocking;
use tokio_util::sync::CancellationToken;

/// What sessions are played on with.
#[derive(Clone)]
pub struct PlayOn {
    pub desk: Desk,
    pub seats: Arc<Seats>,
    pub embedding: Arc<LazyEmbedding>,
    /// The ceiling of each session, in US dollars.
    pub budget_usd: Option<f64>,
}

impl PlayOn {
    /// Plays a session to its end.
    ///
    /// # Errors
    /// Says why it did not come there.
    pub async fn to_end(&self, id: &SessionId, stop: &CancellationToken) -> Result<(), String> {
        let (desk, wanted) = (self.desk.clone(), id.clone());
        let opened = spawn_blocking(move || Session::open(&desk.layout, &desk.journals(), &wanted));
        let opened = opened.await.map_err(|error| error.to_string())?;
        let mut session = opened.map_err(|error| error.to_string())?;
        self.check(&session)?;
        let resumed = session.resume(self.desk.clock.now()).await;
        resumed.map_err(|error| error.to_string())?;
        let (layout, fsync) = (&self.desk.layout, &self.desk.fsync);
        let memory = open_memory(&session, layout, fsync, &self.embedding);
        let memory = memory.map_err(|error| error.to_string())?;
        let budget = Budget::new(self.budget_usd, session.state.committed_usd());
        let table = Table {
            clock: self.desk.clock,
            seats: &self.seats,
            budget: &budget,
            memory: memory.as_ref(),
            observer: &NoObserver,
            people: &NoPeople,
            cancel: stop,
        };
        let end = play(&mut session, table).await;
        session.close().await;
        match end.map_err(|error| error.to_string())? {
            PlayEnd::Done(EndReason::Complete | EndReason::Stopped { .. }) => Ok(()),
            PlayEnd::Done(EndReason::Truncated(_)) => {
                Err("truncated: a ceiling of the debate was reached".to_owned())
            }
            PlayEnd::Stuck(failures) => Err(failure_text(&failures)),
            PlayEnd::Paused => Err("the ceiling allows no more calls".to_owned()),
            PlayEnd::Stopped => Err("stopped; it can be played on".to_owned()),
        }
    }

    /// Says why a session cannot be played on here.
    fn check(&self, session: &Session) -> Result<(), String> {
        let created = session.created().map_err(|error| error.to_string())?;
        if let Some(seat) = seat_of_person(&created.cast) {
            return Err(format!("a person speaks as {seat}: open it and play it on"));
        }
        let ceiling = CostCeiling::from_budget(self.budget_usd, &created.protocol);
        check_models(&created.cast, &self.seats, ceiling).map_err(|error| error.to_string())?;
        match session.state.open().done {
            Some(_) => Err("it is complete".to_owned()),
            None => Ok(()),
        }
    }
}
