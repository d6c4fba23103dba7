//! Torn tails: decides whether broken bytes at the end of a journal were ever acknowledged.

use super::{Hash, heads::HeadFile};

/// Types of events that are written without a sync of their own: such a line on the disk says
/// nothing about the lines before it. Every other event is acknowledged, and with it every line
/// before.
///
/// These are calls in flight, and beginnings of journals whose next line is synced. This is the
/// only list; [`JournalWriter::append_without_sync`](super::JournalWriter::append_without_sync) refers to
/// it.
const UNSYNCED: [&str; 7] = [
    "call_started",
    "call_retried",
    "derivation_started",
    "trial_begun",
    "defined",
    "begun",
    "planned",
];

/// The bytes between the first broken line and the end of a file.
#[derive(Debug, Clone, Copy)]
pub(super) struct TornTail {
    /// Start of the broken line.
    from_bytes: u64,
    pub(super) bytes: u64,
    /// Whether the broken line holds a zero byte: JSON never does, but a disk after a power cut
    /// may.
    has_zeros: bool,
    /// Whether a complete line among them was acknowledged when it was written.
    has_synced: bool,
}

impl TornTail {
    /// Returns the tail that consists of one complete line, given without its newline, at
    /// `from_bytes`.
    pub(super) fn from_line(
        from_bytes: u64,
        line: &[u8],
        parsed: &Result<(Hash, String), String>,
    ) -> Self {
        Self {
            from_bytes,
            bytes: line.len() as u64 + 1,
            has_zeros: line.contains(&0),
            has_synced: (parsed.as_ref()).is_ok_and(|(_, kind)| !UNSYNCED.contains(&kind.as_str())),
        }
    }

    /// Adds the bytes that follow.
    pub(super) fn add_line(&mut self, next: Self) {
        self.bytes += next.bytes;
        self.has_synced |= next.has_synced;
    }

    /// Adds bytes at the end of the file that make no line.
    pub(super) fn add_incomplete(&mut self, bytes: u64) {
        self.bytes += bytes;
    }

    /// Returns whether no line of the tail was ever acknowledged, so that it can be left out.
    pub(super) fn is_tail(&self, mark: Option<&HeadFile>) -> bool {
        match mark {
            Some(mark) if self.from_bytes < mark.head.bytes => false,
            Some(mark) => mark.rest_lost || !self.has_synced,
            // Its length is not recorded: only bytes that cannot have been written count as a tail.
            None => self.has_zeros && !self.has_synced,
        }
    }
}
