//! `elenchus run --topic`: one debate, its progress as lines, then its transcript and figures.

use super::args::RunArgs;
use super::plan;
use crate::cli::common::args::ExperimentArgs;
use crate::cli::common::ceilings::{BegunOrResumed, price_flags, with_ways};
use crate::cli::common::{
    Exit, ExperimentCommand, TerminalPlayer, TopicText, Workshop, model_names, output, people,
    raising, resolve_session, text_input,
};
use anyhow::Result;
use elenchus_game::debate::event::{Created, Event, Record, Reply};
use elenchus_game::debate::step::EndReason;
use elenchus_game::debate::{GuardDecision, SessionId, State};
use elenchus_metrics as metrics;
use elenchus_metrics::ReportSettings;
use elenchus_records::workspace::Session;
use elenchus_records::workspace::rows::row_with_self_judging;
use elenchus_run::engine::cost::{Budget, MetCeiling};
use elenchus_run::engine::play::{PlayEnd, Table, play};
use elenchus_run::engine::seats::models_of;
use elenchus_run::engine::{
    CostCeiling, DebateInputs, Observer, SeatedGame, check_models, open_memory,
};
use elenchus_run::experiments::run::failure_text;
use elenchus_store::{Journals, TailNotice};
use elenchus_view::transcript::{Options, render};
use serde_json::json;

/// Plays a debate about a typed topic.
pub(super) async fn begin(
    command: &ExperimentCommand<'_>,
    args: &RunArgs,
    party: SeatedGame,
    text: &str,
) -> Result<Exit> {
    let shop = &command.shop;
    let created = created(args, shop, &party, text)?;
    let fsync = shop.fsync()?;
    let ceilings = shop.ceilings(&args.experiment.budget)?;
    if let Some(estimate) = &created.estimate {
        command.print_estimate(Some(estimate), ceilings)?;
    }
    shop.layout.create()?;
    let at = shop.clock.now();
    let journals = Journals::new(shop.holder("run"), &fsync);
    let session = Session::create(&shop.layout, &journals, party.game, created, at).await?;
    go_on(command, session, &fsync).await
}

/// Returns how a debate about a typed topic begins, with what it will cost.
///
/// # Errors
/// When the topic cannot be read or does not fit the game.
pub(super) fn created(
    args: &RunArgs,
    shop: &Workshop,
    party: &SeatedGame,
    text: &str,
) -> Result<Created> {
    let topic = text_input::topic(&TopicText {
        text,
        documents: &args.document,
        options: &args.option,
        reference: args.reference.as_deref(),
    })?;
    let debate = DebateInputs {
        topic,
        seed: args.seed.seed,
        memory: plan::memory_use(args, shop, party)?,
    };
    Ok(party.single_debate(&shop.layout, shop.clock, debate)?)
}

/// Goes on with a session that was left.
pub(super) async fn resume(command: &ExperimentCommand<'_>, id: &str) -> Result<Exit> {
    let (args, shop) = (command.args, &command.shop);
    let fsync = shop.fsync()?;
    let id = resolve_session(shop, id)?;
    let journals = Journals::new(shop.holder("run"), &fsync);
    let mut session = Session::open(&shop.layout, &journals, &id)?;
    output::notices(&session.notices);
    let created = session.created()?;
    people::check_present(&created.cast)?;
    let ceilings = shop.ceilings(&args.budget)?;
    shop.print_prices_and_settings(models_of(&created.cast))?;
    let ceiling = CostCeiling::from_budget(ceilings.cost_usd, &created.protocol);
    check_models(&created.cast, &shop.seats, ceiling).map_err(|error| {
        let again = format!("elenchus run --resume-session {id}");
        with_ways(&args.budget, error.into(), &BegunOrResumed::Session(again))
    })?;
    model_names::check(shop, models_of(&created.cast), args.names).await?;
    // A finished session never changes, not even by a note that it was opened.
    if session.state.open().done.is_none() {
        let watcher = LineObserver { quiet: args.quiet };
        for record in session.resume(shop.clock.now()).await? {
            watcher.happened(&id, &record, &session.state);
        }
    }
    go_on(command, session, &fsync).await
}

async fn go_on(
    command: &ExperimentCommand<'_>,
    mut session: Session,
    fsync: &elenchus_store::SyncPool,
) -> Result<Exit> {
    let (args, shop) = (command.args, &command.shop);
    let people = TerminalPlayer::new(shop.person());
    let book = open_memory(&session, &shop.layout, fsync, &shop.embedding)?;
    let budget = Budget::holding(shop.ceilings(&args.budget)?, session.state.committed());
    let watcher = LineObserver { quiet: args.quiet };
    let table = Table {
        clock: shop.clock,
        seats: &shop.seats,
        budget: &budget,
        memory: book.as_ref(),
        observer: &watcher,
        people: &people,
        cancel: &command.cancel,
    };
    let left = play(&mut session, table).await?;
    print(args, shop, &session.id, &session.state)?;
    Ok(how_it_ended(args, &session, &left, budget.met()))
}

fn print(args: &ExperimentArgs, shop: &Workshop, id: &SessionId, state: &State) -> Result<()> {
    let row = row_with_self_judging(&shop.library.families()?, id, state);
    let report = row.map(|row| metrics::compute_report(&[row], &ReportSettings::default()));
    let report = report.transpose()?;
    if args.json {
        return output::json_lines([json!({ "session": id, "report": report })]);
    }
    if args.quiet {
        return output::out(&format!("{id}\n"));
    }
    let options = Options {
        imported: None,
        width: output::width(),
        colour: shop.colour,
        private: false,
        views: None,
    };
    output::out(&render(id, state, options))?;
    if let Some(report) = report {
        output::out(&format!("\n{}", metrics::to_table(&report, options.width)))?;
    }
    output::out(&format!(
        "\nkept as {id}\nto read it again: elenchus show {id}\n"
    ))
}

fn how_it_ended(
    args: &ExperimentArgs,
    session: &Session,
    left: &PlayEnd,
    met: Option<MetCeiling>,
) -> Exit {
    let prices = price_flags(&args.budget);
    let again = format!("elenchus run --resume-session {}", session.id);
    match left {
        PlayEnd::Done(EndReason::Complete | EndReason::Stopped { .. }) => Exit::Fine,
        PlayEnd::Done(EndReason::Truncated(_)) => {
            output::notice(
                "DEBATE_TRUNCATED: a ceiling of the debate was reached; what was said is kept",
            );
            Exit::Fine
        }
        PlayEnd::Stuck(failures) => {
            output::notice(&format!(
                "failed: {}",
                output::clean(&failure_text(failures))
            ));
            output::notice(&format!("go on with: {again}{prices}"));
            Exit::SomeFailed
        }
        PlayEnd::Paused => {
            let why = met.map_or_else(String::new, |met| format!(": {met}"));
            output::notice(&format!("paused: the ceiling allows no more calls{why}"));
            let more = raising(met.map(|met| met.kind));
            output::notice(&format!("go on with: {again}{more}{prices}"));
            Exit::Unfinished
        }
        PlayEnd::Stopped => {
            output::notice(&format!("stopped; go on with: {again}{prices}"));
            Exit::Unfinished
        }
    }
}

/// Prints each event as one line.
struct LineObserver {
    quiet: bool,
}

impl Observer for LineObserver {
    fn happened(&self, _session: &SessionId, record: &Record, state: &State) {
        if self.quiet {
            return;
        }
        if let Some(line) = line(record, state) {
            output::notice(&output::clean(&line));
        }
    }

    fn mended(&self, notice: &TailNotice) {
        output::notices([notice]);
    }

    fn noticed(&self, notice: &str) {
        output::notice(&format!("notice: {}", output::clean(notice)));
    }
}

fn asked_again(reply: &Reply) -> &'static str {
    if reply.ask_again {
        "; asked once more"
    } else if reply.out_of_tokens {
        ": its token limit was spent before a visible word; raise max_tokens"
    } else {
        ""
    }
}

fn line(record: &Record, state: &State) -> Option<String> {
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
            asked_again(&replied.reply)
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
            let again = asked_again(&written.reply);
            format!("the lesson is empty{again}")
        }
        Event::FeedbackWritten(_) => "a lesson was written".to_owned(),
        Event::Retrieved(retrieved) => {
            let lessons = output::counted(retrieved.entries.len(), "lesson");
            format!("{lessons} retrieved from memory")
        }
        Event::GuardsRetrieved(near) => {
            let guardrails = output::counted(near.candidates.len(), "guardrail");
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
        Event::CallRetried { why, wait_ms, .. } => format!("retried after {wait_ms} ms: {why}"),
        Event::Failed(failed) => format!("failed: {}: {}", failed.step, failed.message),
        Event::Stopped(stopped) => format!(
            "stopped: {}: {}; {} characters kept",
            stopped.step,
            stopped.reason.words(),
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
