//! Names of models as words, so that a table can say which names it means.

/// Says whether a name holds the words of one of some patterns one after the other, and of none of
/// those that are excepted.
pub(super) fn fits(name: &str, patterns: &[String], except: &[String]) -> bool {
    let words = words(name);
    let holds = |pattern: &String| {
        let pattern = self::words(pattern);
        !pattern.is_empty() && words.windows(pattern.len()).any(|some| some == pattern)
    };
    patterns.iter().any(holds) && !except.iter().any(holds)
}

/// Splits a name into words of letters and numbers of digits, in lower case: `granite3.3-guardian:8b`
/// is granite, 3, 3, guardian, 8, b.
fn words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut before = None;
    for c in name.chars() {
        let kind = c.is_alphanumeric().then(|| c.is_ascii_digit());
        if kind.is_some() {
            match words.last_mut() {
                Some(word) if before == kind => word.extend(c.to_lowercase()),
                Some(_) | None => words.push(c.to_lowercase().collect()),
            }
        }
        before = kind;
    }
    words
}
