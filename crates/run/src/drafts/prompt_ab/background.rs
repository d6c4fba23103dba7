//! Comparisons that are played in this process, each summed up meanwhile: whoever wants follows one, stops it, or
//! lets it go on unseen.

use super::comparison_summary::ComparisonSummary;
use crate::experiments::prompt_ab::Ab;
use crate::experiments::prompt_ab::AbRows;
use crate::experiments::prompt_ab::AbState;
use crate::experiments::{ExperimentContext, ExperimentEnd};
use elenchus_records::workspace::{Result as WorkspaceResult, StoreContext, WorkspaceError};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

/// Interval of summing up a comparison that is played.
const SUM_EVERY: Duration = Duration::from_millis(500);

/// Comparisons that are played here, by their ids; clones share them.
#[derive(Clone, Default)]
pub struct RunningComparisons(Arc<Mutex<BTreeMap<String, RunningComparison>>>);

/// A comparison that is played.
struct RunningComparison {
    stop: CancellationToken,
    progress: watch::Receiver<Progress>,
}

/// How far a comparison is.
#[derive(Clone, Default)]
struct Progress {
    card: Option<Result<Arc<ComparisonSummary>, WorkspaceError>>,
    end: Option<Result<ExperimentEnd, WorkspaceError>>,
}

/// News of a comparison that is followed.
#[derive(Debug)]
pub enum AbNews {
    Compared(Result<Arc<ComparisonSummary>, WorkspaceError>),
    /// Nothing comes after it.
    Ended(Result<ExperimentEnd, WorkspaceError>),
}

impl RunningComparisons {
    fn lock_comparisons(&self) -> MutexGuard<'_, BTreeMap<String, RunningComparison>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Says whether a comparison is played here.
    pub fn is_playing(&self, id: &str) -> bool {
        self.lock_comparisons().contains_key(id)
    }

    /// Starts no more samples of a comparison; what came is kept.
    pub fn stop_comparison(&self, id: &str) {
        if let Some(comparison) = self.lock_comparisons().get(id) {
            comparison.stop.cancel();
        }
    }

    /// Follows a comparison that is played here to its end: from what is known of it now, by its latest sum.
    pub async fn follow_comparison(&self, id: &str, report: impl Fn(AbNews)) {
        let receiver = self
            .lock_comparisons()
            .get(id)
            .map(|played| played.progress.clone());
        let Some(mut progress) = receiver else {
            return;
        };
        loop {
            let now = progress.borrow_and_update().clone();
            if let Some(card) = now.card {
                report(AbNews::Compared(card));
            }
            if let Some(end) = now.end {
                return report(AbNews::Ended(end));
            }
            if progress.changed().await.is_err() {
                return;
            }
        }
    }

    /// Enters a comparison, which can be followed from now on.
    pub fn enter_comparison(&self, context: ExperimentContext, ab: Ab) -> EnteredComparison {
        let (tell, progress) = watch::channel(Progress::default());
        let stop = context.stop.pause.clone();
        let id = ab.log.state.manifest.id.clone();
        self.lock_comparisons()
            .insert(id, RunningComparison { stop, progress });
        EnteredComparison {
            entered: self.clone(),
            context,
            ab,
            progress_sender: Arc::new(tell),
        }
    }
}

/// A comparison that is about to be played.
pub struct EnteredComparison {
    entered: RunningComparisons,
    context: ExperimentContext,
    ab: Ab,
    progress_sender: Arc<watch::Sender<Progress>>,
}

impl EnteredComparison {
    /// Returns what starts no more samples of it.
    pub fn stop_token(&self) -> CancellationToken {
        self.context.stop.pause.clone()
    }

    /// Plays it to its end, which is paid for, and sums it up meanwhile.
    pub async fn play(mut self) -> UnsummedComparison {
        let (state_sender, state_receiver) = watch::channel(self.ab.log.state.clone());
        let store = self.context.store.clone();
        let summing = tokio::spawn(sum_up(
            store,
            state_receiver,
            Arc::clone(&self.progress_sender),
        ));
        let playing = self.ab.play_comparison(&self.context, |state: &AbState| {
            // Of several states that wait to be summed up, the last one is.
            let _ = state_sender.send(state.clone());
        });
        let end = playing.await;
        UnsummedComparison {
            played: self,
            end,
            summing,
        }
    }
}

/// A comparison that was played, and is still to be summed up as a whole.
pub struct UnsummedComparison {
    played: EnteredComparison,
    end: WorkspaceResult<ExperimentEnd>,
    summing: JoinHandle<AbRows>,
}

impl UnsummedComparison {
    /// Sums it up and tells that it is over. Its journal is released before that.
    pub async fn finish(self) {
        let EnteredComparison {
            entered,
            context,
            ab,
            progress_sender: tell,
        } = self.played;
        // Joining fails only for an aborted task, and this one is never aborted.
        let mut rows = self.summing.await.unwrap_or_default();
        let (store, state) = (context.run.store, ab.log.state.clone());
        entered.lock_comparisons().remove(&state.manifest.id);
        drop(ab);
        let last = tokio::task::spawn_blocking(move || {
            ComparisonSummary::sum_whole(&store, &mut rows, state)
        });
        let Ok(last) = last.await else { return };
        tell.send_modify(|progress| {
            progress.card = Some(last.map(Arc::new));
            progress.end = Some(self.end);
        });
    }
}

/// Sums up what comes, now and then, and returns what it read.
async fn sum_up(
    store: StoreContext,
    mut look: watch::Receiver<AbState>,
    tell: Arc<watch::Sender<Progress>>,
) -> AbRows {
    let mut rows = AbRows::default();
    loop {
        let state = look.borrow_and_update().clone();
        let store = store.clone();
        let summing = tokio::task::spawn_blocking(move || {
            let card = ComparisonSummary::sum_so_far(&store, &mut rows, state);
            (rows, card.map(Arc::new))
        });
        let Ok((read, card)) = summing.await else {
            return AbRows::default();
        };
        rows = read;
        tell.send_modify(|progress| progress.card = Some(card));
        tokio::time::sleep(SUM_EVERY).await;
        if look.changed().await.is_err() {
            return rows;
        }
    }
}
