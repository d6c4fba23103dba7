//! First version of the graders, by which sessions continue that began with it. Never changed:
//! what it finds is part of old records.

use super::final_answer::last_box;
use super::normal_form::strip_braces;
use super::numbers::{last_number, whole_number};
use super::reference_answers;
use super::{CORRECT, INCORRECT};
use crate::debate::ReferenceAnswer;
use crate::debate::event::{Finding, Outcome};
use crate::debate::protocol::Grader;
use crate::judge::replies::verdict::{quote_text, unparsed_outcome};
use crate::judge::replies::verdict_line::lowercase_words;

/// Compares a reply with the reference answer and its aliases.
///
/// - *exact*: equal, white space around it aside.
/// - *alias*: any reference answer is contained in the reply as whole words, after lower-casing and
///   without punctuation and articles, as TriviaQA's evaluation does.
/// - *boxed*: the last `\boxed{}` of the reply equals the reference (or the last box in it), after
///   removing spacing commands, `\left`, `\right`, `$`, `\text{}`, `^\circ` and a final full stop,
///   and with `\dfrac`, `\tfrac` as `\frac`; or both are equal numbers. No algebra is done and
///   units are not converted: `2\sqrt2` and `\sqrt8` differ.
/// - *numeric*: the number in the last box, or the last number of the reply, equals the reference
///   up to a relative 10⁻⁶; see the percent rule of the module's numbers: `50%` is `0.5` and `50`.
/// - *auto*: boxed if the reference or the reply is boxed, numeric if the reference is a number,
///   alias otherwise.
///
/// The outcome is unparsed where nothing can be compared.
pub(super) fn grade_first_version(
    grader: Grader,
    reference: &ReferenceAnswer,
    reply: &str,
) -> Outcome {
    if reply.trim().is_empty() {
        return unparsed_outcome("the reply is empty");
    }
    let right = match grader {
        Grader::Exact => Ok(reference_answers(reference).any(|gold| gold.trim() == reply.trim())),
        Grader::Alias => matches_alias(reference, reply),
        Grader::Boxed => matches_box(reference, reply),
        Grader::Numeric => matches_number(reference, reply),
        Grader::Auto => {
            let any_box = last_box(&reference.answer).is_some() || last_box(reply).is_some();
            if any_box {
                matches_box(reference, reply)
            } else if whole_number(&reference.answer).is_some() {
                matches_number(reference, reply)
            } else {
                matches_alias(reference, reply)
            }
        }
    };
    match right {
        Ok(true) => plain_outcome(CORRECT, 1.0),
        Ok(false) => plain_outcome(INCORRECT, -1.0),
        Err(why) => unparsed_outcome(why),
    }
}

fn plain_outcome(label: &str, value: f64) -> Outcome {
    Outcome::Label(Finding {
        label: label.to_owned(),
        value,
        ..Finding::default()
    })
}

pub(super) fn matches_alias(reference: &ReferenceAnswer, reply: &str) -> Result<bool, String> {
    let reply_words = plain_words(reply);
    let golds: Vec<Vec<String>> = reference_answers(reference)
        .map(plain_words)
        .filter(|gold| !gold.is_empty())
        .collect();
    if golds.is_empty() {
        return Err("the reference answer has no words to look for".to_owned());
    }
    Ok(golds.iter().any(|gold| {
        reply_words
            .windows(gold.len())
            .any(|window| window == gold.as_slice())
    }))
}

fn plain_words(text: &str) -> Vec<String> {
    // An apostrophe belongs to its word: "o'neill" and "oneill" are one spelling.
    let text: String = text
        .chars()
        .filter(|c| !matches!(c, '\'' | '’' | '‘' | '´' | '`'))
        .collect();
    let mut words = lowercase_words(&text);
    words.retain(|word| !matches!(word.as_str(), "a" | "an" | "the"));
    words
}

fn matches_box(reference: &ReferenceAnswer, reply: &str) -> Result<bool, String> {
    let Some(said) = last_box(reply) else {
        return Err(format!(
            "the reply has no \\boxed{{}}: {}",
            quote_text(reply)
        ));
    };
    let box_text = plain_math(said);
    if box_text.is_empty() {
        return Err("the box is empty".to_owned());
    }
    Ok(reference_answers(reference)
        .map(|gold| plain_math(last_box(gold).unwrap_or(gold)))
        .any(|gold| same_math(&gold, &box_text)))
}

fn same_math(a: &str, b: &str) -> bool {
    // Words may differ in case, single letters are names of things and may not.
    let are_words = a.chars().count() > 1 && a.chars().all(char::is_alphabetic);
    a == b
        || (are_words && a.to_lowercase() == b.to_lowercase())
        || match (whole_number(a), whole_number(b)) {
            (Some(a), Some(b)) => a.equals(b),
            (Some(_), None) | (None, Some(_)) | (None, None) => false,
        }
}

fn matches_number(reference: &ReferenceAnswer, reply: &str) -> Result<bool, String> {
    let golds: Vec<_> = reference_answers(reference)
        .filter_map(|gold| whole_number(&plain_math(last_box(gold).unwrap_or(gold))))
        .collect();
    if golds.is_empty() {
        return Err(format!(
            "the reference answer is not a number: {}",
            quote_text(&reference.answer)
        ));
    }
    let reply_number = last_box(reply)
        .and_then(last_number)
        .or_else(|| last_number(reply))
        .ok_or_else(|| format!("the reply holds no number: {}", quote_text(reply)))?;
    Ok(golds.iter().any(|gold| gold.equals(reply_number)))
}

/// Removes commands that change the look of mathematics and not its meaning.
fn plain_math(text: &str) -> String {
    let mut out = text.trim().to_owned();
    for (from, to) in [
        ("\\dfrac", "\\frac"),
        ("\\tfrac", "\\frac"),
        ("\\left", ""),
        ("\\right", ""),
        ("\\!", ""),
        ("\\,", ""),
        ("\\;", ""),
        ("\\:", ""),
        ("\\ ", ""),
        ("~", ""),
        ("{,}", ","),
        ("\\$", ""),
        ("$", ""),
        ("^{\\circ}", ""),
        ("^\\circ", ""),
        ("−", "-"),
    ] {
        // `\leftarrow` and the like are commands of their own.
        out = if from.ends_with(|c: char| c.is_ascii_alphabetic()) {
            replace_command(&out, from, to)
        } else {
            out.replace(from, to)
        };
    }
    for name in ["\\text", "\\mathrm", "\\textbf", "\\mbox"] {
        out = unwrap_command(&out, name);
    }
    out.retain(|c| !c.is_whitespace());
    out.trim_end_matches('.').to_owned()
}

/// Replaces a LaTeX command where no letter follows that would make it another one.
fn replace_command(text: &str, command: &str, by: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(command) {
        let after = &rest[at + command.len()..];
        out.push_str(&rest[..at]);
        let longer = after.starts_with(|c: char| c.is_ascii_alphabetic());
        out.push_str(if longer { command } else { by });
        rest = after;
    }
    out.push_str(rest);
    out
}

/// Replaces `\text{inner}` by `inner`.
fn unwrap_command(text: &str, command: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(command) {
        let after = &rest[at + command.len()..];
        out.push_str(&rest[..at]);
        match strip_braces(after) {
            Some(inner) => {
                out.push_str(inner);
                rest = &after[inner.len() + 2..];
            }
            None => {
                out.push_str(command);
                rest = after;
            }
        }
    }
    out.push_str(rest);
    out
}
