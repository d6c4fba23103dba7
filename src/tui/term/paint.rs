//! What differs between two screens, as few bytes. Writes nothing and knows no terminal.

use super::guess::Depth;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

/// Keeps the screen that is shown and tells how to make it another.
#[derive(Debug)]
pub struct Painter {
    depth: Depth,
    shown: Buffer,
    next: Buffer,
}

impl Painter {
    /// A painter whose terminal shows something unknown.
    pub fn new(depth: Depth) -> Self {
        Self {
            depth,
            shown: Buffer::empty(Rect::ZERO),
            next: Buffer::empty(Rect::ZERO),
        }
    }

    /// Takes it that the terminal shows something unknown.
    pub fn forget(&mut self) {}

    /// Has a screen drawn and returns the bytes that show it; none where it is shown already.
    pub fn paint(
        &mut self,
        area: Rect,
        draw: impl FnOnce(&mut Buffer) -> Option<Position>,
    ) -> Vec<u8> {
        self.next.resize(area);
        self.next.reset();
        let _cursor = draw(&mut self.next);
        std::mem::swap(&mut self.shown, &mut self.next);
        Vec::new()
    }
}
