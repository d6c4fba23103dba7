//! Which sessions there are, and each at a glance, straight from the journals.

use super::super::error::DriverError;
use super::super::margin::Margins;
use super::super::shelf::Summary;
use crate::debate::SessionId;
use crate::store::{Holder, Layout};
use tokio::sync::mpsc;

/// A session at a glance, with what only its own journal tells.
#[derive(Debug, Clone, PartialEq)]
pub struct Glance {
    pub summary: Summary,
    /// The session that this one was forked from.
    pub parent: Option<SessionId>,
    /// Who drives it now, be it this process.
    pub driven_by: Option<Holder>,
}

/// A session that could not be summed up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unread {
    pub session: SessionId,
    /// What, where, and what to do next.
    pub why: String,
}

/// A session as a list shows it.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    pub summary: Summary,
    /// What the person calls it.
    pub name: Option<String>,
    /// Sorted.
    pub tags: Vec<String>,
    pub parent: Option<SessionId>,
    /// How many of the sessions given were forked from this one.
    pub forks: usize,
    pub driven_by: Option<Holder>,
}

/// Returns the ids of all sessions, the newest first.
///
/// # Errors
/// When the folder of sessions cannot be listed.
pub fn list(layout: &Layout) -> Result<Vec<SessionId>, DriverError> {
    let mut ids = layout.sessions()?;
    ids.reverse();
    Ok(ids.into_iter().map(SessionId::new).collect())
}

/// Sums sessions up from their journals, in the order of `ids`. Blocks while it reads them.
pub fn summaries_of(layout: &Layout, ids: &[SessionId]) -> Vec<Result<Glance, Unread>> {
    let _ = (layout, ids);
    todo!()
}

/// Sums many sessions up in the background; dropping it stops that.
#[derive(Debug)]
pub struct Summing {
    batches: mpsc::Receiver<Vec<Result<Glance, Unread>>>,
}

impl Summing {
    /// Begins, on a few threads of its own.
    ///
    /// # Errors
    /// When the system gives no thread.
    pub fn start(layout: &Layout, ids: Vec<SessionId>) -> std::io::Result<Self> {
        let _ = (layout, ids);
        todo!()
    }

    /// Returns what was summed up next, in no particular order; `None` after the last.
    pub async fn next(&mut self) -> Option<Vec<Result<Glance, Unread>>> {
        self.batches.recv().await
    }
}

/// Puts glances and a person's margins together; the order stays.
pub fn rows(glances: &[Glance], margins: &Margins) -> Vec<Row> {
    let _ = (glances, margins);
    todo!()
}
