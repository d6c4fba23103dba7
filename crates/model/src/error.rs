//! Errors of calls: kind, place, and advice for the user.

use std::borrow::Cow;

/// The most characters of a server's own words that an error repeats.
const MAX_EXCERPT_CHARS: usize = 300;

/// A failed call: what happened, where, and what to do next. Never holds a key or a header.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallError {
    /// The kind of failure.
    pub kind: CallErrorKind,
    /// Provider and model, as `provider/model`.
    pub place: String,
    /// The server's or the system's own words, shortened to one line; may be empty.
    pub detail: String,
    /// The server's id for the request, for asking its operator.
    pub request_id: Option<String>,
}

/// Kind of a failed call.
#[derive(Debug, Clone, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum CallErrorKind {
    /// The server refused with this HTTP status.
    Status(u16),
    /// Too many requests (429), with the wait the server asked for.
    RateLimited {
        /// The wait the server asked for, if it did.
        retry_after_ms: Option<u64>,
    },
    /// The server is busy (503) and named a wait, or loads the model.
    Busy {
        /// The wait the server asked for; 0 where it named none.
        retry_after_ms: u64,
        /// Whether the model is being loaded: the call waits for it until its deadline.
        is_loading: bool,
    },
    /// The provider's account has no quota left: waiting does not help.
    Quota,
    /// The key is missing, wrong, or not allowed to do this.
    Auth,
    /// The provider's content policy refused the request or cut the reply.
    ContentFilter,
    /// The request is longer than the model's context.
    ContextLength,
    /// The server accepts no token limit under any name, and a reply without one may cost anything.
    LimitRefused,
    /// No connection could be made.
    Connect,
    /// No connection could be made in any attempt, and no other call to this provider was answered
    /// meanwhile: the server is gone.
    // A name of its own would be one more that readers of journals must know.
    #[strum(serialize = "connect")]
    Unreachable,
    /// The whole call took longer than its deadline.
    Deadline {
        /// The deadline.
        after_ms: u64,
    },
    /// The server sent nothing for too long.
    Stalled {
        /// The wait in milliseconds.
        after_ms: u64,
    },
    /// The connection broke before the reply was whole.
    BrokenStream,
    /// The reply came to an end without the finish reason that its provider must give.
    NoFinishReason,
    /// The server reported an error inside a reply that had begun with status 200.
    ErrorInStream,
    /// The reply is not what the API says: garbage, HTML, no choices, no moderation result.
    BadReply,
    /// The reply is larger than this program reads.
    TooLarge {
        /// The limit in bytes.
        limit_bytes: usize,
    },
    /// The batch that the call was in brought an error for it instead of a reply.
    BatchFailed,
    /// The caller cancelled.
    Cancelled,
    /// The simulated model failed on purpose (`failure_rate`).
    SimulatedFailure,
    /// A replayed session holds no such reply.
    NotRecorded,
    /// The request differs from the recorded one.
    RecordingMismatch,
}

impl CallErrorKind {
    /// Returns whether the same request may succeed when it is made again.
    pub fn is_worth_retrying(&self) -> bool {
        match self {
            // 424 and 498 are those of servers behind a router that had no capacity or failed.
            Self::Status(status) => matches!(status, 408 | 409 | 424 | 425 | 498 | 500..=599),
            Self::RateLimited { .. }
            | Self::Busy { .. }
            | Self::Connect
            | Self::Stalled { .. }
            | Self::BrokenStream
            | Self::NoFinishReason
            | Self::ErrorInStream => true,
            Self::Quota
            | Self::Auth
            | Self::ContentFilter
            | Self::ContextLength
            | Self::LimitRefused
            | Self::Unreachable
            | Self::Deadline { .. }
            | Self::BadReply
            | Self::TooLarge { .. }
            | Self::BatchFailed
            | Self::Cancelled
            | Self::SimulatedFailure
            | Self::NotRecorded
            | Self::RecordingMismatch => false,
        }
    }

    /// Returns the wait that the server asked for, in milliseconds.
    pub fn retry_after_ms(&self) -> Option<u64> {
        match self {
            Self::RateLimited { retry_after_ms } => *retry_after_ms,
            Self::Busy { retry_after_ms, .. } => Some(*retry_after_ms),
            Self::Status(_)
            | Self::Quota
            | Self::Auth
            | Self::ContentFilter
            | Self::ContextLength
            | Self::LimitRefused
            | Self::Connect
            | Self::Unreachable
            | Self::Deadline { .. }
            | Self::Stalled { .. }
            | Self::BrokenStream
            | Self::NoFinishReason
            | Self::ErrorInStream
            | Self::BadReply
            | Self::TooLarge { .. }
            | Self::BatchFailed
            | Self::Cancelled
            | Self::SimulatedFailure
            | Self::NotRecorded
            | Self::RecordingMismatch => None,
        }
    }

    /// Returns a short stable name for journals and counts.
    pub fn code(&self) -> &'static str {
        self.into()
    }

    fn describe(&self) -> String {
        match self {
            Self::Status(status) => format!("the server answered with status {status}"),
            Self::RateLimited {
                retry_after_ms: Some(wait),
            } => format!("too many requests; the server asks to wait {wait} ms"),
            Self::RateLimited {
                retry_after_ms: None,
            } => "too many requests".into(),
            Self::Busy {
                is_loading: true, ..
            } => "the server is loading the model".into(),
            Self::Busy { retry_after_ms, .. } => {
                format!("the server is busy and asks to wait {retry_after_ms} ms")
            }
            Self::Quota => "the account's quota is used up".into(),
            Self::Auth => "the server refused the key".into(),
            Self::ContentFilter => "the provider's content policy refused this".into(),
            Self::ContextLength => "the request is longer than the model's context".into(),
            Self::LimitRefused => "the server takes no token limit".into(),
            Self::Connect => "no connection".into(),
            Self::Unreachable => "no connection, and no other call was answered meanwhile".into(),
            Self::Deadline { after_ms } => format!("not finished within {after_ms} ms"),
            Self::Stalled { after_ms } => format!("the server sent nothing for {after_ms} ms"),
            Self::BrokenStream => "the reply broke off in the middle".into(),
            Self::NoFinishReason => "the reply broke off without a finish reason".into(),
            Self::ErrorInStream => "the server reported an error inside its reply".into(),
            Self::BadReply => "the reply is not what was asked for".into(),
            Self::TooLarge { limit_bytes } => {
                format!("the reply is larger than {limit_bytes} bytes")
            }
            Self::BatchFailed => "its batch brought an error for it".into(),
            Self::Cancelled => "cancelled".into(),
            Self::SimulatedFailure => "the simulated model failed on purpose".into(),
            Self::NotRecorded => "the recording holds no reply for this turn".into(),
            Self::RecordingMismatch => "the recording was made for another request".into(),
        }
    }

    /// Returns advice for the user; `provider` is the name in the configuration.
    fn advice(&self, provider: &str) -> Cow<'static, str> {
        Cow::Borrowed(match self {
            Self::NoFinishReason => {
                return Cow::Owned(format!(
                    "the server may end one reply for the next request: set in_flight = 1 under \
                     [providers.{provider}]; or it never gives finish reasons: set finish_reason = \
                     \"absent\" there (doctor --probe finds out)"
                ));
            }
            Self::Status(403) => {
                "the provider may have refused this topic: look at its words, then resume; a run goes on with \
                 its other topics"
            }
            Self::Status(404) => "check base_url (it usually ends in /v1) and the model's name",
            Self::Status(300..=399) => "set base_url to the address it redirects to",
            Self::Status(400..=499) => {
                "check the model's name and sampling settings; drop_params leaves out what a server refuses"
            }
            Self::Busy {
                is_loading: true, ..
            } => "it is waited for until deadline_s: raise that, or resume later",
            Self::Status(_) | Self::ErrorInStream | Self::Busy { .. } => {
                "resume later, or look at the server's log"
            }
            Self::RateLimited { .. } => "lower in_flight for this provider, or resume later",
            Self::Quota => {
                "top the account up, wait until its limit is renewed, or use another provider; then \
                 resume"
            }
            Self::Auth => {
                "check the environment variable that api_key_env names; behind a proxy such as LiteLLM \
                 also the key that it uses itself"
            }
            Self::ContentFilter => "re-roll, or cast a model whose provider allows this research",
            Self::ContextLength => {
                "play fewer rounds or seats, or cast a model with a longer context"
            }
            Self::LimitRefused => {
                "a reply may then cost as much as its context holds: to allow that, write \
                 drop_params = [\"max_tokens\"] to this model under [models]"
            }
            Self::Connect | Self::Unreachable => {
                "check base_url and that the server runs (doctor --probe)"
            }
            Self::Deadline { .. } => "raise deadline_s, or lower max_tokens",
            Self::Stalled { .. } => "raise first_token_s or stall_s, or look at the server's log",
            Self::BrokenStream => {
                "resume; if it happens again look at the server or a proxy before it"
            }
            Self::BadReply => "check that base_url points at an OpenAI-compatible API",
            Self::TooLarge { .. } => "lower max_tokens, or check what answers at base_url",
            Self::BatchFailed => {
                "write the open calls to another batch file, or resume without one"
            }
            Self::Cancelled => "resume to go on",
            Self::SimulatedFailure => "set failure_rate to 0 in the simulated model's settings",
            Self::NotRecorded => "replay the session that was recorded, or cast a live model",
            Self::RecordingMismatch => {
                "replay with the recorded protocol, prompts and settings, or cast a live model"
            }
        })
    }
}

impl CallError {
    /// Returns an error whose detail is bounded and on one line.
    pub fn new(kind: CallErrorKind, place: &str, detail: &str) -> Self {
        Self {
            kind,
            place: place.to_owned(),
            detail: excerpt(detail),
            request_id: None,
        }
    }

    /// Returns whether the same request may succeed when it is made again.
    pub fn is_worth_retrying(&self) -> bool {
        self.kind.is_worth_retrying()
    }

    /// Returns what happened and where, for those who have other advice.
    pub fn describe(&self) -> String {
        let mut text = format!("{}: {}", self.place, self.kind.describe());
        if !self.detail.is_empty() {
            text.push_str(&format!(" ({})", self.detail));
        }
        if let Some(id) = &self.request_id {
            text.push_str(&format!(" [request {id}]"));
        }
        text
    }
}

impl std::fmt::Display for CallError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let provider = self.place.split('/').next().unwrap_or_default();
        write!(f, "{}; {}", self.describe(), self.kind.advice(provider))
    }
}

impl std::error::Error for CallError {}

/// Shortens to one line of bounded length without control characters.
pub(super) fn excerpt(text: &str) -> String {
    let mut out = String::new();
    let mut chars = 0;
    for word in text.split(|c: char| c.is_whitespace() || c.is_control()) {
        if word.is_empty() {
            continue;
        }
        if !out.is_empty() {
            out.push(' ');
            chars += 1;
        }
        for c in word.chars() {
            if chars >= MAX_EXCERPT_CHARS {
                out.push('…');
                return out;
            }
            out.push(c);
            chars += 1;
        }
    }
    out
}
