//! Embeddings endpoint: a vector for each text instead of a reply in words.
//!
//! An answer is taken whole or not at all: a vector for every text, in the order of the texts, all of one
//! dimension and all numbers finite. Anything else is a failed call.

use async_openai::error::OpenAIError;
use serde_json::Value;
use tokio::time::Instant;

use super::document;
use super::http::{Framing, SharedWire};
use super::openai::OpenAi;
use crate::call::Request;
use crate::reply::{Reply, TokenSource};
use crate::request_body;
use crate::{CallError, CallErrorKind};

impl OpenAi {
    /// Requests a vector for each message of a request; the reply's text is the list of them as JSON.
    pub(super) async fn request_embeddings(&self, request: &Request) -> Result<Reply, CallError> {
        let wire = SharedWire::default();
        let client = self.build_client(Framing::Document, self.timeouts, &wire);
        let start_time = Instant::now();
        let body = request_body::build_embedding_body(request);
        let response: Result<Value, OpenAIError> = client.embeddings().create_byot(body).await;
        let response = self.check_document(request, response, &wire)?;
        let bad_reply = |words: String| {
            self.build_error(CallErrorKind::BadReply, &request.model, &words, &wire)
        };
        let vectors = read_vectors(&response, request.messages.len()).map_err(bad_reply)?;
        let text = serde_json::to_string(&vectors).map_err(|error| bad_reply(error.to_string()))?;
        let mut reply = document::build_reply(request, text, start_time, &wire);
        if let Some(input_tokens) = read_input_tokens(&response) {
            reply.usage.input_tokens = input_tokens;
            reply.usage.counted = TokenSource::Server;
        }
        Ok(reply)
    }
}

/// Reads the vectors of an answer to `count` texts.
///
/// # Errors
/// Says what is wrong with it.
fn read_vectors(response: &Value, count: usize) -> Result<Vec<Vec<f32>>, String> {
    let rows = response.get("data").and_then(Value::as_array);
    let rows = rows.ok_or("no list of vectors")?;
    if rows.len() != count {
        return Err(format!("{} vectors came for {count} texts", rows.len()));
    }
    let mut vectors: Vec<Option<Vec<f32>>> = vec![None; count];
    for (nth, row) in rows.iter().enumerate() {
        // Servers that number nothing answer in the order of the texts.
        let index = match row.get("index") {
            None | Some(Value::Null) => nth,
            Some(index) => index
                .as_u64()
                .and_then(|index| usize::try_from(index).ok())
                .ok_or_else(|| format!("vector {nth} has the index {index}, which is no place"))?,
        };
        let place = vectors.get_mut(index).ok_or_else(|| {
            format!("vector {nth} has the index {index}, and {count} texts were sent")
        })?;
        if place.is_some() {
            return Err(format!("two vectors have the index {index}"));
        }
        *place = Some(read_vector(row, index)?);
    }
    let vectors: Vec<Vec<f32>> = vectors.into_iter().flatten().collect();
    let dim = vectors.first().map_or(0, Vec::len);
    match vectors.iter().find(|vector| vector.len() != dim) {
        Some(other) => Err(format!(
            "vectors of {dim} and of {} numbers came together",
            other.len()
        )),
        None => Ok(vectors),
    }
}

fn read_vector(row: &Value, index: usize) -> Result<Vec<f32>, String> {
    let numbers = row.get("embedding").and_then(Value::as_array);
    let numbers = numbers.ok_or_else(|| format!("vector {index} is no list of numbers"))?;
    if numbers.is_empty() {
        return Err(format!("vector {index} has no numbers"));
    }
    let read_number = |number: &Value| {
        let number = number.as_f64().map(|number| number as f32);
        number.filter(|number| number.is_finite())
    };
    let vector: Option<Vec<f32>> = numbers.iter().map(read_number).collect();
    vector.ok_or_else(|| format!("vector {index} holds what is no finite number"))
}

fn read_input_tokens(response: &Value) -> Option<u64> {
    let usage = response.get("usage")?;
    let tokens = usage.get("prompt_tokens").or(usage.get("total_tokens"))?;
    tokens.as_u64().filter(|tokens| *tokens > 0)
}
