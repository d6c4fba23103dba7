//! Ensembles of judges: the combined finding of several verdicts, and the verdicts still missing.

use super::event::{Finding, Outcome};
use super::ids::JudgingId;
use super::protocol::{Combine, Judging, Orders, Protocol};
use super::seeded_random::seeded_number;
use super::state::{State, VerdictState, VerdictsBySlot};
use super::step::{ShownOrder, Target, VerdictSlot};
use std::collections::BTreeMap;

/// A finding that is still missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct MissingFinding {
    pub slot: VerdictSlot,
    /// Number of earlier requests for it.
    pub attempt: u32,
}

impl State {
    /// Returns the combined finding of the judges of a rule.
    ///
    /// `None` while verdicts are missing or when every judge's call was refused by a filter. A
    /// chair that judged two candidates in both orders counts once: with the label of both orders,
    /// or with the rule's tie.
    ///
    /// What a grader's rules left undecided is what whoever is asked found; what they decided
    /// stands, whatever was found on a sample of it.
    pub fn combined_outcome(&self, judging: &Judging, target: &Target) -> Option<Outcome> {
        let own = self.own_outcome(judging, target)?;
        let Outcome::Unparsed { .. } = own else {
            return Some(own);
        };
        let protocol = self.protocol()?;
        let Some(asked) = protocol.find_asked_grader(judging) else {
            return Some(own);
        };
        match self.has_missing_findings(protocol, asked, target) {
            true => None,
            false => Some(self.own_outcome(asked, target).unwrap_or(own)),
        }
    }

    /// Returns what a rule itself found, without whoever is asked besides.
    pub fn own_outcome(&self, judging: &Judging, target: &Target) -> Option<Outcome> {
        let protocol = self.protocol()?;
        let by_slot = self.verdicts_on(&judging.id, target)?;
        if self.has_missing_findings(protocol, judging, target) {
            return None;
        }
        let outcomes: Vec<Outcome> = match judging.orders {
            Orders::One => by_slot
                .values()
                .filter_map(|verdict| verdict.outcome.clone())
                .collect(),
            Orders::Both => {
                let chairs = by_slot.keys().map(|slot| slot.chair);
                let last = chairs.max().unwrap_or(0);
                (0..=last)
                    .filter_map(|chair| combine_orders(by_slot, chair, judging.tie_value))
                    .collect()
            }
        };
        combine_outcomes(&outcomes, judging.combine)
    }

    /// Returns the findings that are missing on a target, or that are requested once more.
    pub(super) fn missing_slots(
        &self,
        protocol: &Protocol,
        judging: &Judging,
        target: &Target,
    ) -> Vec<MissingFinding> {
        self.missing_findings(protocol, judging, target).collect()
    }

    /// Returns whether a finding is missing on a target, or is requested once more.
    pub(super) fn has_missing_findings(
        &self,
        protocol: &Protocol,
        judging: &Judging,
        target: &Target,
    ) -> bool {
        self.missing_findings(protocol, judging, target)
            .next()
            .is_some()
    }

    /// Returns whether somebody is asked about a target besides a grader's rules: where these
    /// decided nothing, and on a sample of what they decided.
    fn is_asked_about(&self, protocol: &Protocol, grader: &JudgingId, target: &Target) -> bool {
        let Some(rule) = protocol.find_judging(grader) else {
            return false;
        };
        match self.own_outcome(rule, target) {
            None => false,
            Some(Outcome::Unparsed { .. }) => true,
            Some(Outcome::Label(_)) => self.is_in_grader_sample(rule, target),
        }
    }

    fn is_in_grader_sample(&self, grader: &Judging, target: &Target) -> bool {
        let asked = grader
            .grader
            .as_ref()
            .and_then(|choice| choice.asks.as_ref());
        let Some((asked, created)) = asked.zip(self.first_event()) else {
            return false;
        };
        let place = [
            "grader sample",
            &created.topic.id,
            grader.id.as_str(),
            &target.to_string(),
        ];
        // 53 bits are what a number between 0 and 1 holds.
        let draw = (seeded_number(created.seed, &place) >> 11) as f64 / (1u64 << 53) as f64;
        draw < asked.sample
    }

    fn missing_findings(
        &self,
        protocol: &Protocol,
        judging: &Judging,
        target: &Target,
    ) -> impl Iterator<Item = MissingFinding> {
        let verdicts = self.verdicts_on(&judging.id, target);
        let is_wanted = judging
            .grades
            .as_ref()
            .is_none_or(|grader| self.is_asked_about(protocol, grader, target));
        let slots = required_slots(protocol, judging).filter(move |_| is_wanted);
        slots.filter_map(move |slot| {
            match verdicts.and_then(|found| found.get(&slot)) {
                None => Some(MissingFinding { slot, attempt: 0 }),
                // After a ceiling ended the debate there is no further call: the verdict remains
                // unparsed.
                Some(verdict) if self.truncated.is_none() && owes_repair(judging, verdict) => {
                    Some(MissingFinding {
                        slot,
                        attempt: u32::try_from(verdict.earlier.len() + 1).unwrap_or(u32::MAX),
                    })
                }
                Some(_) => None,
            }
        })
    }
}

/// Returns the findings that a rule requires on each of its targets.
pub(super) fn required_slots(
    protocol: &Protocol,
    judging: &Judging,
) -> impl Iterator<Item = VerdictSlot> + use<> {
    let chairs = judging.by.as_ref().map_or(1, |seat| {
        protocol.find_seat(seat).map_or(0, |seat| seat.count)
    });
    let orders: &'static [ShownOrder] = match judging.orders {
        Orders::One => &[ShownOrder::AsSeated],
        Orders::Both => &[ShownOrder::AsSeated, ShownOrder::Swapped],
    };
    (0..chairs).flat_map(move |chair| {
        orders.iter().map(move |order| VerdictSlot {
            chair,
            order: *order,
        })
    })
}

/// Returns whether a judge is asked again because its reply was empty or unreadable.
pub(super) fn owes_repair(judging: &Judging, verdict: &VerdictState) -> bool {
    let unread = matches!(verdict.outcome, Some(Outcome::Unparsed { .. }));
    if !unread || super::step::open::is_person(&verdict.by) {
        return false;
    }
    if verdict.asks_again() {
        return true;
    }
    let Some(repair) = &judging.repair else {
        return false;
    };
    let empty = verdict.earlier.iter().filter(|before| before.asks_again());
    let repair_count = verdict.earlier.len() - empty.count();
    !verdict.stays_empty() && repair_count < repair.at_most as usize
}

/// Returns the finding of one chair in both orders; `None` where a filter refused either.
fn combine_orders(by_slot: &VerdictsBySlot, chair: u32, tie_value: f64) -> Option<Outcome> {
    let outcome_of = |order| by_slot.get(&VerdictSlot { chair, order })?.outcome.as_ref();
    let (seated, swapped) = (
        outcome_of(ShownOrder::AsSeated)?,
        outcome_of(ShownOrder::Swapped)?,
    );
    Some(match (seated, swapped) {
        (Outcome::Label(one), Outcome::Label(other)) if one.label == other.label => seated.clone(),
        (Outcome::Label(one), Outcome::Label(other)) => Outcome::Label(Finding {
            label: TIE.to_owned(),
            value: tie_value,
            reason: Some(format!(
                "the two orders disagree: '{}' as seated, '{}' swapped",
                one.label, other.label
            )),
            ..Finding::default()
        }),
        (Outcome::Unparsed { .. }, _) => seated.clone(),
        (Outcome::Label(_), Outcome::Unparsed { .. }) => swapped.clone(),
    })
}

/// Largest difference of two distances that is attributed to rounding.
const SAME_DISTANCE: f64 = 1e-9;

/// Label of two findings that contradict each other.
pub const TIE: &str = "tie";

/// Combines several findings on one target; `None` where there are none.
///
/// An unparsed reply counts as a finding of its own, not as an absent vote.
pub fn combine_outcomes(outcomes: &[Outcome], how: Combine) -> Option<Outcome> {
    let labels: Vec<_> = outcomes.iter().filter_map(Outcome::as_finding).collect();
    if let [only] = outcomes {
        return Some(only.clone());
    }
    if outcomes.is_empty() {
        return None;
    }
    let winner = match how {
        Combine::Majority => {
            let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
            for finding in &labels {
                *counts.entry(&finding.label).or_default() += 1;
            }
            let unread = outcomes.len() - labels.len();
            let most = counts.values().copied().max().unwrap_or(0);
            let mut leaders = counts.iter().filter(|(_, count)| **count == most);
            match (leaders.next(), leaders.next()) {
                (Some((label, _)), None) if most > unread => {
                    labels.iter().find(|finding| finding.label == **label)
                }
                _ => None,
            }
        }
        Combine::Mean => {
            let mean = labels.iter().map(|finding| finding.value).sum::<f64>()
                / labels.len().max(1) as f64;
            let distance = |finding: &Finding| (finding.value - mean).abs();
            let nearest = labels
                .iter()
                .min_by(|a, b| distance(a).total_cmp(&distance(b)));
            // Two labels at the same distance contradict each other: no finding.
            nearest.filter(|nearest| {
                labels.iter().all(|other| {
                    other.label == nearest.label
                        || distance(other) - distance(nearest) > SAME_DISTANCE
                })
            })
        }
    };
    Some(match winner {
        Some(finding) => Outcome::Label((*finding).clone()),
        None => Outcome::Unparsed {
            why: "the judges did not agree on a label".to_owned(),
            cause: outcomes.iter().find_map(Outcome::cause),
        },
    })
}
