//! The HTTP service under async-openai, one for each call.
//!
//! async-openai would retry in silence, drop status and headers, read bodies without bound, stop
//! reading at `[DONE]` (which costs the connection) and take a stream that just ends for a complete
//! one. This service keeps what it drops in a [`Wire`] that the caller looks at afterwards.

use std::convert::Infallible;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use async_openai::error::OpenAIError;
use async_openai::middleware::HttpRequestFactory;
use bytes::Bytes;
use reqwest::header::HeaderMap;
use tokio::time::{Instant, timeout, timeout_at};

use super::call::BoxFuture;
use super::retry_after;
use super::sse::{Cleaner, Piece};

/// The largest reply that is read.
pub(super) const MAX_BODY_BYTES: usize = 16 * 1024 * 1024;
/// The most that is read of an error's body.
const MAX_ERROR_BYTES: usize = 64 * 1024;
/// How long an error's body is waited for.
const ERROR_BODY_WAIT: Duration = Duration::from_secs(5);
/// How long the end of a stream is waited for after `[DONE]`, so that its connection can be reused.
const DRAIN_WAIT: Duration = Duration::from_secs(1);
/// How much may follow `[DONE]` before the connection is given up.
const MAX_DRAIN_BYTES: usize = 64 * 1024;
/// Headers in which servers give their id of a request.
const REQUEST_ID_HEADERS: [&str; 2] = ["x-request-id", "request-id"];
/// The longest request id that is kept.
const MAX_REQUEST_ID_CHARS: usize = 128;

/// What happened on the wire during one call.
#[derive(Debug, Default)]
pub(super) struct Wire {
    /// Why the exchange ended early.
    pub fault: Option<Fault>,
    /// Whether `[DONE]` arrived.
    pub done: bool,
    /// Whether the reply is one JSON document instead of a stream.
    pub whole: bool,
    /// How many events were passed on.
    pub events: u64,
    /// The first bytes of the body.
    pub head: Vec<u8>,
    /// The server's id for the request.
    pub request_id: Option<String>,
}

/// Why an exchange ended early.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Fault {
    /// No connection.
    Connect(String),
    /// A status other than 2xx.
    Refused {
        status: u16,
        retry_after_ms: Option<u64>,
        body: String,
    },
    /// Silence.
    Stalled { after_ms: u64 },
    /// The connection broke.
    Broken(String),
    /// More than [`MAX_BODY_BYTES`].
    TooLarge,
    /// A web page instead of a reply.
    Html,
}

/// A [`Wire`] that the service fills while the caller waits.
#[derive(Debug, Clone, Default)]
pub(super) struct SharedWire(Arc<Mutex<Wire>>);

impl SharedWire {
    /// Looks at or changes the wire's state.
    pub fn with<T>(&self, act: impl FnOnce(&mut Wire) -> T) -> T {
        // The state is plain data: whoever panicked left nothing half done that matters.
        act(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn fail(&self, fault: Fault) -> OpenAIError {
        self.with(|wire| wire.fault = Some(fault));
        // The caller reads the fault from the wire; this only makes async-openai stop.
        OpenAIError::InvalidArgument("the exchange failed".into())
    }
}

/// How long silence is borne.
#[derive(Debug, Clone, Copy)]
pub(super) struct Patience {
    /// Until the first byte of the reply's body.
    pub first: Duration,
    /// Between bytes after it.
    pub stall: Duration,
}

/// In which form async-openai takes the reply.
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
    pub patience: Patience,
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
        Box::pin(transport.send(factory))
    }
}

impl Transport {
    async fn send(self, factory: HttpRequestFactory) -> Result<reqwest::Response, OpenAIError> {
        let request = factory.build().await?;
        let first_byte_by = Instant::now() + self.patience.first;
        let sent = timeout_at(first_byte_by, self.http.execute(request)).await;
        let response = match sent {
            Err(_) => return Err(self.wire.fail(stalled(self.patience.first))),
            Ok(Err(error)) if error.is_connect() => {
                return Err(self.wire.fail(Fault::Connect(in_full(error))));
            }
            Ok(Err(error)) => return Err(self.wire.fail(Fault::Broken(in_full(error)))),
            Ok(Ok(response)) => response,
        };
        let request_id = request_id(response.headers());
        self.wire.with(|wire| wire.request_id = request_id);
        if !response.status().is_success() {
            let fault = refused(response).await;
            return Err(self.wire.fail(fault));
        }
        Ok(self.cleaned(response, first_byte_by))
    }

    /// Puts a bounded, clean body in place of the server's.
    fn cleaned(self, response: reqwest::Response, first_byte_by: Instant) -> reqwest::Response {
        let status = response.status();
        let body = Body {
            response,
            silence: Silence::BeforeFirst(first_byte_by),
            patience: self.patience,
            framing: self.framing,
            cleaner: Cleaner::default(),
            read_bytes: 0,
            wire: self.wire,
            ended: false,
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

fn stalled(after: Duration) -> Fault {
    let after_ms = u64::try_from(after.as_millis()).unwrap_or(u64::MAX);
    Fault::Stalled { after_ms }
}

/// Tells an error with its causes, without the address, which may hold a password.
pub(super) fn in_full(error: reqwest::Error) -> String {
    let error = error.without_url();
    let mut text = error.to_string();
    let mut cause = std::error::Error::source(&error);
    while let Some(inner) = cause {
        text = format!("{text}: {inner}");
        cause = inner.source();
    }
    text
}

fn request_id(headers: &HeaderMap) -> Option<String> {
    let value = REQUEST_ID_HEADERS
        .iter()
        .find_map(|name| headers.get(*name))?;
    let text = value.to_str().ok()?;
    Some(text.chars().take(MAX_REQUEST_ID_CHARS).collect())
}

async fn refused(mut response: reqwest::Response) -> Fault {
    let status = response.status().as_u16();
    let retry_after_ms = retry_after::read(response.headers());
    let mut body = Vec::new();
    let read = async {
        // A body that breaks off still says something.
        while let Ok(Some(chunk)) = response.chunk().await {
            body.extend_from_slice(&chunk);
            if body.len() > MAX_ERROR_BYTES {
                body.truncate(MAX_ERROR_BYTES);
                break;
            }
        }
    };
    let _ = timeout(ERROR_BODY_WAIT, read).await;
    Fault::Refused {
        status,
        retry_after_ms,
        body: String::from_utf8_lossy(&body).into_owned(),
    }
}

enum Silence {
    BeforeFirst(Instant),
    Between,
}

struct Body {
    response: reqwest::Response,
    silence: Silence,
    patience: Patience,
    framing: Framing,
    cleaner: Cleaner,
    read_bytes: usize,
    wire: SharedWire,
    ended: bool,
}

enum Read {
    Bytes(Bytes),
    End,
    Failed(Fault),
}

impl Body {
    /// Reads on until there are events to pass on; none at the end.
    async fn next(&mut self) -> Option<Bytes> {
        while !self.ended {
            let pieces = match self.read().await {
                Read::Bytes(bytes) => self.cleaner.push(&bytes),
                Read::End => {
                    self.ended = true;
                    self.cleaner.finish()
                }
                Read::Failed(fault) => {
                    self.ended = true;
                    self.wire.with(|wire| wire.fault = Some(fault));
                    Vec::new()
                }
            };
            let events = self.note(pieces).await;
            if !events.is_empty() {
                return Some(events.into());
            }
        }
        None
    }

    async fn read(&mut self) -> Read {
        let read = match self.silence {
            Silence::BeforeFirst(by) => timeout_at(by, self.response.chunk()).await,
            Silence::Between => timeout(self.patience.stall, self.response.chunk()).await,
        };
        let bytes = match (read, &self.silence) {
            (Ok(Ok(Some(bytes))), _) => bytes,
            (Ok(Ok(None)), _) => return Read::End,
            (Ok(Err(error)), _) => return Read::Failed(Fault::Broken(in_full(error))),
            (Err(_), Silence::BeforeFirst(_)) => return Read::Failed(stalled(self.patience.first)),
            (Err(_), Silence::Between) => return Read::Failed(stalled(self.patience.stall)),
        };
        self.silence = Silence::Between;
        self.read_bytes = self.read_bytes.saturating_add(bytes.len());
        if self.read_bytes > MAX_BODY_BYTES {
            return Read::Failed(Fault::TooLarge);
        }
        Read::Bytes(bytes)
    }

    async fn note(&mut self, pieces: Vec<Piece>) -> Vec<u8> {
        let mut events = Vec::new();
        for piece in pieces {
            match piece {
                Piece::Event(data) => {
                    self.wire.with(|wire| wire.events += 1);
                    match self.framing {
                        Framing::Events => {
                            events.extend_from_slice(b"data: ");
                            events.extend_from_slice(data.as_bytes());
                            events.extend_from_slice(b"\n\n");
                        }
                        Framing::Document => events.extend_from_slice(data.as_bytes()),
                    }
                }
                Piece::Done => {
                    self.ended = true;
                    self.wire.with(|wire| wire.done = true);
                }
                Piece::Html => {
                    self.ended = true;
                    self.wire.with(|wire| wire.fault = Some(Fault::Html));
                }
                Piece::Whole => self.wire.with(|wire| wire.whole = true),
            }
        }
        self.wire.with(|wire| {
            if wire.head.is_empty() {
                wire.head = self.cleaner.head().to_vec();
            }
        });
        if self.ended && self.wire.with(|wire| wire.done) {
            self.drain().await;
        }
        events
    }

    /// Reads the rest of a finished stream: only then is its connection reused.
    async fn drain(&mut self) {
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
