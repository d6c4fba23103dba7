//! Tables of models by their names: the reader of a table, and the match of a name with its patterns.

use super::game::GameError;
use serde::de::DeserializeOwned;

/// The provider of a participant that replays a session: it answers what was asked then, no more.
pub const RECORDED_PROVIDER: &str = "recorded";

/// Reads a table of data, with file and line of what is wrong with it.
pub fn parse_table<T: DeserializeOwned>(file: &str, text: &str) -> Result<T, GameError> {
    toml::from_str(text).map_err(|error| {
        let at = error.span().map_or(0, |span| span.start);
        let line = 1 + text.bytes().take(at).filter(|byte| *byte == b'\n').count();
        GameError::List {
            file: format!("{file}:{line}"),
            why: error.message().trim().replace('\n', "; "),
        }
    })
}

/// Says whether a name holds the words of one of some patterns one after the other, and of none of
/// those that are excepted.
pub fn matches_patterns(name: &str, patterns: &[String], except: &[String]) -> bool {
    let words = split_words(name);
    let holds = |pattern: &String| {
        let pattern = self::split_words(pattern);
        !pattern.is_empty() && words.windows(pattern.len()).any(|some| some == pattern)
    };
    patterns.iter().any(holds) && !except.iter().any(holds)
}

/// Splits a name into words of letters and numbers of digits, in lower case: `granite3.3-guardian:8b`
/// is granite, 3, 3, guardian, 8, b.
fn split_words(name: &str) -> Vec<String> {
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
