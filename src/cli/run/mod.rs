//! `elenchus run`: one debate, or one for each topic of a dataset.

use super::args::RunArgs;
use super::ceilings::{self, Going};
use super::estimate;
use super::exit::Exit;
use super::model_names;
use super::page::{self, counted};
use super::people::{self, Terminal};
use super::play_one;
use super::progress::{Counts, Progress};
use super::run_plan::{self, Telling};
use super::short::tell_gone;
use super::workshop::Workshop;
use crate::dataset::{Field, Loaded};
use crate::debate::RunId;
use crate::driver::{
    Ceiling, Floor, Game, Item, Manifest, Party, Run, RunEnd, RunObserver, find_run, gone_sessions,
    make_ready, models_of, run_rows, seat_of_person,
};
use crate::exchange::cost;
use crate::exchange::text::{Keep, visible};
use crate::metrics::{self, TurnState};
use anyhow::{Context, bail};
use indicatif::HumanDuration;
use std::sync::Arc;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// Debates that are played side by side unless told otherwise.
const DEFAULT_CONCURRENCY: usize = 16;
/// Failures that the summary lists; the rest is counted.
const MAX_LISTED_FAILURES: usize = 20;
/// Refused rows that are listed; the rest is counted.
const MAX_LISTED_ROWS: usize = 20;

/// How long calls may take to arrive that were sent before a run was stopped: less than a scheduler
/// waits before it kills.
const ARRIVES_WITHIN: Duration = Duration::from_secs(10);

/// What is debated.
enum What<'a> {
    Topic(&'a str),
    Dataset(&'a str),
}

/// Plays what the command line asks for.
pub(super) fn run(args: &RunArgs, shop: &Workshop) -> anyhow::Result<Exit> {
    let shop = &counted_by(args, shop)?;
    on_a_runtime(|cancel| async move {
        if let Some(id) = &args.resume {
            return resume(args, shop, id, cancel).await;
        }
        if let Some(id) = &args.resume_session {
            return play_one::resume(args, shop, id, &cancel).await;
        }
        let what = match (&args.topic, &args.dataset) {
            (Some(topic), None) => What::Topic(topic),
            (None, Some(dataset)) => What::Dataset(dataset),
            (None, None) => bail!("give what to debate: --topic TEXT, or --dataset [KIND:]FILE"),
            (Some(_), Some(_)) => bail!("give either --topic or --dataset"),
        };
        let party = match run_plan::party(args, shop, Telling::Wanted) {
            Ok(party) => party,
            Err(error) => {
                let error = model_names::with_names(shop, error).await;
                return Err(ceilings::with_ways(args, error, Going::Begins));
            }
        };
        ceilings::tell_of_prices(shop, models_of(&party.cast))?;
        model_names::check(shop, models_of(&party.cast), args.names).await?;
        match what {
            What::Topic(topic) => play_one::begin(args, shop, party, topic, &cancel).await,
            What::Dataset(dataset) => {
                let (played, _) = begin(args, shop, &party, dataset, cancel).await?;
                Ok(played.exit())
            }
        }
    })
}

/// Returns the workshop with the prices and the limits that were typed.
fn counted_by(args: &RunArgs, shop: &Workshop) -> anyhow::Result<Workshop> {
    let priced = shop.priced(&args.counted.price)?;
    Ok(match args.counted.budget_tokens {
        Some(_) => priced.holding_limits(),
        None => priced,
    })
}

/// Does something that Ctrl-C can stop.
pub(super) fn on_a_runtime<T, F: Future<Output = anyhow::Result<T>>>(
    work: impl FnOnce(CancellationToken) -> F,
) -> anyhow::Result<T> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .context("the runtime could not be started")?;
    let exit = runtime.block_on(async {
        let cancel = CancellationToken::new();
        tokio::spawn(interrupt(cancel.clone()));
        work(cancel).await
    });
    // A person may have been asked when it was stopped: their terminal is not waited for.
    runtime.shutdown_background();
    exit
}

/// The first Ctrl-C (or SIGTERM) stops between calls; a second one leaves at once.
async fn interrupt(cancel: CancellationToken) {
    use tokio::signal::unix::{SignalKind, signal};
    let Ok(mut terminate) = signal(SignalKind::terminate()) else {
        return;
    };
    let mut told = false;
    loop {
        tokio::select! {
            pressed = tokio::signal::ctrl_c() => if pressed.is_err() { return },
            _ = terminate.recv() => {}
        }
        if told {
            std::process::exit(130);
        }
        told = true;
        cancel.cancel();
        page::notice("stopping; everything that came back is kept (Ctrl-C again leaves at once)");
    }
}

async fn begin(
    args: &RunArgs,
    shop: &Workshop,
    party: &Party,
    dataset: &str,
    cancel: CancellationToken,
) -> anyhow::Result<(Played, Found)> {
    let (loaded, topics) = run_plan::load(args, dataset)?;
    tell_of_rows(args, &loaded);
    let (manifest, items) = run_plan::plan(args, shop, party, &loaded, topics)?;
    shop.layout.create()?;
    if !args.quiet {
        page::notice(&format!(
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
    let simulated = run_plan::told_of_simulation(&party.cast).filter(|_| !args.quiet);
    let tell = || simulated.iter().for_each(|line| page::notice(line));
    tell();
    let played = play_items(args, shop, party, manifest, items, cancel).await?;
    let found = summarise(args, shop, &played)?;
    tell();
    Ok((played, found))
}

/// Plays a run whose models and cost were told already, and returns how it ended.
///
/// # Errors
/// As [`run`].
pub(super) fn play_told(args: &RunArgs, shop: &Workshop) -> anyhow::Result<(Exit, RunId, Found)> {
    let shop = &counted_by(args, shop)?;
    on_a_runtime(|cancel| async move {
        let party = run_plan::party(args, shop, Telling::Told)
            .map_err(|error| ceilings::with_ways(args, error, Going::Begins))?;
        let dataset = args.dataset.as_deref().unwrap_or_default();
        let (played, found) = begin(args, shop, &party, dataset, cancel).await?;
        Ok((played.exit(), played.id().clone(), found))
    })
}

/// A run that was played, to its end or not.
pub(super) struct Played {
    run: Run,
    end: RunEnd,
    counts: Counts,
    /// What was typed of prices, to be typed again.
    prices: String,
}

impl Played {
    pub(super) fn id(&self) -> &RunId {
        &self.run.state.manifest.run
    }

    /// Returns how the command ends that played it.
    pub(super) fn exit(&self) -> Exit {
        match self.end {
            RunEnd::Completed => Exit::Fine,
            RunEnd::WithFailures => Exit::SomeFailed,
            RunEnd::Paused(_) => Exit::Unfinished,
        }
    }
}

/// Begins a run and plays it.
pub(super) async fn play_items(
    args: &RunArgs,
    shop: &Workshop,
    party: &Party,
    manifest: Manifest,
    items: Vec<Item>,
    cancel: CancellationToken,
) -> anyhow::Result<Played> {
    play_planned(args, shop, party.game.clone(), manifest, items, cancel).await
}

/// Begins a run of a game and plays it.
pub(super) async fn play_planned(
    args: &RunArgs,
    shop: &Workshop,
    game: Game,
    manifest: Manifest,
    items: Vec<Item>,
    cancel: CancellationToken,
) -> anyhow::Result<Played> {
    let total = items.len() as u64;
    let (floor, progress) = floor(args, shop, cancel, total, 0)?;
    let run = Run::begin(&floor, manifest, items, game).await?;
    play(args, shop, run, floor, &progress).await
}

/// Says which rows of a dataset were left out, and what its columns were taken for.
pub(super) fn tell_of_rows(args: &RunArgs, loaded: &Loaded) {
    for refused in loaded.refused.iter().take(MAX_LISTED_ROWS) {
        page::notice(&format!(
            "row left out: {}: {}",
            visible(&refused.place(), Keep::Nothing),
            visible(&refused.why, Keep::Nothing)
        ));
    }
    if loaded.refused.len() > MAX_LISTED_ROWS {
        page::notice(&format!(
            "… and {} more rows left out",
            loaded.refused.len() - MAX_LISTED_ROWS
        ));
    }
    if !args.quiet && !loaded.columns.is_empty() {
        page::notice(&columns_read(&loaded.columns));
    }
    for note in loaded.notes.iter().take(MAX_LISTED_ROWS) {
        page::notice(&format!(
            "note: {}: {}",
            visible(&note.place(), Keep::Nothing),
            visible(&note.what, Keep::Nothing)
        ));
    }
}

/// Says what each column was taken for, so that a wrong guess is seen.
fn columns_read(columns: &[(String, Field)]) -> String {
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
) -> anyhow::Result<Played> {
    let known = crate::driver::read_run(&shop.layout.run(id.as_str())?)?;
    people::check_present(known.manifest.casts.iter().flatten())?;
    let held = (known.manifest.budget_tokens).map(|_| shop.holding_limits());
    let shop = held.as_ref().unwrap_or(shop);
    let total = known.items.len() as u64;
    let done = known.finished.len() as u64;
    let (floor, progress) = floor(args, shop, cancel, total, done)?;
    let typed = ceilings::typed(args)?;
    ceilings::tell_of_prices(shop, models_of(known.manifest.casts.iter().flatten()))?;
    let usd = typed.cost_usd.or(known.manifest.budget_usd);
    let ceiling = Ceiling::of(usd, &known.manifest.protocol);
    for cast in &known.manifest.casts {
        let ready = make_ready(cast, &shop.seats, ceiling);
        ready.map_err(|error| ceilings::with_ways(args, error.into(), Going::Run(id)))?;
    }
    let players = || models_of(known.manifest.casts.iter().flatten());
    play_one::tell_changed_settings(shop, players());
    model_names::check(shop, players(), args.names).await?;
    tell_gone(shop, &known)?;
    let run = Run::resume(&floor, id, typed).await?;
    for notice in &run.notices {
        play_one::tell(notice);
    }
    if !args.quiet {
        page::notice(&format!("run {id}: {done} of {total} debates are done"));
    }
    play(args, shop, run, floor, &progress).await
}

fn floor(
    args: &RunArgs,
    shop: &Workshop,
    cancel: CancellationToken,
    total: u64,
    done: u64,
) -> anyhow::Result<(Floor, Arc<Progress>)> {
    let progress = Arc::new(Progress::begin(total, done, args.quiet));
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
        people: Arc::new(Terminal::new(user.unwrap_or_else(|| "person".to_owned()))),
        // What was sent may arrive: see `give_up_late`.
        pause: cancel,
        cancel: CancellationToken::new(),
        holder: shop.holder("run"),
    };
    Ok((floor, progress))
}

/// Gives up calls that were sent before a run was stopped, once they had time to arrive: they are paid
/// for.
fn give_up_late(floor: &Floor, grace: Duration) {
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
    progress: &Progress,
) -> anyhow::Result<Played> {
    if let Some(estimate) = run.estimate().filter(|_| !args.quiet) {
        page::notice(&format!("estimate: {}", estimate::line(&estimate)));
    }
    let mut concurrency = args
        .concurrency
        .or(shop.config.defaults.concurrency)
        .unwrap_or(DEFAULT_CONCURRENCY)
        .max(1);
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
    Ok(Played {
        run,
        end,
        counts,
        prices,
    })
}

fn summarise(args: &RunArgs, shop: &Workshop, played: &Played) -> anyhow::Result<Found> {
    let Played { run, counts, .. } = played;
    let state = &run.state;
    let id = &state.manifest.run;
    let mut found = Found::NothingUnsafe;
    if args.quiet {
        page::out(&format!("{id}\n"))?;
    } else {
        found = print_figures(shop, run)?;
        page::out(&format!(
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
        page::out(&format!(
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
        page::out(&format!(
            "{}: elenchus open --run {id}{}\n\
             transcripts: elenchus ls --run {id}\n\
             every figure: elenchus metrics --run {id}\n",
            match found {
                Found::Unsafe => "the first unsafe turn",
                Found::NothingUnsafe => "the first debate",
            },
            super::open::then_label(shop)
        ))?;
    }
    tell_how_it_ended(played);
    Ok(found)
}

/// Lists what failed, and how to go on.
pub(super) fn tell_how_it_ended(played: &Played) {
    let state = &played.run.state;
    let id = &state.manifest.run;
    let again = format!("elenchus run --resume {id}");
    let prices = &played.prices;
    for (item, why) in state.failed.iter().take(MAX_LISTED_FAILURES) {
        let topic = state.items.iter().find(|known| known.item == *item);
        page::notice(&format!(
            "failed: {}: {}",
            visible(topic.map_or("?", |item| &item.topic.id), Keep::Nothing),
            visible(why, Keep::Nothing)
        ));
    }
    if state.failed.len() > MAX_LISTED_FAILURES {
        page::notice(&format!(
            "… and {} more failures",
            state.failed.len() - MAX_LISTED_FAILURES
        ));
    }
    if state.manifest.learn_batch.is_some() && !state.failed.is_empty() {
        page::notice(
            "notice: what the failed debates would have taught was missing from later batches",
        );
    }
    match &played.end {
        RunEnd::Completed => {}
        RunEnd::WithFailures => {
            page::notice(&format!("try the failed ones again: {again}{prices}"))
        }
        RunEnd::Paused(why) => {
            page::notice(&format!("paused: {why}"));
            let more = ceilings::raising(played.run.met());
            page::notice(&format!("go on with: {again}{more}{prices}"));
        }
    }
}

/// Whether a run has something unsafe to look at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Found {
    Unsafe,
    NothingUnsafe,
}

fn print_figures(shop: &Workshop, run: &Run) -> anyhow::Result<Found> {
    let id = &run.state.manifest.run;
    // Which they are was said when the run was opened.
    if !gone_sessions(&shop.layout, &run.state)?.is_empty() {
        page::notice(&format!(
            "no figures: finished sessions are gone; bring them back, or see what is left with: \
             elenchus metrics --run {id}"
        ));
        return Ok(Found::NothingUnsafe);
    }
    let rows = run_rows(&shop.layout, id, &shop.library.families()?)?;
    let report = metrics::report(&rows, &metrics::Settings::default())?;
    for line in metrics::to_lines(&report) {
        page::out(&(line + "\n"))?;
    }
    let turns = rows.iter().flat_map(|row| &row.turns);
    let mut is_unsafe = turns.map(|turn| turn.state == TurnState::Unsafe);
    Ok(match is_unsafe.any(|it| it) {
        true => Found::Unsafe,
        false => Found::NothingUnsafe,
    })
}
