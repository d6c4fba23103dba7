//! A pasted text on its way: whole, bounded, and never keys.

use crate::tui::input::Paste;

/// The most of a pasted text that is kept.
pub const PASTE_LIMIT_BYTES: usize = 4 * 1024 * 1024;

/// What ends a pasted text (xterm control sequences, "Bracketed Paste Mode").
const END: &[u8] = b"\x1b[201~";
/// A terminal that loses the end would swallow every key: so many Ctrl-C in a row end it as well.
const WAY_OUT: usize = 3;
const CTRL_C: u8 = 0x03;

#[derive(Debug, Default)]
pub(super) struct PasteText {
    kept: Vec<u8>,
    dropped_bytes: u64,
    /// How much of the end has been seen.
    matched: usize,
    interrupts: usize,
}

impl PasteText {
    /// Takes a byte; says whether more are to come.
    pub fn takes(&mut self, byte: u8) -> bool {
        self.interrupts = if byte == CTRL_C {
            self.interrupts + 1
        } else {
            0
        };
        if self.interrupts == WAY_OUT {
            return false;
        }
        if END.get(self.matched) == Some(&byte) {
            self.matched += 1;
            return self.matched < END.len();
        }
        // Only its first byte could begin the end anew, and no other byte of it is the same.
        for &seen in END.get(..self.matched).unwrap_or_default() {
            self.keep(seen);
        }
        self.matched = usize::from(END.first() == Some(&byte));
        if self.matched == 0 {
            self.keep(byte);
        }
        true
    }

    /// Returns the text with lines that end as ours do; terminals send a carriage return for each end.
    pub fn finish(mut self) -> Paste {
        if self.dropped_bytes > 0 {
            // A character that the limit cut in two goes as a whole.
            let whole = match std::str::from_utf8(&self.kept) {
                Err(error) if error.error_len().is_none() => error.valid_up_to(),
                _ => self.kept.len(),
            };
            self.dropped_bytes += (self.kept.len() - whole) as u64;
            self.kept.truncate(whole);
        }
        if self.interrupts == WAY_OUT {
            while self.kept.pop_if(|last| *last == CTRL_C).is_some() {}
        }
        let text = String::from_utf8_lossy(&self.kept);
        Paste {
            text: text.replace("\r\n", "\n").replace('\r', "\n"),
            dropped_bytes: self.dropped_bytes,
        }
    }

    fn keep(&mut self, byte: u8) {
        if self.kept.len() < PASTE_LIMIT_BYTES {
            self.kept.push(byte);
        } else {
            self.dropped_bytes += 1;
        }
    }
}
