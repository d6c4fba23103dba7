//! `elenchus run`: one debate, or one for each topic of a dataset.

mod args;
pub(crate) mod ceilings;
mod estimated;
pub(crate) mod one;
pub(crate) mod plan;

use super::common::Exit;
use super::common::Workshop;
use super::common::args::PlayArgs;
use super::common::estimate;
use super::common::model_names;
use super::common::print_gone_sessions;
use super::common::run_interruptible;
use super::common::{RunCounts, RunProgress};
use super::common::{TerminalPlayer, people};
use super::common::{counted, output};
use crate::dataset::{LoadedDataset, TopicField};
use crate::debate::RunId;
use crate::engine::seats::{models_of, seat_of_person};
use crate::engine::{CostCeiling, SeatedGame, check_models};
use crate::exchange::cost;
use crate::exchange::text::{Keep, visible};
use crate::experiments::ExperimentEnd;
use crate::experiments::run::{Floor, Run, RunObserver};
use crate::library::Game;
use crate::metrics::{self, TurnSafety};
use crate::workspace::rows::run_rows;
use crate::workspace::run::{Manifest, RunItem};
use crate::workspace::sweep::sweep_of_run;
use crate::workspace::{find_run, missing_sessions};
use anyhow::bail;
pub(crate) use args::RunArgs;
use ceilings::BegunOrResumed;
use indicatif::HumanDuration;
pub(crate) use plan::{GameRequest, Telling, cast_notices, cast_request, simulation_notice};
use std::sync::Arc;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// Default number of concurrent debates.
const DEFAULT_CONCURRENCY: usize = 16;
/// Failures that the summary lists; the rest is counted.
pub(crate) const MAX_LISTED_FAILURES: usize = 20;
/// Refused rows that are listed; the rest is counted.
const MAX_LISTED_ROWS: usize = 20;

/// How long calls may take to arrive that were sent before a run was stopped: less than a scheduler
/// waits before it kills.
pub(crate) const ARRIVES_WITHIN: Duration = Duration::from_secs(10);

/// What is debated.
enum What<'a> {
    Topic(&'a str),
    Dataset(&'a str),
}

/// Plays what the command line asks for.
pub(super) fn run(args: &RunArgs, shop: &Workshop) -> anyhow::Result<Exit> {
    let shop = &counted_by(args, shop)?;
    run_interruptible(|cancel| async move {
        if let Some(id) = &args.resume {
            return resume(args, shop, id, cancel).await;
        }
        if let Some(id) = &args.resume_session {
            return one::resume(args, shop, id, &cancel).await;
        }
        let what = match (&args.topic, &args.dataset) {
            (Some(topic), None) => What::Topic(topic),
            (None, Some(dataset)) => What::Dataset(dataset),
            (None, None) => bail!("give what to debate: --topic TEXT, or --dataset [KIND:]FILE"),
            (Some(_), Some(_)) => bail!("give either --topic or --dataset"),
        };
        let party = match plan::party(args, shop, Telling::Wanted) {
            Ok(party) => party,
            Err(error) => {
                let error = model_names::with_names(shop, error).await;
                return Err(ceilings::with_ways(args, error, BegunOrResumed::Begins));
            }
        };
        ceilings::print_replaced_prices(shop, models_of(&party.cast))?;
        if args.estimate {
            return estimated::print(args, shop, &party, &what);
        }
        model_names::check(shop, models_of(&party.cast), args.names).await?;
        match what {
            What::Topic(topic) => one::begin(args, shop, party, topic, &cancel).await,
            What::Dataset(dataset) => {
                let (played, _) = begin(args, shop, &party, dataset, cancel).await?;
                Ok(played.exit())
            }
        }
    })
}

/// Returns the workshop with the prices and the limits that were typed.
fn counted_by(args: &RunArgs, shop: &Workshop) -> anyhow::Result<Workshop> {
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
    dataset: &str,
    cancel: CancellationToken,
) -> anyhow::Result<(PlayedRun, UnsafeVerdicts)> {
    let (loaded, topics) = plan::load(args, dataset)?;
    print_refused_rows(args, &loaded);
    let (manifest, items) = plan::plan(args, shop, party, &loaded, topics)?;
    shop.layout.create()?;
    if !args.quiet {
        output::notice(&format!(
            "run {}: {} ({} read as {}, {} left out)",
            manifest.run,
            counted(items.len(), "debate"),
            counted(
                items
                    .iter()
                    .map(|item| &item.topic.id)
                    .collect::<std::collections::BTreeSet<_>>()
                    .len(),
                "topic"
            ),
            loaded.kind,
            counted(loaded.refused.len(), "row")
        ));
    }
    let simulated = plan::simulation_notice(&party.cast).filter(|_| !args.quiet);
    let tell = || simulated.iter().for_each(|line| output::notice(line));
    tell();
    let played = play_items(args, shop, party, manifest, items, cancel).await?;
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
) -> anyhow::Result<(Exit, RunId, UnsafeVerdicts)> {
    let shop = &counted_by(args, shop)?;
    run_interruptible(|cancel| async move {
        let party = plan::party(args, shop, Telling::Told)
            .map_err(|error| ceilings::with_ways(args, error, BegunOrResumed::Begins))?;
        let dataset = args.dataset.as_deref().unwrap_or_default();
        let (played, found) = begin(args, shop, &party, dataset, cancel).await?;
        Ok((played.exit(), played.id().clone(), found))
    })
}

/// A run that was played, to its end or not.
pub(super) struct PlayedRun {
    run: Run,
    end: ExperimentEnd,
    counts: RunCounts,
    /// What was typed of prices, to be typed again.
    prices: String,
}

impl PlayedRun {
    pub(super) fn id(&self) -> &RunId {
        &self.run.state.manifest.run
    }

    /// Returns how the command ends that played it.
    pub(super) fn exit(&self) -> Exit {
        Exit::from(&self.end)
    }
}

/// Begins a run and plays it.
pub(super) async fn play_items(
    args: &RunArgs,
    shop: &Workshop,
    party: &SeatedGame,
    manifest: Manifest,
    items: Vec<RunItem>,
    cancel: CancellationToken,
) -> anyhow::Result<PlayedRun> {
    play_planned(args, shop, party.game.clone(), manifest, items, cancel).await
}

/// Begins a run of a game and plays it.
pub(super) async fn play_planned(
    args: &RunArgs,
    shop: &Workshop,
    game: Game,
    manifest: Manifest,
    items: Vec<RunItem>,
    cancel: CancellationToken,
) -> anyhow::Result<PlayedRun> {
    let total = items.len() as u64;
    let (floor, progress) = floor(args, shop, cancel, total, 0)?;
    let run = Run::begin(&floor, manifest, items, game).await?;
    play(args, shop, run, floor, &progress).await
}

/// Says which rows of a dataset were left out, and what its columns were taken for.
pub(super) fn print_refused_rows(args: &RunArgs, loaded: &LoadedDataset) {
    for refused in loaded.refused.iter().take(MAX_LISTED_ROWS) {
        output::notice(&format!(
            "row left out: {}: {}",
            visible(&refused.place(), Keep::Nothing),
            visible(&refused.why, Keep::Nothing)
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
            visible(&note.place(), Keep::Nothing),
            visible(&note.what, Keep::Nothing)
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
) -> anyhow::Result<Exit> {
    let id = find_run(&shop.layout, id)?;
    if let Some(sweep) = sweep_of_run(&shop.layout, &id)?.filter(|sweep| !sweep.completed) {
        let sweep = &sweep.manifest.sweep;
        bail!(
            "run {id} is a point of sweep {sweep}, which alone counts what all its points used; go on \
             with: elenchus sweep --resume {sweep}"
        );
    }
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
) -> anyhow::Result<PlayedRun> {
    let known = crate::workspace::run::read_run(&shop.layout.run(id.as_str())?)?;
    people::check_present(known.manifest.casts.iter().flatten())?;
    let held = (known.manifest.budget_tokens).map(|_| shop.holding_limits());
    let shop = held.as_ref().unwrap_or(shop);
    let total = known.items.len() as u64;
    let done = known.finished.len() as u64;
    let (floor, progress) = floor(args, shop, cancel, total, done)?;
    let typed = ceilings::typed(args)?;
    ceilings::print_replaced_prices(shop, models_of(known.manifest.casts.iter().flatten()))?;
    let usd = typed.cost_usd.or(known.manifest.budget_usd);
    let ceiling = CostCeiling::from_budget(usd, &known.manifest.protocol);
    for cast in &known.manifest.casts {
        let ready = check_models(cast, &shop.seats, ceiling);
        ready.map_err(|error| ceilings::with_ways(args, error.into(), BegunOrResumed::Run(id)))?;
    }
    let players = || models_of(known.manifest.casts.iter().flatten());
    one::print_changed_settings(shop, players());
    model_names::check(shop, players(), args.names).await?;
    print_gone_sessions(shop, &known)?;
    let run = Run::resume(&floor, id, typed).await?;
    for notice in &run.notices {
        one::print_repair(notice);
    }
    if !args.quiet {
        output::notice(&format!("run {id}: {done} of {total} debates are done"));
    }
    play(args, shop, run, floor, &progress).await
}

fn floor(
    args: &RunArgs,
    shop: &Workshop,
    cancel: CancellationToken,
    total: u64,
    done: u64,
) -> anyhow::Result<(Floor, Arc<RunProgress>)> {
    let progress = Arc::new(RunProgress::begin(total, done, args.quiet));
    let name = shop.config.defaults.name.clone();
    let user = name.or_else(|| std::env::var("USER").ok());
    let observer: Arc<dyn RunObserver> = Arc::clone(&progress) as Arc<dyn RunObserver>;
    let floor = Floor {
        layout: shop.layout.clone(),
        fsync: shop.fsync()?,
        clock: shop.clock,
        seats: Arc::clone(&shop.seats),
        embedding: Arc::clone(&shop.embedding),
        observer,
        people: Arc::new(TerminalPlayer::new(
            user.unwrap_or_else(|| "person".to_owned()),
        )),
        // What was sent may arrive: see `give_up_late`.
        pause: cancel,
        cancel: CancellationToken::new(),
        holder: shop.holder("run"),
    };
    Ok((floor, progress))
}

/// Gives up calls that were sent before a run was stopped, once they had time to arrive: they are paid
/// for.
pub(crate) fn give_up_late(floor: &Floor, grace: Duration) {
    let (stopped, give_up) = (floor.pause.clone(), floor.cancel.clone());
    tokio::spawn(async move {
        stopped.cancelled().await;
        tokio::time::sleep(grace).await;
        give_up.cancel();
    });
}

async fn play(
    args: &RunArgs,
    shop: &Workshop,
    mut run: Run,
    floor: Floor,
    progress: &RunProgress,
) -> anyhow::Result<PlayedRun> {
    if let Some(estimate) = run.estimate().filter(|_| !args.quiet) {
        output::notice(&format!("estimate: {}", estimate::line(&estimate)));
    }
    let mut concurrency = at_once(&args.play, shop);
    let mut grace = ARRIVES_WITHIN;
    if seat_of_person(run.state.manifest.casts.iter().flatten()).is_some() {
        // A person is asked about one debate at a time, and does not wait for themselves.
        concurrency = 1;
        grace = Duration::ZERO;
    }
    give_up_late(&floor, grace);
    let end = run.play(&floor, concurrency).await?;
    let counts = progress.end();
    let prices = ceilings::price_flags(args);
    Ok(PlayedRun {
        run,
        end,
        counts,
        prices,
    })
}

/// Returns how many debates are played side by side.
pub(crate) fn at_once(args: &PlayArgs, shop: &Workshop) -> usize {
    let asked = args.concurrency.or(shop.config.defaults.concurrency);
    asked.unwrap_or(DEFAULT_CONCURRENCY).max(1)
}

fn summarise(
    args: &RunArgs,
    shop: &Workshop,
    played: &PlayedRun,
) -> anyhow::Result<UnsafeVerdicts> {
    let PlayedRun { run, counts, .. } = played;
    let state = &run.state;
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
        output::out(&format!(
            "this time: {} calls, {} tokens, {}{}, {} retries, {}\n",
            counts.calls,
            counts.tokens,
            cost::sum(counts.cost_usd, counts.unpriced),
            if counts.unpriced > 0 {
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
    let state = &played.run.state;
    let id = &state.manifest.run;
    let again = format!("elenchus run --resume {id}");
    let prices = &played.prices;
    for (item, why) in state.failed.iter().take(MAX_LISTED_FAILURES) {
        let topic = state.items.iter().find(|known| known.item == *item);
        output::notice(&format!(
            "failed: {}: {}",
            visible(topic.map_or("?", |item| &item.topic.id), Keep::Nothing),
            visible(why, Keep::Nothing)
        ));
    }
    if state.failed.len() > MAX_LISTED_FAILURES {
        output::notice(&format!(
            "… and {} more failures",
            state.failed.len() - MAX_LISTED_FAILURES
        ));
    }
    if state.manifest.learn_batch.is_some() && !state.failed.is_empty() {
        output::notice(
            "notice: what the failed debates would have taught was missing from later batches",
        );
    }
    match &played.end {
        ExperimentEnd::Completed => {}
        ExperimentEnd::WithFailures(_) => {
            output::notice(&format!("try the failed ones again: {again}{prices}"))
        }
        ExperimentEnd::Paused(why) => {
            output::notice(&format!("paused: {why}"));
            let more = ceilings::raising(played.run.met());
            output::notice(&format!("go on with: {again}{more}{prices}"));
        }
    }
}

/// Whether a run has something unsafe to look at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum UnsafeVerdicts {
    Unsafe,
    NothingUnsafe,
}

fn print_figures(shop: &Workshop, run: &Run) -> anyhow::Result<UnsafeVerdicts> {
    let id = &run.state.manifest.run;
    // Which they are was said when the run was opened.
    if !missing_sessions(&shop.layout, &run.state)?.is_empty() {
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
