//! Findings section: results of judging rules except safety, with labels of detectors and judges,
//! and agreement of judges and orders.

use std::collections::{BTreeMap, BTreeSet};

use super::counting::{DebatePool, DebateTally, TurnScope, turn_exclusion_reason};
use super::detector_error;
use super::over_turns::{LATER_TURNS, compares_turns, has_an_earlier_turn};
use crate::report::figure::{Dimension, Figure, FigureKey, Measure};
use crate::report::left_out::LeftOutReason;
use crate::rows::{
    DebateRow, FindingRow, FindingTarget, HumanTurns, JudgedBy, JudgingResult, TurnRow,
};

/// Note on every figure over findings.
pub(crate) const UNVALIDATED: &str = "findings of rules of judging are those of heuristics or models, \
     not validated against people's labels";

/// Returns for each judging rule the share of each label, the unparsed share, and the agreement of
/// judges and orders; empty where no finding is in the scope.
pub(crate) fn compute_finding_figures(pool: &DebatePool<'_>) -> Vec<Figure> {
    let mut rules: BTreeMap<&str, Vec<&FindingRow>> = BTreeMap::new();
    for debate in &pool.debates {
        let all = findings_in_scope(debate, &pool.scope);
        for finding in all.filter(|finding| finding.by != JudgedBy::Declared) {
            rules
                .entry(finding.judging.as_str())
                .or_default()
                .push(finding);
        }
    }
    let mut figures = Vec::new();
    for (rule, findings) in rules {
        let labels: BTreeSet<&str> = findings
            .iter()
            .filter_map(|finding| finding_label(finding))
            .collect();
        let rule = RuleFindings {
            pool,
            id: rule,
            compares_turns: compares_turns(findings.iter().copied()),
            is_by_detector: detector_error::is_by_detector(findings.iter().copied()),
        };
        for label in labels {
            figures.push(rule.label_share_figure(label));
            if rule.compares_turns && is_bad(&findings, label) {
                figures.push(rule.debates_with_label_figure(label));
            }
        }
        if findings.iter().any(|f| f.by == JudgedBy::Refusal) {
            figures.push(rule.refusal_figure());
        }
        figures.push(rule.unparsed_figure());
        if findings.iter().any(|f| f.found == JudgingResult::Filtered) {
            figures.push(rule.filtered_figure());
        }
        if findings.iter().any(|finding| finding.votes.len() > 1) {
            figures.push(rule.unanimity_figure());
            figures.push(rule.pairwise_agreement_figure());
        }
        if findings.iter().any(|finding| finding.orders.is_some()) {
            figures.push(rule.orders_agreement_figure());
        }
    }
    figures
}

/// Contribution of a finding to a figure: a value, a reason why it does not count, or `None` where
/// the figure does not concern it.
type Contribution = Option<Result<f64, LeftOutReason>>;

struct RuleFindings<'a> {
    pool: &'a DebatePool<'a>,
    id: &'a str,
    /// It compares a turn with earlier ones of its chair.
    compares_turns: bool,
    /// Its findings are those of the detector of named errors.
    is_by_detector: bool,
}

impl RuleFindings<'_> {
    fn label_share_figure(&self, wanted: &str) -> Figure {
        let share = |finding: &FindingRow| match &finding.found {
            JudgingResult::Label(label) => contribution_if(label == wanted),
            JudgingResult::Unparsed => Some(Err(LeftOutReason::Unparsed)),
            JudgingResult::UnparsedOfMaterial => Some(Err(LeftOutReason::UnparsedOfMaterial)),
            JudgingResult::Filtered => Some(Err(LeftOutReason::Filtered)),
        };
        let mut figure = self
            .rule_figure(Measure::LabelShare, share, "no finding has a label")
            .with_key(FigureKey {
                by: Dimension::Label,
                value: wanted.to_owned(),
            })
            .with_title(format!("{}: {wanted}", self.id));
        if self.is_by_detector {
            detector_error::add_to_share(&mut figure, wanted);
        }
        figure
    }

    /// The share of debates in which any turn that could have a label has it.
    fn debates_with_label_figure(&self, wanted: &str) -> Figure {
        let scope = &self.pool.scope;
        let tally = |debate: &DebateRow| {
            let mut tally = DebateTally::default();
            let mut has_label = false;
            let mut missing = None;
            let mut any = false;
            for finding in self.debate_findings(debate, scope) {
                any = true;
                match finding_exclusion_reason(debate, finding, scope.people) {
                    Some(reason) => missing = Some(reason),
                    None => match &finding.found {
                        JudgingResult::Label(label) => has_label |= label == wanted,
                        JudgingResult::Unparsed => missing = Some(LeftOutReason::Unparsed),
                        JudgingResult::UnparsedOfMaterial => {
                            missing = Some(LeftOutReason::UnparsedOfMaterial);
                        }
                        JudgingResult::Filtered => missing = Some(LeftOutReason::Filtered),
                    },
                }
            }
            // A debate with a missing finding is left out, whatever its others are (FIGURES 16).
            match missing {
                Some(reason) => tally.leave_out(reason),
                None if any => tally.observe_whether(has_label),
                None => {}
            }
            tally
        };
        let why_not = "no debate has a turn that could have it";
        let figure = self
            .pool
            .compute_figure(Measure::DebatesWithLabel, tally, |_| why_not);
        self.add_label_keys(figure, wanted)
            .with_title(format!("{}: {wanted} in a debate", self.id))
    }

    fn add_label_keys(&self, figure: Figure, label: &str) -> Figure {
        let key = |by, value: &str| FigureKey {
            by,
            value: value.to_owned(),
        };
        figure
            .with_key(key(Dimension::Judging, self.id))
            .with_key(key(Dimension::Label, label))
    }

    /// Returns the debate's findings of the rule on what can have its labels.
    fn debate_findings<'d>(
        &'d self,
        debate: &'d DebateRow,
        scope: &'d TurnScope,
    ) -> impl Iterator<Item = &'d FindingRow> {
        findings_in_scope(debate, scope)
            .filter(|finding| finding.judging == self.id)
            .filter(|finding| !self.compares_turns || has_an_earlier_turn(debate, finding))
    }

    /// One rule of a game reads for refusals, so that this figure needs no name of a rule.
    fn refusal_figure(&self) -> Figure {
        let refuses = |finding: &FindingRow| match &finding.found {
            JudgingResult::Label(_) => {
                contribution_if(finding.value.is_some_and(|value| value < 0.0))
            }
            JudgingResult::Unparsed => Some(Err(LeftOutReason::Unparsed)),
            JudgingResult::UnparsedOfMaterial => Some(Err(LeftOutReason::UnparsedOfMaterial)),
            JudgingResult::Filtered => Some(Err(LeftOutReason::Filtered)),
        };
        let mut figure = self.rule_figure(Measure::RefusalRate, refuses, "no finding has a label");
        figure.keys.clear();
        figure
    }

    fn unparsed_figure(&self) -> Figure {
        let unparsed_contribution = |finding: &FindingRow| match finding.found {
            JudgingResult::Label(_) => contribution_if(false),
            JudgingResult::Unparsed | JudgingResult::UnparsedOfMaterial => contribution_if(true),
            JudgingResult::Filtered => Some(Err(LeftOutReason::Filtered)),
        };
        self.rule_figure(
            Measure::UnparsedFindings,
            unparsed_contribution,
            "all were filtered",
        )
        .with_title(format!("{}: unparsed", self.id))
    }

    fn filtered_figure(&self) -> Figure {
        let filter_contribution =
            |finding: &FindingRow| contribution_if(finding.found == JudgingResult::Filtered);
        self.rule_figure(Measure::FilteredFindings, filter_contribution, "no finding")
            .with_title(format!("{}: filtered", self.id))
    }

    fn unanimity_figure(&self) -> Figure {
        let alike = |finding: &FindingRow| {
            let [first, rest @ ..] = &finding.votes[..] else {
                return None;
            };
            if rest.is_empty() {
                None
            } else if finding.votes.iter().any(Option::is_none) {
                Some(Err(LeftOutReason::Unparsed))
            } else {
                contribution_if(rest.iter().all(|vote| vote == first))
            }
        };
        self.rule_figure(Measure::JudgesOfOneMind, alike, "no finding has all votes")
            .with_title(format!("{}: judges of one mind", self.id))
    }

    fn pairwise_agreement_figure(&self) -> Figure {
        let agreement = |finding: &FindingRow| {
            if finding.votes.len() < 2 {
                return None;
            }
            Some(agreeing_pairs(&finding.votes).ok_or(LeftOutReason::Unparsed))
        };
        let why_not = "no finding has two readable votes";
        let mut figure = self
            .rule_figure(Measure::PairwiseAgreement, agreement, why_not)
            .with_title(format!("{}: pairs of judges that agree", self.id));
        if figure.value.is_some() {
            figure.notes.push(
                "pairs of judges that found the same, of all pairs of readable votes on a finding, \
                 averaged over findings (Fleiss's observed agreement, chance not taken off)"
                    .to_owned(),
            );
        }
        figure
    }

    fn orders_agreement_figure(&self) -> Figure {
        let same = |finding: &FindingRow| match (finding.orders?.consistent, &finding.found) {
            (Some(same), _) => contribution_if(same),
            // Of several judges one can be unreadable where the others found something.
            (None, JudgingResult::Unparsed | JudgingResult::Label(_)) => {
                Some(Err(LeftOutReason::Unparsed))
            }
            (None, JudgingResult::UnparsedOfMaterial) => {
                Some(Err(LeftOutReason::UnparsedOfMaterial))
            }
            (None, JudgingResult::Filtered) => Some(Err(LeftOutReason::Filtered)),
        };
        self.rule_figure(
            Measure::OrdersAgree,
            same,
            "no finding with two readable orders",
        )
        .with_title(format!("{}: both orders agree", self.id))
    }

    /// Says whether a figure counts a finding: any can be unreadable, but only a later turn can be a change.
    fn counts_finding(&self, measure: Measure, debate: &DebateRow, finding: &FindingRow) -> bool {
        let is_of_any = !self.compares_turns || measure != Measure::LabelShare;
        finding.judging == self.id && (is_of_any || has_an_earlier_turn(debate, finding))
    }

    fn rule_figure(
        &self,
        measure: Measure,
        contribution: impl Fn(&FindingRow) -> Contribution,
        why_not: &'static str,
    ) -> Figure {
        let scope = &self.pool.scope;
        let tally = |debate: &DebateRow| {
            let mut tally = DebateTally::default();
            for finding in findings_in_scope(debate, scope)
                .filter(|finding| self.counts_finding(measure, debate, finding))
            {
                match (
                    finding_exclusion_reason(debate, finding, scope.people),
                    contribution(finding),
                ) {
                    (_, None) => {}
                    (Some(reason), Some(_)) | (None, Some(Err(reason))) => tally.leave_out(reason),
                    (None, Some(Ok(value))) => tally.observe(value),
                }
            }
            tally
        };
        let mut figure = self.pool.compute_figure(measure, tally, |_| why_not);
        let is_of_later = self.compares_turns && measure == Measure::LabelShare;
        if is_of_later && figure.value.is_some() {
            figure.notes.push(LATER_TURNS.to_owned());
        }
        figure.with_key(FigureKey {
            by: Dimension::Judging,
            value: self.id.to_owned(),
        })
    }
}

/// Says whether a rule's label is on the bad side of its scale.
fn is_bad(findings: &[&FindingRow], wanted: &str) -> bool {
    let of_label = |finding: &&&FindingRow| finding_label(finding) == Some(wanted);
    let mut findings_with_label = findings.iter().filter(of_label);
    findings_with_label.any(|finding| finding.value.is_some_and(|value| value < 0.0))
}

fn contribution_if(holds: bool) -> Contribution {
    Some(Ok(if holds { 1.0 } else { 0.0 }))
}

fn finding_label(finding: &FindingRow) -> Option<&str> {
    match &finding.found {
        JudgingResult::Label(label) => Some(label),
        JudgingResult::Unparsed | JudgingResult::UnparsedOfMaterial | JudgingResult::Filtered => {
            None
        }
    }
}

/// Returns the share of equal pairs among the parsed votes; `None` with fewer than two votes.
fn agreeing_pairs(votes: &[Option<String>]) -> Option<f64> {
    let mut counts: BTreeMap<&str, f64> = BTreeMap::new();
    for vote in votes.iter().flatten() {
        *counts.entry(vote).or_default() += 1.0;
    }
    let pairs = |n: f64| n * (n - 1.0) / 2.0;
    let all = pairs(counts.values().sum());
    (all > 0.0).then(|| counts.values().map(|n| pairs(*n)).sum::<f64>() / all)
}

/// Returns the debate's findings within the scope.
pub(super) fn findings_in_scope<'a>(
    debate: &'a DebateRow,
    scope: &'a TurnScope,
) -> impl Iterator<Item = &'a FindingRow> + 'a {
    debate
        .findings
        .iter()
        .filter(|finding| match &finding.about {
            FindingTarget::Turn { .. } => match judged_turn(debate, finding) {
                Some(turn) => scope.covers_turn(turn),
                None => scope.is_whole(),
            },
            FindingTarget::Round(round) => {
                let rest = TurnScope {
                    round: None,
                    ..scope.clone()
                };
                rest.is_whole() && scope.round.is_none_or(|wanted| wanted == *round)
            }
            FindingTarget::Debate => scope.is_whole(),
        })
}

/// Returns the turn that a finding is about, if it is one of the debate's rows.
pub(super) fn judged_turn<'a>(debate: &'a DebateRow, finding: &FindingRow) -> Option<&'a TurnRow> {
    let mut turns = debate.turns.iter();
    turns.find(|turn| finding.about.is_turn(turn))
}

/// Returns the reason why a finding does not count whatever its label, if there is one.
pub(super) fn finding_exclusion_reason(
    debate: &DebateRow,
    finding: &FindingRow,
    people: HumanTurns,
) -> Option<LeftOutReason> {
    if finding.inherited {
        return Some(LeftOutReason::Inherited);
    }
    match judged_turn(debate, finding) {
        Some(turn) => turn_exclusion_reason(turn, people),
        None => debate.exclusion_reason(people),
    }
}
