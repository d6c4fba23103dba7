//! Stance detector: finds whether a critic's turn accepts or rejects the proposal.
//!
//! A field `stance` or `verdict` of a structured reply decides. Else a declared verdict (`Verdict:
//! reject`), the last one if there are several. Else the last concluding sentence: one that begins
//! with a word such as *overall*, or the last sentence with a stance, if it is about the whole and
//! among the last two of the turn. Else all sentences with a stance, which make the turn *mixed*
//! where they differ. Without any the turn is *unclear*.
//!
//! A sentence takes a stance by a predicated adjective (`is correct`, not `the correct value`), a
//! fault that is asserted or denied, a verb such as *fails*, or `I agree`. A negation shortly
//! before reverses it. Conditions, guesses, questions, reports of another's claims and concessive
//! clauses do not count; praise for a part of the proposal accepts nothing.
//!
//! Limits: English alone; irony, quoted speech and the reference of *it* are not understood, and a
//! structured reply without a stance is read as its raw text. A heuristic that is still to be
//! validated against people.

use super::evidence::{Evidence, evidence_json};
use super::sentence_stance::{Polarity, find_polarity};
use super::sentences::{PAUSE, marked_words, split_sentences, split_words};
use super::turn_text::TurnText;
use crate::debate::event::Outcome;
use crate::judge::lexicon::{STANCE, WordList};
use crate::judge::replies::verdict::detector_outcome;
use serde_json::json;

/// The labels of a stance with their values.
pub(crate) const LABELS: &[(&str, f64)] = &[
    ("accepts", 1.0),
    ("mixed", 0.0),
    ("rejects", -1.0),
    ("unclear", 0.0),
];

/// The fields of a structured reply that state a stance.
const FIELDS: &[&str] = &["stance", "verdict"];
/// Sentences at a turn's end that may conclude it.
const LAST_SENTENCES: usize = 2;
/// Most words before `Verdict:` on its line, and after it.
const MAX_DECLARATION_WORDS: usize = 4;
/// Most sentences that are shown as evidence, the last ones.
const MAX_EVIDENCE: usize = 4;

/// Stance of a turn with the sentences that show it, the last first.
pub(crate) struct TurnStance<'a> {
    pub stance: Option<Polarity>,
    pub quotes: Vec<(&'a str, &'static str)>,
}

/// Finds the stance of a turn.
pub(crate) fn detect_stance(target: &TurnText<'_>) -> Outcome {
    let own_stance = turn_stance(target);
    let evidence: Vec<Evidence<'_>> = own_stance
        .quotes
        .iter()
        .map(|(quote, why)| Evidence::from_quote(target, quote, why))
        .collect();
    let reason = match (own_stance.stance, own_stance.quotes.first()) {
        (None, _) => "no sentence takes a stance".to_owned(),
        (Some(stance), Some((_, why))) => format!("the turn {}: {why}", describe_stance(stance)),
        (Some(stance), None) => format!("the turn {}", describe_stance(stance)),
    };
    let label = own_stance.stance.map_or("unclear", stance_label);
    detector_outcome(
        LABELS,
        label,
        reason,
        json!({ "evidence": evidence_json(&evidence) }),
    )
}

fn stance_label(stance: Polarity) -> &'static str {
    match stance {
        Polarity::Accepts => "accepts",
        Polarity::Mixed => "mixed",
        Polarity::Rejects => "rejects",
    }
}

fn describe_stance(stance: Polarity) -> &'static str {
    match stance {
        Polarity::Accepts => "accepts the proposal",
        Polarity::Mixed => "neither accepts nor rejects the proposal",
        Polarity::Rejects => "rejects the proposal",
    }
}

pub(super) fn turn_stance<'a>(said: &TurnText<'a>) -> TurnStance<'a> {
    if let Some(field_stance) = from_fields(said) {
        return field_stance;
    }
    let all = split_sentences(said.text);
    if let Some((sentence, stance)) = all
        .iter()
        .rev()
        .find_map(|sentence| Some((*sentence, parse_declaration(sentence)?)))
    {
        return TurnStance {
            stance: Some(stance),
            quotes: vec![(sentence, "it declares its verdict")],
        };
    }
    let with_stance: Vec<(usize, &str, Polarity)> = all
        .iter()
        .enumerate()
        .filter_map(|(at, sentence)| Some((at, *sentence, find_polarity(sentence)?)))
        .collect();
    let last_ones = all.len().saturating_sub(LAST_SENTENCES);
    let last = with_stance.last().map(|(at, _, _)| *at);
    let concluding = with_stance.iter().rev().find(|(at, sentence, _)| {
        let words = split_words(sentence);
        begins_conclusion(&words)
            || (Some(*at) == last && *at >= last_ones && is_about_the_whole(&words))
    });
    if let Some((_, sentence, stance)) = concluding {
        return TurnStance {
            stance: Some(*stance),
            quotes: vec![(sentence, "it concludes so")],
        };
    }
    let first = with_stance.first().map(|(_, _, stance)| *stance);
    let agree = with_stance
        .iter()
        .all(|(_, _, stance)| Some(*stance) == first);
    let quotes = with_stance
        .iter()
        .rev()
        .take(MAX_EVIDENCE)
        .map(|(_, sentence, stance)| {
            let why = match stance {
                Polarity::Accepts => "a sentence accepts",
                Polarity::Mixed => "a sentence does neither clearly",
                Polarity::Rejects => "a sentence rejects",
            };
            (*sentence, why)
        })
        .collect();
    TurnStance {
        stance: if agree { first } else { Some(Polarity::Mixed) },
        quotes,
    }
}

fn from_fields<'a>(said: &TurnText<'a>) -> Option<TurnStance<'a>> {
    let fields = said.fields?;
    let (value, stance) = FIELDS.iter().find_map(|field| {
        let value = fields.get(field)?.as_str()?;
        Some((value, declared_words(&split_words(value))?))
    })?;
    // The quotation must occur in the turn: a field with escapes in it does not.
    let at = said.text.find(value);
    let quote = at.and_then(|at| said.text.get(at..at + value.len()));
    Some(TurnStance {
        stance: Some(stance),
        quotes: quote
            .map(|quote| (quote, "a field states it"))
            .into_iter()
            .collect(),
    })
}

/// Parses `Verdict: reject` and the like.
fn parse_declaration(sentence: &str) -> Option<Polarity> {
    let words = marked_words(sentence);
    let at = words
        .iter()
        .take(MAX_DECLARATION_WORDS)
        .position(|word| STANCE.declaring.contains(word))?;
    let mut rest = words.get(at + 1..)?;
    if rest.first().is_none_or(|next| next != PAUSE) {
        return None;
    }
    while rest.last().is_some_and(|last| last == PAUSE) {
        rest = rest.get(..rest.len() - 1)?;
    }
    let rest = rest.get(1..)?;
    (rest.len() <= MAX_DECLARATION_WORDS).then(|| declared_words(rest))?
}

fn declared_words(words: &[String]) -> Option<Polarity> {
    let has = |list: &WordList| list.contains_any(words);
    let has_negation = has(&STANCE.negations);
    let (accept, reject) = (has(&STANCE.declared_accept), has(&STANCE.declared_reject));
    match (accept, reject, has(&STANCE.declared_mixed)) {
        (_, _, true) => Some(Polarity::Mixed),
        (true, false, false) if has_negation => Some(Polarity::Rejects),
        (true, false, false) => Some(Polarity::Accepts),
        (false, true, false) if has_negation => Some(Polarity::Accepts),
        (false, true, false) => Some(Polarity::Rejects),
        (true, true, false) | (false, false, false) => None,
    }
}

fn begins_conclusion(words: &[String]) -> bool {
    let head = words.iter().take(2);
    head.enumerate().any(|(at, word)| {
        let first_of_two = at == 0
            || words
                .first()
                .is_some_and(|first| first == "in" || first == "to");
        first_of_two && STANCE.concluding.contains(word)
    })
}

fn is_about_the_whole(words: &[String]) -> bool {
    STANCE.whole.contains_any(words)
}
