//! Prompts tried on recorded turns, and compared.

use super::Hands;
use crate::tui::app::TryDeed;

impl Hands {
    pub(super) fn try_out(&mut self, deed: TryDeed) {
        match deed {}
    }
}
