//! Recorded model: replays the replies of a session.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use tokio_util::sync::CancellationToken;

use super::call::{BoxFuture, Delta, Model, Request, Watch};
use super::{CallContext, CallError, CallErrorKind, Dialect, Reply};

/// Position of a reply in a session.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct RecordedKey {
    /// The round.
    pub round: u32,
    /// The stage.
    pub stage: String,
    /// The seat's name.
    pub seat: String,
    /// The index among seats of the same name.
    pub index: u32,
    /// The attempt.
    pub attempt: u32,
}

impl RecordedKey {
    /// Reads the position from a request's context.
    pub fn from_context(context: &CallContext) -> Self {
        Self {
            round: context.round,
            stage: context.stage.clone(),
            seat: context.seat.clone(),
            index: context.index,
            attempt: context.attempt,
        }
    }
}

impl std::fmt::Display for RecordedKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "round {}, stage {}, seat {}-{}, attempt {}",
            self.round, self.stage, self.seat, self.index, self.attempt
        )
    }
}

/// A recorded reply with the hash of its request.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Recording {
    /// [`Request::compute_sha256`] of the request that it answered.
    pub request_sha256: String,
    /// Dialect of the server at that time, which a resume may have changed.
    #[serde(default)]
    pub dialect: Dialect,
    /// The reply.
    pub reply: Reply,
}

/// Looks a recording up by its position.
pub type LookupRecording = Arc<dyn Fn(&RecordedKey) -> Option<Recording> + Send + Sync>;

/// A model that returns recorded replies, and only to the same requests.
pub struct RecordedModel {
    lookup: LookupRecording,
    simulated: bool,
}

impl RecordedModel {
    /// Replays replies of real models.
    pub fn from_real_replies(lookup: LookupRecording) -> Self {
        Self {
            lookup,
            simulated: false,
        }
    }

    /// Replays replies of the simulated model, which stay marked as such.
    pub fn from_simulated_replies(lookup: LookupRecording) -> Self {
        Self {
            lookup,
            simulated: true,
        }
    }

    /// Returns the empty reply that the recording holds as the last attempt before this one.
    /// Earlier versions did not repeat a call after an empty reply, so a repeated call is answered
    /// with it again.
    fn find_empty_predecessor(&self, key: &RecordedKey) -> Option<Reply> {
        if (self.lookup)(key).is_some() {
            return None;
        }
        let before = RecordedKey {
            attempt: key.attempt.checked_sub(1)?,
            ..key.clone()
        };
        let reply = (self.lookup)(&before)?.reply;
        reply.text.trim().is_empty().then_some(reply)
    }

    fn find_reply(&self, request: &Request) -> Result<Reply, CallError> {
        let key = RecordedKey::from_context(&request.context);
        if let Some(empty) = self.find_empty_predecessor(&key) {
            return Ok(empty);
        }
        let fail =
            |kind, words: &str| Err(CallError::new(kind, &format!("recording, {key}"), words));
        let Some(recording) = (self.lookup)(&key) else {
            return fail(CallErrorKind::NotRecorded, "");
        };
        let request_hash = request.compute_sha256();
        let as_then = Request {
            dialect: recording.dialect.clone(),
            ..request.clone()
        };
        let recorded_hash = &recording.request_sha256;
        if request_hash != *recorded_hash && as_then.compute_sha256() != *recorded_hash {
            let words = format!(
                "recorded for {}, asked {request_hash}",
                recording.request_sha256
            );
            return fail(CallErrorKind::RecordingMismatch, &words);
        }
        Ok(recording.reply)
    }
}

impl Model for RecordedModel {
    fn complete<'a>(
        &'a self,
        request: &'a Request,
        watch: &'a dyn Watch,
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<Reply, CallError>> {
        Box::pin(async move {
            if cancel.is_cancelled() {
                return Err(CallError::new(CallErrorKind::Cancelled, "recording", ""));
            }
            let reply = self.find_reply(request)?;
            if let Some(thinking) = &reply.thinking {
                watch.on_delta(Delta::Thinking(thinking));
            }
            watch.on_delta(Delta::Public(&reply.text));
            Ok(reply)
        })
    }

    fn is_simulated(&self) -> bool {
        self.simulated
    }
}
