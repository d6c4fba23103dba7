//! Plan of quickstart and its estimated cost, shown before anything is written or sent.

use super::args::QuickstartArgs;
use super::choices::ChosenCast;
use super::{GAME, QuickstartSetup, clean_line};
use crate::cli::common::ceilings::{BegunOrResumed, with_price_advice};
use crate::cli::common::{
    CommandContext, Default as Answer, estimate, format_noun_count, print_notice, question,
};
use crate::cli::run::{list_cast_notices, read_cast_request, simulation_notice};
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
pub fn draw_topics(
    args: &QuickstartArgs,
    context: &CommandContext,
) -> Result<(LoadedTopics, Vec<Topic>)> {
    if args.debates == 0 {
        bail!("--debates 0 plays nothing; give 1 or more");
    }
    let columns = ColumnChoice::join_choices(&args.column, args.ignore.iter().cloned());
    let request = TopicRequest {
        columns: columns.map_err(anyhow::Error::msg)?,
        ..TopicRequest::from_dataset(&args.dataset)
    };
    let (loaded, topics) = request.load_topics(&context.store.layout)?;
    if topics.is_empty() {
        bail!("{} has no topic to debate", clean_line(&args.dataset));
    }
    let selection = Selection {
        sample: (topics.len() > args.debates).then_some(args.debates),
        seed: args.seed,
        ..Selection::default()
    };
    Ok((loaded, dataset::select_topics(topics, &selection)?))
}

/// Questions names that the server does not list.
///
/// # Errors
/// When a name is on no list and is not confirmed.
pub(super) fn check_names(
    args: &QuickstartArgs,
    chosen: &ChosenCast,
    server: &FoundServer,
) -> Result<()> {
    let names = chosen.debaters.iter().chain([&chosen.evaluator]);
    let is_listed = |name: &&String| server.models.contains(name) || *name == SIM;
    let mut unlisted_names: Vec<&str> = names
        .filter(|name| !is_listed(name))
        .map(String::as_str)
        .collect();
    unlisted_names.dedup();
    if unlisted_names.is_empty() || args.names.unlisted {
        return Ok(());
    }
    let complaint = format!(
        "the server does not list '{}'",
        clean_line(&unlisted_names.join("', '"))
    );
    if !question::is_somebody_there() {
        bail!("{complaint}; nothing was sent. Name models that it lists, or say --unlisted");
    }
    let answer = question::confirm(&format!("{complaint}. Use it all the same?"), Answer::No)?;
    match answer {
        Some(true) => Ok(()),
        Some(false) | None => bail!("{complaint}; nothing was sent"),
    }
}

/// Says what a debate is, who plays, and what all debates will cost.
///
/// # Errors
/// When it cannot be played.
pub(super) fn print_plan(
    args: &QuickstartArgs,
    context: &CommandContext,
    quick: &QuickstartSetup,
    (loaded, topics): (&LoadedTopics, Vec<Topic>),
) -> Result<()> {
    let count = topics.len();
    let seats =
        build_seats(context, quick)?.with_prices(Prices::from_typed_prices(&args.budget.price)?);
    let players = &quick.cast;
    let run_args = super::build_run_args(args, players, count);
    let cast = read_cast_request(&run_args.cast)?;
    let game = GamePlan {
        debaters: players.debaters.len(),
        ..GamePlan::from_protocol(GAME)
    };
    let for_cast = game.load_game_for_cast(&context.library, &cast, &seats, None)?;
    let protocol = &for_cast.game.protocol;
    print_notice(&format!("\n{}: {}", protocol.name, protocol.description));
    print_notice(&format!(
        "{} answer in {}, and {} judges every answer",
        format_noun_count(protocol.judged_chairs().len(), "debater"),
        format_noun_count(protocol.rounds as usize, "round"),
        clean_line(&players.evaluator),
    ));
    print_notice(&format!(
        "debaters: {}",
        clean_line(&players.debaters.join(", "))
    ));
    list_cast_notices(&for_cast)
        .iter()
        .for_each(|line| print_notice(line));
    let plan = SeatingPlan {
        cast: &cast,
        default_model: None,
        present: Attendance::Nobody,
        namespace: elenchus_records::workspace::memory::DEFAULT_NAMESPACE,
        budget_usd: context.resolve_ceilings(&args.budget)?.cost_usd,
    };
    // What is refused is refused before anything is written.
    let seated_game = SeatedGame::from_plan(for_cast.game, &plan, &seats, &context.store.layout)
        .map_err(|error| with_price_advice(&args.budget, error.into(), &BegunOrResumed::Begins))?;
    if let Some(notice) = TopicCount::from_topics(&topics).duplicate_notice() {
        print_notice(&notice);
    }
    if let Some(simulation_note) = simulation_notice(&seated_game.cast) {
        print_notice(&simulation_note);
    }
    let request = RunRequest::new_plain(args.seed);
    let run_plan = request.plan_run(
        &seated_game,
        (loaded, topics),
        &context.store.layout,
        context.store.clock,
    )?;
    let total_estimate = run_plan.estimate_cost();
    let has_price = total_estimate
        .as_ref()
        .is_some_and(|all| all.likely.cost_usd.is_some());
    print_notice(&format!(
        "{}: {}{}\n",
        format_noun_count(count, "debate"),
        total_estimate
            .as_ref()
            .map_or_else(unknown_cost, estimate::line),
        if has_price {
            ""
        } else {
            "; --price IN,OUT, in US dollars a million tokens, says what that costs"
        }
    ));
    Ok(())
}

fn unknown_cost() -> String {
    "too many calls to be estimated".to_owned()
}

/// The models as they will be configured; nothing is written yet.
fn build_seats(context: &CommandContext, quick: &QuickstartSetup) -> Result<Seats> {
    let mut table: ModelTable = context.config.models.clone();
    if let Some(server) = &quick.server {
        let settings = &server.settings;
        let name = server
            .provider
            .clone()
            .unwrap_or_else(|| UNNAMED.to_owned());
        let key = settings.api_key_env.as_deref();
        let pair = Trusted::from_url(&settings.base_url, key, "quickstart")?;
        if server.provider.is_none() {
            table.trust.pairs.push(pair);
            table.providers.insert(name.clone(), settings.clone());
        }
        let models = quick.cast.debaters.iter().chain([&quick.cast.evaluator]);
        for model in models.filter(|model| *model != SIM) {
            // A model of that name elsewhere is another one.
            let is_its = |known: &ModelSettings| {
                known.provider_names() == [name.as_str()] && known.name == *model
            };
            if !table.models.get(model).is_some_and(is_its) {
                let settings = ModelSettings::from_name(&name, model);
                table.models.insert(model.clone(), settings);
            }
        }
    }
    let environment: Environment = Arc::new(|name: &str| std::env::var(name).ok());
    let recordings: OpenRecording =
        Arc::new(|_: &str| elenchus_records::workspace::reject("nothing is replayed here"));
    Ok(Seats::new(table, environment, recordings))
}
