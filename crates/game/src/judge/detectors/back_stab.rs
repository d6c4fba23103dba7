//! Back-stab detector: finds a critic that rejects what it accepted before.
//!
//! The stance of the turn is compared with the stances of the critic's earlier turns that the
//! detector is given: *back_stab* where any of them accepts and this one rejects, *steady* where
//! stances are known otherwise, *unclear* in all other cases. The errors of [`super::stance`] apply
//! here too, and a change of mind for a good reason looks the same. A heuristic that is still to be
//! validated against people.

use super::evidence::{Evidence, evidence_json};
use super::sentence_stance::Polarity;
use super::stance::turn_stance;
use super::turn_text::{TurnAuthor, TurnText};
use crate::debate::event::Outcome;
use crate::judge::replies::verdict::detector_outcome;
use serde_json::json;

pub(crate) const LABELS: &[(&str, f64)] = &[("steady", 1.0), ("back_stab", -1.0), ("unclear", 0.0)];

/// Compares the stance of a turn with those of the same chair's earlier turns, oldest first.
pub(crate) fn detect_back_stab(target: &TurnText<'_>, seen: &[TurnText<'_>]) -> Outcome {
    let now = turn_stance(target);
    let earlier: Vec<_> = seen
        .iter()
        .filter(|said| said.whose == TurnAuthor::Own)
        .map(|said| (said, turn_stance(said)))
        .filter(|(_, taken)| taken.stance.is_some())
        .collect();
    let acceptance = earlier
        .iter()
        .rev()
        .find(|(_, taken)| taken.stance == Some(Polarity::Accepts));
    let (label, reason, shown) = match (now.stance, acceptance, earlier.last()) {
        (None, _, _) => ("unclear", "the turn takes no clear stance", None),
        (Some(_), _, None) => ("unclear", "no earlier turn takes a clear stance", None),
        (Some(Polarity::Rejects), Some(before), _) => (
            "back_stab",
            "the critic accepts the proposal and then rejects it",
            Some(before),
        ),
        (Some(_), _, Some(before)) => (
            "steady",
            "the critic rejects nothing that it accepted",
            Some(before),
        ),
    };
    let mut evidence = Vec::new();
    if let Some((said, taken)) = shown {
        let quotes = taken.quotes.iter().take(1);
        evidence.extend(quotes.map(|(quote, why)| Evidence::from_quote(said, quote, why)));
        let quotes = now.quotes.iter().take(1);
        evidence.extend(quotes.map(|(quote, why)| Evidence::from_quote(target, quote, why)));
    }
    let fields = json!({ "evidence": evidence_json(&evidence) });
    detector_outcome(LABELS, label, reason.to_owned(), fields)
}
