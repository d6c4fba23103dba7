//! Calls by batch files: worded as over HTTP, without a stream, and their answers read as replies are.

use serde_json::{Value, json};

use super::error_meaning;
use super::http::SharedWire;
use super::openai::OpenAi;
use crate::batch::{BatchAnswer, BatchCall, BatchServer};
use crate::call::{NoWatch, Request};
use crate::dialect::Api;
use crate::reply::Reply;
use crate::request_body;
use crate::{CallError, CallErrorKind};

/// The first bytes of an answer that errors may repeat.
const HEAD_BYTES: usize = 512;
/// The longest request id that is kept.
const MAX_REQUEST_ID_CHARS: usize = 128;

impl BatchServer for OpenAi {
    fn build_batch_call(&self, request: &Request) -> Result<BatchCall, CallError> {
        let (url, body) = match request.dialect.api {
            Api::Chat => {
                let negotiation = self.begin_negotiation(request)?;
                let body = request_body::build_chat_body(request, &negotiation.terms);
                ("/v1/chat/completions", serde_json::to_value(body))
            }
            Api::Moderation => ("/v1/moderations", Ok(request.build_body())),
            Api::Embedding => {
                let wire = SharedWire::default();
                let words = "vectors are asked for at once";
                return Err(self.build_error(
                    CallErrorKind::BadReply,
                    &request.model,
                    words,
                    &wire,
                ));
            }
        };
        Ok(BatchCall {
            url,
            // Texts, numbers and lists of them can always be serialised.
            body: body.unwrap_or_default(),
        })
    }

    fn read_batch_answer(
        &self,
        request: &Request,
        answer: &BatchAnswer,
    ) -> Result<Reply, CallError> {
        let wire = SharedWire::default();
        wire.with_wire(|wire| {
            let id = answer.request_id();
            wire.request_id = id.map(|id| id.chars().take(MAX_REQUEST_ID_CHARS).collect());
            wire.is_whole = true;
            wire.head = answer.body().to_string().into_bytes();
            wire.head.truncate(HEAD_BYTES);
        });
        if let Some((kind, words)) = read_error(answer) {
            return Err(self.build_error(kind, &request.model, &words, &wire));
        }
        let body = answer.body();
        let mut reply = match request.dialect.api {
            Api::Chat => self.read_chat(request, body, &wire)?,
            Api::Moderation => self.read_moderation(request, body, &wire)?,
            Api::Embedding => {
                let kind = CallErrorKind::BadReply;
                return Err(self.build_error(kind, &request.model, "no vectors", &wire));
            }
        };
        reply.latency_ms = 0;
        reply.reported_cost_usd = find_cost(body);
        Ok(self.remove_key(reply))
    }
}

impl OpenAi {
    fn read_chat(
        &self,
        request: &Request,
        body: &Value,
        wire: &SharedWire,
    ) -> Result<Reply, CallError> {
        let negotiation = self.begin_negotiation(request)?;
        let mut reader = self.start_reader(request, &negotiation.terms);
        reader
            .add_event(body, &NoWatch)
            .map_err(|(kind, words)| self.build_error(kind, &request.model, &words, wire))?;
        self.check_end(&reader, &request.model, wire)?;
        let mut reply = reader.into_reply(request, 0, &NoWatch);
        reply.request_id = wire.with_wire(|wire| wire.request_id.take());
        self.note_terms(&mut reply, request, &negotiation.terms);
        Ok(reply)
    }
}

/// Returns what the provider says that a reply cost, in US dollars, as OpenRouter does.
fn find_cost(body: &Value) -> Option<f64> {
    let cost = body.pointer("/usage/cost")?.as_f64()?;
    (cost.is_finite() && cost >= 0.0).then_some(cost)
}

/// Returns the error that an answer brings instead of a reply.
fn read_error(answer: &BatchAnswer) -> Option<(CallErrorKind, String)> {
    let error = answer.find_error();
    if let Some(status) = answer.error_status() {
        let text = match (answer.body(), error) {
            (Value::Null, Some(error)) => to_error_object(error).to_string(),
            (Value::Null, None) => String::new(),
            (Value::String(text), _) => text.clone(),
            (body, _) => body.to_string(),
        };
        return Some(error_meaning::from_status(status, None, &text));
    }
    let error = to_error_object(error?);
    let read = error_meaning::from_event(&error);
    Some(match read {
        Some((CallErrorKind::ErrorInStream, words)) => (CallErrorKind::BatchFailed, words),
        Some(known) => known,
        None => (CallErrorKind::BatchFailed, error.to_string()),
    })
}

/// Returns an error as servers report one: in a field of its name.
fn to_error_object(error: &Value) -> Value {
    match error {
        Value::Object(fields) if fields.contains_key("error") => error.clone(),
        Value::String(text) => json!({"error": {"message": text}}),
        _ => json!({ "error": error }),
    }
}
