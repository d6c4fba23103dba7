//! `elenchus sweep`: many runs under one plan and one budget, and their figures in one table.

mod args;
mod list;
mod plan;
mod table;

use super::common::{
    Exit, ExperimentProgress, Workshop, model_names, output, print_end, run_interruptible,
};
use super::run::ceilings::{self, BegunOrResumed};
use crate::debate::event::Participant;
use crate::debate::protocol::Ceilings;
use crate::engine::seats::models_of;
use crate::engine::{CostCeiling, check_models};
use crate::experiments::sweep::{
    PlannedSweep, Sweep, SweepFile, SweepObserver, sweep_debates, sweep_report,
};
use crate::experiments::{ExperimentContext, ExperimentEnd};
use crate::metrics::Resampling;
use crate::workspace::ExperimentEvent;
use crate::workspace::run::{RunState, read_run};
use crate::workspace::sweep::{SweepEvent, SweepState, find_sweep, read_sweep};
use anyhow::{Context, Error, Result};
pub(crate) use args::SweepArgs;
use std::path::Path;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// Plays a plan, goes on with a sweep, or shows what was played.
///
/// # Errors
/// When the plan is wrong, an arm cannot be played, or a journal cannot be read or written.
pub(super) fn run(args: &SweepArgs, shop: &Workshop) -> Result<Exit> {
    if args.list {
        return list::run(args.format.json, shop).map(Exit::from);
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
        let planned = file.plan(plan::context(shop), None).map_err(Error::from);
        let planned = model_names::with_names(shop, planned).await;
        let planned = planned
            .map_err(|error| ceilings::with_ways(&args.budget, error, BegunOrResumed::Begins))?;
        let at_once = shop.side_by_side(args.concurrency);
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

fn read_plan(path: &Path) -> Result<SweepFile> {
    let text = super::common::read_text(path)?;
    Ok(SweepFile::parse(&path.display().to_string(), &text)?)
}

/// What is typed wins over the plan, and this over the configuration.
fn ceilings_of(args: &SweepArgs, shop: &Workshop, file: &Ceilings) -> Result<Ceilings> {
    let typed = ceilings::typed(&args.budget)?;
    let usd = typed.cost_usd.or(file.cost_usd);
    Ok(Ceilings {
        cost_usd: usd.or(shop.config.defaults.budget_usd),
        calls: typed.calls.or(file.calls),
        tokens: typed.tokens.or(file.tokens),
    })
}

async fn begin(
    args: &SweepArgs,
    shop: &Workshop,
    planned: &PlannedSweep,
    cancel: CancellationToken,
) -> Result<Exit> {
    shop.layout.create()?;
    let total: usize = planned.arms.iter().map(|arm| arm.debates).sum();
    let (context, progress) = context(args, shop, cancel, (total as u64, 0))?;
    if !args.quiet {
        let (id, runs) = (&planned.manifest.sweep, planned.manifest.points.len());
        progress.say(&format!(
            "sweep {id}: {} begin",
            output::counted(runs, "run")
        ));
    }
    let sweep = Sweep::begin(&context, planned).await?;
    play(args, shop, sweep, &context, &progress).await
}

/// Goes on with a sweep as it was begun.
async fn go_on(
    args: &SweepArgs,
    shop: &Workshop,
    text: &str,
    cancel: CancellationToken,
) -> Result<Exit> {
    let id = find_sweep(&shop.layout, text)?;
    let known = read_sweep(&shop.layout, &id)?;
    let typed = ceilings::typed(&args.budget)?;
    let held = known.manifest.ceilings.tokens.or(typed.tokens);
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
    let (context, progress) = context(args, shop, cancel, counts)?;
    let mut sweep = Sweep::resume(&context, &id, typed).await?;
    output::notices(sweep.notices());
    if let Some(planned) = &planned {
        sweep.begin_runs(&context, planned).await?;
    }
    if !args.quiet {
        output::notice(&format!(
            "sweep {id}: {} of {} debates are done",
            counts.1, counts.0
        ));
    }
    play(args, shop, sweep, &context, &progress).await
}

/// Finds out whether the models of what is left can be called.
async fn check_runs(
    args: &SweepArgs,
    shop: &Workshop,
    known: &SweepState,
    typed: Ceilings,
) -> Result<()> {
    let usd = typed.cost_usd.or(known.manifest.ceilings.cost_usd);
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
                ceilings::with_ways(&args.budget, error.into(), again)
            })?;
            seen.push(cast);
        }
    }
    let players = || models_of(seen.iter().flatten());
    ceilings::print_replaced_prices(shop, players())?;
    super::run::one::print_changed_settings(shop, players());
    model_names::check(shop, players(), args.names).await
}

fn context(
    args: &SweepArgs,
    shop: &Workshop,
    cancel: CancellationToken,
    debates: (u64, u64),
) -> Result<(ExperimentContext, Arc<ExperimentProgress>)> {
    let names = ("debate", "debates");
    let progress = Arc::new(ExperimentProgress::begin(names, debates, args.quiet));
    let observer = Arc::new(SweepObserver::new(progress.clone(), debates));
    let context = shop.experiment("sweep", observer, args.concurrency, cancel)?;
    Ok((context, progress))
}

async fn play(
    args: &SweepArgs,
    shop: &Workshop,
    mut sweep: Sweep,
    context: &ExperimentContext,
    progress: &ExperimentProgress,
) -> Result<Exit> {
    let tell = |point: &str| {
        if !args.quiet {
            progress.say(point);
        }
    };
    let end = sweep.play(context, &tell).await?;
    progress.end();
    let state = sweep.state();
    let id = &state.manifest.sweep;
    if args.quiet && !args.format.json && !args.format.csv {
        output::out(&format!("{id}\n"))?;
    } else {
        show(args, shop, state)?;
    }
    let prices = ceilings::price_flags(&args.budget);
    let again = format!("elenchus sweep --resume {id}");
    print_end(&end, &SweepEvent::summary(state), &again, &prices);
    if end == ExperimentEnd::Completed && !args.quiet {
        output::notice(&format!("look again: elenchus sweep --show {id}"));
    }
    Ok(Exit::from(&end))
}

/// Prints the figures of a sweep.
fn show(args: &SweepArgs, shop: &Workshop, state: &SweepState) -> Result<()> {
    let families = shop.library.families()?;
    let report = sweep_report(&shop.layout, state, &families, Resampling::default())?;
    table::print(args.format, state, &report)
}
