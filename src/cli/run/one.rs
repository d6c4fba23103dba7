//! `elenchus run --topic`: one debate, its progress as lines, then its transcript and what it came to.

use super::args::RunArgs;
use super::plan;
use crate::cli::common::args::ExperimentArgs;
use crate::cli::common::ceilings::{BegunOrResumed, format_price_flags, with_price_advice};
use crate::cli::common::{
    CommandContext, Exit, ExperimentCommand, TerminalPlayer, TopicText, model_names, output,
    people, raise_ceiling_option, resolve_session, text_input,
};
use anyhow::Result;
use elenchus_game::debate::event::{Created, Event, Record, Reply};
use elenchus_game::debate::failed_steps::describe_failures;
use elenchus_game::debate::step::EndReason;
use elenchus_game::debate::{GuardDecision, SessionId, State};
use elenchus_metrics as metrics;
use elenchus_metrics::ReportSettings;
use elenchus_records::workspace::rows::row_with_self_judging;
use elenchus_records::workspace::{LAST, Session};
use elenchus_run::engine::cost::{Budget, MetCeiling};
use elenchus_run::engine::play::{AWAITS_REWARDS, PlayEnd, Table, play_session};
use elenchus_run::engine::seats::models_of;
use elenchus_run::engine::{
    CostCeiling, DebateInputs, Observer, SeatedGame, check_models, open_memory,
};
use elenchus_store::TailNotice;
use elenchus_view::debate_text::texts::describe_cost;
use elenchus_view::show::{TranscriptOptions, write_transcript};
use serde_json::json;

/// Plays a debate about a typed topic.
pub(super) async fn begin_debate(
    command: &ExperimentCommand<'_>,
    args: &RunArgs,
    seated_game: SeatedGame,
    text: &str,
) -> Result<Exit> {
    let context = &command.context;
    let creation = prepare_debate(args, context, &seated_game, text)?;
    let ceilings = context.resolve_ceilings(&args.experiment.budget)?;
    if let Some(estimate) = &creation.estimate {
        command.print_estimate(Some(estimate), ceilings)?;
    }
    context.store.layout.create_missing_folders()?;
    let at = context.store.clock.now();
    let journals = context.hold_store("run", None).journals();
    let session = Session::create(
        &context.store.layout,
        &journals,
        seated_game.game,
        creation,
        at,
    )
    .await?;
    go_on_playing(command, session).await
}

/// Returns how a debate about a typed topic begins, with what it will cost.
///
/// # Errors
/// When the topic cannot be read or does not fit the game.
pub(super) fn prepare_debate(
    args: &RunArgs,
    context: &CommandContext,
    seated_game: &SeatedGame,
    text: &str,
) -> Result<Created> {
    let topic = text_input::read_topic(&TopicText {
        text,
        documents: &args.document,
        options: &args.option,
        reference: args.reference.as_deref(),
    })?;
    let debate = DebateInputs {
        topic,
        seed: args.seed.seed,
        memory: plan::plan_memory_use(args, context, seated_game)?,
    };
    Ok(seated_game.single_debate(&context.store.layout, context.store.clock, debate)?)
}

/// Goes on with a session that was left.
pub(super) async fn resume_debate(command: &ExperimentCommand<'_>, id: &str) -> Result<Exit> {
    let (args, context) = (command.args, &command.context);
    let id = resolve_session(context, id)?;
    let journals = context.hold_store("run", None).journals();
    let mut session = Session::open(&context.store.layout, &journals, &id)?;
    output::print_notices(&session.notices);
    let creation = session.created()?;
    people::check_present(&creation.cast)?;
    let ceilings = context.resolve_ceilings(&args.budget)?;
    context.print_prices_and_settings(models_of(&creation.cast))?;
    let ceiling = CostCeiling::from_budget(ceilings.cost_usd, &creation.protocol);
    check_models(&creation.cast, &context.seats, ceiling).map_err(|error| {
        let resume_command = format!("elenchus run --resume-session {id}");
        with_price_advice(
            &args.budget,
            error.into(),
            &BegunOrResumed::Session(resume_command),
        )
    })?;
    model_names::check_names(context, models_of(&creation.cast), args.names).await?;
    // A finished session never changes, not even by a note that it was opened.
    if session.state.find_open_steps().done.is_none() {
        let watcher = LineObserver { quiet: args.quiet };
        for record in session.resume(context.store.clock.now()).await? {
            watcher.on_event(&id, &record, &session.state);
        }
    }
    go_on_playing(command, session).await
}

async fn go_on_playing(command: &ExperimentCommand<'_>, mut session: Session) -> Result<Exit> {
    let (args, context) = (command.args, &command.context);
    let people = TerminalPlayer::new(context.store.person.clone());
    let book = open_memory(
        &session,
        &context.store.layout,
        &context.store.fsync,
        &context.embedding,
    )?;
    let budget = Budget::with_ceilings(
        context.resolve_ceilings(&args.budget)?,
        session.state.committed_expense(),
    );
    let watcher = LineObserver { quiet: args.quiet };
    let table = Table {
        clock: context.store.clock,
        seats: &context.seats,
        budget: &budget,
        memory: book.as_ref(),
        swapped_rewards: None,
        observer: &watcher,
        people: &people,
        cancel: &command.cancel,
    };
    let end = play_session(&mut session, table).await?;
    print_debate(args, context, &session.id, &session.state)?;
    Ok(print_end(args, &session, &end, budget.met_ceiling()))
}

fn print_debate(
    args: &ExperimentArgs,
    context: &CommandContext,
    id: &SessionId,
    state: &State,
) -> Result<()> {
    let row = row_with_self_judging(&context.library.read_families()?, id, state);
    let report = row.map(|row| metrics::compute_report(&[row], &ReportSettings::default()));
    let report = report.transpose()?;
    if args.json {
        return output::print_json_lines([json!({ "session": id, "report": report })]);
    }
    if args.quiet {
        return output::print_text(&format!("{id}\n"));
    }
    let options = TranscriptOptions {
        imported: None,
        width: output::width(),
        colour: context.colour,
        private: false,
        views: None,
    };
    output::print_text(&write_transcript(id, state, options))?;
    let findings = report.as_ref().and_then(metrics::describe_findings);
    let spend = state.spend();
    let named = match resolve_session(context, LAST) {
        Ok(last) if last == *id => LAST,
        Ok(_) | Err(_) => id.as_str(),
    };
    let mut lines = vec![String::new()];
    let caveats = report.as_ref().map(metrics::describe_caveats);
    if let Some(caveats) = caveats.filter(|caveats| !caveats.is_empty()) {
        lines.extend(caveats);
        lines.push(String::new());
    }
    lines.extend([
        format!(
            "found: {}",
            findings
                .as_deref()
                .unwrap_or("nothing that a figure counts")
        ),
        format!(
            "cost: {}; {}, {} tokens",
            describe_cost(state),
            output::format_noun_count(spend.calls as usize, "call"),
            spend.input_tokens.saturating_add(spend.output_tokens)
        ),
        format!("to read it again: elenchus show {id}"),
        format!("every figure: elenchus metrics --session {named}"),
    ]);
    // As the transcript, it has this width wherever it is written to.
    let text = output::fold_to_terminal(&lines.join("\n"), Some(options.width));
    output::print_text(&(text + "\n"))
}

fn print_end(
    args: &ExperimentArgs,
    session: &Session,
    end: &PlayEnd,
    met: Option<MetCeiling>,
) -> Exit {
    let prices = format_price_flags(&args.budget);
    let resume_command = format!("elenchus run --resume-session {}", session.id);
    match end {
        PlayEnd::Done(EndReason::Complete | EndReason::Stopped { .. }) => Exit::Fine,
        PlayEnd::Done(EndReason::Truncated(_)) => {
            output::print_notice(
                "DEBATE_TRUNCATED: a ceiling of the debate was reached; what was said is kept",
            );
            Exit::Fine
        }
        PlayEnd::Stuck(failures) => {
            output::print_notice(&format!(
                "failed: {}",
                output::clean_line(&describe_failures(failures))
            ));
            output::print_notice(&format!("go on with: {resume_command}{prices}"));
            Exit::SomeFailed
        }
        PlayEnd::Paused => {
            let why = met.map_or_else(String::new, |met| format!(": {met}"));
            output::print_notice(&format!("paused: the ceiling allows no more calls{why}"));
            let raise_option = raise_ceiling_option(met.map(|met| met.kind));
            output::print_notice(&format!(
                "go on with: {resume_command}{raise_option}{prices}"
            ));
            Exit::Unfinished
        }
        PlayEnd::AwaitsRewards => {
            output::print_notice(&format!("waiting: {AWAITS_REWARDS}"));
            Exit::Unfinished
        }
        PlayEnd::Stopped => {
            output::print_notice(&format!("stopped; go on with: {resume_command}{prices}"));
            Exit::Unfinished
        }
    }
}

/// Prints each event as one line.
struct LineObserver {
    quiet: bool,
}

impl Observer for LineObserver {
    fn on_event(&self, _session: &SessionId, record: &Record, state: &State) {
        if self.quiet {
            return;
        }
        if let Some(line) = describe_record(record, state) {
            output::print_notice(&output::clean_line(&line));
        }
    }

    fn on_tail_repair(&self, notice: &TailNotice) {
        output::print_notices([notice]);
    }

    fn on_notice(&self, notice: &str) {
        output::print_notice(&format!("notice: {}", output::clean_line(notice)));
    }
}

fn describe_retry(reply: &Reply) -> &'static str {
    if reply.ask_again {
        "; asked once more"
    } else if reply.out_of_tokens {
        ": its token limit was spent before a visible word; raise max_tokens"
    } else {
        ""
    }
}

fn describe_record(record: &Record, state: &State) -> Option<String> {
    let rounds = state.protocol().map_or(0, |protocol| protocol.rounds);
    Some(match &record.event {
        Event::Replied(replied) if replied.guardrail.is_some() => format!(
            "round {}/{rounds}: {} is refused by a guardrail",
            replied.turn.round, replied.turn.chair
        ),
        Event::Replied(replied) if replied.reply.is_empty() => format!(
            "round {}/{rounds}: {} said nothing: the reply is empty{}",
            replied.turn.round,
            replied.turn.chair,
            describe_retry(&replied.reply)
        ),
        Event::Replied(replied) => format!(
            "round {}/{rounds}: {} spoke ({} tokens)",
            replied.turn.round, replied.turn.chair, replied.reply.usage.output_tokens
        ),
        Event::Judged(judged) => format!(
            "{}: {} on {}",
            judged.judging,
            judged.outcome.label().unwrap_or("unparsed"),
            judged.target
        ),
        Event::FeedbackWritten(written) if written.reply.is_empty() => {
            let retry_text = describe_retry(&written.reply);
            format!("the lesson is empty{retry_text}")
        }
        Event::FeedbackWritten(written) => match &written.learner {
            None => "a lesson was written".to_owned(),
            Some(learner) => format!("a lesson for {learner} was written"),
        },
        Event::RewardsSwapped(swapped) => {
            format!("lessons are written from the rewards of {}", swapped.from)
        }
        Event::Retrieved(retrieved) => {
            let lessons = output::format_noun_count(retrieved.entries.len(), "lesson");
            format!("{lessons} retrieved from memory")
        }
        Event::GuardsRetrieved(near) => {
            let guardrails = output::format_noun_count(near.candidates.len(), "guardrail");
            format!("{guardrails} near the topic")
        }
        Event::Guarded(guarded) => match &guarded.decision {
            GuardDecision::Matched { guardrail } => {
                format!(
                    "{}: guardrail {guardrail} matches; it will not speak",
                    guarded.chair
                )
            }
            GuardDecision::NoMatch => format!("{}: no guardrail matches", guarded.chair),
            GuardDecision::Unparsed { why, .. } => {
                format!("{}: guardrails unparsed: {why}", guarded.chair)
            }
        },
        Event::GuardrailWritten(_) => "a guardrail written".to_owned(),
        Event::CallRetried { why, wait_ms, .. } => format!("retried after {wait_ms} ms: {why}"),
        Event::Failed(failed) => format!("failed: {}: {}", failed.step, failed.message),
        Event::Stopped(stopped) => format!(
            "stopped: {}: {}; {} characters kept",
            stopped.step,
            stopped.reason.describe(),
            stopped.text.chars().count()
        ),
        Event::Created(_)
        | Event::Forked { .. }
        | Event::Prompted(_)
        | Event::Resumed {}
        | Event::CallStarted { .. }
        | Event::Edited { .. }
        | Event::Chosen { .. }
        | Event::Truncated { .. } => return None,
    })
}
