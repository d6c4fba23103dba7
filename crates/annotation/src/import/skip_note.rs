//! Note that says that a person was shown an answer and gave no label.
//!
//! A skip is no label, and *unsure* is one: a note is seen beside the turn and is in no figure.

const BEFORE_SET: &str = "skipped: no label of '";
const AFTER_SET: &str = "' was given";

/// Writes the note of a skip. `why` is the tool's own word for it.
pub(super) fn skip_note(set: &str, why: &str, source: &str) -> String {
    format!("{BEFORE_SET}{set}{AFTER_SET} ({why}; {source})")
}

/// Returns the label set that a note says was skipped; `None` for any other note.
pub fn skipped_set(note: &str) -> Option<&str> {
    let (set, _) = note.strip_prefix(BEFORE_SET)?.split_once(AFTER_SET)?;
    Some(set)
}
