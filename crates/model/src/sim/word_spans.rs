//! Word boundaries of a text, for exact quotations. Pure.

use std::ops::Range;

/// Returns the ranges of a text's words, which are separated by white space.
pub(super) fn find_words(text: &str) -> Vec<Range<usize>> {
    let mut spans = Vec::new();
    let mut begin = None;
    for (at, c) in text.char_indices() {
        if c.is_whitespace() {
            spans.extend(begin.take().map(|begin| begin..at));
        } else if begin.is_none() {
            begin = Some(at);
        }
    }
    spans.extend(begin.map(|begin| begin..text.len()));
    spans
}

/// Returns `count` consecutive words of a text from the word `first` (from 0) on; fewer where the
/// text ends.
pub(super) fn cut_words(text: &str, first: usize, count: usize) -> &str {
    let words = find_words(text);
    let selection = words.get(first..words.len().min(first.saturating_add(count)));
    match selection {
        Some([only]) => &text[only.clone()],
        Some([begin, .., end]) => &text[begin.start..end.end],
        Some([]) | None => "",
    }
}
