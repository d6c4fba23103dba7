//! Lines of a journal whose events this version knows.

use super::error::DriverError;
use crate::debate::event::{Author, Event, Record};
use crate::store::{Line, Read, read_journal};
use serde::de::DeserializeOwned;
use std::path::Path;

/// Returns a journal's lines.
///
/// # Errors
/// [`DriverError::UnknownEvent`] at the first line of an unknown kind: what follows from it is not
/// known, so its journal is not continued.
pub(super) fn known<E>(path: &Path, lines: Vec<Read<E>>) -> Result<Vec<Line<E>>, DriverError> {
    lines
        .into_iter()
        .map(|line| known_line(path, line))
        .collect()
}

/// Returns one line of a journal.
///
/// # Errors
/// As [`known`].
pub(super) fn known_line<E>(path: &Path, line: Read<E>) -> Result<Line<E>, DriverError> {
    match line {
        Read::Known(line) => Ok(line),
        Read::Unknown { line_no, kind, .. } => Err(DriverError::UnknownEvent {
            path: path.display().to_string(),
            line: line_no,
            kind,
        }),
    }
}

/// Reads every line of a journal whose lines need not fit each other. Blocks while it reads.
///
/// # Errors
/// As [`known`]; when the journal cannot be read.
pub(super) fn check_lines<E: DeserializeOwned>(path: &Path) -> Result<(), DriverError> {
    known::<E>(path, read_journal(path)?.lines).map(drop)
}

/// Returns a line of a session's journal as the fold takes it.
pub(super) fn record(line: Line<Event>) -> Record {
    Record {
        at: line.at,
        by: Author::parse(&line.by),
        event: line.event,
    }
}
