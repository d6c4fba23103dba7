//! Worst case of a call, and the cost of a failed try that returned nothing.

use elenchus_game::debate::Expense;
use elenchus_model::{CallError, CallErrorKind, ModelSettings, Reply, Request};

/// The most that one try of a call can use, or, once it failed, may have used.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct WorstCase {
    /// In US dollars: 0 where the server turned the call away, none if the model is unpriced.
    pub usd: Option<f64>,
    /// 0 where the server turned the call away.
    pub tokens: u64,
    /// One, or none where the reply is cached or nothing reached a server.
    pub calls: u64,
}

impl WorstCase {
    /// No cost: the reply is paid for already.
    pub(crate) const NOTHING: Self = Self {
        usd: Some(0.0),
        tokens: 0,
        calls: 0,
    };

    /// Bounds what a try of a request can use.
    pub(crate) fn from_request(settings: &ModelSettings, request: &Request) -> Self {
        Self {
            usd: settings.worst_case_usd(request),
            tokens: settings.worst_case_tokens(request),
            calls: 1,
        }
    }

    /// Returns the amount to reserve; an unknown price counts as 0.
    pub(crate) fn to_expense(self) -> Expense {
        Expense {
            usd: self.usd.unwrap_or(0.0),
            calls: self.calls,
            tokens: self.tokens,
        }
    }

    /// Returns the part of it that a failed try may have used.
    pub(crate) fn failure_charge(self, error: &CallError) -> Self {
        match ErrorStage::from_kind(&error.kind) {
            ErrorStage::Unsent => Self {
                calls: 0,
                ..self.without_charge()
            },
            ErrorStage::TurnedAway => self.without_charge(),
            ErrorStage::Answered => self,
        }
    }

    /// A server that turned a call away charges nothing; an unknown price stays unknown.
    fn without_charge(self) -> Self {
        Self {
            usd: self.usd.map(|_| 0.0),
            tokens: 0,
            calls: self.calls,
        }
    }
}

/// Returns what a reply costs at most that is this many tokens longer than its request's limit.
pub(crate) fn longer_reply(settings: &ModelSettings, by_tokens: u32) -> Expense {
    Expense {
        usd: settings
            .compute_price(0, u64::from(by_tokens))
            .unwrap_or(0.0),
        calls: 0,
        tokens: u64::from(by_tokens),
    }
}

/// Returns the use of an answered call.
pub(crate) fn reply_expense(settings: &ModelSettings, reply: &Reply) -> Expense {
    if reply.cached {
        return Expense::default();
    }
    Expense {
        usd: settings.cost_usd(reply).unwrap_or(0.0),
        calls: 1,
        tokens: (reply.usage.input_tokens).saturating_add(reply.usage.output_tokens),
    }
}

/// How far a call came before it failed.
enum ErrorStage {
    /// No request reached a server.
    Unsent,
    /// A server refused it before it worked.
    TurnedAway,
    /// A server may have worked, and so may charge.
    Answered,
}

impl ErrorStage {
    fn from_kind(kind: &CallErrorKind) -> Self {
        match kind {
            CallErrorKind::Connect
            | CallErrorKind::Unreachable
            | CallErrorKind::NotRecorded
            | CallErrorKind::RecordingMismatch => Self::Unsent,
            CallErrorKind::Status(_)
            | CallErrorKind::RateLimited { .. }
            | CallErrorKind::Busy { .. }
            | CallErrorKind::Quota
            | CallErrorKind::Auth
            | CallErrorKind::ContextLength
            | CallErrorKind::LimitRefused
            | CallErrorKind::BatchFailed
            | CallErrorKind::SimulatedFailure => Self::TurnedAway,
            CallErrorKind::Deadline { .. }
            | CallErrorKind::Stalled { .. }
            | CallErrorKind::BrokenStream
            | CallErrorKind::NoFinishReason
            | CallErrorKind::ErrorInStream
            | CallErrorKind::BadReply
            | CallErrorKind::TooLarge { .. }
            | CallErrorKind::Cancelled
            | CallErrorKind::ContentFilter => Self::Answered,
        }
    }
}
