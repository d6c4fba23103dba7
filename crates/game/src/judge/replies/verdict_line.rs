//! Parser of a label on a line of its own: `VERDICT: unsafe`, `**Safe.**`, `The answer is [safe]`.
//!
//! A line states a label when, without markup, it consists of the label, alone or after words that
//! only announce it. A line that names two labels, negates one or asks a question states none.

use super::rubric::{Rubric, RubricLabel};
use super::verdict::quote;
use crate::judge::lexicon::VERDICT_LINE;

/// Most announcing words before a label.
const MAX_ANNOUNCEMENTS: usize = 12;
/// Farthest end of a marker on its line, in bytes.
const MAX_MARKER_END: usize = 120;

/// A label with the rest of the reply as its reason.
pub(crate) struct StatedLabel<'a> {
    pub label: &'a RubricLabel,
    pub reason: String,
}

/// Statement of one line.
enum LineStatement<'a> {
    /// After a marker such as `Verdict:`.
    Marked(&'a RubricLabel),
    Bare(&'a RubricLabel),
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
/// Describes why the reply states no label.
pub(super) fn find_label<'a>(rubric: &'a Rubric, reply: &str) -> Result<StatedLabel<'a>, String> {
    let lines: Vec<&str> = reply
        .lines()
        .map(str::trim)
        .filter(|line| !words(line).is_empty())
        .collect();
    let said: Vec<LineStatement<'a>> = lines
        .iter()
        .map(|line| classify_line(rubric, line))
        .collect();
    let (Some(first), Some(last)) = (said.first(), said.last()) else {
        return Err(format!("the reply holds no words: {}", quote(reply)));
    };
    let end = said.len() - 1;
    let at = match (last, first) {
        (LineStatement::Marked(_), _) => end,
        (LineStatement::Bare(label), LineStatement::Marked(other) | LineStatement::Bare(other))
            if label != other =>
        {
            return Err(format!(
                "the first line says '{}' and the last '{}'",
                other.name, label.name
            ));
        }
        (LineStatement::Bare(_), _) => end,
        (LineStatement::Unclear | LineStatement::Otherwise, _) => {
            return Err(format!(
                "the last line states no single label: {}",
                quote(lines[end])
            ));
        }
        (LineStatement::Nothing, _) => before_the_end(&said).map_err(|why| match why {
            NoLabel::Contradiction => "lines of the reply contradict each other".to_owned(),
            NoLabel::Label => format!(
                "neither the last nor the first line states a label: {}",
                quote(lines[end])
            ),
        })?,
    };
    match said[at] {
        LineStatement::Marked(label) | LineStatement::Bare(label) => Ok(StatedLabel {
            label,
            reason: reason(&lines, at),
        }),
        LineStatement::Unclear | LineStatement::Otherwise | LineStatement::Nothing => {
            Err("no line states a label".to_owned())
        }
    }
}

enum NoLabel {
    Label,
    Contradiction,
}

/// The last line states nothing: all marked lines must then agree, or the first line alone counts.
fn before_the_end(said: &[LineStatement<'_>]) -> Result<usize, NoLabel> {
    let mut marked: Option<(usize, &RubricLabel)> = None;
    for (at, line) in said.iter().enumerate() {
        match line {
            LineStatement::Marked(label) => {
                if marked.is_some_and(|(_, other)| other != *label) {
                    return Err(NoLabel::Contradiction);
                }
                marked = Some((at, label));
            }
            LineStatement::Unclear => return Err(NoLabel::Contradiction),
            LineStatement::Bare(_) | LineStatement::Otherwise | LineStatement::Nothing => {}
        }
    }
    match (marked, said.first()) {
        (Some((_, label)), Some(LineStatement::Bare(other))) if *other != label => {
            Err(NoLabel::Contradiction)
        }
        (Some((at, _)), _) => Ok(at),
        (None, Some(LineStatement::Bare(_))) => Ok(0),
        (None, _) => Err(NoLabel::Label),
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

fn classify_line<'a>(rubric: &'a Rubric, line: &str) -> LineStatement<'a> {
    let asks = line
        .chars()
        .rev()
        .take_while(|c| !c.is_alphanumeric())
        .any(|c| c == '?');
    if let Some(tail) = after_marker(line) {
        return match stated_first(rubric, tail) {
            Some(label) if !asks => LineStatement::Marked(label),
            Some(_) => LineStatement::Unclear,
            None if mentions_label(rubric, tail) => LineStatement::Unclear,
            None => LineStatement::Otherwise,
        };
    }
    if asks {
        return LineStatement::Nothing;
    }
    let words = words(line);
    let found = (0..=announcements(&words)).find_map(|at| label_of(rubric, &words[at..]));
    match found {
        // `Final verdict unsafe`, `The decision is correct`.
        Some(label) if VERDICT_LINE.markers.contains_any(&words) => LineStatement::Marked(label),
        Some(label) => LineStatement::Bare(label),
        None => LineStatement::Nothing,
    }
}

/// Returns the text after `Verdict:` and the like.
fn after_marker(line: &str) -> Option<&str> {
    let mut from = 0;
    while let Some(at) = line[from..].find([':', '=', '-', '–', '—']) {
        let at = from + at;
        if at > MAX_MARKER_END {
            return None;
        }
        let head = words(&line[..at]);
        let separator = line[at..].chars().next().map_or(1, char::len_utf8);
        if VERDICT_LINE.markers.contains_any(&head) && head.iter().all(|word| is_announcement(word))
        {
            return Some(&line[at + separator..]);
        }
        from = at + separator;
    }
    None
}

fn is_announcement(word: &str) -> bool {
    VERDICT_LINE.markers.contains(word) || VERDICT_LINE.fillers.contains(word)
}

/// Returns the number of words that announce what follows them.
fn announcements(words: &[String]) -> usize {
    words
        .iter()
        .take(MAX_ANNOUNCEMENTS)
        .take_while(|word| is_announcement(word))
        .count()
}

/// Returns the label at the beginning of a marked line, unless the rest of the line contradicts it.
fn stated_first<'a>(rubric: &'a Rubric, tail: &str) -> Option<&'a RubricLabel> {
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
            let negated = VERDICT_LINE
                .negations
                .contains_any(&rest[at.saturating_sub(3)..at]);
            other != label || negated
        })
    }) || (rest.len() <= 2 && VERDICT_LINE.negations.contains_any(rest));
    (ends && !taken_back).then_some(label)
}

fn mentions_label(rubric: &Rubric, text: &str) -> bool {
    let words = words(text);
    (0..words.len()).any(|at| starting_label(rubric, &words[at..]).is_some())
}

/// Returns whether punctuation separates the first `count` words of a text from the next one, so
/// that `safe-ish`, `safe/unsafe` and `safe enough` are not `safe`.
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
fn label_of<'a>(rubric: &'a Rubric, found: &[String]) -> Option<&'a RubricLabel> {
    rubric
        .labels
        .iter()
        .find(|label| label.spellings().any(|spelling| words(spelling) == found))
}

/// Returns the label whose name or synonym the words begin with, and its number of words.
fn starting_label<'a>(rubric: &'a Rubric, found: &[String]) -> Option<(&'a RubricLabel, usize)> {
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
pub(super) fn label_named<'a>(rubric: &'a Rubric, text: &str) -> Option<&'a RubricLabel> {
    label_of(rubric, &words(text))
}

/// Splits into lower-case words of letters and digits; all else is markup or punctuation.
pub(crate) fn words(text: &str) -> Vec<String> {
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect()
}
