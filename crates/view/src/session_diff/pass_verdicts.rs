//! Verdicts of passes on both sides, now and earlier. Pure.

use super::side::{DiffSide, Subject};
use elenchus_game::debate::event::Outcome;
use elenchus_game::debate::{JudgingId, SessionId, Target};
use elenchus_records::workspace::pass::PassVerdict;
use std::collections::BTreeMap;

/// Verdicts of passes.
#[derive(Debug, Clone, Default)]
pub(super) struct PassVerdicts {
    found: BTreeMap<(SessionId, Target), Vec<PassVerdict>>,
}

impl PassVerdicts {
    /// Takes a verdict.
    pub fn add_verdict(&mut self, verdict: &PassVerdict) {
        let place = (verdict.session.clone(), verdict.target.clone());
        let verdicts = self.found.entry(place).or_default();
        // A pass that is read while it is played reports some verdicts twice.
        let same = |one: &PassVerdict| {
            (&one.pass, &one.judging, one.chair, one.order)
                == (
                    &verdict.pass,
                    &verdict.judging,
                    verdict.chair,
                    verdict.order,
                )
        };
        verdicts.retain(|one| !same(one));
        verdicts.push(verdict.clone());
    }

    /// Returns what passes found on a row of a side, the latest pass last.
    pub fn find_verdicts(&self, side: &DiffSide, subject: &Subject) -> &[PassVerdict] {
        let Some(target) = side.find_target(subject) else {
            return &[];
        };
        let place = (side.session.clone(), target);
        self.found.get(&place).map_or(&[], Vec::as_slice)
    }

    /// Returns how often each label was found by the latest pass of a side, by rule.
    pub fn count_labels(&self, session: &SessionId) -> BTreeMap<JudgingId, Vec<(String, usize)>> {
        let verdicts_of = |session: &SessionId| {
            let session = session.clone();
            let places = self.found.iter();
            places
                .filter(move |((of, _), _)| *of == session)
                .flat_map(|(_, found)| found)
        };
        // Ids of passes are sorted by time.
        let Some(latest) = verdicts_of(session).map(|found| found.pass.clone()).max() else {
            return BTreeMap::new();
        };
        let mut counts: BTreeMap<JudgingId, BTreeMap<String, usize>> = BTreeMap::new();
        for found in verdicts_of(session).filter(|found| found.pass == latest) {
            let rule = counts.entry(found.judging.clone()).or_default();
            *rule.entry(outcome_label(&found.outcome)).or_default() += 1;
        }
        counts
            .into_iter()
            .map(|(rule, labels)| (rule, labels.into_iter().collect()))
            .collect()
    }
}

/// Returns a finding's label, or that it could not be read.
pub(super) fn outcome_label(outcome: &Outcome) -> String {
    outcome.label().unwrap_or("unparsed").to_owned()
}
