//! Text as a terminal may show it, with where each place of the original went.

use crate::exchange::text::{Keep, visible};
use std::borrow::Cow;

/// What stands for a tab: its width must not depend on where a line is broken.
const TAB: &str = "    ";

/// Shown text that grows at its end.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Shown {
    text: String,
    /// How much of the original is shown, in bytes.
    original: usize,
    /// A carriage return at the end may yet be half of a line end.
    held: bool,
    /// Where the two texts part: place in the original, place here; both rise.
    shifts: Vec<(usize, usize)>,
}

impl Shown {
    pub(super) fn push(&mut self, delta: &str) {
        if delta.is_empty() {
            return;
        }
        let whole: Cow<'_, str> = if std::mem::take(&mut self.held) {
            Cow::Owned(format!("\r{delta}"))
        } else {
            Cow::Borrowed(delta)
        };
        let ready = match whole.strip_suffix('\r') {
            Some(before) => {
                self.held = true;
                before
            }
            None => whole.as_ref(),
        };
        self.append(ready);
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// Returns where a place of the original is shown.
    pub(super) fn at(&self, original: usize) -> usize {
        let before = self.shifts.partition_point(|(from, _)| *from <= original);
        let (from, to) = before
            .checked_sub(1)
            .and_then(|last| self.shifts.get(last))
            .copied()
            .unwrap_or_default();
        let next = self
            .shifts
            .get(before)
            .map_or(self.text.len(), |next| next.1);
        (to + (original - from)).min(next)
    }

    fn append(&mut self, mut rest: &str) {
        while let Some(odd) = rest.find(acts) {
            let (clean, from) = rest.split_at(odd);
            self.take(clean, clean);
            let end = if from.starts_with("\r\n") {
                2
            } else {
                from.chars().next().map_or(from.len(), char::len_utf8)
            };
            let (piece, after) = from.split_at(end);
            let shown = match piece {
                "\t" => Cow::Borrowed(TAB),
                other => visible(other, Keep::Newlines),
            };
            self.take(piece, &shown);
            rest = after;
        }
        self.take(rest, rest);
    }

    fn take(&mut self, original: &str, shown: &str) {
        self.text.push_str(shown);
        self.original += original.len();
        if original.len() != shown.len() {
            self.shifts.push((self.original, self.text.len()));
        }
    }
}

/// Characters that [`visible`] may change; asking it about each would be slow.
fn acts(c: char) -> bool {
    c != '\n' && (c.is_control() || (!c.is_ascii() && changed(c)))
}

fn changed(c: char) -> bool {
    let mut bytes = [0; 4];
    matches!(
        visible(c.encode_utf8(&mut bytes), Keep::Newlines),
        Cow::Owned(_)
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn shown(text: &str) -> Shown {
        let mut shown = Shown::default();
        shown.push(text);
        shown
    }

    #[test]
    fn places_after_hostile_characters_are_found_again() {
        let original = "a\x1b[2J\r\nb\u{202e}c\td";
        let shown = shown(original);
        assert_eq!(shown.text(), "a␛[2J\nb‹U+202E›c    d");
        for letter in ['a', '[', 'b', 'c', 'd'] {
            let at = shown.at(original.find(letter).unwrap());
            assert!(shown.text()[at..].starts_with(letter), "{letter} {at}");
        }
    }

    #[test]
    fn a_line_end_split_between_two_pieces_is_one_line_end() {
        let mut shown = shown("a\r");
        shown.push("\nb\r");
        shown.push("c");
        assert_eq!(shown.text(), "a\nb␍c");
    }

    proptest! {
        #[test]
        fn it_shows_what_is_safe_to_send(text in "(\\PC|[\\x00-\\x1f\u{202e}\u{200d}])*") {
            // A carriage return at the end waits for what follows.
            let text = text.trim_end_matches('\r');
            let untabbed = text.replace('\t', TAB);
            let got = shown(text);
            prop_assert_eq!(got.text(), visible(&untabbed, Keep::Newlines));
        }
    }
}
