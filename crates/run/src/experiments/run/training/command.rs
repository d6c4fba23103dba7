//! The user's command that trains an adapter: run without a shell, watched, stopped at its deadline. All that it says
//! is kept; its last line names the adapter.

use super::folder::OUTPUT;
use crate::engine::user_command::{ProcessGroup, build_command, describe_status};
use crate::experiments::engine::ExperimentContext;
use elenchus_records::workspace::run::TrainingOutcome;
use elenchus_records::workspace::{Result, WorkspaceError};
use elenchus_store::create_private;
use std::collections::VecDeque;
use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::process::ExitStatus;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::process::Child;
use tokio::time::{Instant, sleep, sleep_until};

/// What is kept of the output; a training that says more is heard to its end, and the rest is left out.
const MAX_OUTPUT: u64 = 16 << 20;
/// Lines that a run's journal keeps.
const KEPT_LINES: usize = 20;
const MAX_LINE: usize = 400;
/// Longest name of an adapter.
const MAX_NAME: usize = 512;
/// A program that it started may hold its output open after its end.
const DRAINS_WITHIN: Duration = Duration::from_secs(2);

/// What came of a training.
pub(super) enum TrainerEnd {
    /// The name under which the server knows the adapter.
    Named(String),
    Failed(String),
    /// The run stops.
    Stopped,
}

/// Runs the user's command on a folder.
///
/// # Errors
/// When its output cannot be kept.
pub(super) async fn run_trainer(
    context: &ExperimentContext,
    folder: &Path,
) -> Result<(TrainerEnd, TrainingOutcome)> {
    let settings = &context.training;
    let start = Instant::now();
    let program = match settings.find_program() {
        Ok(program) => program,
        Err(why) => {
            return Ok((
                TrainerEnd::Failed(why.to_string()),
                TrainingOutcome::default(),
            ));
        }
    };
    let arguments = settings.command.get(1..).unwrap_or_default();
    let mut command = build_command(&program, arguments);
    command.arg(folder);
    // What a training says is kept in a file.
    for variable in context.seats.key_variables() {
        command.env_remove(variable);
    }
    let mut child = match command.spawn() {
        Ok(child) => child,
        Err(error) => {
            let why = format!("{} cannot be started: {error}", settings.command.join(" "));
            return Ok((TrainerEnd::Failed(why), TrainingOutcome::default()));
        }
    };
    let group = ProcessGroup::of_child(&child);
    let mut output = KeptOutput::create(&folder.join(OUTPUT))?;
    let deadline = start + settings.deadline();
    let stop = &context.stop;
    let stopped = async {
        tokio::select! {
            () = stop.pause.cancelled() => {}
            () = stop.give_up.cancelled() => {}
        }
    };
    let end = tokio::select! {
        status = listen(&mut child, &mut output) => Some(status?),
        () = sleep_until(deadline) => None,
        () = stopped => {
            drop(group);
            output.finish()?;
            return Ok((TrainerEnd::Stopped, TrainingOutcome::default()));
        }
    };
    drop(group);
    let last_line = output.finish()?;
    let outcome = TrainingOutcome {
        seconds: start.elapsed().as_secs_f64(),
        said: output.lines.into(),
    };
    let end = match end {
        None => TrainerEnd::Failed(format!(
            "the command was not over after {} s, its deadline ([training] deadline_s), and was ended",
            settings.deadline().as_secs()
        )),
        Some(status) if !status.success() => TrainerEnd::Failed(format!(
            "the command ended with {}",
            describe_status(status)
        )),
        Some(_) => read_name(last_line.as_deref()),
    };
    Ok((end, outcome))
}

fn read_name(last_line: Option<&str>) -> TrainerEnd {
    match last_line.map(str::trim) {
        None | Some("") => TrainerEnd::Failed(
            "the command ended well and printed nothing: its last line has to name the model that the server \
             knows the adapter by"
                .to_owned(),
        ),
        Some(name) if name.len() > MAX_NAME || name.chars().any(char::is_control) => {
            TrainerEnd::Failed(format!(
                "the last line of what the command printed is no name of a model: '{}'",
                name.chars().take(60).collect::<String>()
            ))
        }
        Some(name) => TrainerEnd::Named(name.to_owned()),
    }
}

/// Keeps all that a command says until it is over.
async fn listen(child: &mut Child, output: &mut KeptOutput) -> Result<ExitStatus> {
    let (mut said, mut complained) = (child.stdout.take(), child.stderr.take());
    let mut status = None;
    while said.is_some() || complained.is_some() || status.is_none() {
        tokio::select! {
            bytes = read_some(&mut said), if said.is_some() => output.hear(Voice::Output, &bytes)?,
            bytes = read_some(&mut complained), if complained.is_some() => {
                output.hear(Voice::Errors, &bytes)?;
            }
            ended = child.wait(), if status.is_none() => {
                let lost = |error: std::io::Error| WorkspaceError::Invalid(format!(
                    "what became of the training command is not known: {error}"
                ));
                status = Some(ended.map_err(lost)?);
            }
            () = sleep(DRAINS_WITHIN), if status.is_some() => break,
        }
    }
    status.ok_or_else(|| WorkspaceError::Invalid("the training command was not over".to_owned()))
}

/// Reads what is there; closes what has nothing more to say.
async fn read_some<R: AsyncRead + Unpin>(from: &mut Option<R>) -> Vec<u8> {
    let mut buffer = vec![0; 8192];
    let Some(open) = from else {
        return Vec::new();
    };
    match open.read(&mut buffer).await {
        Ok(0) | Err(_) => {
            *from = None;
            Vec::new()
        }
        Ok(count) => {
            buffer.truncate(count);
            buffer
        }
    }
}

/// Standard output, or standard error.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Voice {
    Output,
    Errors,
}

/// Output of a command: all of it in a file, its last lines here.
struct KeptOutput {
    file: File,
    path: String,
    written: u64,
    lines: VecDeque<String>,
    /// Parts of lines that are not over.
    open_lines: [Vec<u8>; 2],
    /// Last line of standard output that is not blank.
    last_line: Option<String>,
}

impl KeptOutput {
    fn create(path: &Path) -> Result<Self> {
        Ok(Self {
            file: create_private(path)?,
            path: path.display().to_string(),
            written: 0,
            lines: VecDeque::new(),
            open_lines: [Vec::new(), Vec::new()],
            last_line: None,
        })
    }

    fn hear(&mut self, voice: Voice, bytes: &[u8]) -> Result<()> {
        let room = usize::try_from(MAX_OUTPUT.saturating_sub(self.written)).unwrap_or(usize::MAX);
        let kept = &bytes[..bytes.len().min(room)];
        let not_kept = |error: std::io::Error| {
            WorkspaceError::Invalid(format!(
                "what the training command says cannot be kept in {}: {error}",
                self.path
            ))
        };
        self.file.write_all(kept).map_err(not_kept)?;
        self.written += kept.len() as u64;
        for &byte in bytes {
            match byte {
                b'\n' | b'\r' => self.end_line(voice),
                // A bar of progress is redrawn on one line.
                byte if self.open_line(voice).len() < MAX_NAME * 2 => {
                    self.open_line(voice).push(byte)
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn open_line(&mut self, voice: Voice) -> &mut Vec<u8> {
        &mut self.open_lines[usize::from(voice == Voice::Errors)]
    }

    fn end_line(&mut self, voice: Voice) {
        let bytes = std::mem::take(self.open_line(voice));
        let line = String::from_utf8_lossy(&bytes).into_owned();
        if line.trim().is_empty() {
            return;
        }
        if self.lines.len() == KEPT_LINES {
            self.lines.pop_front();
        }
        self.lines.push_back(line.chars().take(MAX_LINE).collect());
        if voice == Voice::Output {
            self.last_line = Some(line);
        }
    }

    /// Ends the lines that are open, and returns the last one of standard output.
    fn finish(&mut self) -> Result<Option<String>> {
        self.end_line(Voice::Errors);
        self.end_line(Voice::Output);
        let synced = self.file.sync_all();
        synced.map_err(|error| {
            WorkspaceError::Invalid(format!(
                "what the training command said cannot be kept in {}: {error}",
                self.path
            ))
        })?;
        Ok(self.last_line.take())
    }
}
