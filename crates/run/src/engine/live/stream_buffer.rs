//! Buffer of a streamed reply: text that the receiver has not taken yet, one buffer a call.

use super::messages::{DeltaKind, LiveEvent};
use elenchus_game::debate::SessionId;
use elenchus_game::debate::step::StepId;
use elenchus_model::{CallError, Delta};
use std::fmt;
use std::ops::Deref;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::mpsc::UnboundedSender;

/// A piece of a reply. Dropping it says that it was taken: what came meanwhile follows.
pub struct StreamText {
    text: String,
    stream: Arc<StreamBuffer>,
}

/// Streamed text of one call: at most one text is on its way to the receiver.
pub(crate) struct StreamBuffer {
    session: SessionId,
    step: StepId,
    events: UnboundedSender<(SessionId, LiveEvent)>,
    state: Mutex<BufferState>,
}

#[derive(Default)]
struct BufferState {
    thinking: String,
    public: String,
    /// A piece was sent and is not taken yet.
    on_its_way: bool,
    /// The call is over: its record says everything.
    is_over: bool,
}

impl StreamBuffer {
    pub(crate) fn new(
        session: SessionId,
        step: StepId,
        events: UnboundedSender<(SessionId, LiveEvent)>,
    ) -> Arc<Self> {
        Arc::new(Self {
            session,
            step,
            events,
            state: Mutex::default(),
        })
    }

    /// Takes what came.
    pub(crate) fn push_delta(self: &Arc<Self>, delta: Delta<'_>) {
        let unsent = {
            let mut state = self.lock_state();
            match delta {
                Delta::Public(text) => state.public.push_str(text),
                Delta::Thinking(text) => state.thinking.push_str(text),
                Delta::PublicWasThinking => {
                    let public = std::mem::take(&mut state.public);
                    state.thinking.push_str(&public);
                    let step = self.step.clone();
                    self.send_event(LiveEvent::WasThinking { step });
                }
            }
            self.send_waiting(&mut state)
        };
        drop(unsent);
    }

    /// Says that the pieces so far are void.
    pub(crate) fn discard_text(&self, why: &CallError, wait_ms: u64) {
        let mut state = self.lock_state();
        state.public.clear();
        state.thinking.clear();
        self.send_event(LiveEvent::Void {
            step: self.step.clone(),
            why: why.to_string(),
            wait_ms,
        });
    }

    /// Sends no more pieces.
    pub(crate) fn end_stream(&self) {
        self.lock_state().is_over = true;
    }

    fn send_next(self: &Arc<Self>) {
        let unsent = {
            let mut state = self.lock_state();
            state.on_its_way = false;
            self.send_waiting(&mut state)
        };
        drop(unsent);
    }

    /// Sends what waits, under the lock: a piece never follows the word that it is void. Returns
    /// text without a receiver; dropping it calls back into this buffer, so the lock must be free by then.
    fn send_waiting(self: &Arc<Self>, state: &mut BufferState) -> Option<(SessionId, LiveEvent)> {
        if state.on_its_way || state.is_over {
            return None;
        }
        // Reasoning comes before what it leads to.
        let (kind, text) = if state.thinking.is_empty() {
            (DeltaKind::Public, std::mem::take(&mut state.public))
        } else {
            (DeltaKind::Thinking, std::mem::take(&mut state.thinking))
        };
        if text.is_empty() {
            return None;
        }
        state.on_its_way = true;
        let delta = LiveEvent::Delta {
            step: self.step.clone(),
            kind,
            text: StreamText {
                text,
                stream: Arc::clone(self),
            },
        };
        let unsent = self.events.send((self.session.clone(), delta)).err()?;
        state.is_over = true;
        Some(unsent.0)
    }

    fn send_event(&self, event: LiveEvent) {
        // The receiver may have been dropped; ignore the send error.
        let _ = self.events.send((self.session.clone(), event));
    }

    fn lock_state(&self) -> MutexGuard<'_, BufferState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Deref for StreamText {
    type Target = str;

    fn deref(&self) -> &str {
        &self.text
    }
}

impl fmt::Debug for StreamText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.text, f)
    }
}

impl Drop for StreamText {
    fn drop(&mut self) {
        self.stream.send_next();
    }
}
