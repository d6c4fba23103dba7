//! List of sessions, each summed up from its journal.

use super::annotations::Annotations;
use super::error::WorkspaceError;
use super::glance_book::GlanceBook;
use super::session_index::Summary;
use crate::debate::SessionId;
use crate::store::{Layout, LockHolder};
use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use tokio::sync::mpsc;

/// Threads that sum up at most: more would wait for the same disk.
const MAX_THREADS: usize = 4;
/// Sessions that are not worth a thread.
const FEW: usize = 8;
/// Sessions that are sent together.
const BATCH: usize = 16;
/// Batches that may wait to be read.
const WAITING_BATCHES: usize = 16;

/// Overview of a session: its summary, with what only its own journal holds.
#[derive(Debug, Clone, PartialEq)]
pub struct SessionOverview {
    pub summary: Summary,
    /// The session that this one was forked from.
    pub parent: Option<SessionId>,
    /// The process that runs it now, possibly this one.
    pub driven_by: Option<LockHolder>,
}

/// A session that could not be summed up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnreadableSession {
    pub session: SessionId,
    /// Reason, place and remedy.
    pub why: String,
}

/// A session as a list shows it.
#[derive(Debug, Clone, PartialEq)]
pub struct SessionRow {
    pub summary: Summary,
    /// Name given by the person.
    pub name: Option<String>,
    /// Sorted.
    pub tags: Vec<String>,
    pub parent: Option<SessionId>,
    /// Number of the given sessions that were forked from this one.
    pub forks: usize,
    pub driven_by: Option<LockHolder>,
}

/// Returns the ids of all sessions, the newest first.
///
/// # Errors
/// When the folder of sessions cannot be listed.
pub fn list(layout: &Layout) -> Result<Vec<SessionId>, WorkspaceError> {
    let mut ids = layout.sessions()?;
    ids.reverse();
    Ok(ids.into_iter().map(SessionId::new).collect())
}

/// Sums sessions up from their journals, in the order of `ids`. Blocks while it reads them, on a few
/// threads of its own where there are many.
pub fn summaries_of(
    layout: &Layout,
    ids: &[SessionId],
) -> Vec<Result<SessionOverview, UnreadableSession>> {
    summaries_by(&GlanceBook::default(), layout, ids)
}

/// As [`summaries_of`], but what the book knows is not read again.
pub fn summaries_by(
    book: &GlanceBook,
    layout: &Layout,
    ids: &[SessionId],
) -> Vec<Result<SessionOverview, UnreadableSession>> {
    let sum_up = |ids: &[SessionId]| -> Vec<_> {
        let glances = ids.iter().map(|id| book.glance(layout, id));
        glances.collect()
    };
    let share = ids.len().div_ceil(threads()).max(FEW);
    if ids.len() <= share {
        return sum_up(ids);
    }
    thread::scope(|scope| {
        let parts: Vec<_> = ids
            .chunks(share)
            .map(|part| (part, scope.spawn(move || sum_up(part))))
            .collect();
        let done = parts.into_iter();
        // A thread that panicked is made up for here, where the panic is seen.
        done.flat_map(|(part, thread)| thread.join().unwrap_or_else(|_| sum_up(part)))
            .collect()
    })
}

fn threads() -> usize {
    let cores = thread::available_parallelism().map_or(1, NonZeroUsize::get);
    cores.min(MAX_THREADS)
}

/// Sums many sessions up in the background; dropping it stops that.
#[derive(Debug)]
pub struct SummaryStream {
    batches: mpsc::Receiver<Vec<Result<SessionOverview, UnreadableSession>>>,
}

impl SummaryStream {
    /// Begins, on a few threads of its own.
    ///
    /// # Errors
    /// When the system gives no thread.
    pub fn start(layout: &Layout, ids: Vec<SessionId>) -> std::io::Result<Self> {
        Self::by(Arc::default(), layout, ids)
    }

    /// As [`start`](Self::start), but what the book knows is not read again.
    ///
    /// # Errors
    /// When the system gives no thread.
    pub fn by(
        book: Arc<GlanceBook>,
        layout: &Layout,
        ids: Vec<SessionId>,
    ) -> std::io::Result<Self> {
        let (tell, batches) = mpsc::channel(WAITING_BATCHES);
        let ids: Arc<[SessionId]> = ids.into();
        let next = Arc::new(AtomicUsize::new(0));
        for number in 0..threads() {
            let (layout, ids, book) = (layout.clone(), Arc::clone(&ids), Arc::clone(&book));
            let (tell, next) = (tell.clone(), Arc::clone(&next));
            thread::Builder::new()
                .name(format!("summing-{number}"))
                .spawn(move || sum_up(&book, &layout, &ids, &next, &tell))?;
        }
        Ok(Self { batches })
    }

    /// Returns what was summed up next, in no particular order; `None` after the last.
    pub async fn next(&mut self) -> Option<Vec<Result<SessionOverview, UnreadableSession>>> {
        self.batches.recv().await
    }
}

/// Takes one batch of sessions after another until none is left or the receiver is dropped.
fn sum_up(
    book: &GlanceBook,
    layout: &Layout,
    ids: &[SessionId],
    next: &AtomicUsize,
    tell: &mpsc::Sender<Vec<Result<SessionOverview, UnreadableSession>>>,
) {
    loop {
        let from = next.fetch_add(BATCH, Ordering::Relaxed);
        let mut batch = Vec::with_capacity(BATCH);
        for id in ids.iter().skip(from).take(BATCH) {
            if tell.is_closed() {
                return;
            }
            batch.push(book.glance(layout, id));
        }
        if batch.is_empty() || tell.blocking_send(batch).is_err() {
            return;
        }
    }
}

/// Joins overviews and annotations; the order is kept.
pub fn rows(glances: &[SessionOverview], annotations: &Annotations) -> Vec<SessionRow> {
    let mut forks: BTreeMap<&SessionId, usize> = BTreeMap::new();
    for parent in glances.iter().filter_map(|glance| glance.parent.as_ref()) {
        *forks.entry(parent).or_default() += 1;
    }
    glances
        .iter()
        .map(|glance| {
            let id = &glance.summary.session;
            SessionRow {
                summary: glance.summary.clone(),
                name: annotations.name(id).map(str::to_owned),
                tags: annotations.tags(id),
                parent: glance.parent.clone(),
                forks: forks.get(id).copied().unwrap_or(0),
                driven_by: glance.driven_by.clone(),
            }
        })
        .collect()
}
