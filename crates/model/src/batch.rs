//! Calls by batch: a call as the address and body of a line, a line's answer, and the server that words the
//! one and reads the other. Reads and writes no file.
//!
//! The lines are those of OpenAI's Batch API, which LiteLLM and `vllm run-batch` take as well.

use serde::Deserialize;
use serde_json::Value;

use super::call::Request;
use super::{CallError, Reply};

/// A call as a batch asks for it.
#[derive(Debug, Clone, PartialEq)]
pub struct BatchCall {
    /// Its address at the server.
    pub url: &'static str,
    pub body: Value,
}

/// The answer to one call, as a batch brings it. Fields that are not read are let pass.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
pub struct BatchAnswer {
    #[serde(default)]
    response: Option<BatchResponse>,
    /// An object, or with earlier versions of vLLM a text.
    #[serde(default)]
    error: Value,
}

/// What the server answered.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
struct BatchResponse {
    #[serde(default)]
    status_code: Option<u16>,
    #[serde(default)]
    request_id: Option<String>,
    #[serde(default)]
    body: Value,
}

impl BatchAnswer {
    /// Says whether it brings an error instead of a reply.
    pub fn is_error(&self) -> bool {
        self.error_status().is_some() || self.find_error().is_some()
    }

    /// Says whether another answer brings the same: the same messages, or the same error.
    pub fn brings_same(&self, other: &Self) -> bool {
        match (self.is_error(), other.is_error()) {
            (false, false) => self.messages() == other.messages(),
            (true, true) => self.error == other.error && self.body() == other.body(),
            (true, false) | (false, true) => false,
        }
    }

    /// Says whether the model declined in a field of its own.
    pub fn is_refusal(&self) -> bool {
        let refusal = self.body().pointer("/choices/0/message/refusal");
        let refusal = refusal.and_then(Value::as_str);
        refusal.is_some_and(|words| !words.trim().is_empty())
    }

    /// Returns what was said: the message of each choice, or the results of a moderation.
    fn messages(&self) -> Vec<&Value> {
        let choices = self.body().get("choices").and_then(Value::as_array);
        let messages = choices.into_iter().flatten();
        let messages = messages.filter_map(|choice| choice.get("message"));
        messages.chain(self.body().get("results")).collect()
    }

    /// Returns the body of the server's answer; null where there is none.
    pub(super) fn body(&self) -> &Value {
        let response = self.response.as_ref();
        response.map_or(&Value::Null, |response| &response.body)
    }

    /// Returns the server's id for the request.
    pub(super) fn request_id(&self) -> Option<&str> {
        self.response.as_ref()?.request_id.as_deref()
    }

    /// Returns the status of an answer that is no reply.
    pub(super) fn error_status(&self) -> Option<u16> {
        let status = self.response.as_ref()?.status_code?;
        (!(200..300).contains(&status)).then_some(status)
    }

    /// Returns the error beside the answer or in its place, if it says anything.
    pub(super) fn find_error(&self) -> Option<&Value> {
        match &self.error {
            Value::Object(fields) if fields.is_empty() => None,
            Value::String(text) if text.is_empty() => None,
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) => None,
            Value::Object(_) | Value::String(_) => Some(&self.error),
        }
    }
}

/// A server whose calls can go by batch.
pub trait BatchServer {
    /// Returns a call as a line of a batch asks for it: what would be sent, without a stream.
    ///
    /// # Errors
    /// When the request is clearly longer than the model's context, or asks for vectors.
    fn build_batch_call(&self, request: &Request) -> Result<BatchCall, CallError>;

    /// Reads the answer of a batch as the reply to a request. How long it took is not known.
    ///
    /// # Errors
    /// As those of a call.
    fn read_batch_answer(
        &self,
        request: &Request,
        answer: &BatchAnswer,
    ) -> Result<Reply, CallError>;
}
