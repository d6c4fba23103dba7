//! Bytes and passing time in, inputs out. Reads nothing and knows no clock.

use crate::tui::input::Input;

/// The most of a pasted text that is kept.
pub const PASTE_LIMIT_BYTES: usize = 4 * 1024 * 1024;

/// What the decoder waits for; how long is the reader's business.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Waiting {
    /// Whether a bare Esc begins a sequence.
    Escape,
    /// Whether the tail of a torn sequence follows an Esc that was told already.
    Tail,
    /// The rest of a sequence that has begun.
    Rest,
}

/// Tells keys and pasted texts from bytes, however they are cut into pieces.
#[derive(Debug, Default)]
pub struct Decoder {}

impl Decoder {
    /// A decoder that has seen nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes bytes that arrived and tells the inputs they complete.
    pub fn feed(&mut self, _bytes: &[u8], _inputs: &mut Vec<Input>) {}

    /// Takes it that nothing came for as long as [`Decoder::waiting`] may last.
    pub fn nothing_came(&mut self, _inputs: &mut Vec<Input>) {}

    /// Returns what it waits for; `None` while time means nothing.
    pub fn waiting(&self) -> Option<Waiting> {
        None
    }
}
