//! Experiments on the command line: what they are performed with, and how their end is printed.

use super::context::Workshop;
use super::output::{clean, notice};
use super::people::TerminalPlayer;
use super::progress::ExperimentProgress;
use crate::debate::event::CeilingKind;
use crate::experiments::{ExperimentContext, ExperimentEnd, ExperimentObserver, StopSignal};
use crate::workspace::ExperimentSummary;
use anyhow::Result;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// Items that are performed side by side where nothing is said.
const DEFAULT_CONCURRENCY: usize = 16;
/// Failures that are listed at the end; the rest is counted.
const MAX_LISTED_FAILURES: usize = 20;

impl Workshop {
    /// Returns the context of an experiment that `pause` stops. `command` is what others are shown who
    /// find its journal in use.
    ///
    /// # Errors
    /// When the system gives no threads.
    pub(crate) fn experiment(
        &self,
        command: &str,
        observer: Arc<dyn ExperimentObserver>,
        concurrency: Option<usize>,
        pause: CancellationToken,
    ) -> Result<ExperimentContext> {
        Ok(ExperimentContext {
            desk: self.desk(command, None)?,
            library: self.library.clone(),
            seats: Arc::clone(&self.seats),
            embedding: Arc::clone(&self.embedding),
            people: Arc::new(TerminalPlayer::new(self.person())),
            observer,
            stop: StopSignal::paused_by(pause),
            concurrency: self.side_by_side(concurrency),
            budget: None,
        })
    }

    /// Returns the context of an experiment as [`experiment`](Self::experiment) does, with the progress that
    /// watches it.
    ///
    /// # Errors
    /// When the system gives no threads.
    pub(crate) fn watched_experiment(
        &self,
        command: &str,
        progress: ExperimentProgress,
        concurrency: Option<usize>,
        pause: CancellationToken,
    ) -> Result<(ExperimentContext, Arc<ExperimentProgress>)> {
        let progress = Arc::new(progress);
        let context = self.experiment(command, progress.clone(), concurrency, pause)?;
        Ok((context, progress))
    }

    /// Returns how many items are performed side by side by the option, or by default.
    pub(crate) fn side_by_side(&self, asked: Option<usize>) -> usize {
        let asked = asked.or(self.config.defaults.concurrency);
        asked.unwrap_or(DEFAULT_CONCURRENCY).max(1)
    }
}

/// Lists what failed, and says how to go on: with the command `again`, to which options are added that
/// `typed` holds.
pub(crate) fn print_end(
    end: &ExperimentEnd,
    summary: &ExperimentSummary,
    again: &str,
    typed: &str,
) {
    for (item, why) in summary.failures.iter().take(MAX_LISTED_FAILURES) {
        let (item, why) = (clean(item), clean(why));
        notice(&format!("failed: {item}: {why}"));
    }
    let more = summary.failures.len().saturating_sub(MAX_LISTED_FAILURES);
    if more > 0 {
        notice(&format!("… and {more} more failures"));
    }
    match end {
        ExperimentEnd::Completed => {}
        ExperimentEnd::WithFailures(missing) => {
            let (one, several) = summary.item_names;
            let name = if *missing == 1 { one } else { several };
            notice(&format!(
                "{missing} {name} could not be had; try again: {again}{typed}"
            ));
        }
        ExperimentEnd::Paused { why, met } => {
            notice(&format!("paused: {}", clean(why)));
            notice(&format!("go on with: {again}{}{typed}", raising(*met)));
        }
    }
}

/// Returns the option that raises a ceiling that was met.
pub(crate) fn raising(met: Option<CeilingKind>) -> &'static str {
    match met {
        Some(CeilingKind::CostUsd) => " --budget-usd MORE",
        Some(CeilingKind::Calls) => " --budget-calls MORE",
        Some(CeilingKind::Tokens) => " --budget-tokens MORE",
        None => "",
    }
}
