//! A run that is played once: one of the same plan that is there is used, and one that is not over is gone on with.

use super::args::RunArgs;
use super::{PlayedRun, begin_and_play, plan, plan_begun_run, print_run_end, resume_run};
use crate::cli::common::args::ExperimentArgs;
use crate::cli::common::ceilings::{BegunOrResumed, with_price_advice};
use crate::cli::common::{
    CommandContext, Exit, ExperimentCommand, FoundPlan, PlanStanding, format_noun_count,
    list_served_models, model_names,
};
use anyhow::{Result, bail};
use elenchus_game::debate::RunId;
use elenchus_game::debate::protocol::Ceilings;
use elenchus_records::workspace::find_run;
use elenchus_records::workspace::prompts::NOW;
use elenchus_records::workspace::run::{RunState, read_run};
use elenchus_run::engine::seats::models_of;
use elenchus_run::experiments::run::SnapshotMoment;

/// Says whether a run of the same plan is there. Plays and writes nothing.
///
/// # Errors
/// When the run cannot be planned.
pub(in crate::cli) fn look_up(
    args: &RunArgs,
    context: &CommandContext,
    known: &[RunState],
) -> Result<FoundPlan> {
    let budget = &args.experiment.budget;
    find_standing(args, context, known)
        .map_err(|error| with_price_advice(budget, error, &BegunOrResumed::Begins))
}

fn find_standing(
    args: &RunArgs,
    context: &CommandContext,
    known: &[RunState],
) -> Result<FoundPlan> {
    // As it would be played: at the prices that were typed.
    let context = &context.with_prices_and_limits(&args.experiment.budget, Ceilings::default())?;
    // Without a word on its cast: where it is played, that is said then.
    let seated_game = plan::seat_game(args, context, plan::CastNotices::AlreadyPrinted)?;
    let (loaded, topics) = plan::load_topics(args, context)?;
    let run_plan = plan::plan_run(args, context, &seated_game, &loaded, topics)?;
    let standing = match run_plan.find_same(known, moment_of(args)) {
        Some(run) if run.is_over() => PlanStanding::Over(vec![run.manifest.run.clone()]),
        Some(run) => PlanStanding::Open {
            id: run.manifest.run.to_string(),
            runs: vec![run.manifest.run.clone()],
        },
        None => PlanStanding::Missing {
            debates: run_plan.items.len(),
            estimate: run_plan.estimate_cost(),
        },
    };
    Ok(FoundPlan {
        standing,
        models: list_served_models(&seated_game.cast),
    })
}

/// Refuses to go on with a run under its key where the same command means another plan by now.
///
/// # Errors
/// When it does, or the run cannot be planned.
pub(super) fn check_same_plan(args: &RunArgs, context: &CommandContext, id: &RunId) -> Result<()> {
    let state = read_run(&context.store.layout.run_path(id.as_str())?)?;
    let context = &context.with_prices_and_limits(&args.experiment.budget, Ceilings::default())?;
    let seated_game = plan::seat_game(args, context, plan::CastNotices::AlreadyPrinted)?;
    let (loaded, topics) = plan::load_topics(args, context)?;
    let run_plan = plan::plan_run(args, context, &seated_game, &loaded, topics)?;
    let differences = run_plan.list_differences(&state, moment_of(args));
    if differences.is_empty() {
        return Ok(());
    }
    bail!(
        "the command is the one that run {id} was begun by, and means another plan now: {} changed since; go on \
         with it as it was begun: elenchus run --resume {id}, or take another key",
        differences.join(", ")
    )
}

/// Begins a run and plays it; prints nothing on standard output.
///
/// # Errors
/// As those of `elenchus run`.
pub(in crate::cli) fn begin_silently(
    args: &RunArgs,
    context: &CommandContext,
) -> Result<(Vec<RunId>, Exit)> {
    ExperimentCommand::run("run", &args.experiment, context, |command| async move {
        let command = &command.with_ceilings(Ceilings::default())?;
        let context = &command.context;
        let seated_game = plan::seat_game(args, context, plan::CastNotices::Print);
        let seated_game = model_names::suggest_models(context, seated_game).await?;
        command.check_players(models_of(&seated_game.cast)).await?;
        let (run_plan, _) = plan_begun_run(command, args, &seated_game)?;
        command.print_unless_quiet(&format!(
            "run {}: {}",
            run_plan.manifest.run,
            format_noun_count(run_plan.items.len(), "debate")
        ));
        Ok(end_silently(
            command,
            &begin_and_play(command, run_plan).await?,
        ))
    })
}

/// Goes on with a run; prints nothing on standard output.
///
/// # Errors
/// As those of `elenchus run --resume`.
pub(in crate::cli) fn resume_silently(
    id: &str,
    args: &ExperimentArgs,
    context: &CommandContext,
) -> Result<(Vec<RunId>, Exit)> {
    ExperimentCommand::run("run", args, context, |command| async move {
        let id = find_run(&command.context.store.layout, id)?;
        let played_run = resume_run(&command, &id).await?;
        Ok(end_silently(&command, &played_run))
    })
}

fn end_silently(command: &ExperimentCommand<'_>, played_run: &PlayedRun) -> (Vec<RunId>, Exit) {
    let run = played_run.id().clone();
    (vec![run], print_run_end(command, played_run))
}

fn moment_of(args: &RunArgs) -> SnapshotMoment {
    match args.learning.memory_snapshot.as_deref() {
        Some(NOW) => SnapshotMoment::Now,
        Some(_) | None => SnapshotMoment::Named,
    }
}
