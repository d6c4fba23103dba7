//! The threads that make lines durable, shared by all journals.

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

use super::{StoreError, files::sync_folder};

/// Work for one of the threads; it may put more work into the queue it is given.
pub(super) type Job = Box<dyn FnOnce(&Queue) + Send>;

/// A bounded pool of threads that sync journals. Clones share the pool; it ends with the last of them.
///
/// The queue is bounded by the number of open journals: each has at most one sync in it.
#[derive(Clone)]
pub struct Fsync {
    pool: Arc<Pool>,
}

impl Fsync {
    /// How many threads [`Fsync::start`] takes. A fast disk needs four; a slow one, whose syncs wait
    /// rather than work, gains from more of them in flight.
    // Evaluated by the compiler: 16 is not zero.
    pub const THREADS: NonZeroUsize = NonZeroUsize::new(16).unwrap();

    /// Starts the usual number of threads.
    ///
    /// # Errors
    /// The operating system's when it gives no thread.
    pub fn start() -> io::Result<Self> {
        Self::with_threads(Self::THREADS)
    }

    /// Starts `threads` threads.
    ///
    /// # Errors
    /// The operating system's when it gives no thread.
    pub fn with_threads(threads: NonZeroUsize) -> io::Result<Self> {
        let pool = Pool {
            queue: Arc::new(Queue::default()),
            folders: Folders::default(),
        };
        for number in 0..threads.get() {
            let queue = Arc::clone(&pool.queue);
            thread::Builder::new()
                .name(format!("fsync-{number}"))
                .spawn(move || queue.work())?;
        }
        Ok(Self {
            pool: Arc::new(pool),
        })
    }

    /// How many syncs of journals were done since the start, for statistics and tests.
    pub fn performed(&self) -> u64 {
        self.pool.queue.performed.load(Ordering::Relaxed)
    }

    pub(super) fn submit(&self, job: Job) {
        self.pool.queue.push(job);
    }

    /// Does `job` once [`PAUSE`] has passed, unless the pool ends before.
    pub(super) fn submit_later(&self, job: Job) {
        self.pool.queue.push_later(job);
    }

    /// Makes the names in `folder` durable. Who asks while that is done for others waits and shares
    /// the next time with everybody who came meanwhile.
    pub(super) fn sync_folder(&self, folder: &Path) -> Result<(), StoreError> {
        self.pool.folders.sync(folder)
    }
}

impl fmt::Debug for Fsync {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Fsync")
            .field("performed", &self.performed())
            .finish_non_exhaustive()
    }
}

struct Pool {
    queue: Arc<Queue>,
    folders: Folders,
}

/// Folders that are synced, each once for many.
#[derive(Default)]
struct Folders {
    known: Mutex<HashMap<PathBuf, Arc<Folder>>>,
}

#[derive(Default)]
struct Folder {
    asked: AtomicU64,
    /// Up to which of those who asked it was done.
    done: Mutex<u64>,
}

impl Folders {
    fn sync(&self, path: &Path) -> Result<(), StoreError> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let folder = Arc::clone(known.entry(path.to_owned()).or_default());
        drop(known);
        let mine = folder.asked.fetch_add(1, Ordering::AcqRel) + 1;
        let mut done = folder.done.lock().unwrap_or_else(PoisonError::into_inner);
        if *done >= mine {
            return Ok(());
        }
        let covered = folder.asked.load(Ordering::Acquire);
        sync_folder(path)?;
        *done = covered;
        Ok(())
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.queue.closed.store(true, Ordering::Release);
        // Under the lock, or a thread on its way to sleep would miss it.
        let _jobs = self.queue.lock();
        self.queue.ready.notify_all();
    }
}

/// How long what can wait does: the most by which a head lags behind its journal.
const PAUSE: Duration = Duration::from_secs(1);

#[derive(Default)]
struct Jobs {
    now: VecDeque<Job>,
    /// All wait equally long, so the first is the first to be due.
    later: VecDeque<(Instant, Job)>,
    /// Whether a thread sleeps until the first of them is due: one is enough.
    watched: bool,
}

impl Jobs {
    /// Takes the next job, or tells how long until there is one, if it is known.
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

/// What waits for a thread.
#[derive(Default)]
pub(super) struct Queue {
    jobs: Mutex<Jobs>,
    ready: Condvar,
    closed: AtomicBool,
    performed: AtomicU64,
}

impl Queue {
    pub(super) fn push(&self, job: Job) {
        self.lock().now.push_back(job);
        self.ready.notify_one();
    }

    /// As [`Fsync::submit_later`].
    pub(super) fn push_later(&self, job: Job) {
        self.lock().later.push_back((Instant::now() + PAUSE, job));
        // One that sleeps without an end must learn of it.
        self.ready.notify_one();
    }

    pub(super) fn count_sync(&self) {
        self.performed.fetch_add(1, Ordering::Relaxed);
    }

    fn lock(&self) -> MutexGuard<'_, Jobs> {
        self.jobs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Does jobs until the pool is closed and nothing is left.
    fn work(&self) {
        let mut jobs = self.lock();
        loop {
            match jobs.next() {
                Ok(job) => {
                    let unwatched = !jobs.watched && !jobs.later.is_empty();
                    drop(jobs);
                    if unwatched {
                        self.ready.notify_one();
                    }
                    job(self);
                    jobs = self.lock();
                }
                Err(_) if self.closed.load(Ordering::Acquire) => return,
                Err(Some(left)) if !jobs.watched => {
                    jobs.watched = true;
                    let woken = self.ready.wait_timeout(jobs, left);
                    jobs = woken.unwrap_or_else(PoisonError::into_inner).0;
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
