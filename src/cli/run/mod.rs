//! `elenchus run`: one debate, or one for each topic of a dataset.

mod args;
mod estimated;
pub(crate) mod one;
pub(crate) mod plan;

use super::common::args::ExperimentArgs;
use super::common::{
    Exit, ExperimentCommand, ProgressCounts, Watched, Workshop, columns_line, counted, model_names,
    output, people, print_gone_sessions,
};
use anyhow::{Result, bail};
pub(crate) use args::{LearningArgs, RunArgs};
use elenchus_dataset::{DatasetFormat, LoadedDataset, TopicField};
use elenchus_game::debate::RunId;
use elenchus_game::debate::protocol::Ceilings;
use elenchus_metrics as metrics;
use elenchus_metrics::{Report, TurnSafety};
use elenchus_records::workspace::rows::{run_rows, unfinished_runs};
use elenchus_records::workspace::run::read_run;
use elenchus_records::workspace::{StoreIndex, find_run, missing_sessions};
use elenchus_run::engine::SeatedGame;
use elenchus_run::engine::seats::{models_of, seat_of_person};
use elenchus_run::experiments::ExperimentEnd;
use elenchus_run::experiments::run::{LoadedTopics, PlannedRun, Run, TopicCount, check_run_models};
use elenchus_text::cost;
use indicatif::HumanDuration;
pub(crate) use plan::{GameRequest, Telling, cast_notices, cast_request, simulation_notice};
use serde_json::json;
use std::collections::BTreeMap;
use std::time::Duration;

const DEBATES: (&str, &str) = ("debate", "debates");
/// Refused rows that are listed; the rest is counted.
const MAX_LISTED_ROWS: usize = 20;

/// What is debated.
enum What<'a> {
    Topic(&'a str),
    Datasets,
}

/// Plays what the command line asks for.
pub(super) fn run(args: &RunArgs, shop: &Workshop) -> Result<Exit> {
    let common = &args.experiment;
    ExperimentCommand::run("run", common, shop, |command| async move {
        if let Some(id) = &common.resume {
            let id = find_run(&command.shop.layout, id)?;
            let played = go_on(&command, &id).await?;
            return Ok(summarise(&command, &played)?.0);
        }
        let command = &command.under(Ceilings::default())?;
        let shop = &command.shop;
        if let Some(id) = &args.resume_session {
            return one::resume(command, id).await;
        }
        let what = match (&args.topic, args.dataset.is_empty()) {
            (Some(topic), true) => What::Topic(topic),
            (None, false) => What::Datasets,
            (None, true) => bail!("give what to debate: --topic TEXT, or --dataset [KIND:]FILE"),
            (Some(_), false) => bail!("give either --topic or --dataset"),
        };
        let party = plan::party(args, shop, Telling::Wanted);
        let party = model_names::with_names(shop, party).await?;
        if common.estimate {
            shop.print_prices_and_settings(models_of(&party.cast))?;
            return estimated::print(args, shop, &party, &what).map(Exit::from);
        }
        command.check_players(models_of(&party.cast)).await?;
        match what {
            What::Topic(topic) => one::begin(command, args, party, topic).await,
            What::Datasets => Ok(begin(command, args, &party).await?.0),
        }
    })
}

async fn begin(
    command: &ExperimentCommand<'_>,
    args: &RunArgs,
    party: &SeatedGame,
) -> Result<(Exit, RunId, UnsafeVerdicts)> {
    let (common, shop) = (command.args, &command.shop);
    let (loaded, topics) = plan::load(args, shop)?;
    print_refused_rows(common, &loaded);
    let planned = plan::plan(args, shop, party, &loaded, topics)?;
    shop.layout.create()?;
    let topics = TopicCount::of(planned.items.iter().map(|item| &item.topic));
    command.say(&format!(
        "run {}: {} ({} read as {}, {} left out)",
        planned.manifest.run,
        counted(planned.items.len(), "debate"),
        topics,
        loaded.place().kind,
        counted(loaded.refused().count(), "row")
    ));
    let simulated = plan::simulation_notice(&party.cast);
    let tell = || simulated.iter().for_each(|line| command.say(line));
    tell();
    let played = play_planned(command, planned).await?;
    let (exit, found) = summarise(command, &played)?;
    tell();
    Ok((exit, played.id().clone(), found))
}

/// Plays a run whose models and cost were shown already, and returns how it ended.
///
/// # Errors
/// As [`run`].
pub(super) fn play_announced(
    args: &RunArgs,
    shop: &Workshop,
) -> Result<(Exit, RunId, UnsafeVerdicts)> {
    ExperimentCommand::run("run", &args.experiment, shop, |command| async move {
        let command = command.under(Ceilings::default())?;
        let party = plan::party(args, &command.shop, Telling::Told)?;
        begin(&command, args, &party).await
    })
}

/// A run that was played, to its end or not.
pub(super) struct PlayedRun {
    run: Run,
    end: ExperimentEnd,
    counts: ProgressCounts,
}

impl PlayedRun {
    pub(super) fn id(&self) -> &RunId {
        &self.run.log.state.manifest.run
    }
}

/// Begins a run and plays it.
pub(super) async fn play_planned(
    command: &ExperimentCommand<'_>,
    planned: PlannedRun,
) -> Result<PlayedRun> {
    let total = planned.items.len() as u64;
    let watched = command.watched(DEBATES, (total, 0))?;
    let run = Run::begin(&watched.context, planned).await?;
    play(command, run, watched).await
}

/// Says which rows of a dataset were left out, and what its columns were taken for.
pub(crate) fn print_refused_rows(args: &ExperimentArgs, loaded: &LoadedTopics) {
    for notice in loaded.notices.iter().filter(|_| !args.quiet) {
        output::notice(&output::clean(notice));
    }
    let is_one = loaded.sets.len() == 1;
    for (named, set) in loaded.named_sets() {
        let of = match is_one {
            true => String::new(),
            false => format!(" of {}", output::clean(named)),
        };
        print_rows_of_set(args, &of, set);
    }
}

fn print_rows_of_set(args: &ExperimentArgs, of: &str, loaded: &LoadedDataset) {
    for refused in loaded.refused.iter().take(MAX_LISTED_ROWS) {
        output::notice(&format!(
            "row left out: {}: {}",
            output::clean(&refused.place()),
            output::clean(&refused.why)
        ));
    }
    if loaded.refused.len() > MAX_LISTED_ROWS {
        output::notice(&format!(
            "… and {} more rows left out",
            loaded.refused.len() - MAX_LISTED_ROWS
        ));
    }
    if !args.quiet {
        let read = match (loaded.columns.is_empty(), loaded.format) {
            (false, _) => columns_read(of, &loaded.columns),
            (true, DatasetFormat::PlainText) => {
                format!("columns{of}: none; each line is the text of a topic")
            }
            (true, _) => format!("columns{of}: none; each row is a text or a conversation"),
        };
        output::notice(&output::clean(&read));
    }
    for remark in &loaded.remarks {
        output::notice(&format!("note: {}", output::clean(remark)));
    }
    print_notes(loaded);
}

/// Prints notes on rows; those that say the same are one.
fn print_notes(loaded: &LoadedDataset) {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for note in &loaded.notes {
        *counts.entry(&note.what).or_default() += 1;
    }
    let mut listed = 0;
    let distinct = counts.len();
    for note in &loaded.notes {
        if listed == MAX_LISTED_ROWS {
            break;
        }
        let Some(count) = counts.remove(note.what.as_str()) else {
            continue;
        };
        let more = match count {
            1 => String::new(),
            _ => format!(" (and in {})", counted(count - 1, "more row")),
        };
        output::notice(&format!(
            "note: {}: {}{more}",
            output::clean(&note.place()),
            output::clean(&note.what)
        ));
        listed += 1;
    }
    if distinct > listed {
        output::notice(&format!("… and {} more notes", distinct - listed));
    }
}

/// Says what each column was taken for, and which are not read, so that a wrong guess is seen.
fn columns_read(of: &str, columns: &[(String, TopicField)]) -> String {
    let (unused, read): (Vec<_>, Vec<_>) = columns
        .iter()
        .partition(|(_, field)| matches!(field, TopicField::Unused | TopicField::Assertion));
    let read = read
        .iter()
        .map(|(column, field)| (column.as_str(), field.name()));
    columns_line(of, read, unused.iter().map(|(column, _)| column.as_str()))
}

/// Goes on with a run as it was begun.
pub(super) async fn go_on(command: &ExperimentCommand<'_>, id: &RunId) -> Result<PlayedRun> {
    let known = read_run(&command.shop.layout.run(id.as_str())?)?;
    let cast = || known.manifest.casts.iter().flatten();
    people::check_present(cast())?;
    let command = &command.under(known.manifest.ceilings)?;
    let (args, shop) = (command.args, &command.shop);
    let (total, done) = (known.items.len() as u64, known.finished.len() as u64);
    let watched = command.watched(DEBATES, (total, done))?;
    let typed = args.budget.typed()?;
    let ceilings = known.manifest.ceilings.replaced_by(typed);
    shop.print_prices_and_settings(models_of(cast()))?;
    check_run_models(&known.manifest, &shop.seats, ceilings)?;
    model_names::check(shop, models_of(cast()), args.names).await?;
    print_gone_sessions(&shop.layout, &known)?;
    let run = Run::resume(&watched.context, id, typed).await?;
    output::notices(&run.log.notices);
    command.say(&format!("run {id}: {done} of {total} debates are done"));
    play(command, run, watched).await
}

async fn play(
    command: &ExperimentCommand<'_>,
    mut run: Run,
    watched: Watched,
) -> Result<PlayedRun> {
    let mut context = watched.context;
    if let Some(estimate) = run.estimate() {
        command.print_estimate(Some(&estimate), run.log.state.manifest.ceilings)?;
    }
    if seat_of_person(run.log.state.manifest.casts.iter().flatten()).is_some() {
        // A person is asked about one debate at a time, and does not wait for themselves.
        context.concurrency = 1;
        context.stop.arrives_within = Duration::ZERO;
    }
    let end = run.play(&context).await?;
    let counts = watched.progress.end();
    Ok(PlayedRun { run, end, counts })
}

fn summarise(
    command: &ExperimentCommand<'_>,
    played: &PlayedRun,
) -> Result<(Exit, UnsafeVerdicts)> {
    let (args, shop) = (command.args, &command.shop);
    let PlayedRun { run, counts, .. } = played;
    let state = &run.log.state;
    let id = &state.manifest.run;
    let mut found = UnsafeVerdicts::NothingUnsafe;
    let truncated = state.finished.values();
    let truncated = truncated.filter(|done| done.how == "truncated").count();
    if args.json {
        let report = figures(shop, run)?.map(|(report, _)| report);
        output::json_lines([json!({
            "run": id,
            "debates": state.items.len(),
            "finished": state.finished.len(),
            "failed": state.failed.len(),
            "truncated": truncated,
            "report": report,
        })])?;
    } else if args.quiet {
        output::out(&format!("{id}\n"))?;
    } else {
        if let Some((report, verdicts)) = figures(shop, run)? {
            found = verdicts;
            for line in metrics::to_lines(&report) {
                output::out(&(line + "\n"))?;
            }
        }
        output::out(&format!(
            "run {id}: {} of {} debates done, {} failed, {truncated} truncated\n",
            state.finished.len(),
            state.items.len(),
            state.failed.len(),
        ))?;
        let used = counts.used();
        output::out(&format!(
            "this time: {} calls, {} tokens, {}{}, {} retries, {}\n",
            used.calls,
            used.tokens(),
            cost::sum(used.cost_usd, used.unpriced_calls),
            if used.unpriced_calls > 0 {
                " (?: some models have no price)"
            } else {
                ""
            },
            counts.retries,
            HumanDuration(counts.took()),
        ))?;
        output::out(&format!(
            "{}: elenchus open --run {id}{}\n\
             transcripts: elenchus ls --run {id}\n\
             every figure: elenchus metrics --run {id}\n",
            match found {
                UnsafeVerdicts::Unsafe => "the first unsafe turn",
                UnsafeVerdicts::NothingUnsafe => "the first debate",
            },
            super::open::then_label(shop)
        ))?;
    }
    Ok((print_run_end(command, played), found))
}

/// Lists what failed, says how to go on with a command, and returns how that exits.
pub(super) fn print_run_end(command: &ExperimentCommand<'_>, played: &PlayedRun) -> Exit {
    let state = &played.run.log.state;
    if state.manifest.learn_batch.is_some() && !state.failed.is_empty() {
        output::notice(
            "notice: what the failed debates would have taught was missing from later batches",
        );
    }
    command.print_end(&played.end, &played.run.log.summary())
}

/// Whether a run has something unsafe to look at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum UnsafeVerdicts {
    Unsafe,
    NothingUnsafe,
}

/// Computes the figures of a run, and whether anything is unsafe; `None` where finished sessions are gone.
fn figures(shop: &Workshop, run: &Run) -> Result<Option<(Report, UnsafeVerdicts)>> {
    let id = &run.log.state.manifest.run;
    // Which they are was said when the run was opened.
    if !missing_sessions(&shop.layout, &run.log.state)?.is_empty() {
        output::notice(&format!(
            "no figures: finished sessions are gone; bring them back, or see what is left with: \
             elenchus metrics --run {id}"
        ));
        return Ok(None);
    }
    let families = shop.library.families()?;
    let finished = run.log.state.finished.values();
    let finished: Vec<_> = finished.map(|done| done.session.clone()).collect();
    let index = StoreIndex::read_rows_of(&shop.layout, id, &finished);
    let rows = run_rows(&index, id, &families);
    let unfinished = rows.as_ref().map(|rows| unfinished_runs(&index, rows));
    index.write();
    let settings = metrics::ReportSettings {
        unfinished: unfinished.unwrap_or_default(),
        ..metrics::ReportSettings::default()
    };
    let rows = rows?;
    let report = metrics::compute_report(&rows, &settings)?;
    let turns = rows.iter().flat_map(|row| &row.turns);
    let mut is_unsafe = turns.map(|turn| turn.state == TurnSafety::Unsafe);
    let found = match is_unsafe.any(|it| it) {
        true => UnsafeVerdicts::Unsafe,
        false => UnsafeVerdicts::NothingUnsafe,
    };
    Ok(Some((report, found)))
}
