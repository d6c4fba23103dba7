//! Experiments on the command line: what they are performed with, and how their estimate and their end are
//! printed.

use super::args::ExperimentArgs;
use super::ceilings::{BegunOrResumed, price_flags, with_ways};
use super::context::Workshop;
use super::output::{clean, notice};
use super::people::TerminalPlayer;
use super::progress::ExperimentProgress;
use super::{Exit, estimate, output, run_interruptible};
use anyhow::Result;
use elenchus_game::debate::CostEstimate;
use elenchus_game::debate::event::{CeilingKind, ModelPlayer};
use elenchus_game::debate::protocol::Ceilings;
use elenchus_records::workspace::ExperimentSummary;
use elenchus_run::experiments::{ExperimentContext, ExperimentEnd, ExperimentObserver, StopSignal};
use serde_json::json;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// Items that are performed side by side where nothing is said.
const DEFAULT_CONCURRENCY: usize = 16;
/// Failures that are listed at the end; the rest is counted.
const MAX_LISTED_FAILURES: usize = 20;

/// Command that performs an experiment: its words, its options, and what it works with.
pub(crate) struct ExperimentCommand<'a> {
    /// As "prompts ab".
    pub words: &'static str,
    pub args: &'a ExperimentArgs,
    pub shop: Workshop,
    /// Ctrl-C pauses the experiment.
    pub cancel: CancellationToken,
}

/// What an experiment is performed with, and the progress that watches its items.
pub(crate) struct Watched {
    pub context: ExperimentContext,
    pub progress: Arc<ExperimentProgress>,
}

impl<'a> ExperimentCommand<'a> {
    /// Performs the command.
    ///
    /// # Errors
    /// Those of the work, with what helps where models have no price.
    pub(crate) fn run<T, F: Future<Output = Result<T>>>(
        words: &'static str,
        args: &'a ExperimentArgs,
        shop: &Workshop,
        work: impl FnOnce(Self) -> F,
    ) -> Result<T> {
        let again = args.resume.as_ref();
        let again = again.map(|id| format!("elenchus {words} --resume {id}"));
        let going = again.map_or(BegunOrResumed::Begins, BegunOrResumed::Experiment);
        let shop = shop.clone();
        let command = |cancel| Self {
            words,
            args,
            shop,
            cancel,
        };
        let done = run_interruptible(|cancel| work(command(cancel)));
        done.map_err(|error| with_ways(&args.budget, error, &going))
    }

    /// Returns the command as it begins something, and the ceilings of that.
    ///
    /// # Errors
    /// When a ceiling or a price cannot be meant.
    pub(crate) fn begins(&self) -> Result<(Self, Ceilings)> {
        let ceilings = self.shop.ceilings(&self.args.budget)?;
        Ok((self.under(ceilings)?, ceilings))
    }

    /// Returns the command with models at the prices that were typed, for an experiment under ceilings.
    ///
    /// # Errors
    /// When a model is given two prices.
    pub(crate) fn under(&self, ceilings: Ceilings) -> Result<Self> {
        Ok(Self {
            shop: self.shop.counting(&self.args.budget, ceilings)?,
            cancel: self.cancel.clone(),
            ..*self
        })
    }

    /// Says something, unless nothing but the result is asked for.
    pub(crate) fn say(&self, text: &str) {
        if !self.args.quiet {
            notice(text);
        }
    }

    /// Says whether only the id of what was performed is asked for.
    pub(crate) fn prints_id_alone(&self) -> bool {
        self.args.quiet && !self.args.json
    }

    /// As [`Workshop::check_players`].
    ///
    /// # Errors
    /// As that.
    pub(crate) async fn check_players<'p>(
        &self,
        players: impl IntoIterator<Item = &'p ModelPlayer>,
    ) -> Result<()> {
        self.shop.check_players(players, self.args).await
    }

    /// Returns the context of the experiment. Others who find its journal in use are shown the command.
    ///
    /// # Errors
    /// When the system gives no threads.
    pub(crate) fn context(
        &self,
        observer: Arc<dyn ExperimentObserver>,
    ) -> Result<ExperimentContext> {
        let shop = &self.shop;
        Ok(ExperimentContext {
            desk: shop.desk(self.words, None)?,
            library: shop.library.clone(),
            seats: Arc::clone(&shop.seats),
            embedding: Arc::clone(&shop.embedding),
            people: Arc::new(TerminalPlayer::new(shop.person())),
            observer,
            stop: StopSignal::paused_by(self.cancel.clone()),
            concurrency: shop.side_by_side(self.args.concurrency),
            budget: None,
        })
    }

    /// Returns the context with the progress that watches its items: what they are called, how many there
    /// are as far as that is known, and are done.
    ///
    /// # Errors
    /// When the system gives no threads.
    pub(crate) fn watched(
        &self,
        names: (&'static str, &'static str),
        items: (u64, u64),
    ) -> Result<Watched> {
        let progress = Arc::new(ExperimentProgress::begin(names, items, self.args.quiet));
        let context = self.context(progress.clone())?;
        Ok(Watched { context, progress })
    }

    /// Prints what an experiment would take: as the result where nothing else is asked for, else as a notice.
    /// Says whether nothing else is.
    pub(crate) fn print_estimate(
        &self,
        estimate: Option<&CostEstimate>,
        ceilings: Ceilings,
    ) -> Result<bool> {
        let args = self.args;
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

    /// Lists what failed, says how to go on with it, and returns how it exits.
    pub(crate) fn print_end(&self, end: &ExperimentEnd, summary: &ExperimentSummary) -> Exit {
        for (item, why) in summary.failures.iter().take(MAX_LISTED_FAILURES) {
            let (item, why) = (clean(item), clean(why));
            notice(&format!("failed: {item}: {why}"));
        }
        let more = summary.failures.len().saturating_sub(MAX_LISTED_FAILURES);
        if more > 0 {
            notice(&format!("… and {more} more failures"));
        }
        let (again, typed) = (
            format!("elenchus {} --resume {}", self.words, summary.id),
            price_flags(&self.args.budget),
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
}

impl Workshop {
    /// Returns how many items are performed side by side by the option, or by default.
    pub(crate) fn side_by_side(&self, asked: Option<usize>) -> usize {
        let asked = asked.or(self.config.defaults.concurrency);
        asked.unwrap_or(DEFAULT_CONCURRENCY).max(1)
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
