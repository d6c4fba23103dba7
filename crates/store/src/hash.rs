//! SHA-256 values, and heads of journals made of them.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use sha2::{Digest, Sha256};

/// A SHA-256 value; as text, 64 lower-case hexadecimal digits. By default all zeroes, as where a chain begins.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Hash([u8; 32]);

impl Hash {
    /// The value in a journal's first line, in place of the hash of a line before it.
    pub const ZERO: Self = Self([0; 32]);

    /// Hashes `bytes`.
    pub fn digest(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }

    /// Wraps 32 bytes that are a SHA-256 value already.
    pub const fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// Returns the 32 bytes.
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl fmt::Display for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = [0u8; 64];
        for (pair, byte) in text.chunks_exact_mut(2).zip(self.0) {
            pair[0] = hex_digit(byte >> 4);
            pair[1] = hex_digit(byte & 0xf);
        }
        f.pad(str::from_utf8(&text).map_err(|_| fmt::Error)?)
    }
}

impl fmt::Debug for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Hash({self})")
    }
}

fn hex_digit(nibble: u8) -> u8 {
    match nibble {
        0..=9 => b'0' + nibble,
        10.. => b'a' + (nibble - 10),
    }
}

fn parse_hex_digit(digit: u8) -> Option<u8> {
    match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'a'..=b'f' => Some(digit - b'a' + 10),
        _ => None,
    }
}

/// A text that is not 64 lower-case hexadecimal digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not a SHA-256 value: 64 digits of 0-9 and a-f are expected")]
pub struct HashError;

impl FromStr for Hash {
    type Err = HashError;

    // Upper case is refused: one hash has one spelling, or a changed byte could go unnoticed.
    fn from_str(text: &str) -> Result<Self, HashError> {
        let text: &[u8; 64] = text.as_bytes().try_into().map_err(|_| HashError)?;
        let mut bytes = [0u8; 32];
        for (byte, pair) in bytes.iter_mut().zip(text.chunks_exact(2)) {
            let high = parse_hex_digit(pair[0]).ok_or(HashError)?;
            let low = parse_hex_digit(pair[1]).ok_or(HashError)?;
            *byte = high << 4 | low;
        }
        Ok(Self(bytes))
    }
}

impl Serialize for Hash {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Hash {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Hex;
        impl de::Visitor<'_> for Hex {
            type Value = Hash;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("64 digits of 0-9 and a-f")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Hash, E> {
                text.parse().map_err(E::custom)
            }
        }
        deserializer.deserialize_str(Hex)
    }
}

/// Head of a journal: its length and last hash, the watermark.
///
/// The hash is that of the last line, which holds the hash of the line before, and so on: two
/// journals with the same head have the same lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Head {
    /// Length of the complete lines, newlines included.
    pub bytes: u64,
    /// Number of complete lines.
    pub lines: u64,
    /// Hash of the last complete line with its newline; [`Hash::ZERO`] when there is none.
    pub hash: Hash,
}

impl Head {
    /// The head of a journal without lines.
    pub const EMPTY: Self = Self {
        bytes: 0,
        lines: 0,
        hash: Hash::ZERO,
    };

    /// Returns the head after one more line (given with its newline).
    pub(super) fn with_line(&self, line: &[u8]) -> Self {
        Self {
            bytes: self.bytes + line.len() as u64,
            lines: self.lines + 1,
            hash: Hash::digest(line),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hash_is_written_as_lower_case_hex_and_read_back() {
        let hash = Hash::digest(b"abc");
        let text = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(hash.to_string(), text);
        assert_eq!(text.parse(), Ok(hash));
        assert_eq!(text.to_uppercase().parse::<Hash>(), Err(HashError));
        assert_eq!(text[1..].parse::<Hash>(), Err(HashError));
    }
}
