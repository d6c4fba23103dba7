//! Reply that is coming, as it is shown next to attempts: the end of its text, and what is said
//! of it.

use super::event_group::CallProgress;
use super::messages::DeltaKind;

/// The most of a coming reply that is kept: only its end is shown.
const MAX_BYTES: usize = 16 * 1024;

/// A reply that is coming.
#[derive(Debug, Default)]
pub struct ComingReply {
    pub text: String,
    /// Characters of private reasoning.
    pub thinking: usize,
    pub note: Option<String>,
}

impl ComingReply {
    /// Takes progress of its call; the end is for whoever keeps the replies.
    pub fn apply_progress(&mut self, progress: CallProgress<'_>) {
        match progress {
            CallProgress::Began => *self = Self::default(),
            CallProgress::Delta(kind, text) => {
                self.note = None;
                match kind {
                    DeltaKind::Public => self.push_text(text),
                    DeltaKind::Thinking => self.thinking += text.chars().count(),
                }
            }
            CallProgress::WasThinking => {
                self.thinking += self.text.chars().count();
                self.text.clear();
            }
            CallProgress::Void { why } => {
                *self = Self {
                    note: Some(format!("trying again: {why}")),
                    ..Self::default()
                };
            }
            CallProgress::Ended => {}
        }
    }

    fn push_text(&mut self, text: &str) {
        self.text.push_str(text);
        if self.text.len() > 2 * MAX_BYTES {
            let from = self.text.len() - MAX_BYTES;
            let from = self.text.ceil_char_boundary(from);
            self.text.drain(..from);
        }
    }
}
