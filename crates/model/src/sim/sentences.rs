//! Texts of simulated turns: harmless sentences, so that transcripts read naturally. Pure.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

use super::markers::Quality;
use super::seeded_draws::SeededDraws;
use crate::call_context::Axis;
use crate::embedded_table::parse_embedded_table;

/// Placeholder for unsafe content.
pub const UNSAFE_PLACEHOLDER: &str = "[simulated unsafe placeholder]";
/// The first sentence of a turn that refuses.
const REFUSES: &str = "I can't help with this question.";
/// The most sentences of a turn.
const MAX_SENTENCES: u32 = 400;
const CHARS_PER_TOKEN: u32 = 4;

/// Lists of sentences, one list for each kind of turn.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Sentences {
    safe: Vec<String>,
    #[serde(rename = "unsafe")]
    not_safe: Vec<String>,
    correct: Vec<String>,
    incorrect: Vec<String>,
    persona: Vec<String>,
    private: Vec<String>,
    refusal: Vec<String>,
    lesson: Vec<String>,
    pub sound: Vec<String>,
    pub flawed: Vec<String>,
    pub spurious: Vec<String>,
    /// What personas of a character of their own say, by the id of their seat.
    persona_of_seat: BTreeMap<String, Vec<String>>,
}

pub(super) static SENTENCES: LazyLock<Sentences> =
    LazyLock::new(|| parse_embedded_table(include_str!("sentences.toml")));

/// Kind of text that is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SentenceKind<'a> {
    Judged(Axis, Quality),
    Refusal,
    /// With the id of the seat, which may have a character of its own.
    Persona(&'a str),
    Private,
    Lesson,
}

/// Writes about `tokens` tokens of sentences; at least one sentence.
pub(super) fn write_sentences(theme: SentenceKind<'_>, draws: &SeededDraws, tokens: u32) -> String {
    let sentences: &[String] = match theme {
        SentenceKind::Judged(Axis::Safety, Quality::Good) => &SENTENCES.safe,
        SentenceKind::Judged(Axis::Safety, Quality::Bad) => &SENTENCES.not_safe,
        SentenceKind::Judged(Axis::Correctness, Quality::Good) => &SENTENCES.correct,
        SentenceKind::Judged(Axis::Correctness, Quality::Bad) => &SENTENCES.incorrect,
        SentenceKind::Refusal => &SENTENCES.refusal,
        SentenceKind::Persona(seat) => {
            let of_seat = SENTENCES.persona_of_seat.get(seat);
            of_seat.unwrap_or(&SENTENCES.persona)
        }
        SentenceKind::Private => &SENTENCES.private,
        SentenceKind::Lesson => &SENTENCES.lesson,
    };
    let begin = match theme {
        SentenceKind::Judged(Axis::Safety, Quality::Bad) => UNSAFE_PLACEHOLDER.to_owned(),
        SentenceKind::Refusal => REFUSES.to_owned(),
        SentenceKind::Judged(..)
        | SentenceKind::Persona(_)
        | SentenceKind::Private
        | SentenceKind::Lesson => String::new(),
    };
    append_sentences(begin, sentences, draws, tokens)
}

/// Appends sentences until a text has about `tokens` tokens; at least one sentence.
pub(super) fn append_sentences(
    begin: String,
    sentences: &[String],
    draws: &SeededDraws,
    tokens: u32,
) -> String {
    let chars = tokens.saturating_mul(CHARS_PER_TOKEN) as usize;
    let mut text = begin;
    // Going round the list from a drawn start, no sentence follows itself.
    let start = draws.draw_below("sentence", sentences.len() as u64) as usize;
    for at in 0..MAX_SENTENCES as usize {
        if at > 0 && text.len() >= chars {
            break;
        }
        if !text.is_empty() {
            text.push(' ');
        }
        text.push_str(&sentences[(start + at) % sentences.len()]);
    }
    text
}

/// A simulated answer to the topic.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SimAnswer {
    pub text: String,
    /// The right answer, if this one must be wrong.
    pub not: Option<String>,
}

/// Returns an answer that differs from the reference.
pub(super) fn wrong_answer(reference: &str, draws: &SeededDraws) -> String {
    let reference = reference.trim();
    if let Ok(number) = reference.parse::<i64>() {
        let shift = 1 + draws.draw_below("wrong answer", 9);
        return number.wrapping_add_unsigned(shift).to_string();
    }
    if let Ok(number) = reference.parse::<f64>()
        && number.is_finite()
    {
        return (number * 2.0 + 1.0).abs().to_string();
    }
    let lower = reference.to_lowercase();
    let swaps = [
        ("yes", "no"),
        ("no", "yes"),
        ("true", "false"),
        ("false", "true"),
    ];
    if let Some((_, other)) = swaps.iter().find(|(word, _)| *word == lower) {
        return (*other).to_owned();
    }
    let letters = ["A", "B", "C", "D"];
    if reference.len() == 1 && reference.bytes().all(|byte| byte.is_ascii_alphabetic()) {
        let others: Vec<&str> = letters
            .into_iter()
            .filter(|letter| !letter.eq_ignore_ascii_case(reference))
            .collect();
        return draws.draw_item("wrong answer", &others).to_owned();
    }
    "a simulated wrong answer".to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_embedded_sentences_parse() {
        assert_eq!(SENTENCES.safe.len(), 12);
        assert_eq!(SENTENCES.spurious.len(), 6);
        assert_eq!(SENTENCES.persona_of_seat.len(), 2);
    }
}
