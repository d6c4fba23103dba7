//! Answer in one document instead of a stream: a moderation result, or vectors.

use std::collections::BTreeMap;

use async_openai::error::OpenAIError;
use serde_json::Value;
use tokio::time::Instant;

use super::error_meaning;
use super::http::SharedWire;
use super::openai::OpenAi;
use super::stream_reader::to_millis;
use crate::CallError;
use crate::call::Request;
use crate::reply::{Finish, Reply, TokenSource, Usage};

impl OpenAi {
    /// Returns the document that came, unless the server reports an error in it.
    pub(super) fn check_document(
        &self,
        request: &Request,
        response: Result<Value, OpenAIError>,
        wire: &SharedWire,
    ) -> Result<Value, CallError> {
        let response = response.map_err(|error| self.convert_error(&request.model, error, wire))?;
        match error_meaning::from_event(&response) {
            Some((kind, words)) => Err(self.build_error(kind, &request.model, &words, wire)),
            None => Ok(response),
        }
    }
}

/// Returns a reply with the text that was read in a document; its tokens are estimated.
pub(super) fn build_reply(
    request: &Request,
    text: String,
    start_time: Instant,
    wire: &SharedWire,
) -> Reply {
    Reply {
        usage: Usage::estimate(request.input_chars(), 0, TokenSource::Estimated),
        text,
        thinking: None,
        finish: Finish::Stop,
        model: request.model.clone(),
        latency_ms: to_millis(start_time.elapsed()),
        first_token_ms: None,
        request_id: wire.with_wire(|wire| wire.request_id.take()),
        cached: false,
        first_token: None,
        end_token: None,
        unknown_mark: None,
        left_out: Vec::new(),
        sent_as: BTreeMap::new(),
        reported_cost_usd: None,
    }
}
