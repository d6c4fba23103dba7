//! Which sessions there are, and each at a glance, straight from the journals.

use super::super::error::DriverError;
use super::super::margin::Margins;
use super::super::shelf::Summary;
use super::glance_book::GlanceBook;
use crate::debate::SessionId;
use crate::store::{Holder, Layout};
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
/// Sessions that are told of together.
const BATCH: usize = 16;
/// Batches that may wait to be read.
const WAITING_BATCHES: usize = 16;

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

/// Sums sessions up from their journals, in the order of `ids`. Blocks while it reads them, on a few
/// threads of its own where there are many.
pub fn summaries_of(layout: &Layout, ids: &[SessionId]) -> Vec<Result<Glance, Unread>> {
    summaries_by(&GlanceBook::default(), layout, ids)
}

/// As [`summaries_of`], but what the book knows is not read again.
pub fn summaries_by(
    book: &GlanceBook,
    layout: &Layout,
    ids: &[SessionId],
) -> Vec<Result<Glance, Unread>> {
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
pub struct Summing {
    batches: mpsc::Receiver<Vec<Result<Glance, Unread>>>,
}

impl Summing {
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
    pub async fn next(&mut self) -> Option<Vec<Result<Glance, Unread>>> {
        self.batches.recv().await
    }
}

/// Takes one batch of sessions after another until none is left or nobody listens.
fn sum_up(
    book: &GlanceBook,
    layout: &Layout,
    ids: &[SessionId],
    next: &AtomicUsize,
    tell: &mpsc::Sender<Vec<Result<Glance, Unread>>>,
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

/// Puts glances and a person's margins together; the order stays.
pub fn rows(glances: &[Glance], margins: &Margins) -> Vec<Row> {
    let mut forks: BTreeMap<&SessionId, usize> = BTreeMap::new();
    for parent in glances.iter().filter_map(|glance| glance.parent.as_ref()) {
        *forks.entry(parent).or_default() += 1;
    }
    glances
        .iter()
        .map(|glance| {
            let id = &glance.summary.session;
            Row {
                summary: glance.summary.clone(),
                name: margins.name(id).map(str::to_owned),
                tags: margins.tags(id),
                parent: glance.parent.clone(),
                forks: forks.get(id).copied().unwrap_or(0),
                driven_by: glance.driven_by.clone(),
            }
        })
        .collect()
}
