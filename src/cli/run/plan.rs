//! Plan of a run from its arguments: game, cast, topics, settings and limits.

use super::args::RunArgs;
use crate::cli::common::FIRST_GAME;
use crate::cli::common::args::CastArgs;
use crate::cli::common::{CommandContext, output, parse_settings, people, read_text};
use anyhow::{Result, bail};
use elenchus_dataset::ColumnChoice;
use elenchus_game::debate::event::{MemoryUse, Participant, TrainingTexts};
use elenchus_game::debate::{SeatId, Topic};
use elenchus_records::library::Game;
use elenchus_records::workspace::memory::MemoryKind;
use elenchus_records::workspace::run::{CeilingsOf, Shard};
use elenchus_run::engine::seats::{CastRequest, GameForCast, SeatRequest};
use elenchus_run::engine::{GamePlan, SeatedGame, SeatingPlan, add_guardrails};
use elenchus_run::experiments::run::{
    AcceptanceRequest, LoadedTopics, MemoryRequest, PlannedRun, RunRequest, TopicRequest,
    TrainingRequest,
};

/// Whether notices on a cast are still to be printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CastNotices {
    Print,
    /// They were printed before the confirmation.
    AlreadyPrinted,
}

/// Reads game and cast from the command line.
pub(crate) fn seat_game(
    args: &RunArgs,
    context: &CommandContext,
    telling: CastNotices,
) -> Result<SeatedGame> {
    let default_protocol = context.config.defaults.protocol.as_deref();
    let protocol = args.protocol.as_deref().or(default_protocol);
    if protocol.is_none() && !args.experiment.quiet {
        output::print_notice(&format!(
            "game: {FIRST_GAME}, as none was named (--protocol takes another)"
        ));
    }
    let protocol = protocol.unwrap_or(FIRST_GAME);
    let request = GameRequest {
        protocol,
        set: &args.set,
        rounds: args.rounds,
        cast: &args.cast,
        telling,
    };
    let mut game = load_game(&request, context)?;
    if args
        .learning
        .memory_kinds()
        .contains(&MemoryKind::Guardrails)
    {
        game = add_guardrails(&game, &context.library)?;
    }
    let plan = SeatingPlan {
        cast: &read_cast_request(&args.cast)?,
        default_model: context.config.default_model(),
        present: people::attendance(),
        namespace: &args.learning.memory_namespace,
        budget_usd: context.resolve_ceilings(&args.experiment.budget)?.cost_usd,
    };
    Ok(SeatedGame::from_plan(
        game,
        &plan,
        &context.seats,
        &context.store.layout,
    )?)
}

/// A game as a command line names it.
pub(crate) struct GameRequest<'a> {
    pub protocol: &'a str,
    pub set: &'a [String],
    pub rounds: Option<u32>,
    pub cast: &'a CastArgs,
    pub telling: CastNotices,
}

/// Reads and rehearses a game, and says what is to be known of it and its cast before it is played.
pub(crate) fn load_game(args: &GameRequest<'_>, context: &CommandContext) -> Result<Game> {
    let plan = GamePlan {
        protocol: args.protocol,
        settings: parse_settings("--set", args.set)?,
        rounds: args.rounds,
        debaters: args.cast.debaters.len(),
    };
    let cast = read_cast_request(args.cast)?;
    let default_model = context.config.default_model();
    let for_cast =
        plan.load_game_for_cast(&context.library, &cast, &context.seats, default_model)?;
    match args.telling {
        CastNotices::Print => list_cast_notices(&for_cast)
            .iter()
            .for_each(|line| output::print_notice(line)),
        CastNotices::AlreadyPrinted => {}
    }
    Ok(for_cast.game)
}

/// Says where evaluators are guards, are asked in a format that is not theirs, or judge themselves, and
/// which prompts nobody pinned; a line each.
pub(crate) fn list_cast_notices(for_cast: &GameForCast) -> Vec<String> {
    let guard = for_cast.guard.iter();
    let guard = guard.map(|guard| format!("notice: {guard} (--set rubric=NAME takes another)"));
    let mismatches = for_cast.mismatches.iter();
    let mismatches = mismatches.map(|mismatch| format!("warning: {mismatch}"));
    let judging = for_cast.self_judging.iter();
    let judging = judging.map(|judging| {
        format!(
            "warning: {judging} ({} seats another)",
            judging.format_option()
        )
    });
    let pin_warnings = for_cast.game.unpinned_warnings().into_iter();
    let pin_warnings = pin_warnings.map(|unpinned| format!("warning: {unpinned}"));
    let notices = guard.chain(mismatches).chain(judging).chain(pin_warnings);
    notices.map(|line| output::clean_line(&line)).collect()
}

/// Names the simulated seats; `None` where there are none.
pub(crate) fn simulation_notice(cast: &[Participant]) -> Option<String> {
    let simulated_players = cast.iter().filter(|one| one.player.is_simulated());
    let simulated_players: Vec<&Participant> = simulated_players.collect();
    let mut seats: Vec<&str> = simulated_players
        .iter()
        .map(|one| one.chair.seat.as_str())
        .collect();
    seats.dedup();
    (!seats.is_empty()).then(|| {
        format!(
            "simulated: {}; what a simulated model says is never evidence about a model",
            seats.join(", ")
        )
    })
}

/// Reads who is to sit where.
pub(crate) fn read_cast_request(args: &CastArgs) -> Result<CastRequest> {
    let mut request: CastRequest = match &args.cast {
        Some(path) => {
            let text = read_text(path)?;
            let file = path.display().to_string();
            CastRequest::parse(&file, &text).map_err(anyhow::Error::msg)?
        }
        None => CastRequest::default(),
    };
    if args.model.is_some() {
        request.model.clone_from(&args.model);
        request.model_file = None;
    }
    let mut seat = |name: &str, models: Vec<String>| {
        if !models.is_empty() {
            let seat: &mut SeatRequest = request.seats.entry(SeatId::new(name)).or_default();
            seat.models = models;
            seat.model = None;
            seat.file = None;
        }
    };
    seat("debater", args.debaters.clone());
    for (name, model) in [
        ("evaluator", &args.evaluator),
        ("feedback", &args.feedback),
        ("socratic", &args.socratic),
        ("angel", &args.angel),
        ("devil", &args.devil),
        ("proposer", &args.proposer),
        ("critic", &args.critic),
        ("judge", &args.judge),
    ] {
        seat(name, model.iter().cloned().collect());
    }
    for pair in &args.seat {
        let Some((name, models)) = pair.split_once('=') else {
            bail!("--seat {pair}: write SEAT=MODEL, as in --seat debater=human");
        };
        seat(
            name.trim(),
            models
                .split(',')
                .map(|model| model.trim().to_owned())
                .collect(),
        );
    }
    Ok(request)
}

/// What is asked of long-term memory.
fn build_memory_request(args: &RunArgs, context: &CommandContext) -> MemoryRequest {
    MemoryRequest {
        kinds: args.learning.memory_kinds(),
        namespace: args.learning.memory_namespace.clone(),
        snapshot: args.learning.memory_snapshot.clone(),
        duplicates: args.learning.keep_duplicates,
        lookup: Some(args.learning.lookup.memory_lookup()),
        guard_examples: context.store.recorded_examples(),
    }
}

/// How adapters are trained.
///
/// # Errors
/// When an option about that is given and nothing is trained.
fn build_training_request(args: &RunArgs, context: &CommandContext) -> Result<TrainingRequest> {
    let learning = &args.learning;
    let typed_options = [
        ("--train-every", learning.train_every.is_some()),
        ("--train-cmd", learning.train_cmd.is_some()),
        ("--train-placebo", learning.train_placebo),
    ];
    let is_trained = learning.memory_kinds().contains(&MemoryKind::Continuous);
    if let Some((option, _)) = typed_options.into_iter().find(|(_, given)| *given)
        && !is_trained
    {
        bail!("{option} needs --memory continuous: nothing else is trained");
    }
    let default = TrainingRequest::default();
    Ok(TrainingRequest {
        every: learning.train_every.unwrap_or(default.every),
        texts: match learning.train_placebo {
            true => TrainingTexts::Placebo,
            false => TrainingTexts::Lessons,
        },
        recipe: context.training.recipe(),
    })
}

/// What a debate reads and writes of long-term memory.
///
/// # Errors
/// When no seat of the game sees memory, or a snapshot is neither a time nor a run.
pub(super) fn plan_memory_use(
    args: &RunArgs,
    context: &CommandContext,
    seated_game: &SeatedGame,
) -> Result<MemoryUse> {
    if args
        .learning
        .memory_kinds()
        .contains(&MemoryKind::Continuous)
    {
        bail!(
            "one debate trains nothing: give --dataset, or leave 'continuous' out of --memory and seat a model \
             that was trained elsewhere"
        );
    }
    Ok(build_memory_request(args, context).build_memory_use(
        seated_game,
        &context.store.layout,
        context.store.clock,
    )?)
}

/// Reads data sets, telling which rows were refused.
pub(crate) fn load_topics(
    args: &RunArgs,
    context: &CommandContext,
) -> Result<(LoadedTopics, Vec<Topic>)> {
    let request = TopicRequest {
        datasets: args.dataset.clone(),
        columns: args.topics.column_choice()?,
        selection: args.topics.topic_selection(args.seed.seed),
        criterion: args.select.clone(),
    };
    Ok(request.load_topics(&context.store.layout)?)
}

/// Returns the part of a run that is asked for.
pub(super) fn read_shard(args: &RunArgs) -> Result<Option<Shard>> {
    let Some(text) = &args.shard else {
        return Ok(None);
    };
    let shard: Shard = text.parse().map_err(anyhow::Error::msg)?;
    let ceilings_of = match args.budget_each {
        true => CeilingsOf::Part,
        false => CeilingsOf::Whole,
    };
    Ok(Some(Shard {
        ceilings_of,
        ..shard
    }))
}

/// Plans a run over topics.
pub(crate) fn plan_run(
    args: &RunArgs,
    context: &CommandContext,
    seated_game: &SeatedGame,
    loaded: &LoadedTopics,
    topics: Vec<Topic>,
) -> Result<PlannedRun> {
    let shard = read_shard(args)?;
    let (named, ignored) = (&args.learning.benign_column, &args.learning.benign_ignore);
    let benign_columns = ColumnChoice::join_choices(named, ignored.iter().cloned());
    let benign_columns = benign_columns.map_err(anyhow::Error::msg)?;
    let request = RunRequest {
        seed: args.seed.seed,
        rollouts: args.rollouts,
        shard,
        casts: args.permute_cast,
        ceilings: context.resolve_ceilings(&args.experiment.budget)?,
        memory: build_memory_request(args, context),
        learn_batch: args.learning.learn_batch,
        split: args.learning.split,
        placebo: args.learning.placebo,
        acceptance: args
            .learning
            .accept_guardrails
            .zip(args.learning.benign.clone())
            .map(|(max_over_refusal, benign)| AcceptanceRequest {
                max_over_refusal,
                benign,
                columns: benign_columns,
            }),
        training: build_training_request(args, context)?,
    };
    Ok(request.plan_run(
        seated_game,
        (loaded, topics),
        &context.store.layout,
        context.store.clock,
    )?)
}
