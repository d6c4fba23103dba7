//! A sweep that is played once: one of the same plan that is there is used, and one that is not over is gone on with.

use super::{begin_planned, check_model_names, play_all_points, resume_planned};
use crate::cli::common::args::ExperimentArgs;
use crate::cli::common::ceilings::{BegunOrResumed, with_price_advice};
use crate::cli::common::{
    CommandContext, Exit, ExperimentCommand, FoundPlan, PlanStanding, format_noun_count,
    list_served_models, model_names,
};
use anyhow::Result;
use elenchus_game::debate::RunId;
use elenchus_records::workspace::run::RunState;
use elenchus_records::workspace::sweep::{SweepState, read_sweep};
use elenchus_run::experiments::sweep::{PlannedSweep, SweepFile};

/// Says whether a sweep of the same plan is there. Plays and writes nothing.
///
/// # Errors
/// When the sweep cannot be planned.
pub(in crate::cli) fn look_up(
    file: &SweepFile,
    args: &ExperimentArgs,
    context: &CommandContext,
    (known, known_runs): (&[SweepState], &[RunState]),
) -> Result<FoundPlan> {
    // As it would be played: at the prices that were typed.
    let context = &context.with_prices_and_limits(&args.budget, file.ceilings)?;
    let sweep_plan = plan(file, context)
        .map_err(|error| with_price_advice(&args.budget, error, &BegunOrResumed::Begins))?;
    let (layout, clock) = (&context.store.layout, context.store.clock);
    let standing = match sweep_plan.find_same(known, known_runs, layout, clock)? {
        Some(sweep) if sweep.is_over() => PlanStanding::Over(list_runs(sweep)),
        Some(sweep) => PlanStanding::Open {
            id: sweep.manifest.sweep.clone(),
            runs: list_runs(sweep),
        },
        None => PlanStanding::Missing {
            debates: sweep_plan.count_debates(),
            estimate: sweep_plan.arms.iter().map(|arm| arm.estimate).sum(),
        },
    };
    let casts = sweep_plan.arms.iter().map(|arm| &arm.seated.party.cast);
    Ok(FoundPlan {
        standing,
        models: casts.flat_map(|cast| list_served_models(cast)).collect(),
    })
}

fn plan(file: &SweepFile, context: &CommandContext) -> Result<PlannedSweep> {
    Ok(file
        .clone()
        .plan_sweep(context, &context.play_defaults(), None)?)
}

/// Begins a sweep and plays it; prints nothing on standard output.
///
/// # Errors
/// As those of `elenchus sweep`.
pub(in crate::cli) fn begin_silently(
    file: &SweepFile,
    args: &ExperimentArgs,
    context: &CommandContext,
) -> Result<(Vec<RunId>, Exit)> {
    ExperimentCommand::run("sweep", args, context, |command| async move {
        let command = &command.with_ceilings(file.ceilings)?;
        let context = &command.context;
        let sweep_plan = plan(file, context);
        let sweep_plan = model_names::suggest_models(context, sweep_plan).await?;
        check_model_names(command, &sweep_plan).await?;
        command.print_unless_quiet(&format!(
            "sweep {}: {}, {}",
            sweep_plan.manifest.sweep,
            format_noun_count(sweep_plan.manifest.points.len(), "run"),
            format_noun_count(sweep_plan.count_debates(), "debate")
        ));
        let (mut sweep, monitor) = begin_planned(command, &sweep_plan).await?;
        let end = play_all_points(command, &mut sweep, &monitor).await?;
        let exit = command.print_end(&end, &sweep.log.summarize());
        Ok((list_runs(&sweep.log.state), exit))
    })
}

/// Goes on with a sweep; prints nothing on standard output.
///
/// # Errors
/// As those of `elenchus sweep --resume`.
pub(in crate::cli) fn resume_silently(
    id: &str,
    args: &ExperimentArgs,
    context: &CommandContext,
) -> Result<(Vec<RunId>, Exit)> {
    ExperimentCommand::run("sweep", args, context, |command| async move {
        let state = read_sweep(&command.context.store.layout, id)?;
        let command = &command.with_ceilings(state.manifest.ceilings)?;
        let (mut sweep, monitor) = resume_planned(command, &state).await?;
        let end = play_all_points(command, &mut sweep, &monitor).await?;
        let exit = command.print_end(&end, &sweep.log.summarize());
        Ok((list_runs(&sweep.log.state), exit))
    })
}

/// Returns the runs of a sweep's points.
fn list_runs(state: &SweepState) -> Vec<RunId> {
    let points = state.manifest.points.iter();
    points.map(|point| point.run.clone()).collect()
}
