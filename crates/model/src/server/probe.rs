//! Probe of a server: its list of models, and a short reply to see how it ends one.

use std::time::Duration;

use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use super::models_list::ListedModel;
use super::openai::OpenAi;
use super::provider::Provider;
use crate::call::{ChatRole, Message, NoWatch, Sampling};
use crate::settings::ModelSettings;
use crate::{CallContext, CallError, CallErrorKind, Reply, RoleHint};

/// Time limit of a probe.
pub const PROBE_DEADLINE: Duration = Duration::from_secs(2);

/// The most tokens of the reply to a probe's question.
pub const PROBE_REPLY_TOKENS: u32 = 16;
/// Time limit of that reply, in seconds: some servers load the model first.
const PROBE_REPLY_DEADLINE_S: u64 = 30;

/// The most listed models that are kept: OpenRouter lists hundreds, hubs tens of thousands.
const MAX_LISTED: usize = 100_000;
/// The longest name that is offered, in bytes.
const MAX_NAME_BYTES: usize = 300;

/// Returns whether a listed name can be offered as a choice: it is not empty, at most 300 bytes
/// long, and without control characters.
pub fn is_usable_name(name: &str) -> bool {
    let is_short = name.len() <= MAX_NAME_BYTES && !name.trim().is_empty();
    is_short && !name.chars().any(char::is_control)
}

/// Result of a probe.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProbeResult {
    /// The models it offers.
    pub models: Vec<ListedModel>,
}

impl ProbeResult {
    /// Returns the names of the models.
    pub fn into_names(self) -> Vec<String> {
        self.models.into_iter().map(|model| model.name).collect()
    }
}

/// Requests a server's list of models (`GET base_url/models`), within `deadline`.
pub async fn probe_server(
    provider: &Provider,
    deadline: Duration,
) -> Result<ProbeResult, CallError> {
    let server = OpenAi::new(provider);
    match timeout(deadline, server.list_models()).await {
        Ok(listed) => listed.map(|models| ProbeResult {
            models: models.into_iter().take(MAX_LISTED).collect(),
        }),
        Err(_) => {
            let after_ms = super::stream_reader::to_millis(deadline);
            let place = format!("{}/models", provider.name());
            Err(CallError::new(
                CallErrorKind::Stalled { after_ms },
                &place,
                "",
            ))
        }
    }
}

/// Requests a one-word reply, streamed and without retries, and accepts a reply without a finish
/// reason.
pub async fn probe_reply(provider: &Provider, model: &ModelSettings) -> Result<Reply, CallError> {
    let model = ModelSettings {
        deadline_s: Some(PROBE_REPLY_DEADLINE_S),
        sampling: Sampling::default(),
        ..model.clone()
    };
    let sampling = Sampling {
        max_tokens: Some(PROBE_REPLY_TOKENS),
        ..Sampling::default()
    };
    let question = Message {
        role: ChatRole::User,
        content: "Reply with the one word: yes".to_owned(),
    };
    let request = model.build_request(
        vec![question],
        &sampling,
        None,
        0,
        CallContext::standalone(RoleHint::Speaker, "probe"),
    );
    let server = provider.with_probe_settings(PROBE_REPLY_DEADLINE_S);
    let model_client = server.build_model(&model, 0);
    let cancel = CancellationToken::new();
    model_client.complete(&request, &NoWatch, &cancel).await
}
