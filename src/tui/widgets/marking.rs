//! Marking of differences, by what the terminal can show.

use crate::exchange::word_diff::Marking;
use crate::tui::theme::{Depth, Look};

impl Marking {
    /// Returns the marking for this terminal.
    pub fn on(look: &Look) -> Self {
        match look.depth() {
            Depth::TrueColour | Depth::Indexed256 | Depth::Sixteen => Marking::Look,
            Depth::None => Marking::Signs,
        }
    }
}
