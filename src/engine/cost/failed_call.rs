//! What a call can use at most, and what a try of it may have used that brought nothing back.

use crate::debate::Expense;
use crate::model::{CallError, CallErrorKind, ModelSettings, Reply, Request};

/// The most that one try of a call can use.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct WorstCase {
    /// In US dollars; none if the model is unpriced.
    pub usd: Option<f64>,
    pub tokens: u64,
    /// One, or none where the reply is here already.
    pub calls: u64,
}

/// What a try that failed may have used.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Charge {
    /// In US dollars: 0 where the server turned it away, none if the model is unpriced.
    pub usd: Option<f64>,
    /// 0 where the server turned it away.
    pub tokens: u64,
    /// One, or none where nothing reached a server.
    pub calls: u64,
}

impl WorstCase {
    /// Nothing: the reply is paid for already.
    pub(super) const NOTHING: Self = Self {
        usd: Some(0.0),
        tokens: 0,
        calls: 0,
    };

    /// Bounds what a try of a request can use.
    pub(super) fn of(settings: &ModelSettings, request: &Request) -> Self {
        Self {
            usd: settings.worst_case_usd(request),
            tokens: settings.worst_case_tokens(request),
            calls: 1,
        }
    }

    /// Returns it as what is to be set aside; what no price is known of counts as no money.
    pub(super) fn expense(self) -> Expense {
        Expense {
            usd: self.usd.unwrap_or(0.0),
            calls: self.calls,
            tokens: self.tokens,
        }
    }

    /// Returns what a try that failed may have used of it.
    pub(super) fn charge(self, error: &CallError) -> Charge {
        let answered = was_answered(&error.kind);
        Charge {
            usd: self.usd.map(|usd| if answered { usd } else { 0.0 }),
            tokens: if answered { self.tokens } else { 0 },
            calls: if was_sent(&error.kind) { self.calls } else { 0 },
        }
    }
}

impl Charge {
    /// Returns it as what is to be counted.
    pub(super) fn expense(self) -> Expense {
        Expense {
            usd: self.usd.unwrap_or(0.0),
            calls: self.calls,
            tokens: self.tokens,
        }
    }
}

/// Returns what a call used that was answered.
pub(super) fn expense(settings: &ModelSettings, reply: &Reply) -> Expense {
    if reply.cached {
        return Expense::default();
    }
    Expense {
        usd: settings.cost_usd(reply).unwrap_or(0.0),
        calls: 1,
        tokens: (reply.usage.input_tokens).saturating_add(reply.usage.output_tokens),
    }
}

/// Says whether a server may have worked, and so may charge, before the call failed.
fn was_answered(kind: &CallErrorKind) -> bool {
    match kind {
        CallErrorKind::Deadline { .. }
        | CallErrorKind::Stalled { .. }
        | CallErrorKind::BrokenStream
        | CallErrorKind::NoFinishReason
        | CallErrorKind::ErrorInStream
        | CallErrorKind::BadReply
        | CallErrorKind::TooLarge { .. }
        | CallErrorKind::Cancelled
        | CallErrorKind::ContentFilter => true,
        CallErrorKind::Status(_)
        | CallErrorKind::RateLimited { .. }
        | CallErrorKind::Busy { .. }
        | CallErrorKind::Quota
        | CallErrorKind::Auth
        | CallErrorKind::ContextLength
        | CallErrorKind::LimitRefused
        | CallErrorKind::Connect
        | CallErrorKind::Unreachable
        | CallErrorKind::SimulatedFailure
        | CallErrorKind::NotRecorded
        | CallErrorKind::RecordingMismatch => false,
    }
}

/// Says whether a request reached a server before the call failed.
fn was_sent(kind: &CallErrorKind) -> bool {
    match kind {
        CallErrorKind::Connect
        | CallErrorKind::Unreachable
        | CallErrorKind::NotRecorded
        | CallErrorKind::RecordingMismatch => false,
        CallErrorKind::Deadline { .. }
        | CallErrorKind::Stalled { .. }
        | CallErrorKind::BrokenStream
        | CallErrorKind::NoFinishReason
        | CallErrorKind::ErrorInStream
        | CallErrorKind::BadReply
        | CallErrorKind::TooLarge { .. }
        | CallErrorKind::Cancelled
        | CallErrorKind::ContentFilter
        | CallErrorKind::Status(_)
        | CallErrorKind::RateLimited { .. }
        | CallErrorKind::Busy { .. }
        | CallErrorKind::Quota
        | CallErrorKind::Auth
        | CallErrorKind::ContextLength
        | CallErrorKind::LimitRefused
        | CallErrorKind::SimulatedFailure => true,
    }
}
