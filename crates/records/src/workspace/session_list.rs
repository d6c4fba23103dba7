//! List of sessions, each summed up from its journal.

use super::arrival::{newest_first, placed_at};
use super::error::{Result, WorkspaceError};
use super::examples::list_examples;
use super::find::Unreadable;
use super::find::locate_journals;
use super::fork_words::describe_fork;
use super::rows::arm_name;
use super::session::{SeatViews, read_session_to};
use super::session_summary::{Summary, summarize_session};
use super::sources::copies_of;
use super::store_index::{Derived, StoreIndex, table};
use elenchus_game::debate::{SessionId, State};
use elenchus_store::{Head, Layout, LockHolder, likely_holder};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread;
use std::time::{Duration, Instant};
use tokio::sync::mpsc;

/// Threads that sum up at most: more would wait for the same disk.
const MAX_THREADS: usize = 4;
/// Sessions that are not worth a thread.
const FEW: usize = 8;
/// Sessions that a thread takes at once.
const AT_ONCE: usize = 8;
/// Interval of sending what was summed up: the screen sorts the whole list each time.
const SEND_EVERY: Duration = Duration::from_millis(30);
/// Batches that may wait to be read.
const WAITING_BATCHES: usize = 16;

/// Overview of a session: its summary, and what else lists and filters ask for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SessionOverview {
    pub summary: Summary,
    /// The session that this one was forked from.
    pub parent: Option<SessionId>,
    /// What was changed in it by whom, where it is a fork.
    pub fork: Option<String>,
    /// The session that its first line is of: itself, unless it is a fork.
    pub root: SessionId,
    /// Models of its seats, sorted.
    pub models: Vec<String>,
    /// Conditions that it was played under.
    pub arm: String,
    /// It repeats another debate with memory that was fixed beforehand, for an ablation.
    pub is_replicate: bool,
    /// Calls that were interrupted, or have no outcome: what they cost is not known.
    pub calls_in_doubt: u64,
    /// The time by which lists place it, where that is not `last_at`: it was imported, or claims a time after
    /// its file's.
    pub placed_at: Option<String>,
    /// The process that runs it now, possibly this one.
    #[serde(skip)]
    pub driven_by: Option<LockHolder>,
}

impl SessionOverview {
    /// Sums a session up for lists; `None` for one that has not begun.
    fn new(id: &SessionId, state: &State) -> Option<Self> {
        let created = state.first_event()?;
        let models = created.cast.iter().filter_map(|one| one.player.as_model());
        let models: BTreeSet<String> = models.map(|model| model.model.clone()).collect();
        Some(Self {
            summary: summarize_session(id, state)?,
            parent: state.forked_from().last().cloned(),
            fork: describe_fork(state),
            root: created.session.clone(),
            models: models.into_iter().collect(),
            arm: arm_name(state, created),
            is_replicate: created.memory.given.is_some(),
            calls_in_doubt: state.committed_calls() - state.spend().calls,
            placed_at: None,
            driven_by: None,
        })
    }

    /// Returns the time by which lists place it, RFC 3339.
    pub fn ordered_at(&self) -> &str {
        self.placed_at.as_ref().unwrap_or(&self.summary.last_at)
    }

    /// Forgets a cost of which a part is not known, as people are shown it. What is simulated costs
    /// nothing, and the calls of a session that is played are still under way.
    #[must_use]
    pub fn with_known_cost(mut self) -> Self {
        if self.calls_in_doubt > 0 && !self.summary.simulated && self.driven_by.is_none() {
            self.summary.cost_usd = None;
        }
        self
    }
}

impl Derived for SessionOverview {
    const TABLE: &'static str = table::SESSIONS;

    fn derive_entry(path: &Path) -> Result<(Self, Head)> {
        let (state, head) = read_session_to(path, SeatViews::Dropped)?;
        let id = Layout::session_at(path).map(SessionId::new);
        let overview = id.and_then(|id| Self::new(&id, &state));
        let mut overview = overview.ok_or_else(|| WorkspaceError::empty_journal(path))?;
        overview.placed_at = placed_at(path, &overview.summary.last_at);
        Ok((overview, head))
    }
}

/// A session that could not be summed up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnreadableSession {
    pub session: SessionId,
    /// Reason, place and remedy.
    pub why: String,
}

/// Returns the ids of all sessions, the latest id first.
///
/// # Errors
/// When the folder of sessions cannot be listed.
pub fn list_sessions(layout: &Layout) -> Result<Vec<SessionId>> {
    let mut ids = layout.list_sessions()?;
    ids.reverse();
    Ok(ids.into_iter().map(SessionId::new).collect())
}

/// Returns the ids of the sessions that came last, the newest first.
///
/// # Errors
/// When the folder of sessions cannot be listed.
pub fn newest_sessions(layout: &Layout, at_most: usize) -> Result<Vec<SessionId>> {
    let paths = locate_journals(layout.list_sessions()?, |id| layout.session_path(id))?;
    let newest = newest_first(paths, at_most).into_iter();
    Ok(newest.map(SessionId::new).collect())
}

/// Sums sessions up, in the order of `ids`, and says which are being run. Blocks while it reads
/// journals, on a few threads of its own where there are many.
pub fn list_overviews(
    index: &StoreIndex,
    ids: &[SessionId],
) -> Vec<Result<SessionOverview, UnreadableSession>> {
    read_in_parallel(ids, |id| read_overview(index, id))
}

/// Sums all sessions of a store up; those that are gone leave the index. Blocks while it reads journals.
///
/// Journals that cannot be read are returned along with the others, never dropped.
///
/// # Errors
/// When the folder of sessions cannot be listed.
pub fn all_overviews(index: &StoreIndex) -> Result<(Vec<SessionOverview>, Vec<Unreadable>)> {
    let layout = index.layout();
    let ids = index.session_ids()?;
    index.forget_gone(&ids);
    let read = read_in_parallel(&ids, |id| {
        index.get_or_derive(&layout.session_path(id.as_str())?)
    });
    let mut copies = copies_of(layout, &ids, |path| index.known_end(path))?;
    let mut overviews = Vec::new();
    let mut unreadable = Vec::new();
    for (id, read) in ids.iter().zip(read) {
        match copies.remove(id).map_or(read, Err) {
            Ok(overview) => overviews.push(overview),
            Err(error) => {
                let path = layout.session_path(id.as_str())?;
                unreadable.push(Unreadable { path, error });
            }
        }
    }
    Ok((overviews, unreadable))
}

/// Returns the overviews of the examples that come with the program.
pub fn example_overviews() -> &'static [SessionOverview] {
    static OVERVIEWS: OnceLock<Vec<SessionOverview>> = OnceLock::new();
    OVERVIEWS.get_or_init(|| {
        let read = list_examples().into_iter();
        read.filter_map(|one| SessionOverview::new(&one.id, &one.fold_state().ok()?))
            .collect()
    })
}

fn read_overview(index: &StoreIndex, id: &SessionId) -> Result<SessionOverview, UnreadableSession> {
    let read = || {
        let path = index.layout().session_path(id.as_str())?;
        let overview = SessionOverview {
            driven_by: likely_holder(&path),
            ..index.get_or_derive(&path)?
        };
        Ok(overview.with_known_cost())
    };
    read().map_err(|error: WorkspaceError| UnreadableSession {
        session: id.clone(),
        why: error.to_string(),
    })
}

/// Reads something of each, in their order, on a few threads where there are many.
pub(super) fn read_in_parallel<K: Sync, T: Send>(
    ids: &[K],
    read: impl Fn(&K) -> T + Sync,
) -> Vec<T> {
    let read_all = |ids: &[K]| -> Vec<T> { ids.iter().map(&read).collect() };
    let share = ids.len().div_ceil(thread_count()).max(FEW);
    if ids.len() <= share {
        return read_all(ids);
    }
    thread::scope(|scope| {
        let parts: Vec<_> = ids
            .chunks(share)
            .map(|part| (part, scope.spawn(|| read_all(part))))
            .collect();
        let readings = parts.into_iter();
        // A thread that panicked is made up for here, where the panic is seen.
        readings
            .flat_map(|(part, thread)| thread.join().unwrap_or_else(|_| read_all(part)))
            .collect()
    })
}

fn thread_count() -> usize {
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
    pub fn start(index: Arc<StoreIndex>, ids: Vec<SessionId>) -> std::io::Result<Self> {
        let (tell, batches) = mpsc::channel(WAITING_BATCHES);
        let ids: Arc<[SessionId]> = ids.into();
        let next = Arc::new(AtomicUsize::new(0));
        for number in 0..thread_count() {
            let (ids, index) = (Arc::clone(&ids), Arc::clone(&index));
            let (tell, next) = (tell.clone(), Arc::clone(&next));
            thread::Builder::new()
                .name(format!("summing-{number}"))
                .spawn(move || sum_up(&index, &ids, &next, &tell))?;
        }
        Ok(Self { batches })
    }

    /// Returns what was summed up next, in no particular order; `None` after the last.
    pub async fn next(&mut self) -> Option<Vec<Result<SessionOverview, UnreadableSession>>> {
        self.batches.recv().await
    }
}

/// Takes some sessions after others until none is left or the receiver is dropped.
fn sum_up(
    index: &StoreIndex,
    ids: &[SessionId],
    next: &AtomicUsize,
    tell: &mpsc::Sender<Vec<Result<SessionOverview, UnreadableSession>>>,
) {
    let mut batch = Vec::new();
    let mut since = Instant::now();
    loop {
        let from = next.fetch_add(AT_ONCE, Ordering::Relaxed);
        for id in ids.iter().skip(from).take(AT_ONCE) {
            if tell.is_closed() {
                return;
            }
            batch.push(read_overview(index, id));
        }
        let is_over = from >= ids.len();
        if is_over || since.elapsed() >= SEND_EVERY {
            let batch = std::mem::take(&mut batch);
            if !batch.is_empty() && tell.blocking_send(batch).is_err() || is_over {
                return;
            }
            since = Instant::now();
        }
    }
}
