//! Stance of one sentence, from cue words and the negations before them.

use super::sentences::{PAUSE, marked_words};
use crate::judge::lexicon::STANCE;

/// Most words of a sentence that are examined, its pauses included.
const MAX_WORDS: usize = 400;
/// Words before a cue in which a negation applies to it.
const NEGATION_REACH: usize = 3;
/// Words before a cue in which a negated verb of opinion applies to it: `I do not think it is`.
const OPINION_REACH: usize = 8;
/// Words before a fault that are searched for its article and adjectives.
const FAULT_REACH: usize = 4;
/// Most words of a clause that consists of its cue alone: `Not correct.`
const MAX_BARE_WORDS: usize = 3;

/// Stance of a sentence or a turn towards the proposal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Polarity {
    Accepts,
    Mixed,
    Rejects,
}

impl Polarity {
    fn invert_if(self, round: bool) -> Self {
        match (self, round) {
            (Polarity::Accepts, true) => Polarity::Rejects,
            (Polarity::Rejects, true) => Polarity::Accepts,
            (same, _) => same,
        }
    }
}

/// Returns the stance of a sentence, if it takes one.
///
/// Where cues differ, the last clause counts if a word such as *but* begins it; else the sentence
/// is mixed.
pub(super) fn find_polarity(sentence: &str) -> Option<Polarity> {
    if sentence
        .trim_end_matches(['"', '”', '*', ')'])
        .ends_with('?')
    {
        return None;
    }
    let mut words = marked_words(sentence);
    words.truncate(MAX_WORDS);
    let about_a_part = is_about_a_part(&words);
    let mut stance: Option<Polarity> = None;
    let mut clause = Clause::default();
    let mut has_contrast = false;
    for (at, word) in words.iter().enumerate() {
        let before = words.get(clause.from..at).unwrap_or_default();
        if STANCE.contrasts.contains(word) {
            clause = Clause {
                from: at + 1,
                hushed: false,
                yields: false,
            };
            has_contrast = true;
        } else if STANCE.concessions.contains(word) {
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
        let Some(cue) = interpret_cue(word, before, after) else {
            continue;
        };
        if cue == Polarity::Accepts && about_a_part {
            continue;
        }
        stance = match stance {
            Some(other) if other != cue && !has_contrast => Some(Polarity::Mixed),
            Some(_) | None => Some(cue),
        };
    }
    stance
}

/// The clause being read: its start, and whether cues in it count.
#[derive(Default)]
struct Clause {
    from: usize,
    hushed: bool,
    yields: bool,
}

/// Returns whether a word makes its clause a guess; `could not find` does not.
fn is_hedge(words: &[String], at: usize) -> bool {
    let next = words.get(at + 1).map_or("", String::as_str);
    let word = words.get(at).map_or("", String::as_str);
    STANCE.hedges.contains(word) && !(word == "could" && matches!(next, "not" | "find" | "see"))
}

/// Returns whether a word reports another's statement: `the proposer claims` does, `the claim` and
/// `I say` do not.
fn is_report(words: &[String], at: usize) -> bool {
    let word = words.get(at).map_or("", String::as_str);
    let previous = at.checked_sub(1).and_then(|at| words.get(at));
    let previous = previous.map_or("", String::as_str);
    STANCE.reporting.contains(word)
        && !previous.is_empty()
        && !STANCE.determiners.contains(previous)
        && !matches!(previous, "i" | "we")
}

fn is_about_a_part(words: &[String]) -> bool {
    STANCE.parts.contains_any(words) && !STANCE.whole.contains_any(words)
}

/// Interprets one word as a cue. `before` is its clause up to it.
fn interpret_cue(word: &str, before: &[String], after: &[String]) -> Option<Polarity> {
    let segment = before
        .rsplit(|word| word == PAUSE)
        .next()
        .unwrap_or_default();
    let apply_negation = |cue: Polarity, near: &[String]| cue.invert_if(is_negated(near, segment));
    if STANCE.accepting.contains(word) || STANCE.rejecting.contains(word) {
        let (subject, partly) = find_predicate(segment, after)?;
        let cue = match (STANCE.accepting.contains(word), partly) {
            (true, true) => return Some(Polarity::Mixed),
            (true, false) => Polarity::Accepts,
            (false, _) => Polarity::Rejects,
        };
        let near = segment.get(subject.saturating_sub(NEGATION_REACH)..);
        return Some(apply_negation(cue, near.unwrap_or_default()));
    }
    let near = segment
        .get(segment.len().saturating_sub(NEGATION_REACH)..)
        .unwrap_or_default();
    if STANCE.faults.contains(word) || STANCE.absent_faults.contains(word) {
        return interpret_fault(word, segment, after);
    }
    if STANCE.failing.contains(word) {
        return Some(apply_negation(Polarity::Rejects, near));
    }
    if STANCE.holding.contains(word) {
        let whole = STANCE.whole.contains_any(segment);
        return whole.then(|| apply_negation(Polarity::Accepts, near));
    }
    let has_negation = near
        .last()
        .is_some_and(|last| STANCE.negations.contains(last));
    if STANCE.not_holding.contains(word) {
        return has_negation.then_some(Polarity::Rejects);
    }
    let by_us = near.iter().any(|word| matches!(word.as_str(), "i" | "we"));
    if STANCE.first_person_accepting.contains(word) && by_us {
        return Some(apply_negation(Polarity::Accepts, near));
    }
    (STANCE.first_person_rejecting.contains(word) && by_us)
        .then(|| apply_negation(Polarity::Rejects, near))
}

/// Returns the index of the verb that predicates an adjective, and whether the adjective applies
/// only in part. A clause that consists of the adjective alone needs no verb.
fn find_predicate(segment: &[String], after: &[String]) -> Option<(usize, bool)> {
    let mut partly = false;
    for (at, word) in segment.iter().enumerate().rev() {
        if STANCE.copulas.contains(word) {
            return Some((at, partly));
        }
        partly |= STANCE.partial.contains(word);
        if !(STANCE.adverbs.contains(word)
            || STANCE.partial.contains(word)
            || STANCE.negations.contains(word)
            || word == "or"
            || word == "and"
            || STANCE.accepting.contains(word))
        {
            return None;
        }
    }
    let ends = after.first().is_none_or(|next| next == PAUSE);
    (ends && segment.len() < MAX_BARE_WORDS).then_some((0, partly))
}

/// Returns whether a negation is near, or applies to the cue from farther away.
fn is_negated(near: &[String], segment: &[String]) -> bool {
    let far = segment
        .get(segment.len().saturating_sub(OPINION_REACH)..)
        .unwrap_or_default();
    let opinion = far.windows(2).any(|pair| match pair {
        [not, verb] => STANCE.negations.contains(not) && STANCE.opinion.contains(verb),
        _ => false,
    });
    let sweeping = STANCE.sweeping_negations.contains_any(segment);
    // Two negations near each other are one in most English: `not … no`.
    opinion || sweeping || STANCE.negations.contains_any(near)
}

/// Returns the stance of a fault: present it rejects, absent it accepts, a minor one does neither.
fn interpret_fault(word: &str, segment: &[String], after: &[String]) -> Option<Polarity> {
    if after
        .first()
        .is_some_and(|next| STANCE.quantities.contains(next))
    {
        return None;
    }
    let near = segment
        .get(segment.len().saturating_sub(FAULT_REACH)..)
        .unwrap_or_default();
    let absent = is_negated(near, segment) || near.ends_with(&["free".to_owned(), "of".to_owned()]);
    if absent {
        return (!STANCE.additional.contains_any(near)).then_some(Polarity::Accepts);
    }
    if STANCE.minor_faults.contains_any(near) {
        return Some(Polarity::Mixed);
    }
    let there = STANCE.presence.contains_any(segment);
    (STANCE.faults.contains(word) && there).then_some(Polarity::Rejects)
}
