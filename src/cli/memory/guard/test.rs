//! `elenchus memory guardrails test`.

use super::{change, report, shelf};
use crate::cli::args::CastArgs;
use crate::cli::args_guard::GuardTestArgs;
use crate::cli::exit::Exit;
use crate::cli::memory::desk;
use crate::cli::page::{self, Page, counted};
use crate::cli::run::on_a_runtime;
use crate::cli::run_plan::cast_request;
use crate::cli::workshop::Workshop;
use crate::dataset::{self, DatasetSpec, Selection};
use crate::debate::Topic;
use crate::debate::event::MemoryUse;
use crate::driver::{
    Budget, GamePlan, GuardChange, OneDebate, Party, PartyPlan, Present, Ranked, Ranking, Trial,
    TrialFloor, check_budget, try_guards,
};
use crate::memory::{Guard, GuardId, GuardReport, Standing};
use anyhow::{Context, bail};
use std::sync::Arc;

/// The game whose first debater decides: its only stage shows nothing but the topic.
const GAME: &str = "standard";
/// Prompts that are decided side by side unless told otherwise.
const DEFAULT_CONCURRENCY: usize = 16;

/// Tests guardrails, keeps the reports with them and prints them.
///
/// # Errors
/// When a guardrail cannot be found, the set has no safe prompt, or the test was not finished.
pub fn run(args: &GuardTestArgs, shop: &Workshop) -> anyhow::Result<Exit> {
    check_budget(args.budget_usd)?;
    let namespace = &args.place.namespace;
    let shelf = shelf(shop, namespace)?;
    let groups = groups(args, &shelf.fold.guards, |text| Ok(shelf.find(text)?))?;
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
    if !args.json {
        page::notice(&format!(
            "{} on {}, decided by {}",
            counted(groups.iter().map(Vec::len).sum(), "guardrail"),
            counted(topics.len(), "prompt"),
            args.model.as_deref().unwrap_or(shop.config.default_model()),
        ));
    }
    let desk = desk(shop)?;
    on_a_runtime(|cancel| async move {
        let budget = Budget::new(args.budget_usd, 0.0);
        let embedding = Arc::clone(&shop.embedding);
        let ranking = Ranking::of(&shop.layout, namespace, embedding, Ranked::Freely);
        let floor = TrialFloor {
            seats: &shop.seats,
            budget: &budget,
            ranking: &ranking,
            cancel: &cancel,
            concurrency: args.concurrency.unwrap_or(DEFAULT_CONCURRENCY),
        };
        for group in &groups {
            let tried = try_guards(group, &trial, floor).await?;
            for notice in &tried.notices {
                page::notice(&format!("notice: {notice}"));
            }
            for (id, found) in tried.found {
                print(args, shop, &id, &found)?;
                let tested = GuardChange::Tested(id, Box::new(found));
                change::keep(&desk, namespace, tested).await?;
            }
        }
        Ok(Exit::Fine)
    })
}

/// Returns which guardrails are asked together.
fn groups<'a>(
    args: &GuardTestArgs,
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
        bail!(
            "no guardrail of memory '{}' is proposed; name those that are to be tested",
            args.place.namespace
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
