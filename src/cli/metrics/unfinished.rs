//! Runs that are not over: their differences wait.

use super::{MetricsArgs, selection};
use anyhow::{Result, bail};
use elenchus_metrics::UnfinishedRuns;

/// Refuses differences and courses of runs that are not over: they would be looked at until they please.
pub(super) fn refuse_differences(args: &MetricsArgs, unfinished: &UnfinishedRuns) -> Result<()> {
    let is_difference = !args.compare.is_empty()
        || args.against.is_some()
        || args.trend.is_some()
        || selection::is_asked_for(args);
    match unfinished.iter().next() {
        Some((run, progress)) if is_difference => bail!(
            "run {run} is not over ({} of {} planned debates), and differences wait for that: go on with \
             'elenchus run --resume {run}', or add --with-unfinished where its stop did not depend on what \
             was found",
            progress.ended,
            progress.planned
        ),
        Some(_) | None => Ok(()),
    }
}
