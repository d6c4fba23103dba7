//! Whether what is broken at the end of a journal was ever acknowledged.

use super::{Hash, heads::Mark};

/// Types of events that are written without a sync of their own: that such a line is on the disk
/// says nothing about the lines before it. Every other event is acknowledged, and with it every line
/// before.
///
/// Calls under way, and what begins a journal whose next line is synced. The one list of these:
/// [`JournalWriter::append_unsynced`](super::JournalWriter::append_unsynced) names it.
const UNSYNCED: [&str; 7] = [
    "call_started",
    "call_retried",
    "derivation_started",
    "trial_begun",
    "defined",
    "begun",
    "planned",
];

/// What lies between a break and the end of a file.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rest {
    /// Where the break is.
    from_bytes: u64,
    pub(super) bytes: u64,
    /// Whether the broken line holds a zero byte: no JSON does, and the disk of a power cut does.
    has_zeros: bool,
    /// Whether a complete line stands there that was acknowledged when it was written.
    has_synced: bool,
}

impl Rest {
    /// One complete line, given without its newline, that begins behind `from_bytes`.
    pub(super) fn of(
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

    /// Counts in what follows.
    pub(super) fn add(&mut self, next: Self) {
        self.bytes += next.bytes;
        self.has_synced |= next.has_synced;
    }

    /// Counts in bytes at the end of the file that make no line.
    pub(super) fn add_incomplete(&mut self, bytes: u64) {
        self.bytes += bytes;
    }

    /// Tells whether nobody was ever told of what is broken, so that it can be left out.
    pub(super) fn is_tail(&self, mark: Option<&Mark>) -> bool {
        match mark {
            Some(mark) if self.from_bytes < mark.head.bytes => false,
            Some(mark) => mark.rest_lost || !self.has_synced,
            // How far it went is not known: only what cannot have been written is taken for a tail.
            None => self.has_zeros && !self.has_synced,
        }
    }
}
