//! Answer of a server that is asked for its models, as a person who adds it needs it.

use super::probe::probe_server;
use super::provider::{Provider, ProviderError};
use crate::{CallError, CallErrorKind, ProviderSettings, Trust};
use std::time::Duration;

/// How long a server may take to list its models.
const LIST_DEADLINE: Duration = Duration::from_secs(10);

/// What a server said when it was asked for its models.
pub enum ServerAnswer {
    /// The names of its models, as it says them.
    Lists(Vec<String>),
    /// It is there and has no such list at this address.
    NoList(String),
    /// It wants a key, or another one.
    WantsKey,
    /// It was not reached.
    Silent(String),
    /// It may not be asked, or its key cannot be read.
    NotAsked(ProviderError),
}

impl ServerAnswer {
    /// Asks a server for its models; nothing goes to anybody else. `lookup` reads a variable of the
    /// environment.
    pub async fn request_models(
        name: &str,
        settings: &ProviderSettings,
        trust: &Trust,
        lookup: &(dyn Fn(&str) -> Option<String> + Send + Sync),
    ) -> Self {
        let provider = match Provider::new(name, settings, trust, &|variable| lookup(variable)) {
            Ok(provider) => provider,
            Err(error) => return Self::NotAsked(error),
        };
        match probe_server(&provider, LIST_DEADLINE).await {
            Ok(probe_result) => Self::Lists(probe_result.into_names()),
            Err(error) => answer_from_error(&error),
        }
    }
}

fn answer_from_error(error: &CallError) -> ServerAnswer {
    let detail = match error.detail.is_empty() {
        true => error.kind.code().replace('_', " "),
        false => error.detail.clone(),
    };
    match error.kind {
        CallErrorKind::Auth => ServerAnswer::WantsKey,
        // The layers of the client that pass the system's words on say nothing more.
        CallErrorKind::Connect | CallErrorKind::Unreachable => {
            let last = detail.rsplit(": ").next();
            ServerAnswer::Silent(last.unwrap_or_default().to_owned())
        }
        CallErrorKind::Deadline { .. }
        | CallErrorKind::Stalled { .. }
        | CallErrorKind::BrokenStream
        | CallErrorKind::RateLimited { .. }
        | CallErrorKind::Busy { .. }
        | CallErrorKind::Quota
        | CallErrorKind::Cancelled
        | CallErrorKind::Status(408 | 425 | 500..=599) => ServerAnswer::Silent(detail),
        CallErrorKind::Status(status) => ServerAnswer::NoList(format!("status {status}")),
        CallErrorKind::ContentFilter
        | CallErrorKind::ContextLength
        | CallErrorKind::LimitRefused
        | CallErrorKind::NoFinishReason
        | CallErrorKind::ErrorInStream
        | CallErrorKind::BadReply
        | CallErrorKind::TooLarge { .. }
        | CallErrorKind::BatchFailed
        | CallErrorKind::SimulatedFailure
        | CallErrorKind::NotRecorded
        | CallErrorKind::RecordingMismatch => ServerAnswer::NoList(detail),
    }
}
