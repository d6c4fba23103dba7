//! `elenchus run`: one debate, or one for each topic of a dataset.

mod args;
mod estimated;
mod once;
pub(crate) mod one;
pub(crate) mod plan;

use super::common::args::ExperimentArgs;
use super::common::{
    CommandContext, Exit, ExperimentCommand, ExperimentMonitor, ProgressCounts, format_columns,
    format_noun_count, model_names, output, people, print_missing_sessions,
};
use anyhow::{Result, bail};
pub(crate) use args::{LearningArgs, RunArgs};
use elenchus_dataset::{DatasetFormat, LoadedDataset, TopicField};
use elenchus_game::debate::RunId;
use elenchus_game::debate::protocol::Ceilings;
use elenchus_metrics as metrics;
use elenchus_metrics::Report;
use elenchus_records::workspace::rows::{UnsafeTurn, run_rows, unfinished_runs};
use elenchus_records::workspace::run::read_run;
use elenchus_records::workspace::{StoreIndex, find_run, missing_sessions};
use elenchus_run::engine::SeatedGame;
use elenchus_run::engine::seats::{models_of, seat_of_person};
use elenchus_run::experiments::run::{
    LoadedTopics, PlannedRun, Run, TopicCount, check_run_models, check_trainer,
};
use elenchus_run::experiments::{ExperimentEnd, keep_trained_rows};
use elenchus_text::{cost, shell_word};
use indicatif::HumanDuration;
pub(super) use once::{begin_silently, look_up, resume_silently};
pub(crate) use plan::{
    CastNotices, GameRequest, list_cast_notices, read_cast_request, simulation_notice,
};
use serde_json::json;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

const DEBATES: (&str, &str) = ("debate", "debates");
/// Refused rows that are listed; the rest is counted.
const MAX_LISTED_ROWS: usize = 20;

/// What is debated.
enum DebateSubject<'a> {
    Topic(&'a str),
    Datasets,
}

/// Plays what the command line asks for.
pub(super) fn run(args: &RunArgs, context: &CommandContext) -> Result<Exit> {
    let common = &args.experiment;
    let context = &with_typed_programs(args, context)?;
    ExperimentCommand::run("run", common, context, |command| async move {
        if let Some(id) = &common.resume {
            let id = find_run(&command.context.store.layout, id)?;
            if args.repeat.key.is_some() {
                once::check_same_plan(args, &command.context, &id)?;
            }
            let played_run = resume_run(&command, &id).await?;
            return Ok(print_summary(&command, &played_run)?.0);
        }
        let command = &command.with_ceilings(Ceilings::default())?;
        let context = &command.context;
        if let Some(id) = &args.resume_session {
            return one::resume_debate(command, id).await;
        }
        let subject = match (&args.topic, args.dataset.is_empty()) {
            (Some(topic), true) => DebateSubject::Topic(topic),
            (None, false) => DebateSubject::Datasets,
            (None, true) => bail!("give what to debate: --topic TEXT, or --dataset [KIND:]FILE"),
            (Some(_), false) => bail!("give either --topic or --dataset"),
        };
        let seated_game = plan::seat_game(args, context, CastNotices::Print);
        let seated_game = model_names::suggest_models(context, seated_game).await?;
        if common.estimate {
            context.print_prices_and_settings(models_of(&seated_game.cast))?;
            return estimated::print_estimate(args, context, &seated_game, &subject)
                .map(Exit::from);
        }
        command.check_players(models_of(&seated_game.cast)).await?;
        match subject {
            DebateSubject::Topic(topic) => {
                one::begin_debate(command, args, seated_game, topic).await
            }
            DebateSubject::Datasets => Ok(begin_run(command, args, &seated_game).await?.0),
        }
    })
}

/// Returns the same with the training command and the graders that were typed.
///
/// # Errors
/// When one names no program.
fn with_typed_programs(args: &RunArgs, context: &CommandContext) -> Result<CommandContext> {
    let mut context = context.with_typed_graders(&args.grader)?;
    if let Some(line) = &args.learning.train_cmd {
        let settings = context.training.as_ref().clone();
        context.run.training = Arc::new(settings.with_command_line(line)?);
    }
    Ok(context)
}

async fn begin_run(
    command: &ExperimentCommand<'_>,
    args: &RunArgs,
    seated_game: &SeatedGame,
) -> Result<(Exit, RunId, UnsafeTurn)> {
    let (mut run_plan, loaded) = plan_begun_run(command, args, seated_game)?;
    run_plan.manifest.repeat = command.args.repeat.clone();
    check_trainer(&run_plan.manifest, &command.context.run)?;
    let topics = TopicCount::from_topics(run_plan.items.iter().map(|item| &item.topic));
    command.print_unless_quiet(&format!(
        "run {}: {} ({} read as {}, {} left out)",
        run_plan.manifest.run,
        format_noun_count(run_plan.items.len(), "debate"),
        topics,
        loaded.place().kind,
        format_noun_count(loaded.rejected_rows().count(), "row")
    ));
    let simulation_note = plan::simulation_notice(&seated_game.cast);
    let tell = || {
        simulation_note
            .iter()
            .for_each(|line| command.print_unless_quiet(line))
    };
    tell();
    let played_run = begin_and_play(command, run_plan).await?;
    let (exit, verdicts) = print_summary(command, &played_run)?;
    tell();
    Ok((exit, played_run.id().clone(), verdicts))
}

/// Plans a run that begins now, says which rows it leaves out, and makes the folders that the store lacks.
fn plan_begun_run(
    command: &ExperimentCommand<'_>,
    args: &RunArgs,
    seated_game: &SeatedGame,
) -> Result<(PlannedRun, LoadedTopics)> {
    let context = &command.context;
    let (loaded, topics) = plan::load_topics(args, context)?;
    print_refused_rows(command.args, &loaded);
    let run_plan = plan::plan_run(args, context, seated_game, &loaded, topics)?;
    context.store.layout.create_missing_folders()?;
    Ok((run_plan, loaded))
}

/// Plays a run whose models and cost were shown already, and returns how it ended.
///
/// # Errors
/// As [`run`].
pub(super) fn play_without_notices(
    args: &RunArgs,
    context: &CommandContext,
) -> Result<(Exit, RunId, UnsafeTurn)> {
    let context = &with_typed_programs(args, context)?;
    ExperimentCommand::run("run", &args.experiment, context, |command| async move {
        let command = command.with_ceilings(Ceilings::default())?;
        let seated_game = plan::seat_game(args, &command.context, CastNotices::AlreadyPrinted)?;
        begin_run(&command, args, &seated_game).await
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
pub(super) async fn begin_and_play(
    command: &ExperimentCommand<'_>,
    run_plan: PlannedRun,
) -> Result<PlayedRun> {
    let total = run_plan.items.len() as u64;
    let monitor = command.start_progress(DEBATES, (total, 0));
    let run = Run::begin(&monitor.context, run_plan).await?;
    play_run(command, run, monitor).await
}

/// Says which rows of a dataset were left out, and what its columns were taken for.
pub(crate) fn print_refused_rows(args: &ExperimentArgs, loaded: &LoadedTopics) {
    for notice in loaded.notices.iter().filter(|_| !args.quiet) {
        output::print_notice(&output::clean_line(notice));
    }
    let is_one = loaded.sets.len() == 1;
    for (named, set) in loaded.named_sets() {
        let of_set = match is_one {
            true => String::new(),
            false => format!(" of {}", output::clean_line(named)),
        };
        print_rows_of_set(args, &of_set, set);
    }
}

fn print_rows_of_set(args: &ExperimentArgs, of: &str, loaded: &LoadedDataset) {
    for refused in loaded.refused.iter().take(MAX_LISTED_ROWS) {
        output::print_notice(&format!(
            "row left out: {}: {}",
            output::clean_line(&refused.format_place()),
            output::clean_line(&refused.why)
        ));
    }
    if loaded.refused.len() > MAX_LISTED_ROWS {
        output::print_notice(&format!(
            "… and {} more rows left out",
            loaded.refused.len() - MAX_LISTED_ROWS
        ));
    }
    if !args.quiet {
        let column_text = match (loaded.columns.is_empty(), loaded.format) {
            (false, _) => describe_columns(of, &loaded.columns),
            (true, DatasetFormat::PlainText) => {
                format!("columns{of}: none; each line is the text of a topic")
            }
            (true, _) => format!("columns{of}: none; each row is a text or a conversation"),
        };
        output::print_notice(&output::clean_line(&column_text));
    }
    for remark in &loaded.remarks {
        output::print_notice(&format!("note: {}", output::clean_line(remark)));
    }
    print_notes(loaded);
}

/// Prints notes on rows; those that say the same are one.
fn print_notes(loaded: &LoadedDataset) {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for note in &loaded.notes {
        *counts.entry(&note.what).or_default() += 1;
    }
    let mut listed_count = 0;
    let distinct = counts.len();
    for note in &loaded.notes {
        if listed_count == MAX_LISTED_ROWS {
            break;
        }
        let Some(count) = counts.remove(note.what.as_str()) else {
            continue;
        };
        let more = match count {
            1 => String::new(),
            _ => format!(" (and in {})", format_noun_count(count - 1, "more row")),
        };
        output::print_notice(&format!(
            "note: {}: {}{more}",
            output::clean_line(&note.format_place()),
            output::clean_line(&note.what)
        ));
        listed_count += 1;
    }
    if distinct > listed_count {
        output::print_notice(&format!("… and {} more notes", distinct - listed_count));
    }
}

/// Says what each column was taken for, and which are not read, so that a wrong guess is seen.
fn describe_columns(of: &str, columns: &[(String, TopicField)]) -> String {
    let (unused, read): (Vec<_>, Vec<_>) = columns
        .iter()
        .partition(|(_, field)| matches!(field, TopicField::Unused | TopicField::Assertion));
    let read = read
        .iter()
        .map(|(column, field)| (column.as_str(), field.name()));
    format_columns(of, read, unused.iter().map(|(column, _)| column.as_str()))
}

/// Goes on with a run as it was begun.
pub(super) async fn resume_run(command: &ExperimentCommand<'_>, id: &RunId) -> Result<PlayedRun> {
    let state = read_run(&command.context.store.layout.run_path(id.as_str())?)?;
    let cast = || state.manifest.casts.iter().flatten();
    people::check_present(cast())?;
    let command = &command.with_ceilings(state.manifest.ceilings)?;
    let (args, context) = (command.args, &command.context);
    let (total, done) = (state.items.len() as u64, state.finished.len() as u64);
    let monitor = command.start_progress(DEBATES, (total, done));
    let typed = args.budget.typed_ceilings()?;
    let shard = state.manifest.shard;
    let overrides = shard.map_or(typed, |shard| shard.share_ceilings(typed));
    let ceilings = state.manifest.ceilings.with_overrides(overrides);
    context.print_prices_and_settings(models_of(cast()))?;
    check_run_models(&state.manifest, &context.seats, ceilings)?;
    model_names::check_names(context, models_of(cast()), args.names).await?;
    print_missing_sessions(&context.store.layout, &state)?;
    let run = Run::resume(&monitor.context, id, overrides).await?;
    output::print_notices(&run.log.notices);
    command.print_unless_quiet(&format!("run {id}: {done} of {total} debates are done"));
    play_run(command, run, monitor).await
}

async fn play_run(
    command: &ExperimentCommand<'_>,
    mut run: Run,
    monitor: ExperimentMonitor,
) -> Result<PlayedRun> {
    let mut context = monitor.context;
    if let Some(estimate) = run.estimate_open_items() {
        command.print_estimate(Some(&estimate), run.log.state.manifest.ceilings)?;
    }
    if seat_of_person(run.log.state.manifest.casts.iter().flatten()).is_some() {
        // A person is asked about one debate at a time, and does not wait for themselves.
        context.concurrency = 1;
        context.stop.arrives_within = Duration::ZERO;
    }
    let end = run.play_debates(&context).await?;
    let counts = monitor.progress.finish_bar();
    Ok(PlayedRun { run, end, counts })
}

fn print_summary(
    command: &ExperimentCommand<'_>,
    played: &PlayedRun,
) -> Result<(Exit, UnsafeTurn)> {
    let (args, context) = (command.args, &command.context);
    let PlayedRun { run, counts, .. } = played;
    let state = &run.log.state;
    let id = &state.manifest.run;
    let mut unsafe_turn = UnsafeTurn::None;
    let truncated_count = state.finished.values();
    let truncated_count = truncated_count
        .filter(|done| done.how == "truncated")
        .count();
    if args.json {
        let report = compute_figures(context, run)?.map(|(report, _)| report);
        output::print_json_lines([json!({
            "run": id,
            "debates": state.items.len(),
            "finished": state.finished.len(),
            "failed": state.failed.len(),
            "truncated": truncated_count,
            "report": report,
        })])?;
    } else if args.quiet {
        output::print_text(&format!("{id}\n"))?;
    } else {
        if let Some((report, there)) = compute_figures(context, run)? {
            unsafe_turn = there;
            output::print_lines(&metrics::to_lines(&report))?;
        }
        let used = counts.total_spend();
        let unpriced = match used.unpriced_calls {
            0 => "",
            _ => " (?: some models have no price)",
        };
        let first = match unsafe_turn {
            UnsafeTurn::There => "the first unsafe turn".to_owned(),
            UnsafeTurn::None => "the first debate".to_owned(),
            UnsafeTurn::Unknown { .. } => {
                let why = unsafe_turn.describe_absence().unwrap_or_default();
                format!("{why}; the first debate")
            }
        };
        let labelling_hint = super::open::labelling_hint(context);
        let mut lines = vec![
            format!(
                "run {id}: {} of {} debates done, {} failed, {truncated_count} truncated",
                state.finished.len(),
                state.items.len(),
                state.failed.len(),
            ),
            format!(
                "this time: {} calls, {} tokens, {}{unpriced}, {} retries, {}",
                used.calls,
                used.total_tokens(),
                cost::format_cost_sum(used.cost_usd, used.unpriced_calls),
                counts.retries,
                HumanDuration(counts.elapsed()),
            ),
            format!("{first}: elenchus open --run {id}"),
            labelling_hint.trim().to_owned(),
            format!("transcripts: elenchus ls --run {id}"),
            format!("every figure: elenchus metrics --run {id}"),
        ];
        lines.retain(|line| !line.is_empty());
        output::print_lines(&lines)?;
    }
    Ok((print_run_end(command, played), unsafe_turn))
}

/// Lists what failed, says how to go on with a command, and returns how that exits.
pub(super) fn print_run_end(command: &ExperimentCommand<'_>, played: &PlayedRun) -> Exit {
    let state = &played.run.log.state;
    if state.manifest.learn_batch.is_some() && !state.failed.is_empty() {
        output::print_notice(
            "notice: what the failed debates would have taught was missing from later batches",
        );
    }
    if let Some(continuous) = state.manifest.memory.continuous
        && state.manifest.training.is_some()
        && state.trained.is_empty()
        && played.end == ExperimentEnd::Completed
    {
        output::print_notice(&format!(
            "notice: no debater was trained: too few lessons came for --train-every {}",
            continuous.every
        ));
    }
    let exit = command.print_end(&played.end, &played.run.log.summarize());
    let typed = &command.context.training.command;
    if played.end != ExperimentEnd::Completed
        && state.manifest.training.is_some()
        && *typed != command.context.config.training.command
    {
        let words: Vec<_> = typed.iter().map(|word| shell_word(word)).collect();
        output::print_notice(&format!(
            "the command that trains is typed again: --train-cmd {}",
            shell_word(&words.join(" "))
        ));
    }
    exit
}

/// Computes the figures of a run, and whether anything is unsafe; `None` where finished sessions are gone.
fn compute_figures(context: &CommandContext, run: &Run) -> Result<Option<(Report, UnsafeTurn)>> {
    let id = &run.log.state.manifest.run;
    // Which they are was said when the run was opened.
    if !missing_sessions(&context.store.layout, &run.log.state)?.is_empty() {
        output::print_notice(&format!(
            "no figures: finished sessions are gone; bring them back, or see what is left with: \
             elenchus metrics --run {id}"
        ));
        return Ok(None);
    }
    let families = context.library.read_families()?;
    let state = &run.log.state;
    let finished_sessions = state.finished.values().map(|done| &done.session);
    let ended_sessions = finished_sessions.chain(state.list_failed_sessions());
    let ended_sessions: Vec<_> = ended_sessions.cloned().collect();
    let index = StoreIndex::read_rows_of(&context.store.layout, id, &ended_sessions);
    let rows = run_rows(&index, id, &families);
    let open_runs = rows.as_ref().map(|rows| unfinished_runs(&index, rows));
    index.write_changes();
    let settings = metrics::ReportSettings {
        unfinished: open_runs.unwrap_or_default(),
        ..metrics::ReportSettings::default()
    };
    let mut rows = rows?;
    let manifest = &run.log.state.manifest;
    if let Some(note) = keep_trained_rows(&mut rows, manifest).describe() {
        output::print_notice(&format!("note: {note}"));
    }
    let report = metrics::compute_report(&rows, &settings)?;
    let unsafe_turn = UnsafeTurn::from_rows(&rows);
    Ok(Some((report, unsafe_turn)))
}
