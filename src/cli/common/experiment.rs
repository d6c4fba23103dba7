//! Experiments on the command line: what they are performed with, and how their estimate and their end are
//! printed.

use super::args::ExperimentArgs;
use super::ceilings::{BegunOrResumed, price_flags, with_ways};
use super::context::Workshop;
use super::output::{clean, notice};
use super::people::TerminalPlayer;
use super::progress::ExperimentProgress;
use super::{Exit, estimate, output, run_interruptible};
use crate::debate::CostEstimate;
use crate::debate::event::CeilingKind;
use crate::debate::protocol::Ceilings;
use crate::experiments::{ExperimentContext, ExperimentEnd, ExperimentObserver, StopSignal};
use crate::workspace::ExperimentSummary;
use anyhow::Result;
use serde_json::json;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// Items that are performed side by side where nothing is said.
const DEFAULT_CONCURRENCY: usize = 16;
/// Failures that are listed at the end; the rest is counted.
const MAX_LISTED_FAILURES: usize = 20;

/// Performs the command of an experiment, which Ctrl-C pauses. `command` are its words, as "judge".
///
/// # Errors
/// Those of the work, with what helps where models have no price.
pub(crate) fn run_experiment<T, F: Future<Output = Result<T>>>(
    args: &ExperimentArgs,
    command: &str,
    work: impl FnOnce(CancellationToken) -> F,
) -> Result<T> {
    let again = args.resume.as_ref();
    let again = again.map(|id| format!("elenchus {command} --resume {id}"));
    let going = again.map_or(BegunOrResumed::Begins, BegunOrResumed::Experiment);
    run_interruptible(work).map_err(|error| with_ways(&args.budget, error, &going))
}

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
    /// watches its items: what they are called, how many there are as far as that is known, and are done.
    ///
    /// # Errors
    /// When the system gives no threads.
    pub(crate) fn watched(
        &self,
        command: &str,
        args: &ExperimentArgs,
        (names, items): ((&'static str, &'static str), (u64, u64)),
        pause: CancellationToken,
    ) -> Result<(ExperimentContext, Arc<ExperimentProgress>)> {
        let progress = Arc::new(ExperimentProgress::begin(names, items, args.quiet));
        let context = self.experiment(command, progress.clone(), args.concurrency, pause)?;
        Ok((context, progress))
    }

    /// Returns how many items are performed side by side by the option, or by default.
    pub(crate) fn side_by_side(&self, asked: Option<usize>) -> usize {
        let asked = asked.or(self.config.defaults.concurrency);
        asked.unwrap_or(DEFAULT_CONCURRENCY).max(1)
    }
}

/// Prints what an experiment would take: as the result where nothing else is asked for, else as a notice.
/// Says whether nothing else is.
pub(crate) fn print_estimate(
    args: &ExperimentArgs,
    estimate: Option<&CostEstimate>,
    ceilings: Ceilings,
) -> Result<bool> {
    let text = format!(
        "estimate: {}{}",
        estimate::line_or_none(estimate),
        estimate::ceilings(&ceilings)
    );
    match (args.estimate, args.json) {
        (true, true) => {
            output::json_lines([json!({ "estimate": estimate, "ceilings": ceilings })])?;
        }
        (true, false) => output::out(&(text + "\n"))?,
        (false, _) if args.quiet => {}
        (false, _) => notice(&text),
    }
    Ok(args.estimate)
}

/// Lists what failed, says how to go on with `command`, and returns how it exits.
pub(crate) fn print_end(
    end: &ExperimentEnd,
    summary: &ExperimentSummary,
    command: &str,
    args: &ExperimentArgs,
) -> Exit {
    for (item, why) in summary.failures.iter().take(MAX_LISTED_FAILURES) {
        let (item, why) = (clean(item), clean(why));
        notice(&format!("failed: {item}: {why}"));
    }
    let more = summary.failures.len().saturating_sub(MAX_LISTED_FAILURES);
    if more > 0 {
        notice(&format!("… and {more} more failures"));
    }
    let (again, typed) = (
        format!("elenchus {command} --resume {}", summary.id),
        price_flags(&args.budget),
    );
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
    Exit::from(end)
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
