//! HTTP service under async-openai, one for each call.
//!
//! async-openai would retry in silence, drop status and headers, read bodies without bound, stop
//! reading at `[DONE]` (which costs the connection) and take a stream that just ends for a complete
//! one. This service records what async-openai drops in a [`Wire`], which the caller reads
//! afterwards.

use std::convert::Infallible;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use async_openai::error::OpenAIError;
use async_openai::middleware::HttpRequestFactory;
use bytes::Bytes;
use reqwest::header::HeaderMap;
use tokio::time::{Instant, timeout, timeout_at};

use super::retry_after;
use super::sse::{SseItem, SseParser};
use crate::call::BoxFuture;

/// The largest reply that is read.
pub(super) const MAX_BODY_BYTES: usize = 16 * 1024 * 1024;
/// The most bytes of an error's body that are read.
const MAX_ERROR_BYTES: usize = 64 * 1024;
/// The longest wait for an error's body.
const ERROR_BODY_WAIT: Duration = Duration::from_secs(5);
/// The longest wait for the end of a stream after `[DONE]`, so that its connection can be reused.
const DRAIN_WAIT: Duration = Duration::from_secs(1);
/// The most bytes after `[DONE]` before the connection is given up.
const MAX_DRAIN_BYTES: usize = 64 * 1024;
/// Headers in which servers give their id of a request.
const REQUEST_ID_HEADERS: [&str; 2] = ["x-request-id", "request-id"];
/// The longest request id that is kept.
const MAX_REQUEST_ID_CHARS: usize = 128;

/// Record of one HTTP exchange.
#[derive(Debug, Default)]
pub(super) struct Wire {
    /// The reason of an early end of the exchange.
    pub fault: Option<WireFault>,
    /// Whether `[DONE]` arrived.
    pub is_done: bool,
    /// Whether the reply is one JSON document instead of a stream.
    pub is_whole: bool,
    /// Number of events passed on.
    pub events: u64,
    /// The first bytes of the body.
    pub head: Vec<u8>,
    /// The server's id for the request.
    pub request_id: Option<String>,
    /// Whether the head of a reply arrived.
    pub has_head: bool,
    /// Whether any text of the reply arrived.
    pub has_text: bool,
}

/// Reason of an early end of an exchange.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum WireFault {
    /// No connection.
    Connect(String),
    /// A status other than 2xx.
    Refused {
        status: u16,
        retry_after_ms: Option<u64>,
        body: String,
    },
    /// No data within a time limit.
    Stalled { after_ms: u64 },
    /// The connection broke.
    Broken(String),
    /// More than [`MAX_BODY_BYTES`].
    TooLarge,
    /// A web page instead of a reply.
    Html,
    /// A compressed body, which was not asked for; with the name of the compression.
    Compressed(&'static str),
}

/// A [`Wire`] that the service fills while the caller waits.
#[derive(Debug, Clone, Default)]
pub(super) struct SharedWire(Arc<Mutex<Wire>>);

impl SharedWire {
    /// Reads or changes the record.
    pub fn with_wire<T>(&self, act: impl FnOnce(&mut Wire) -> T) -> T {
        // Plain data: a panic leaves nothing half done that matters.
        act(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn record_fault(&self, fault: WireFault) -> OpenAIError {
        self.with_wire(|wire| wire.fault = Some(fault));
        // The caller reads the fault from the record; this error only makes async-openai stop.
        OpenAIError::InvalidArgument("the exchange failed".into())
    }
}

/// Time limits for silence of the server.
#[derive(Debug, Clone, Copy)]
pub(super) struct ReadTimeouts {
    /// Until the first byte of the reply's body.
    pub first: Duration,
    /// Between bytes after it.
    pub stall: Duration,
}

/// Form in which async-openai takes the reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Framing {
    /// As a stream of events.
    Events,
    /// As one JSON document.
    Document,
}

/// The service.
#[derive(Debug, Clone)]
pub(super) struct Transport {
    pub framing: Framing,
    pub http: reqwest::Client,
    pub timeouts: ReadTimeouts,
    pub wire: SharedWire,
}

impl tower::Service<HttpRequestFactory> for Transport {
    type Response = reqwest::Response;
    type Error = OpenAIError;
    type Future = BoxFuture<'static, Result<reqwest::Response, OpenAIError>>;

    fn poll_ready(&mut self, _cx: &mut Context<'_>) -> Poll<Result<(), OpenAIError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, factory: HttpRequestFactory) -> Self::Future {
        let transport = self.clone();
        Box::pin(transport.send_request(factory))
    }
}

impl Transport {
    async fn send_request(
        self,
        factory: HttpRequestFactory,
    ) -> Result<reqwest::Response, OpenAIError> {
        let request = factory.build().await?;
        let first_byte_by = Instant::now() + self.timeouts.first;
        let send_result = timeout_at(first_byte_by, self.http.execute(request)).await;
        let response = match send_result {
            Err(_) => return Err(self.wire.record_fault(stall_fault(self.timeouts.first))),
            Ok(Err(error)) if error.is_connect() => {
                return Err(self
                    .wire
                    .record_fault(WireFault::Connect(error_chain(error))));
            }
            Ok(Err(error)) => {
                return Err(self
                    .wire
                    .record_fault(WireFault::Broken(error_chain(error))));
            }
            Ok(Ok(response)) => response,
        };
        let request_id = read_request_id(response.headers());
        self.wire.with_wire(|wire| {
            wire.request_id = request_id;
            wire.has_head = true;
        });
        if !response.status().is_success() {
            let fault = read_refusal(response).await;
            return Err(self.wire.record_fault(fault));
        }
        Ok(self.with_clean_body(response, first_byte_by))
    }

    /// Puts a bounded, clean body in place of the server's.
    fn with_clean_body(
        self,
        response: reqwest::Response,
        first_byte_by: Instant,
    ) -> reqwest::Response {
        let status = response.status();
        let body = BodyReader {
            response,
            phase: TimeoutPhase::BeforeFirst(first_byte_by),
            timeouts: self.timeouts,
            framing: self.framing,
            cleaner: SseParser::default(),
            read_bytes: 0,
            wire: self.wire,
            has_ended: false,
        };
        let bytes = futures_util::stream::unfold(body, |mut body| async move {
            let bytes = body.next().await?;
            Some((Ok::<Bytes, Infallible>(bytes), body))
        });
        let mut clean = http::Response::new(reqwest::Body::wrap_stream(bytes));
        *clean.status_mut() = status;
        clean.into()
    }
}

fn stall_fault(after: Duration) -> WireFault {
    let after_ms = u64::try_from(after.as_millis()).unwrap_or(u64::MAX);
    WireFault::Stalled { after_ms }
}

/// Returns an error's message with its causes, without the address, which may hold a password.
pub(super) fn error_chain(error: reqwest::Error) -> String {
    let error = error.without_url();
    let mut text = error.to_string();
    let mut cause = std::error::Error::source(&error);
    while let Some(inner) = cause {
        text = format!("{text}: {inner}");
        cause = inner.source();
    }
    text
}

fn read_request_id(headers: &HeaderMap) -> Option<String> {
    let value = REQUEST_ID_HEADERS
        .iter()
        .find_map(|name| headers.get(*name))?;
    let text = value.to_str().ok()?;
    Some(text.chars().take(MAX_REQUEST_ID_CHARS).collect())
}

/// Returns the compression of a body by its first bytes (RFC 1952, RFC 8878).
fn detect_compression(body: &[u8]) -> Option<&'static str> {
    const MAGIC: [(&[u8], &str); 3] = [
        (&[0x1f, 0x8b], "gzip"),
        (&[0x28, 0xb5, 0x2f, 0xfd], "zstd"),
        (&[0x78, 0x9c], "deflate"),
    ];
    let magic_match = MAGIC.into_iter().find(|(magic, _)| body.starts_with(magic));
    magic_match.map(|(_, name)| name)
}

/// Describes a compressed body.
pub(super) fn describe_compression(name: &str) -> String {
    format!(
        "a body compressed with {name}, which was not asked for: switch compression off at the server or proxy"
    )
}

async fn read_refusal(mut response: reqwest::Response) -> WireFault {
    let status = response.status().as_u16();
    let retry_after_ms = retry_after::parse_retry_after(response.headers());
    let mut body = Vec::new();
    let read_body = async {
        // A part of the body is still useful.
        while let Ok(Some(chunk)) = response.chunk().await {
            body.extend_from_slice(&chunk);
            if body.len() > MAX_ERROR_BYTES {
                body.truncate(MAX_ERROR_BYTES);
                break;
            }
        }
    };
    let _ = timeout(ERROR_BODY_WAIT, read_body).await;
    WireFault::Refused {
        status,
        retry_after_ms,
        body: match detect_compression(&body) {
            Some(name) => describe_compression(name),
            None => String::from_utf8_lossy(&body).into_owned(),
        },
    }
}

enum TimeoutPhase {
    BeforeFirst(Instant),
    Between,
}

struct BodyReader {
    response: reqwest::Response,
    phase: TimeoutPhase,
    timeouts: ReadTimeouts,
    framing: Framing,
    cleaner: SseParser,
    read_bytes: usize,
    wire: SharedWire,
    has_ended: bool,
}

enum BodyChunk {
    Bytes(Bytes),
    End,
    Failed(WireFault),
}

impl BodyReader {
    /// Reads until there are events to pass on; `None` at the end.
    async fn next(&mut self) -> Option<Bytes> {
        while !self.has_ended {
            let pieces = match self.read_chunk().await {
                BodyChunk::Bytes(bytes) => self.cleaner.push_bytes(&bytes),
                BodyChunk::End => {
                    self.has_ended = true;
                    self.cleaner.finish()
                }
                BodyChunk::Failed(fault) => {
                    self.has_ended = true;
                    self.wire.with_wire(|wire| wire.fault = Some(fault));
                    Vec::new()
                }
            };
            let events = self.process_items(pieces).await;
            if !events.is_empty() {
                return Some(events.into());
            }
        }
        None
    }

    async fn read_chunk(&mut self) -> BodyChunk {
        let read_result = match self.phase {
            TimeoutPhase::BeforeFirst(by) => timeout_at(by, self.response.chunk()).await,
            TimeoutPhase::Between => timeout(self.timeouts.stall, self.response.chunk()).await,
        };
        let bytes = match (read_result, &self.phase) {
            (Ok(Ok(Some(bytes))), _) => bytes,
            (Ok(Ok(None)), _) => return BodyChunk::End,
            (Ok(Err(error)), _) => return BodyChunk::Failed(WireFault::Broken(error_chain(error))),
            (Err(_), TimeoutPhase::BeforeFirst(_)) => {
                return BodyChunk::Failed(stall_fault(self.timeouts.first));
            }
            (Err(_), TimeoutPhase::Between) => {
                return BodyChunk::Failed(stall_fault(self.timeouts.stall));
            }
        };
        if let (0, Some(name)) = (self.read_bytes, detect_compression(&bytes)) {
            return BodyChunk::Failed(WireFault::Compressed(name));
        }
        self.phase = TimeoutPhase::Between;
        self.read_bytes = self.read_bytes.saturating_add(bytes.len());
        if self.read_bytes > MAX_BODY_BYTES {
            return BodyChunk::Failed(WireFault::TooLarge);
        }
        BodyChunk::Bytes(bytes)
    }

    async fn process_items(&mut self, pieces: Vec<SseItem>) -> Vec<u8> {
        let mut events = Vec::new();
        for piece in pieces {
            match piece {
                SseItem::Event(data) => {
                    self.wire.with_wire(|wire| wire.events += 1);
                    match self.framing {
                        Framing::Events => {
                            events.extend_from_slice(b"data: ");
                            events.extend_from_slice(data.as_bytes());
                            events.extend_from_slice(b"\n\n");
                        }
                        Framing::Document => events.extend_from_slice(data.as_bytes()),
                    }
                }
                SseItem::Done => {
                    self.has_ended = true;
                    self.wire.with_wire(|wire| wire.is_done = true);
                }
                SseItem::Html => {
                    self.has_ended = true;
                    self.wire
                        .with_wire(|wire| wire.fault = Some(WireFault::Html));
                }
                SseItem::Whole => self.wire.with_wire(|wire| wire.is_whole = true),
            }
        }
        self.wire.with_wire(|wire| {
            if wire.head.is_empty() {
                wire.head = self.cleaner.head().to_vec();
            }
        });
        if self.has_ended && self.wire.with_wire(|wire| wire.is_done) {
            self.drain_body().await;
        }
        events
    }

    /// Reads the rest of a finished stream: only then is its connection reused.
    async fn drain_body(&mut self) {
        let rest = async {
            let mut bytes = 0;
            while let Ok(Some(chunk)) = self.response.chunk().await {
                bytes += chunk.len();
                if bytes > MAX_DRAIN_BYTES {
                    return;
                }
            }
        };
        let _ = timeout(DRAIN_WAIT, rest).await;
    }
}
