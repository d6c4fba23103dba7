//! Looks whether a server answers, and with which models.

use std::time::Duration;

use tokio::time::timeout;

use super::openai::OpenAi;
use super::provider::Provider;
use super::{CallError, CallErrorKind};

/// How long a probe waits.
pub const PROBE_DEADLINE: Duration = Duration::from_secs(2);

/// A server that answered a probe.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// The names of the models it offers.
    pub models: Vec<String>,
}

/// Asks a server for its list of models (`GET base_url/models`), within `deadline`.
pub async fn probe(provider: &Provider, deadline: Duration) -> Result<Found, CallError> {
    let server = OpenAi::new(provider);
    match timeout(deadline, server.list()).await {
        Ok(listed) => listed.map(|models| Found { models }),
        Err(_) => {
            let after_ms = super::reading::millis(deadline);
            let place = format!("{}/models", provider.name());
            Err(CallError::new(
                CallErrorKind::Stalled { after_ms },
                &place,
                "",
            ))
        }
    }
}
