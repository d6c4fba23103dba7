//! Letters that came or went between two states of an editor, of which words are made that are undone. Pure.

/// The line of the cursor, and where that is.
pub(super) struct LineAtCursor {
    pub lines: usize,
    pub line: usize,
    pub column: usize,
    pub text: String,
}

/// What became of a letter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LetterChange {
    Came,
    Went,
}

/// Returns the letter at the cursor that came or went from one state to the next, where that is the only
/// difference.
pub(super) fn find_typed_letter(
    before: &LineAtCursor,
    after: &LineAtCursor,
) -> Option<(LetterChange, char)> {
    let (way, short, long) = match before.column < after.column {
        true => (LetterChange::Came, before, after),
        false => (LetterChange::Went, after, before),
    };
    let is_same_place = before.lines == after.lines && before.line == after.line;
    let at = byte_index(&long.text, short.column);
    let letter = long.text.get(at..)?.chars().next()?;
    let is_one_letter = short.column + 1 == long.column
        && short.text.len() + letter.len_utf8() == long.text.len()
        && short.text.get(..at) == long.text.get(..at);
    (is_same_place && is_one_letter).then_some((way, letter))
}

/// Returns where a character of a line begins, in bytes.
pub(super) fn byte_index(text: &str, character: usize) -> usize {
    text.char_indices()
        .nth(character)
        .map_or(text.len(), |(at, _)| at)
}
