//! Quotations in running text, with the sentence around each.

/// Fewest words of a quotation; fewer are emphasis, names or terms.
const MIN_WORDS: usize = 3;
/// Most bytes around a quotation that are searched for its sentence.
const MAX_SENTENCE_BYTES: usize = 400;

/// Words between quotation marks.
pub(crate) struct Quotation<'a> {
    pub quote: &'a str,
    /// The sentence up to the quotation, and after it.
    pub before: &'a str,
    pub after: &'a str,
}

/// Returns the quotations of at least three words, in their order.
///
/// Marks are `"…"`, `“…”`, `„…“` and `«…»`; single ones are too often apostrophes. A quotation that
/// is still open at the end of its paragraph is none.
pub(super) fn find_quotations(text: &str) -> Vec<Quotation<'_>> {
    let mut hits = Vec::new();
    let mut open: Option<(char, usize, usize)> = None;
    let mut last = ' ';
    for (at, c) in text.char_indices() {
        let end_of_paragraph = c == '\n' && last == '\n';
        last = c;
        match open {
            _ if end_of_paragraph => open = None,
            Some((mark, before, start)) if is_closing_mark(mark, c) => {
                open = None;
                let quote = text[start..at].trim_end_matches([',', '.', ';']);
                if quote.split_whitespace().count() >= MIN_WORDS {
                    hits.push(Quotation {
                        quote,
                        before: sentence_before(&text[..before]),
                        after: sentence_after(&text[at + c.len_utf8()..], &text[start..at]),
                    });
                }
            }
            Some(_) => {}
            None if matches!(c, '"' | '“' | '„' | '«') => {
                open = Some((c, at, at + c.len_utf8()))
            }
            None => {}
        }
    }
    hits
}

fn is_closing_mark(open: char, c: char) -> bool {
    match open {
        '"' => c == '"',
        '“' => matches!(c, '”' | '"'),
        '„' => matches!(c, '“' | '”'),
        '«' => c == '»',
        _ => false,
    }
}

fn sentence_before(text: &str) -> &str {
    let mut from = text.len().saturating_sub(MAX_SENTENCE_BYTES);
    while !text.is_char_boundary(from) {
        from += 1;
    }
    let near = &text[from..];
    let ends = near.match_indices([' ', '\n']).rev();
    let start = ends
        .map(|(at, space)| (at, space, near[..at].chars().next_back()))
        .find(|(_, space, before)| *space == "\n" || is_end(*before))
        .map_or(0, |(at, _, _)| at + 1);
    &near[start..]
}

fn sentence_after<'a>(text: &'a str, quote: &str) -> &'a str {
    // "It fails." The manual …: the sentence ended inside the marks.
    if is_end(quote.chars().next_back()) && text.starts_with(char::is_whitespace) {
        let next = text.trim_start().chars().next();
        if next.is_none_or(char::is_uppercase) {
            return "";
        }
    }
    let mut to = text.len().min(MAX_SENTENCE_BYTES);
    while !text.is_char_boundary(to) {
        to -= 1;
    }
    let near = &text[..to];
    let ends = near.char_indices().find(|(at, c)| {
        let next = near[at + c.len_utf8()..].chars().next();
        *c == '\n' || (is_end(Some(*c)) && next.is_none_or(char::is_whitespace))
    });
    &near[..ends.map_or(near.len(), |(at, _)| at)]
}

fn is_end(c: Option<char>) -> bool {
    matches!(c, Some('.' | '!' | '?'))
}
