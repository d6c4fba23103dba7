//! `elenchus rollout`: topics in, groups of debates with their rewards out, for a trainer.
//!
//! Each batch of topics becomes a run of the store: it is durable before a line of it is printed, and figures,
//! exports and the workbench read it as any other.

mod args;
mod batches;

use super::common::{
    CommandContext, Exit, ExperimentCommand, format_noun_count, model_names, output,
};
use super::run::plan;
use super::run::{CastNotices, simulation_notice};
use anyhow::{Context, Result, bail};
pub(crate) use args::RolloutArgs;
use batches::{BatchReader, TopicLines};
use elenchus_game::debate::State;
use elenchus_game::debate::protocol::Ceilings;
use elenchus_game::debate::seeded_random::seeded_number;
use elenchus_records::workspace::rows::training::{RolloutGroup, describe_rollout};
use elenchus_records::workspace::run::RunItem;
use elenchus_records::workspace::{self, read_ahead, read_session_without_views};
use elenchus_run::engine::SeatedGame;
use elenchus_run::engine::seats::{models_of, seat_of_person};
use elenchus_run::experiments::run::{LoadedTopics, Run};
use elenchus_run::experiments::{
    ExperimentContext, ExperimentEnd, NoExperimentObserver, PauseCause,
};
use serde_json::json;
use std::fs::File;
use std::io::{BufRead, BufReader, IsTerminal, Write, stdin, stdout};
use std::path::Path;
use std::sync::Arc;
use tokio::sync::mpsc;

/// What topics without a file are called in a run's manifest.
const NO_FILE: &str = "rollout.jsonl";
/// Batches that are read while one is played.
const BATCHES_AHEAD: usize = 1;

/// Plays batches of topics as they come, and prints a line for each topic.
///
/// # Errors
/// When the game or its models cannot be had, or the store cannot be written to. A debate that fails says so
/// in its line.
pub(super) fn run(args: &RolloutArgs, context: &CommandContext) -> Result<Exit> {
    let run_args = &args.run_args();
    ExperimentCommand::run(
        "rollout",
        &run_args.experiment,
        context,
        |command| async move {
            let ceilings = command.context.resolve_ceilings(&args.budget)?;
            let command = &command.with_ceilings(ceilings)?;
            let seated_game = plan::seat_game(run_args, &command.context, CastNotices::Print);
            let seated_game = model_names::suggest_models(&command.context, seated_game).await?;
            if let Some(seat) = seat_of_person(&seated_game.cast) {
                bail!("the seat '{seat}' is a person's, and nobody is asked here; seat a model");
            }
            command.check_players(models_of(&seated_game.cast)).await?;
            if let Some(notice) = simulation_notice(&seated_game.cast) {
                command.print_unless_quiet(&notice);
            }
            command.context.store.layout.create_missing_folders()?;
            let player = BatchPlayer {
                command,
                args,
                seated_game: &seated_game,
                ceilings,
            };
            player.play_batches(read_batches(&args.topics)?).await
        },
    )
}

/// Reads batches on a thread of its own, which waits for a trainer as long as that takes.
fn read_batches(from: &Path) -> Result<mpsc::Receiver<Result<TopicLines>>> {
    let reader: Box<dyn BufRead + Send> = if from == Path::new("-") {
        if stdin().is_terminal() {
            output::print_notice(
                "write a topic a line, as {\"text\": \"…\", \"reference\": \"…\"}; an empty line plays them",
            );
        }
        Box::new(BufReader::new(stdin()))
    } else {
        let file = File::open(from)
            .with_context(|| format!("the topics cannot be read: {}", from.display()))?;
        Box::new(BufReader::new(file))
    };
    let (send, receive) = mpsc::channel(BATCHES_AHEAD);
    std::thread::spawn(move || {
        let mut batches = BatchReader::new(reader);
        loop {
            let batch = batches.read_batch().transpose();
            let Some(batch) = batch else { return };
            let is_last = batch.is_err();
            if send.blocking_send(batch).is_err() || is_last {
                return;
            }
        }
    });
    Ok(receive)
}

/// What batches are played with.
struct BatchPlayer<'a> {
    command: &'a ExperimentCommand<'a>,
    args: &'a RolloutArgs,
    seated_game: &'a SeatedGame,
    /// Of all batches together.
    ceilings: Ceilings,
}

impl BatchPlayer<'_> {
    async fn play_batches(&self, mut batches: mpsc::Receiver<Result<TopicLines>>) -> Result<Exit> {
        let context = self
            .command
            .build_context(Arc::new(NoExperimentObserver))
            .with_common_ceilings(self.ceilings);
        let (mut exit, mut batch_count) = (Exit::Fine, 0);
        loop {
            let batch = tokio::select! {
                batch = batches.recv() => batch,
                () = self.command.cancel.cancelled() => return Ok(Exit::Unfinished),
            };
            let Some(batch) = batch else {
                return Ok(exit);
            };
            let end = self.play_batch(&context, batch?, batch_count).await?;
            batch_count += 1;
            match end {
                Some(ExperimentEnd::Completed) | None => {}
                Some(end @ ExperimentEnd::WithFailures(_)) => exit = Exit::from(&end),
                Some(end @ ExperimentEnd::Paused(_)) => return Ok(Exit::from(&end)),
            }
        }
    }

    /// Plays a batch as a run, and prints its groups. Returns how it ended; `None` where no topic was read.
    async fn play_batch(
        &self,
        context: &ExperimentContext,
        lines: TopicLines,
        batch: u64,
    ) -> Result<Option<ExperimentEnd>> {
        let (loaded, topics) = LoadedTopics::from_text(NO_FILE, &lines.bytes);
        for refused in loaded.rejected_rows() {
            output::print_json_lines([json!({
                "line": refused.line + lines.lines_before,
                "refused": refused.why,
            })])?;
        }
        if topics.is_empty() {
            return Ok(None);
        }
        let mut run_args = self.args.run_args();
        // A topic that is asked again in a later batch is answered anew.
        run_args.seed.seed =
            seeded_number(run_args.seed.seed, &["rollout batch", &batch.to_string()]);
        let run_context = &self.command.context;
        let planned = plan::plan_run(&run_args, run_context, self.seated_game, &loaded, topics)?;
        let mut run = Run::begin(context, planned).await?;
        let id = run.log.state.manifest.run.clone();
        let debates = format_noun_count(run.log.state.items.len(), "debate");
        self.command
            .print_unless_quiet(&format!("run {id}: {debates}"));
        let end = run.play_debates(context).await?;
        print_groups(context, &run)?;
        match &end {
            ExperimentEnd::Completed => {}
            ExperimentEnd::WithFailures(missing) => output::print_notice(&format!(
                "run {id}: {} failed; try again: elenchus run --resume {id}",
                format_noun_count(*missing, "debate")
            )),
            ExperimentEnd::Paused(cause) => print_pause(&id.to_string(), cause),
        }
        Ok(Some(end))
    }
}

fn print_pause(id: &str, cause: &PauseCause) {
    output::print_notice(&format!(
        "paused: {}",
        output::clean_line(&cause.to_string())
    ));
    output::print_notice(&format!(
        "what is missing of run {id} is played by: elenchus run --resume {id}{}",
        super::common::raise_ceiling_option(cause.ceiling())
    ));
}

/// Prints a line for each topic of a run, in the order in which they were sent.
fn print_groups(context: &ExperimentContext, run: &Run) -> Result<()> {
    let state = &run.log.state;
    let layout = &context.store.layout;
    // One that has not begun, or cannot be read, is missing in its line.
    let read_item = |item: &RunItem| -> workspace::Result<State> {
        read_session_without_views(&layout.session_path(item.session.as_str())?)
    };
    let mut group: Option<RolloutGroup> = None;
    read_ahead(
        &state.items,
        || read_item,
        |item, session| -> Result<()> {
            // Two topics may say the same: each has its group, in which rollouts count from 0.
            if let Some(done) = group.take_if(|_| item.rollout == 0) {
                output::print_json_lines([done])?;
            }
            let session = session
                .inspect_err(|why| {
                    if state.finished.contains_key(&item.item) {
                        output::print_notice(&output::clean_line(&why.to_string()));
                    }
                })
                .ok();
            let group = group.get_or_insert_with(|| RolloutGroup {
                topic: item.topic.id.clone(),
                topic_key: item.topic.compute_key().to_string(),
                run: state.manifest.run.to_string(),
                rollouts: Vec::new(),
            });
            let rollout = describe_rollout(state, item, session.as_ref());
            group.rollouts.push(rollout);
            Ok(())
        },
    )?;
    output::print_json_lines(group)?;
    stdout()
        .flush()
        .context("standard output cannot be written to")
}
