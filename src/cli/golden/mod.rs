//! `elenchus golden`: debate against a single answer on labelled questions (EAAPL-MAG005 §13.3).

mod args;
mod compare;

use super::common::Exit;
use super::common::Workshop;
use super::common::args::{BudgetArgs, CastArgs, CostLimitArgs, TopicFilterArgs};
use super::common::model_names;
use super::common::run_interruptible;
use super::common::{ExperimentProgress, counted, estimate, output, print_end};
use super::run::RunArgs;
use super::run::{self};
use super::run::{Telling, plan};
use crate::debate::event::Player;
use crate::debate::protocol::Ceilings;
use crate::debate::protocol::SeatKind;
use crate::debate::{CostEstimate, Topic};
use crate::engine::seats::models_of;
use crate::engine::{SeatedGame, check_budget};
use crate::exchange::text::{Keep, visible};
use crate::experiments::run::PlannedRun;
use crate::experiments::{ExperimentContext, GoldenSet, find_experiment, read_golden};
use crate::metrics::MIN_QUESTIONS_PER_TASK_TYPE;
use crate::workspace::memory::DEFAULT_NAMESPACE;
use crate::workspace::run::read_run;
use anyhow::bail;
pub(crate) use args::{GoldenArgs, GoldenCommand};
use args::{GoldenResumeArgs, GoldenRunArgs};
use std::collections::BTreeMap;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// Plays a golden set, or shows what was played.
pub(super) fn run(args: &GoldenArgs, shop: &Workshop) -> anyhow::Result<Exit> {
    match &args.command {
        GoldenCommand::Run(args) => {
            run_interruptible(|cancel| async move { play(args, shop, cancel).await })
        }
        GoldenCommand::Resume(args) => {
            run_interruptible(|cancel| async move { resume(args, shop, cancel).await })
        }
        GoldenCommand::Show(args) => compare::show(args, shop),
    }
}

async fn play(
    args: &GoldenRunArgs,
    shop: &Workshop,
    cancel: CancellationToken,
) -> anyhow::Result<Exit> {
    let mut debate = run_args(args, &args.protocol, &args.set);
    debate.cast.clone_from(&args.cast);
    let debaters = match plan::party(&debate, shop, Telling::Wanted) {
        Ok(debaters) => debaters,
        Err(error) => return Err(model_names::with_names(shop, error).await),
    };
    let mut single = run_args(args, &args.single, &args.single_set);
    single.cast = cast_of_single(args, shop, &debaters);
    let answerer = plan::party(&single, shop, Telling::Wanted)?;
    let (loaded, topics) = plan::load(&debate, &args.golden)?;
    run::print_refused_rows(&debate, &loaded);
    check_labels(&topics, &args.golden)?;
    check_arms(&debaters, &answerer)?;
    let players = models_of(debaters.cast.iter().chain(&answerer.cast));
    model_names::check(shop, players, args.names).await?;
    if !args.quiet {
        print_task_types(&topics);
    }
    let runs = [
        plan::plan(&single, shop, &answerer, &loaded, topics.clone())?,
        plan::plan(&debate, shop, &debaters, &loaded, topics)?,
    ];
    shop.layout.create()?;
    let items = runs.iter().map(|run| run.items.len() as u64).sum();
    let estimates = runs.iter().map(PlannedRun::estimate);
    let both: Option<Vec<CostEstimate>> = estimates.collect();
    let both = both.and_then(|both| both.into_iter().reduce(CostEstimate::with));
    if let Some(both) = both.filter(|_| !args.quiet) {
        output::notice(&format!("estimate: {}", estimate::line(&both)));
    }
    let (context, progress) = context(args.quiet, args.play.concurrency, shop, items, cancel)?;
    let ceilings = Ceilings {
        cost_usd: args.budget_usd,
        ..Ceilings::default()
    };
    let set = GoldenSet::begin(&context, &args.golden, runs, ceilings).await?;
    let printed = match (args.quiet, args.json) {
        (true, _) => Printed::Ids,
        (false, true) => Printed::Json,
        (false, false) => Printed::Table,
    };
    finish(shop, set, &context, &progress, printed).await
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
) -> anyhow::Result<Exit> {
    check_budget(args.cost.budget_usd)?;
    let found = find_experiment(&shop.layout, &args.golden)?;
    let plan = read_golden(&shop.layout, &found.summary.id)?;
    let mut items = 0;
    for run in [&plan.singles, &plan.debates] {
        let run = read_run(&shop.layout.run(run.as_str())?)?;
        model_names::check(
            shop,
            models_of(run.manifest.casts.iter().flatten()),
            args.names,
        )
        .await?;
        items += (run.items.len() - run.finished.len()) as u64;
    }
    let (context, progress) = context(false, args.concurrency, shop, items, cancel)?;
    let ceilings = Ceilings {
        cost_usd: args.cost.budget_usd,
        ..Ceilings::default()
    };
    let set = GoldenSet::resume(&context, &plan.id, ceilings).await?;
    let printed = match args.output.json {
        true => Printed::Json,
        false => Printed::Table,
    };
    finish(shop, set, &context, &progress, printed).await
}

fn context(
    quiet: bool,
    concurrency: Option<usize>,
    shop: &Workshop,
    debates: u64,
    cancel: CancellationToken,
) -> anyhow::Result<(ExperimentContext, Arc<ExperimentProgress>)> {
    let names = ("debate", "debates");
    let progress = Arc::new(ExperimentProgress::begin(names, (debates, 0), quiet));
    let context = shop.experiment("golden", progress.clone(), concurrency, cancel)?;
    Ok((context, progress))
}

/// Plays what is missing and compares both.
async fn finish(
    shop: &Workshop,
    mut set: GoldenSet,
    context: &ExperimentContext,
    progress: &ExperimentProgress,
    printed: Printed,
) -> anyhow::Result<Exit> {
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
        "",
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
        dataset: Some(args.golden.clone()),
        topics: TopicFilterArgs {
            category: args.category.clone(),
            limit: args.limit,
            sample: args.sample,
            ..TopicFilterArgs::default()
        },
        rollouts: args.rollouts,
        set: set.to_vec(),
        play: args.play.clone(),
        budget: BudgetArgs {
            cost: CostLimitArgs {
                budget_usd: args.budget_usd,
            },
            ..BudgetArgs::default()
        },
        memory_namespace: DEFAULT_NAMESPACE.to_owned(),
        ..RunArgs::default()
    }
}

/// Seats the model of the debate's first speaker whose turns are graded: the same mind, alone.
fn cast_of_single(args: &GoldenRunArgs, shop: &Workshop, debaters: &SeatedGame) -> CastArgs {
    let protocol = &debaters.game.protocol;
    let speaker = |graded: bool| {
        debaters.cast.iter().find_map(|participant| {
            let seat = protocol.seat(&participant.chair.seat)?;
            let fits = seat.kind == SeatKind::Speaker && (!graded || protocol.is_judged(&seat.id));
            match &participant.player {
                Player::Model(model) if fits => Some(model.model.clone()),
                Player::Model(_) | Player::Human { .. } | Player::Fixed(_) => None,
            }
        })
    };
    let model = args
        .single_model
        .clone()
        .or_else(|| speaker(true))
        .or_else(|| speaker(false))
        .or_else(|| shop.config.default_model().map(str::to_owned));
    CastArgs {
        model,
        ..CastArgs::default()
    }
}

fn check_labels(topics: &[Topic], golden: &str) -> anyhow::Result<()> {
    let unlabelled: Vec<&str> = topics
        .iter()
        .filter(|topic| topic.reference.is_none())
        .map(|topic| topic.id.as_str())
        .collect();
    let Some(first) = unlabelled.first() else {
        return Ok(());
    };
    bail!(
        "{} of {} questions of {} have no expert answer, for instance '{}': a golden set needs a \
         'reference' for each",
        unlabelled.len(),
        topics.len(),
        visible(golden, Keep::Nothing),
        visible(first, Keep::Nothing)
    )
}

/// Finds out before anything is paid for that nothing could be compared afterwards.
fn check_arms(debaters: &SeatedGame, answerer: &SeatedGame) -> anyhow::Result<()> {
    for party in [debaters, answerer] {
        let protocol = &party.game.protocol;
        if !protocol
            .judging
            .iter()
            .any(|rule| rule.enabled && rule.grader.is_some())
        {
            bail!(
                "'{}' compares no answer with the expert's, as it has no grader; 'elenchus \
                 protocols show {}' shows how it is judged",
                protocol.id,
                protocol.id
            );
        }
    }
    let (many, one) = (&debaters.game, &answerer.game);
    if many.protocol == one.protocol
        && many.settings == one.settings
        && debaters.cast == answerer.cast
    {
        bail!(
            "both would play '{}' with the same settings and models: there is nothing to compare; \
             name another with --protocol or --single",
            many.protocol.id
        );
    }
    Ok(())
}

fn print_task_types(topics: &[Topic]) {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for topic in topics {
        let category = topic.category.as_deref().unwrap_or("(no task type)");
        *counts.entry(category).or_default() += 1;
    }
    for (task, count) in counts {
        if count < MIN_QUESTIONS_PER_TASK_TYPE {
            output::notice(&format!(
                "warning: {} for task type '{}'; a golden set has {MIN_QUESTIONS_PER_TASK_TYPE} or more each",
                counted(count, "question"),
                visible(task, Keep::Nothing)
            ));
        }
    }
}
