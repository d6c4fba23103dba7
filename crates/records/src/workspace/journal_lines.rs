//! Lines of a journal whose events this version knows.

use super::error::{Result, WorkspaceError};
use elenchus_game::debate::event::{Author, Event, Record};
use elenchus_store::{JournalLine, ReadLine};
use std::path::Path;

/// Returns a journal's lines.
///
/// # Errors
/// [`WorkspaceError::UnknownEvent`] at the first line of an unknown kind: what follows from it is not
/// known, so its journal is not continued.
pub(crate) fn known_lines<E>(path: &Path, lines: Vec<ReadLine<E>>) -> Result<Vec<JournalLine<E>>> {
    lines
        .into_iter()
        .map(|line| known_line(path, line))
        .collect()
}

/// Returns one line of a journal.
///
/// # Errors
/// As [`known_lines`].
pub(super) fn known_line<E>(path: &Path, line: ReadLine<E>) -> Result<JournalLine<E>> {
    match line {
        ReadLine::Known(line) => Ok(line),
        ReadLine::Unknown { line_no, kind, .. } => Err(WorkspaceError::UnknownEvent {
            path: path.display().to_string(),
            line: line_no,
            kind,
        }),
    }
}

/// Returns a line of a session's journal as the fold takes it.
pub(super) fn record_from_line(line: JournalLine<impl Into<Event>>) -> Record {
    Record {
        at: line.at,
        by: Author::parse(&line.by),
        event: line.event.into(),
    }
}
