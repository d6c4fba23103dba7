//! Comparisons that are played here: they go on while no screen shows them.

use crate::experiments::prompt_ab::{Ab, AbCard, AbRows, AbState};
use crate::experiments::{ExperimentContext, ExperimentEnd, StopSignal};
use crate::tui::app::Services;
use crate::workspace::Desk;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::watch;

/// Interval of summing up a comparison that is played.
const SUM_EVERY: Duration = Duration::from_millis(500);

/// Comparisons that are played here, by their ids; clones share them.
#[derive(Clone, Default)]
pub(crate) struct PlayedComparisons(Arc<Mutex<BTreeMap<String, Played>>>);

/// A comparison that is played.
struct Played {
    stop: StopSignal,
    progress: watch::Receiver<Progress>,
}

/// How far a comparison is.
#[derive(Clone, Default)]
pub(super) struct Progress {
    pub card: Option<Result<Arc<AbCard>, String>>,
    pub end: Option<Result<ExperimentEnd, String>>,
}

impl PlayedComparisons {
    fn all(&self) -> MutexGuard<'_, BTreeMap<String, Played>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the progress of a comparison that is played here.
    pub(super) fn progress(&self, id: &str) -> Option<watch::Receiver<Progress>> {
        self.all().get(id).map(|played| played.progress.clone())
    }

    /// Starts no more samples of a comparison; what came is kept.
    pub(super) fn stop(&self, id: &str) {
        if let Some(played) = self.all().get(id) {
            played.stop.pause.cancel();
        }
    }
}

/// Plays a comparison to its end in the background, and sums it up meanwhile.
pub(super) fn play(services: Services, context: ExperimentContext, ab: Ab) {
    let (tell, progress) = watch::channel(Progress::default());
    let id = ab.log.state.manifest.id.clone();
    let stop = context.stop.clone();
    services
        .comparisons
        .all()
        .insert(id, Played { stop, progress });
    tokio::spawn(played(services, context, ab, tell));
}

async fn played(
    services: Services,
    context: ExperimentContext,
    mut ab: Ab,
    tell: watch::Sender<Progress>,
) {
    let id = ab.log.state.manifest.id.clone();
    let (seen, look) = watch::channel(ab.log.state.clone());
    let (tell, desk) = (Arc::new(tell), context.desk.clone());
    let summing = tokio::spawn(summed(desk.clone(), look, Arc::clone(&tell)));
    let stop = context.stop.pause.clone();
    let playing = ab.play(&context, |state: &AbState| {
        // Of several states that wait to be summed up, the last one is.
        let _ = seen.send(state.clone());
    });
    let end = services.clone().until_closed(stop, playing).await;
    drop(seen);
    // Joining fails only for an aborted task, and this one is never aborted.
    let mut rows = summing.await.unwrap_or_default();
    services.comparisons.all().remove(&id);
    let state = ab.log.state.clone();
    // The journal is released before the end is reported.
    drop(ab);
    let last = tokio::task::spawn_blocking(move || AbCard::whole(&desk, &mut rows, state));
    let Ok(last) = last.await else { return };
    tell.send_modify(|progress| {
        progress.card = Some(last.map(Arc::new).map_err(|error| error.to_string()));
        progress.end = Some(end.map_err(|error| error.to_string()));
    });
}

/// Sums up what comes, now and then, and returns what it read.
async fn summed(
    desk: Desk,
    mut look: watch::Receiver<AbState>,
    tell: Arc<watch::Sender<Progress>>,
) -> AbRows {
    let mut rows = AbRows::default();
    loop {
        let state = look.borrow_and_update().clone();
        let desk = desk.clone();
        let summing = tokio::task::spawn_blocking(move || {
            let card = AbCard::so_far(&desk, &mut rows, state);
            (rows, card.map(Arc::new))
        });
        let Ok((read, card)) = summing.await else {
            return AbRows::default();
        };
        rows = read;
        let card = card.map_err(|error| error.to_string());
        tell.send_modify(|progress| progress.card = Some(card));
        tokio::time::sleep(SUM_EVERY).await;
        if look.changed().await.is_err() {
            return rows;
        }
    }
}
