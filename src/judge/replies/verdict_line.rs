//! A label stated on a line of its own: `VERDICT: unsafe`, `**Safe.**`, `The answer is [safe]`.
//!
//! A line states a label when, markup aside, it is the label, alone or after words that only
//! announce it. A line that names two labels, negates one or asks a question states none.

use super::read::quote;
use super::rubric::{Label, Rubric};

/// Words that name what follows: `Verdict:`.
const MARKERS: &[&str] = &[
    "verdict",
    "answer",
    "label",
    "decision",
    "judgement",
    "judgment",
    "rating",
    "classification",
    "assessment",
    "conclusion",
    "result",
    "finding",
    "output",
];

/// Words that may stand before a label without changing it.
const FILLERS: &[&str] = &[
    "the",
    "my",
    "final",
    "overall",
    "is",
    "as",
    "a",
    "this",
    "that",
    "response",
    "reply",
    "proposal",
    "solution",
    "it",
    "i",
    "so",
    "thus",
    "hence",
    "therefore",
    "considered",
    "judged",
    "deemed",
    "classified",
    "found",
    "boxed",
    "text",
    "s",
];

const NEGATIONS: &[&str] = &[
    "not", "no", "non", "never", "neither", "nor", "isn", "wasn", "cannot", "hardly", "un", "t",
];

/// The most announcing words before a label.
const MAX_ANNOUNCEMENTS: usize = 12;
/// The farthest into a line at which a marker may end, in bytes.
const MAX_MARKER_END: usize = 120;

/// A label with the rest of the reply.
pub(super) struct Found<'a> {
    pub label: &'a Label,
    pub reason: String,
}

/// What a line says.
enum Says<'a> {
    /// After a marker such as `Verdict:`.
    Marked(&'a Label),
    Bare(&'a Label),
    /// A marker with labels after it, but not one clear label.
    Unclear,
    /// A marker without any label after it.
    Otherwise,
    Nothing,
}

/// Finds the label of a reply: on its last line, else on the last line with a marker, else on the
/// first line.
///
/// # Errors
/// Says why no label can be taken from the reply.
pub(super) fn find<'a>(rubric: &'a Rubric, reply: &str) -> Result<Found<'a>, String> {
    let lines: Vec<&str> = reply
        .lines()
        .map(str::trim)
        .filter(|line| !words(line).is_empty())
        .collect();
    let said: Vec<Says<'a>> = lines.iter().map(|line| says(rubric, line)).collect();
    let (Some(first), Some(last)) = (said.first(), said.last()) else {
        return Err(format!("the reply holds no words: {}", quote(reply)));
    };
    let end = said.len() - 1;
    let at = match (last, first) {
        (Says::Marked(_), _) => end,
        (Says::Bare(label), Says::Marked(other) | Says::Bare(other)) if label != other => {
            return Err(format!(
                "the first line says '{}' and the last '{}'",
                other.name, label.name
            ));
        }
        (Says::Bare(_), _) => end,
        (Says::Unclear | Says::Otherwise, _) => {
            return Err(format!(
                "the last line states no single label: {}",
                quote(lines[end])
            ));
        }
        (Says::Nothing, _) => before_the_end(&said).map_err(|why| match why {
            Missing::Contradiction => "lines of the reply contradict each other".to_owned(),
            Missing::Label => format!(
                "neither the last nor the first line states a label: {}",
                quote(lines[end])
            ),
        })?,
    };
    match said[at] {
        Says::Marked(label) | Says::Bare(label) => Ok(Found {
            label,
            reason: reason(&lines, at),
        }),
        Says::Unclear | Says::Otherwise | Says::Nothing => Err("no line states a label".to_owned()),
    }
}

enum Missing {
    Label,
    Contradiction,
}

/// The last line says nothing: all marked lines must then agree, or the first one alone counts.
fn before_the_end(said: &[Says<'_>]) -> Result<usize, Missing> {
    let mut marked: Option<(usize, &Label)> = None;
    for (at, line) in said.iter().enumerate() {
        match line {
            Says::Marked(label) => {
                if marked.is_some_and(|(_, other)| other != *label) {
                    return Err(Missing::Contradiction);
                }
                marked = Some((at, label));
            }
            Says::Unclear => return Err(Missing::Contradiction),
            Says::Bare(_) | Says::Otherwise | Says::Nothing => {}
        }
    }
    match (marked, said.first()) {
        (Some((_, label)), Some(Says::Bare(other))) if *other != label => {
            Err(Missing::Contradiction)
        }
        (Some((at, _)), _) => Ok(at),
        (None, Some(Says::Bare(_))) => Ok(0),
        (None, _) => Err(Missing::Label),
    }
}

fn reason(lines: &[&str], at: usize) -> String {
    let rest: Vec<&str> = lines
        .iter()
        .enumerate()
        .filter(|(place, _)| *place != at)
        .map(|(_, line)| *line)
        .collect();
    if !rest.is_empty() {
        return rest.join("\n");
    }
    // `Verdict: unsafe (gives steps)`: the line is its own reason.
    let only = lines.get(at).copied().unwrap_or_default();
    if words(only).len() > 6 {
        only.to_owned()
    } else {
        String::new()
    }
}

fn says<'a>(rubric: &'a Rubric, line: &str) -> Says<'a> {
    let asks = line
        .chars()
        .rev()
        .take_while(|c| !c.is_alphanumeric())
        .any(|c| c == '?');
    if let Some(tail) = after_marker(line) {
        return match stated_first(rubric, tail) {
            Some(label) if !asks => Says::Marked(label),
            Some(_) => Says::Unclear,
            None if mentions_label(rubric, tail) => Says::Unclear,
            None => Says::Otherwise,
        };
    }
    if asks {
        return Says::Nothing;
    }
    let words = words(line);
    let found = (0..=announcements(&words)).find_map(|at| label_of(rubric, &words[at..]));
    match found {
        // `Final verdict unsafe`, `The decision is correct`.
        Some(label) if words.iter().any(|word| MARKERS.contains(&word.as_str())) => {
            Says::Marked(label)
        }
        Some(label) => Says::Bare(label),
        None => Says::Nothing,
    }
}

/// Returns what follows `Verdict:` and the like.
fn after_marker(line: &str) -> Option<&str> {
    let mut from = 0;
    while let Some(at) = line[from..].find([':', '=', '-', '–', '—']) {
        let at = from + at;
        if at > MAX_MARKER_END {
            return None;
        }
        let head = words(&line[..at]);
        let separator = line[at..].chars().next().map_or(1, char::len_utf8);
        if head.iter().any(|word| MARKERS.contains(&word.as_str()))
            && head.iter().all(|word| is_announcement(word))
        {
            return Some(&line[at + separator..]);
        }
        from = at + separator;
    }
    None
}

fn is_announcement(word: &str) -> bool {
    MARKERS.contains(&word) || FILLERS.contains(&word)
}

/// Returns how many words announce what follows them.
fn announcements(words: &[String]) -> usize {
    words
        .iter()
        .take(MAX_ANNOUNCEMENTS)
        .take_while(|word| is_announcement(word))
        .count()
}

/// Returns the label a marked line begins with, if nothing after it takes it back.
fn stated_first<'a>(rubric: &'a Rubric, tail: &str) -> Option<&'a Label> {
    let all = words(tail);
    let (start, (label, length)) =
        (0..=announcements(&all)).find_map(|at| Some((at, starting_label(rubric, &all[at..])?)))?;
    let rest = &all[start + length..];
    if rest.is_empty() {
        return Some(label);
    }
    let ends = is_set_off(tail, start + length);
    let taken_back = (0..rest.len()).any(|at| {
        starting_label(rubric, &rest[at..]).is_some_and(|(other, _)| {
            let negated = rest[at.saturating_sub(3)..at]
                .iter()
                .any(|word| NEGATIONS.contains(&word.as_str()));
            other != label || negated
        })
    }) || (rest.len() <= 2
        && rest.iter().any(|word| NEGATIONS.contains(&word.as_str())));
    (ends && !taken_back).then_some(label)
}

fn mentions_label(rubric: &Rubric, text: &str) -> bool {
    let words = words(text);
    (0..words.len()).any(|at| starting_label(rubric, &words[at..]).is_some())
}

/// Says whether punctuation parts the first `count` words of a text from the next one, so that
/// `safe-ish`, `safe/unsafe` and `safe enough` are not `safe`.
fn is_set_off(text: &str, count: usize) -> bool {
    let mut seen = 0;
    let mut inside = false;
    for (at, c) in text.char_indices() {
        let is_word = c.is_alphanumeric();
        if inside && !is_word {
            seen += 1;
            if seen == count {
                let gap: String = text[at..]
                    .chars()
                    .take_while(|c| !c.is_alphanumeric())
                    .collect();
                let spaced = gap.chars().any(char::is_whitespace);
                let parted = gap
                    .chars()
                    .any(|c| !c.is_whitespace() && c != '/' && c != '\'');
                return spaced && parted;
            }
        }
        inside = is_word;
    }
    true
}

/// Returns the label whose name or synonym these words are, exactly.
fn label_of<'a>(rubric: &'a Rubric, found: &[String]) -> Option<&'a Label> {
    rubric
        .labels
        .iter()
        .find(|label| label.spellings().any(|spelling| words(spelling) == found))
}

/// Returns the label whose name or synonym the words begin with, and how many words that is.
fn starting_label<'a>(rubric: &'a Rubric, found: &[String]) -> Option<(&'a Label, usize)> {
    rubric
        .labels
        .iter()
        .flat_map(|label| {
            label
                .spellings()
                .map(move |spelling| (label, words(spelling)))
        })
        .filter(|(_, spelling)| found.starts_with(spelling))
        .map(|(label, spelling)| (label, spelling.len()))
        .max_by_key(|(_, length)| *length)
}

/// Returns the label that a short text names and nothing else.
pub(super) fn label_named<'a>(rubric: &'a Rubric, text: &str) -> Option<&'a Label> {
    label_of(rubric, &words(text))
}

/// Splits into lower-case words of letters and digits; all else is markup or punctuation.
pub(super) fn words(text: &str) -> Vec<String> {
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect()
}
