//! Whether a critic drops what was answered and asks for something new.
//!
//! An objection is a sentence with a word of objecting or demanding in it, or a question. It is
//! about the stems of its words that are neither stop words, nor words of any critique, nor words
//! of objecting. Two sentences are about the same when they share at least a third of the smaller
//! one's stems.
//!
//! *moved*: another chair spoke after the earlier objections and took at least one of them up, none
//! of them recurs in the turn, and the turn objects to something else. *steady*: an earlier
//! objection recurs, or the turn accepts. *unclear*: anything else, for instance where there was no
//! objection before, none is made now, or nobody answered.
//!
//! Limits: English alone; other words for the same thing look like another thing, so a critic that
//! rephrases seems to move; an objection that was truly settled and followed by a fair new one
//! looks the same as a retreat. A heuristic that is still to be validated against people.

use super::cue::Polarity;
use super::evidence::{Evidence, listed};
use super::read::labelled;
use super::said::{Said, Whose};
use super::sentence::{content, sentences, words};
use super::stance::taken;
use super::wording::OBJECTING;
use crate::debate::event::Outcome;
use serde_json::json;
use std::collections::BTreeSet;

pub(super) const LABELS: &[(&str, f64)] = &[("steady", 1.0), ("moved", -1.0), ("unclear", 0.0)];

/// The most sentences of either side that are compared, the first ones of each turn.
const MAX_SENTENCES: usize = 200;
/// The fewest stems by which a sentence is about something.
const MIN_STEMS: usize = 2;
/// The share of the smaller sentence's stems that two sentences about the same have in common.
const SAME_SHARE: f64 = 1.0 / 3.0;
/// The most sentences of either side that are shown as evidence.
const MAX_EVIDENCE: usize = 2;

/// A sentence and what it is about.
struct Topical<'a> {
    said: Said<'a>,
    quote: &'a str,
    stems: BTreeSet<String>,
}

/// Compares the objections of a turn with the same chair's earlier ones; `seen` is oldest first.
pub(super) fn goalposts(target: &Said<'_>, seen: &[Said<'_>]) -> Outcome {
    let mut earlier: Vec<Topical<'_>> = Vec::new();
    let mut answered = false;
    for said in seen {
        match said.whose {
            Whose::Own => earlier.extend(topical(said).filter(objects)),
            Whose::Other => {
                answered |= topical(said)
                    .any(|answer| earlier.iter().any(|old| same(&old.stems, &answer.stems)));
            }
        }
        earlier.truncate(MAX_SENTENCES);
    }
    let now: Vec<Topical<'_>> = topical(target).collect();
    let recurs = now.iter().find_map(|new| {
        Some((
            earlier.iter().find(|old| same(&old.stems, &new.stems))?,
            new,
        ))
    });
    let new: Vec<&Topical<'_>> = now.iter().filter(|one| objects(one)).collect();
    let accepts = taken(target).stance == Some(Polarity::Accepts);
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
        None if !answered => (
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
    let gone = if label == "moved" {
        "an objection that is gone"
    } else {
        "the objection before"
    };
    let here = if label == "moved" {
        "a new objection"
    } else {
        "the objection now"
    };
    evidence.extend(
        old.iter()
            .map(|one| Evidence::of(&one.said, one.quote, gone)),
    );
    evidence.extend(
        new.iter()
            .map(|one| Evidence::of(&one.said, one.quote, here)),
    );
    let fields = json!({ "evidence": listed(&evidence) });
    labelled(LABELS, label, reason.to_owned(), fields)
}

/// Returns the sentences of a turn that are about something.
fn topical<'a>(said: &Said<'a>) -> impl Iterator<Item = Topical<'a>> {
    let said = *said;
    sentences(said.text)
        .into_iter()
        .take(MAX_SENTENCES)
        .map(move |quote| Topical {
            said,
            quote,
            stems: content(quote),
        })
        .filter(|one| one.stems.len() >= MIN_STEMS)
}

fn objects(one: &Topical<'_>) -> bool {
    one.quote.ends_with('?')
        || words(one.quote)
            .iter()
            .any(|word| OBJECTING.contains(&word.as_str()))
}

fn same(a: &BTreeSet<String>, b: &BTreeSet<String>) -> bool {
    let common = a.intersection(b).count() as f64;
    common >= SAME_SHARE * a.len().min(b.len()) as f64
}
