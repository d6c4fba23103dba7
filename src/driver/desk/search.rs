//! Text over all sessions: what was said, found, learned and noted. Case does not matter.

use crate::debate::{AttemptId, JudgingId, SessionId, Target};
use crate::store::Layout;
use std::ops::Range;
use tokio::sync::mpsc;

/// A place where the text stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hit {
    pub session: SessionId,
    pub place: Place,
    /// One line around the text, control characters turned into blanks.
    pub excerpt: String,
    /// Where in the excerpt the text stands, in bytes.
    pub span: Range<usize>,
}

/// What of a session holds a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    Topic,
    /// The attempt that counts.
    Chosen(AttemptId),
    /// An attempt that was passed over.
    Other(AttemptId),
    /// A verdict's reasons, or the judge's whole reply.
    Verdict {
        judging: JudgingId,
        target: Target,
    },
    Lesson,
    /// A note in somebody's margin, on an attempt or on the debate.
    Note {
        annotator: String,
        attempt: Option<AttemptId>,
    },
}

/// A search that goes on in the background; dropping it stops that.
#[derive(Debug)]
pub struct Search {
    hits: mpsc::Receiver<Hit>,
}

impl Search {
    /// Begins to look for a text in every session, the newest first.
    ///
    /// # Errors
    /// When the sessions cannot be listed, or the system gives no thread.
    pub fn start(layout: &Layout, text: &str) -> Result<Self, super::super::DriverError> {
        let _ = (layout, text);
        todo!()
    }

    /// Returns the next place; `None` when everything was looked at or too much was found.
    pub async fn next(&mut self) -> Option<Hit> {
        self.hits.recv().await
    }
}
