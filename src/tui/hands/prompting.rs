//! Templates: listed, read, rendered, saved.

use super::Hands;
use crate::tui::app::PromptDeed;

impl Hands {
    pub(super) fn prompt(&mut self, deed: PromptDeed) {
        match deed {}
    }
}
