//! Replies that tries were given, served again to the same request. Runs never use it.

use super::tries::Repeats;
use crate::model::{LookupReply, Reply, SaveReply};
use crate::store::{KeptFiles, KeptLimits, Layout};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// What is kept at most: beyond it the oldest go.
const LIMITS: KeptLimits = KeptLimits {
    files: 20_000,
    bytes: 256 << 20,
};
/// The form of what is kept; another is as if it were not there.
const FORM: u32 = 1;

/// Replies by request, sample and server, in the store of tries.
#[derive(Debug, Clone)]
pub struct ReplyCache {
    files: Arc<KeptFiles>,
    repeats: Repeats,
}

#[derive(Serialize, Deserialize)]
struct Kept {
    form: u32,
    reply: Reply,
}

impl ReplyCache {
    /// Names the cache of a store; touches nothing.
    pub fn of(layout: &Layout, repeats: Repeats) -> Self {
        Self {
            files: Arc::new(KeptFiles::new(layout.tries().replies(), LIMITS)),
            repeats,
        }
    }

    /// Returns how a model finds replies; where everything is asked anew there are none.
    pub(super) fn lookup(&self) -> LookupReply {
        let files = Arc::clone(&self.files);
        match self.repeats {
            Repeats::Serve => Arc::new(move |key: &str| {
                let kept: Kept = serde_json::from_slice(&files.get(key)?).ok()?;
                (kept.form == FORM).then_some(kept.reply)
            }),
            Repeats::AskAnew => Arc::new(|_: &str| None),
        }
    }

    /// Returns how a model keeps replies: the last one counts.
    pub(super) fn save(&self) -> SaveReply {
        let files = Arc::clone(&self.files);
        Arc::new(move |key: &str, reply: &Reply| {
            let kept = Kept {
                form: FORM,
                reply: reply.clone(),
            };
            let Ok(bytes) = serde_json::to_vec(&kept) else {
                return;
            };
            if let Err(error) = files.put(key, &bytes) {
                // The reply is there; asking again would cost money, nothing else.
                tracing::warn!(%error, "a reply was not kept for later tries");
            }
        })
    }
}
