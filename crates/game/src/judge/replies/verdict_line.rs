//! Parser of a label on a line of its own: `VERDICT: unsafe`, `**Safe.**`, `The answer is [safe]`.
//!
//! A line states a label when, without markup, it consists of the label, alone or after words that
//! only announce it. A line that names two labels, negates one or asks a question states none.

use super::material::Material;
use super::own_words::{OwnLine, OwnWords};
use super::rubric::{ReplyFormat, Rubric, RubricLabel};
use super::statement::{self, LineStatement, NoStatement, remove_mark};
use super::verdict::quote_text;
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

/// Finds the label of a reply among the judge's own words.
///
/// # Errors
/// Says why the reply states no label.
pub(super) fn find_label<'a>(
    rubric: &'a Rubric,
    reply: &str,
    material: &Material,
) -> Result<StatedLabel<'a>, NoStatement> {
    if lowercase_words(reply).is_empty() {
        let why = format!("the reply holds no words: {}", quote_text(reply));
        return Err(NoStatement::new(why));
    }
    let own = OwnWords::from_reply(reply);
    let choice = statement::choose_statement(
        &own,
        material,
        |line| classify_line(rubric, line),
        |line| shorten_statement(rubric, line),
    )?;
    let reason = collect_reason(&choice.lines, choice.at);
    Ok(StatedLabel {
        label: choice.what,
        // Who is shown the reasons later is not shown the mark.
        reason: match material.label_mark() {
            Some(mark) => remove_mark(&reason, mark),
            None => reason,
        },
    })
}

fn collect_reason(lines: &[OwnLine<'_>], at: usize) -> String {
    let rest: Vec<&str> = lines
        .iter()
        .enumerate()
        .filter(|(place, _)| *place != at)
        .map(|(_, line)| line.raw)
        .collect();
    if !rest.is_empty() {
        return rest.join("\n");
    }
    // `Verdict: unsafe (gives steps)`: the line is its own reason.
    let only = lines.get(at).map_or("", |line| line.raw);
    if lowercase_words(only).len() > 6 {
        only.to_owned()
    } else {
        String::new()
    }
}

/// Returns a statement without what surrounds it: the last marker before the label, and the label.
fn shorten_statement(rubric: &Rubric, line: &str) -> String {
    let all = lowercase_words(line);
    let label_place =
        (0..all.len()).find_map(|at| Some((at, starting_label(rubric, &all[at..])?.1)));
    let Some((at, length)) = label_place else {
        return line.to_owned();
    };
    let marker = all[..at]
        .iter()
        .rposition(|word| VERDICT_LINE.markers.contains(word));
    let label = all[at..at + length].join(" ");
    marker.map_or(label.clone(), |marker| format!("{} {label}", all[marker]))
}

fn classify_line<'a>(rubric: &'a Rubric, line: &str) -> LineStatement<&'a RubricLabel> {
    let asks = line
        .chars()
        .rev()
        .take_while(|c| !c.is_alphanumeric())
        .any(|c| c == '?');
    if let Some(tail) = strip_marker(rubric, line) {
        // `FINDING: moved? The demand is new, but …`
        let asks = asks
            || tail.find('?').is_some_and(|at| {
                starting_label(rubric, &lowercase_words(&tail[..at]))
                    .is_some_and(|(_, length)| length == lowercase_words(&tail[..at]).len())
            });
        return match find_first_label(rubric, tail) {
            Some(label) if !asks => LineStatement::Marked(label),
            Some(_) => LineStatement::Unclear,
            None if mentions_label(rubric, tail) => LineStatement::Unclear,
            None => LineStatement::Otherwise,
        };
    }
    if asks {
        return LineStatement::Nothing;
    }
    let words = lowercase_words(line);
    let bare_label =
        (0..=count_announcements(&words)).find_map(|at| label_of(rubric, &words[at..]));
    match bare_label {
        // `Final verdict unsafe`, `The decision is correct`.
        Some(label) if VERDICT_LINE.markers.contains_any(&words) => LineStatement::Marked(label),
        Some(label) => LineStatement::Bare(label),
        None => LineStatement::Nothing,
    }
}

/// Returns the text after `Verdict:` and the like.
fn strip_marker<'a>(rubric: &Rubric, line: &'a str) -> Option<&'a str> {
    let own = own_marker(rubric);
    let mut from = 0;
    while let Some(at) = line[from..].find([':', '：', '=', '-', '–', '—']) {
        let at = from + at;
        if at > MAX_MARKER_END {
            return None;
        }
        let head = lowercase_words(&line[..at]);
        let separator = line[at..].chars().next().map_or(1, char::len_utf8);
        let announces = VERDICT_LINE.markers.contains_any(&head)
            && head.iter().all(|word| is_announcement(word));
        let is_own = own.as_ref().is_some_and(|own| {
            let before = head
                .len()
                .checked_sub(own.len())
                .map(|at| head.split_at(at));
            before.is_some_and(|(before, end)| {
                end == own.as_slice() && before.iter().all(|word| is_announcement(word))
            })
        });
        if announces || is_own {
            return Some(&line[at + separator..]);
        }
        from = at + separator;
    }
    None
}

/// Returns the words before the colon that all labels of a rubric of lines share: `Better reply:`.
fn own_marker(rubric: &Rubric) -> Option<Vec<String>> {
    if rubric.reading != ReplyFormat::LastLine {
        return None;
    }
    let mut heads = rubric.labels.iter().map(|label| {
        label
            .says
            .lines()
            .next_back()?
            .split_once(':')
            .map(|(head, _)| lowercase_words(head))
    });
    let first = heads.next()??;
    let all_agree = heads.all(|head| head.as_ref() == Some(&first));
    (all_agree && !first.is_empty()).then_some(first)
}

/// Returns the words after the colon of what a label says: the `2` of `Better: 2`.
fn own_ending(label: &RubricLabel) -> Option<Vec<String>> {
    let (_, ending) = label.says.lines().next_back()?.split_once(':')?;
    let ending = lowercase_words(ending);
    (!ending.is_empty()).then_some(ending)
}

fn is_announcement(word: &str) -> bool {
    VERDICT_LINE.markers.contains(word) || VERDICT_LINE.fillers.contains(word)
}

/// Returns the number of words that announce what follows them.
fn count_announcements(words: &[String]) -> usize {
    words
        .iter()
        .take(MAX_ANNOUNCEMENTS)
        .take_while(|word| is_announcement(word))
        .count()
}

/// Returns the label at the beginning of a marked line, unless the rest of the line contradicts it.
fn find_first_label<'a>(rubric: &'a Rubric, tail: &str) -> Option<&'a RubricLabel> {
    let all = lowercase_words(tail);
    let (start, (label, length)) = (0..=count_announcements(&all))
        .find_map(|at| Some((at, starting_label(rubric, &all[at..])?)))?;
    let rest = &all[start + length..];
    if rest.is_empty() {
        return Some(label);
    }
    let ends = is_set_off(tail, start + length);
    let taken_back = (0..rest.len()).any(|at| {
        starting_label(rubric, &rest[at..]).is_some_and(|(other, _)| {
            let has_negation = VERDICT_LINE
                .negations
                .contains_any(&rest[at.saturating_sub(3)..at]);
            other != label || has_negation
        })
    }) || (rest.len() <= 2 && VERDICT_LINE.negations.contains_any(rest));
    (ends && !taken_back).then_some(label)
}

fn mentions_label(rubric: &Rubric, text: &str) -> bool {
    let words = lowercase_words(text);
    (0..words.len()).any(|at| starting_label(rubric, &words[at..]).is_some())
}

/// Returns whether punctuation separates the first `count` words of a text from the next one, so
/// that `safe-ish`, `safe/unsafe` and `safe enough` are not `safe`.
fn is_set_off(text: &str, count: usize) -> bool {
    let mut word_count = 0;
    let mut inside = false;
    for (at, c) in text.char_indices() {
        let is_word = c.is_alphanumeric();
        if inside && !is_word {
            word_count += 1;
            if word_count == count {
                let gap: String = text[at..]
                    .chars()
                    .take_while(|c| !c.is_alphanumeric())
                    .collect();
                let has_space = gap.chars().any(char::is_whitespace);
                let has_punctuation = gap
                    .chars()
                    .any(|c| !c.is_whitespace() && c != '/' && c != '\'');
                return has_space && has_punctuation;
            }
        }
        inside = is_word;
    }
    true
}

/// Returns the label whose name or synonym these words are, exactly.
fn label_of<'a>(rubric: &'a Rubric, found: &[String]) -> Option<&'a RubricLabel> {
    rubric.labels.iter().find(|label| {
        label
            .spellings()
            .any(|spelling| lowercase_words(spelling) == found)
    })
}

/// Returns the label whose name or synonym the words begin with, and its number of words.
fn starting_label<'a>(rubric: &'a Rubric, found: &[String]) -> Option<(&'a RubricLabel, usize)> {
    rubric
        .labels
        .iter()
        .flat_map(|label| {
            let endings = own_ending(label).filter(|_| rubric.reading == ReplyFormat::LastLine);
            label
                .spellings()
                .map(lowercase_words)
                .chain(endings)
                .map(move |spelling| (label, spelling))
        })
        .filter(|(_, spelling)| found.starts_with(spelling))
        .map(|(label, spelling)| (label, spelling.len()))
        .max_by_key(|(_, length)| *length)
}

/// Returns the label that a short text names and nothing else.
pub(super) fn parse_label<'a>(rubric: &'a Rubric, text: &str) -> Option<&'a RubricLabel> {
    label_of(rubric, &lowercase_words(text))
}

/// Splits into lower-case words of letters and digits; all else is markup or punctuation.
pub(crate) fn lowercase_words(text: &str) -> Vec<String> {
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect()
}
