//! The threads that make lines durable, shared by all journals.

use std::{
    collections::VecDeque,
    fmt, io,
    num::NonZeroUsize,
    sync::{
        Arc, Condvar, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    thread,
};

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
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.queue.closed.store(true, Ordering::Release);
        // Under the lock, or a thread on its way to sleep would miss it.
        let _jobs = self.queue.lock();
        self.queue.ready.notify_all();
    }
}

/// What waits for a thread.
#[derive(Default)]
pub(super) struct Queue {
    jobs: Mutex<VecDeque<Job>>,
    ready: Condvar,
    closed: AtomicBool,
    performed: AtomicU64,
}

impl Queue {
    pub(super) fn push(&self, job: Job) {
        self.lock().push_back(job);
        self.ready.notify_one();
    }

    pub(super) fn count_sync(&self) {
        self.performed.fetch_add(1, Ordering::Relaxed);
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<Job>> {
        self.jobs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Does jobs until the pool is closed and nothing is left.
    fn work(&self) {
        let mut jobs = self.lock();
        loop {
            if let Some(job) = jobs.pop_front() {
                drop(jobs);
                job(self);
                jobs = self.lock();
            } else if self.closed.load(Ordering::Acquire) {
                return;
            } else {
                jobs = self
                    .ready
                    .wait(jobs)
                    .unwrap_or_else(PoisonError::into_inner);
            }
        }
    }
}
