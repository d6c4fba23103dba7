//! Pasted text, collected whole and bounded; it never becomes keys.

use crate::input::{Input, Paste};
use ratatui::crossterm::event::{Event, KeyCode, KeyModifiers};

/// The most of a pasted text that is kept.
pub const PASTE_LIMIT_BYTES: usize = 4 * 1024 * 1024;

/// End of a pasted text (xterm control sequences, "Bracketed Paste Mode").
const END: &[u8] = b"\x1b[201~";
/// Waits without input after which the end counts as lost: else every key would be swallowed.
const MAX_PAUSES: u32 = 20;
const CTRL_C: u8 = 0x03;

/// Bytes that come at once before they can be a text that was pasted without brackets.
const MIN_BURST_BYTES: usize = 8;
/// Characters on both sides of a line's end in such a text: a person who types ahead while a link stands still sends
/// an Enter between single keys.
const MIN_LINE_CHARS: usize = 2;

/// Says whether bytes that came at once are enough for a text of several lines.
pub(super) fn may_be_lines(bytes: &[u8]) -> bool {
    bytes.len() >= MIN_BURST_BYTES && bytes.iter().any(|byte| matches!(byte, b'\r' | b'\n'))
}

/// Says whether bytes that came at once, which would be these inputs, are a text of several lines that a terminal
/// pasted without brackets: as keys they would send what is typed, and be commands. A control byte is part of it, as
/// it is in a paste with brackets; a key that no text has, as an arrow, was pressed by a person.
pub(super) fn is_unbracketed_paste(inputs: &[Input]) -> bool {
    let mut chars = vec![0];
    for input in inputs {
        let Input::Event(Event::Key(key)) = input else {
            return false;
        };
        match (key.code, key.modifiers) {
            (KeyCode::Enter, _) | (KeyCode::Char('j'), KeyModifiers::CONTROL) => chars.push(0),
            (KeyCode::Char(_), KeyModifiers::NONE) => *chars.last_mut().unwrap_or(&mut 0) += 1,
            (KeyCode::Char(_) | KeyCode::Tab | KeyCode::Backspace | KeyCode::Esc, _) => {}
            _ => return false,
        }
    }
    chars
        .iter()
        .filter(|&&count| count >= MIN_LINE_CHARS)
        .count()
        > 1
}

#[derive(Debug, Default)]
pub(super) struct PasteText {
    bytes: Vec<u8>,
    dropped_bytes: u64,
    /// Bytes of the end seen so far.
    matched: usize,
    /// For how many waits nothing has come.
    pauses: u32,
}

/// Effect of a byte of a pasted text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PasteByteEffect {
    Text,
    End,
    /// A person's Ctrl-C in the middle: the end was lost, or they do not want to wait for it.
    Interrupt,
}

impl PasteText {
    /// Takes a byte.
    ///
    /// A Ctrl-C is a person's only after a pause: one that comes in the flow is part of the text, and
    /// what follows it must not be taken for keys.
    pub fn add_byte(&mut self, byte: u8) -> PasteByteEffect {
        let after_pause = std::mem::take(&mut self.pauses) > 0;
        if byte == CTRL_C && after_pause {
            return PasteByteEffect::Interrupt;
        }
        if END.get(self.matched) == Some(&byte) {
            self.matched += 1;
            return if self.matched < END.len() {
                PasteByteEffect::Text
            } else {
                PasteByteEffect::End
            };
        }
        // Only its first byte could begin the end again, and no other byte of it is the same.
        for &seen in END.get(..self.matched).unwrap_or_default() {
            self.keep_byte(seen);
        }
        self.matched = usize::from(END.first() == Some(&byte));
        if self.matched == 0 {
            self.keep_byte(byte);
        }
        PasteByteEffect::Text
    }

    /// Takes a byte of a text without brackets.
    pub fn add_text(&mut self, byte: u8) {
        self.keep_byte(byte);
    }

    /// Takes it that nothing came for a while; says whether it is still waited for.
    pub fn record_pause(&mut self) -> bool {
        self.pauses += 1;
        self.pauses < MAX_PAUSES
    }

    /// Returns the text with lines that end as ours do; terminals send a carriage return for each end.
    pub fn into_paste(mut self) -> Paste {
        if self.dropped_bytes > 0 {
            // A character that the limit cut in two goes as a whole.
            let whole = match std::str::from_utf8(&self.bytes) {
                Err(error) if error.error_len().is_none() => error.valid_up_to(),
                _ => self.bytes.len(),
            };
            self.dropped_bytes += (self.bytes.len() - whole) as u64;
            self.bytes.truncate(whole);
        }
        let text = String::from_utf8_lossy(&self.bytes);
        Paste {
            text: text.replace("\r\n", "\n").replace('\r', "\n"),
            dropped_bytes: self.dropped_bytes,
        }
    }

    fn keep_byte(&mut self, byte: u8) {
        if self.bytes.len() < PASTE_LIMIT_BYTES {
            self.bytes.push(byte);
        } else {
            self.dropped_bytes += 1;
        }
    }
}
