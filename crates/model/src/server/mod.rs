//! OpenAI-compatible servers: one call over HTTP, and around it deadline, retries, limit in flight
//! and circuit breaker; or calls as lines of a batch file.

mod batch;
mod circuit_breaker;
pub(super) mod concurrency_limit;
mod document;
pub(super) mod download;
mod embeddings;
mod error_meaning;
pub(super) mod finish_class;
mod http;
mod json_progress;
pub(super) mod models_list;
mod moderation;
mod negotiation;
mod numbers_in_words;
pub(super) mod openai;
mod policy_refusal;
pub(super) mod probe;
pub(super) mod provider;
pub(super) mod reasoning_marks;
pub(super) mod reasoning_split;
pub(super) mod retry_after;
pub(super) mod retrying;
pub(super) mod server_answer;
mod sse;
mod stream_reader;
mod too_long;
mod unsupported_params;
