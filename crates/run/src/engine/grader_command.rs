//! Command that grades a turn: one line of JSON goes in, one comes out, within a deadline.
//!
//! The program has no key in its environment. What it prints is a stranger's text: it is bounded,
//! and anything but a verdict in the expected form states none.

use super::automatic_steps::answer_of_turn;
use super::grader_programs::{GraderProgram, GraderPrograms};
use super::user_command::{ProcessGroup, build_command, describe_status};
use elenchus_game::debate::State;
use elenchus_game::debate::event::{Event, Failed, FailureKind, Finding, Judged, Outcome};
use elenchus_game::debate::ids::JudgingId;
use elenchus_game::debate::step::{ShownOrder, StepId, Target};
use elenchus_game::judge::{CORRECT, INCORRECT, find_final_answer};
use elenchus_model::sim::remove_markers;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::path::Path;
use std::process::Stdio;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::process::{ChildStderr, ChildStdout};
use tokio::time::timeout;

/// The most that is read of what a program prints.
const MAX_OUTPUT: u64 = 64 << 10;
/// The longest question that is put, in bytes.
const MAX_QUESTION: usize = 4 << 20;
/// What of its complaints is quoted.
const MAX_COMPLAINT: usize = 2 << 10;
const QUOTED_CHARS: usize = 200;
/// The longest reason that is kept.
const MAX_REASON_CHARS: usize = 2_000;
/// What a program is started with; everything else may be a key.
const PASSED_VARIABLES: [&str; 6] = ["PATH", "HOME", "LANG", "LC_ALL", "LC_CTYPE", "TMPDIR"];
/// Its word for what it cannot decide.
const UNDECIDED: &str = "undecided";

/// A turn that a grader's command is asked about.
pub(super) struct AskedCommand {
    judging: JudgingId,
    target: Target,
    command: String,
    question: Question,
}

/// What the program reads.
#[derive(Serialize)]
struct Question {
    question: String,
    /// The graded turn, or its field.
    answer: String,
    /// What the rules of comparison would take as the final answer, where they find one.
    final_answer: Option<String>,
    reference: String,
    aliases: Vec<String>,
}

/// What the program prints.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Answer {
    verdict: String,
    #[serde(default)]
    reason: Option<String>,
    #[serde(default)]
    points: Option<f64>,
}

impl AskedCommand {
    /// Returns what a rule asks a command; `None` where the rule asks none.
    pub(super) fn find(state: &State, judging: &JudgingId, target: &Target) -> Option<Self> {
        let created = state.first_event()?;
        let rule = created.protocol.find_judging(judging)?;
        let command = rule.command.clone()?;
        let Target::Attempt(id) = target else {
            return None;
        };
        let turn = state.turns().get(&id.turn)?;
        let attempt = turn.attempts.get(id.attempt as usize)?;
        let reference = created.topic.reference.as_ref()?;
        let text = remove_markers(&attempt.reply.text);
        let (answer, final_answer) = match answer_of_turn(rule, attempt) {
            Some(Ok(field)) => (field.clone(), Some(field)),
            // A field that cannot be read is looked for in the whole text.
            Some(Err(_)) | None => (text.to_string(), find_final_answer(&text)),
        };
        Some(Self {
            judging: judging.clone(),
            target: target.clone(),
            command,
            question: Question {
                question: created.topic.text.clone(),
                answer,
                final_answer,
                reference: reference.answer.clone(),
                aliases: reference.aliases.clone(),
            },
        })
    }

    /// Runs the command and returns what came of it. A failure is no verdict: the step stays open.
    pub(super) async fn run(self, programs: &GraderPrograms, step: &StepId) -> Event {
        match ask_command(programs, &self.command, &self.question).await {
            Ok(outcome) => Event::Judged(Box::new(Judged {
                judging: self.judging,
                chair: 0,
                target: self.target,
                order: ShownOrder::AsSeated,
                attempt: 0,
                outcome,
                view: None,
                reply: None,
            })),
            Err(why) => Event::Failed(Failed {
                step: step.clone(),
                kind: FailureKind::Error,
                message: format!("the grader command '{}' {why}", self.command),
                may_have_cost_usd: None,
                may_have_used_tokens: None,
                unsent: true,
            }),
        }
    }
}

async fn ask_command(
    programs: &GraderPrograms,
    name: &str,
    question: &Question,
) -> Result<Outcome, String> {
    let (program, path) = programs
        .find_program(name)
        .map_err(|error| format!("cannot be run: {error}"))?;
    let mut line = serde_json::to_string(question).map_err(|error| error.to_string())?;
    line.push('\n');
    if line.len() > MAX_QUESTION {
        return Err(format!(
            "is not asked about texts of more than {} MiB",
            MAX_QUESTION >> 20
        ));
    }
    let _place = programs.running.acquire().await;
    let deadline = program.deadline();
    // The process group ends when what is awaited is dropped.
    match timeout(deadline, run_program(program, &path, &line)).await {
        Ok(printed) => Ok(read_answer(&printed?)),
        Err(_) => Err(format!(
            "was not over after {} s, its deadline ([graders.{name}] deadline_s), and was ended",
            deadline.as_secs()
        )),
    }
}

/// Runs a program on one line, and returns what it printed.
async fn run_program(program: &GraderProgram, path: &Path, line: &str) -> Result<String, String> {
    let mut command = build_command(path, program.command.get(1..).unwrap_or_default());
    command.stdin(Stdio::piped()).env_clear();
    for name in PASSED_VARIABLES {
        if let Some(value) = std::env::var_os(name) {
            command.env(name, value);
        }
    }
    let mut child = command
        .spawn()
        .map_err(|error| format!("cannot be started: {error}"))?;
    let _group = ProcessGroup::of_child(&child);
    let (input, output, errors) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    let write = async {
        if let Some(mut input) = input {
            // A program that has read enough closes its input: what it prints counts.
            let _ = input.write_all(line.as_bytes()).await;
        }
        Ok::<_, String>(())
    };
    let complain = async { Ok(read_complaints(errors).await) };
    let read = async {
        let printed = read_output(output).await;
        match printed.len() as u64 > MAX_OUTPUT {
            // It is not waited for: it may print for ever.
            true => Err(format!(
                "printed more than {} KiB and was ended: one line of JSON is expected",
                MAX_OUTPUT >> 10
            )),
            false => Ok(printed),
        }
    };
    let ((), printed, complained) = tokio::try_join!(write, read, complain)?;
    let status = child
        .wait()
        .await
        .map_err(|error| format!("is lost: {error}"))?;
    if !status.success() {
        let complained = String::from_utf8_lossy(&complained);
        let last = complained
            .lines()
            .rev()
            .find(|line| !line.trim().is_empty());
        let last = last.map_or_else(String::new, |line| format!(": {}", quote(line)));
        return Err(format!("ended with {}{last}", describe_status(status)));
    }
    Ok(String::from_utf8_lossy(&printed).into_owned())
}

/// Reads one byte more than is taken at most.
async fn read_output(output: Option<ChildStdout>) -> Vec<u8> {
    let mut bytes = Vec::new();
    if let Some(output) = output {
        // What came before an error is kept.
        let _ = output.take(MAX_OUTPUT + 1).read_to_end(&mut bytes).await;
    }
    bytes
}

/// Reads all that a program complains of, and keeps the end of it: a library may warn at length.
async fn read_complaints(errors: Option<ChildStderr>) -> Vec<u8> {
    let mut kept = Vec::new();
    let Some(mut errors) = errors else {
        return kept;
    };
    let mut buffer = [0; 4096];
    while let Ok(count @ 1..) = errors.read(&mut buffer).await {
        kept.extend_from_slice(&buffer[..count]);
        kept.drain(..kept.len().saturating_sub(MAX_COMPLAINT));
    }
    kept
}

fn quote(text: &str) -> String {
    let cut: String = text.trim().chars().take(QUOTED_CHARS).collect();
    format!("'{cut}'")
}

fn read_answer(printed: &str) -> Outcome {
    let unparsed = |why: String| Outcome::Unparsed { why, cause: None };
    let mut lines = printed.lines().filter(|line| !line.trim().is_empty());
    let (Some(line), None) = (lines.next(), lines.next()) else {
        return unparsed(match printed.trim().is_empty() {
            true => "the grader's command printed nothing".to_owned(),
            false => format!(
                "the grader's command printed several lines: {}",
                quote(printed)
            ),
        });
    };
    let answer: Answer = match serde_json::from_str(line) {
        Ok(answer) => answer,
        Err(error) => {
            return unparsed(format!(
                "the grader's command printed no verdict ({error}): {}",
                quote(line)
            ));
        }
    };
    let value = match answer.verdict.as_str() {
        CORRECT => 1.0,
        INCORRECT => -1.0,
        UNDECIDED => {
            let reason = answer.reason.unwrap_or_default();
            return unparsed(format!(
                "the grader's command decided nothing: {}",
                quote(&reason)
            ));
        }
        other => {
            return unparsed(format!(
                "the grader's command found {}, which is neither correct, incorrect nor undecided",
                quote(other)
            ));
        }
    };
    Outcome::Label(Finding {
        label: answer.verdict,
        value,
        reason: answer
            .reason
            .map(|reason| reason.chars().take(MAX_REASON_CHARS).collect()),
        fields: answer.points.map_or(
            Value::Null,
            |points| serde_json::json!({ "points": points }),
        ),
        ..Finding::default()
    })
}
