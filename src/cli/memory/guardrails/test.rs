//! `elenchus memory guardrails test`: refusals of harmless and harmful prompts by guardrails.

use super::args::GuardTestArgs;
use super::report;
use crate::cli::common::Exit;
use crate::cli::common::Workshop;
use crate::cli::common::args::CastArgs;
use crate::cli::common::estimate;
use crate::cli::common::model_names;
use crate::cli::common::run_interruptible;
use crate::cli::common::{ExperimentProgress, Page, counted, output};
use crate::cli::memory::change::keep;
use crate::cli::memory::shelf::{hint_at_simulated, open_guardrails};
use crate::cli::run::cast_request;
use crate::dataset::{self, DatasetSpec, Selection};
use crate::debate::Topic;
use crate::debate::event::MemoryUse;
use crate::engine::seats::models_of;
use crate::engine::{Attendance, DebateInputs, GamePlan, SeatedGame, SeatingPlan, check_budget};
use crate::experiments::{
    BenchmarkTools, GuardrailBenchmark, PlannedBenchmark, Tried, plan_benchmark, run_benchmark,
};
use crate::memory::{EntryId, EntryKind, GuardReport, GuardStatus, MemoryEntry};
use crate::workspace::memory::person_journal;
use crate::workspace::memory::{
    DecisionLog, DecisionLogKey, EarlierDecisions, EntryAction, EntryChange, NamespaceEntries,
    Ranking, RankingPolicy,
};
use anyhow::{Context, bail};
use std::sync::Arc;

/// The game whose first debater decides: its only stage shows nothing but the topic.
const GAME: &str = "standard";
/// Number of calls above which options to make fewer are suggested.
const FEW_CALLS: u64 = 100;

/// Tests guardrails, keeps the reports with them and prints them.
///
/// # Errors
/// When a guardrail cannot be found, the set has no safe prompt, or the test was not finished.
pub fn run(args: &GuardTestArgs, shop: &Workshop) -> anyhow::Result<Exit> {
    check_budget(args.budget_usd)?;
    let namespace = &args.place.namespace;
    let shelf = open_guardrails(shop, namespace)?;
    let groups = groups(args, shop, &shelf)?;
    let spec: DatasetSpec = args.dataset.parse()?;
    let mut loaded = dataset::load(&spec)?;
    let selection = Selection {
        limit: args.limit,
        sample: args.sample,
        seed: args.seed,
        ..Selection::default()
    };
    let topics = dataset::select(std::mem::take(&mut loaded.topics), &selection)?;
    let trial = trial(args, shop, &topics, &loaded.sha256)?;
    // Without a deciding model the trial was refused above.
    let deciding = args.model.as_deref().or(shop.config.default_model());
    let deciding = deciding.unwrap_or_default();
    output::notice(&format!(
        "{} on {}, decided by {deciding}",
        counted(groups.iter().map(Vec::len).sum(), "guardrail"),
        counted(topics.len(), "prompt"),
    ));
    let desk = shop.desk("memory", None)?;
    let place = DecisionLogKey {
        namespace,
        writer: &person_journal(&desk.person),
        dataset: &args.dataset,
        sha256: &loaded.sha256,
        model: deciding,
        at: &desk.clock.now(),
    };
    let before = match args.again {
        true => EarlierDecisions::Ignore,
        false => EarlierDecisions::Reuse,
    };
    let book = DecisionLog::open(&shop.layout, &desk.fsync, &place, before)?;
    for notice in book.notices() {
        output::notice(&format!("notice: {notice}"));
    }
    run_interruptible(|cancel| async move {
        model_names::check(shop, models_of(&trial.created.cast), args.names).await?;
        let names = ("prompt", "prompts");
        let progress = Arc::new(ExperimentProgress::begin(names, (0, 0), false));
        let context = shop.experiment("memory", progress.clone(), args.concurrency, cancel)?;
        let embedding = Arc::clone(&shop.embedding);
        let ranking = Ranking::new(&shop.layout, namespace, embedding, RankingPolicy::Freely);
        let tools = BenchmarkTools {
            context: &context,
            ranking: &ranking,
            log: &book,
        };
        let mut plans = Vec::new();
        for group in &groups {
            let planned = plan_benchmark(group, &trial, tools).await?;
            for notice in &planned.notices {
                output::notice(&format!("notice: {notice}"));
            }
            plans.push(planned.found);
        }
        announce(&plans);
        if args.estimate {
            return Ok(Exit::Fine);
        }
        let tests = plans.len();
        for (at, planned) in plans.iter().enumerate() {
            let found = match run_benchmark(planned, &trial, tools).await? {
                Tried::Over(found) => found,
                Tried::Stopped { decided, prompts } => {
                    output::notice(&format!(
                        "stopped in test {} of {tests}, after {decided} of {prompts} prompts; every \
                         decision is kept, and the same command goes on from here",
                        at + 1,
                    ));
                    return Ok(Exit::Unfinished);
                }
            };
            for (id, found) in found {
                print(args, shop, &id, &found)?;
                let tested = EntryChange::Do(id, EntryAction::Tested(Box::new(found)));
                keep(&desk, namespace, tested).await?;
            }
        }
        Ok(Exit::Fine)
    })
}

/// Says how many calls are to be made and what they cost, before any is made.
fn announce(plans: &[PlannedBenchmark<'_>]) {
    let estimates = plans.iter().map(|planned| planned.estimate);
    let Some(all) = estimates.reduce(|sum, one| sum.with(one)) else {
        return;
    };
    let known: usize = plans.iter().map(|planned| planned.known).sum();
    if known > 0 {
        output::notice(&format!(
            "{} before and not asked again (--again repeats them)",
            counted(known, "decision") + " made"
        ));
    }
    output::notice(&format!("estimate: {}", estimate::line(&all)));
    if all.at_most.calls > FEW_CALLS {
        output::notice(
            "each guardrail is asked about each prompt near it; --sample N draws fewer prompts, \
             --budget-usd stops before a sum, Ctrl-C keeps what was decided",
        );
    }
}

/// Returns which guardrails are asked together.
fn groups<'a>(
    args: &GuardTestArgs,
    shop: &Workshop,
    shelf: &'a NamespaceEntries,
) -> anyhow::Result<Vec<Vec<&'a MemoryEntry>>> {
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

fn trial<'a>(
    args: &GuardTestArgs,
    shop: &Workshop,
    topics: &'a [Topic],
    sha256: &str,
) -> anyhow::Result<GuardrailBenchmark<'a>> {
    let first = topics.first().context("the selection leaves no prompt")?;
    let plan = GamePlan {
        protocol: GAME,
        settings: crate::debate::protocol::Settings::new(),
        rounds: None,
        debaters: 0,
    };
    let game = plan.game(&shop.library)?.with_guardrails(&shop.library)?;
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
    let created = party.created(&shop.layout, shop.clock, debate)?;
    let chair = created.guarded_chairs().into_iter().next();
    Ok(GuardrailBenchmark {
        chair: chair.context("no seat of the game can have guardrails")?,
        created,
        game: party.game,
        topics,
        dataset: args.dataset.clone(),
        sha256: sha256.to_owned(),
        budget_usd: args.budget_usd,
    })
}

fn print(
    args: &GuardTestArgs,
    shop: &Workshop,
    id: &EntryId,
    found: &GuardReport,
) -> anyhow::Result<()> {
    if args.output.json {
        let line = serde_json::to_string(&serde_json::json!({ "guardrail": id, "report": found }))?;
        return output::out(&format!("{}\n", output::harmless_json(&line)));
    }
    let mut page = Page::new(output::width(), shop.colour);
    page.line(0, &id.0);
    report::write(&mut page, found, found.revision);
    output::out(&page.finish())
}
