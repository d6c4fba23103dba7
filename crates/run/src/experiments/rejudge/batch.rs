//! Calls of a pass by batch files: the open ones as lines, and the answers that come of them. It opens no
//! files.

use crate::engine::Call;
use crate::engine::cost::estimate_call;
use elenchus_game::debate::CostEstimate;
use elenchus_model::{CallError, Finish, Reply, TokenSource};
use elenchus_records::exchange::batch_file::{
    AnswerFile, AnswerNote, CallId, MAX_CALL_BYTES, MAX_CALLS, NumberedAnswer, format_call,
};
use elenchus_records::workspace::pass::VerdictAddress;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// How the calls of a pass come to their replies.
#[derive(Clone)]
pub(super) enum CallsBy {
    /// Their servers are asked.
    Asking,
    /// They are put into a batch file.
    Writing(Arc<Mutex<OpenCalls>>),
    /// They were, and another file answers them.
    Reading(Arc<Mutex<TakenAnswers>>),
}

/// Reads or changes what items of a pass share: plain data, which a panic leaves whole.
pub(super) fn lock<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Names the call for a verdict.
pub(super) fn call_id(pass: &str, asked: &VerdictAddress, attempt: u32) -> CallId {
    CallId::new(pass, &(asked, attempt))
}

/// Returns a call as a line of a batch file.
///
/// # Errors
/// When its server could not take it.
pub(super) fn format_open_call(id: &CallId, call: &Call) -> Result<String, CallError> {
    let server = call.seat.model.batch_server();
    let call = server.map(|server| server.build_batch_call(&call.request));
    // Who asks has found a server.
    Ok(call
        .transpose()?
        .map_or_else(String::new, |call| format_call(id, &call)))
}

/// Open calls of a pass, as the lines of a batch file.
#[derive(Debug, Default)]
pub struct OpenCalls {
    /// Each with its end.
    pub lines: Vec<String>,
    bytes: usize,
    /// How many ask which model, by its name at the server.
    pub models: BTreeMap<String, usize>,
    /// What they cost at the configured prices.
    pub estimate: Option<CostEstimate>,
    /// Calls for which a file has no more room.
    pub left_out: usize,
    /// Verdicts for which no call could be worded.
    pub failed: usize,
}

impl OpenCalls {
    pub(super) fn has_room(&self, line: &str) -> bool {
        self.lines.len() < MAX_CALLS && self.bytes + line.len() <= MAX_CALL_BYTES
    }

    pub(super) fn add_call(&mut self, line: String, call: &Call) {
        self.bytes += line.len();
        self.lines.push(line);
        let model = call.request.model.clone();
        *self.models.entry(model).or_default() += 1;
        let cost = estimate_call(&call.seat.settings, &call.request, None);
        let earlier = self.estimate.take().unwrap_or_else(CostEstimate::zero);
        self.estimate = Some(earlier.plus(cost));
    }
}

/// Answers of a batch file, and what came of them.
#[derive(Debug)]
pub struct TakenAnswers {
    pub answers: AnswerFile,
    /// Replies that became verdicts.
    pub replies: usize,
    /// Answers that came to no reply, each named among the failures.
    pub errors: usize,
    /// Open calls that ask a judge again whose reply could not be read.
    pub second_tries: usize,
}

impl TakenAnswers {
    pub(super) fn new(answers: AnswerFile) -> Self {
        Self {
            answers,
            replies: 0,
            errors: 0,
            second_tries: 0,
        }
    }

    /// Returns what the file brings for a call, and takes note of what a person should know of it; `None`
    /// where it brings nothing new.
    pub(super) fn find_result(
        &mut self,
        id: &CallId,
        call: &Call,
        waits_in_batch: bool,
    ) -> Option<Result<Reply, CallError>> {
        let NumberedAnswer { line, answer } = self.answers.take_answer(id)?;
        let server = call.seat.model.batch_server()?;
        let result = server.read_batch_answer(&call.request, &answer);
        let reply = match result {
            Ok(reply) => reply,
            // It was counted when it came first.
            Err(_) if !waits_in_batch => {
                self.answers.notes.add(AnswerNote::AnsweredBefore, line);
                return None;
            }
            Err(error) => {
                self.errors += 1;
                return Some(Err(CallError {
                    detail: match error.detail.is_empty() {
                        true => format!("line {line} of the batch"),
                        false => format!("line {line} of the batch: {}", error.detail),
                    },
                    ..error
                }));
            }
        };
        self.replies += 1;
        let notes = [
            (AnswerNote::Refusal, answer.is_refusal()),
            (AnswerNote::CutByLength, reply.finish == Finish::Length),
            (
                AnswerNote::WithoutUsage,
                reply.usage.counted == TokenSource::Estimated && !is_moderation(call),
            ),
        ];
        for (note, holds) in notes {
            if holds {
                self.answers.notes.add(note, line);
            }
        }
        Some(Ok(reply))
    }
}

/// Says whether a call asks a moderation endpoint, which counts no tokens.
fn is_moderation(call: &Call) -> bool {
    call.request.dialect.api == elenchus_model::Api::Moderation
}
