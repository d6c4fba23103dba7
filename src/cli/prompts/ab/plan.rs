//! Plan of `elenchus prompts ab`: prompts, turns or debates, and judges.

use super::args::AbArgs;
use crate::cli::common::args::CastArgs;
use crate::cli::common::read_text;
use crate::cli::common::{CommandContext, output};
use crate::cli::metrics::resolve_sessions;
use crate::cli::prompts::text::read_prompt_text;
use crate::cli::prompts::trial::to_roll_forward;
use crate::cli::run::{CastNotices, GameRequest, plan, print_refused_rows};
use anyhow::{Context, Result, bail};
use elenchus_annotation::validation::read_known_truth;
use elenchus_game::debate::event::Participant;
use elenchus_game::debate::protocol::Ceilings;
use elenchus_game::debate::{Chair, SessionId};
use elenchus_records::library::Library;
use elenchus_records::workspace::memory::DEFAULT_NAMESPACE;
use elenchus_records::workspace::{StoreIndex, read_session};
use elenchus_run::engine::seats::models_of;
use elenchus_run::engine::{Attendance, SeatedGame, SeatingPlan, check_options};
use elenchus_run::experiments::ExperimentContext;
use elenchus_run::experiments::prompt_ab::{
    AbArm, AbContext, AbPlan, AbPreference, AbStop, KnownTruth, TemplateFilter, TurnFilter,
    VerdictTruth, create_fresh_contexts, select_turns,
};
use elenchus_run::experiments::prompt_trial::RollForward;
use elenchus_run::experiments::run::TopicRequest;
use std::collections::BTreeSet;
use std::path::Path;

/// Names the text that each debate was recorded with.
const RECORDED: &str = "recorded";
/// Names the text that is built in.
const BUILT_IN: &str = "built-in";

/// Plans a comparison; for fresh debates, those are begun.
///
/// # Errors
/// When no turn or topic fits, several templates do, a prompt cannot be read, or a model cannot be
/// called.
pub(super) async fn plan_comparison(
    args: &AbArgs,
    command_context: &CommandContext,
    context: &ExperimentContext,
    ceilings: Ceilings,
) -> Result<AbPlan> {
    let (Some(a), Some(b)) = (&args.a, &args.b) else {
        bail!("name both prompts, with --a and --b: a file, 'built-in' or 'recorded'");
    };
    let conditions = match &args.fresh.dataset {
        Some(text) => begin_fresh_debates(args, command_context, context, ceilings, text).await?,
        None => select_recorded_turns(args, command_context, ceilings).await?,
    };
    let arm = |named: &str| build_arm(command_context, named, &conditions);
    Ok(AbPlan {
        arms: [arm(a)?, arm(b)?],
        template: conditions.template,
        contexts: conditions.contexts,
        samples: args.samples,
        roll: match &args.fresh.dataset {
            Some(_) => RollForward::End,
            None => match args.ends.roll_forward {
                Some(choice) => to_roll_forward(choice),
                None => RollForward::usual(conditions.is_judged),
            },
        },
        stop: match args.ends.until_settled {
            Some(alpha) => AbStop::Settled { alpha },
            None => AbStop::Fixed,
        },
        preference: args.preference.as_ref().map(|judge| AbPreference {
            judge: judge.clone(),
            rubric: args.rubric.clone(),
        }),
        truth: conditions.truth,
        repeats: args.ends.ask_anew.ask_anew,
        ceilings,
        seed: args.seed.seed,
        repeat: args.experiment.repeat.clone(),
    })
}

/// Conditions of the comparison, independent of the prompts.
struct ComparedConditions {
    template: String,
    protocol: String,
    contexts: Vec<AbContext>,
    is_fresh: bool,
    /// Turns that the prompt asks for are judged themselves.
    is_judged: bool,
    truth: VerdictTruth,
}

/// Returns the seat whose prompt is compared.
fn compared_seat(args: &AbArgs) -> Result<Option<&str>> {
    let mut seats = args.seat.iter().filter(|seat| !seat.contains('='));
    match (seats.next(), seats.next()) {
        (Some(_), Some(_)) => bail!("name one seat with --seat: one prompt is compared at a time"),
        (seat, _) => Ok(seat.map(String::as_str)),
    }
}

async fn select_recorded_turns(
    args: &AbArgs,
    context: &CommandContext,
    ceilings: Ceilings,
) -> Result<ComparedConditions> {
    if let Some(pair) = args.seat.iter().find(|seat| seat.contains('=')) {
        bail!(
            "--seat {pair} seats a model, and recorded debates have theirs; name the seat alone, or \
             play fresh debates with --dataset"
        );
    }
    let (runs, named) = (&args.recorded.run, &args.recorded.session);
    let sessions: Vec<SessionId> = match resolve_sessions(runs, named, context)? {
        Some(named) => named.into_iter().collect(),
        None => context
            .store
            .layout
            .list_sessions()?
            .into_iter()
            .map(SessionId::new)
            .collect(),
    };
    let template_choice = template_filter(args)?.find_template(&context.store.layout, &sessions)?;
    let filter = TurnFilter {
        sessions: template_choice.sessions,
        template: template_choice.template.clone(),
        seat: compared_seat(args)?.map(str::to_owned),
        round: args.recorded.round,
        sample: args.recorded.turns,
        truth: read_truth(args.truth.as_ref(), context)?,
    };
    let limits = (args.seed.seed, ceilings.cost_usd);
    let turns = select_turns(&context.store.layout, &context.seats, &filter, limits)?;
    if args.truth.is_some() && !turns.kind.has_truth() {
        bail!(
            "--truth says what a judge's verdicts or decisions about guardrails are held against, and the prompt asks \
             for none; leave it out, or name a judge's seat with --seat"
        );
    }
    for notice in turns.list_notices() {
        output::print_notice(&format!("notice: {notice}"));
    }
    let session_ids: BTreeSet<&SessionId> = turns.contexts.iter().map(|on| &on.session).collect();
    let mut casts: Vec<Participant> = Vec::new();
    for session in session_ids {
        let state = read_session(&context.store.layout.session_path(session.as_str())?)?;
        casts.extend(
            state
                .first_event()
                .iter()
                .flat_map(|created| created.cast.clone()),
        );
    }
    let judge = args.preference.as_ref();
    let judge = judge.map(|model| {
        context
            .seats
            .find_player(model, &Chair::first("preference"))
    });
    let judge = judge.transpose()?;
    let players = models_of(&casts).chain(&judge);
    context.check_players(players, &args.experiment).await?;
    Ok(ComparedConditions {
        template: template_choice.template,
        protocol: template_choice.protocol,
        contexts: turns.contexts,
        is_fresh: false,
        is_judged: turns.is_judged,
        truth: filter.truth.source(),
    })
}

/// Reads what verdicts are held against.
fn read_truth(truth: Option<&VerdictTruth>, context: &CommandContext) -> Result<KnownTruth> {
    let Some(truth) = truth else {
        return Ok(KnownTruth::Grader);
    };
    let index = context.read_index(StoreIndex::read_findings);
    Ok(read_known_truth(&index, &context.library, truth)?)
}

fn template_filter(args: &AbArgs) -> Result<TemplateFilter<'_>> {
    Ok(TemplateFilter {
        protocol: args.protocol.as_deref(),
        seat: compared_seat(args)?,
        template: args.template.as_deref(),
    })
}

/// Begins a debate for each topic of a file.
async fn begin_fresh_debates(
    args: &AbArgs,
    command_context: &CommandContext,
    context: &ExperimentContext,
    ceilings: Ceilings,
    text: &str,
) -> Result<ComparedConditions> {
    let protocol = args.protocol.as_deref();
    let protocol = protocol.context("give the game with --protocol")?;
    let models = args.seat.iter().filter(|seat| seat.contains('='));
    let cast = CastArgs {
        cast: args.fresh.cast.clone(),
        model: args.fresh.model.clone(),
        seat: models.cloned().collect(),
        debaters: args.fresh.debaters.clone(),
        ..CastArgs::default()
    };
    let game_request = GameRequest {
        protocol,
        set: &args.fresh.set,
        rounds: args.fresh.rounds,
        cast: &cast,
        telling: CastNotices::Print,
    };
    let game = plan::load_game(&game_request, command_context)?;
    let template = template_filter(args)?
        .find_game_template(&game.protocol)?
        .template;
    let party_plan = SeatingPlan {
        cast: &plan::read_cast_request(&cast)?,
        default_model: command_context.config.default_model(),
        present: Attendance::Nobody,
        namespace: DEFAULT_NAMESPACE,
        budget_usd: ceilings.cost_usd,
    };
    let seated_game = SeatedGame::from_plan(
        game,
        &party_plan,
        &command_context.seats,
        &command_context.store.layout,
    )?;
    command_context
        .check_players(models_of(&seated_game.cast), &args.experiment)
        .await?;
    let request = TopicRequest {
        selection: args.fresh.topics.topic_selection(args.seed.seed),
        columns: args.fresh.topics.column_choice()?,
        ..TopicRequest::from_dataset(text)
    };
    let (loaded, topics) = request.load_topics(&command_context.store.layout)?;
    print_refused_rows(&args.experiment, &loaded);
    check_options(&seated_game.game.protocol, &topics)?;
    let protocol = seated_game.game.protocol.id.clone();
    Ok(ComparedConditions {
        contexts: create_fresh_contexts(&context.store, &seated_game, topics, args.seed.seed)
            .await?,
        template,
        protocol,
        is_fresh: true,
        is_judged: true,
        truth: VerdictTruth::Grader,
    })
}

fn build_arm(context: &CommandContext, named: &str, what: &ComparedConditions) -> Result<AbArm> {
    let (protocol, template) = (what.protocol.as_str(), what.template.as_str());
    let text = match named {
        RECORDED if what.is_fresh => bail!(
            "fresh debates have no recorded prompt; say {protocol}/{template} for the text as it is now"
        ),
        RECORDED => None,
        BUILT_IN => {
            let variant = Library::default().read_variant_with(protocol, template)?;
            let text = variant.parts.templates.get(template).cloned();
            Some(text.with_context(|| {
                format!("there is no built-in template '{template}' of protocol '{protocol}'")
            })?)
        }
        path if Path::new(path).is_file() => Some(read_text(Path::new(path))?),
        prompt if prompt.contains('/') && !prompt.ends_with(".md") => {
            Some(read_prompt_text(context, prompt)?.text)
        }
        path => Some(read_text(Path::new(path))?),
    };
    Ok(AbArm {
        name: named.to_owned(),
        text,
    })
}
