//! `elenchus golden`: debate against a single answer on labelled questions (EAAPL-MAG005 §13.3).

mod args;
mod compare;

use super::common::args::TopicFilterArgs;
use super::common::{
    Exit, ExperimentProgress, Workshop, counted, estimate, model_names, output, print_end,
    run_interruptible,
};
use super::run::{self, LearningArgs, RunArgs, Telling, ceilings, plan};
use crate::debate::CostEstimate;
use crate::engine::seats::models_of;
use crate::experiments::run::PlannedRun;
use crate::experiments::{
    ExperimentContext, GoldenPlan, GoldenSet, check_golden, find_experiment, model_of_single,
    read_plan, small_task_types,
};
use crate::metrics::MIN_QUESTIONS_PER_TASK_TYPE;
use crate::workspace::memory::DEFAULT_NAMESPACE;
use crate::workspace::run::read_run;
use anyhow::Result;
pub(crate) use args::GoldenCommand;
use args::{GoldenResumeArgs, GoldenRunArgs};
use tokio_util::sync::CancellationToken;

/// Plays a golden set, or shows what was played.
pub(super) fn run(command: &GoldenCommand, shop: &Workshop) -> Result<Exit> {
    match command {
        GoldenCommand::Run(args) => run_interruptible(|cancel| play(args, shop, cancel)),
        GoldenCommand::Resume(args) => run_interruptible(|cancel| resume(args, shop, cancel)),
        GoldenCommand::Show(args) => compare::show(args, shop),
    }
}

async fn play(args: &GoldenRunArgs, shop: &Workshop, cancel: CancellationToken) -> Result<Exit> {
    let shop = &shop.priced(&args.budget.price)?;
    let ceilings = ceilings::beginning(&args.budget, shop)?;
    let mut debate = run_args(args, &args.protocol, &args.set);
    debate.cast.clone_from(&args.cast);
    let debaters = plan::party(&debate, shop, Telling::Wanted);
    let debaters = model_names::with_names(shop, debaters).await?;
    let mut single = run_args(args, &args.single, &args.single_set);
    let model = args.single_model.clone();
    let model = model.or_else(|| model_of_single(&debaters));
    single.cast.model = model.or_else(|| shop.config.default_model().map(str::to_owned));
    let answerer = plan::party(&single, shop, Telling::Wanted)?;
    let (loaded, topics) = plan::load(&debate, shop)?;
    run::print_refused_rows(&debate, &loaded);
    check_golden([&debaters, &answerer], &topics, &args.golden)?;
    let players = || models_of(debaters.cast.iter().chain(&answerer.cast));
    ceilings::print_replaced_prices(shop, players())?;
    model_names::check(shop, players(), args.names).await?;
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
    let estimates = runs.iter().map(PlannedRun::estimate);
    let both: Option<Vec<CostEstimate>> = estimates.collect();
    let both = both.and_then(|both| both.into_iter().reduce(CostEstimate::with));
    if args.estimate {
        output::out(&format!("{}\n", estimate::line_or_none(both.as_ref())))?;
        return Ok(Exit::Fine);
    }
    if let Some(both) = both.filter(|_| !args.quiet) {
        output::notice(&format!("estimate: {}", estimate::line(&both)));
    }
    shop.layout.create()?;
    let items = runs.iter().map(|run| run.items.len() as u64).sum();
    let progress = ExperimentProgress::begin(("debate", "debates"), (items, 0), args.quiet);
    let concurrency = args.play.concurrency;
    let (context, progress) = shop.watched_experiment("golden", progress, concurrency, cancel)?;
    let context = context.under_ceilings(ceilings);
    let set = GoldenSet::begin(&context, &args.golden, runs, ceilings).await?;
    let printed = match (args.quiet, args.json) {
        (true, _) => Printed::Ids,
        (false, true) => Printed::Json,
        (false, false) => Printed::Table,
    };
    let prices = ceilings::price_flags(&args.budget);
    finish(shop, (set, &prices), &context, &progress, printed).await
}

/// What is printed of a golden set at its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Printed {
    Ids,
    Json,
    Table,
}

async fn resume(
    args: &GoldenResumeArgs,
    shop: &Workshop,
    cancel: CancellationToken,
) -> Result<Exit> {
    let shop = &shop.priced(&args.budget.price)?;
    let given = ceilings::typed(&args.budget)?;
    let found = find_experiment(&shop.layout, &args.golden)?;
    let plan: GoldenPlan = read_plan(&shop.layout, &found.summary.id)?;
    let mut items = 0;
    let casts = plan.runs.iter().flat_map(|run| &run.manifest.casts);
    ceilings::print_replaced_prices(shop, models_of(casts.flatten()))?;
    for run in &plan.runs {
        let players = models_of(run.manifest.casts.iter().flatten());
        model_names::check(shop, players, args.names).await?;
        let path = shop.layout.run(run.manifest.run.as_str())?;
        let finished = read_run(&path).map_or(0, |run| run.finished.len());
        items += (run.items.len() - finished) as u64;
    }
    let progress = ExperimentProgress::begin(("debate", "debates"), (items, 0), false);
    let concurrency = args.concurrency;
    let (context, progress) = shop.watched_experiment("golden", progress, concurrency, cancel)?;
    let context = context.under_ceilings(plan.ceilings.replaced_by(given));
    let set = GoldenSet::resume(&context, &plan.id, given).await?;
    let printed = match args.output.json {
        true => Printed::Json,
        false => Printed::Table,
    };
    let prices = ceilings::price_flags(&args.budget);
    finish(shop, (set, &prices), &context, &progress, printed).await
}

/// Plays what is missing and compares both.
async fn finish(
    shop: &Workshop,
    (mut set, prices): (GoldenSet, &str),
    context: &ExperimentContext,
    progress: &ExperimentProgress,
    printed: Printed,
) -> Result<Exit> {
    let end = set.play(context).await;
    progress.end();
    let (end, plan) = (end?, set.plan());
    let exit = Exit::from(&end);
    let (debates, singles) = (&plan.debates, &plan.singles);
    if printed == Printed::Ids {
        output::out(&format!("{debates}\n{singles}\n"))?;
        return Ok(exit);
    }
    print_end(
        &end,
        &set.summary(),
        &format!("elenchus golden resume {}", plan.id),
        prices,
    );
    let compared = compare::print(shop, debates, singles, printed == Printed::Json);
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
fn run_args(args: &GoldenRunArgs, protocol: &str, set: &[String]) -> RunArgs {
    RunArgs {
        protocol: Some(protocol.to_owned()),
        quiet: args.quiet,
        dataset: vec![args.golden.clone()],
        topics: TopicFilterArgs {
            category: args.category.clone(),
            limit: args.limit,
            sample: args.sample,
            ..TopicFilterArgs::default()
        },
        rollouts: args.rollouts,
        set: set.to_vec(),
        play: args.play.clone(),
        budget: args.budget.clone(),
        learning: LearningArgs {
            memory_namespace: DEFAULT_NAMESPACE.to_owned(),
            ..LearningArgs::default()
        },
        ..RunArgs::default()
    }
}
