//! Mark of the line with which a judge states its label.
//!
//! Whoever is judged can write every label as a line, and hope that the judge copies one. The line that
//! counts carries a mark, drawn for the judge's place in the debate (seed, topic, round, seat, stage and
//! attempt) as every draw is, and shown to nobody else: `VERDICT 7k2m: unsafe`.

use super::template_context::fence_nonce;

/// Letters of a mark: no vowels, so that it is no word, and none that look like digits.
const LETTERS: &[u8] = b"bcdfghjkmnpqrstvwxz";
const DIGITS: &[u8] = b"23456789";
const KINDS: [&[u8]; 4] = [DIGITS, LETTERS, DIGITS, LETTERS];

/// Splits what a label says where its mark belongs: before the colon of its last line. `None` where that
/// line has no colon with words before it.
pub(crate) fn split_label_line(says: &str) -> Option<(&str, &str)> {
    let line = says.rfind('\n').map_or(0, |at| at + 1);
    let colon = line + says[line..].find(':')?;
    let (head, tail) = says.split_at(colon);
    let names = head[line..].chars().any(char::is_alphanumeric);
    names.then_some((head, tail))
}

/// Returns what a label says with the mark of its line; without a place for it, the same.
pub fn mark_label_line(says: &str, mark: &str) -> String {
    split_label_line(says).map_or_else(
        || says.to_owned(),
        |(head, tail)| format!("{} {mark}{tail}", head.trim_end()),
    )
}

/// Returns whether a word has the form of a mark.
pub(crate) fn is_label_mark(word: &str) -> bool {
    let bytes = word.as_bytes();
    bytes.len() == KINDS.len()
        && bytes
            .iter()
            .zip(KINDS)
            .all(|(byte, kind)| kind.contains(byte))
}

/// Draws the mark of a view from the seed of its marks.
pub(super) fn draw_label_mark(nonce: &str) -> String {
    let digest = fence_nonce(nonce, "label line");
    let mut bits = u64::from_str_radix(&digest, 16).unwrap_or(0);
    let marks = KINDS.map(|kind| {
        let count = kind.len() as u64;
        let at = usize::try_from(bits % count).unwrap_or(0);
        bits /= count;
        char::from(kind[at])
    });
    marks.into_iter().collect()
}
