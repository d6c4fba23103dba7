//! Worst case of a call, and the cost of a failed try that returned nothing.

use crate::debate::Expense;
use crate::model::{CallError, CallErrorKind, ModelSettings, Reply, Request};

/// The most that one try of a call can use.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct WorstCase {
    /// In US dollars; none if the model is unpriced.
    pub usd: Option<f64>,
    pub tokens: u64,
    /// One, or none where the reply is cached.
    pub calls: u64,
}

/// Possible use of a try that failed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct FailedCallCost {
    /// In US dollars: 0 where the server turned it away, none if the model is unpriced.
    pub usd: Option<f64>,
    /// 0 where the server turned it away.
    pub tokens: u64,
    /// One, or none where nothing reached a server.
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
    pub(crate) fn for_request(settings: &ModelSettings, request: &Request) -> Self {
        Self {
            usd: settings.worst_case_usd(request),
            tokens: settings.worst_case_tokens(request),
            calls: 1,
        }
    }

    /// Returns the amount to reserve; an unknown price counts as 0.
    pub(crate) fn expense(self) -> Expense {
        Expense {
            usd: self.usd.unwrap_or(0.0),
            calls: self.calls,
            tokens: self.tokens,
        }
    }

    /// Returns the part of it that a failed try may have used.
    pub(crate) fn charge(self, error: &CallError) -> FailedCallCost {
        let answered = was_answered(&error.kind);
        FailedCallCost {
            usd: self.usd.map(|usd| if answered { usd } else { 0.0 }),
            tokens: if answered { self.tokens } else { 0 },
            calls: if was_sent(&error.kind) { self.calls } else { 0 },
        }
    }
}

impl FailedCallCost {
    /// Returns the amount to count.
    pub(crate) fn expense(self) -> Expense {
        Expense {
            usd: self.usd.unwrap_or(0.0),
            calls: self.calls,
            tokens: self.tokens,
        }
    }
}

/// Returns the use of an answered call.
pub(crate) fn expense(settings: &ModelSettings, reply: &Reply) -> Expense {
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
