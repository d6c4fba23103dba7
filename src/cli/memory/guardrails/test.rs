//! `elenchus memory guardrails test`.

use super::{change, elsewhere, report, shelf};
use crate::cli::args::CastArgs;
use crate::cli::args_guard::GuardTestArgs;
use crate::cli::estimate;
use crate::cli::exit::Exit;
use crate::cli::memory::desk;
use crate::cli::model_names;
use crate::cli::page::{self, Page, counted};
use crate::cli::run::on_a_runtime;
use crate::cli::run_plan::cast_request;
use crate::cli::workshop::Workshop;
use crate::dataset::{self, DatasetSpec, Selection};
use crate::debate::Topic;
use crate::debate::event::MemoryUse;
use crate::driver::memory_desk::person_journal;
use crate::driver::{
    Before, Budget, GamePlan, GuardChange, OneDebate, Party, PartyPlan, PlannedTrial, Present,
    Ranked, Ranking, Trial, TrialBook, TrialFloor, TrialPlace, Tried, check_budget, models_of,
    plan_trial, try_guards,
};
use crate::memory::{Guard, GuardId, GuardReport, Standing};
use anyhow::{Context, bail};
use std::sync::Arc;

/// The game whose first debater decides: its only stage shows nothing but the topic.
const GAME: &str = "standard";
/// Prompts that are decided side by side unless told otherwise.
const DEFAULT_CONCURRENCY: usize = 16;
/// Up to so many calls nobody needs to be told how to make fewer.
const FEW_CALLS: u64 = 100;

/// Tests guardrails, keeps the reports with them and prints them.
///
/// # Errors
/// When a guardrail cannot be found, the set has no safe prompt, or the test was not finished.
pub fn run(args: &GuardTestArgs, shop: &Workshop) -> anyhow::Result<Exit> {
    check_budget(args.budget_usd)?;
    let namespace = &args.place.namespace;
    let shelf = shelf(shop, namespace)?;
    let groups = groups(args, shop, &shelf.fold.guards, |text| Ok(shelf.find(text)?))?;
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
    // Where nobody decides, the trial was refused just now.
    let deciding = args.model.as_deref().or(shop.config.default_model());
    let deciding = deciding.unwrap_or_default();
    page::notice(&format!(
        "{} on {}, decided by {deciding}",
        counted(groups.iter().map(Vec::len).sum(), "guardrail"),
        counted(topics.len(), "prompt"),
    ));
    let desk = desk(shop)?;
    let place = TrialPlace {
        namespace,
        writer: &person_journal(&desk.person),
        dataset: &args.dataset,
        sha256: &loaded.sha256,
        model: deciding,
        at: &desk.clock.now(),
    };
    let before = match args.again {
        true => Before::AskedAnew,
        false => Before::Counts,
    };
    let book = TrialBook::open(&shop.layout, &desk.fsync, &place, before)?;
    for notice in book.notices() {
        page::notice(&format!("notice: {notice}"));
    }
    on_a_runtime(|cancel| async move {
        model_names::check(shop, models_of(&trial.created.cast), args.names).await?;
        let budget = Budget::new(args.budget_usd, 0.0);
        let embedding = Arc::clone(&shop.embedding);
        let ranking = Ranking::of(&shop.layout, namespace, embedding, Ranked::Freely);
        let floor = TrialFloor {
            seats: &shop.seats,
            budget: &budget,
            ranking: &ranking,
            clock: desk.clock,
            book: &book,
            cancel: &cancel,
            concurrency: args.concurrency.unwrap_or(DEFAULT_CONCURRENCY),
        };
        let mut plans = Vec::new();
        for group in &groups {
            let planned = plan_trial(group, &trial, floor).await?;
            for notice in &planned.notices {
                page::notice(&format!("notice: {notice}"));
            }
            plans.push(planned.found);
        }
        announce(&plans);
        if args.estimate {
            return Ok(Exit::Fine);
        }
        let tests = plans.len();
        for (at, planned) in plans.iter().enumerate() {
            let found = match try_guards(planned, &trial, floor).await? {
                Tried::Over(found) => found,
                Tried::Stopped { decided, prompts } => {
                    page::notice(&format!(
                        "stopped in test {} of {tests}, after {decided} of {prompts} prompts; every \
                         decision is kept, and the same command goes on from here",
                        at + 1,
                    ));
                    return Ok(Exit::Unfinished);
                }
            };
            for (id, found) in found {
                print(args, shop, &id, &found)?;
                let tested = GuardChange::Tested(id, Box::new(found));
                change::keep(&desk, namespace, tested).await?;
            }
        }
        Ok(Exit::Fine)
    })
}

/// Says how many calls are to be made and what they cost, before any is made.
fn announce(plans: &[PlannedTrial<'_>]) {
    let estimates = plans.iter().map(|planned| planned.estimate);
    let Some(all) = estimates.reduce(|sum, one| sum.with(one)) else {
        return;
    };
    let known: usize = plans.iter().map(|planned| planned.known).sum();
    if known > 0 {
        page::notice(&format!(
            "{} before and not asked again (--again asks anew)",
            counted(known, "decision") + " made"
        ));
    }
    page::notice(&format!("estimate: {}", estimate::line(&all)));
    if all.at_most.calls > FEW_CALLS {
        page::notice(
            "each guardrail is asked about each prompt near it; --sample N draws fewer prompts, \
             --budget-usd stops before a sum, Ctrl-C keeps what was decided",
        );
    }
}

/// Returns which guardrails are asked together.
fn groups<'a>(
    args: &GuardTestArgs,
    shop: &Workshop,
    all: &'a [Guard],
    find: impl Fn(&str) -> anyhow::Result<&'a Guard>,
) -> anyhow::Result<Vec<Vec<&'a Guard>>> {
    if !args.guardrail.is_empty() {
        let named = args.guardrail.iter().map(|text| find(text));
        return Ok(vec![named.collect::<anyhow::Result<_>>()?]);
    }
    let proposed = |guard: &&Guard| guard.standing == Standing::Proposed && !guard.deleted;
    let each: Vec<Vec<&Guard>> = all
        .iter()
        .filter(proposed)
        .map(|guard| vec![guard])
        .collect();
    if each.is_empty() {
        let namespace = &args.place.namespace;
        bail!(
            "no guardrail of memory '{namespace}' is proposed{}; name those that are to be tested",
            elsewhere(shop, namespace)
        );
    }
    Ok(each)
}

fn trial<'a>(
    args: &GuardTestArgs,
    shop: &Workshop,
    topics: &'a [Topic],
    sha256: &str,
) -> anyhow::Result<Trial<'a>> {
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
    let party = PartyPlan {
        cast: &cast_request(&cast)?,
        default_model: shop.config.default_model(),
        present: Present::Nobody,
        namespace: &args.place.namespace,
        budget_usd: args.budget_usd,
    };
    let party = Party::gather(game, &party, &shop.seats, &shop.layout)?;
    let debate = OneDebate {
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
    Ok(Trial {
        chair: chair.context("nobody in the game could be guarded")?,
        created,
        game: party.game,
        topics,
        dataset: args.dataset.clone(),
        sha256: sha256.to_owned(),
    })
}

fn print(
    args: &GuardTestArgs,
    shop: &Workshop,
    id: &GuardId,
    found: &GuardReport,
) -> anyhow::Result<()> {
    if args.json {
        let line = serde_json::to_string(&serde_json::json!({ "guardrail": id, "report": found }))?;
        return page::out(&format!("{}\n", page::harmless_json(&line)));
    }
    let mut page = Page::new(page::width(), shop.colour);
    page.line(0, &id.0);
    report::write(&mut page, found, found.revision);
    page::out(&page.finish())
}
