//! Final answer of a reply or a reference: a box, GSM8K's `####`, a sentence that states it, or the
//! last number.

use super::normal_form::{normal_form, strip_braces};
use super::numbers::find_numbers;
use crate::judge::lexicon::MATH;
use std::borrow::Cow;

/// Most boxes of a reply that are tried, from the last one, until one closes.
const MAX_BOXES: usize = 64;
/// Mark before the final answer of GSM8K.
const MARK: &str = "####";
/// Longest line that as a whole may be an answer, in bytes.
const MAX_LINE_BYTES: usize = 400;

/// Returns the content of the last `\boxed{}` (or `\fbox{}`) whose braces close.
pub(super) fn last_box(text: &str) -> Option<&str> {
    let mut end = text.len();
    for _ in 0..MAX_BOXES {
        let at = ["\\boxed", "\\fbox"]
            .iter()
            .filter_map(|name| Some(text[..end].rfind(name)? + name.len()))
            .max()?;
        if let Some(inner) = strip_braces(text[at..].trim_start()) {
            return Some(inner);
        }
        end = text[..at].rfind('\\')?;
    }
    None
}

/// Returns the last box; several that only separators part are one answer: `\boxed{2}` and
/// `\boxed{11}`.
pub(super) fn last_boxes(text: &str) -> Option<Cow<'_, str>> {
    let last = last_box(text)?;
    let mut boxes = vec![last];
    let mut start = box_start(text, last)?;
    while boxes.len() < MAX_BOXES
        && let Some(before) = last_box(&text[..start])
        && let Some(begin) = box_start(&text[..start], before)
    {
        let between = &text[begin..start];
        let end = between.find(before).map_or(0, |at| at + before.len() + 1);
        if !is_separator(between.get(end..).unwrap_or_default()) {
            break;
        }
        boxes.push(before);
        start = begin;
    }
    boxes.reverse();
    Some(match boxes.as_slice() {
        [only] => Cow::Borrowed(*only),
        _ => Cow::Owned(boxes.join(", ")),
    })
}

/// Returns where the command of a box begins, by its content.
fn box_start(text: &str, content: &str) -> Option<usize> {
    let at = (content.as_ptr() as usize).checked_sub(text.as_ptr() as usize)?;
    text.get(..at)?.rfind('\\')
}

/// Returns whether there are signs and words that part answers, and at least one.
fn is_separator(between: &str) -> bool {
    let spaced_text = between.replace([',', ';'], " , ").replace('$', " ");
    let mut words = spaced_text.split_whitespace().peekable();
    words.peek().is_some() && words.all(|word| word == "," || MATH.separators.contains(word))
}

/// Returns whether a box begins that nothing closes: the reply was cut off inside of its answer.
pub(super) fn is_cut_in_box(text: &str) -> bool {
    let begins = text.rfind("\\boxed{").max(text.rfind("\\fbox{"));
    begins.is_some_and(|at| last_box(&text[at..]).is_none())
}

/// Returns whether a text stands in place of an answer.
pub(super) fn is_placeholder(answer: &str) -> bool {
    let normal = normal_form(answer).to_lowercase();
    let bare = ["\\text", "\\textbf", "\\mathrm"]
        .iter()
        .fold(normal, |text, command| text.replace(command, ""));
    let bare = bare.trim_matches(['{', '}', '[', ']', '(', ')', ' ']);
    bare.is_empty() || MATH.placeholders.contains(bare)
}

/// Returns what stands behind the last `####`, to the end of its line.
pub(super) fn find_marked_line(text: &str) -> Option<&str> {
    let at = text.rfind(MARK)? + MARK.len();
    let line = text[at..].lines().next()?.trim();
    (!line.is_empty()).then_some(line)
}

/// Returns the answer of a reference: its box, what its `####` marks, or all of it.
pub(super) fn answer_of_reference(reference: &str) -> &str {
    last_box(reference)
        .or_else(|| find_marked_line(reference))
        .unwrap_or(reference)
        .trim()
}

/// Returns the text after the last words that announce a final answer, to the end of its sentence.
pub(super) fn find_stated_answer(text: &str) -> Option<&str> {
    let lower = text.to_ascii_lowercase();
    let phrases = MATH.final_answer.iter();
    let at = phrases
        .filter_map(|phrase| Some(lower.rfind(phrase.as_str())? + phrase.len()))
        .max()?;
    let rest = text[at..].trim_start_matches([':', '*', ' ', '\n', '\r', '\t']);
    let line = rest.lines().next()?;
    let end = [". ", "! ", "? ", "; "]
        .iter()
        .filter_map(|end| line.find(end))
        .min();
    let sentence = line[..end.unwrap_or(line.len())].trim();
    (!sentence.is_empty()).then_some(sentence)
}

/// Returns the mathematics that a reply ends with: between its last dollar signs or `\( \)`, or its
/// last line.
pub(super) fn last_formula(text: &str) -> Option<&str> {
    let last = text.lines().map(str::trim).rfind(|line| !line.is_empty())?;
    let pairs = [("\\(", "\\)"), ("\\[", "\\]")];
    for (open, close) in pairs {
        if let Some(end) = last.rfind(close)
            && let Some(start) = last[..end].rfind(open)
        {
            return Some(&last[start + open.len()..end]);
        }
    }
    if let Some(end) = last.rfind('$')
        && let Some(start) = last[..end].rfind('$')
    {
        return Some(&last[start + 1..end]);
    }
    (last.len() <= MAX_LINE_BYTES).then_some(last)
}

/// Returns the number that a statement gives: the last one behind `=`, else the first one.
pub(super) fn stated_number(sentence: &str) -> Option<&str> {
    let behind = sentence
        .rsplit_once('=')
        .and_then(|(_, right)| number_texts(right).next());
    behind.or_else(|| number_texts(sentence).next())
}

/// Returns the last number of a text, as written.
pub(super) fn last_number(text: &str) -> Option<&str> {
    number_texts(text).last()
}

/// Returns numbers as written, with the sign before their currency: `-$5`.
fn number_texts(text: &str) -> impl Iterator<Item = &str> {
    find_numbers(text).map(|(_, start, end)| {
        let before = text[..start].trim_end_matches(['$', '\\', '€', '£']);
        let has_sign = before.len() < start && before.ends_with(['-', '−']);
        let sign = before.chars().next_back().map_or(0, char::len_utf8);
        let begin = if has_sign { before.len() - sign } else { start };
        &text[begin..end]
    })
}
