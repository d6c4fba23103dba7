//! `elenchus sweep`: many runs under one plan and one budget, and their figures in one table.

mod args;
mod plan;
mod table;

use super::common::args::FigureFormatArgs;
use super::common::{
    Exit, ExperimentProgress, Workshop, model_names, output, print_end, run_experiment,
};
use super::experiments;
use crate::debate::event::Participant;
use crate::debate::protocol::Ceilings;
use crate::engine::seats::models_of;
use crate::engine::{CostCeiling, check_models};
use crate::experiments::sweep::{
    PlannedSweep, Sweep, SweepFile, SweepObserver, sweep_debates, sweep_report,
};
use crate::experiments::{ExperimentContext, ListedExperiment};
use crate::metrics::Resampling;
use crate::store::JournalEvent;
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
    let common = &args.experiment;
    if args.list {
        let sweeps = |one: &ListedExperiment| one.kind.kind == SweepEvent::KIND;
        return experiments::list(sweeps, None, common.json, shop).map(Exit::from);
    }
    if let Some(text) = &args.show {
        let id = find_sweep(&shop.layout, text)?;
        show(args, shop, &read_sweep(&shop.layout, &id)?)?;
        return Ok(Exit::Fine);
    }
    if let Some(text) = &common.resume {
        return run_experiment(common, "sweep", |cancel| go_on(args, shop, text, cancel));
    }
    let path = args.file.as_deref().context("name the plan's file")?;
    let mut file = read_plan(path)?;
    // What is typed wins over the plan, and this over the configuration.
    file.ceilings = Ceilings::of_usd(shop.config.defaults.budget_usd)
        .replaced_by(file.ceilings)
        .replaced_by(common.budget.typed()?);
    let shop = &shop.counting(&common.budget, file.ceilings)?;
    run_experiment(common, "sweep", |cancel| async move {
        let planned = file.plan(plan::context(shop), None).map_err(Error::from);
        let planned = model_names::with_names(shop, planned).await?;
        let at_once = shop.side_by_side(common.concurrency);
        if common.estimate {
            plan::print_estimate(args, shop, &planned, at_once)?;
            return Ok(Exit::Fine);
        }
        if !common.quiet {
            plan::announce(args, shop, &planned, at_once)?;
        }
        let models = planned
            .arms
            .iter()
            .flat_map(|arm| models_of(&arm.seated.party.cast));
        model_names::check(shop, models, common.names).await?;
        begin(args, shop, &planned, cancel).await
    })
}

fn read_plan(path: &Path) -> Result<SweepFile> {
    let text = super::common::read_text(path)?;
    Ok(SweepFile::parse(&path.display().to_string(), &text)?)
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
    if !args.experiment.quiet {
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
    let typed = args.experiment.budget.typed()?;
    let shop = &shop.counting(&args.experiment.budget, known.manifest.ceilings)?;
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
    output::notices(&sweep.log.notices);
    if let Some(planned) = &planned {
        sweep.begin_runs(&context, planned).await?;
    }
    if !args.experiment.quiet {
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
            check_models(&cast, &shop.seats, ceiling)?;
            seen.push(cast);
        }
    }
    let players = models_of(seen.iter().flatten());
    shop.check_players(players, &args.experiment).await
}

fn context(
    args: &SweepArgs,
    shop: &Workshop,
    cancel: CancellationToken,
    debates: (u64, u64),
) -> Result<(ExperimentContext, Arc<ExperimentProgress>)> {
    let names = ("debate", "debates");
    let progress = Arc::new(ExperimentProgress::begin(
        names,
        debates,
        args.experiment.quiet,
    ));
    let observer = Arc::new(SweepObserver::new(progress.clone(), debates));
    let context = shop.experiment("sweep", observer, args.experiment.concurrency, cancel)?;
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
        if !args.experiment.quiet {
            progress.say(point);
        }
    };
    let end = sweep.play(context, &tell).await?;
    progress.end();
    let state = &sweep.log.state;
    let id = &state.manifest.sweep;
    if args.experiment.quiet && !args.experiment.json && !args.csv {
        output::out(&format!("{id}\n"))?;
    } else {
        show(args, shop, state)?;
    }
    let exit = print_end(&end, &SweepEvent::summary(state), "sweep", &args.experiment);
    if exit == Exit::Fine && !args.experiment.quiet {
        output::notice(&format!("look again: elenchus sweep --show {id}"));
    }
    Ok(exit)
}

/// Prints the figures of a sweep.
fn show(args: &SweepArgs, shop: &Workshop, state: &SweepState) -> Result<()> {
    let families = shop.library.families()?;
    let report = sweep_report(&shop.layout, state, &families, Resampling::default())?;
    let format = FigureFormatArgs {
        json: args.experiment.json,
        csv: args.csv,
    };
    table::print(format, state, &report)
}
