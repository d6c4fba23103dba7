//! Size of a value that a template computes: bytes, depth, and whether it is a number or a text.

use minijinja::Value;
use minijinja::value::ValueKind as Kind;

/// What a value of the game counts for before it is known: names are short, and texts that are shown are
/// marks.
pub(in crate::prompt) const GAME_BYTES: u64 = 64 << 10;
/// Size of a number, also as text.
const NUMBER_BYTES: u64 = 48;
/// Size of an item of a list beside its text.
pub(super) const ITEM_BYTES: u64 = 32;
/// The deepest that values of the game lie in one another.
const MAX_NESTED: u32 = 8;
/// How much longer a value can be as text, where it may be a list: quotes and escapes.
const WRITTEN: u64 = 8;

/// How large a value can be.
#[derive(Debug, Clone, Copy)]
pub(super) struct Size {
    pub bytes: u64,
    pub depth: u32,
    pub kind: ValueKind,
}

/// What is known of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ValueKind {
    Number,
    Text,
    Any,
}

pub(super) const NUMBER: Size = Size {
    bytes: NUMBER_BYTES,
    depth: 0,
    kind: ValueKind::Number,
};

impl Size {
    pub fn from_text_bytes(bytes: u64) -> Self {
        Self {
            bytes,
            depth: 0,
            kind: ValueKind::Text,
        }
    }

    /// A value of the game of so many bytes.
    pub fn from_game_bytes(bytes: u64) -> Self {
        Self {
            bytes,
            depth: MAX_NESTED,
            kind: ValueKind::Any,
        }
    }

    /// A value of others: as large as they are together and the times more.
    pub fn from_parts(parts: &[Size], times: u64) -> Self {
        let bytes = parts.iter().map(|part| part.bytes);
        let bytes = bytes.fold(ITEM_BYTES, u64::saturating_add);
        Self {
            bytes: bytes.saturating_mul(times),
            depth: 1 + parts.iter().map(|part| part.depth).max().unwrap_or(0),
            kind: ValueKind::Any,
        }
    }

    pub fn union(self, other: Self) -> Self {
        Self {
            bytes: self.bytes.max(other.bytes),
            depth: self.depth.max(other.depth),
            kind: match self.kind == other.kind {
                true => self.kind,
                false => ValueKind::Any,
            },
        }
    }

    /// Returns the size as text.
    pub fn text_bytes(self) -> u64 {
        match self.kind {
            ValueKind::Number | ValueKind::Text => self.bytes,
            ValueKind::Any => self.bytes.saturating_mul(WRITTEN),
        }
    }
}

/// Returns the size of a value that stands in the template.
pub(super) fn constant_size(value: &Value) -> Size {
    match value.as_str() {
        Some(text) => Size::from_text_bytes(text.len() as u64),
        None if value.is_number() => NUMBER,
        None => Size::from_parts(&[NUMBER], 1),
    }
}

/// Returns the bytes of a value of the game: its texts, its numbers, and its items.
pub(in crate::prompt) fn bytes_of(value: &Value) -> u64 {
    fn count_bytes(value: &Value, depth: u32) -> u64 {
        if let Some(text) = value.as_str() {
            return ITEM_BYTES + text.len() as u64;
        }
        let items = match (value.kind(), depth.checked_sub(1)) {
            (Kind::Map | Kind::Seq, Some(depth)) => value.try_iter().map(|items| {
                let is_map = value.kind() == Kind::Map;
                let each = items.map(|item| match is_map {
                    true => value
                        .get_item(&item)
                        .map_or(0, |item| count_bytes(&item, depth)),
                    false => count_bytes(&item, depth),
                });
                each.fold(0, u64::saturating_add)
            }),
            _ => return NUMBER_BYTES,
        };
        ITEM_BYTES.saturating_add(items.unwrap_or(0))
    }
    count_bytes(value, MAX_NESTED)
}
