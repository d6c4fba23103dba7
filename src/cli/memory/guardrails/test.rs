//! `elenchus memory guardrails test`: refusals of harmless and harmful prompts by guardrails.

use super::args::GuardTestArgs;
use crate::cli::common::args::{CastArgs, ExperimentArgs};
use crate::cli::common::{Exit, ExperimentCommand, Page, Watched, Workshop, counted, output};
use crate::cli::memory::change::keep;
use crate::cli::memory::shelf::{hint_at_simulated, open_guardrails};
use crate::cli::run::{cast_request, print_refused_rows};
use anyhow::{Context, Result, bail};
use elenchus_game::debate::Topic;
use elenchus_game::debate::event::{Created, MemoryUse};
use elenchus_game::debate::protocol::Ceilings;
use elenchus_memory::{EntryId, EntryKind, GuardReport, GuardStatus, MemoryEntry};
use elenchus_records::workspace::ItemPlan;
use elenchus_records::workspace::memory::{
    DecisionLog, DecisionLogKey, EntryAction, EntryChange, NamespaceEntries, Ranking,
    RankingPolicy, person_journal,
};
use elenchus_run::engine::seats::models_of;
use elenchus_run::engine::{Attendance, DebateInputs, GamePlan, SeatedGame, SeatingPlan};
use elenchus_run::experiments::run::TopicRequest;
use elenchus_run::experiments::{
    BenchmarkPlan, BenchmarkRequest, Decider, ExperimentContext, ExperimentEnd, GuardrailBenchmark,
    estimate_items, find_experiment, plan_benchmark, read_plan,
};
use elenchus_text::Content;
use elenchus_view::memory::report_lines;
use std::sync::Arc;

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
    ExperimentCommand::run(COMMAND, &args.experiment, shop, |command| async move {
        match &args.experiment.resume {
            Some(text) => resume(&command, text).await,
            None => begin(&command, args).await,
        }
    })
}

async fn resume(command: &ExperimentCommand<'_>, text: &str) -> Result<Exit> {
    let layout = &command.shop.layout;
    let found = find_experiment(layout, text)?;
    let plan: BenchmarkPlan = read_plan(layout, &found.summary.id)?;
    let command = command.under(plan.ceilings)?;
    let cast = &plan.created.cast;
    command.check_players(models_of(cast)).await?;
    let watched = command.watched(BenchmarkPlan::ITEM_NAMES, (0, 0))?;
    let log = decision_log(&watched.context, &plan)?;
    let typed = command.args.budget.typed()?;
    let benchmark = GuardrailBenchmark::resume(&watched.context, &plan.id, typed, log).await?;
    finish(&command, benchmark, &watched).await
}

/// Begins a test, or goes on with one that asks for the same.
async fn begin(command: &ExperimentCommand<'_>, all: &GuardTestArgs) -> Result<Exit> {
    let (command, ceilings) = command.begins()?;
    let shop = &command.shop;
    let namespace = &all.place.namespace;
    let shelf = open_guardrails(shop, namespace)?;
    let groups = groups(all, shop, &shelf)?;
    let dataset = all.dataset.as_deref().unwrap_or_default();
    let request = TopicRequest {
        selection: all.topics.selection(all.seed.seed),
        columns: all.topics.columns()?,
        ..TopicRequest::all_of(dataset)
    };
    let (loaded, topics) = request.load(&shop.layout)?;
    print_refused_rows(&all.experiment, &loaded);
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
    let cast = &asked.created.cast;
    command.check_players(models_of(cast)).await?;
    let embedding = Arc::clone(&shop.embedding);
    let ranking = Ranking::new(&shop.layout, namespace, embedding, RankingPolicy::Freely);
    let planned = plan_benchmark(asked, &ranking, shop.clock).await?;
    output::notices(&planned.notices);
    let plan = planned.found;
    command.say(&format!(
        "{} on {}, decided by {}",
        counted(groups.iter().map(Vec::len).sum(), "guardrail"),
        counted(topics.len(), "prompt"),
        plan.model().0,
    ));
    let watched = command.watched(BenchmarkPlan::ITEM_NAMES, (0, 0))?;
    let log = decision_log(&watched.context, &plan)?;
    if announce(&command, &watched.context, &plan, &log)? {
        return Ok(Exit::Fine);
    }
    let benchmark = GuardrailBenchmark::go_on_or_begin(&watched.context, plan, log).await?;
    finish(&command, benchmark, &watched).await
}

/// Opens the log of what was decided about a file by a model, and says what was mended.
fn decision_log(context: &ExperimentContext, plan: &BenchmarkPlan) -> Result<Arc<DecisionLog>> {
    let desk = &context.desk;
    let namespace = &plan.created.memory.namespace;
    let place = DecisionLogKey {
        namespace,
        writer: &person_journal(&desk.layout, namespace, &desk.person)?,
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
    command: &ExperimentCommand<'_>,
    mut benchmark: GuardrailBenchmark,
    watched: &Watched,
) -> Result<Exit> {
    output::notices(&benchmark.items.log.notices);
    let (args, shop) = (command.args, &command.shop);
    let BenchmarkPlan { id, created, .. } = benchmark.items.log.state.plan.clone();
    if benchmark.items.is_resumed {
        let done = counted(benchmark.items.log.state.done.len(), "decision");
        command.say(&format!("goes on with benchmark {id}: {done} made already"));
    }
    let end = benchmark.play(&watched.context).await;
    watched.progress.end();
    let end = end?;
    let exit = command.print_end(&end, &benchmark.items.log.summary());
    if let ExperimentEnd::Paused { .. } = end {
        output::notice("every decision is kept; the same command goes on as well");
    }
    let namespace = &created.memory.namespace;
    let shelf = open_guardrails(shop, namespace)?;
    for (guard, found) in benchmark.reports() {
        if !command.prints_id_alone() {
            print(args, shop, &guard, &found)?;
        }
        // An earlier part of the same test may have kept it.
        let known = shelf.find_kind(EntryKind::Guardrail, &guard.0)?.report();
        if !benchmark.items.is_resumed || known != Some(&found) {
            let tested = EntryChange::Do(guard, EntryAction::Tested(Box::new(found)));
            keep(&watched.context.desk, namespace, tested).await?;
        }
    }
    if command.prints_id_alone() {
        output::out(&format!("{id}\n"))?;
    }
    Ok(exit)
}

/// Says how many calls are to be made and what they cost, before any is made, and whether nothing else is
/// asked for.
fn announce(
    command: &ExperimentCommand<'_>,
    context: &ExperimentContext,
    plan: &BenchmarkPlan,
    log: &Arc<DecisionLog>,
) -> Result<bool> {
    let decider = Decider::new(plan, Arc::clone(log), &context.desk.clock.now())?;
    let known = decider.known(context, plan)?;
    if known > 0 {
        command.say(&format!(
            "{} before and not asked again (--again repeats them)",
            counted(known, "decision") + " made"
        ));
    }
    let estimate = estimate_items(context, plan, 0..plan.items(), &decider);
    let estimate = estimate.context("what it costs cannot be estimated")?;
    if estimate.at_most.calls > FEW_CALLS {
        command.say(
            "each guardrail is asked about each prompt near it; --sample N draws fewer prompts, \
             --budget-usd pauses before a sum, Ctrl-C keeps what was decided",
        );
    }
    command.print_estimate(Some(&estimate), plan.ceilings)
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
