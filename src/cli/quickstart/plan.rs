//! Plan of quickstart and its estimated cost, shown before anything is written or sent.

use super::args::QuickstartArgs;
use super::choices::Chosen;
use super::{GAME, Quick, clean, say};
use crate::cli::common::ceilings::{BegunOrResumed, with_ways};
use crate::cli::common::{Default as Answer, Workshop, counted, estimate, question};
use crate::cli::run::{cast_notices, cast_request, simulation_notice};
use anyhow::{Result, bail};
use elenchus_dataset as dataset;
use elenchus_dataset::{ColumnChoice, Selection};
use elenchus_game::debate::Topic;
use elenchus_model::{ModelSettings, Trusted};
use elenchus_run::engine::seats::{
    Environment, FoundServer, ModelTable, OpenRecording, Prices, SIM, Seats,
};
use elenchus_run::engine::{Attendance, GamePlan, SeatedGame, SeatingPlan};
use elenchus_run::experiments::run::{LoadedTopics, RunRequest, TopicCount, TopicRequest};
use std::sync::Arc;

/// A name for the server until it has one in the configuration.
const UNNAMED: &str = "quickstart";

/// Reads the file and draws its topics: all of them where there are no more than are wanted.
///
/// # Errors
/// When it cannot be read as what it is said to be.
pub fn topics(args: &QuickstartArgs, shop: &Workshop) -> Result<(LoadedTopics, Vec<Topic>)> {
    if args.debates == 0 {
        bail!("--debates 0 plays nothing; give 1 or more");
    }
    let columns = ColumnChoice::joined(&args.column, args.ignore.iter().cloned());
    let request = TopicRequest {
        columns: columns.map_err(anyhow::Error::msg)?,
        ..TopicRequest::all_of(&args.dataset)
    };
    let (loaded, topics) = request.load(&shop.layout)?;
    if topics.is_empty() {
        bail!("{} has no topic to debate", clean(&args.dataset));
    }
    let selection = Selection {
        sample: (topics.len() > args.debates).then_some(args.debates),
        seed: args.seed,
        ..Selection::default()
    };
    Ok((loaded, dataset::select(topics, &selection)?))
}

/// Questions names that the server does not list.
///
/// # Errors
/// When a name is on no list and is not confirmed.
pub(super) fn check_names(
    args: &QuickstartArgs,
    chosen: &Chosen,
    server: &FoundServer,
) -> Result<()> {
    let names = chosen.debaters.iter().chain([&chosen.evaluator]);
    let is_listed = |name: &&String| server.models.contains(name) || *name == SIM;
    let mut unlisted: Vec<&str> = names
        .filter(|name| !is_listed(name))
        .map(String::as_str)
        .collect();
    unlisted.dedup();
    if unlisted.is_empty() || args.names.unlisted {
        return Ok(());
    }
    let said = format!(
        "the server does not list '{}'",
        clean(&unlisted.join("', '"))
    );
    if !question::is_somebody_there() {
        bail!("{said}; nothing was sent. Name models that it lists, or say --unlisted");
    }
    let meant = question::yes_or_no(&format!("{said}. Use it all the same?"), Answer::No)?;
    match meant {
        Some(true) => Ok(()),
        Some(false) | None => bail!("{said}; nothing was sent"),
    }
}

/// Says what a debate is, who plays, and what all debates will cost.
///
/// # Errors
/// When it cannot be played.
pub(super) fn print_plan(
    args: &QuickstartArgs,
    shop: &Workshop,
    quick: &Quick,
    (loaded, topics): (&LoadedTopics, Vec<Topic>),
) -> Result<()> {
    let count = topics.len();
    let seats = seats(shop, quick)?.priced(Prices::from_typed(&args.budget.price)?);
    let chosen = &quick.chosen;
    let run_args = super::run_args(args, chosen, count);
    let cast = cast_request(&run_args.cast)?;
    let game = GamePlan {
        debaters: chosen.debaters.len(),
        ..GamePlan::plain(GAME)
    };
    let for_cast = game.game_for(&shop.library, &cast, &seats, None)?;
    let protocol = &for_cast.game.protocol;
    say(&format!("\n{}: {}", protocol.name, protocol.description));
    say(&format!(
        "{} answer in {}, and {} judges every answer",
        counted(protocol.judged_chairs().len(), "debater"),
        counted(protocol.rounds as usize, "round"),
        clean(&chosen.evaluator),
    ));
    say(&format!("debaters: {}", clean(&chosen.debaters.join(", "))));
    cast_notices(&for_cast).iter().for_each(|line| say(line));
    let plan = SeatingPlan {
        cast: &cast,
        default_model: None,
        present: Attendance::Nobody,
        namespace: elenchus_records::workspace::memory::DEFAULT_NAMESPACE,
        budget_usd: shop.ceilings(&args.budget)?.cost_usd,
    };
    // What is refused is refused before anything is written.
    let party = SeatedGame::gather(for_cast.game, &plan, &seats, &shop.layout)
        .map_err(|error| with_ways(&args.budget, error.into(), &BegunOrResumed::Begins))?;
    if let Some(notice) = TopicCount::of(&topics).notice() {
        say(&notice);
    }
    if let Some(simulated) = simulation_notice(&party.cast) {
        say(&simulated);
    }
    let request = RunRequest::plain(args.seed);
    let planned = request.plan(&party, (loaded, topics), &shop.layout, shop.clock)?;
    let all = planned.estimate();
    let has_price = all
        .as_ref()
        .is_some_and(|all| all.likely.cost_usd.is_some());
    say(&format!(
        "{}: {}{}\n",
        counted(count, "debate"),
        all.as_ref().map_or_else(unknown, estimate::line),
        if has_price {
            ""
        } else {
            "; --price IN,OUT, in US dollars a million tokens, says what that costs"
        }
    ));
    Ok(())
}

fn unknown() -> String {
    "too many calls to be estimated".to_owned()
}

/// The models as they will be configured; nothing is written yet.
fn seats(shop: &Workshop, quick: &Quick) -> Result<Seats> {
    let mut table: ModelTable = shop.config.models.clone();
    if let Some(server) = &quick.server {
        let settings = &server.settings;
        let name = server
            .provider
            .clone()
            .unwrap_or_else(|| UNNAMED.to_owned());
        let key = settings.api_key_env.as_deref();
        let pair = Trusted::at(&settings.base_url, key, "quickstart")?;
        if server.provider.is_none() {
            table.trust.pairs.push(pair);
            table.providers.insert(name.clone(), settings.clone());
        }
        let models = quick
            .chosen
            .debaters
            .iter()
            .chain([&quick.chosen.evaluator]);
        for model in models.filter(|model| *model != SIM) {
            // A model of that name elsewhere is another one.
            let is_its =
                |known: &ModelSettings| known.servers() == [name.as_str()] && known.name == *model;
            if !table.models.get(model).is_some_and(is_its) {
                let settings = ModelSettings::named(&name, model);
                table.models.insert(model.clone(), settings);
            }
        }
    }
    let environment: Environment = Arc::new(|name: &str| std::env::var(name).ok());
    let recordings: OpenRecording = Arc::new(|_: &str| Err("nothing is replayed here".to_owned()));
    Ok(Seats::new(table, environment, recordings))
}
