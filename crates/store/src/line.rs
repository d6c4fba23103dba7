//! Line of a journal: its encoding and parsing.

use serde::{Deserialize, Serialize, de::DeserializeOwned};

use super::{Envelope, Hash, Head, JournalType, StoreError};

/// The longest line that is written or read, newline included.
pub const MAX_LINE_BYTES: usize = 32 << 20;

/// Room for a line that is being written; a longer one grows.
const USUAL_LINE_BYTES: usize = 4 << 10;
/// Prefix of an event that begins with its type.
const TYPE_FIRST: &[u8] = b"{\"type\":\"";

/// One event with who caused it, when, and the hash of the line before.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JournalLine<E> {
    /// Hash of the line before with its newline; [`Hash::ZERO`] on the first line.
    pub prev: Hash,
    /// Kind and format of the journal; on the first line, and not before version 0.2.0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub journal: Option<Envelope>,
    /// Time in RFC 3339; given by the caller and not interpreted here.
    pub at: String,
    /// The author.
    pub by: String,
    /// The event; an object with a `type`.
    pub event: E,
}

/// A line that follows the one before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReadLine<E> {
    /// An event that this program knows.
    Known(JournalLine<E>),
    /// An event of a kind (or with fields) that this program does not know: it verifies, but its
    /// effects are unknown, so its journal should not be continued.
    Unknown {
        /// Counted from 1.
        line_no: u64,
        /// The event's `type`.
        kind: String,
        /// The parser's error.
        why: String,
        /// The line without its newline.
        raw: String,
    },
}

impl<E> ReadLine<E> {
    /// Returns the time, also where the event is not known; `None` where the line names none.
    pub fn time(&self) -> Option<String> {
        #[derive(Deserialize)]
        struct Dated {
            at: String,
        }
        match self {
            ReadLine::Known(line) => Some(line.at.clone()),
            ReadLine::Unknown { raw, .. } => Some(serde_json::from_str::<Dated>(raw).ok()?.at),
        }
    }

    /// Returns the author, also where the event is not known; `None` where the line names none.
    pub fn author(&self) -> Option<String> {
        #[derive(Deserialize)]
        struct Signed {
            by: String,
        }
        match self {
            ReadLine::Known(line) => Some(line.by.clone()),
            ReadLine::Unknown { raw, .. } => Some(serde_json::from_str::<Signed>(raw).ok()?.by),
        }
    }

    /// Returns the envelope that the line holds, also where its event is not known.
    pub fn envelope(&self) -> Option<Envelope> {
        #[derive(Deserialize)]
        struct FirstLine {
            journal: Option<Envelope>,
        }
        match self {
            ReadLine::Known(line) => line.journal.clone(),
            ReadLine::Unknown { raw, .. } => {
                let first: Option<FirstLine> = serde_json::from_str(raw).ok();
                first?.journal
            }
        }
    }
}

/// The part of an event that every kind has.
#[derive(Deserialize)]
pub(super) struct EventType {
    #[serde(rename = "type")]
    kind: String,
}

/// Encodes a line, newline included, and makes sure that it can be read back.
///
/// Reading back catches values that serde writes but does not accept: a NaN that becomes null, JSON
/// nested deeper than the parser goes, a type without a tag. Such a line would be acknowledged and
/// then stop its journal for ever.
pub(super) fn encode_line<T: JournalType>(
    head: &Head,
    at: &str,
    by: &str,
    event: &T::Event,
) -> Result<Vec<u8>, EncodeError> {
    let mut bytes = Vec::with_capacity(USUAL_LINE_BYTES);
    let event_at = write_line::<T>(&mut bytes, head, at, by, event)
        .map_err(|error| EncodeError::Unwritable(error.to_string()))?;
    if bytes.contains(&b'\n') {
        return Err(EncodeError::Unwritable(
            "it takes more than one line".into(),
        ));
    }
    if bytes.len() >= MAX_LINE_BYTES {
        return Err(EncodeError::TooLong(bytes.len() + 1));
    }
    // An event that begins with its type has one; the full parse below checks the rest.
    let names_its_type = |event: &[u8]| event.starts_with(TYPE_FIRST);
    if !bytes.get(event_at..).is_some_and(names_its_type) {
        parse_kind(&bytes).map_err(EncodeError::Unwritable)?;
    }
    serde_json::from_slice::<JournalLine<T::Event>>(&bytes)
        .map_err(|e| EncodeError::Unwritable(e.to_string()))?;
    bytes.push(b'\n');
    Ok(bytes)
}

/// Writes a [`JournalLine`] as its derived form does and returns where the event begins.
fn write_line<T: JournalType>(
    bytes: &mut Vec<u8>,
    head: &Head,
    at: &str,
    by: &str,
    event: &T::Event,
) -> serde_json::Result<usize> {
    bytes.extend_from_slice(b"{\"prev\":");
    serde_json::to_writer(&mut *bytes, &head.hash)?;
    if *head == Head::EMPTY {
        bytes.extend_from_slice(b",\"journal\":");
        serde_json::to_writer(&mut *bytes, &T::new_envelope())?;
    }
    bytes.extend_from_slice(b",\"at\":");
    serde_json::to_writer(&mut *bytes, at)?;
    bytes.extend_from_slice(b",\"by\":");
    serde_json::to_writer(&mut *bytes, by)?;
    bytes.extend_from_slice(b",\"event\":");
    let event_at = bytes.len();
    serde_json::to_writer(&mut *bytes, event)?;
    bytes.push(b'}');
    Ok(event_at)
}

/// Reason that an event cannot be encoded.
pub(super) enum EncodeError {
    TooLong(usize),
    Unwritable(String),
}

impl EncodeError {
    pub(super) fn into_store_error(self, path: &std::path::Path) -> StoreError {
        let path = path.to_owned();
        match self {
            Self::TooLong(bytes) => StoreError::TooLong { path, bytes },
            Self::Unwritable(why) => StoreError::Unwritable { path, why },
        }
    }
}

/// Reads a line without its newline; the chain is the caller's to check.
pub(super) fn parse_line<E: DeserializeOwned>(
    line_no: u64,
    line: &[u8],
) -> Result<(Hash, ReadLine<E>), String> {
    match serde_json::from_slice::<JournalLine<E>>(line) {
        Ok(line) => Ok((line.prev, ReadLine::Known(line))),
        Err(error) => {
            let (prev, kind) = parse_kind(line)?;
            let raw = str::from_utf8(line).map_err(|e| e.to_string())?;
            let unknown = ReadLine::Unknown {
                line_no,
                kind,
                why: error.to_string(),
                raw: raw.to_owned(),
            };
            Ok((prev, unknown))
        }
    }
}

/// Parses the parts that every line has: the hash of the line before, and the event's kind.
pub(super) fn parse_kind(line: &[u8]) -> Result<(Hash, String), String> {
    // The JSON parser does not check skipped parts to be UTF-8.
    str::from_utf8(line).map_err(|e| format!("not a journal line: {e}"))?;
    serde_json::from_slice::<JournalLine<EventType>>(line)
        .map(|line| (line.prev, line.event.kind))
        .map_err(|e| format!("not a journal line: {e}"))
}
