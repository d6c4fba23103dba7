//! `elenchus sweep`: many runs under one plan and one budget, and their figures in one table.

mod args;
mod once;
mod plan;
mod table;

use super::common::args::FigureFormatArgs;
use super::common::{
    CommandContext, Exit, ExperimentCommand, ExperimentMonitor, model_names, output,
};
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
    PlannedSweep, Sweep, SweepFile, SweepObserver, compute_sweep_report, count_sweep_debates,
};
use elenchus_run::experiments::{ExperimentContext, ExperimentEnd, ListedExperiment};
use elenchus_store::JournalType;
pub(super) use once::{begin_silently, look_up, resume_silently};
use std::path::Path;
use std::sync::Arc;

/// Plays a plan, goes on with a sweep, or shows what was played.
///
/// # Errors
/// When the plan is wrong, an arm cannot be played, or a journal cannot be read or written.
pub(super) fn run(args: &SweepArgs, context: &CommandContext) -> Result<Exit> {
    let common = &args.experiment;
    if args.list {
        let sweeps = |one: &ListedExperiment| one.kind.kind == SweepEvent::KIND;
        return experiments::print_experiments(sweeps, None, common.json, context).map(Exit::from);
    }
    if let Some(text) = &args.show {
        let id = find_sweep(&context.store.layout, text)?;
        print_sweep(args, context, &read_sweep(&context.store.layout, &id)?)?;
        return Ok(Exit::Fine);
    }
    if let Some(text) = &common.resume {
        return ExperimentCommand::run("sweep", common, context, |it| resume_sweep(it, args, text));
    }
    let path = args.file.as_deref().context("name the plan's file")?;
    let mut file = read_plan(path)?;
    // What is typed wins over the plan, and this over the configuration.
    file.ceilings = Ceilings::from_usd(context.config.defaults.budget_usd)
        .with_overrides(file.ceilings)
        .with_overrides(common.budget.typed_ceilings()?);
    ExperimentCommand::run("sweep", common, context, |command| async move {
        let command = command.with_ceilings(file.ceilings)?;
        let context = &command.context;
        let sweep_plan = file
            .plan_sweep(context, &context.play_defaults(), None)
            .map_err(Error::from);
        let sweep_plan = model_names::suggest_models(context, sweep_plan).await?;
        if common.estimate || !common.quiet {
            plan::print_estimate(&command, &sweep_plan)?;
        }
        if common.estimate {
            return Ok(Exit::Fine);
        }
        check_model_names(&command, &sweep_plan).await?;
        let mut sweep_plan = sweep_plan;
        sweep_plan.manifest.repeat = common.repeat.clone();
        begin_sweep(&command, args, &sweep_plan).await
    })
}

fn read_plan(path: &Path) -> Result<SweepFile> {
    let text = super::common::read_text(path)?;
    Ok(SweepFile::parse(&path.display().to_string(), &text)?)
}

async fn begin_sweep(
    command: &ExperimentCommand<'_>,
    args: &SweepArgs,
    planned: &PlannedSweep,
) -> Result<Exit> {
    let (id, runs) = (&planned.manifest.sweep, planned.manifest.points.len());
    let runs = output::format_noun_count(runs, "run");
    command.print_unless_quiet(&format!("sweep {id}: {runs} begin"));
    let (sweep, monitor) = begin_planned(command, planned).await?;
    play_sweep(command, args, sweep, &monitor).await
}

/// Finds out whether servers list the models of a plan.
async fn check_model_names(command: &ExperimentCommand<'_>, planned: &PlannedSweep) -> Result<()> {
    let arms = planned.arms.iter();
    let models = arms.flat_map(|arm| models_of(&arm.seated.party.cast));
    model_names::check_names(&command.context, models, command.args.names).await
}

/// Begins a sweep and the runs of its points.
async fn begin_planned(
    command: &ExperimentCommand<'_>,
    planned: &PlannedSweep,
) -> Result<(Sweep, ExperimentMonitor)> {
    command.context.store.layout.create_missing_folders()?;
    let monitor = start_sweep_progress(command, (planned.count_debates() as u64, 0));
    let sweep = Sweep::begin(&monitor.context, planned).await?;
    Ok((sweep, monitor))
}

/// Goes on with a sweep as it was begun.
async fn resume_sweep(
    command: ExperimentCommand<'_>,
    args: &SweepArgs,
    text: &str,
) -> Result<Exit> {
    let id = find_sweep(&command.context.store.layout, text)?;
    let state = read_sweep(&command.context.store.layout, &id)?;
    let command = &command.with_ceilings(state.manifest.ceilings)?;
    let (sweep, monitor) = resume_planned(command, &state).await?;
    play_sweep(command, args, sweep, &monitor).await
}

/// Opens a sweep to go on with it: the runs that had not begun begin.
async fn resume_planned(
    command: &ExperimentCommand<'_>,
    state: &SweepState,
) -> Result<(Sweep, ExperimentMonitor)> {
    let id = &state.manifest.sweep;
    let overrides = command.args.budget.typed_ceilings()?;
    let context = &command.context;
    let sweep_plan = match state.planned {
        true => None,
        false => Some(plan::plan_again(context, state)?),
    };
    let counts = match &sweep_plan {
        None => {
            check_runs(command, state, overrides).await?;
            count_sweep_debates(&context.store.layout, state)?
        }
        Some(planned) => (planned.count_debates() as u64, 0),
    };
    let monitor = start_sweep_progress(command, counts);
    let mut sweep = Sweep::resume(&monitor.context, id, overrides).await?;
    output::print_notices(&sweep.log.notices);
    if let Some(sweep_plan) = &sweep_plan {
        sweep.begin_runs(&monitor.context, sweep_plan).await?;
    }
    let (all, done) = counts;
    command.print_unless_quiet(&format!("sweep {id}: {done} of {all} debates are done"));
    Ok((sweep, monitor))
}

/// Finds out whether the models of what is left can be called.
async fn check_runs(
    command: &ExperimentCommand<'_>,
    known: &SweepState,
    typed: Ceilings,
) -> Result<()> {
    let context = &command.context;
    let usd = typed.cost_usd.or(known.manifest.ceilings.cost_usd);
    let mut casts: Vec<Vec<Participant>> = Vec::new();
    for (number, point) in (0..).zip(&known.manifest.points) {
        if known.is_finished(number) {
            continue;
        }
        let run: RunState = read_run(&context.store.layout.run_path(point.run.as_str())?)?;
        let ceiling = CostCeiling::from_budget(usd, &run.manifest.protocol);
        for cast in run.manifest.casts {
            if casts.contains(&cast) {
                continue;
            }
            check_models(&cast, &context.seats, ceiling)?;
            casts.push(cast);
        }
    }
    command
        .check_players(models_of(casts.iter().flatten()))
        .await
}

/// Debates are counted over all points.
fn start_sweep_progress(command: &ExperimentCommand<'_>, debates: (u64, u64)) -> ExperimentMonitor {
    let ExperimentMonitor { context, progress } =
        command.start_progress(("debate", "debates"), debates);
    let observer = Arc::new(SweepObserver::new(progress.clone(), debates));
    let context = ExperimentContext {
        observer,
        ..context
    };
    ExperimentMonitor { context, progress }
}

async fn play_sweep(
    command: &ExperimentCommand<'_>,
    args: &SweepArgs,
    mut sweep: Sweep,
    watched: &ExperimentMonitor,
) -> Result<Exit> {
    let end = play_all_points(command, &mut sweep, watched).await?;
    let state = &sweep.log.state;
    let id = &state.manifest.sweep;
    if command.prints_id_alone() && !args.csv {
        output::print_text(&format!("{id}\n"))?;
    } else {
        print_sweep(args, &command.context, state)?;
    }
    let exit = command.print_end(&end, &sweep.log.summarize());
    if exit == Exit::Fine {
        command.print_unless_quiet(&format!("look again: elenchus sweep --show {id}"));
    }
    Ok(exit)
}

/// Plays every point that is not finished, saying which one begins.
async fn play_all_points(
    command: &ExperimentCommand<'_>,
    sweep: &mut Sweep,
    watched: &ExperimentMonitor,
) -> Result<ExperimentEnd> {
    let progress = &watched.progress;
    let tell = |point: &str| {
        if !command.args.quiet {
            progress.print_line(point);
        }
    };
    let end = sweep.play_points(&watched.context, &tell).await?;
    progress.finish_bar();
    Ok(end)
}

/// Prints the figures of a sweep.
fn print_sweep(args: &SweepArgs, context: &CommandContext, state: &SweepState) -> Result<()> {
    let families = context.library.read_families()?;
    let report = context
        .with_rows(|index| compute_sweep_report(index, state, &families, Resampling::default()))?;
    let format = FigureFormatArgs {
        json: args.experiment.json,
        csv: args.csv,
    };
    table::print_sweep_report(format, state, &report)
}
