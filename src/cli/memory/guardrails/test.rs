//! `elenchus memory guardrails test`: refusals of harmless and harmful prompts by guardrails.

use super::args::GuardTestArgs;
use super::report;
use crate::cli::common::args::CastArgs;
use crate::cli::common::{
    Exit, ExperimentProgress, Page, Workshop, counted, estimate, model_names, output, print_end,
    run_interruptible,
};
use crate::cli::memory::change::keep;
use crate::cli::memory::shelf::{hint_at_simulated, open_guardrails};
use crate::cli::run::cast_request;
use crate::dataset::{self, Selection};
use crate::debate::Topic;
use crate::debate::event::{Created, MemoryUse};
use crate::debate::protocol::Ceilings;
use crate::engine::seats::models_of;
use crate::engine::{Attendance, DebateInputs, GamePlan, SeatedGame, SeatingPlan, check_budget};
use crate::experiments::{
    BenchmarkPlan, BenchmarkRequest, Decider, ExperimentContext, ExperimentEnd, GuardrailBenchmark,
    estimate_items, find_experiment, plan_benchmark, read_plan,
};
use crate::memory::{EntryId, EntryKind, GuardReport, GuardStatus, MemoryEntry};
use crate::workspace::ItemPlan;
use crate::workspace::memory::{
    DecisionLog, DecisionLogKey, EarlierDecisions, EntryAction, EntryChange, NamespaceEntries,
    Ranking, RankingPolicy, person_journal,
};
use anyhow::{Context, Result, bail};
use std::sync::Arc;

/// The game whose first debater decides: its only stage shows nothing but the topic.
const GAME: &str = "standard";
/// Number of calls above which options to make fewer are suggested.
const FEW_CALLS: u64 = 100;

/// Tests guardrails, keeps the reports with them and prints them.
///
/// # Errors
/// When a guardrail cannot be found, the set has no safe prompt, or the test was not finished.
pub fn run(args: &GuardTestArgs, shop: &Workshop) -> Result<Exit> {
    check_budget(args.budget_usd)?;
    run_interruptible(|cancel| async move {
        let names = BenchmarkPlan::ITEM_NAMES;
        let progress = ExperimentProgress::begin(names, (0, 0), false);
        let (context, progress) =
            shop.watched_experiment("memory", progress, args.concurrency, cancel)?;
        let begun = match &args.resume {
            Some(text) => Some(resumed(args, shop, &context, text).await?),
            None => begun(args, shop, &context).await?,
        };
        match begun {
            Some(benchmark) => finish(args, shop, &context, &progress, benchmark).await,
            None => Ok(Exit::Fine),
        }
    })
}

async fn resumed(
    args: &GuardTestArgs,
    shop: &Workshop,
    context: &ExperimentContext,
    text: &str,
) -> Result<GuardrailBenchmark> {
    let found = find_experiment(&shop.layout, text)?;
    let plan: BenchmarkPlan = read_plan(&shop.layout, &found.summary.id)?;
    model_names::check(shop, models_of(&plan.created.cast), args.names).await?;
    let ceilings = Ceilings::of_usd(args.budget_usd);
    let log = decision_log(context, &plan)?;
    Ok(GuardrailBenchmark::resume(context, &plan.id, ceilings, log).await?)
}

/// Begins a test, or goes on with one that asks for the same; `None` where only its cost is asked for.
async fn begun(
    args: &GuardTestArgs,
    shop: &Workshop,
    context: &ExperimentContext,
) -> Result<Option<GuardrailBenchmark>> {
    let namespace = &args.place.namespace;
    let shelf = open_guardrails(shop, namespace)?;
    let groups = groups(args, shop, &shelf)?;
    let dataset = args.dataset.as_deref().unwrap_or_default();
    let mut loaded = dataset::load(&dataset.parse()?)?;
    let selection = Selection {
        limit: args.limit,
        sample: args.sample,
        seed: args.seed,
        ..Selection::default()
    };
    let topics = dataset::select(std::mem::take(&mut loaded.topics), &selection)?;
    let created = created(args, shop, &topics)?;
    let chair = created.guarded_chairs().into_iter().next();
    let asked = BenchmarkRequest {
        tests: &groups,
        chair: chair.context("no seat of the game can have guardrails")?,
        created,
        topics: &topics,
        dataset: dataset.to_owned(),
        sha256: loaded.sha256,
        earlier: match args.again {
            true => EarlierDecisions::Ignore,
            false => EarlierDecisions::Reuse,
        },
        budget_usd: args.budget_usd,
    };
    model_names::check(shop, models_of(&asked.created.cast), args.names).await?;
    let embedding = Arc::clone(&shop.embedding);
    let ranking = Ranking::new(&shop.layout, namespace, embedding, RankingPolicy::Freely);
    let planned = plan_benchmark(asked, &ranking, shop.clock).await?;
    output::notices(&planned.notices);
    let plan = planned.found;
    output::notice(&format!(
        "{} on {}, decided by {}",
        counted(groups.iter().map(Vec::len).sum(), "guardrail"),
        counted(topics.len(), "prompt"),
        plan.model().0,
    ));
    let log = decision_log(context, &plan)?;
    announce(context, &plan, &log, &shop.clock.now())?;
    Ok(match args.estimate {
        true => None,
        false => Some(GuardrailBenchmark::go_on_or_begin(context, plan, log).await?),
    })
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
    args: &GuardTestArgs,
    shop: &Workshop,
    context: &ExperimentContext,
    progress: &ExperimentProgress,
    mut benchmark: GuardrailBenchmark,
) -> Result<Exit> {
    output::notices(benchmark.items.notices());
    let BenchmarkPlan { id, created, .. } = benchmark.items.state().plan.clone();
    if benchmark.items.is_resumed {
        let done = counted(benchmark.items.state().done.len(), "decision");
        output::notice(&format!("goes on with benchmark {id}: {done} made already"));
    }
    let end = benchmark.play(context).await;
    progress.end();
    let end = end?;
    let again = format!("elenchus memory guardrails test --resume {id}");
    print_end(&end, &benchmark.items.summary(), &again, "");
    if let ExperimentEnd::Paused { .. } = end {
        output::notice("every decision is kept; the same command goes on as well");
    }
    let namespace = &created.memory.namespace;
    let shelf = open_guardrails(shop, namespace)?;
    for (guard, found) in benchmark.reports() {
        print(args, shop, &guard, &found)?;
        // An earlier part of the same test may have kept it.
        let known = shelf.find_kind(EntryKind::Guardrail, &guard.0)?.report();
        if !benchmark.items.is_resumed || known != Some(&found) {
            let tested = EntryChange::Do(guard, EntryAction::Tested(Box::new(found)));
            keep(&context.desk, namespace, tested).await?;
        }
    }
    Ok(Exit::from(&end))
}

/// Says how many calls are to be made and what they cost, before any is made.
fn announce(
    context: &ExperimentContext,
    plan: &BenchmarkPlan,
    log: &Arc<DecisionLog>,
    now: &str,
) -> Result<()> {
    let decider = Decider::new(plan, Arc::clone(log), now)?;
    let known = decider.known(context, plan)?;
    if known > 0 {
        output::notice(&format!(
            "{} before and not asked again (--again repeats them)",
            counted(known, "decision") + " made"
        ));
    }
    let estimate = estimate_items(context, plan, 0..plan.items(), &decider);
    let estimate = estimate.context("what it costs cannot be estimated")?;
    output::notice(&format!("estimate: {}", estimate::line(&estimate)));
    if estimate.at_most.calls > FEW_CALLS {
        output::notice(
            "each guardrail is asked about each prompt near it; --sample N draws fewer prompts, \
             --budget-usd pauses before a sum, Ctrl-C keeps what was decided",
        );
    }
    Ok(())
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
fn created(args: &GuardTestArgs, shop: &Workshop, topics: &[Topic]) -> Result<Created> {
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
        budget_usd: args.budget_usd,
    };
    let party = SeatedGame::gather(game, &party, &shop.seats, &shop.layout)?;
    let debate = DebateInputs {
        topic: first.clone(),
        seed: args.seed,
        memory: MemoryUse {
            guards: true,
            namespace: args.place.namespace.clone(),
            ..MemoryUse::default()
        },
    };
    Ok(party.created(&shop.layout, shop.clock, debate)?)
}

fn print(args: &GuardTestArgs, shop: &Workshop, id: &EntryId, found: &GuardReport) -> Result<()> {
    if args.output.json {
        return output::json_lines([serde_json::json!({ "guardrail": id, "report": found })]);
    }
    let mut page = Page::new(output::width(), shop.colour);
    page.line(&id.0);
    report::write(&mut page, found, found.revision);
    output::out(&page.finish())
}
