//! `elenchus sweep`: many runs under one plan and one budget, and their figures in one table.

mod args;
mod plan;
mod table;

use super::common::args::FigureFormatArgs;
use super::common::{Exit, ExperimentCommand, Watched, Workshop, model_names, output};
use super::experiments;
use anyhow::{Context, Error, Result};
pub(crate) use args::SweepArgs;
use elenchus_game::debate::event::Participant;
use elenchus_game::debate::protocol::Ceilings;
use elenchus_metrics::Resampling;
use elenchus_records::workspace::run::{RunState, read_run};
use elenchus_records::workspace::sweep::{SweepEvent, SweepState, find_sweep, read_sweep};
use elenchus_run::engine::seats::models_of;
use elenchus_run::engine::{CostCeiling, check_models};
use elenchus_run::experiments::sweep::{
    PlannedSweep, Sweep, SweepFile, SweepObserver, sweep_debates, sweep_report,
};
use elenchus_run::experiments::{ExperimentContext, ListedExperiment};
use elenchus_store::JournalType;
use std::path::Path;
use std::sync::Arc;

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
        return ExperimentCommand::run("sweep", common, shop, |it| go_on(it, args, text));
    }
    let path = args.file.as_deref().context("name the plan's file")?;
    let mut file = read_plan(path)?;
    // What is typed wins over the plan, and this over the configuration.
    file.ceilings = Ceilings::of_usd(shop.config.defaults.budget_usd)
        .replaced_by(file.ceilings)
        .replaced_by(common.budget.typed()?);
    ExperimentCommand::run("sweep", common, shop, |command| async move {
        let command = command.under(file.ceilings)?;
        let shop = &command.shop;
        let planned = file.plan(plan::context(shop), None).map_err(Error::from);
        let planned = model_names::with_names(shop, planned).await?;
        if common.estimate || !common.quiet {
            plan::print_estimate(&command, &planned)?;
        }
        if common.estimate {
            return Ok(Exit::Fine);
        }
        let models = planned
            .arms
            .iter()
            .flat_map(|arm| models_of(&arm.seated.party.cast));
        model_names::check(shop, models, common.names).await?;
        begin(&command, args, &planned).await
    })
}

fn read_plan(path: &Path) -> Result<SweepFile> {
    let text = super::common::read_text(path)?;
    Ok(SweepFile::parse(&path.display().to_string(), &text)?)
}

async fn begin(
    command: &ExperimentCommand<'_>,
    args: &SweepArgs,
    planned: &PlannedSweep,
) -> Result<Exit> {
    command.shop.layout.create()?;
    let total: usize = planned.arms.iter().map(|arm| arm.debates).sum();
    let watched = watched(command, (total as u64, 0))?;
    let (id, runs) = (&planned.manifest.sweep, planned.manifest.points.len());
    let runs = output::counted(runs, "run");
    command.say(&format!("sweep {id}: {runs} begin"));
    let sweep = Sweep::begin(&watched.context, planned).await?;
    play(command, args, sweep, &watched).await
}

/// Goes on with a sweep as it was begun.
async fn go_on(command: ExperimentCommand<'_>, args: &SweepArgs, text: &str) -> Result<Exit> {
    let id = find_sweep(&command.shop.layout, text)?;
    let known = read_sweep(&command.shop.layout, &id)?;
    let typed = command.args.budget.typed()?;
    let command = &command.under(known.manifest.ceilings)?;
    let shop = &command.shop;
    let planned = match known.planned {
        true => None,
        false => Some(plan::again(shop, &known)?),
    };
    let counts = match &planned {
        None => {
            check_runs(command, &known, typed).await?;
            sweep_debates(&shop.layout, &known)?
        }
        Some(planned) => {
            let total: usize = planned.arms.iter().map(|arm| arm.debates).sum();
            (total as u64, 0)
        }
    };
    let watched = watched(command, counts)?;
    let mut sweep = Sweep::resume(&watched.context, &id, typed).await?;
    output::notices(&sweep.log.notices);
    if let Some(planned) = &planned {
        sweep.begin_runs(&watched.context, planned).await?;
    }
    let (all, done) = counts;
    command.say(&format!("sweep {id}: {done} of {all} debates are done"));
    play(command, args, sweep, &watched).await
}

/// Finds out whether the models of what is left can be called.
async fn check_runs(
    command: &ExperimentCommand<'_>,
    known: &SweepState,
    typed: Ceilings,
) -> Result<()> {
    let shop = &command.shop;
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
    command
        .check_players(models_of(seen.iter().flatten()))
        .await
}

/// Debates are counted over all points.
fn watched(command: &ExperimentCommand<'_>, debates: (u64, u64)) -> Result<Watched> {
    let Watched { context, progress } = command.watched(("debate", "debates"), debates)?;
    let observer = Arc::new(SweepObserver::new(progress.clone(), debates));
    let context = ExperimentContext {
        observer,
        ..context
    };
    Ok(Watched { context, progress })
}

async fn play(
    command: &ExperimentCommand<'_>,
    args: &SweepArgs,
    mut sweep: Sweep,
    watched: &Watched,
) -> Result<Exit> {
    let progress = &watched.progress;
    let tell = |point: &str| {
        if !command.args.quiet {
            progress.say(point);
        }
    };
    let end = sweep.play(&watched.context, &tell).await?;
    progress.end();
    let state = &sweep.log.state;
    let id = &state.manifest.sweep;
    if command.prints_id_alone() && !args.csv {
        output::out(&format!("{id}\n"))?;
    } else {
        show(args, &command.shop, state)?;
    }
    let exit = command.print_end(&end, &sweep.log.summary());
    if exit == Exit::Fine {
        command.say(&format!("look again: elenchus sweep --show {id}"));
    }
    Ok(exit)
}

/// Prints the figures of a sweep.
fn show(args: &SweepArgs, shop: &Workshop, state: &SweepState) -> Result<()> {
    let families = shop.library.families()?;
    let report =
        shop.with_rows(|index| sweep_report(index, state, &families, Resampling::default()))?;
    let format = FigureFormatArgs {
        json: args.experiment.json,
        csv: args.csv,
    };
    table::print(format, state, &report)
}
