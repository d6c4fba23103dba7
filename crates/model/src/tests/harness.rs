//! Requests, providers and a watch for the model tests.

use std::sync::{Arc, Mutex};

use crate::{
    Axis, CallContext, CallError, CallErrorKind, ChatRole, ConcurrencyLimit, Delta, Dialect,
    FinishRule, JudgeTask, Message, Model, ModelSettings, NoWatch, Provider, ProviderSettings,
    Reply, Request, RetryPolicy, RetryingModel, RoleHint, Sampling, Trust, Trusted, Watch,
};
use tokio_util::sync::CancellationToken;

use elenchus_test_support::ChatServer;

pub fn hint() -> CallContext {
    CallContext {
        role: RoleHint::Speaker,
        seat: "debater".into(),
        index: 0,
        round: 1,
        rounds: 3,
        stage: "debate".into(),
        attempt: 0,
        topic: "topic-1".into(),
        axis: Axis::Safety,
        judged: true,
        private: false,
        choices: Vec::new(),
        seed: 7,
        reference: None,
        documents: Vec::new(),
        question: JudgeTask::Quality,
        label_field: None,
        guarded: None,
        others_rewards: false,
    }
}

pub fn message(content: &str) -> Message {
    Message {
        role: ChatRole::User,
        content: content.into(),
    }
}

pub fn request(texts: &[&str], hint: CallContext) -> Request {
    Request {
        model: "asked-model".into(),
        messages: texts.iter().map(|text| message(text)).collect(),
        sampling: Sampling::default(),
        form: None,
        dialect: Dialect::default(),
        sample: 0,
        context: hint,
    }
}

pub fn asked() -> Request {
    request(&["What is a debate?"], hint())
}

pub fn settings(server: &ChatServer) -> ProviderSettings {
    ProviderSettings::from_base_url(&server.base_url())
}

pub fn provider(settings: &ProviderSettings) -> Provider {
    Provider::new("loopback", settings, &Trust::default(), &|_| None).unwrap()
}

/// A model of the server that is asked once: no retries.
pub fn once(server: &ChatServer) -> Arc<dyn Model> {
    let mut settings = settings(server);
    settings.retries = 0;
    provider(&settings).build_model(&ModelSettings::from_name("loopback", "asked-model"), 1)
}

/// A policy whose back-off takes no time to speak of.
pub fn quick(retries: u32) -> RetryPolicy {
    RetryPolicy {
        retries,
        base_backoff_ms: 1,
        max_backoff_ms: 2,
        deadline_ms: 60_000,
        jitter_seed: 1,
    }
}

/// A model of the server under a policy.
pub fn patient(server: &ChatServer, policy: RetryPolicy, in_flight: usize) -> Arc<dyn Model> {
    let bare = crate::OpenAi::new(&provider(&settings(server)));
    let places = Arc::new(ConcurrencyLimit::new(in_flight));
    Arc::new(RetryingModel::new(
        Arc::new(bare),
        policy,
        places,
        "loopback/asked-model",
    ))
}

/// A model of a server that gives no finish reasons, asked once.
pub fn without_reasons(server: &ChatServer) -> Arc<dyn Model> {
    let mut settings = settings(server);
    settings.retries = 0;
    settings.finish_reason = FinishRule::Absent;
    provider(&settings).build_model(&ModelSettings::from_name("loopback", "asked-model"), 1)
}

pub async fn complete(model: &dyn Model, request: &Request) -> Result<Reply, CallError> {
    model
        .complete(request, &NoWatch, &CancellationToken::new())
        .await
}

pub async fn ask(server: &ChatServer) -> Result<Reply, CallError> {
    complete(&*once(server), &asked()).await
}

/// Remembers what it is told.
#[derive(Default)]
pub struct Notes {
    pub public: Mutex<String>,
    pub thinking: Mutex<String>,
    pub retries: Mutex<Vec<(u32, CallErrorKind, u64)>>,
    /// Cancelled at the first retry or delta, if set.
    pub then_cancel: Option<CancellationToken>,
}

impl Watch for Notes {
    fn on_delta(&self, delta: Delta<'_>) {
        let mut public = self.public.lock().unwrap();
        let mut thinking = self.thinking.lock().unwrap();
        match delta {
            Delta::Public(text) => public.push_str(text),
            Delta::Thinking(text) => thinking.push_str(text),
            Delta::PublicWasThinking => thinking.push_str(&std::mem::take(&mut *public)),
        }
        if let Some(cancel) = &self.then_cancel {
            cancel.cancel();
        }
    }

    fn on_retry(&self, retry: u32, why: &CallError, wait_ms: u64) {
        self.public.lock().unwrap().clear();
        let mut retries = self.retries.lock().unwrap();
        retries.push((retry, why.kind.clone(), wait_ms));
        if let Some(cancel) = &self.then_cancel {
            cancel.cancel();
        }
    }
}

/// Trusts a server with the key of its settings.
pub fn trusting(settings: &ProviderSettings) -> Trust {
    let key = settings.api_key_env.as_deref();
    Trust {
        pairs: vec![Trusted::from_url(&settings.base_url, key, "a test").unwrap()],
        ..Trust::default()
    }
}
