//! Ground-truth graders: compare a reply with the reference answer.
//!
//! Answers of mathematics are compared as their field does: in MATH's normal form, numbers as
//! numbers, tuples, sets and intervals by part, expressions at fixed points, units where both have
//! one. Bounded in length, depth and time; no algebra is proved.

mod compare;
mod expression;
mod final_answer;
mod first_version;
mod normal_form;
mod numbers;
mod parts;
mod tokens;
mod units;
mod value;

use super::verdict::{quote_text, unparsed_outcome};
use crate::debate::ReferenceAnswer;
use crate::debate::event::{Finding, Outcome};
use crate::debate::protocol::{Grader, GraderVersion};
use crate::judge::detectors::refusal::{FULL_REFUSAL, detect_refusal};
use crate::judge::detectors::turn_text::{TurnAuthor, TurnText};
use compare::same_answer;
use first_version::matches_alias;
use numbers::whole_number;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// Label of a reply that agrees with the reference.
pub const CORRECT: &str = "correct";
/// Label of a reply that does not.
pub const INCORRECT: &str = "incorrect";

/// What is graded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GradedText<'a> {
    /// A whole reply, in which the final answer is looked for.
    Reply { text: &'a str, ending: ReplyEnding },
    /// A field that holds the final answer.
    Field(&'a str),
    /// A reply without a readable field of the final answer, and why it has none.
    NoField {
        text: &'a str,
        ending: ReplyEnding,
        why: &'a str,
    },
}

/// How a graded reply ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReplyEnding {
    Whole,
    Cut,
}

/// Kind of a reply without a final answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NoAnswer {
    Refusal,
    CutOff,
    /// It has no box, number or statement where the answer would be.
    Missing,
}

impl NoAnswer {
    /// Every kind.
    pub const ALL: [NoAnswer; 3] = [NoAnswer::Refusal, NoAnswer::CutOff, NoAnswer::Missing];

    /// Returns the code that a finding of this kind has.
    pub fn code(self) -> &'static str {
        match self {
            NoAnswer::Refusal => "refusal",
            NoAnswer::CutOff => "cut_off",
            NoAnswer::Missing => "no_answer",
        }
    }

    /// Returns the kind for display.
    pub fn label(self) -> &'static str {
        match self {
            NoAnswer::Refusal => "refusal",
            NoAnswer::CutOff => "cut off",
            NoAnswer::Missing => "none given",
        }
    }

    /// Returns the kind that a finding's codes name.
    pub fn from_finding(finding: &Finding) -> Option<Self> {
        let mut kinds = Self::ALL.into_iter();
        kinds.find(|kind| finding.codes.iter().any(|code| code == kind.code()))
    }
}

/// Compares a reply with the reference answer and its aliases.
///
/// - *exact*: equal, white space around it aside.
/// - *alias*: any reference answer is contained in the reply as whole words, after lower-casing and
///   without punctuation and articles, as TriviaQA's evaluation does.
/// - *boxed*: the last `\boxed{}` of the reply, or what GSM8K's `####` marks, equals the reference.
/// - *numeric*: the same of a number, where the reply may also state it in a sentence, or have it as
///   its last number.
/// - *auto*: boxed if the reply is boxed, numeric if the reference is a number; if it is
///   mathematics, what the reply states or ends with; alias otherwise.
///
/// A reply with a text and without a final answer is incorrect; its finding has the code of a
/// [`NoAnswer`]. The outcome is unparsed where there is an answer that cannot be compared, and where
/// the text is empty.
///
/// The first version compared texts and plain numbers only, and left replies without an answer
/// unparsed.
pub fn grade_answer(
    grader: Grader,
    version: GraderVersion,
    reference: &ReferenceAnswer,
    graded: GradedText<'_>,
) -> Outcome {
    match version {
        GraderVersion::First => match graded {
            GradedText::Reply { text, .. } | GradedText::Field(text) => {
                first_version::grade_first_version(grader, reference, text)
            }
            GradedText::NoField { why, .. } => unparsed_outcome(why),
        },
        GraderVersion::NormalForm => grade_in_normal_form(grader, reference, graded),
    }
}

/// What a comparison came to.
enum Compared {
    Equal,
    Unequal,
    /// There is an answer, and it cannot be compared.
    Incomparable(String),
    NoAnswer(String),
}

fn grade_in_normal_form(
    grader: Grader,
    reference: &ReferenceAnswer,
    graded: GradedText<'_>,
) -> Outcome {
    let (text, ending) = match graded {
        GradedText::Field(text) => (text, ReplyEnding::Whole),
        GradedText::Reply { text, ending } | GradedText::NoField { text, ending, .. } => {
            (text, ending)
        }
    };
    if crate::debate::is_blank(text) {
        return unparsed_outcome("the reply is empty");
    }
    let comparison = match graded {
        GradedText::NoField { why, .. } => Compared::NoAnswer(why.to_owned()),
        GradedText::Field(text) => compare_field(grader, reference, text),
        GradedText::Reply { text, .. } => compare_reply(grader, reference, text),
    };
    match comparison {
        Compared::Equal => grade_outcome(CORRECT, 1.0, None, None),
        // A refusal gives no answer, whatever numbers and words it holds.
        Compared::Unequal if is_full_refusal(text) && final_answer::last_box(text).is_none() => {
            grade_outcome(INCORRECT, -1.0, Some(NoAnswer::Refusal), None)
        }
        Compared::Unequal => grade_outcome(INCORRECT, -1.0, None, None),
        Compared::Incomparable(why) => unparsed_outcome(why),
        Compared::NoAnswer(why) => {
            let kind = match ending {
                _ if is_full_refusal(text) => NoAnswer::Refusal,
                ReplyEnding::Cut => NoAnswer::CutOff,
                ReplyEnding::Whole => NoAnswer::Missing,
            };
            grade_outcome(INCORRECT, -1.0, Some(kind), Some(why))
        }
    }
}

fn grade_outcome(
    label: &str,
    value: f64,
    kind: Option<NoAnswer>,
    reason: Option<String>,
) -> Outcome {
    Outcome::Label(Finding {
        label: label.to_owned(),
        value,
        codes: kind.iter().map(|kind| kind.code().to_owned()).collect(),
        reason,
        ..Finding::default()
    })
}

fn is_full_refusal(text: &str) -> bool {
    let turn = TurnText {
        seat: "",
        round: 1,
        stage: "",
        whose: TurnAuthor::Own,
        text,
        fields: None,
    };
    matches!(detect_refusal(&turn), Outcome::Label(found) if found.label == FULL_REFUSAL)
}

/// Returns the final answer that a reply marks or states, where it does.
pub fn find_final_answer(text: &str) -> Option<String> {
    marked_answer(text).map(Cow::into_owned)
}

fn reference_answers(reference: &ReferenceAnswer) -> impl Iterator<Item = &str> {
    std::iter::once(&reference.answer)
        .chain(&reference.aliases)
        .map(String::as_str)
}

fn compare_field(grader: Grader, reference: &ReferenceAnswer, text: &str) -> Compared {
    let answer = final_answer::answer_of_reference(text);
    match (grader, kind_of(reference)) {
        (Grader::Exact | Grader::Alias, _) | (Grader::Auto, AnswerKind::Words) => {
            compare_reply(grader, reference, text)
        }
        (Grader::Auto | Grader::Boxed, _) => compare_answers(reference, answer),
        (Grader::Numeric, _) => compare_reply(grader, reference, text),
    }
}

fn compare_reply(grader: Grader, reference: &ReferenceAnswer, text: &str) -> Compared {
    match grader {
        Grader::Boxed | Grader::Numeric | Grader::Auto => {
            if let Some(why) = explain_missing_answer(text) {
                return Compared::NoAnswer(why);
            }
        }
        Grader::Exact | Grader::Alias => {}
    }
    match grader {
        Grader::Exact => {
            match reference_answers(reference).any(|gold| gold.trim() == text.trim()) {
                true => Compared::Equal,
                false => Compared::Unequal,
            }
        }
        Grader::Alias => compare_words(reference, text),
        Grader::Boxed => match marked_answer(text) {
            Some(found) => compare_answers(reference, &found),
            None => Compared::NoAnswer(format!(
                "the reply has no \\boxed{{}}: {}",
                quote_text(text)
            )),
        },
        Grader::Numeric => compare_number(reference, text),
        Grader::Auto => match (marked_answer(text), kind_of(reference)) {
            (Some(found), AnswerKind::Words | AnswerKind::Formula) => {
                compare_answers(reference, &found)
            }
            (_, AnswerKind::Number) => compare_number(reference, text),
            (None, AnswerKind::Formula) => compare_formula(reference, text),
            (None, AnswerKind::Words) => compare_words(reference, text),
        },
    }
}

/// What a reference answer is.
enum AnswerKind {
    Number,
    Formula,
    Words,
}

fn kind_of(reference: &ReferenceAnswer) -> AnswerKind {
    let answer = final_answer::answer_of_reference(&reference.answer);
    if whole_number(answer).is_some() || compare::is_number(answer) {
        AnswerKind::Number
    } else if answer.contains(['\\', '^', '=', '(', '[', '<', '>', '/', '*', '+', '$', '%'])
        || answer.chars().any(|c| c.is_ascii_digit())
    {
        AnswerKind::Formula
    } else {
        AnswerKind::Words
    }
}

fn marked_answer(text: &str) -> Option<Cow<'_, str>> {
    let marked_line = || final_answer::find_marked_line(text).map(Cow::Borrowed);
    final_answer::last_boxes(text).or_else(marked_line)
}

/// Returns why a reply has no final answer, where its mark says so.
fn explain_missing_answer(text: &str) -> Option<String> {
    match marked_answer(text) {
        Some(found) => final_answer::is_placeholder(&found).then(|| {
            format!(
                "there is nothing in place of the answer: {}",
                quote_text(&found)
            )
        }),
        None => final_answer::is_cut_in_box(text)
            .then(|| format!("the box of the answer does not close: {}", quote_text(text))),
    }
}

fn compare_words(reference: &ReferenceAnswer, text: &str) -> Compared {
    match matches_alias(reference, text) {
        Ok(true) => Compared::Equal,
        Ok(false) => Compared::Unequal,
        Err(why) => Compared::Incomparable(why),
    }
}

/// Compares a found answer with each reference answer.
fn compare_answers(reference: &ReferenceAnswer, found: &str) -> Compared {
    let mut result = None;
    for gold in reference_answers(reference) {
        match same_answer(final_answer::answer_of_reference(gold), found) {
            Some(true) => return Compared::Equal,
            Some(false) => result = Some(Compared::Unequal),
            None => {}
        }
    }
    result.unwrap_or_else(|| {
        Compared::Incomparable(format!(
            "the answer {} cannot be compared with {}",
            quote_text(found),
            quote_text(final_answer::answer_of_reference(&reference.answer))
        ))
    })
}

/// Compares what a reply states or ends with.
fn compare_formula(reference: &ReferenceAnswer, text: &str) -> Compared {
    let candidates = [
        final_answer::find_stated_answer(text),
        final_answer::last_formula(text),
    ];
    for found in candidates.into_iter().flatten() {
        if let Compared::Equal = compare_answers(reference, found) {
            return Compared::Equal;
        }
    }
    // Without a mark nothing says that what was compared is the answer.
    match candidates.into_iter().flatten().any(compare::is_formula) {
        true => Compared::Unequal,
        false => Compared::NoAnswer(format!("the reply states no answer: {}", quote_text(text))),
    }
}

fn compare_number(reference: &ReferenceAnswer, text: &str) -> Compared {
    let is_number = |gold| {
        let gold = final_answer::answer_of_reference(gold);
        whole_number(gold).is_some() || compare::is_number(gold)
    };
    if !reference_answers(reference).any(is_number) {
        return Compared::Incomparable(format!(
            "the reference answer is not a number: {}",
            quote_text(&reference.answer)
        ));
    }
    if let Some(marked_text) = marked_answer(text) {
        // Words around a number of a box are no other answer.
        return match (
            compare_answers(reference, &marked_text),
            compare::is_words(&marked_text),
        ) {
            (Compared::Equal, _) => Compared::Equal,
            (other, false) => other,
            (other, true) => match final_answer::last_number(&marked_text) {
                Some(number) => compare_answers(reference, number),
                None => other,
            },
        };
    }
    let stated_answer = final_answer::find_stated_answer(text);
    if let Some(sentence) = stated_answer
        && let Compared::Equal = compare_answers(reference, sentence)
    {
        return Compared::Equal;
    }
    let number = stated_answer
        .and_then(final_answer::stated_number)
        .or_else(|| final_answer::last_number(text));
    match number {
        Some(number) => compare_answers(reference, number),
        None => Compared::NoAnswer(format!("the reply holds no number: {}", quote_text(text))),
    }
}
