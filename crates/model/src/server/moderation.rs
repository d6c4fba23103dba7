//! Moderation endpoint: flags and scores instead of a text.
//!
//! The result is returned as the JSON that the server wrote, for a rubric to read. An answer
//! without a result is a failed call and never a finding.

use std::collections::BTreeMap;
use std::time::Duration;

use async_openai::error::OpenAIError;
use serde_json::Value;
use tokio::time::Instant;

use super::error_meaning;
use super::http::{Framing, SharedWire};
use super::openai::OpenAi;
use super::stream_reader::to_millis;
use crate::call::Request;
use crate::reply::{Finish, Reply, TokenSource, Usage};
use crate::request_body;
use crate::{CallError, CallErrorKind};

/// The largest result that is kept: far more than any number of categories needs.
const MAX_RESULT_BYTES: usize = 256 * 1024;

impl OpenAi {
    /// Requests flags and scores for the texts of a request.
    pub(super) async fn request_moderation(&self, request: &Request) -> Result<Reply, CallError> {
        let wire = SharedWire::default();
        let client = self.build_client(Framing::Document, self.timeouts, &wire);
        let start_time = Instant::now();
        let body = request_body::build_moderation_body(request);
        let response: Result<Value, OpenAIError> = client.moderations().create_byot(body).await;
        let response =
            response.map_err(|error| self.convert_error(&request.model, error, &wire))?;
        let latency = start_time.elapsed();
        if let Some((kind, words)) = error_meaning::from_event(&response) {
            return Err(self.build_error(kind, &request.model, &words, &wire));
        }
        let mut reply = self.build_reply(request, &response, latency, &wire)?;
        reply.request_id = wire.with_wire(|wire| wire.request_id.take());
        Ok(reply)
    }

    fn build_reply(
        &self,
        request: &Request,
        response: &Value,
        latency: Duration,
        wire: &SharedWire,
    ) -> Result<Reply, CallError> {
        // One text is sent, so only the first result counts.
        let result = response.get("results").and_then(|results| results.get(0));
        let Some(result) = result.filter(|result| result.is_object()) else {
            let words = "no moderation result";
            return Err(self.build_error(CallErrorKind::BadReply, &request.model, words, wire));
        };
        let text = result.to_string();
        if text.len() > MAX_RESULT_BYTES {
            let limit_bytes = MAX_RESULT_BYTES;
            let kind = CallErrorKind::TooLarge { limit_bytes };
            return Err(self.build_error(kind, &request.model, "", wire));
        }
        let model = response.get("model").and_then(Value::as_str);
        Ok(Reply {
            usage: Usage::estimate(request.input_chars(), 0, TokenSource::Estimated),
            text,
            thinking: None,
            finish: Finish::Stop,
            model: model
                .unwrap_or(&request.model)
                .chars()
                .take(MAX_MODEL_CHARS)
                .collect(),
            latency_ms: to_millis(latency),
            first_token_ms: None,
            request_id: None,
            cached: false,
            first_token: None,
            end_token: None,
            unknown_mark: None,
            left_out: Vec::new(),
            sent_as: BTreeMap::new(),
        })
    }
}

/// The longest name of a model that is kept.
const MAX_MODEL_CHARS: usize = 256;
