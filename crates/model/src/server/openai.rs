//! OpenAI chat API, as spoken by OpenAI, vLLM, llama.cpp, Ollama, LM Studio, OpenRouter, LiteLLM
//! and many more.
//!
//! One call is one HTTP request, except that a server which refuses a part of the request is asked
//! again without that part, each part once; that is reported like any retry, and remembered.

use std::sync::Arc;
use std::time::Duration;

use async_openai::error::OpenAIError;
use futures_util::StreamExt;
use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderValue};
use secrecy::SecretString;
use serde_json::Value;
use tokio::time::{Instant, timeout};
use tokio_util::sync::CancellationToken;

use super::error_meaning;
use super::http::{self, Framing, MAX_BODY_BYTES, ReadTimeouts, SharedWire, Transport, WireFault};
use super::models_list::{self, ListedModel};
use super::negotiation::{FailedTry, Negotiation, NextTry};
use super::provider::{Provider, RequestAdditions};
use super::stream_reader::{StreamEnd, StreamReader};
use crate::access::secret::Secret;
use crate::call::{BoxFuture, Model, Request, Watch};
use crate::context_window;
use crate::dialect::{Api, Param};
use crate::request_body;
use crate::request_terms::{LearnedTerms, RequestTerms, TokensRead};
use crate::settings::{FinishRule, ModelSettings};
use crate::usage_bounds::UsageBounds;
use crate::{BatchServer, CallError, CallErrorKind, Finish, Reply, TokenSource, Usage};

/// The longest wait for usage and `[DONE]` after the finish reason.
const AFTER_FINISH: Duration = Duration::from_secs(5);

/// The models of one server, without deadline, retries or limit in flight
/// ([`Provider::build_model`](crate::Provider::build_model) adds them).
pub struct OpenAi {
    provider: String,
    base_url: String,
    key: Secret,
    additions: Arc<RequestAdditions>,
    http: reqwest::Client,
    pub(super) timeouts: ReadTimeouts,
    /// Time limit of a reply that is not streamed.
    whole_reply: Duration,
    finish: FinishRule,
    learned: Arc<LearnedTerms>,
    context_tokens: Option<u32>,
    /// Marks of private reasoning that the model's settings name.
    marks: Vec<(String, String)>,
    /// Whether the token limit must be sent, because it bounds the cost of a reply.
    holds_limits: bool,
}

impl OpenAi {
    /// Returns the models of a provider; contacts nothing.
    pub fn new(provider: &Provider) -> Self {
        let settings = provider.settings();
        Self {
            provider: provider.name().to_owned(),
            base_url: settings.base_url.trim_end_matches('/').to_owned(),
            key: provider.key().clone(),
            additions: Arc::clone(provider.additions()),
            http: provider.http().clone(),
            timeouts: ReadTimeouts {
                first: Duration::from_secs(settings.first_token_s),
                stall: Duration::from_secs(settings.stall_s),
            },
            whole_reply: Duration::from_secs(settings.deadline_s.max(settings.first_token_s)),
            finish: settings.finish_reason,
            learned: Arc::clone(provider.learned_terms()),
            context_tokens: None,
            marks: Vec::new(),
            holds_limits: provider.holds_limits(),
        }
    }

    /// Applies what is known of the model: its context, its deadline, and whether replies cost
    /// money.
    pub(super) fn with_model_settings(mut self, model: &ModelSettings) -> Self {
        self.context_tokens = model.context_tokens;
        self.marks.clone_from(&model.reasoning_marks);
        let price = model.price_out_usd_per_mtok;
        self.holds_limits |= price.is_some_and(|price| price > 0.0);
        if let Some(deadline_s) = model.deadline_s {
            self.whole_reply = self.whole_reply.max(Duration::from_secs(deadline_s));
        }
        self
    }

    /// Lists the models that the server offers.
    pub(super) async fn list_models(&self) -> Result<Vec<ListedModel>, CallError> {
        let wire = SharedWire::default();
        let client = self.build_client(Framing::Document, self.timeouts, &wire);
        let response: Result<Value, OpenAIError> = client.models().list_byot().await;
        let response = response.map_err(|error| self.convert_error("models", error, &wire))?;
        let models = models_list::parse_models_list(&response).ok_or_else(|| {
            let kind = CallErrorKind::BadReply;
            self.build_error(kind, "models", "no list of models", &wire)
        })?;
        let clean = |model: ListedModel| ListedModel {
            name: self.key.remove_from(&model.name),
            ..model
        };
        Ok(models.into_iter().map(clean).collect())
    }

    async fn answer_request(
        &self,
        request: &Request,
        watch: &dyn Watch,
    ) -> Result<Reply, CallError> {
        let reply = match request.dialect.api {
            Api::Chat => self.request_chat(request, watch).await?,
            Api::Moderation => self.request_moderation(request).await?,
            // Nothing of it is the server's own words: numbers alone.
            Api::Embedding => return self.request_embeddings(request).await,
        };
        Ok(self.remove_key(reply))
    }

    /// Removes the key from the fields of a reply that the stream reader does not scrub.
    pub(super) fn remove_key(&self, mut reply: Reply) -> Reply {
        let clean = |text: &mut String| *text = self.key.remove_from(text);
        clean(&mut reply.text);
        clean(&mut reply.model);
        reply.thinking.iter_mut().for_each(clean);
        reply.request_id.iter_mut().for_each(clean);
        reply.unknown_mark.iter_mut().for_each(clean);
        if let Finish::Other(reason) = &mut reply.finish {
            clean(reason);
        }
        if let Some(first) = &mut reply.first_token {
            clean(&mut first.token);
            first.others.iter_mut().for_each(|(other, _)| clean(other));
        }
        reply
    }

    /// Begins a call on the terms that are known.
    ///
    /// # Errors
    /// When the request is clearly longer than the model's context.
    pub(super) fn begin_negotiation<'a>(
        &'a self,
        request: &'a Request,
    ) -> Result<Negotiation<'a>, CallError> {
        let negotiation = Negotiation::new(
            request,
            &self.learned,
            self.holds_limits,
            self.context_tokens,
        );
        negotiation.map_err(|long| {
            let (kind, wire) = (CallErrorKind::ContextLength, SharedWire::default());
            self.build_error(kind, &request.model, &long.to_string(), &wire)
        })
    }

    /// Returns a reader of the reply to a request that is sent on these terms.
    pub(super) fn start_reader(&self, request: &Request, terms: &RequestTerms) -> StreamReader {
        let bounds =
            UsageBounds::from_request(request, terms.token_limit(request), self.context_tokens);
        StreamReader::new(Instant::now(), &self.key, bounds, &self.marks)
    }

    /// Notes at a reply what of its request was not sent, or not all of it read.
    pub(super) fn note_terms(&self, reply: &mut Reply, request: &Request, terms: &RequestTerms) {
        reply.left_out = terms.list_unsent_params(request);
        reply.sent_as = terms.list_changed_params(request);
        reply.usage.sent_tokens = self.find_short_read(request, &reply.usage);
    }

    /// Sends a request on the known terms, and again for each refusal that teaches new ones.
    async fn request_chat(&self, request: &Request, watch: &dyn Watch) -> Result<Reply, CallError> {
        let model = request.model.as_str();
        let mut negotiation = self.begin_negotiation(request)?;
        let mut retry = 0;
        // Tokens by which the reply may be longer than its caller reserved.
        let mut announced_excess = 0;
        loop {
            let terms = &negotiation.terms;
            let extra_tokens = terms.limit_excess(request).saturating_sub(announced_excess);
            if extra_tokens > 0 {
                announced_excess += extra_tokens;
                if !watch.may_reply_longer(extra_tokens) {
                    let wire = SharedWire::default();
                    return Err(self.build_error(CallErrorKind::Cancelled, model, "", &wire));
                }
            }
            let wire = SharedWire::default();
            let error = match self.send_chat(request, terms, watch, &wire).await {
                Ok(mut reply) => {
                    negotiation.record_reply();
                    self.note_terms(&mut reply, request, terms);
                    return Ok(reply);
                }
                Err(error) => error,
            };
            let words = wire.with_wire(|wire| match &wire.fault {
                Some(WireFault::Refused { body, .. }) => body.clone(),
                Some(_) | None => error.detail.clone(),
            });
            let failed_try = FailedTry {
                error: error.clone(),
                words: &words,
                is_wordless: wire.with_wire(|wire| wire.has_head && !wire.has_text),
            };
            let wait = match negotiation.decide_next_try(failed_try) {
                NextTry::Again(wait) => wait,
                NextTry::GiveUp(error) => return Err(error),
            };
            retry += 1;
            watch.on_retry(retry, &error, super::stream_reader::to_millis(wait));
            // The watcher may have cancelled the call: then nothing more is sent.
            match wait.is_zero() {
                true => tokio::task::yield_now().await,
                false => tokio::time::sleep(wait).await,
            }
        }
    }

    /// Returns the tokens of a request by estimate, where its server read far fewer.
    pub(super) fn find_short_read(&self, request: &Request, usage: &Usage) -> Option<u64> {
        let read_tokens = match usage.counted {
            TokenSource::Server => usage
                .claimed
                .map_or(usage.input_tokens, |claimed| claimed.input_tokens),
            TokenSource::Estimated | TokenSource::Simulated => return None,
        };
        // Some servers count what their cache held apart from the rest.
        let read_tokens = read_tokens.saturating_add(usage.cached_tokens.unwrap_or(0));
        let sent_tokens = context_window::estimate_input_tokens(request);
        let is_short = self.learned.record_read(
            &request.model,
            TokensRead {
                sent: sent_tokens,
                read: read_tokens,
            },
        );
        is_short.then_some(sent_tokens)
    }

    async fn send_chat(
        &self,
        request: &Request,
        terms: &RequestTerms,
        watch: &dyn Watch,
        wire: &SharedWire,
    ) -> Result<Reply, CallError> {
        let timeouts = if terms.is_sent(Param::Stream, request) {
            self.timeouts
        } else {
            ReadTimeouts {
                first: self.whole_reply,
                ..self.timeouts
            }
        };
        let client = self.build_client(Framing::Events, timeouts, wire);
        let body = request_body::build_sent_body(request, terms);
        let mut reader = self.start_reader(request, terms);
        let start_time = Instant::now();
        let mut stream = client
            .chat()
            .create_stream_byot::<request_body::ChatBody<'_>, Value>(body)
            .await
            .map_err(|error| self.convert_error(&request.model, error, wire))?;
        while let Some(event) = next_event(&mut stream, &reader).await {
            let event = event.map_err(|error| self.convert_error(&request.model, error, wire))?;
            reader
                .add_event(&event, watch)
                .map_err(|(kind, words)| self.build_error(kind, &request.model, &words, wire))?;
            if reader.has_text() {
                wire.with_wire(|wire| wire.has_text = true);
            }
        }
        let latency_ms = super::stream_reader::to_millis(start_time.elapsed());
        self.check_end(&reader, &request.model, wire)?;
        let mut reply = reader.into_reply(request, latency_ms, watch);
        reply.request_id = wire.with_wire(|wire| wire.request_id.take());
        Ok(reply)
    }

    /// Decides whether the reply is complete.
    pub(super) fn check_end(
        &self,
        reader: &StreamReader,
        model: &str,
        wire: &SharedWire,
    ) -> Result<(), CallError> {
        if reader.stream_end() == StreamEnd::ByContentFilter {
            let words = "the reply was cut";
            return Err(self.build_error(CallErrorKind::ContentFilter, model, words, wire));
        }
        let (is_whole, is_done, events) =
            wire.with_wire(|wire| (wire.is_whole, wire.is_done, wire.events));
        let fault = wire.with_wire(|wire| wire.fault.clone());
        let has_ended = is_done || is_whole || fault.is_none();
        let is_complete = match self.finish {
            FinishRule::Required => reader.stream_end() == StreamEnd::WithReason,
            FinishRule::Absent => reader.stream_end() == StreamEnd::WithReason || has_ended,
        };
        if is_complete && reader.has_choice() {
            return Ok(());
        }
        if has_ended && reader.has_choice() {
            return Err(self.build_error(CallErrorKind::NoFinishReason, model, "", wire));
        }
        if let Some(fault) = fault {
            return Err(self.convert_fault(model, fault, wire));
        }
        let head = wire.with_wire(|wire| String::from_utf8_lossy(&wire.head).into_owned());
        // A body of comments alone is a stream that broke off before its first event.
        let is_silent = head.trim().is_empty() || head.starts_with(':');
        let (kind, words) = if is_done || is_whole || (events == 0 && !is_silent) {
            (CallErrorKind::BadReply, head)
        } else {
            (CallErrorKind::BrokenStream, String::new())
        };
        Err(self.build_error(kind, model, &words, wire))
    }

    pub(super) fn build_client(
        &self,
        framing: Framing,
        timeouts: ReadTimeouts,
        wire: &SharedWire,
    ) -> async_openai::Client<Endpoint> {
        let endpoint = Endpoint {
            base_url: self.base_url.clone(),
            key: self.key.clone(),
            additions: Arc::clone(&self.additions),
        };
        let transport = Transport {
            framing,
            http: self.http.clone(),
            timeouts,
            wire: wire.clone(),
        };
        async_openai::Client::build(self.http.clone(), endpoint).with_http_service(transport)
    }

    /// Converts a failure of async-openai, by the record of the exchange where that knows more.
    pub(super) fn convert_error(
        &self,
        model: &str,
        error: OpenAIError,
        wire: &SharedWire,
    ) -> CallError {
        if let Some(fault) = wire.with_wire(|wire| wire.fault.clone()) {
            return self.convert_fault(model, fault, wire);
        }
        match error {
            OpenAIError::JSONDeserialize(error, _) if error.is_eof() => self.build_error(
                CallErrorKind::BrokenStream,
                model,
                "cut inside an event",
                wire,
            ),
            OpenAIError::JSONDeserialize(_, content) => {
                self.build_error(CallErrorKind::BadReply, model, &content, wire)
            }
            OpenAIError::Reqwest(error) => {
                let words = error.without_url().to_string();
                self.build_error(CallErrorKind::BrokenStream, model, &words, wire)
            }
            OpenAIError::StreamError(error) => {
                self.build_error(CallErrorKind::BrokenStream, model, &error.to_string(), wire)
            }
            OpenAIError::ApiError(_)
            | OpenAIError::FileSaveError(_)
            | OpenAIError::FileReadError(_)
            | OpenAIError::Boxed(_)
            | OpenAIError::InvalidArgument(_) => {
                self.build_error(CallErrorKind::BadReply, model, &error.to_string(), wire)
            }
        }
    }

    fn convert_fault(&self, model: &str, fault: WireFault, wire: &SharedWire) -> CallError {
        let (kind, words) = match fault {
            WireFault::Connect(words) => (CallErrorKind::Connect, words),
            WireFault::Refused {
                status,
                retry_after_ms,
                body,
            } => error_meaning::from_status(status, retry_after_ms, &body),
            WireFault::Stalled { after_ms } => (CallErrorKind::Stalled { after_ms }, String::new()),
            WireFault::Broken(words) => (CallErrorKind::BrokenStream, words),
            WireFault::TooLarge => {
                let limit_bytes = MAX_BODY_BYTES;
                (CallErrorKind::TooLarge { limit_bytes }, String::new())
            }
            WireFault::Compressed(name) => {
                (CallErrorKind::BadReply, http::describe_compression(name))
            }
            WireFault::Html => {
                let head = wire.with_wire(|wire| String::from_utf8_lossy(&wire.head).into_owned());
                (CallErrorKind::BadReply, format!("a web page: {head}"))
            }
        };
        self.build_error(kind, model, &words, wire)
    }

    pub(super) fn build_error(
        &self,
        kind: CallErrorKind,
        model: &str,
        words: &str,
        wire: &SharedWire,
    ) -> CallError {
        let place = format!("{}/{model}", self.provider);
        let mut error = CallError::new(kind, &place, &self.key.remove_from(words));
        let request_id = wire.with_wire(|wire| wire.request_id.clone());
        error.request_id = request_id.map(|id| self.key.remove_from(&id));
        error
    }
}

type Events = async_openai::types::stream::StreamResponse<Value>;

/// Waits for the next event; after the finish reason only briefly, since the reply is complete.
async fn next_event(
    stream: &mut Events,
    reader: &StreamReader,
) -> Option<Result<Value, OpenAIError>> {
    match reader.stream_end() {
        StreamEnd::NotYet => stream.next().await,
        StreamEnd::WithReason | StreamEnd::ByContentFilter => {
            let next = timeout(AFTER_FINISH, stream.next()).await.ok().flatten();
            // A break after the finish reason does not harm the reply.
            next.filter(Result::is_ok)
        }
    }
}

impl Model for OpenAi {
    fn complete<'a>(
        &'a self,
        request: &'a Request,
        watch: &'a dyn Watch,
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<Reply, CallError>> {
        Box::pin(async move {
            tokio::select! {
                biased;
                () = cancel.cancelled() => {
                    let wire = SharedWire::default();
                    Err(self.build_error(CallErrorKind::Cancelled, &request.model, "", &wire))
                }
                outcome = self.answer_request(request, watch) => outcome,
            }
        })
    }

    fn is_simulated(&self) -> bool {
        false
    }

    fn batch_server(&self) -> Option<&dyn BatchServer> {
        Some(self)
    }
}

/// Address and key for async-openai, whose own configuration type reads the environment and panics
/// on keys that are no valid header.
pub(super) struct Endpoint {
    base_url: String,
    key: Secret,
    additions: Arc<RequestAdditions>,
}

impl async_openai::config::Config for Endpoint {
    fn headers(&self) -> HeaderMap {
        let mut headers = self.additions.headers.clone();
        if self.key.is_none() {
            return headers;
        }
        if let Ok(mut value) = HeaderValue::from_str(&format!("Bearer {}", self.key.expose())) {
            value.set_sensitive(true);
            headers.insert(AUTHORIZATION, value);
        }
        headers
    }

    fn url(&self, path: &str) -> String {
        format!("{}{path}", self.base_url)
    }

    fn query(&self) -> Vec<(&str, &str)> {
        let query = self.additions.query.iter();
        query
            .map(|(name, value)| (name.as_str(), value.as_str()))
            .collect()
    }

    fn api_base(&self) -> &str {
        &self.base_url
    }

    fn api_key(&self) -> &SecretString {
        self.key.as_secret_string()
    }
}
