//! `elenchus memory test`: refusals of harmless and harmful prompts by guardrails.

use super::args::GuardTestArgs;
use crate::cli::common::args::{CastArgs, ExperimentArgs};
use crate::cli::common::{
    CommandContext, Exit, ExperimentCommand, ExperimentMonitor, Page, format_noun_count, output,
};
use crate::cli::memory::change::change_entry;
use crate::cli::memory::shelf::{find_guardrail, open_guardrails, simulated_namespace_hint};
use crate::cli::run::{print_refused_rows, read_cast_request};
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
const COMMAND: &str = "memory test";
/// The game whose first debater decides: its only stage shows nothing but the topic.
const GAME: &str = "standard";
/// Number of calls above which options to make fewer are suggested.
const FEW_CALLS: u64 = 100;

/// Tests guardrails, keeps the reports with them and prints them.
///
/// # Errors
/// When a guardrail cannot be found, the set has no safe prompt, or the test was not finished.
pub fn run(args: &GuardTestArgs, context: &CommandContext) -> Result<Exit> {
    ExperimentCommand::run(COMMAND, &args.experiment, context, |command| async move {
        match &args.experiment.resume {
            Some(text) => resume_benchmark(&command, text).await,
            None => begin_benchmark(&command, args).await,
        }
    })
}

async fn resume_benchmark(command: &ExperimentCommand<'_>, text: &str) -> Result<Exit> {
    let layout = &command.context.store.layout;
    let experiment = find_experiment(layout, text)?;
    let plan: BenchmarkPlan = read_plan(layout, &experiment.summary.id)?;
    let command = command.with_ceilings(plan.ceilings)?;
    let cast = &plan.created.cast;
    command.check_players(models_of(cast)).await?;
    let monitor = command.start_progress(BenchmarkPlan::ITEM_NAMES, (0, 0));
    let log = open_decision_log(&monitor.context, &plan)?;
    let overrides = command.args.budget.typed_ceilings()?;
    let benchmark = GuardrailBenchmark::resume(&monitor.context, &plan.id, overrides, log).await?;
    finish_benchmark(&command, benchmark, &monitor).await
}

/// Begins a test, or goes on with one that asks for the same.
async fn begin_benchmark(command: &ExperimentCommand<'_>, all: &GuardTestArgs) -> Result<Exit> {
    let (command, ceilings) = command.with_resolved_ceilings()?;
    let context = &command.context;
    let namespace = &all.place.namespace;
    let namespace_entries = open_guardrails(context, namespace)?;
    let groups = group_guardrails(all, context, &namespace_entries)?;
    let dataset = all.dataset.as_deref().unwrap_or_default();
    let request = TopicRequest {
        selection: all.topics.topic_selection(all.seed.seed),
        columns: all.topics.column_choice()?,
        ..TopicRequest::from_dataset(dataset)
    };
    let (loaded, topics) = request.load_topics(&context.store.layout)?;
    print_refused_rows(&all.experiment, &loaded);
    let creation = prepare_debate(all, context, &topics, ceilings)?;
    let chair = creation.guarded_chairs().into_iter().next();
    let benchmark_request = BenchmarkRequest {
        tests: &groups,
        chair: chair.context("no seat of the game can have guardrails")?,
        created: creation,
        topics: &topics,
        dataset: dataset.to_owned(),
        sha256: loaded.place().sha256.clone(),
        earlier: all.again,
        ceilings,
    };
    let cast = &benchmark_request.created.cast;
    command.check_players(models_of(cast)).await?;
    let embedding = Arc::clone(&context.embedding);
    let ranking = Ranking::new(
        &context.store.layout,
        namespace,
        embedding,
        RankingPolicy::Freely,
    );
    let plan_outcome = plan_benchmark(benchmark_request, &ranking, context.store.clock).await?;
    output::print_notices(&plan_outcome.notices);
    let plan = plan_outcome.found;
    command.print_unless_quiet(&format!(
        "{} on {}, decided by {}",
        format_noun_count(groups.iter().map(Vec::len).sum(), "guardrail"),
        format_noun_count(topics.len(), "prompt"),
        plan.model().0,
    ));
    let monitor = command.start_progress(BenchmarkPlan::ITEM_NAMES, (0, 0));
    let log = open_decision_log(&monitor.context, &plan)?;
    if print_calls_and_cost(&command, &monitor.context, &plan, &log)? {
        return Ok(Exit::Fine);
    }
    let benchmark = GuardrailBenchmark::resume_or_begin(&monitor.context, plan, log).await?;
    finish_benchmark(&command, benchmark, &monitor).await
}

/// Opens the log of what was decided about a file by a model, and says what was mended.
fn open_decision_log(
    context: &ExperimentContext,
    plan: &BenchmarkPlan,
) -> Result<Arc<DecisionLog>> {
    let store = &context.store;
    let namespace = &plan.created.memory.namespace;
    let place = DecisionLogKey {
        namespace,
        writer: &person_journal(&store.layout, namespace, &store.person)?,
        dataset: &plan.dataset,
        sha256: &plan.sha256,
        model: plan.model().0,
        at: &store.clock.now(),
    };
    let log = DecisionLog::open(&store.layout, &store.fsync, &place)?;
    output::print_notices(log.notices());
    Ok(Arc::new(log))
}

/// Asks for what is missing, then prints the reports and keeps those that are new.
async fn finish_benchmark(
    command: &ExperimentCommand<'_>,
    mut benchmark: GuardrailBenchmark,
    monitor: &ExperimentMonitor,
) -> Result<Exit> {
    output::print_notices(&benchmark.items.log.notices);
    let (args, context) = (command.args, &command.context);
    let BenchmarkPlan { id, created, .. } = benchmark.items.log.state.plan.clone();
    if benchmark.items.is_resumed {
        let decision_count = format_noun_count(benchmark.items.log.state.done.len(), "decision");
        command.print_unless_quiet(&format!(
            "goes on with benchmark {id}: {decision_count} made already"
        ));
    }
    let end = benchmark.decide_missing(&monitor.context).await;
    monitor.progress.finish_bar();
    let end = end?;
    let exit = command.print_end(&end, &benchmark.items.log.summarize());
    if let ExperimentEnd::Paused { .. } = end {
        output::print_notice("every decision is kept; the same command goes on as well");
    }
    let namespace = &created.memory.namespace;
    let namespace_entries = open_guardrails(context, namespace)?;
    for (guard, found) in benchmark.build_reports() {
        if !command.prints_id_alone() {
            print_report(args, context, &guard, &found)?;
        }
        // An earlier part of the same test may have kept it.
        let stored_report = namespace_entries
            .find_kind(EntryKind::Guardrail, &guard.0)?
            .current_report();
        if !benchmark.items.is_resumed || stored_report != Some(&found) {
            let change = EntryChange::Do(guard, EntryAction::Tested(Box::new(found)));
            change_entry(&monitor.context.store, namespace, change).await?;
        }
    }
    if command.prints_id_alone() {
        output::print_text(&format!("{id}\n"))?;
    }
    Ok(exit)
}

/// Says how many calls are to be made and what they cost, before any is made, and whether nothing else is
/// asked for.
fn print_calls_and_cost(
    command: &ExperimentCommand<'_>,
    context: &ExperimentContext,
    plan: &BenchmarkPlan,
    log: &Arc<DecisionLog>,
) -> Result<bool> {
    let decider = Decider::new(plan, Arc::clone(log), &context.store.clock.now())?;
    let known_decisions = decider.count_known(context, plan)?;
    if known_decisions > 0 {
        command.print_unless_quiet(&format!(
            "{} before and not asked again (--again repeats them)",
            format_noun_count(known_decisions, "decision") + " made"
        ));
    }
    let estimate = estimate_items(context, plan, 0..plan.item_count(), &decider);
    let estimate = estimate.context("what it costs cannot be estimated")?;
    if estimate.at_most.calls > FEW_CALLS {
        command.print_unless_quiet(
            "each guardrail is asked about each prompt near it; --sample N draws fewer prompts, \
             --budget-usd pauses before a sum, Ctrl-C keeps what was decided",
        );
    }
    command.print_estimate(Some(&estimate), plan.ceilings)
}

/// Returns which guardrails are asked together.
fn group_guardrails<'a>(
    args: &GuardTestArgs,
    context: &CommandContext,
    namespace_entries: &'a NamespaceEntries,
) -> Result<Vec<Vec<&'a MemoryEntry>>> {
    let kind = EntryKind::Guardrail;
    if !args.guardrail.is_empty() {
        let named_guards = args.guardrail.iter();
        let named_guards = named_guards.map(|text| find_guardrail(namespace_entries, text));
        return Ok(vec![named_guards.collect::<Result<_>>()?]);
    }
    let is_proposed =
        |guard: &&MemoryEntry| guard.acceptance() == Some(GuardStatus::Proposed) && !guard.deleted;
    let guards = namespace_entries
        .folded
        .entries_of_kind(kind)
        .filter(is_proposed);
    let single_groups: Vec<Vec<&MemoryEntry>> = guards.map(|guard| vec![guard]).collect();
    if single_groups.is_empty() {
        let namespace = &args.place.namespace;
        bail!(
            "no guardrail of memory '{namespace}' is proposed{}; name those that are to be tested",
            simulated_namespace_hint(context, namespace)
        );
    }
    Ok(single_groups)
}

/// Returns how a debate begins whose first debater decides.
fn prepare_debate(
    args: &GuardTestArgs,
    context: &CommandContext,
    topics: &[Topic],
    ceilings: Ceilings,
) -> Result<Created> {
    let first = topics.first().context("the selection leaves no prompt")?;
    let game = GamePlan::from_protocol(GAME)
        .load_game(&context.library)?
        .with_guardrails(&context.library)?;
    let cast = CastArgs {
        model: args.model.clone(),
        ..CastArgs::default()
    };
    let party = SeatingPlan {
        cast: &read_cast_request(&cast)?,
        default_model: context.config.default_model(),
        present: Attendance::Nobody,
        namespace: &args.place.namespace,
        budget_usd: ceilings.cost_usd,
    };
    let seated_game = SeatedGame::from_plan(game, &party, &context.seats, &context.store.layout)?;
    let debate = DebateInputs {
        topic: first.clone(),
        seed: args.seed.seed,
        memory: MemoryUse {
            guards: true,
            namespace: args.place.namespace.clone(),
            guard_examples: context.store.recorded_examples(),
            ..MemoryUse::default()
        },
    };
    Ok(seated_game.build_first_event(&context.store.layout, context.store.clock, debate)?)
}

fn print_report(
    args: &ExperimentArgs,
    context: &CommandContext,
    id: &EntryId,
    report: &GuardReport,
) -> Result<()> {
    if args.json {
        return output::print_json_lines([
            serde_json::json!({ "guardrail": id, "report": report }),
        ]);
    }
    let mut page = Page::new(output::width(), context.colour);
    page.add_line(&id.0);
    page.add_paragraphs(&report_lines(report, report.revision, Content::Shown));
    output::print_text(&page.into_text())
}
