//! Context of an experiment: what its items are performed with, the same for every kind.

use super::observer::{ExperimentObserver, NoExperimentObserver};
use crate::engine::cost::Budget;
use crate::engine::{NoPeople, People, RunContext};
use elenchus_game::debate::Expense;
use elenchus_game::debate::protocol::Ceilings;
use elenchus_records::workspace::{Result, WorkspaceError};
use std::ops::Deref;
use std::sync::Arc;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// Calls that were sent before a stop have this long to arrive: less than a scheduler waits before it
/// kills.
const ARRIVES_WITHIN: Duration = Duration::from_secs(10);

/// Everything that an experiment is performed with; what its run has is read as its own.
#[derive(Clone)]
pub struct ExperimentContext {
    pub run: RunContext,
    pub people: Arc<dyn People>,
    pub observer: Arc<dyn ExperimentObserver>,
    pub stop: StopSignal,
    /// Items that are performed side by side; at least one is.
    pub concurrency: usize,
    /// Budget of the experiment that this one is a part of; its own ceilings do not count then.
    pub budget: Option<Arc<Budget>>,
}

impl Deref for ExperimentContext {
    type Target = RunContext;

    fn deref(&self) -> &RunContext {
        &self.run
    }
}

impl ExperimentContext {
    /// Returns the context of an experiment in which no person is asked, one item after the other.
    pub fn without_people(
        run: RunContext,
        observer: Arc<dyn ExperimentObserver>,
        stop: StopSignal,
    ) -> Self {
        Self {
            run,
            people: Arc::new(NoPeople),
            observer,
            stop,
            concurrency: 1,
            budget: None,
        }
    }

    /// Returns the same for items that are performed side by side.
    #[must_use]
    pub fn with_concurrency(self, concurrency: usize) -> Self {
        Self {
            concurrency,
            ..self
        }
    }

    /// Returns the same for an experiment with these ceilings: under one on tokens, models are never asked
    /// without a limit, for such a reply might pass it.
    #[must_use]
    pub fn with_ceilings(self, ceilings: Ceilings) -> Self {
        match ceilings.tokens {
            Some(_) => Self {
                run: self.run.with_token_limits(),
                ..self
            },
            None => self,
        }
    }

    /// Returns the context of a part of an experiment: what it uses is taken from the whole's budget.
    #[must_use]
    pub fn with_budget(&self, budget: &Arc<Budget>) -> Self {
        Self {
            budget: Some(Arc::clone(budget)),
            ..self.clone()
        }
    }

    /// Returns the context of an experiment whose calls were made before, under the same ceilings: what one
    /// reply says of a key or an account says nothing of the others, so it closes no budget.
    #[must_use]
    pub fn with_made_calls(&self, ceilings: Ceilings, spent: Expense) -> Self {
        let budget = Budget::with_ceilings(ceilings, spent);
        self.with_budget(&Arc::new(budget.with_pause(self.stop.pause.clone())))
            .with_concurrency(1)
    }

    /// Returns the context of experiments that come one after the other under the same ceilings: what one uses
    /// is gone for the next.
    #[must_use]
    pub fn with_common_ceilings(self, ceilings: Ceilings) -> Self {
        let budget = Budget::new_unattended(ceilings, Expense::default());
        let budget = Arc::new(budget.with_pause(self.stop.pause.clone()));
        self.with_ceilings(ceilings).with_budget(&budget)
    }

    /// Returns the context of a whole whose items are experiments: they come one after the other, and each
    /// says what happens, gives up its own calls and then records that.
    #[must_use]
    pub fn to_whole_context(&self) -> Self {
        Self {
            concurrency: 1,
            observer: Arc::new(NoExperimentObserver),
            stop: StopSignal {
                arrives_within: Duration::MAX,
                ..self.stop.clone()
            },
            ..self.clone()
        }
    }
}

/// Stop of an experiment, in two steps. Clones stop together.
#[derive(Debug, Clone)]
pub struct StopSignal {
    /// Sends no more calls and waits for those in flight.
    pub pause: CancellationToken,
    /// Gives up calls in flight.
    pub give_up: CancellationToken,
    /// How long calls in flight may take to arrive once it is paused.
    pub arrives_within: Duration,
}

impl Default for StopSignal {
    fn default() -> Self {
        Self::from_token(CancellationToken::new())
    }
}

impl StopSignal {
    /// Returns the signal that a token pauses: what was sent may arrive, for it is paid for, and is
    /// given up when it takes too long.
    pub fn from_token(pause: CancellationToken) -> Self {
        Self {
            pause,
            give_up: CancellationToken::new(),
            arrives_within: ARRIVES_WITHIN,
        }
    }

    /// Returns a signal that gives up calls in flight as soon as it is paused.
    pub fn new_immediate() -> Self {
        Self {
            arrives_within: Duration::ZERO,
            ..Self::default()
        }
    }

    /// Returns a signal that waits for calls in flight until they are given up.
    pub fn new_waiting() -> Self {
        Self {
            arrives_within: Duration::MAX,
            ..Self::default()
        }
    }

    /// Says whether no more items begin.
    pub fn is_set(&self) -> bool {
        self.pause.is_cancelled() || self.give_up.is_cancelled()
    }

    /// Gives up calls in flight once they had time to arrive; ends when it is dropped.
    pub(super) async fn give_up_after_wait(&self) {
        self.pause.cancelled().await;
        tokio::time::sleep(self.arrives_within).await;
        self.give_up.cancel();
        std::future::pending::<()>().await
    }
}

/// Reads on a thread of its own what blocks.
///
/// # Errors
/// As `read`; when it ends abnormally.
pub(in crate::experiments) async fn read_blocking<T: Send + 'static>(
    read: impl FnOnce() -> Result<T> + Send + 'static,
) -> Result<T> {
    let to_error = |error| WorkspaceError::Invalid(format!("reading it ended abnormally: {error}"));
    tokio::task::spawn_blocking(read).await.map_err(to_error)?
}
