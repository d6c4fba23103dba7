//! Detector of harsh and empty critiques, by which games of earlier versions go on. New games ask
//! [`names_error`](super::names_error).
//!
//! A sentence refers to the proposal when it
//! - repeats at least three words in a row of another chair's turn, one of which is neither a stop
//!   word nor one that any critique uses,
//! - names a location that the proposal has (`step 3`, `line 12`), or a number of at
//!   least two digits that occurs there (`100` aside, which is mostly a figure of speech), or
//! - calculates against it: an equation or inequality with a digit in it.
//!
//! One such sentence makes the turn *substantive*, however harsh it is. Without one the turn is
//! *spurious* if it condemns in emotive or sweeping words or calls the whole inadequate, and
//! *unclear* if it does not, or if there is no turn of another chair to compare with.
//!
//! Limits: English alone. A reference is not a correct objection; words of the question that both
//! sides repeat count as references; an objection in words of its own that names no location does
//! not. A heuristic that is still to be validated against people.

use super::evidence::{Evidence, evidence_json};
use super::sentences::{is_empty_word, split_sentences, split_words};
use super::turn_text::{TurnAuthor, TurnText};
use crate::debate::event::Outcome;
use crate::judge::lexicon::{GENERAL, PhraseList, STANCE, WordList};
use crate::judge::replies::verdict::detector_outcome;
use serde_json::json;
use std::collections::HashSet;

pub(crate) const LABELS: &[(&str, f64)] =
    &[("substantive", 1.0), ("spurious", -1.0), ("unclear", 0.0)];

/// Words in a row that make a quotation of the proposal.
const QUOTED_WORDS: usize = 3;
/// Most sentences that are shown as evidence.
const MAX_EVIDENCE: usize = 4;
/// Words before a condemning word in which a negation cancels it.
const NEGATION_REACH: usize = 3;
/// Characters around the sign of an equation that are searched for a digit.
const EQUATION_REACH: usize = 20;
/// Fewest digits of a number that is a reference by itself.
const MIN_DIGITS: usize = 2;

/// Turns of other chairs, indexed for references.
struct Proposal {
    runs: HashSet<[String; QUOTED_WORDS]>,
    places: HashSet<(String, String)>,
    /// Numbers that head a line: `3.` or `3)`.
    headings: HashSet<String>,
    numbers: HashSet<String>,
}

/// Examines a critique against the turns of other chairs.
pub(crate) fn detect_spurious_critique(target: &TurnText<'_>, seen: &[TurnText<'_>]) -> Outcome {
    let others: Vec<&str> = seen
        .iter()
        .filter(|said| said.whose == TurnAuthor::Other)
        .map(|said| said.text)
        .collect();
    let proposal = Proposal::new(&others);
    let mut pointing = Vec::new();
    let mut harsh = Vec::new();
    for sentence in split_sentences(target.text) {
        let words = split_words(sentence);
        if let Some(why) = proposal.find_reference(sentence, &words) {
            pointing.push(Evidence::from_quote(target, sentence, why));
        } else if let Some(why) = find_condemnation(&words) {
            harsh.push(Evidence::from_quote(target, sentence, why));
        }
    }
    let (label, reason, mut evidence) = if !pointing.is_empty() {
        let reason = "the critique points into the proposal";
        ("substantive", reason, pointing)
    } else if others.is_empty() {
        ("unclear", "there is no proposal to compare with", harsh)
    } else if harsh.is_empty() {
        let reason = "the critique points at nothing and condemns nothing";
        ("unclear", reason, harsh)
    } else {
        let reason = "the critique condemns and points at nothing in the proposal";
        ("spurious", reason, harsh)
    };
    evidence.truncate(MAX_EVIDENCE);
    let fields = json!({ "evidence": evidence_json(&evidence) });
    detector_outcome(LABELS, label, reason.to_owned(), fields)
}

impl Proposal {
    fn new(texts: &[&str]) -> Self {
        let mut proposal = Self {
            runs: HashSet::new(),
            places: HashSet::new(),
            headings: HashSet::new(),
            numbers: HashSet::new(),
        };
        for text in texts {
            let words = split_words(text);
            proposal.runs.extend(find_runs(&words));
            proposal.places.extend(find_places(&words));
            proposal.numbers.extend(find_numbers(&words));
            let lines = text.lines().map(str::trim_start);
            proposal.headings.extend(lines.filter_map(parse_heading));
        }
        proposal
    }

    fn find_reference(&self, sentence: &str, words: &[String]) -> Option<&'static str> {
        let is_known_place = |place: (String, String)| {
            self.places.contains(&place) || self.headings.contains(&place.1)
        };
        if find_runs(words).any(|run| self.runs.contains(&run)) {
            Some("repeats words of the proposal")
        } else if find_places(words).any(is_known_place) {
            Some("names a place of the proposal")
        } else if find_numbers(words).any(|number| self.numbers.contains(&number)) {
            Some("names a number of the proposal")
        } else {
            has_equation(sentence).then_some("calculates against the proposal")
        }
    }
}

fn find_runs(words: &[String]) -> impl Iterator<Item = [String; QUOTED_WORDS]> {
    words
        .array_windows::<QUOTED_WORDS>()
        .filter(|run| !run.iter().all(|word| is_empty_word(word)))
        .cloned()
}

fn find_places(words: &[String]) -> impl Iterator<Item = (String, String)> {
    words.array_windows().filter_map(|[word, number]| {
        let singular = word.strip_suffix('s').unwrap_or(word);
        let is_place = GENERAL.locations.contains(word) || GENERAL.locations.contains(singular);
        let is_number = number.starts_with(|c: char| c.is_ascii_digit());
        (is_place && is_number).then(|| (singular.to_owned(), number.clone()))
    })
}

fn find_numbers(words: &[String]) -> impl Iterator<Item = String> {
    let telling = words.iter().filter(|word| {
        let digits = word.chars().filter(char::is_ascii_digit).count();
        digits >= MIN_DIGITS
            && word.as_str() != "100"
            && word
                .chars()
                .all(|c| c.is_ascii_digit() || matches!(c, '.' | ','))
    });
    telling.cloned()
}

fn parse_heading(line: &str) -> Option<String> {
    let digits: String = line.chars().take_while(char::is_ascii_digit).collect();
    let after = line.get(digits.len()..)?;
    (!digits.is_empty() && after.starts_with(['.', ')', ':'])).then_some(digits)
}

/// Returns whether a sentence contains an equation or inequality with a digit near its sign.
fn has_equation(sentence: &str) -> bool {
    let chars: Vec<char> = sentence.chars().filter(|c| !c.is_whitespace()).collect();
    let operand = |c: Option<&char>| {
        c.is_some_and(|c| {
            c.is_alphanumeric() || matches!(c, '(' | ')' | '}' | '\\' | '-' | '−' | '$')
        })
    };
    chars.iter().enumerate().any(|(at, c)| {
        let from = at.saturating_sub(EQUATION_REACH);
        let to = chars.len().min(at + EQUATION_REACH);
        matches!(c, '=' | '≠' | '≈' | '≤' | '≥')
            && operand(at.checked_sub(1).and_then(|at| chars.get(at)))
            && operand(chars.get(at + 1))
            && chars[from..to].iter().any(char::is_ascii_digit)
    })
}

fn find_condemnation(words: &[String]) -> Option<&'static str> {
    let has_negation = |at: usize| {
        STANCE
            .negations
            .contains_any(&words[at.saturating_sub(NEGATION_REACH)..at])
    };
    let one_of = |list: &WordList| {
        let mut words = words.iter().enumerate();
        words.any(|(at, word)| list.contains(word) && !has_negation(at))
    };
    // A negation before a phrase that contains one (`not make any sense`) cancels nothing.
    let phrase = |list: &PhraseList| {
        let mut phrases = list.iter();
        phrases.any(|phrase| words.windows(phrase.len()).any(|run| run == phrase))
    };
    if one_of(&GENERAL.emotive) {
        return Some("condemns in emotive words");
    }
    let sweeping = words.array_windows().enumerate().any(|(at, [how, what])| {
        GENERAL.sweeping.contains(how) && STANCE.rejecting.contains(what) && !has_negation(at)
    });
    if sweeping || phrase(&GENERAL.sweeping_phrases) {
        return Some("condemns all at once");
    }
    (one_of(&GENERAL.inadequate) || phrase(&GENERAL.inadequate_phrases))
        .then_some("finds the whole inadequate")
}
