//! Step in flight: its worst case, and the token that cancels it.

use tokio_util::sync::CancellationToken;

/// A step that was started, and what it may cost.
pub(crate) struct Running {
    pub usd: f64,
    pub tokens: u64,
    pub is_call: bool,
    /// Whether the state counts its worst case already: then it was sent.
    pub is_sent: bool,
    /// Ends this call alone.
    pub cancel: CancellationToken,
}
