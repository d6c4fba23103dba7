//! Formulas in running text, by their signs alone: enough to tell whether two texts write the same.

use crate::judge::lexicon::WordList;
use std::collections::HashSet;

/// Fewest characters of a formula.
const MIN_CHARS: usize = 3;
/// Most characters on the left of a relation that only names the result: `x`, `x_1`, `ans`.
const MAX_NAME_CHARS: usize = 3;
const RELATIONS: &[char] = &['=', '≠', '≈', '≤', '≥', '<', '>'];
const OPERATORS: &[char] = &['+', '-', '*', '/', '^', '!', '√'];

/// A formula without spaces and with one sign for each operation.
#[derive(Debug)]
pub(super) struct Formula {
    text: String,
    /// The word before it.
    before: String,
}

impl Formula {
    pub(super) fn contains(&self, other: &Self) -> bool {
        self.text.contains(&other.text)
    }

    pub(super) fn is_relation(&self) -> bool {
        self.text.contains(RELATIONS)
    }

    /// Returns whether it relates something that is calculated: `5+8=13`.
    pub(super) fn is_calculation(&self) -> bool {
        self.is_relation()
            && self.text.contains(OPERATORS)
            && self.text.contains(|c: char| c.is_ascii_digit())
    }

    pub(super) fn follows(&self, words: &WordList) -> bool {
        words.contains(&self.before)
    }

    /// Returns whether it states a result and nothing else: `x=51`.
    pub(super) fn states_only(&self, results: &HashSet<String>) -> bool {
        let compared = |result: &String| normalize(result) == self.text;
        let stated = self
            .text
            .rsplit_once(RELATIONS)
            .is_some_and(|(name, value)| {
                name.chars().count() <= MAX_NAME_CHARS
                    && results.iter().any(|one| normalize(one) == value)
            });
        stated || results.iter().any(compared)
    }
}

/// Returns the formulas of a text: stretches of symbols with at least one sign in them.
pub(super) fn find_formulas(text: &str) -> Vec<Formula> {
    let mut formulas = Vec::new();
    let mut stretch = String::new();
    let mut before = "";
    let mut end = |stretch: &mut String, before: &str| {
        let text = normalize(&std::mem::take(stretch));
        let has_sign = text.contains(RELATIONS) || text.contains(OPERATORS);
        if has_sign && text.chars().count() >= MIN_CHARS && text.contains(char::is_alphanumeric) {
            formulas.push(Formula {
                text,
                before: before.to_lowercase(),
            });
        }
    };
    for token in text.split_whitespace() {
        if is_symbolic(token) {
            stretch.push_str(token);
            if token.ends_with([',', '.', ';', ':', '?']) {
                end(&mut stretch, before);
                before = "";
            }
        } else {
            end(&mut stretch, before);
            before = token.trim_matches(|c: char| !c.is_alphanumeric());
        }
    }
    end(&mut stretch, before);
    formulas
}

/// Returns whether a token is part of a formula: a number, a letter, a sign, or a mixture of them.
fn is_symbolic(token: &str) -> bool {
    let bare =
        token.trim_matches(|c: char| matches!(c, ',' | '.' | ';' | ':' | '?' | '"' | '“' | '”'));
    let letters = bare.chars().filter(|c| c.is_alphabetic()).count();
    let is_word = letters > 2
        && bare
            .chars()
            .all(|c| c.is_alphabetic() || matches!(c, '-' | '\'' | '’'));
    !is_word
        && !matches!(bare, "a" | "A" | "I")
        && (bare.contains(|c: char| c.is_ascii_digit())
            || bare.contains(RELATIONS)
            || bare.contains('\\')
            || bare
                .chars()
                .any(|c| OPERATORS.contains(&c) || matches!(c, '×' | '·' | '−' | '$'))
            || bare.chars().count() == 1)
        && !(letters > 3 && bare.contains('-') && !bare.contains(|c: char| c.is_ascii_digit()))
}

fn normalize(text: &str) -> String {
    let plain = text
        .replace("\\cdot", "*")
        .replace("\\times", "*")
        .replace("\\neq", "≠")
        .replace("\\le", "≤")
        .replace("\\ge", "≥");
    let signs = plain.chars().filter_map(|c| match c {
        '×' | '·' => Some('*'),
        '−' | '–' => Some('-'),
        '{' | '}' | '$' | ' ' | '"' | '“' | '”' | '`' => None,
        c => Some(c.to_ascii_lowercase()),
    });
    let all: String = signs.collect();
    all.trim_matches(|c: char| matches!(c, ',' | '.' | ';' | ':' | '?' | '!' | '(' | ')'))
        .to_owned()
}
