//! The text of a reply while it arrives: what nobody has taken yet waits in one place a call.

use super::tiding::{DeltaKind, Tiding};
use crate::debate::SessionId;
use crate::debate::step::StepId;
use crate::model::{CallError, Delta};
use std::fmt;
use std::ops::Deref;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::mpsc::UnboundedSender;

/// A piece of a reply. Dropping it says that it was taken: what came meanwhile follows.
pub struct Piece {
    text: String,
    pieces: Arc<Pieces>,
}

/// What one call says while it goes on: at most one piece is on its way.
pub(in crate::driver) struct Pieces {
    session: SessionId,
    step: StepId,
    tell: UnboundedSender<(SessionId, Tiding)>,
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

impl Pieces {
    pub(in crate::driver) fn new(
        session: SessionId,
        step: StepId,
        tell: UnboundedSender<(SessionId, Tiding)>,
    ) -> Arc<Self> {
        Arc::new(Self {
            session,
            step,
            tell,
            held: Mutex::default(),
        })
    }

    /// Takes what came.
    pub(in crate::driver) fn came(self: &Arc<Self>, delta: Delta<'_>) {
        let unsent = {
            let mut held = self.held();
            match delta {
                Delta::Public(text) => held.public.push_str(text),
                Delta::Thinking(text) => held.thinking.push_str(text),
                Delta::PublicWasThinking => {
                    let public = std::mem::take(&mut held.public);
                    held.thinking.push_str(&public);
                    let step = self.step.clone();
                    self.say(Tiding::WasThinking { step });
                }
            }
            self.send_on(&mut held)
        };
        drop(unsent);
    }

    /// Says that the pieces so far are void.
    pub(in crate::driver) fn void(&self, why: &CallError, wait_ms: u64) {
        let mut held = self.held();
        held.public.clear();
        held.thinking.clear();
        self.say(Tiding::Void {
            step: self.step.clone(),
            why: why.to_string(),
            wait_ms,
        });
    }

    /// Sends no more pieces.
    pub(in crate::driver) fn end(&self) {
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
    /// what nobody wanted; dropping it comes back here, so the lock must be free by then.
    fn send_on(self: &Arc<Self>, held: &mut Held) -> Option<(SessionId, Tiding)> {
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
        let delta = Tiding::Delta {
            step: self.step.clone(),
            kind,
            text: Piece {
                text,
                pieces: Arc::clone(self),
            },
        };
        let unsent = self.tell.send((self.session.clone(), delta)).err()?;
        held.over = true;
        Some(unsent.0)
    }

    fn say(&self, tiding: Tiding) {
        // Whoever listens no longer needs not be told.
        let _ = self.tell.send((self.session.clone(), tiding));
    }

    fn held(&self) -> MutexGuard<'_, Held> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Deref for Piece {
    type Target = str;

    fn deref(&self) -> &str {
        &self.text
    }
}

impl fmt::Debug for Piece {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.text, f)
    }
}

impl Drop for Piece {
    fn drop(&mut self) {
        self.pieces.taken();
    }
}
