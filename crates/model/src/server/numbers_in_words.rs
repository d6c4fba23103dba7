//! Whole numbers in a server's message, each with the words around it. Pure.

/// The most bytes of words that are kept on each side of a number.
const NEAR_BYTES: usize = 60;
/// The most digits of a number: more are an id.
const MAX_DIGITS: usize = 9;

/// A number with the words between it and its neighbours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct NumberInWords<'a> {
    pub value: u32,
    /// Since the number before, or the beginning of the sentence.
    pub before: &'a str,
    /// Up to the next number, or the end of the sentence.
    pub after: &'a str,
}

/// Finds the whole numbers of a message, in order. Parts of names (`gpt-4`, `2024-08-01`), statuses and
/// numbers with a fraction other than 0 are none.
pub(super) fn find_numbers(message: &str) -> Vec<NumberInWords<'_>> {
    let spans = find_digit_spans(message);
    let mut numbers = Vec::new();
    for (nth, span) in spans.iter().enumerate() {
        let Some(value) = span.value else {
            continue;
        };
        let from = nth.checked_sub(1).map_or(0, |last| spans[last].end);
        let to = spans.get(nth + 1).map_or(message.len(), |next| next.start);
        let before = last_bytes(message.get(from..span.start).unwrap_or_default());
        let after = first_bytes(message.get(span.end..to).unwrap_or_default());
        let name = before.trim_end_matches(|c: char| !c.is_alphanumeric());
        if name.ends_with("code") || name.ends_with("status") {
            continue;
        }
        numbers.push(NumberInWords {
            value,
            before: before.rsplit(". ").next().unwrap_or_default(),
            after: after.split(". ").next().unwrap_or_default(),
        });
    }
    numbers
}

struct DigitSpan {
    start: usize,
    end: usize,
    /// None where the digits are a part of something else.
    value: Option<u32>,
}

fn find_digit_spans(message: &str) -> Vec<DigitSpan> {
    let bytes = message.as_bytes();
    let is_digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    let mut spans = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        if !is_digit(at) {
            at += 1;
            continue;
        }
        let start = at;
        let mut digits = String::new();
        while is_digit(at) {
            digits.push(char::from(bytes[at]));
            at += 1;
            // Thousands: a separator and exactly three digits.
            let is_separator = matches!(bytes.get(at), Some(b',' | b'_'))
                && (1..=3).all(|ahead| is_digit(at + ahead))
                && !is_digit(at + 4);
            if is_separator {
                at += 1;
            }
        }
        let whole_end = at;
        let mut is_whole = true;
        if bytes.get(at) == Some(&b'.') && is_digit(at + 1) {
            at += 1;
            while is_digit(at) {
                is_whole &= bytes[at] == b'0';
                at += 1;
            }
        }
        let before = message[..start].chars().next_back();
        let after = message[at..].chars().next();
        let joins = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let is_part = before.is_some_and(|c| joins(c) || c == '.')
            || after.is_some_and(joins)
            || is_hyphen_of_a_name(message, start, at);
        let is_short = digits.len() <= MAX_DIGITS;
        spans.push(DigitSpan {
            start,
            end: whole_end.max(at),
            value: digits
                .parse()
                .ok()
                .filter(|_| is_whole && is_short && !is_part),
        });
    }
    spans
}

/// A hyphen between a number and a letter or digit belongs to a name or a date.
fn is_hyphen_of_a_name(message: &str, start: usize, end: usize) -> bool {
    let mut before = message[..start].chars().rev();
    let mut after = message[end..].chars();
    let by_hyphen = |first: Option<char>, second: Option<char>| {
        first == Some('-') && second.is_some_and(|c| c.is_ascii_alphanumeric())
    };
    by_hyphen(before.next(), before.next()) || by_hyphen(after.next(), after.next())
}

fn last_bytes(text: &str) -> &str {
    let mut from = text.len().saturating_sub(NEAR_BYTES);
    while !text.is_char_boundary(from) {
        from += 1;
    }
    &text[from..]
}

fn first_bytes(text: &str) -> &str {
    let mut to = text.len().min(NEAR_BYTES);
    while !text.is_char_boundary(to) {
        to -= 1;
    }
    &text[..to]
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn values(message: &str) -> Vec<u32> {
        find_numbers(message)
            .iter()
            .map(|number| number.value)
            .collect()
    }

    #[test]
    fn numbers_stand_apart_from_names_dates_and_statuses() {
        assert_eq!(
            values("gpt-4-32k (2024-08-01): at most 4,096 tokens, not 5_000; error code: 400"),
            [4096, 5000]
        );
        assert_eq!(values("the sum (5000.0) exceeds 4096."), [5000, 4096]);
        assert!(values("temperature 0.7, v1.2.3, 12345678901").is_empty());
        assert_eq!(values("got -186"), [186]);
    }

    #[test]
    fn words_around_a_number_end_at_its_neighbours_and_sentences() {
        let found = find_numbers("It holds 4096. You sent 5000 tokens and 9 more");
        assert_eq!((found[0].before, found[0].after), ("It holds ", ""));
        assert_eq!(
            (found[1].before, found[1].after),
            ("You sent ", " tokens and ")
        );
    }

    proptest! {
        #[test]
        fn any_text_is_read(text in "[0-9,._ -]{0,20}\\PC{0,40}[0-9.é -]{0,20}") {
            for number in find_numbers(&text) {
                prop_assert!(text.contains(number.before) && text.contains(number.after));
            }
        }
    }
}
