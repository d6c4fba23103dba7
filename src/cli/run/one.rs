//! A single debate: its progress as lines, then its transcript and figures.

use super::args::RunArgs;
use super::ceilings::{self, Going};
use super::estimate;
use super::exit::Exit;
use super::model_names;
use super::page;
use super::people::{self, Terminal};
use super::run_plan;
use super::transcript::{Options, Private, Views, render};
use super::typed::{self, TypedTopic};
use super::workshop::Workshop;
use crate::debate::GuardDecision;
use crate::debate::event::{Author, Event, ModelPlayer, Record, Reply};
use crate::debate::step::Done;
use crate::debate::{SessionId, State};
use crate::driver::prompt_desk::KeptPrompts;
use crate::driver::{
    Budget, Ceiling, Left, MetCeiling, Observer, OneDebate, Party, Session, Table, failure_text,
    find_session, make_ready, memory_of, models_of, play,
};
use crate::exchange::text::{Keep, visible};
use crate::metrics;
use crate::store::Notice;
use tokio_util::sync::CancellationToken;

/// Plays a debate about a typed topic.
pub(super) async fn begin(
    args: &RunArgs,
    shop: &Workshop,
    party: Party,
    text: &str,
    cancel: &CancellationToken,
) -> anyhow::Result<Exit> {
    let topic = typed::topic(&TypedTopic {
        text,
        documents: &args.document,
        options: &args.option,
        reference: args.reference.as_deref(),
    })?;
    let fsync = shop.fsync()?;
    let memory = run_plan::memory_use(args, shop, &party)?;
    let debate = OneDebate {
        topic,
        seed: args.seed,
        memory,
    };
    let created = party.created(&shop.layout, shop.clock, debate)?;
    if let Some(estimate) = created.estimate.as_ref().filter(|_| !args.quiet) {
        page::notice(&format!("estimate: {}", estimate::line(estimate)));
    }
    shop.layout.create()?;
    let at = shop.clock.now();
    let holder = shop.holder("run");
    let session = Session::create(&shop.layout, &fsync, &holder, party.game, created, at).await?;
    go_on(args, shop, session, &fsync, cancel).await
}

/// Goes on with a session that was left.
pub(super) async fn resume(
    args: &RunArgs,
    shop: &Workshop,
    id: &str,
    cancel: &CancellationToken,
) -> anyhow::Result<Exit> {
    let fsync = shop.fsync()?;
    let id = find_session(&shop.layout, id)?;
    let mut session = Session::open(&shop.layout, &fsync, &shop.holder("run"), &id)?;
    for notice in &session.notices {
        tell(notice);
    }
    let created = session.created()?;
    people::check_present(&created.cast)?;
    let ceilings = ceilings::beginning(args, shop)?;
    ceilings::tell_of_prices(shop, models_of(&created.cast))?;
    let ceiling = Ceiling::of(ceilings.cost_usd, &created.protocol);
    make_ready(&created.cast, &shop.seats, ceiling)
        .map_err(|error| ceilings::with_ways(args, error.into(), Going::Session(&id)))?;
    tell_changed_settings(shop, models_of(&created.cast));
    model_names::check(shop, models_of(&created.cast), args.names).await?;
    // A session that is over never changes, not even by a note that somebody opened it.
    if session.state.open().done.is_none() {
        session
            .record(shop.clock.now(), Author::Engine, Event::Resumed {})
            .await?;
    }
    go_on(args, shop, session, &fsync, cancel).await
}

/// Tells of which models the settings are no longer what the session or run recorded.
pub(super) fn tell_changed_settings<'a>(
    shop: &Workshop,
    players: impl IntoIterator<Item = &'a ModelPlayer>,
) {
    for changed in shop.seats.changed_since(players) {
        page::notice(&format!("notice: {}", visible(&changed, Keep::Nothing)));
    }
}

/// Tells what was mended when a journal was opened.
pub(super) fn tell(notice: &Notice) {
    page::notice(&format!("notice: {notice}"));
}

async fn go_on(
    args: &RunArgs,
    shop: &Workshop,
    mut session: Session,
    fsync: &crate::store::Fsync,
    cancel: &CancellationToken,
) -> anyhow::Result<Exit> {
    let name = shop.config.defaults.name.clone();
    let user = name.or_else(|| std::env::var("USER").ok());
    let people = Terminal::new(user.unwrap_or_else(|| "person".to_owned()));
    let book = memory_of(&session, &shop.layout, fsync, &shop.embedding)?;
    let budget = Budget::holding(ceilings::beginning(args, shop)?, session.state.committed());
    let watcher = Lines { quiet: args.quiet };
    let table = Table {
        clock: shop.clock,
        seats: &shop.seats,
        budget: &budget,
        memory: book.as_ref(),
        observer: &watcher,
        people: &people,
        cancel,
    };
    let left = play(&mut session, table).await?;
    print(args, shop, &session.id, &session.state)?;
    Ok(how_it_ended(args, &session, &left, budget.met()))
}

fn print(args: &RunArgs, shop: &Workshop, id: &SessionId, state: &State) -> anyhow::Result<()> {
    if args.quiet {
        return page::out(&format!("{id}\n"));
    }
    let options = Options {
        imported: None,
        width: page::width(),
        colour: shop.colour,
        private: Private::Hidden,
        views: Views::Hidden,
    };
    page::out(&render(id, state, &KeptPrompts::default(), options))?;
    if let Some(row) = shop.library.families()?.row(id, state) {
        let report = metrics::report(&[row], &metrics::Settings::default())?;
        page::out(&format!("\n{}", metrics::to_table(&report, options.width)))?;
    }
    page::out(&format!(
        "\nkept as {id}\nto read it again: elenchus show {id}\n"
    ))
}

fn how_it_ended(args: &RunArgs, session: &Session, left: &Left, met: Option<MetCeiling>) -> Exit {
    let prices = ceilings::price_flags(args);
    let again = format!("elenchus run --resume-session {}", session.id);
    match left {
        Left::Done(Done::Complete | Done::Stopped { .. }) => Exit::Fine,
        Left::Done(Done::Truncated(_)) => {
            page::notice(
                "DEBATE_TRUNCATED: a ceiling of the debate was reached; what was said is kept",
            );
            Exit::Fine
        }
        Left::Stuck(failures) => {
            page::notice(&format!(
                "failed: {}",
                visible(&failure_text(failures), Keep::Nothing)
            ));
            page::notice(&format!("go on with: {again}{prices}"));
            Exit::SomeFailed
        }
        Left::Paused => {
            let why = met.map_or_else(String::new, |met| format!(": {met}"));
            page::notice(&format!("paused: the ceiling allows no more calls{why}"));
            let more = ceilings::raising(met.map(|met| met.kind));
            page::notice(&format!("go on with: {again}{more}{prices}"));
            Exit::Unfinished
        }
        Left::Stopped => {
            page::notice(&format!("stopped; go on with: {again}{prices}"));
            Exit::Unfinished
        }
    }
}

/// Tells each thing that happened, as one line.
struct Lines {
    quiet: bool,
}

impl Observer for Lines {
    fn happened(&self, _session: &SessionId, record: &Record, state: &State) {
        if self.quiet {
            return;
        }
        if let Some(line) = line(record, state) {
            page::notice(&format!("{}", visible(&line, Keep::Nothing)));
        }
    }

    fn mended(&self, notice: &Notice) {
        tell(notice);
    }

    fn noticed(&self, notice: &str) {
        page::notice(&format!("notice: {}", visible(notice, Keep::Nothing)));
    }
}

fn asked_again(reply: &Reply) -> &'static str {
    if reply.ask_again {
        "; asked once more"
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
            let lessons = page::counted(retrieved.entries.len(), "lesson");
            format!("{lessons} retrieved from memory")
        }
        Event::GuardsRetrieved(near) => {
            let guardrails = page::counted(near.candidates.len(), "guardrail");
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
            GuardDecision::Unparsed { why } => {
                format!("{}: guardrails unparsed: {why}", guarded.chair)
            }
        },
        Event::CallRetried { why, wait_ms, .. } => format!("retried after {wait_ms} ms: {why}"),
        Event::Failed(failed) => format!("failed: {}: {}", failed.step, failed.message),
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
