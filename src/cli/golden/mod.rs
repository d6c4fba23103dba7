//! `elenchus golden`: debate against a single answer on labelled questions (EAAPL-MAG005 §13.3).

mod args;
mod compare;

use super::common::args::ExperimentArgs;
use super::common::{
    CommandContext, Exit, ExperimentCommand, ExperimentMonitor, format_noun_count, model_names,
    output,
};
use super::run::{self, CastNotices, LearningArgs, RunArgs, plan};
use anyhow::{Context, Result, bail};
use args::GoldenRunArgs;
pub(crate) use args::{GoldenArgs, GoldenCommand};
use elenchus_game::debate::CostEstimate;
use elenchus_metrics::MIN_QUESTIONS_PER_TASK_TYPE;
use elenchus_records::workspace::memory::DEFAULT_NAMESPACE;
use elenchus_records::workspace::run::read_run;
use elenchus_run::engine::seats::models_of;
use elenchus_run::experiments::run::PlannedRun;
use elenchus_run::experiments::{
    GoldenPlan, GoldenSet, check_golden, find_experiment, find_single_model, find_small_task_types,
    read_plan,
};

const DEBATES: (&str, &str) = ("debate", "debates");

/// Plays, goes on with or compares the runs of a golden set.
///
/// # Errors
/// When the set cannot be played or a journal cannot be read.
pub fn run(args: &GoldenArgs, context: &CommandContext) -> Result<Exit> {
    let go_on = |args: &ExperimentArgs, id: &str| {
        let args = ExperimentArgs {
            resume: Some(id.to_owned()),
            ..args.clone()
        };
        ExperimentCommand::run("golden", &args, context, |command| {
            resume_golden(command, id)
        })
    };
    match (&args.command, &args.experiment.resume) {
        (Some(GoldenCommand::Run(args)), _) => match &args.experiment.resume {
            Some(id) => go_on(&args.experiment, id),
            None => ExperimentCommand::run("golden", &args.experiment, context, |command| {
                play_golden(command, args)
            }),
        },
        (Some(GoldenCommand::Resume(args)), _) => go_on(&args.experiment, &args.golden),
        (Some(GoldenCommand::Show(args)), _) => compare::show_comparison(args, context),
        (None, Some(id)) => go_on(&args.experiment, id),
        (None, None) => bail!("name a golden set: 'elenchus golden run SET', or --resume GOLDEN"),
    }
}

async fn play_golden(command: ExperimentCommand<'_>, all: &GoldenRunArgs) -> Result<Exit> {
    let (command, ceilings) = command.with_resolved_ceilings()?;
    let (args, context) = (command.args, &command.context);
    let golden = all.golden.as_deref().context("name a golden set")?;
    let mut debate = build_run_args(all, golden, &all.protocol, &all.set);
    debate.cast.clone_from(&all.cast);
    let debaters = plan::seat_game(&debate, context, CastNotices::Print);
    let debaters = model_names::suggest_models(context, debaters).await?;
    let mut single = build_run_args(all, golden, &all.single, &all.single_set);
    let model = all.single_model.clone();
    let model = model.or_else(|| find_single_model(&debaters));
    single.cast.model = model.or_else(|| context.config.default_model().map(str::to_owned));
    let answerer = plan::seat_game(&single, context, CastNotices::Print)?;
    let (loaded, topics) = plan::load_topics(&debate, context)?;
    run::print_refused_rows(args, &loaded);
    check_golden([&debaters, &answerer], &topics, golden)?;
    let players = models_of(debaters.cast.iter().chain(&answerer.cast));
    command.check_players(players).await?;
    if !args.quiet {
        for (task, count) in find_small_task_types(&topics) {
            output::print_notice(&format!(
                "warning: {} for task type '{}'; a golden set has {MIN_QUESTIONS_PER_TASK_TYPE} or more each",
                format_noun_count(count, "question"),
                output::clean_line(task)
            ));
        }
    }
    let runs = [
        plan::plan_run(&single, context, &answerer, &loaded, topics.clone())?,
        plan::plan_run(&debate, context, &debaters, &loaded, topics)?,
    ];
    let total_estimate: Option<CostEstimate> = runs.iter().map(PlannedRun::estimate_cost).sum();
    if command.print_estimate(total_estimate.as_ref(), ceilings)? {
        return Ok(Exit::Fine);
    }
    context.store.layout.create_missing_folders()?;
    let items = runs.iter().map(|run| run.items.len() as u64).sum();
    let monitor = command.start_progress(DEBATES, (items, 0));
    let set = GoldenSet::begin(
        &monitor.context,
        golden,
        runs,
        ceilings,
        args.repeat.clone(),
    )
    .await?;
    finish_golden(&command, set, &monitor).await
}

async fn resume_golden(command: ExperimentCommand<'_>, id: &str) -> Result<Exit> {
    let experiment = find_experiment(&command.context.store.layout, id)?;
    let plan: GoldenPlan = read_plan(&command.context.store.layout, &experiment.summary.id)?;
    let command = command.with_ceilings(plan.ceilings)?;
    let casts = plan.runs.iter().flat_map(|run| &run.manifest.casts);
    command.check_players(models_of(casts.flatten())).await?;
    let mut items = 0;
    for run in &plan.runs {
        let path = command
            .context
            .store
            .layout
            .run_path(run.manifest.run.as_str())?;
        let finished_count = read_run(&path).map_or(0, |run| run.finished.len());
        items += (run.items.len() - finished_count) as u64;
    }
    let monitor = command.start_progress(DEBATES, (items, 0));
    let overrides = command.args.budget.typed_ceilings()?;
    let set = GoldenSet::resume(&monitor.context, &plan.id, overrides).await?;
    finish_golden(&command, set, &monitor).await
}

/// Plays what is missing and compares both.
async fn finish_golden(
    command: &ExperimentCommand<'_>,
    mut set: GoldenSet,
    watched: &ExperimentMonitor,
) -> Result<Exit> {
    let args = command.args;
    let end = set.play_runs(&watched.context).await;
    watched.progress.finish_bar();
    let (end, plan) = (end?, set.plan());
    let (debates, singles) = (&plan.debates, &plan.singles);
    let exit = command.print_end(&end, &set.summarize());
    if command.prints_id_alone() {
        output::print_text(&format!("{debates}\n{singles}\n"))?;
        return Ok(exit);
    }
    let print_result = compare::print_comparison(&command.context, debates, singles, args.json);
    match (print_result, exit) {
        // What is paused before anything can be compared has not gone wrong.
        (Err(why), Exit::Unfinished | Exit::SomeFailed) => {
            output::print_notice(&format!("no comparison yet: {why}"));
        }
        (compared, _) => compared?,
    }
    let advice = match exit {
        Exit::Fine => "compare them again",
        _ => "then compare them",
    };
    output::print_notice(&format!(
        "{advice}: elenchus golden show {debates} {singles}"
    ));
    Ok(exit)
}

/// Both arms get the same questions, seed and limits.
fn build_run_args(args: &GoldenRunArgs, golden: &str, protocol: &str, set: &[String]) -> RunArgs {
    RunArgs {
        protocol: Some(protocol.to_owned()),
        dataset: vec![golden.to_owned()],
        topics: args.topics.clone(),
        rollouts: args.rollouts,
        set: set.to_vec(),
        seed: args.seed.clone(),
        experiment: args.experiment.clone(),
        learning: LearningArgs {
            memory_namespace: DEFAULT_NAMESPACE.to_owned(),
            ..LearningArgs::default()
        },
        ..RunArgs::default()
    }
}
