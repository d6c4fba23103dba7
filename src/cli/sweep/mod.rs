//! `elenchus sweep`: many runs under one plan and one budget, and their figures in one table.

mod args;
mod list;
mod plan;
mod table;

use super::common::args::PlayArgs;
use super::common::{
    Exit, RunProgress, TerminalPlayer, Workshop, counted, model_names, output, run_interruptible,
};
use super::run::ceilings::{self, BegunOrResumed};
use super::run::{ARRIVES_WITHIN, MAX_LISTED_FAILURES, RunArgs, at_once, give_up_late};
use crate::debate::event::Participant;
use crate::debate::protocol::Ceilings;
use crate::engine::seats::models_of;
use crate::engine::{CostCeiling, check_models};
use crate::exchange::text::{Keep, visible};
use crate::experiments::ExperimentEnd;
use crate::experiments::run::{Floor, RunObserver};
use crate::experiments::sweep::{PlannedSweep, Sweep, SweepFile, sweep_debates, sweep_report};
use crate::metrics::Resampling;
use crate::workspace::run::{RunState, read_run};
use crate::workspace::sweep::{SweepPoint, SweepState, find_sweep, read_sweep};
use anyhow::Context;
pub(crate) use args::SweepArgs;
use std::path::Path;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// Plays a plan, goes on with a sweep, or shows what was played.
///
/// # Errors
/// When the plan is wrong, an arm cannot be played, or a journal cannot be read or written.
pub(super) fn run(args: &SweepArgs, shop: &Workshop) -> anyhow::Result<Exit> {
    if args.list {
        return list::run(args.format.json, shop);
    }
    if let Some(text) = &args.show {
        let id = find_sweep(&shop.layout, text)?;
        show(args, shop, &read_sweep(&shop.layout, &id)?)?;
        return Ok(Exit::Fine);
    }
    let shop = &shop.priced(&args.budget.price)?;
    if let Some(text) = &args.resume {
        return run_interruptible(|cancel| async move { go_on(args, shop, text, cancel).await });
    }
    let path = args.file.as_deref().context("name the plan's file")?;
    let mut file = read_plan(path)?;
    file.ceilings = ceilings_of(args, shop, &file.ceilings)?;
    let held = file.ceilings.tokens.map(|_| shop.holding_limits());
    let shop = held.as_ref().unwrap_or(shop);
    run_interruptible(|cancel| async move {
        let planned = match file.plan(plan::context(shop), None) {
            Ok(planned) => planned,
            Err(error) => {
                let error = model_names::with_names(shop, error.into()).await;
                return Err(ceilings::with_ways(
                    &run_args(args),
                    error,
                    BegunOrResumed::Begins,
                ));
            }
        };
        let at_once = at_once(&play_args(args), shop);
        if args.estimate {
            plan::print_estimate(args, shop, &planned, at_once)?;
            return Ok(Exit::Fine);
        }
        if !args.quiet {
            plan::announce(shop, &planned, at_once)?;
        }
        let models = planned
            .arms
            .iter()
            .flat_map(|arm| models_of(&arm.seated.party.cast));
        model_names::check(shop, models, args.names).await?;
        begin(args, shop, &planned, cancel).await
    })
}

fn read_plan(path: &Path) -> anyhow::Result<SweepFile> {
    let text = super::common::read_text(path)?;
    Ok(SweepFile::parse(&path.display().to_string(), &text)?)
}

/// What is typed wins over the plan, and this over the configuration.
fn ceilings_of(args: &SweepArgs, shop: &Workshop, file: &Ceilings) -> anyhow::Result<Ceilings> {
    let typed = ceilings::typed(&run_args(args))?;
    let usd = typed.cost_usd.or(file.cost_usd);
    Ok(Ceilings {
        cost_usd: usd.or(shop.config.defaults.budget_usd),
        calls: typed.calls.or(file.calls),
        tokens: typed.tokens.or(file.tokens),
    })
}

fn play_args(args: &SweepArgs) -> PlayArgs {
    PlayArgs {
        concurrency: args.concurrency,
        ..PlayArgs::default()
    }
}

fn run_args(args: &SweepArgs) -> RunArgs {
    RunArgs {
        play: play_args(args),
        budget: args.budget.clone(),
        ..RunArgs::default()
    }
}

async fn begin(
    args: &SweepArgs,
    shop: &Workshop,
    planned: &PlannedSweep,
    cancel: CancellationToken,
) -> anyhow::Result<Exit> {
    shop.layout.create()?;
    let total: usize = planned.arms.iter().map(|arm| arm.debates).sum();
    let (floor, progress) = floor(args, shop, cancel, (total as u64, 0))?;
    if !args.quiet {
        let id = &planned.manifest.sweep;
        output::notice(&format!(
            "sweep {id}: {} runs begin",
            planned.manifest.points.len()
        ));
    }
    let sweep = Sweep::begin(&floor, planned).await?;
    play(args, shop, sweep, &floor, &progress).await
}

/// Goes on with a sweep as it was begun.
async fn go_on(
    args: &SweepArgs,
    shop: &Workshop,
    text: &str,
    cancel: CancellationToken,
) -> anyhow::Result<Exit> {
    let id = find_sweep(&shop.layout, text)?;
    let known = read_sweep(&shop.layout, &id)?;
    let typed = ceilings::typed(&run_args(args))?;
    let held = known.manifest.budget_tokens.or(typed.tokens);
    let held = held.map(|_| shop.holding_limits());
    let shop = held.as_ref().unwrap_or(shop);
    let planned = match known.planned {
        true => None,
        false => Some(plan::again(shop, &known)?),
    };
    let counts = match &planned {
        None => {
            check_runs(args, shop, &known, typed).await?;
            sweep_debates(&shop.layout, &known)?
        }
        Some(planned) => {
            let total: usize = planned.arms.iter().map(|arm| arm.debates).sum();
            (total as u64, 0)
        }
    };
    let (floor, progress) = floor(args, shop, cancel, counts)?;
    let mut sweep = Sweep::resume(&floor, &id, typed).await?;
    for notice in &sweep.notices {
        output::notice(&format!("notice: {notice}"));
    }
    if let Some(planned) = &planned {
        sweep.begin_runs(&floor, planned).await?;
    }
    if !args.quiet {
        output::notice(&format!(
            "sweep {id}: {} of {} debates are done",
            counts.1, counts.0
        ));
    }
    play(args, shop, sweep, &floor, &progress).await
}

/// Finds out whether the models of what is left can be called.
async fn check_runs(
    args: &SweepArgs,
    shop: &Workshop,
    known: &SweepState,
    typed: Ceilings,
) -> anyhow::Result<()> {
    let usd = typed.cost_usd.or(known.manifest.budget_usd);
    let mut seen: Vec<Vec<Participant>> = Vec::new();
    for (number, point) in (0..).zip(&known.manifest.points) {
        if known.is_finished(number) {
            continue;
        }
        let run: RunState = read_run(&shop.layout.run(point.run.as_str())?)?;
        let ceiling = CostCeiling::from_budget(usd, &run.manifest.protocol);
        for cast in run.manifest.casts {
            if seen.contains(&cast) {
                continue;
            }
            check_models(&cast, &shop.seats, ceiling).map_err(|error| {
                let again = BegunOrResumed::Sweep(&known.manifest.sweep);
                ceilings::with_ways(&run_args(args), error.into(), again)
            })?;
            seen.push(cast);
        }
    }
    let players = || models_of(seen.iter().flatten());
    ceilings::print_replaced_prices(shop, players())?;
    super::run::one::print_changed_settings(shop, players());
    model_names::check(shop, players(), args.names).await
}

fn floor(
    args: &SweepArgs,
    shop: &Workshop,
    cancel: CancellationToken,
    (total, done): (u64, u64),
) -> anyhow::Result<(Floor, Arc<RunProgress>)> {
    let progress = Arc::new(RunProgress::begin(total, done, args.quiet));
    let observer: Arc<dyn RunObserver> = Arc::clone(&progress) as Arc<dyn RunObserver>;
    let floor = Floor {
        layout: shop.layout.clone(),
        fsync: shop.fsync()?,
        clock: shop.clock,
        seats: Arc::clone(&shop.seats),
        embedding: Arc::clone(&shop.embedding),
        observer,
        people: Arc::new(TerminalPlayer::new(shop.person())),
        pause: cancel,
        cancel: CancellationToken::new(),
        holder: shop.holder("sweep"),
    };
    Ok((floor, progress))
}

async fn play(
    args: &SweepArgs,
    shop: &Workshop,
    mut sweep: Sweep,
    floor: &Floor,
    progress: &Arc<RunProgress>,
) -> anyhow::Result<Exit> {
    give_up_late(floor, ARRIVES_WITHIN);
    let manifest = sweep.state.manifest.clone();
    let said = Arc::clone(progress);
    let quiet = args.quiet;
    let observer = move |number: usize, point: &SweepPoint| {
        if !quiet {
            said.say(&format!(
                "point {} of {}: {}, seed {} (run {})",
                number + 1,
                manifest.points.len(),
                manifest.arm_of(point),
                point.seed,
                point.run
            ));
        }
    };
    let end = sweep
        .play(floor, at_once(&play_args(args), shop), &observer)
        .await?;
    progress.end();
    if args.quiet && !args.format.json && !args.format.csv {
        output::out(&format!("{}\n", sweep.state.manifest.sweep))?;
    } else {
        show(args, shop, &sweep.state)?;
    }
    print_end(args, shop, &sweep, &end)?;
    Ok(Exit::from(&end))
}

fn print_end(
    args: &SweepArgs,
    shop: &Workshop,
    sweep: &Sweep,
    end: &ExperimentEnd,
) -> anyhow::Result<()> {
    let id = &sweep.state.manifest.sweep;
    let prices = ceilings::price_flags(&run_args(args));
    let again = format!("elenchus sweep --resume {id}");
    match end {
        ExperimentEnd::Completed => {
            if !args.quiet {
                output::notice(&format!("look again: elenchus sweep --show {id}"));
            }
        }
        ExperimentEnd::WithFailures(points) => {
            print_failures(shop, &sweep.state)?;
            output::notice(&format!(
                "{} with failed debates",
                counted(*points, "point")
            ));
            output::notice(&format!("try the failed ones again: {again}{prices}"));
        }
        ExperimentEnd::Paused(why) => {
            output::notice(&format!("paused: {why}"));
            let more = ceilings::raising(sweep.met());
            output::notice(&format!("go on with: {again}{more}{prices}"));
        }
    }
    Ok(())
}

/// Lists the debates that failed, with their reasons.
fn print_failures(shop: &Workshop, state: &SweepState) -> anyhow::Result<()> {
    let mut failed: Vec<String> = Vec::new();
    for point in &state.manifest.points {
        let run = read_run(&shop.layout.run(point.run.as_str())?)?;
        for (item, why) in &run.failed {
            let topic = run.items.iter().find(|known| known.item == *item);
            let topic = topic.map_or("?", |item| &item.topic.id);
            let (arm, seed) = (state.manifest.arm_of(point), point.seed);
            failed.push(format!("failed: {arm}, seed {seed}: {topic}: {why}"));
        }
    }
    for line in failed.iter().take(MAX_LISTED_FAILURES) {
        output::notice(&visible(line, Keep::Nothing));
    }
    let more = failed.len().saturating_sub(MAX_LISTED_FAILURES);
    if more > 0 {
        output::notice(&format!("… and {more} more failures"));
    }
    Ok(())
}

/// Prints the figures of a sweep.
fn show(args: &SweepArgs, shop: &Workshop, state: &SweepState) -> anyhow::Result<()> {
    let families = shop.library.families()?;
    let report = sweep_report(&shop.layout, state, &families, Resampling::default())?;
    table::print(args.format, shop, state, &report)
}
