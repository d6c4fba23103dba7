//! Experiments on the command line: what they are performed with, and how their estimate and their end are
//! printed.

use super::args::ExperimentArgs;
use super::ceilings::{BegunOrResumed, format_price_flags, with_price_advice};
use super::context::CommandContext;
use super::output::{clean_line, print_notice};
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
use std::time::Duration;
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
    pub context: CommandContext,
    /// Ctrl-C pauses the experiment.
    pub cancel: CancellationToken,
}

/// What an experiment is performed with, and the progress that watches its items.
pub(crate) struct ExperimentMonitor {
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
        context: &CommandContext,
        work: impl FnOnce(Self) -> F,
    ) -> Result<T> {
        let resume_command = args.resume.as_ref();
        let resume_command = resume_command.map(|id| format!("elenchus {words} --resume {id}"));
        let going = resume_command.map_or(BegunOrResumed::Begins, BegunOrResumed::Experiment);
        let context = context.clone();
        let command = |cancel| Self {
            words,
            args,
            context,
            cancel,
        };
        let result = run_interruptible(|cancel| work(command(cancel)));
        result.map_err(|error| with_price_advice(&args.budget, error, &going))
    }

    /// Returns the command as it begins something, and the ceilings of that.
    ///
    /// # Errors
    /// When a ceiling or a price cannot be meant.
    pub(crate) fn with_resolved_ceilings(&self) -> Result<(Self, Ceilings)> {
        let ceilings = self.context.resolve_ceilings(&self.args.budget)?;
        Ok((self.with_ceilings(ceilings)?, ceilings))
    }

    /// Returns the command with models at the prices that were typed, for an experiment under ceilings.
    ///
    /// # Errors
    /// When a model is given two prices.
    pub(crate) fn with_ceilings(&self, ceilings: Ceilings) -> Result<Self> {
        Ok(Self {
            context: self
                .context
                .with_prices_and_limits(&self.args.budget, ceilings)?,
            cancel: self.cancel.clone(),
            ..*self
        })
    }

    /// Says something, unless nothing but the result is asked for.
    pub(crate) fn print_unless_quiet(&self, text: &str) {
        if !self.args.quiet {
            print_notice(text);
        }
    }

    /// Says whether only the id of what was performed is asked for.
    pub(crate) fn prints_id_alone(&self) -> bool {
        self.args.quiet && !self.args.json
    }

    /// As [`CommandContext::check_players`].
    ///
    /// # Errors
    /// As that.
    pub(crate) async fn check_players<'p>(
        &self,
        players: impl IntoIterator<Item = &'p ModelPlayer>,
    ) -> Result<()> {
        self.context.check_players(players, self.args).await
    }

    /// Returns the context of the experiment. Others who find its journal in use are shown the command.
    pub(crate) fn build_context(&self, observer: Arc<dyn ExperimentObserver>) -> ExperimentContext {
        let context = &self.context;
        ExperimentContext {
            run: context.hold_run(self.words),
            people: Arc::new(TerminalPlayer::new(context.store.person.clone())),
            observer,
            stop: context.build_stop_signal(self.cancel.clone()),
            concurrency: context.choose_concurrency(self.args.concurrency),
            budget: None,
        }
    }

    /// Returns the context with the progress that watches its items: what they are called, how many there
    /// are as far as that is known, and are done.
    pub(crate) fn start_progress(
        &self,
        names: (&'static str, &'static str),
        items: (u64, u64),
    ) -> ExperimentMonitor {
        let progress = Arc::new(ExperimentProgress::start_bar(names, items, self.args.quiet));
        let context = self.build_context(progress.clone());
        ExperimentMonitor { context, progress }
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
            estimate::describe_cost(estimate),
            estimate::describe_ceilings(&ceilings)
        );
        match (args.estimate, args.json) {
            (true, true) => {
                output::print_json_lines([json!({ "estimate": estimate, "ceilings": ceilings })])?;
            }
            (true, false) => output::print_text(&(text + "\n"))?,
            (false, _) if args.quiet => {}
            (false, _) => print_notice(&text),
        }
        Ok(args.estimate)
    }

    /// Lists what failed.
    pub(crate) fn print_failures(&self, summary: &ExperimentSummary) {
        for (item, why) in summary.failures.iter().take(MAX_LISTED_FAILURES) {
            let (item, why) = (clean_line(item), clean_line(why));
            print_notice(&format!("failed: {item}: {why}"));
        }
        let more = summary.failures.len().saturating_sub(MAX_LISTED_FAILURES);
        if more > 0 {
            print_notice(&format!("… and {more} more failures"));
        }
    }

    /// Lists what failed, says how to go on with it, and returns how it exits.
    pub(crate) fn print_end(&self, end: &ExperimentEnd, summary: &ExperimentSummary) -> Exit {
        self.print_failures(summary);
        let (resume_command, price_options) = (
            format!("elenchus {} --resume {}", self.words, summary.id),
            format_price_flags(&self.args.budget),
        );
        match end {
            ExperimentEnd::Completed => {}
            ExperimentEnd::WithFailures(missing) => {
                let (one, several) = summary.item_names;
                let name = if *missing == 1 { one } else { several };
                print_notice(&format!(
                    "{missing} {name} could not be had; try again: {resume_command}{price_options}"
                ));
            }
            ExperimentEnd::Paused(cause) => {
                print_notice(&format!("paused: {}", clean_line(&cause.to_string())));
                print_notice(&format!(
                    "go on with: {resume_command}{}{price_options}",
                    raise_ceiling_option(cause.ceiling())
                ));
                if summary.repeat.is_some() && cause.ceiling().is_none() {
                    print_notice("or give the same command again: it goes on under its key");
                }
            }
        }
        Exit::from(end)
    }
}

impl CommandContext {
    /// Returns the signal that a token stops commands by, with the configured time for calls in flight.
    fn build_stop_signal(&self, pause: CancellationToken) -> StopSignal {
        let stop = StopSignal::from_token(pause);
        let grace = self.config.defaults.stop_grace_s;
        let grace = grace.map(|seconds| Duration::from_secs(seconds.into()));
        StopSignal {
            arrives_within: grace.unwrap_or(stop.arrives_within),
            ..stop
        }
    }

    /// Returns how many items are performed side by side by the option, or by default.
    pub(crate) fn choose_concurrency(&self, asked: Option<usize>) -> usize {
        let requested = asked.or(self.config.defaults.concurrency);
        requested.unwrap_or(DEFAULT_CONCURRENCY).max(1)
    }
}

/// Returns the option that raises a ceiling that was met.
pub(crate) fn raise_ceiling_option(met: Option<CeilingKind>) -> &'static str {
    match met {
        Some(CeilingKind::CostUsd) => " --budget-usd MORE",
        Some(CeilingKind::Calls) => " --budget-calls MORE",
        Some(CeilingKind::Tokens) => " --budget-tokens MORE",
        None => "",
    }
}
