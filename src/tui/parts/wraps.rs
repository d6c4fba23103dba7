//! Laid-out texts that were on the screen before, for as long as there is room.

use super::wrap::Wrapped;
use std::collections::BTreeMap;

/// How much text is kept laid out, in bytes; what was used longest ago goes first.
pub const MAX_CACHED_BYTES: usize = 64 * 1024 * 1024;

/// Texts by what they are, for example an attempt of a turn.
#[derive(Debug, Clone)]
pub struct WrapCache<K> {
    texts: BTreeMap<K, Kept>,
    bytes: usize,
    room: usize,
    uses: u64,
}

#[derive(Debug, Clone)]
struct Kept {
    wrapped: Wrapped,
    /// As counted in `bytes`.
    bytes: usize,
    used: u64,
}

impl<K> Default for WrapCache<K> {
    fn default() -> Self {
        Self::with_room(MAX_CACHED_BYTES)
    }
}

impl<K> WrapCache<K> {
    /// Returns a cache of so many bytes of text.
    pub fn with_room(bytes: usize) -> Self {
        Self {
            texts: BTreeMap::new(),
            bytes: 0,
            room: bytes,
            uses: 0,
        }
    }
}

impl<K: Ord + Clone> WrapCache<K> {
    /// Returns the text laid out for the width; `text` is asked only the first time.
    pub fn get<'t>(&mut self, key: &K, width: u16, text: impl FnOnce() -> &'t str) -> &Wrapped {
        self.uses += 1;
        let kept = match self.texts.remove(key) {
            Some(kept) => kept,
            None => self.lay_out(text(), width),
        };
        let kept = self.texts.entry(key.clone()).or_insert(kept);
        kept.used = self.uses;
        kept.wrapped.set_width(width);
        &kept.wrapped
    }

    /// Adds text to one that is kept, for example while it streams; does nothing for others.
    pub fn push(&mut self, key: &K, delta: &str) {
        if let Some(kept) = self.texts.get_mut(key) {
            kept.wrapped.push(delta);
            let now = kept.wrapped.text().len();
            self.bytes = self.bytes - kept.bytes + now;
            kept.bytes = now;
        }
    }

    /// Forgets a text that has changed otherwise than at its end.
    pub fn forget(&mut self, key: &K) {
        if let Some(kept) = self.texts.remove(key) {
            self.bytes -= kept.bytes;
        }
    }

    /// Returns how many texts are kept.
    pub fn len(&self) -> usize {
        self.texts.len()
    }

    /// Tells whether no text is kept.
    pub fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }

    fn lay_out(&mut self, text: &str, width: u16) -> Kept {
        let wrapped = Wrapped::new(text, width);
        let bytes = wrapped.text().len();
        self.make_room(bytes);
        self.bytes += bytes;
        Kept {
            wrapped,
            bytes,
            used: self.uses,
        }
    }

    fn make_room(&mut self, coming: usize) {
        while self.bytes + coming > self.room {
            let oldest = self.texts.iter().min_by_key(|(_, kept)| kept.used);
            let Some(key) = oldest.map(|(key, _)| key.clone()) else {
                return;
            };
            self.forget(&key);
        }
    }
}
