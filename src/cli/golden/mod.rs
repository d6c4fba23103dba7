//! `elenchus golden`: debate against a single answer on labelled questions (EAAPL-MAG005 §13.3).

mod args;
mod compare;

use super::common::args::ExperimentArgs;
use super::common::{Exit, ExperimentCommand, Watched, Workshop, counted, model_names, output};
use super::run::{self, LearningArgs, RunArgs, Telling, plan};
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
    GoldenPlan, GoldenSet, check_golden, find_experiment, model_of_single, read_plan,
    small_task_types,
};

const DEBATES: (&str, &str) = ("debate", "debates");

/// Plays, goes on with or compares the runs of a golden set.
///
/// # Errors
/// When the set cannot be played or a journal cannot be read.
pub fn run(args: &GoldenArgs, shop: &Workshop) -> Result<Exit> {
    let go_on = |args: &ExperimentArgs, id: &str| {
        let args = ExperimentArgs {
            resume: Some(id.to_owned()),
            ..args.clone()
        };
        ExperimentCommand::run("golden", &args, shop, |command| resume(command, id))
    };
    match (&args.command, &args.experiment.resume) {
        (Some(GoldenCommand::Run(args)), _) => match &args.experiment.resume {
            Some(id) => go_on(&args.experiment, id),
            None => ExperimentCommand::run("golden", &args.experiment, shop, |command| {
                play(command, args)
            }),
        },
        (Some(GoldenCommand::Resume(args)), _) => go_on(&args.experiment, &args.golden),
        (Some(GoldenCommand::Show(args)), _) => compare::show(args, shop),
        (None, Some(id)) => go_on(&args.experiment, id),
        (None, None) => bail!("name a golden set: 'elenchus golden run SET', or --resume GOLDEN"),
    }
}

async fn play(command: ExperimentCommand<'_>, all: &GoldenRunArgs) -> Result<Exit> {
    let (command, ceilings) = command.begins()?;
    let (args, shop) = (command.args, &command.shop);
    let golden = all.golden.as_deref().context("name a golden set")?;
    let mut debate = run_args(all, golden, &all.protocol, &all.set);
    debate.cast.clone_from(&all.cast);
    let debaters = plan::party(&debate, shop, Telling::Wanted);
    let debaters = model_names::with_names(shop, debaters).await?;
    let mut single = run_args(all, golden, &all.single, &all.single_set);
    let model = all.single_model.clone();
    let model = model.or_else(|| model_of_single(&debaters));
    single.cast.model = model.or_else(|| shop.config.default_model().map(str::to_owned));
    let answerer = plan::party(&single, shop, Telling::Wanted)?;
    let (loaded, topics) = plan::load(&debate, shop)?;
    run::print_refused_rows(args, &loaded);
    check_golden([&debaters, &answerer], &topics, golden)?;
    let players = models_of(debaters.cast.iter().chain(&answerer.cast));
    command.check_players(players).await?;
    if !args.quiet {
        for (task, count) in small_task_types(&topics) {
            output::notice(&format!(
                "warning: {} for task type '{}'; a golden set has {MIN_QUESTIONS_PER_TASK_TYPE} or more each",
                counted(count, "question"),
                output::clean(task)
            ));
        }
    }
    let runs = [
        plan::plan(&single, shop, &answerer, &loaded, topics.clone())?,
        plan::plan(&debate, shop, &debaters, &loaded, topics)?,
    ];
    let both: Option<CostEstimate> = runs.iter().map(PlannedRun::estimate).sum();
    if command.print_estimate(both.as_ref(), ceilings)? {
        return Ok(Exit::Fine);
    }
    shop.layout.create()?;
    let items = runs.iter().map(|run| run.items.len() as u64).sum();
    let watched = command.watched(DEBATES, (items, 0))?;
    let set = GoldenSet::begin(&watched.context, golden, runs, ceilings).await?;
    finish(&command, set, &watched).await
}

async fn resume(command: ExperimentCommand<'_>, id: &str) -> Result<Exit> {
    let found = find_experiment(&command.shop.layout, id)?;
    let plan: GoldenPlan = read_plan(&command.shop.layout, &found.summary.id)?;
    let command = command.under(plan.ceilings)?;
    let casts = plan.runs.iter().flat_map(|run| &run.manifest.casts);
    command.check_players(models_of(casts.flatten())).await?;
    let mut items = 0;
    for run in &plan.runs {
        let path = command.shop.layout.run(run.manifest.run.as_str())?;
        let finished = read_run(&path).map_or(0, |run| run.finished.len());
        items += (run.items.len() - finished) as u64;
    }
    let watched = command.watched(DEBATES, (items, 0))?;
    let typed = command.args.budget.typed()?;
    let set = GoldenSet::resume(&watched.context, &plan.id, typed).await?;
    finish(&command, set, &watched).await
}

/// Plays what is missing and compares both.
async fn finish(
    command: &ExperimentCommand<'_>,
    mut set: GoldenSet,
    watched: &Watched,
) -> Result<Exit> {
    let args = command.args;
    let end = set.play(&watched.context).await;
    watched.progress.end();
    let (end, plan) = (end?, set.plan());
    let (debates, singles) = (&plan.debates, &plan.singles);
    let exit = command.print_end(&end, &set.summary());
    if command.prints_id_alone() {
        output::out(&format!("{debates}\n{singles}\n"))?;
        return Ok(exit);
    }
    let compared = compare::print(&command.shop, debates, singles, args.json);
    match (compared, exit) {
        // What is paused before anything can be compared has not gone wrong.
        (Err(why), Exit::Unfinished | Exit::SomeFailed) => {
            output::notice(&format!("no comparison yet: {why}"));
        }
        (compared, _) => compared?,
    }
    let when = match exit {
        Exit::Fine => "compare them again",
        _ => "then compare them",
    };
    output::notice(&format!("{when}: elenchus golden show {debates} {singles}"));
    Ok(exit)
}

/// Both arms get the same questions, seed and limits.
fn run_args(args: &GoldenRunArgs, golden: &str, protocol: &str, set: &[String]) -> RunArgs {
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
