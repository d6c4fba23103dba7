//! Looks whether a server answers, with which models, and how it ends a reply.

use std::time::Duration;

use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use super::call::{Message, NoWatch, Role, Sampling};
use super::openai::OpenAi;
use super::provider::Provider;
use super::settings::ModelSettings;
use super::{Axis, CallError, CallErrorKind, Hint, Question, Reply, RoleHint};

/// How long a probe waits.
pub const PROBE_DEADLINE: Duration = Duration::from_secs(2);

/// The most tokens of the reply to a probe's question.
pub const PROBE_REPLY_TOKENS: u32 = 16;
/// How long that reply is waited for: some servers load the model first.
const PROBE_REPLY_DEADLINE_S: u64 = 30;

/// The most models of a server that are taken: OpenRouter lists hundreds, hubs tens of thousands.
const MAX_LISTED: usize = 100_000;
/// The longest name that is offered, in bytes.
const MAX_NAME_BYTES: usize = 300;

/// Whether a name that a server lists can be offered to be chosen: it is not empty, not endless, and of
/// characters that can be typed.
pub fn is_usable_name(name: &str) -> bool {
    let is_short = name.len() <= MAX_NAME_BYTES && !name.trim().is_empty();
    is_short && !name.chars().any(char::is_control)
}

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
        Ok(listed) => listed.map(|models| Found {
            models: models.into_iter().take(MAX_LISTED).collect(),
        }),
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

/// Asks a model for a word, streamed and once, and takes whatever end its reply has.
pub async fn ask_briefly(provider: &Provider, model: &ModelSettings) -> Result<Reply, CallError> {
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
        role: Role::User,
        content: "Reply with the one word: yes".to_owned(),
    };
    let request = model.request(vec![question], &sampling, None, 0, nowhere());
    let server = provider.for_one_question(PROBE_REPLY_DEADLINE_S);
    let asked = server.model(&model, 0);
    let cancel = CancellationToken::new();
    asked.complete(&request, &NoWatch, &cancel).await
}

/// A question that belongs to no debate.
fn nowhere() -> Hint {
    Hint {
        role: RoleHint::Speaker,
        seat: "probe".to_owned(),
        index: 0,
        round: 0,
        rounds: 0,
        stage: "probe".to_owned(),
        attempt: 0,
        topic: String::new(),
        axis: Axis::Safety,
        judged: false,
        private: false,
        choices: Vec::new(),
        seed: 0,
        reference: None,
        documents: Vec::new(),
        question: Question::Quality,
        label_field: None,
        guarded: None,
    }
}
