//! `elenchus memory guardrails test`: refusals of harmless and harmful prompts by guardrails.

use super::args::GuardTestArgs;
use crate::cli::common::args::{CastArgs, ExperimentArgs};
use crate::cli::common::{
    Exit, ExperimentProgress, Page, Workshop, counted, output, print_end, print_estimate,
    run_experiment,
};
use crate::cli::memory::change::keep;
use crate::cli::memory::shelf::{hint_at_simulated, open_guardrails};
use crate::cli::run::cast_request;
use crate::debate::Topic;
use crate::debate::event::{Created, MemoryUse};
use crate::debate::protocol::Ceilings;
use crate::engine::seats::models_of;
use crate::engine::{Attendance, DebateInputs, GamePlan, SeatedGame, SeatingPlan};
use crate::exchange::Content;
use crate::experiments::run::TopicRequest;
use crate::experiments::{
    BenchmarkPlan, BenchmarkRequest, Decider, ExperimentContext, ExperimentEnd, GuardrailBenchmark,
    estimate_items, find_experiment, plan_benchmark, read_plan,
};
use crate::memory::{EntryId, EntryKind, GuardReport, GuardStatus, MemoryEntry};
use crate::workspace::ItemPlan;
use crate::workspace::memory::{
    DecisionLog, DecisionLogKey, EntryAction, EntryChange, NamespaceEntries, Ranking,
    RankingPolicy, person_journal, report_lines,
};
use anyhow::{Context, Result, bail};
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// Words of the command.
const COMMAND: &str = "memory guardrails test";
/// The game whose first debater decides: its only stage shows nothing but the topic.
const GAME: &str = "standard";
/// Number of calls above which options to make fewer are suggested.
const FEW_CALLS: u64 = 100;

/// Tests guardrails, keeps the reports with them and prints them.
///
/// # Errors
/// When a guardrail cannot be found, the set has no safe prompt, or the test was not finished.
pub fn run(args: &GuardTestArgs, shop: &Workshop) -> Result<Exit> {
    run_experiment(&args.experiment, COMMAND, |cancel| async move {
        match &args.experiment.resume {
            Some(text) => resume(&args.experiment, shop, text, cancel).await,
            None => begin(args, shop, cancel).await,
        }
    })
}

async fn resume(
    args: &ExperimentArgs,
    shop: &Workshop,
    text: &str,
    cancel: CancellationToken,
) -> Result<Exit> {
    let found = find_experiment(&shop.layout, text)?;
    let plan: BenchmarkPlan = read_plan(&shop.layout, &found.summary.id)?;
    let shop = &shop.counting(&args.budget, plan.ceilings)?;
    shop.check_players(models_of(&plan.created.cast), args)
        .await?;
    let items = (BenchmarkPlan::ITEM_NAMES, (0, 0));
    let (context, progress) = shop.watched(COMMAND, args, items, cancel)?;
    let log = decision_log(&context, &plan)?;
    let typed = args.budget.typed()?;
    let benchmark = GuardrailBenchmark::resume(&context, &plan.id, typed, log).await?;
    finish(args, shop, &context, &progress, benchmark).await
}

/// Begins a test, or goes on with one that asks for the same.
async fn begin(all: &GuardTestArgs, shop: &Workshop, cancel: CancellationToken) -> Result<Exit> {
    let args = &all.experiment;
    let ceilings = shop.ceilings(&args.budget)?;
    let shop = &shop.counting(&args.budget, ceilings)?;
    let namespace = &all.place.namespace;
    let shelf = open_guardrails(shop, namespace)?;
    let groups = groups(all, shop, &shelf)?;
    let dataset = all.dataset.as_deref().unwrap_or_default();
    let request = TopicRequest {
        selection: all.topics.selection(all.seed.seed),
        ..TopicRequest::all_of(dataset)
    };
    let (loaded, topics) = request.load(&shop.layout)?;
    let created = created(all, shop, &topics, ceilings)?;
    let chair = created.guarded_chairs().into_iter().next();
    let asked = BenchmarkRequest {
        tests: &groups,
        chair: chair.context("no seat of the game can have guardrails")?,
        created,
        topics: &topics,
        dataset: dataset.to_owned(),
        sha256: loaded.place().sha256.clone(),
        earlier: all.again,
        ceilings,
    };
    shop.check_players(models_of(&asked.created.cast), args)
        .await?;
    let embedding = Arc::clone(&shop.embedding);
    let ranking = Ranking::new(&shop.layout, namespace, embedding, RankingPolicy::Freely);
    let planned = plan_benchmark(asked, &ranking, shop.clock).await?;
    output::notices(&planned.notices);
    let plan = planned.found;
    if !args.quiet {
        output::notice(&format!(
            "{} on {}, decided by {}",
            counted(groups.iter().map(Vec::len).sum(), "guardrail"),
            counted(topics.len(), "prompt"),
            plan.model().0,
        ));
    }
    let items = (BenchmarkPlan::ITEM_NAMES, (0, 0));
    let (context, progress) = shop.watched(COMMAND, args, items, cancel)?;
    let log = decision_log(&context, &plan)?;
    if announce(args, &context, &plan, &log, &shop.clock.now())? {
        return Ok(Exit::Fine);
    }
    let benchmark = GuardrailBenchmark::go_on_or_begin(&context, plan, log).await?;
    finish(args, shop, &context, &progress, benchmark).await
}

/// Opens the log of what was decided about a file by a model, and says what was mended.
fn decision_log(context: &ExperimentContext, plan: &BenchmarkPlan) -> Result<Arc<DecisionLog>> {
    let desk = &context.desk;
    let place = DecisionLogKey {
        namespace: &plan.created.memory.namespace,
        writer: &person_journal(&desk.person),
        dataset: &plan.dataset,
        sha256: &plan.sha256,
        model: plan.model().0,
        at: &desk.clock.now(),
    };
    let log = DecisionLog::open(&desk.layout, &desk.fsync, &place)?;
    output::notices(log.notices());
    Ok(Arc::new(log))
}

/// Asks for what is missing, then prints the reports and keeps those that are new.
async fn finish(
    args: &ExperimentArgs,
    shop: &Workshop,
    context: &ExperimentContext,
    progress: &ExperimentProgress,
    mut benchmark: GuardrailBenchmark,
) -> Result<Exit> {
    output::notices(&benchmark.items.log.notices);
    let BenchmarkPlan { id, created, .. } = benchmark.items.log.state.plan.clone();
    if benchmark.items.is_resumed && !args.quiet {
        let done = counted(benchmark.items.log.state.done.len(), "decision");
        output::notice(&format!("goes on with benchmark {id}: {done} made already"));
    }
    let end = benchmark.play(context).await;
    progress.end();
    let end = end?;
    let exit = print_end(&end, &benchmark.items.log.summary(), COMMAND, args);
    if let ExperimentEnd::Paused { .. } = end {
        output::notice("every decision is kept; the same command goes on as well");
    }
    let namespace = &created.memory.namespace;
    let shelf = open_guardrails(shop, namespace)?;
    for (guard, found) in benchmark.reports() {
        match args.quiet && !args.json {
            true => {}
            false => print(args, shop, &guard, &found)?,
        }
        // An earlier part of the same test may have kept it.
        let known = shelf.find_kind(EntryKind::Guardrail, &guard.0)?.report();
        if !benchmark.items.is_resumed || known != Some(&found) {
            let tested = EntryChange::Do(guard, EntryAction::Tested(Box::new(found)));
            keep(&context.desk, namespace, tested).await?;
        }
    }
    if args.quiet && !args.json {
        output::out(&format!("{id}\n"))?;
    }
    Ok(exit)
}

/// Says how many calls are to be made and what they cost, before any is made, and whether nothing else is
/// asked for.
fn announce(
    args: &ExperimentArgs,
    context: &ExperimentContext,
    plan: &BenchmarkPlan,
    log: &Arc<DecisionLog>,
    now: &str,
) -> Result<bool> {
    let decider = Decider::new(plan, Arc::clone(log), now)?;
    let known = decider.known(context, plan)?;
    if known > 0 && !args.quiet {
        output::notice(&format!(
            "{} before and not asked again (--again repeats them)",
            counted(known, "decision") + " made"
        ));
    }
    let estimate = estimate_items(context, plan, 0..plan.items(), &decider);
    let estimate = estimate.context("what it costs cannot be estimated")?;
    if estimate.at_most.calls > FEW_CALLS && !args.quiet {
        output::notice(
            "each guardrail is asked about each prompt near it; --sample N draws fewer prompts, \
             --budget-usd pauses before a sum, Ctrl-C keeps what was decided",
        );
    }
    print_estimate(args, Some(&estimate), plan.ceilings)
}

/// Returns which guardrails are asked together.
fn groups<'a>(
    args: &GuardTestArgs,
    shop: &Workshop,
    shelf: &'a NamespaceEntries,
) -> Result<Vec<Vec<&'a MemoryEntry>>> {
    let kind = EntryKind::Guardrail;
    if !args.guardrail.is_empty() {
        let named = args.guardrail.iter();
        let named = named.map(|text| shelf.find_kind(kind, text));
        return Ok(vec![named.collect::<Result<_, _>>()?]);
    }
    let proposed =
        |guard: &&MemoryEntry| guard.acceptance() == Some(GuardStatus::Proposed) && !guard.deleted;
    let guards = shelf.folded.of_kind(kind).filter(proposed);
    let each: Vec<Vec<&MemoryEntry>> = guards.map(|guard| vec![guard]).collect();
    if each.is_empty() {
        let namespace = &args.place.namespace;
        bail!(
            "no guardrail of memory '{namespace}' is proposed{}; name those that are to be tested",
            hint_at_simulated(shop, namespace)
        );
    }
    Ok(each)
}

/// Returns how a debate begins whose first debater decides.
fn created(
    args: &GuardTestArgs,
    shop: &Workshop,
    topics: &[Topic],
    ceilings: Ceilings,
) -> Result<Created> {
    let first = topics.first().context("the selection leaves no prompt")?;
    let game = GamePlan::plain(GAME)
        .game(&shop.library)?
        .with_guardrails(&shop.library)?;
    let cast = CastArgs {
        model: args.model.clone(),
        ..CastArgs::default()
    };
    let party = SeatingPlan {
        cast: &cast_request(&cast)?,
        default_model: shop.config.default_model(),
        present: Attendance::Nobody,
        namespace: &args.place.namespace,
        budget_usd: ceilings.cost_usd,
    };
    let party = SeatedGame::gather(game, &party, &shop.seats, &shop.layout)?;
    let debate = DebateInputs {
        topic: first.clone(),
        seed: args.seed.seed,
        memory: MemoryUse {
            guards: true,
            namespace: args.place.namespace.clone(),
            ..MemoryUse::default()
        },
    };
    Ok(party.created(&shop.layout, shop.clock, debate)?)
}

fn print(args: &ExperimentArgs, shop: &Workshop, id: &EntryId, found: &GuardReport) -> Result<()> {
    if args.json {
        return output::json_lines([serde_json::json!({ "guardrail": id, "report": found })]);
    }
    let mut page = Page::new(output::width(), shop.colour);
    page.line(&id.0);
    page.paragraphs(&report_lines(found, found.revision, Content::Shown));
    output::out(&page.finish())
}
