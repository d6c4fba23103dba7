//! Thread pool that makes lines durable (fsync), shared by all journals.

use std::{
    collections::{HashMap, VecDeque},
    fmt, io,
    num::NonZeroUsize,
    path::{Path, PathBuf},
    sync::{
        Arc, Condvar, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use super::{Result, files::sync_folder};

/// A job for one of the threads; it may add jobs to the queue it is given.
pub(super) type Job = Box<dyn FnOnce(&JobQueue) + Send>;

/// A bounded pool of threads that sync journals. Clones share the pool; it ends with the last of them.
///
/// Its threads start when the first journal is opened for writing: who only reads has none.
///
/// The queue is bounded by the number of open journals: each has at most one sync in it.
#[derive(Clone)]
pub struct SyncPool {
    pool: Arc<SyncThreads>,
}

impl Default for SyncPool {
    /// As many threads as a slow disk gains from.
    fn default() -> Self {
        Self::with_threads(Self::THREADS)
    }
}

impl SyncPool {
    /// The usual number of threads. A fast disk needs four; a slow one, whose syncs wait rather than
    /// work, gains from more of them in flight.
    // Evaluated by the compiler: 16 is not zero.
    const THREADS: NonZeroUsize = NonZeroUsize::new(16).unwrap();

    /// A pool of `threads` threads.
    pub fn with_threads(threads: NonZeroUsize) -> Self {
        Self {
            pool: Arc::new(SyncThreads {
                queue: Arc::new(JobQueue::default()),
                folders: FolderSyncs::default(),
                threads,
                started: Mutex::new(0),
            }),
        }
    }

    /// Starts the threads that do not run yet: without them a submitted job would wait forever.
    ///
    /// # Errors
    /// The operating system's when it gives no thread.
    pub(super) fn start_threads(&self) -> io::Result<()> {
        let started = self.pool.started.lock();
        let mut started = started.unwrap_or_else(PoisonError::into_inner);
        while *started < self.pool.threads.get() {
            let queue = Arc::clone(&self.pool.queue);
            thread::Builder::new()
                .name(format!("fsync-{started}"))
                .spawn(move || queue.run_jobs())?;
            *started += 1;
        }
        Ok(())
    }

    /// Returns the number of syncs of journals since the start, for statistics and tests.
    pub fn sync_count(&self) -> u64 {
        self.pool.queue.sync_count.load(Ordering::Relaxed)
    }

    pub(super) fn submit(&self, job: Job) {
        self.pool.queue.push(job);
    }

    /// Runs `job` once [`PAUSE`] has passed, unless the pool ends before.
    pub(super) fn submit_later(&self, job: Job) {
        self.pool.queue.push_later(job);
    }

    /// Makes the names in `folder` durable. A caller that comes while the folder is being synced
    /// shares the next sync with all others that came meanwhile.
    pub(super) fn sync_folder(&self, folder: &Path) -> Result<()> {
        self.pool.folders.sync_shared(folder)
    }
}

impl fmt::Debug for SyncPool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Fsync")
            .field("performed", &self.sync_count())
            .finish_non_exhaustive()
    }
}

struct SyncThreads {
    queue: Arc<JobQueue>,
    folders: FolderSyncs,
    threads: NonZeroUsize,
    /// How many of them run.
    started: Mutex<usize>,
}

/// Syncs of folders, each shared by many callers.
#[derive(Default)]
struct FolderSyncs {
    folders: Mutex<HashMap<PathBuf, Arc<FolderSync>>>,
}

#[derive(Default)]
struct FolderSync {
    requests: AtomicU64,
    /// The number of requests that are covered by a sync.
    done: Mutex<u64>,
}

impl FolderSyncs {
    fn sync_shared(&self, path: &Path) -> Result<()> {
        let mut folders = self.folders.lock().unwrap_or_else(PoisonError::into_inner);
        let folder = Arc::clone(folders.entry(path.to_owned()).or_default());
        drop(folders);
        let mine = folder.requests.fetch_add(1, Ordering::AcqRel) + 1;
        let mut synced_count = folder.done.lock().unwrap_or_else(PoisonError::into_inner);
        if *synced_count >= mine {
            return Ok(());
        }
        let request_count = folder.requests.load(Ordering::Acquire);
        sync_folder(path)?;
        *synced_count = request_count;
        Ok(())
    }
}

impl Drop for SyncThreads {
    fn drop(&mut self) {
        self.queue.closed.store(true, Ordering::Release);
        // Under the lock, or a thread that is about to sleep would miss the notification.
        let _jobs = self.queue.lock_jobs();
        self.queue.ready.notify_all();
    }
}

/// Delay of deferred jobs: the most by which a head lags behind its journal.
const PAUSE: Duration = Duration::from_secs(1);

#[derive(Default)]
struct Jobs {
    now: VecDeque<Job>,
    /// All wait equally long, so the first is due first.
    later: VecDeque<(Instant, Job)>,
    /// Whether a thread sleeps until the first deferred job is due: one is enough.
    watched: bool,
}

impl Jobs {
    /// Returns the next job, or the time until there is one, if that is known.
    fn next(&mut self) -> Result<Job, Option<Duration>> {
        if let Some(job) = self.now.pop_front() {
            return Ok(job);
        }
        let (due, job) = self.later.pop_front().ok_or(None)?;
        let left = due.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Ok(job);
        }
        self.later.push_front((due, job));
        Err(Some(left))
    }
}

/// Jobs that wait for a thread.
#[derive(Default)]
pub(super) struct JobQueue {
    jobs: Mutex<Jobs>,
    ready: Condvar,
    closed: AtomicBool,
    sync_count: AtomicU64,
}

impl JobQueue {
    pub(super) fn push(&self, job: Job) {
        self.lock_jobs().now.push_back(job);
        self.ready.notify_one();
    }

    /// As [`SyncPool::submit_later`].
    pub(super) fn push_later(&self, job: Job) {
        self.lock_jobs()
            .later
            .push_back((Instant::now() + PAUSE, job));
        // A thread that sleeps without a time limit must wake up.
        self.ready.notify_one();
    }

    pub(super) fn count_sync(&self) {
        self.sync_count.fetch_add(1, Ordering::Relaxed);
    }

    fn lock_jobs(&self) -> MutexGuard<'_, Jobs> {
        self.jobs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs jobs until the pool is closed and the queue empty.
    fn run_jobs(&self) {
        let mut jobs = self.lock_jobs();
        loop {
            match jobs.next() {
                Ok(job) => {
                    let needs_watcher = !jobs.watched && !jobs.later.is_empty();
                    drop(jobs);
                    if needs_watcher {
                        self.ready.notify_one();
                    }
                    job(self);
                    jobs = self.lock_jobs();
                }
                Err(_) if self.closed.load(Ordering::Acquire) => return,
                Err(Some(left)) if !jobs.watched => {
                    jobs.watched = true;
                    let wait_result = self.ready.wait_timeout(jobs, left);
                    jobs = wait_result.unwrap_or_else(PoisonError::into_inner).0;
                    jobs.watched = false;
                }
                Err(_) => {
                    jobs = self
                        .ready
                        .wait(jobs)
                        .unwrap_or_else(PoisonError::into_inner);
                }
            }
        }
    }
}
