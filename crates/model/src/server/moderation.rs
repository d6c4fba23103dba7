//! Moderation endpoint: flags and scores instead of a text.
//!
//! The result is returned as the JSON that the server wrote, for a rubric to read. An answer
//! without a result is a failed call and never a finding.

use async_openai::error::OpenAIError;
use serde_json::Value;
use tokio::time::Instant;

use super::document;
use super::http::{Framing, SharedWire};
use super::openai::OpenAi;
use super::stream_reader::to_millis;
use crate::call::Request;
use crate::reply::Reply;
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
        let response = self.check_document(request, response, &wire)?;
        let mut reply = self.read_moderation(request, &response, &wire)?;
        reply.latency_ms = to_millis(start_time.elapsed());
        Ok(reply)
    }

    /// Reads the result for the texts of a request.
    ///
    /// # Errors
    /// When there is none, or it is too large.
    pub(super) fn read_moderation(
        &self,
        request: &Request,
        response: &Value,
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
        let mut reply = document::build_reply(request, text, Instant::now(), wire);
        if let Some(model) = response.get("model").and_then(Value::as_str) {
            reply.model = model.chars().take(MAX_MODEL_CHARS).collect();
        }
        Ok(reply)
    }
}

/// The longest name of a model that is kept.
const MAX_MODEL_CHARS: usize = 256;
