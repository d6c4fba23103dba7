//! `elenchus golden`: debate against a single answer on labelled questions (EAAPL-MAG005 §13.3).

mod args;
mod compare;

use super::common::Exit;
use super::common::Workshop;
use super::common::args::{BudgetArgs, CastArgs, CostLimitArgs, TopicFilterArgs};
use super::common::model_names;
use super::common::run_interruptible;
use super::common::{counted, output};
use super::run::PlayedRun;
use super::run::RunArgs;
use super::run::{self};
use super::run::{Telling, plan};
use crate::dataset::LoadedDataset;
use crate::debate::event::Player;
use crate::debate::protocol::SeatKind;
use crate::debate::{RunId, Topic};
use crate::engine::SeatedGame;
use crate::engine::seats::models_of;
use crate::exchange::text::{Keep, visible};
use crate::metrics::MIN_QUESTIONS_PER_TASK_TYPE;
use crate::workspace::memory::DEFAULT_NAMESPACE;
use crate::workspace::read_session;
use crate::workspace::run::read_run;
use anyhow::bail;
use args::GoldenRunArgs;
pub(crate) use args::{GoldenArgs, GoldenCommand};
use std::collections::BTreeMap;
use tokio_util::sync::CancellationToken;

/// Plays a golden set, or shows what was played.
pub(super) fn run(args: &GoldenArgs, shop: &Workshop) -> anyhow::Result<Exit> {
    match &args.command {
        GoldenCommand::Run(args) => {
            run_interruptible(|cancel| async move { play(args, shop, cancel).await })
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
    // The single answers come first: they are cheap, and what they cost is off the ceiling.
    let one = begin(&single, shop, &answerer, &loaded, &topics, &cancel).await?;
    if let (Some(usd), Some(left)) = (args.budget_usd, &mut debate.budget.cost.budget_usd) {
        *left = (usd - spent_usd(shop, one.id())?).max(0.0);
    }
    let many = begin(&debate, shop, &debaters, &loaded, &topics, &cancel).await?;
    let (debates, singles) = (many.id(), one.id());
    let exit = worse(many.exit(), one.exit());
    if args.quiet {
        output::out(&format!("{debates}\n{singles}\n"))?;
        return Ok(exit);
    }
    let compared = compare::print(shop, debates, singles, args.json);
    match (compared, exit) {
        // What is paused before anything can be compared has not gone wrong.
        (Err(why), Exit::Unfinished | Exit::SomeFailed) => {
            output::notice(&format!("no comparison yet: {why}"));
        }
        (compared, _) => compared?,
    }
    let when = if exit == Exit::Fine {
        "compare them again"
    } else {
        "then compare them"
    };
    output::notice(&format!("{when}: elenchus golden show {debates} {singles}"));
    Ok(exit)
}

async fn begin(
    args: &RunArgs,
    shop: &Workshop,
    party: &SeatedGame,
    loaded: &LoadedDataset,
    topics: &[Topic],
    cancel: &CancellationToken,
) -> anyhow::Result<PlayedRun> {
    let planned = plan::plan(args, shop, party, loaded, topics.to_vec())?;
    shop.layout.create()?;
    if !args.quiet {
        output::notice(&format!(
            "run {}: {} of '{}'",
            planned.manifest.run,
            counted(planned.items.len(), "debate"),
            party.game.protocol.id
        ));
    }
    let played = run::play_planned(args, shop, planned, cancel.clone()).await?;
    run::print_run_end(&played);
    Ok(played)
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

/// What the debates of a run may have cost, calls without a known outcome at their worst.
fn spent_usd(shop: &Workshop, run: &RunId) -> anyhow::Result<f64> {
    let state = read_run(&shop.layout.run(run.as_str())?)?;
    let mut usd = 0.0;
    for session in state.sessions() {
        let path = shop.layout.session(session.as_str())?;
        if path.is_file() {
            usd += read_session(&path)?.committed_usd();
        }
    }
    Ok(usd)
}

/// Both runs count: what is unfinished in either is unfinished.
fn worse(a: Exit, b: Exit) -> Exit {
    for exit in [Exit::Broken, Exit::Unfinished, Exit::SomeFailed] {
        if a == exit || b == exit {
            return exit;
        }
    }
    Exit::Fine
}
