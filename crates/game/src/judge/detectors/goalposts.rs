//! Goalposts detector: finds a critic that drops answered objections and demands something new.
//!
//! An objection is a question, or a sentence with a word of objecting or demanding. Its subject is
//! the stems of its words except stop words, common words of critiques, and words of objecting. Two
//! sentences have the same subject when they share at least a third of the smaller one's stems.
//!
//! *moved*: another chair spoke after the earlier objections and took up at least one of them, none
//! of them recurs in the turn, and the turn objects to something else. *steady*: an earlier
//! objection recurs, or the turn accepts. *unclear*: anything else, for instance no earlier
//! objection, no present one, or no answer.
//!
//! Limits: English alone; a synonym looks like another subject, so a critic that rephrases seems to
//! move; an objection that was truly settled and followed by a fair new one looks the same as a
//! retreat. A heuristic that is still to be validated against people.

use super::evidence::{Evidence, evidence_json};
use super::sentence_stance::Polarity;
use super::sentences::{collect_stems, split_sentences, split_words};
use super::stance::turn_stance;
use super::turn_text::{TurnAuthor, TurnText};
use crate::debate::event::Outcome;
use crate::judge::lexicon::GENERAL;
use crate::judge::replies::verdict::detector_outcome;
use serde_json::json;
use std::collections::BTreeSet;

pub(crate) const LABELS: &[(&str, f64)] = &[("steady", 1.0), ("moved", -1.0), ("unclear", 0.0)];

/// Most sentences of either side that are compared, the first ones of each turn.
const MAX_SENTENCES: usize = 200;
/// Fewest stems of a subject.
const MIN_STEMS: usize = 2;
/// Share of the smaller sentence's stems that two sentences of the same subject have in common.
const SAME_SHARE: f64 = 1.0 / 3.0;
/// Most sentences of either side that are shown as evidence.
const MAX_EVIDENCE: usize = 2;

/// A sentence with the stems of its subject.
struct SubjectSentence<'a> {
    said: TurnText<'a>,
    quote: &'a str,
    stems: BTreeSet<String>,
}

/// Compares the objections of a turn with the same chair's earlier ones; `seen` is oldest first.
pub(crate) fn detect_moved_goalposts(target: &TurnText<'_>, seen: &[TurnText<'_>]) -> Outcome {
    let mut earlier: Vec<SubjectSentence<'_>> = Vec::new();
    let mut has_answer = false;
    for said in seen {
        match said.whose {
            TurnAuthor::Own => earlier.extend(find_subject_sentences(said).filter(is_objection)),
            TurnAuthor::Other => {
                has_answer |= find_subject_sentences(said).any(|answer| {
                    earlier
                        .iter()
                        .any(|old| is_same_subject(&old.stems, &answer.stems))
                });
            }
        }
        earlier.truncate(MAX_SENTENCES);
    }
    let now: Vec<SubjectSentence<'_>> = find_subject_sentences(target).collect();
    let recurs = now.iter().find_map(|new| {
        Some((
            earlier
                .iter()
                .find(|old| is_same_subject(&old.stems, &new.stems))?,
            new,
        ))
    });
    let new: Vec<&SubjectSentence<'_>> = now.iter().filter(|one| is_objection(one)).collect();
    let accepts = turn_stance(target).stance == Some(Polarity::Accepts);
    let (label, reason, old, new) = match recurs {
        _ if earlier.is_empty() => (
            "unclear",
            "no earlier turn objects to anything",
            vec![],
            vec![],
        ),
        Some((old, new)) => (
            "steady",
            "an earlier objection recurs",
            vec![old],
            vec![new],
        ),
        None if accepts => ("steady", "the turn accepts", vec![], vec![]),
        None if new.is_empty() => ("unclear", "the turn objects to nothing", vec![], vec![]),
        None if !has_answer => (
            "unclear",
            "nobody answered the earlier objections",
            vec![],
            vec![],
        ),
        None => (
            "moved",
            "objections that were answered are gone and there are new ones",
            earlier.iter().take(MAX_EVIDENCE).collect(),
            new.into_iter().take(MAX_EVIDENCE).collect(),
        ),
    };
    let mut evidence: Vec<Evidence<'_>> = Vec::new();
    let old_why = if label == "moved" {
        "an objection that is gone"
    } else {
        "the objection before"
    };
    let new_why = if label == "moved" {
        "a new objection"
    } else {
        "the objection now"
    };
    evidence.extend(
        old.iter()
            .map(|one| Evidence::from_quote(&one.said, one.quote, old_why)),
    );
    evidence.extend(
        new.iter()
            .map(|one| Evidence::from_quote(&one.said, one.quote, new_why)),
    );
    let fields = json!({ "evidence": evidence_json(&evidence) });
    detector_outcome(LABELS, label, reason.to_owned(), fields)
}

/// Returns the sentences of a turn that have a subject.
fn find_subject_sentences<'a>(said: &TurnText<'a>) -> impl Iterator<Item = SubjectSentence<'a>> {
    let turn = *said;
    split_sentences(turn.text)
        .into_iter()
        .take(MAX_SENTENCES)
        .map(move |quote| SubjectSentence {
            said: turn,
            quote,
            stems: collect_stems(quote),
        })
        .filter(|one| one.stems.len() >= MIN_STEMS)
}

fn is_objection(one: &SubjectSentence<'_>) -> bool {
    one.quote.ends_with('?') || GENERAL.objecting.contains_any(&split_words(one.quote))
}

fn is_same_subject(a: &BTreeSet<String>, b: &BTreeSet<String>) -> bool {
    let common = a.intersection(b).count() as f64;
    common >= SAME_SHARE * a.len().min(b.len()) as f64
}
