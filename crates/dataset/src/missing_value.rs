//! Missing values: words that stand for no value, JSON's bare `NaN`, and whole numbers written as floats.

use serde_json::{Number, Value};

/// Words that tables write where a value is missing, in any case.
const MISSING: [&str; 5] = ["nan", "n/a", "#n/a", "<na>", "null"];

/// Words that Python writes bare into JSON, which knows none of them.
const BARE_WORDS: [&[u8]; 3] = [b"NaN", b"-Infinity", b"Infinity"];

/// The largest float that holds every whole number below it.
const LARGEST_WHOLE: f64 = 9_007_199_254_740_992.0;

/// Says whether a text stands for a missing value.
pub fn is_missing(text: &str) -> bool {
    let text = text.trim();
    MISSING.iter().any(|word| text.eq_ignore_ascii_case(word))
}

/// Returns JSON in which Python's bare words are texts; `None` where it has none.
pub(super) fn quote_bare_words(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut output: Vec<u8> = Vec::new();
    let mut copied_end = 0;
    let (mut in_string, mut escaped) = (false, false);
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            b'N' | b'I' | b'-' if !in_string => {
                let rest = bytes.get(at..).unwrap_or_default();
                let ends = |word: &[u8]| {
                    let next = rest.get(word.len());
                    next.is_none_or(|byte| !byte.is_ascii_alphanumeric())
                };
                let mut words = BARE_WORDS.iter();
                if let Some(word) = words.find(|word| rest.starts_with(word) && ends(word)) {
                    output.extend_from_slice(bytes.get(copied_end..at).unwrap_or_default());
                    output.push(b'"');
                    output.extend_from_slice(word);
                    output.push(b'"');
                    at += word.len();
                    copied_end = at;
                    continue;
                }
            }
            _ => {}
        }
        at += 1;
    }
    if copied_end == 0 {
        return None;
    }
    output.extend_from_slice(bytes.get(copied_end..).unwrap_or_default());
    Some(output)
}

/// Says whether bytes are one value of JSON, with or without Python's bare words.
pub(super) fn is_json(bytes: &[u8]) -> bool {
    let is_one = |bytes: &[u8]| serde_json::from_slice::<serde::de::IgnoredAny>(bytes).is_ok();
    is_one(bytes) || quote_bare_words(bytes).is_some_and(|quoted| is_one(&quoted))
}

/// Parses one value of JSON, with or without Python's bare words.
///
/// # Errors
/// As the parser, of the text as it is.
pub(super) fn parse_json(text: &str) -> Result<Value, serde_json::Error> {
    serde_json::from_str(text).or_else(|error| {
        let quoted_json = quote_bare_words(text.as_bytes());
        let read = quoted_json.and_then(|quoted| serde_json::from_slice(&quoted).ok());
        read.ok_or(error)
    })
}

/// Returns a number as text; one that is whole has no decimals.
pub fn number_text(number: &Number) -> String {
    let float = number.as_f64().filter(|_| number.is_f64());
    match float.filter(|float| float.fract() == 0.0 && float.abs() < LARGEST_WHOLE) {
        Some(float) => format!("{float:.0}"),
        None => number.to_string(),
    }
}

/// Returns a whole number that a table wrote with decimals (`18.0`) without them.
pub(super) fn whole_text(text: String) -> String {
    let whole = text.trim().split_once('.').filter(|(whole, decimals)| {
        let digits = whole.strip_prefix('-').unwrap_or(whole);
        !digits.is_empty()
            && digits.bytes().all(|byte| byte.is_ascii_digit())
            && !decimals.is_empty()
            && decimals.bytes().all(|byte| byte == b'0')
    });
    match whole {
        Some((whole, _)) => whole.to_owned(),
        None => text,
    }
}
