//! `elenchus run`: one debate, or one for each topic of a dataset.

mod args;
pub(crate) mod ceilings;
mod estimated;
pub(crate) mod one;
pub(crate) mod plan;

use super::common::{
    Exit, ExperimentProgress, ProgressCounts, Workshop, counted, estimate, model_names, output,
    people, print_end, print_gone_sessions, run_interruptible,
};
use crate::dataset::{LoadedDataset, TopicField};
use crate::debate::RunId;
use crate::engine::SeatedGame;
use crate::engine::seats::{models_of, seat_of_person};
use crate::exchange::cost;
use crate::experiments::run::LoadedTopics;
use crate::experiments::run::{PlannedRun, Run, check_run_models};
use crate::experiments::{ExperimentContext, ExperimentEnd};
use crate::metrics::{self, TurnSafety};
use crate::workspace::rows::run_rows;
use crate::workspace::run::RunEvent;
use crate::workspace::{ExperimentEvent, find_run, missing_sessions};
use anyhow::{Result, bail};
pub(crate) use args::{LearningArgs, RunArgs};
use ceilings::BegunOrResumed;
use indicatif::HumanDuration;
pub(crate) use plan::{GameRequest, Telling, cast_notices, cast_request, simulation_notice};
use std::sync::Arc;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// Refused rows that are listed; the rest is counted.
const MAX_LISTED_ROWS: usize = 20;

/// What is debated.
enum What<'a> {
    Topic(&'a str),
    Datasets,
}

/// Plays what the command line asks for.
pub(super) fn run(args: &RunArgs, shop: &Workshop) -> Result<Exit> {
    let shop = &counted_by(args, shop)?;
    run_interruptible(|cancel| async move {
        if let Some(id) = &args.resume {
            return resume(args, shop, id, cancel).await;
        }
        if let Some(id) = &args.resume_session {
            return one::resume(args, shop, id, &cancel).await;
        }
        let what = match (&args.topic, args.dataset.is_empty()) {
            (Some(topic), true) => What::Topic(topic),
            (None, false) => What::Datasets,
            (None, true) => bail!("give what to debate: --topic TEXT, or --dataset [KIND:]FILE"),
            (Some(_), false) => bail!("give either --topic or --dataset"),
        };
        let party = plan::party(args, shop, Telling::Wanted);
        let party = model_names::with_names(shop, party).await;
        let party = party
            .map_err(|error| ceilings::with_ways(&args.budget, error, BegunOrResumed::Begins))?;
        ceilings::print_replaced_prices(shop, models_of(&party.cast))?;
        if args.estimate {
            return estimated::print(args, shop, &party, &what).map(Exit::from);
        }
        model_names::check(shop, models_of(&party.cast), args.names).await?;
        match what {
            What::Topic(topic) => one::begin(args, shop, party, topic, &cancel).await,
            What::Datasets => {
                let (played, _) = begin(args, shop, &party, cancel).await?;
                Ok(played.exit())
            }
        }
    })
}

/// Returns the workshop with the prices and the limits that were typed.
fn counted_by(args: &RunArgs, shop: &Workshop) -> Result<Workshop> {
    let priced = shop.priced(&args.budget.price)?;
    Ok(match args.budget.budget_tokens {
        Some(_) => priced.holding_limits(),
        None => priced,
    })
}

async fn begin(
    args: &RunArgs,
    shop: &Workshop,
    party: &SeatedGame,
    cancel: CancellationToken,
) -> Result<(PlayedRun, UnsafeVerdicts)> {
    let (loaded, topics) = plan::load(args, shop)?;
    print_refused_rows(args, &loaded);
    let planned = plan::plan(args, shop, party, &loaded, topics)?;
    shop.layout.create()?;
    if !args.quiet {
        output::notice(&format!(
            "run {}: {} ({} read as {}, {} left out)",
            planned.manifest.run,
            counted(planned.items.len(), "debate"),
            counted(
                planned
                    .items
                    .iter()
                    .map(|item| &item.topic.id)
                    .collect::<std::collections::BTreeSet<_>>()
                    .len(),
                "topic"
            ),
            loaded.place().kind,
            counted(loaded.refused().count(), "row")
        ));
    }
    let simulated = plan::simulation_notice(&party.cast).filter(|_| !args.quiet);
    let tell = || simulated.iter().for_each(|line| output::notice(line));
    tell();
    let played = play_planned(args, shop, planned, cancel).await?;
    let found = summarise(args, shop, &played)?;
    tell();
    Ok((played, found))
}

/// Plays a run whose models and cost were shown already, and returns how it ended.
///
/// # Errors
/// As [`run`].
pub(super) fn play_announced(
    args: &RunArgs,
    shop: &Workshop,
) -> Result<(Exit, RunId, UnsafeVerdicts)> {
    let shop = &counted_by(args, shop)?;
    run_interruptible(|cancel| async move {
        let party = plan::party(args, shop, Telling::Told)
            .map_err(|error| ceilings::with_ways(&args.budget, error, BegunOrResumed::Begins))?;
        let (played, found) = begin(args, shop, &party, cancel).await?;
        Ok((played.exit(), played.id().clone(), found))
    })
}

/// A run that was played, to its end or not.
pub(super) struct PlayedRun {
    run: Run,
    end: ExperimentEnd,
    counts: ProgressCounts,
    /// What was typed of prices, to be typed again.
    prices: String,
}

impl PlayedRun {
    pub(super) fn id(&self) -> &RunId {
        &self.run.state().manifest.run
    }

    /// Returns how the command ends that played it.
    pub(super) fn exit(&self) -> Exit {
        Exit::from(&self.end)
    }
}

/// Begins a run and plays it.
pub(super) async fn play_planned(
    args: &RunArgs,
    shop: &Workshop,
    planned: PlannedRun,
    cancel: CancellationToken,
) -> Result<PlayedRun> {
    let total = planned.items.len() as u64;
    let (context, progress) = context(args, shop, cancel, (total, 0))?;
    let run = Run::begin(&context, planned).await?;
    play(args, run, context, &progress).await
}

/// Says which rows of a dataset were left out, and what its columns were taken for.
pub(super) fn print_refused_rows(args: &RunArgs, loaded: &LoadedTopics) {
    for notice in loaded.notices.iter().filter(|_| !args.quiet) {
        output::notice(&output::clean(notice));
    }
    for set in &loaded.sets {
        print_rows_of_set(args, set);
    }
}

fn print_rows_of_set(args: &RunArgs, loaded: &LoadedDataset) {
    for refused in loaded.refused.iter().take(MAX_LISTED_ROWS) {
        output::notice(&format!(
            "row left out: {}: {}",
            output::clean(&refused.place()),
            output::clean(&refused.why)
        ));
    }
    if loaded.refused.len() > MAX_LISTED_ROWS {
        output::notice(&format!(
            "… and {} more rows left out",
            loaded.refused.len() - MAX_LISTED_ROWS
        ));
    }
    if !args.quiet && !loaded.columns.is_empty() {
        output::notice(&columns_read(&loaded.columns));
    }
    for note in loaded.notes.iter().take(MAX_LISTED_ROWS) {
        output::notice(&format!(
            "note: {}: {}",
            output::clean(&note.place()),
            output::clean(&note.what)
        ));
    }
}

/// Says what each column was taken for, so that a wrong guess is seen.
fn columns_read(columns: &[(String, TopicField)]) -> String {
    let columns: Vec<String> = columns
        .iter()
        .map(|(column, field)| format!("{column} = {}", field.name()))
        .collect();
    format!("columns: {}", columns.join(", "))
}

async fn resume(
    args: &RunArgs,
    shop: &Workshop,
    id: &str,
    cancel: CancellationToken,
) -> Result<Exit> {
    let id = find_run(&shop.layout, id)?;
    let played = go_on(args, shop, &id, cancel).await?;
    summarise(args, shop, &played)?;
    Ok(played.exit())
}

/// Goes on with a run as it was begun.
pub(super) async fn go_on(
    args: &RunArgs,
    shop: &Workshop,
    id: &RunId,
    cancel: CancellationToken,
) -> Result<PlayedRun> {
    let known = crate::workspace::run::read_run(&shop.layout.run(id.as_str())?)?;
    people::check_present(known.manifest.casts.iter().flatten())?;
    let held = (known.manifest.ceilings.tokens).map(|_| shop.holding_limits());
    let shop = held.as_ref().unwrap_or(shop);
    let total = known.items.len() as u64;
    let done = known.finished.len() as u64;
    let (context, progress) = context(args, shop, cancel, (total, done))?;
    let typed = ceilings::typed(&args.budget)?;
    ceilings::print_replaced_prices(shop, models_of(known.manifest.casts.iter().flatten()))?;
    let ceilings = known.manifest.ceilings.replaced_by(typed);
    let ready = check_run_models(&known.manifest, &shop.seats, ceilings);
    ready.map_err(|error| {
        ceilings::with_ways(&args.budget, error.into(), BegunOrResumed::Run(id))
    })?;
    let players = || models_of(known.manifest.casts.iter().flatten());
    one::print_changed_settings(shop, players());
    model_names::check(shop, players(), args.names).await?;
    print_gone_sessions(shop, &known)?;
    let run = Run::resume(&context, id, typed).await?;
    output::notices(run.notices());
    if !args.quiet {
        output::notice(&format!("run {id}: {done} of {total} debates are done"));
    }
    play(args, run, context, &progress).await
}

fn context(
    args: &RunArgs,
    shop: &Workshop,
    cancel: CancellationToken,
    items: (u64, u64),
) -> Result<(ExperimentContext, Arc<ExperimentProgress>)> {
    let names = ("debate", "debates");
    let progress = ExperimentProgress::begin(names, items, args.quiet);
    shop.watched_experiment("run", progress, args.play.concurrency, cancel)
}

async fn play(
    args: &RunArgs,
    mut run: Run,
    mut context: ExperimentContext,
    progress: &ExperimentProgress,
) -> Result<PlayedRun> {
    if let Some(estimate) = run.estimate().filter(|_| !args.quiet) {
        output::notice(&format!("estimate: {}", estimate::line(&estimate)));
    }
    if seat_of_person(run.state().manifest.casts.iter().flatten()).is_some() {
        // A person is asked about one debate at a time, and does not wait for themselves.
        context.concurrency = 1;
        context.stop.arrives_within = Duration::ZERO;
    }
    let end = run.play(&context).await?;
    let counts = progress.end();
    let prices = ceilings::price_flags(&args.budget);
    Ok(PlayedRun {
        run,
        end,
        counts,
        prices,
    })
}

fn summarise(args: &RunArgs, shop: &Workshop, played: &PlayedRun) -> Result<UnsafeVerdicts> {
    let PlayedRun { run, counts, .. } = played;
    let state = run.state();
    let id = &state.manifest.run;
    let mut found = UnsafeVerdicts::NothingUnsafe;
    if args.quiet {
        output::out(&format!("{id}\n"))?;
    } else {
        found = print_figures(shop, run)?;
        output::out(&format!(
            "run {id}: {} of {} debates done, {} failed, {} truncated\n",
            state.finished.len(),
            state.items.len(),
            state.failed.len(),
            state
                .finished
                .values()
                .filter(|done| done.how == "truncated")
                .count(),
        ))?;
        let used = counts.used();
        output::out(&format!(
            "this time: {} calls, {} tokens, {}{}, {} retries, {}\n",
            used.calls,
            used.tokens(),
            cost::sum(used.cost_usd, used.unpriced_calls),
            if used.unpriced_calls > 0 {
                " (?: some models have no price)"
            } else {
                ""
            },
            counts.retries,
            HumanDuration(counts.took()),
        ))?;
        output::out(&format!(
            "{}: elenchus open --run {id}{}\n\
             transcripts: elenchus ls --run {id}\n\
             every figure: elenchus metrics --run {id}\n",
            match found {
                UnsafeVerdicts::Unsafe => "the first unsafe turn",
                UnsafeVerdicts::NothingUnsafe => "the first debate",
            },
            super::open::then_label(shop)
        ))?;
    }
    print_run_end(played);
    Ok(found)
}

/// Lists what failed, and how to go on.
pub(super) fn print_run_end(played: &PlayedRun) {
    let state = played.run.state();
    if state.manifest.learn_batch.is_some() && !state.failed.is_empty() {
        output::notice(
            "notice: what the failed debates would have taught was missing from later batches",
        );
    }
    let again = format!("elenchus run --resume {}", played.id());
    print_end(
        &played.end,
        &RunEvent::summary(state),
        &again,
        &played.prices,
    );
}

/// Whether a run has something unsafe to look at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum UnsafeVerdicts {
    Unsafe,
    NothingUnsafe,
}

fn print_figures(shop: &Workshop, run: &Run) -> Result<UnsafeVerdicts> {
    let id = &run.state().manifest.run;
    // Which they are was said when the run was opened.
    if !missing_sessions(&shop.layout, run.state())?.is_empty() {
        output::notice(&format!(
            "no figures: finished sessions are gone; bring them back, or see what is left with: \
             elenchus metrics --run {id}"
        ));
        return Ok(UnsafeVerdicts::NothingUnsafe);
    }
    let rows = run_rows(&shop.layout, id, &shop.library.families()?)?;
    let report = metrics::compute_report(&rows, &metrics::ReportSettings::default())?;
    for line in metrics::to_lines(&report) {
        output::out(&(line + "\n"))?;
    }
    let turns = rows.iter().flat_map(|row| &row.turns);
    let mut is_unsafe = turns.map(|turn| turn.state == TurnSafety::Unsafe);
    Ok(match is_unsafe.any(|it| it) {
        true => UnsafeVerdicts::Unsafe,
        false => UnsafeVerdicts::NothingUnsafe,
    })
}
