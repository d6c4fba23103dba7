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
    tell: UnboundedSender<(SessionId, LiveEvent)>,
    held: Mutex<Held>,
}

#[derive(Default)]
struct Held {
    thinking: String,
    public: String,
    /// A piece was sent and is not taken yet.
    on_its_way: bool,
    /// The call is over: its record says everything.
    over: bool,
}

impl StreamBuffer {
    pub(crate) fn new(
        session: SessionId,
        step: StepId,
        tell: UnboundedSender<(SessionId, LiveEvent)>,
    ) -> Arc<Self> {
        Arc::new(Self {
            session,
            step,
            tell,
            held: Mutex::default(),
        })
    }

    /// Takes what came.
    pub(crate) fn push_delta(self: &Arc<Self>, delta: Delta<'_>) {
        let unsent = {
            let mut held = self.held();
            match delta {
                Delta::Public(text) => held.public.push_str(text),
                Delta::Thinking(text) => held.thinking.push_str(text),
                Delta::PublicWasThinking => {
                    let public = std::mem::take(&mut held.public);
                    held.thinking.push_str(&public);
                    let step = self.step.clone();
                    self.send_event(LiveEvent::WasThinking { step });
                }
            }
            self.send_on(&mut held)
        };
        drop(unsent);
    }

    /// Says that the pieces so far are void.
    pub(crate) fn void(&self, why: &CallError, wait_ms: u64) {
        let mut held = self.held();
        held.public.clear();
        held.thinking.clear();
        self.send_event(LiveEvent::Void {
            step: self.step.clone(),
            why: why.to_string(),
            wait_ms,
        });
    }

    /// Sends no more pieces.
    pub(crate) fn end(&self) {
        self.held().over = true;
    }

    fn taken(self: &Arc<Self>) {
        let unsent = {
            let mut held = self.held();
            held.on_its_way = false;
            self.send_on(&mut held)
        };
        drop(unsent);
    }

    /// Sends what waits, under the lock: a piece never follows the word that it is void. Returns
    /// text without a receiver; dropping it calls back into this buffer, so the lock must be free by then.
    fn send_on(self: &Arc<Self>, held: &mut Held) -> Option<(SessionId, LiveEvent)> {
        if held.on_its_way || held.over {
            return None;
        }
        // Reasoning comes before what it leads to.
        let (kind, text) = if held.thinking.is_empty() {
            (DeltaKind::Public, std::mem::take(&mut held.public))
        } else {
            (DeltaKind::Thinking, std::mem::take(&mut held.thinking))
        };
        if text.is_empty() {
            return None;
        }
        held.on_its_way = true;
        let delta = LiveEvent::Delta {
            step: self.step.clone(),
            kind,
            text: StreamText {
                text,
                stream: Arc::clone(self),
            },
        };
        let unsent = self.tell.send((self.session.clone(), delta)).err()?;
        held.over = true;
        Some(unsent.0)
    }

    fn send_event(&self, event: LiveEvent) {
        // The receiver may have been dropped; ignore the send error.
        let _ = self.tell.send((self.session.clone(), event));
    }

    fn held(&self) -> MutexGuard<'_, Held> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
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
        self.stream.taken();
    }
}
