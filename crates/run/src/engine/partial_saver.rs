//! Words of a reply that is still coming, saved to a side file at most once a second.

use elenchus_game::debate::event::{StopReason, Usage};
use elenchus_model::{CallError, CallErrorKind, Delta};
use elenchus_records::workspace::{PartialReply, PartialWriter};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::Notify;
use tokio::time::sleep;

/// The longest time for which words are nowhere but in memory. A reply that takes less is never
/// written to a side file.
const SAVE_INTERVAL: Duration = Duration::from_secs(1);

/// The words of one call, and their side file.
pub(crate) struct PartialSaver {
    words: Mutex<Words>,
    /// Words came after all earlier ones were saved.
    changed: Notify,
}

struct Words {
    now: PartialReply,
    /// `None` where words are not saved, because that failed.
    writer: Option<PartialWriter>,
    is_changed: bool,
}

impl PartialSaver {
    pub(crate) fn new(writer: Option<PartialWriter>) -> Self {
        Self {
            words: Mutex::new(Words {
                now: PartialReply::default(),
                writer,
                is_changed: false,
            }),
            changed: Notify::new(),
        }
    }

    /// Takes what came.
    pub(crate) fn push_delta(&self, delta: Delta<'_>) {
        let mut words = self.lock_words();
        match delta {
            Delta::Public(text) => words.now.text.push_str(text),
            Delta::Thinking(text) => words.now.thinking.push_str(text),
            Delta::PublicWasThinking => {
                let public = std::mem::take(&mut words.now.text);
                words.now.thinking.push_str(&public);
            }
        }
        // A wake-up a second, not one a token.
        if !std::mem::replace(&mut words.is_changed, true) {
            self.changed.notify_one();
        }
    }

    /// Takes the usage that the server reported so far, and its cost.
    pub(crate) fn set_usage(&self, usage: Usage, cost_usd: Option<f64>) {
        let mut words = self.lock_words();
        words.now.usage = Some(usage);
        words.now.cost_usd = cost_usd;
    }

    /// Takes the words out: the try or the call is over.
    pub(crate) fn take_words(&self) -> PartialReply {
        std::mem::take(&mut self.lock_words().now)
    }

    /// Performs a call, and saves its words while they come.
    pub(crate) async fn save_during<T>(&self, call: impl Future<Output = T>) -> T {
        tokio::pin!(call);
        loop {
            tokio::select! {
                biased;
                result = &mut call => return result,
                () = self.wait_until_due() => self.save_words(),
            }
        }
    }

    async fn wait_until_due(&self) {
        self.changed.notified().await;
        sleep(SAVE_INTERVAL).await;
    }

    /// Brings the side file to the words so far.
    pub(crate) fn save_words(&self) {
        let mut words = self.lock_words();
        let Words {
            now,
            writer,
            is_changed,
        } = &mut *words;
        *is_changed = false;
        if let Some(file) = writer
            && let Err(error) = file.save(now)
        {
            // The call is worth more than a copy of its words.
            tracing::warn!(%error, "the words of a reply are not saved while they come");
            *writer = None;
        }
    }

    /// Removes the side file: the outcome of the call is in the journal.
    pub(crate) fn remove_file(&self) {
        if let Some(writer) = &mut self.lock_words().writer {
            writer.remove_file();
        }
    }

    fn lock_words(&self) -> MutexGuard<'_, Words> {
        self.words.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns why a reply ended whose words had begun to come.
pub(crate) fn stop_reason(error: &CallError) -> StopReason {
    match error.kind {
        CallErrorKind::Cancelled => StopReason::Person,
        CallErrorKind::BrokenStream | CallErrorKind::Connect | CallErrorKind::Unreachable => {
            StopReason::ConnectionLost
        }
        CallErrorKind::Stalled { .. } | CallErrorKind::Deadline { .. } => StopReason::TimedOut,
        CallErrorKind::ContentFilter => StopReason::Filtered,
        CallErrorKind::NoFinishReason
        | CallErrorKind::ErrorInStream
        | CallErrorKind::BadReply
        | CallErrorKind::TooLarge { .. }
        | CallErrorKind::Status(_)
        | CallErrorKind::RateLimited { .. }
        | CallErrorKind::Busy { .. }
        | CallErrorKind::Quota
        | CallErrorKind::Auth
        | CallErrorKind::ContextLength
        | CallErrorKind::LimitRefused
        | CallErrorKind::BatchFailed
        | CallErrorKind::SimulatedFailure
        | CallErrorKind::NotRecorded
        | CallErrorKind::RecordingMismatch => StopReason::StreamCut,
    }
}
