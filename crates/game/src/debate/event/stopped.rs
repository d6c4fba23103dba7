//! Stopped reply: the words that came of a reply that ended before it was whole.

use super::Usage;
use crate::debate::step::StepId;
use serde::{Deserialize, Serialize};

/// A reply that ended before it was whole.
///
/// It is no attempt: it takes no index, is never chosen, judged or shown to a seat, and its step
/// stays open.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Stopped {
    /// The step of the call: a turn, a re-roll, a verdict, a guardrail decision or the lesson.
    pub step: StepId,
    pub reason: StopReason,
    /// Public text, as far as it came.
    pub text: String,
    /// Private reasoning, as far as it came.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thinking: Option<String>,
    /// As reported by the server before the reply ended; absent where it reported none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// Cost of the reported usage, else the worst case; absent where the model has no prices.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub may_have_cost_usd: Option<f64>,
    /// Reported tokens, else the worst case.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub may_have_used_tokens: Option<u64>,
}

/// Reason why a reply ended before it was whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StopReason {
    /// A person stopped the call, took the seat over, or ended the program.
    Person,
    ConnectionLost,
    /// The stream ended without a finish reason, or with an error.
    StreamCut,
    /// The server went silent, or the call took longer than its deadline.
    TimedOut,
    /// The provider's filter ended the reply.
    Filtered,
    /// The process ended while the reply came, found by the next process that opened the session.
    Killed,
}

impl StopReason {
    /// Returns whether this event is the outcome of its call and counts its cost. Otherwise the
    /// `call_retried` or `failed` event that follows counts it.
    pub fn ends_call(self) -> bool {
        match self {
            StopReason::Person | StopReason::Killed => true,
            StopReason::ConnectionLost
            | StopReason::StreamCut
            | StopReason::TimedOut
            | StopReason::Filtered => false,
        }
    }

    /// Returns the reason in words, as in "stopped: the connection was lost".
    pub fn describe(self) -> &'static str {
        match self {
            StopReason::Person => "a person stopped it",
            StopReason::ConnectionLost => "the connection was lost",
            StopReason::StreamCut => "the stream was cut",
            StopReason::TimedOut => "the server took too long",
            StopReason::Filtered => "the provider's filter ended it",
            StopReason::Killed => "the process ended",
        }
    }
}
