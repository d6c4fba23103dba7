//! Detector of what a critique names: an error at some place of the proposal, or none.
//!
//! A sentence names an error when it refers to the proposal and says in the same sentence what is
//! wrong there. It refers to the proposal when it
//! - repeats at least three words in a row of it, or quotes words of it,
//! - names a place: `step 3`, `the second line`,
//! - repeats a number of at least two digits, or a formula, of it,
//! - shares two or more content words with it, or
//! - calculates otherwise, or names a case (`when x = 0`).
//!
//! The result of the proposal and what stands in the question are no reference: whoever rejects an
//! answer repeats both. Nor are words for the parts of any solution. A sentence says what is wrong
//! by a word that denies, a fault, or a verb such as *omits*; that something is not sufficient or
//! lacks rigour says nothing about a place.
//!
//! Labels: *names_error*; *names_nothing*; *accepts* where no error is named and the turn accepts the
//! proposal; *unclear* where nothing is said or there is no proposal to compare with. Whether the
//! named error is there is not asked here, because no detector is shown the reference answer:
//! figures tell it by what the grader found.
//!
//! Limits: English alone. Whether the named error is the one that the proposal made, no rule can
//! know. An objection in words of its own that points at no place is taken for none.

use super::evidence::{Evidence, evidence_json};
use super::formulas::{Formula, find_formulas};
use super::sentence_stance::{Polarity, find_polarity};
use super::sentences::{is_empty_word, split_sentences, split_words, stem_word};
use super::stance::turn_stance;
use super::turn_text::{TurnAuthor, TurnText};
use crate::debate::event::Outcome;
use crate::judge::lexicon::{CRITIQUE, GENERAL, STANCE};
use crate::judge::replies::grade::find_final_answer;
use crate::judge::replies::verdict::detector_outcome;
use serde_json::json;
use std::collections::{BTreeSet, HashSet};
use std::sync::LazyLock;

pub(crate) const LABELS: &[(&str, f64)] = &[
    (NAMES_ERROR, 1.0),
    (NAMES_NOTHING, -1.0),
    (ACCEPTS, 0.0),
    (UNCLEAR, 0.0),
];
/// The critique says of some place of the proposal what is wrong there.
pub const NAMES_ERROR: &str = "names_error";
/// The critique accepts nothing and names no error.
pub const NAMES_NOTHING: &str = "names_nothing";
const ACCEPTS: &str = "accepts";
const UNCLEAR: &str = "unclear";

/// Words in a row that are a quotation of the proposal without quotation marks.
const REPEATED_WORDS: usize = 3;
/// Fewest content words that a sentence shares with the proposal to be about it.
const SHARED_WORDS: usize = 2;
/// Fewest digits of a number that is a reference by itself.
const MIN_DIGITS: usize = 2;
/// Most words after a denial in which a vague quality makes it one of the whole.
const VAGUE_REACH: usize = 4;
/// Most sentences that are shown as evidence.
const MAX_EVIDENCE: usize = 4;

/// Stems that say nothing about one proposal.
static GENERIC_STEMS: LazyLock<HashSet<&'static str>> = LazyLock::new(|| {
    CRITIQUE
        .generic
        .iter()
        .map(|word| stem_word(word))
        .collect()
});

/// Examines a critique against the turns of other chairs.
pub(crate) fn detect_named_error(
    target: &TurnText<'_>,
    seen: &[TurnText<'_>],
    question: &str,
) -> Outcome {
    let others = seen.iter().filter(|said| said.whose == TurnAuthor::Other);
    let proposals: Vec<&str> = others.map(|said| said.text).collect();
    let proposal = Proposal::index(&proposals, question);
    let sentences = split_sentences(target.text);
    let named: Vec<Evidence<'_>> = sentences
        .iter()
        .filter_map(|sentence| {
            let why = proposal.find_named_error(sentence)?;
            Some(Evidence::from_quote(target, sentence, why))
        })
        .collect();
    let stance = turn_stance(target);
    let stance_quotes = || {
        let quotes = stance.quotes.iter();
        quotes
            .map(|(quote, why)| Evidence::from_quote(target, quote, why))
            .collect()
    };
    let (label, reason, mut evidence): (_, _, Vec<Evidence<'_>>) = if proposals.is_empty() {
        (UNCLEAR, "there is no proposal to compare with", Vec::new())
    } else if sentences.is_empty() {
        (UNCLEAR, "nothing is said", Vec::new())
    } else if !named.is_empty() {
        let reason = "the critique says of a place of the proposal what is wrong there";
        (NAMES_ERROR, reason, named)
    } else if stance.stance == Some(Polarity::Accepts) {
        let reason = "the critique names no error and accepts the proposal";
        (ACCEPTS, reason, stance_quotes())
    } else {
        let reason = "no sentence both refers to the proposal and says what is wrong there";
        (NAMES_NOTHING, reason, stance_quotes())
    };
    evidence.truncate(MAX_EVIDENCE);
    let fields = json!({ "evidence": evidence_json(&evidence) });
    detector_outcome(LABELS, label, reason.to_owned(), fields)
}

/// Turns of other chairs, indexed for references, without what the question and the result say.
struct Proposal {
    words: Vec<Vec<String>>,
    runs: HashSet<[String; REPEATED_WORDS]>,
    places: HashSet<(String, String)>,
    /// Numbers that head a line: `3.` or `3)`.
    headings: HashSet<String>,
    numbers: HashSet<String>,
    stems: BTreeSet<String>,
    formulas: Vec<Formula>,
    question: Question,
}

/// What is no reference to a proposal: words and numbers of the question, and the result.
struct Question {
    words: HashSet<String>,
    stems: HashSet<String>,
    formulas: Vec<Formula>,
    results: HashSet<String>,
}

impl Proposal {
    fn index(texts: &[&str], question: &str) -> Self {
        let question = Question::index(texts, question);
        let words: Vec<Vec<String>> = texts.iter().map(|text| split_words(text)).collect();
        let lines = texts.iter().flat_map(|text| text.lines());
        Self {
            runs: words
                .iter()
                .flat_map(|words| words.array_windows().cloned())
                .collect(),
            places: words.iter().flat_map(|words| find_places(words)).collect(),
            headings: lines
                .filter_map(|line| parse_heading(line.trim_start()))
                .collect(),
            numbers: words
                .iter()
                .flatten()
                .filter(|word| is_number(word))
                .cloned()
                .collect(),
            stems: words
                .iter()
                .flatten()
                .filter(|word| question.is_telling(word))
                .map(|word| stem_word(word).to_owned())
                .collect(),
            formulas: texts.iter().flat_map(|text| find_formulas(text)).collect(),
            words,
            question,
        }
    }

    /// Returns how a sentence refers to the proposal, if it also says what is wrong there.
    fn find_named_error(&self, sentence: &str) -> Option<&'static str> {
        let words = split_words(sentence);
        if self.calculates_otherwise(sentence) && find_polarity(sentence) != Some(Polarity::Accepts)
        {
            return Some("calculates otherwise");
        }
        let why = self.find_reference(sentence, &words)?;
        says_what_is_wrong(sentence, &words).then_some(why)
    }

    fn find_reference(&self, sentence: &str, words: &[String]) -> Option<&'static str> {
        let is_known_place = |place: &(String, String)| {
            self.places.contains(place)
                || self.headings.contains(&place.1)
                || CRITIQUE.ordinals.contains(&place.1)
                || CRITIQUE.cardinals.contains(&place.1)
        };
        let mut quotations = quoted_spans(sentence);
        let mut numbers = words.iter();
        if find_places(words).iter().any(is_known_place) {
            Some("names a place of the proposal and says what is wrong there")
        } else if words.array_windows().any(|run| self.repeats(run))
            || quotations.any(|quotation| self.contains_words(&split_words(quotation)))
        {
            Some("repeats words of the proposal and says what is wrong there")
        } else if numbers.any(|word| self.numbers.contains(word) && self.question.is_telling(word))
            || find_formulas(sentence)
                .iter()
                .any(|formula| self.refers_by(formula))
        {
            Some("repeats a number or formula of the proposal and says what is wrong there")
        } else if self.count_shared_words(words) >= SHARED_WORDS {
            Some("is about what the proposal does and says what is wrong there")
        } else {
            None
        }
    }

    fn repeats(&self, run: &[String; REPEATED_WORDS]) -> bool {
        self.runs.contains(run) && run.iter().any(|word| self.question.is_telling(word))
    }

    /// Says whether a quotation is one of the proposal, and of more than its result and the question.
    fn contains_words(&self, quotation: &[String]) -> bool {
        let is_telling = quotation.iter().any(|word| self.question.is_telling(word))
            || (quotation.len() >= REPEATED_WORDS && !self.question.says(quotation));
        let mut texts = self.words.iter();
        is_telling && texts.any(|words| words.windows(quotation.len()).any(|run| run == quotation))
    }

    fn refers_by(&self, formula: &Formula) -> bool {
        if self.question.knows(formula) {
            return false;
        }
        let is_repeated = self.formulas.iter().any(|own| own.contains(formula));
        is_repeated || (formula.is_relation() && formula.follows(&CRITIQUE.case_openers))
    }

    /// A relation with arithmetic in it that neither the proposal nor the question has.
    fn calculates_otherwise(&self, sentence: &str) -> bool {
        find_formulas(sentence).iter().any(|formula| {
            formula.is_calculation()
                && !self.question.knows(formula)
                && !self.formulas.iter().any(|own| own.contains(formula))
        })
    }

    fn count_shared_words(&self, words: &[String]) -> usize {
        let telling = words.iter().filter(|word| self.question.is_telling(word));
        let stems: BTreeSet<&str> = telling.map(|word| stem_word(word)).collect();
        stems
            .iter()
            .filter(|stem| self.stems.contains(**stem))
            .count()
    }
}

impl Question {
    fn index(proposals: &[&str], question: &str) -> Self {
        let words = split_words(question);
        Self {
            stems: words
                .iter()
                .map(|word| stem_word(word).to_owned())
                .collect(),
            words: words.into_iter().collect(),
            formulas: find_formulas(question),
            results: proposals
                .iter()
                .flat_map(|text| find_result(text))
                .collect(),
        }
    }

    /// Returns whether a word can tell this proposal from any other answer to the question.
    fn is_telling(&self, word: &str) -> bool {
        if word.starts_with(|c: char| c.is_ascii_digit()) {
            return is_number(word) && !self.words.contains(word) && !self.results.contains(word);
        }
        let stem = stem_word(word);
        word.chars().count() > 1
            && !is_empty_word(word)
            && !GENERAL.objecting.contains(word)
            && !CRITIQUE.vague.contains(word)
            && !CRITIQUE.wrong_there.contains(word)
            && !STANCE.rejecting.contains(word)
            && !GENERIC_STEMS.contains(stem)
            && !self.stems.contains(stem)
            && !self.results.contains(word)
    }

    /// Says whether words are of the question, or hold the result.
    fn says(&self, quotation: &[String]) -> bool {
        quotation.iter().all(|word| self.words.contains(word))
            || quotation.iter().any(|word| self.results.contains(word))
    }

    fn knows(&self, formula: &Formula) -> bool {
        let is_asked = self.formulas.iter().any(|own| own.contains(formula));
        is_asked || formula.states_only(&self.results)
    }
}

/// Returns the numbers and words of the proposal's result: those of the stated final answer, else the
/// numbers of its last sentence.
fn find_result(text: &str) -> Vec<String> {
    if let Some(answer) = find_final_answer(text) {
        let mut result = split_words(&answer);
        result.push(answer);
        return result;
    }
    let last = split_sentences(text).last().copied().unwrap_or_default();
    let mut numbers = split_words(last);
    numbers.retain(|word| word.starts_with(|c: char| c.is_ascii_digit()));
    numbers
}

/// Returns whether a sentence says what is wrong with what it is about, and not only that it is not
/// good enough.
fn says_what_is_wrong(sentence: &str, words: &[String]) -> bool {
    if find_polarity(sentence) == Some(Polarity::Accepts) {
        return false;
    }
    let denies = |(at, word): (usize, &String)| {
        let is_denial = STANCE.negations.contains(word) || word.ends_with("n't");
        let mut after = words.iter().skip(at + 1).take(VAGUE_REACH);
        is_denial && !after.any(|word| CRITIQUE.vague.contains(word))
    };
    let blames = |(at, word): (usize, &String)| {
        let is_blame = CRITIQUE.wrong_there.contains(word)
            || STANCE.faults.contains(word)
            || STANCE.failing.contains(word)
            || STANCE.rejecting.contains(word);
        let mut after = words.iter().skip(at + 1).take(VAGUE_REACH);
        is_blame
            && !CRITIQUE.vague.contains(word)
            && !after.any(|word| CRITIQUE.vague.contains(word))
    };
    words.iter().enumerate().any(denies)
        || words.iter().enumerate().any(blames)
        || CRITIQUE.wrong_there_phrases.occurs_in(words)
}

/// Returns the places that words name: `step 3`, `step two`, `the second step`.
fn find_places(words: &[String]) -> Vec<(String, String)> {
    let pairs = words.array_windows().filter_map(|[first, second]| {
        let is_numeral = |word: &str| {
            word.starts_with(|c: char| c.is_ascii_digit()) || CRITIQUE.cardinals.contains(word)
        };
        match (singular_place(first), singular_place(second)) {
            (Some(place), _) if is_numeral(second) => Some((place.to_owned(), second.clone())),
            (_, Some(place)) if CRITIQUE.ordinals.contains(first) => {
                Some((place.to_owned(), first.clone()))
            }
            (_, _) => None,
        }
    });
    pairs.collect()
}

fn singular_place(word: &str) -> Option<&str> {
    let singular = word.strip_suffix('s').unwrap_or(word);
    let is_place = GENERAL.locations.contains(word) || GENERAL.locations.contains(singular);
    is_place.then_some(singular)
}

fn is_number(word: &str) -> bool {
    let digits = word.chars().filter(char::is_ascii_digit).count();
    digits >= MIN_DIGITS
        && word != "100"
        && word
            .chars()
            .all(|c| c.is_ascii_digit() || matches!(c, '.' | ','))
}

fn parse_heading(line: &str) -> Option<String> {
    let digits: String = line.chars().take_while(char::is_ascii_digit).collect();
    let after = line.get(digits.len()..)?;
    (!digits.is_empty() && after.starts_with(['.', ')', ':'])).then_some(digits)
}

/// Returns what stands between quotation marks within a sentence.
fn quoted_spans(sentence: &str) -> impl Iterator<Item = &str> {
    let marks = |c: char| matches!(c, '"' | '“' | '”' | '„' | '«' | '»' | '`');
    sentence.split(marks).skip(1).step_by(2)
}
