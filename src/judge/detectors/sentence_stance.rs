//! The stance of one sentence, from cue words and the negations before them.

use super::cues::*;
use super::sentence::{PAUSE, marked_words};

/// How many words of a sentence are read, its pauses included.
const MAX_WORDS: usize = 400;
/// How many words before a cue a negation reaches over.
const NEGATION_REACH: usize = 3;
/// How many words before a cue a negated verb of opinion reaches over: `I do not think it is`.
const OPINION_REACH: usize = 8;
/// How many words before a fault its article and adjectives are looked for.
const FAULT_REACH: usize = 4;
/// The most words of a clause that is nothing but its cue: `Not correct.`
const MAX_BARE_WORDS: usize = 3;

/// What a sentence or a turn does to the proposal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Polarity {
    Accepts,
    Mixed,
    Rejects,
}

impl Polarity {
    fn turned(self, round: bool) -> Self {
        match (self, round) {
            (Polarity::Accepts, true) => Polarity::Rejects,
            (Polarity::Rejects, true) => Polarity::Accepts,
            (same, _) => same,
        }
    }
}

/// Returns the stance that a sentence takes, if it takes any.
///
/// Where cues differ, the last clause counts if a word such as *but* begins it; else the sentence
/// is mixed.
pub(super) fn polarity(sentence: &str) -> Option<Polarity> {
    if sentence
        .trim_end_matches(['"', '”', '*', ')'])
        .ends_with('?')
    {
        return None;
    }
    let mut words = marked_words(sentence);
    words.truncate(MAX_WORDS);
    let about_a_part = is_about_a_part(&words);
    let mut found: Option<Polarity> = None;
    let mut clause = Clause::default();
    let mut contrasted = false;
    for (at, word) in words.iter().enumerate() {
        let before = words.get(clause.from..at).unwrap_or_default();
        if is(CONTRASTS, word) {
            clause = Clause {
                from: at + 1,
                hushed: false,
                yields: false,
            };
            contrasted = true;
        } else if is(CONCESSIONS, word) {
            clause.yields = true;
        } else if word == PAUSE {
            clause.yields = false;
        } else if is_hedge(&words, at) || is_report(&words, at) {
            clause.hushed = true;
        }
        if clause.hushed || clause.yields {
            continue;
        }
        let after = words.get(at + 1..).unwrap_or_default();
        let Some(cue) = cue(word, before, after) else {
            continue;
        };
        if cue == Polarity::Accepts && about_a_part {
            continue;
        }
        found = match found {
            Some(other) if other != cue && !contrasted => Some(Polarity::Mixed),
            Some(_) | None => Some(cue),
        };
    }
    found
}

/// The clause that is being read: where it begins, and whether cues in it count.
#[derive(Default)]
struct Clause {
    from: usize,
    hushed: bool,
    yields: bool,
}

fn is(list: &[&str], word: &str) -> bool {
    list.contains(&word)
}

/// `could not find` is no guess.
fn is_hedge(words: &[String], at: usize) -> bool {
    let next = words.get(at + 1).map_or("", String::as_str);
    let word = words.get(at).map_or("", String::as_str);
    is(HEDGES, word) && !(word == "could" && matches!(next, "not" | "find" | "see"))
}

/// `the proposer claims` reports, `the claim` and `I say` do not.
fn is_report(words: &[String], at: usize) -> bool {
    let word = words.get(at).map_or("", String::as_str);
    let previous = at.checked_sub(1).and_then(|at| words.get(at));
    let previous = previous.map_or("", String::as_str);
    is(REPORTING, word)
        && !previous.is_empty()
        && !is(NOUN_MARKS, previous)
        && !matches!(previous, "i" | "we")
}

fn is_about_a_part(words: &[String]) -> bool {
    let has = |list: &[&str]| words.iter().any(|word| is(list, word));
    has(PARTS) && !has(WHOLES)
}

/// Reads one word as a cue. `before` is its clause up to it.
fn cue(word: &str, before: &[String], after: &[String]) -> Option<Polarity> {
    let segment = before
        .rsplit(|word| word == PAUSE)
        .next()
        .unwrap_or_default();
    let turned = |cue: Polarity, near: &[String]| cue.turned(is_negated(near, segment));
    if is(ACCEPTING, word) || is(REJECTING, word) {
        let (subject, partly) = predicated(segment, after)?;
        let cue = match (is(ACCEPTING, word), partly) {
            (true, true) => return Some(Polarity::Mixed),
            (true, false) => Polarity::Accepts,
            (false, _) => Polarity::Rejects,
        };
        let near = segment.get(subject.saturating_sub(NEGATION_REACH)..);
        return Some(turned(cue, near.unwrap_or_default()));
    }
    let near = segment
        .get(segment.len().saturating_sub(NEGATION_REACH)..)
        .unwrap_or_default();
    if is(FAULTS, word) || is(ABSENT_FAULTS, word) {
        return fault(word, segment, after);
    }
    if is(FAILING, word) {
        return Some(turned(Polarity::Rejects, near));
    }
    if is(HOLDING, word) {
        let whole = segment.iter().any(|word| is(WHOLES, word));
        return whole.then(|| turned(Polarity::Accepts, near));
    }
    let negated = near.last().is_some_and(|last| is(NEGATIONS, last));
    if is(NOT_HOLDING, word) {
        return negated.then_some(Polarity::Rejects);
    }
    let by_us = near.iter().any(|word| matches!(word.as_str(), "i" | "we"));
    if is(I_ACCEPT, word) && by_us {
        return Some(turned(Polarity::Accepts, near));
    }
    (is(I_REJECT, word) && by_us).then(|| turned(Polarity::Rejects, near))
}

/// Says where the verb stands that predicates an adjective, and whether the adjective holds only
/// in part. A clause that is nothing but the adjective needs no verb.
fn predicated(segment: &[String], after: &[String]) -> Option<(usize, bool)> {
    let mut partly = false;
    for (at, word) in segment.iter().enumerate().rev() {
        if is(COPULAS, word) {
            return Some((at, partly));
        }
        partly |= is(PARTLY, word);
        if !(is(ADVERBS, word)
            || is(PARTLY, word)
            || is(NEGATIONS, word)
            || word == "or"
            || word == "and"
            || is(ACCEPTING, word))
        {
            return None;
        }
    }
    let ends = after.first().is_none_or(|next| next == PAUSE);
    (ends && segment.len() < MAX_BARE_WORDS).then_some((0, partly))
}

/// Says whether a negation stands near, or reaches the cue from farther off.
fn is_negated(near: &[String], segment: &[String]) -> bool {
    let far = segment
        .get(segment.len().saturating_sub(OPINION_REACH)..)
        .unwrap_or_default();
    let opinion = far.windows(2).any(|pair| match pair {
        [not, verb] => is(NEGATIONS, not) && is(OPINION, verb),
        _ => false,
    });
    let sweeping = segment.iter().any(|word| is(SWEEPING_NEGATIONS, word));
    // Two negations near each other are one in most English: `not … no`.
    opinion || sweeping || near.iter().any(|word| is(NEGATIONS, word))
}

/// A fault that is there rejects, one that is absent accepts, a small one does neither.
fn fault(word: &str, segment: &[String], after: &[String]) -> Option<Polarity> {
    if after.first().is_some_and(|next| is(QUANTITIES, next)) {
        return None;
    }
    let near = segment
        .get(segment.len().saturating_sub(FAULT_REACH)..)
        .unwrap_or_default();
    let has = |list: &[&str]| near.iter().any(|word| is(list, word));
    let absent = is_negated(near, segment) || near.ends_with(&["free".to_owned(), "of".to_owned()]);
    if absent {
        return (!has(BESIDES)).then_some(Polarity::Accepts);
    }
    if has(MINOR) {
        return Some(Polarity::Mixed);
    }
    let there = segment.iter().any(|word| is(THERE, word));
    (is(FAULTS, word) && there).then_some(Polarity::Rejects)
}
