//! Table of the marks around what models think: pairs, channels, end tokens, and names of fields.

use std::sync::LazyLock;

use crate::embedded_table::parse_embedded_table;
use serde::Deserialize;

/// The most characters of an unknown mark that are repeated.
const MAX_MARK_CHARS: usize = 40;
/// The most bytes between the brackets of what may be a mark.
const MAX_MARK_BYTES: usize = 48;

/// The marks that one model is read by.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ReasoningMarks {
    pub pairs: Vec<MarkPair>,
    pub spoken: Vec<SpokenPair>,
    pub channels: ChannelTokens,
    pub tokens: BorderTokens,
    pub fields: ReasoningFields,
    plain: PlainNames,
}

/// Marks around private reasoning.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct MarkPair {
    pub open: String,
    pub close: Vec<String>,
    /// Counts in the middle of a text too.
    #[serde(default)]
    pub anywhere: bool,
    /// A closing mark alone makes private what came before it.
    #[serde(default)]
    pub lone_close: bool,
}

/// Words that stand for marks where both are there.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SpokenPair {
    pub open: String,
    pub close: String,
}

/// Tokens of messages in channels.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ChannelTokens {
    pub headers: Vec<String>,
    pub content: String,
    pub ends: Vec<String>,
    pub public: Vec<String>,
    pub names: Vec<String>,
}

/// Tokens at the borders of an answer.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct BorderTokens {
    pub answer: Vec<String>,
    pub end: Vec<String>,
}

/// Where servers put private reasoning.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ReasoningFields {
    pub text: Vec<String>,
    pub lists: Vec<String>,
    pub part_types: Vec<String>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct PlainNames {
    names: Vec<String>,
}

static KNOWN_MARKS: LazyLock<ReasoningMarks> =
    LazyLock::new(|| parse_embedded_table(include_str!("reasoning_marks.toml")));

/// Marks that a configuration names for one model: what opens private reasoning, and what closes it.
pub type OwnMarks = [(String, String)];

/// Returns whether a recorded public text holds marks of private reasoning or control tokens: it was
/// recorded before they were known.
pub fn has_reasoning_marks(public: &str) -> bool {
    ReasoningMarks::common_marks().has_marks(public)
}

impl ReasoningMarks {
    /// Returns the marks that are known of all models.
    pub fn common_marks() -> &'static Self {
        &KNOWN_MARKS
    }

    /// Returns these marks with those that a configuration names; the latter come first.
    pub fn with_own_marks(&self, own: &OwnMarks) -> Self {
        let own_pairs = own.iter().map(|(open, close)| MarkPair {
            open: open.clone(),
            close: vec![close.clone()],
            anywhere: false,
            lone_close: true,
        });
        let mut marks = self.clone();
        marks.pairs.splice(0..0, own_pairs);
        marks
    }

    /// Returns the first characters of all marks but those in words, ASCII letters in lower case.
    pub fn collect_first_chars(&self) -> Vec<char> {
        let pairs = self.pairs.iter();
        let pairs = pairs.flat_map(|pair| pair.close.iter().chain([&pair.open]));
        let channels = &self.channels;
        let tokens = channels
            .headers
            .iter()
            .chain(&channels.ends)
            .chain([&channels.content]);
        let borders = self.tokens.answer.iter().chain(&self.tokens.end);
        let mut firsts: Vec<char> = pairs
            .chain(tokens)
            .chain(borders)
            .filter_map(|mark| mark.chars().next())
            .map(|first| first.to_ascii_lowercase())
            .collect();
        firsts.sort_unstable();
        firsts.dedup();
        firsts
    }

    /// Returns an unknown mark of such a form that a public text begins with, or a control token
    /// that it holds: what a model may have thought is then passed on as its answer.
    pub fn find_unknown_mark(&self, public: &str) -> Option<String> {
        let mark = self
            .find_opening_form(public.trim_start())
            .or_else(|| find_control_token(public))?;
        Some(mark.chars().take(MAX_MARK_CHARS).collect())
    }

    /// Returns whether a recorded text begins with a mark of this table, or holds one that counts
    /// anywhere: it was recorded before such marks were known.
    pub fn has_marks(&self, public: &str) -> bool {
        let begins = |mark: &str| starts_with(public.trim_start(), mark);
        let holds = |mark: &str| find_mark(public, mark).is_some();
        let channels = self.channels.headers.iter();
        let pairs = self.pairs.iter();
        pairs
            .into_iter()
            .any(|pair| begins(&pair.open) || (pair.anywhere && holds(&pair.open)))
            || channels
                .chain([&self.channels.content])
                .any(|token| holds(token))
            || self.tokens.end.iter().any(|token| {
                let text = public.trim_end();
                let tail = text.len().checked_sub(token.len());
                tail.is_some_and(|tail| starts_with_bytes(&text.as_bytes()[tail..], token))
            })
    }

    /// Returns `<name>`, `◁name▷`, or `[NAME]` with its closing mark, at the beginning of a text.
    fn find_opening_form<'a>(&self, text: &'a str) -> Option<&'a str> {
        let (close, is_list) = match text.chars().next()? {
            '<' => ('>', false),
            '◁' => ('▷', false),
            '[' => (']', true),
            _ => return None,
        };
        let end = text.find(close).filter(|end| *end <= MAX_MARK_BYTES)?;
        let form = &text[..end + close.len_utf8()];
        let name = form.trim_matches(|c: char| !c.is_alphanumeric());
        let is_name = !name.is_empty()
            && name
                .chars()
                .all(|c| c.is_alphanumeric() || matches!(c, '_' | ':' | '-' | ' '));
        let inner: String = form.chars().skip(1).take(1).collect();
        if !is_name || inner != name.chars().take(1).collect::<String>() {
            return None;
        }
        if is_list {
            let closing = format!("[/{name}]");
            let is_upper = name.chars().all(|c| !c.is_lowercase());
            return (is_upper && text.contains(&closing)).then_some(form);
        }
        let lower = name.to_lowercase();
        (!lower.contains(' ') && !self.plain.names.contains(&lower)).then_some(form)
    }
}

/// Returns the first `<|name|>` of a text.
fn find_control_token(text: &str) -> Option<&str> {
    let mut from = 0;
    while let Some(at) = text[from..].find('<') {
        let start = from + at;
        let rest = &text[start + 1..];
        from = start + 1;
        for bar in ['|', '｜'] {
            let Some(inner) = rest.strip_prefix(bar) else {
                continue;
            };
            let closing = format!("{bar}>");
            let end = inner.find(&closing).filter(|end| *end <= MAX_MARK_BYTES);
            let Some(end) = end.filter(|end| *end > 0) else {
                continue;
            };
            let name = &inner[..end];
            let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '/' | '-' | '▁');
            if name.chars().all(is_name) {
                let length = 1 + bar.len_utf8() + end + closing.len();
                return Some(&text[start..start + length]);
            }
        }
    }
    None
}

/// Returns whether a text begins with a mark, without regard to the case of ASCII letters.
pub(super) fn starts_with(text: &str, mark: &str) -> bool {
    starts_with_bytes(text.as_bytes(), mark)
}

fn starts_with_bytes(text: &[u8], mark: &str) -> bool {
    let mark = mark.as_bytes();
    text.len() >= mark.len() && text[..mark.len()].eq_ignore_ascii_case(mark)
}

/// Returns where a mark begins in a text.
pub(super) fn find_mark(text: &str, mark: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let last = bytes.len().checked_sub(mark.len())?;
    (0..=last).find(|at| starts_with_bytes(&bytes[*at..], mark))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_embedded_marks_parse_and_no_mark_begins_another_pair() {
        let marks = ReasoningMarks::common_marks();
        for (at, pair) in marks.pairs.iter().enumerate() {
            assert!(!pair.open.is_empty() && !pair.close.is_empty(), "{pair:?}");
            let earlier = &marks.pairs[..at];
            assert!(
                earlier.iter().all(|other| other.open != pair.open),
                "{pair:?}"
            );
        }
    }

    #[test]
    fn unknown_marks_are_found_by_their_form() {
        let unknown = |text: &str| ReasoningMarks::common_marks().find_unknown_mark(text);
        for (text, mark) in [
            ("<ponder>I will lie</ponder> Yes.", "<ponder>"),
            ("  ◁muse▷hm◁/muse▷", "◁muse▷"),
            ("[PONDER]hm[/PONDER]Yes", "[PONDER]"),
            ("Yes.<|tool_sep|>", "<|tool_sep|>"),
            ("Yes <｜DSML｜> no", "<｜DSML｜>"),
        ] {
            assert_eq!(unknown(text).as_deref(), Some(mark), "{text}");
        }
        for text in [
            "",
            "<b>bold</b> words",
            "<score> yes </score>",
            "[NOTE] this is prose",
            "a < b and c > d",
            "<3 this",
            "<-- see there>",
            "x <| y |> z",
            "</p> closes",
            "<not a name of anything> text",
        ] {
            assert_eq!(unknown(text), None, "{text}");
        }
    }
}
