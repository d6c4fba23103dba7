//! Passes by batch files: `--batch-out` writes the open calls, `--batch-in` takes the answers.

use super::JudgeArgs;
use crate::cli::common::ceilings::format_price_flags;
use crate::cli::common::{Exit, ExperimentCommand, estimate, format_noun_count, output};
use anyhow::{Context, Result, bail};
use elenchus_records::exchange::batch_file::{AnswerFile, LineEnd, MAX_ANSWER_BYTES};
use elenchus_records::workspace::{ExperimentSummary, refuse_existing, stream_new_private};
use elenchus_run::experiments::rejudge::{OpenCalls, PassUpdate, RejudgingPass, TakenAnswers};
use elenchus_run::experiments::{ExperimentContext, ExperimentEnd, PauseCause};
use elenchus_text::shell_word;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use tokio::sync::mpsc::UnboundedSender;

/// The most of a file of answers that is read.
const MAX_FILE_BYTES: u64 = 8 << 30;

/// A pass whose servers are not asked.
pub(super) enum ByBatch {
    /// Writes the open calls to a new file.
    Writes(PathBuf),
    /// Takes the answers of a file.
    Takes(PathBuf),
}

/// What a batch file was written with, or brought.
pub(super) enum BatchOutcome {
    Written {
        file: PathBuf,
        calls: OpenCalls,
    },
    Taken {
        file: PathBuf,
        answers: TakenAnswers,
    },
}

impl ByBatch {
    /// Returns what the command line asks for.
    ///
    /// # Errors
    /// When the file that is to be written is there already, or the one that is to be read is not.
    pub(super) fn from_args(args: &JudgeArgs) -> Result<Option<Self>> {
        if let Some(file) = &args.batch_in {
            open_answers(file)?;
            return Ok(Some(Self::Takes(file.clone())));
        }
        if let Some(file) = &args.batch_out {
            if args.experiment.resume.is_none() {
                // Before a pass is begun that could not be written down.
                refuse_existing(file)?;
            }
            if file
                .parent()
                .is_some_and(|folder| !folder.as_os_str().is_empty() && !folder.is_dir())
            {
                bail!("there is no folder for {}; make it first", file.display());
            }
            return Ok(Some(Self::Writes(file.clone())));
        }
        Ok(None)
    }

    /// Writes or reads the file. A file of calls is there once they all are durable in the journal.
    ///
    /// # Errors
    /// When the journal or the file cannot be written or read.
    pub(super) async fn perform(
        self,
        pass: &mut RejudgingPass,
        context: &ExperimentContext,
        updates: UnboundedSender<PassUpdate>,
    ) -> Result<(ExperimentEnd, BatchOutcome)> {
        match self {
            Self::Takes(file) => {
                let answers = read_answers(&file, pass.id())?;
                let (end, answers) = pass.take_answers(context, updates, answers).await?;
                Ok((end, BatchOutcome::Taken { file, answers }))
            }
            Self::Writes(file) => {
                let (end, calls) = pass.write_open_calls(context, updates).await?;
                if !calls.lines.is_empty() {
                    write_calls(&file, &calls).with_context(|| {
                        format!(
                            "the calls of pass {} were not written; nothing was sent, and --resume {} --batch-out \
                             FILE writes them",
                            pass.id(),
                            pass.id()
                        )
                    })?;
                }
                Ok((end, BatchOutcome::Written { file, calls }))
            }
        }
    }
}

/// Writes a file for its owner alone, as other exports of what was said are. One that holds the same calls is
/// left as it is: the command was repeated.
fn write_calls(file: &Path, calls: &OpenCalls) -> Result<()> {
    if is_written(file, calls) {
        return Ok(());
    }
    let lines = calls.lines.iter();
    stream_new_private(file, |to| {
        lines
            .map(String::as_bytes)
            .try_for_each(|line| to.write_all(line))
    })?;
    Ok(())
}

/// Says whether a file holds these calls and nothing else.
fn is_written(file: &Path, calls: &OpenCalls) -> bool {
    let length: usize = calls.lines.iter().map(String::len).sum();
    let is_as_long =
        std::fs::metadata(file).is_ok_and(|known| known.is_file() && known.len() == length as u64);
    is_as_long && std::fs::read(file).is_ok_and(|text| text == calls.lines.concat().as_bytes())
}

/// A file of answers, as far as it is read.
type Answers = BufReader<io::Take<File>>;

fn open_answers(file: &Path) -> Result<Answers> {
    let opened = File::open(file).and_then(|open| match open.metadata()?.is_dir() {
        true => Err(io::ErrorKind::IsADirectory.into()),
        false => Ok(open),
    });
    let opened = opened.with_context(|| format!("{} cannot be read", file.display()))?;
    Ok(BufReader::new(opened.take(MAX_FILE_BYTES)))
}

fn read_answers(file: &Path, pass: &str) -> Result<AnswerFile> {
    let mut reader = open_answers(file)?;
    let mut answers = AnswerFile::new(pass);
    let mut line = Vec::new();
    loop {
        let end = read_line(&mut reader, &mut line)
            .with_context(|| format!("{} cannot be read", file.display()))?;
        let Some(end) = end else {
            return Ok(answers);
        };
        if answers.is_full() || reader.get_ref().limit() == 0 {
            answers.note_rest();
            return Ok(answers);
        }
        answers.add_line(&line, end);
    }
}

/// Reads a line without its break; `None` at the end. Of one that is too long only the beginning is kept.
fn read_line(reader: &mut Answers, line: &mut Vec<u8>) -> io::Result<Option<LineEnd>> {
    line.clear();
    let most = MAX_ANSWER_BYTES as u64 + 1;
    if reader.by_ref().take(most).read_until(b'\n', line)? == 0 {
        return Ok(None);
    }
    if line.pop_if(|last| *last == b'\n').is_some() {
        return Ok(Some(LineEnd::Ended));
    }
    if line.len() as u64 <= MAX_ANSWER_BYTES as u64 {
        return Ok(Some(LineEnd::FileEnded));
    }
    reader.skip_until(b'\n')?;
    Ok(Some(LineEnd::TooLong))
}

impl BatchOutcome {
    /// Says what was written or taken and what comes next, and returns how the command exits.
    pub(super) fn print_end(
        &self,
        command: &ExperimentCommand<'_>,
        end: &ExperimentEnd,
        summary: &ExperimentSummary,
    ) -> Exit {
        let again = format!(
            "elenchus judge --resume {}{}",
            summary.id,
            format_price_flags(&command.args.budget)
        );
        match self {
            Self::Written { file, calls } => print_written(command, file, calls, &again),
            Self::Taken { file, answers } => print_taken(command, file, answers),
        }
        let ExperimentEnd::Paused(PauseCause::InBatch(open)) = end else {
            let exit = command.print_end(end, summary);
            if matches!(
                end,
                ExperimentEnd::Paused(_) | ExperimentEnd::WithFailures(_)
            ) {
                output::print_notice(
                    "both commands take --batch-out FILE and --batch-in FILE as well",
                );
            }
            return exit;
        };
        match self {
            Self::Written { calls, .. } => {
                if calls.failed > 0 {
                    command.print_failures(summary);
                }
                Exit::Fine
            }
            Self::Taken { answers, .. } => {
                command.print_failures(summary);
                output::print_notice(&describe_open(*open, answers.second_tries));
                output::print_notice(&format!(
                    "take further answers by {again} --batch-in FILE; write what is open to another batch by {again} \
                     --batch-out FILE"
                ));
                Exit::Unfinished
            }
        }
    }
}

fn describe_open(open: usize, second_tries: usize) -> String {
    let are = if open == 1 { "is" } else { "are" };
    let tries = match second_tries {
        0 => String::new(),
        tries => format!(
            ", {tries} of them to ask a judge again whose reply could not be read: the next batch holds them"
        ),
    };
    format!("{} {are} open{tries}", format_noun_count(open, "call"))
}

fn print_written(command: &ExperimentCommand<'_>, file: &Path, calls: &OpenCalls, again: &str) {
    let name = file.display();
    if calls.lines.is_empty() {
        output::print_notice(&format!("there is no call to write, so {name} is not made"));
        return;
    }
    command.print_unless_quiet(&format!(
        "{} written to {name}; at the configured prices, from which a batch may differ: {}",
        format_noun_count(calls.lines.len(), "call"),
        estimate::describe_cost(calls.estimate.as_ref()),
    ));
    if calls.models.len() > 1 {
        let models = calls.models.iter();
        let models: Vec<String> = models
            .map(|(model, count)| format!("{model} in {count}"))
            .collect();
        output::print_notice(&format!(
            "notice: the calls ask {} models ({}); OpenAI and vLLM take one model a file, so split it by \"model\"",
            models.len(),
            models.join(", ")
        ));
    }
    if calls.left_out > 0 {
        output::print_notice(&format!(
            "notice: {} did not fit into one file: write a batch again once these are answered",
            format_noun_count(calls.left_out, "call")
        ));
    }
    command.print_unless_quiet(&format!(
        "hand it in, then take the answers: {again} --batch-in {}",
        shell_word(&answers_name(file))
    ));
}

/// Returns a name for the answers beside a file of calls.
fn answers_name(calls: &Path) -> String {
    let stem = calls.file_stem().unwrap_or_default().to_string_lossy();
    let name = format!("{stem}-answers.jsonl");
    calls.with_file_name(name).display().to_string()
}

fn print_taken(command: &ExperimentCommand<'_>, file: &Path, taken: &TakenAnswers) {
    for note in taken.answers.notes.describe() {
        output::print_notice(&output::clean_line(&format!("notice: {note}")));
    }
    command.print_unless_quiet(&format!(
        "{}: {} taken, {}",
        file.display(),
        format_noun_count(taken.replies, "reply"),
        format_noun_count(taken.errors, "error"),
    ));
}
