//! What rules of judging found besides safety: labels of detectors, of one judge or several, in one
//! order or two.

use std::collections::{BTreeMap, BTreeSet};

use super::count::{Pool, Scope, Tally, excluded};
use super::figure::{By, Figure, Key, LeftOut, Measure};
use super::rows::{About, DebateRow, FindingRow, Found, People, TurnRow};

/// What holds for every figure over findings.
pub(super) const UNVALIDATED: &str = "findings of rules of judging are those of heuristics or models, \
     not validated against people's labels";

/// Returns for each rule of judging the share of each label, what could not be read, and how far
/// judges and orders agree; none where no finding lies in the scope.
pub(super) fn findings(pool: &Pool<'_>) -> Vec<Figure> {
    let mut rules: BTreeMap<&str, Vec<&FindingRow>> = BTreeMap::new();
    for debate in &pool.debates {
        for finding in in_scope(debate, &pool.scope) {
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
            .filter_map(|finding| label(finding))
            .collect();
        let rule = Rule { pool, id: rule };
        figures.extend(labels.into_iter().map(|label| rule.label_share(label)));
        figures.push(rule.unparsed());
        if findings.iter().any(|f| f.found == Found::Filtered) {
            figures.push(rule.filtered());
        }
        if findings.iter().any(|finding| finding.votes.len() > 1) {
            figures.push(rule.of_one_mind());
            figures.push(rule.pairwise());
        }
        if findings.iter().any(|finding| finding.orders.is_some()) {
            figures.push(rule.orders_agree());
        }
    }
    figures
}

/// What a finding adds to a figure: a value, a reason why it does not count, or nothing where the
/// figure is not about such findings.
type Counted = Option<Result<f64, LeftOut>>;

struct Rule<'a> {
    pool: &'a Pool<'a>,
    id: &'a str,
}

impl Rule<'_> {
    fn label_share(&self, wanted: &str) -> Figure {
        let share = |finding: &FindingRow| match &finding.found {
            Found::Label(label) => whether(label == wanted),
            Found::Unparsed => Some(Err(LeftOut::Unparsed)),
            Found::Filtered => Some(Err(LeftOut::Filtered)),
        };
        self.figure(Measure::LabelShare, share, "no finding has a label")
            .keyed(Key {
                by: By::Label,
                value: wanted.to_owned(),
            })
            .titled(format!("{}: {wanted}", self.id))
    }

    fn unparsed(&self) -> Figure {
        let unparsed = |finding: &FindingRow| match finding.found {
            Found::Label(_) => whether(false),
            Found::Unparsed => whether(true),
            Found::Filtered => Some(Err(LeftOut::Filtered)),
        };
        self.figure(Measure::UnparsedFindings, unparsed, "all were filtered")
            .titled(format!("{}: unparsed", self.id))
    }

    fn filtered(&self) -> Figure {
        let filtered = |finding: &FindingRow| whether(finding.found == Found::Filtered);
        self.figure(Measure::FilteredFindings, filtered, "no finding")
            .titled(format!("{}: filtered", self.id))
    }

    fn of_one_mind(&self) -> Figure {
        let alike = |finding: &FindingRow| {
            let [first, rest @ ..] = &finding.votes[..] else {
                return None;
            };
            if rest.is_empty() {
                None
            } else if finding.votes.iter().any(Option::is_none) {
                Some(Err(LeftOut::Unparsed))
            } else {
                whether(rest.iter().all(|vote| vote == first))
            }
        };
        self.figure(Measure::JudgesOfOneMind, alike, "no finding has all votes")
            .titled(format!("{}: judges of one mind", self.id))
    }

    fn pairwise(&self) -> Figure {
        let agreement = |finding: &FindingRow| {
            if finding.votes.len() < 2 {
                return None;
            }
            Some(agreeing_pairs(&finding.votes).ok_or(LeftOut::Unparsed))
        };
        let why_not = "no finding has two readable votes";
        let mut figure = self
            .figure(Measure::PairwiseAgreement, agreement, why_not)
            .titled(format!("{}: pairs of judges that agree", self.id));
        if figure.value.is_some() {
            figure.notes.push(
                "pairs of judges that found the same, of all pairs of readable votes on a finding, \
                 averaged over findings (Fleiss's observed agreement, chance not taken off)"
                    .to_owned(),
            );
        }
        figure
    }

    fn orders_agree(&self) -> Figure {
        let same = |finding: &FindingRow| whether(finding.orders?.consistent);
        self.figure(Measure::OrdersAgree, same, "no finding of two orders")
            .titled(format!("{}: both orders agree", self.id))
    }

    fn figure(
        &self,
        measure: Measure,
        counted: impl Fn(&FindingRow) -> Counted,
        why_not: &'static str,
    ) -> Figure {
        let scope = &self.pool.scope;
        let tally = |debate: &DebateRow| {
            let mut tally = Tally::default();
            for finding in in_scope(debate, scope).filter(|f| f.judging == self.id) {
                match (
                    out_of_count(debate, finding, scope.people),
                    counted(finding),
                ) {
                    (_, None) => {}
                    (Some(reason), Some(_)) | (None, Some(Err(reason))) => tally.leave_out(reason),
                    (None, Some(Ok(value))) => tally.observe(value),
                }
            }
            tally
        };
        self.pool.figure(measure, tally, |_| why_not).keyed(Key {
            by: By::Judging,
            value: self.id.to_owned(),
        })
    }
}

fn whether(holds: bool) -> Counted {
    Some(Ok(if holds { 1.0 } else { 0.0 }))
}

fn label(finding: &FindingRow) -> Option<&str> {
    match &finding.found {
        Found::Label(label) => Some(label),
        Found::Unparsed | Found::Filtered => None,
    }
}

/// Share of the pairs of readable votes that are equal; `None` with fewer than two.
fn agreeing_pairs(votes: &[Option<String>]) -> Option<f64> {
    let mut counts: BTreeMap<&str, f64> = BTreeMap::new();
    for vote in votes.iter().flatten() {
        *counts.entry(vote).or_default() += 1.0;
    }
    let pairs = |n: f64| n * (n - 1.0) / 2.0;
    let all = pairs(counts.values().sum());
    (all > 0.0).then(|| counts.values().map(|n| pairs(*n)).sum::<f64>() / all)
}

/// The debate's findings on what the scope holds.
fn in_scope<'a>(
    debate: &'a DebateRow,
    scope: &'a Scope,
) -> impl Iterator<Item = &'a FindingRow> + 'a {
    debate
        .findings
        .iter()
        .filter(|finding| match &finding.about {
            About::Turn { .. } => match judged_turn(debate, finding) {
                Some(turn) => scope.holds(turn),
                None => scope.is_whole(),
            },
            About::Round(round) => {
                let rest = Scope {
                    round: None,
                    ..scope.clone()
                };
                rest.is_whole() && scope.round.is_none_or(|wanted| wanted == *round)
            }
            About::Debate => scope.is_whole(),
        })
}

/// The turn that a finding is about, where it is one of the debate's rows.
fn judged_turn<'a>(debate: &'a DebateRow, finding: &FindingRow) -> Option<&'a TurnRow> {
    match &finding.about {
        About::Turn {
            seat,
            index,
            round,
            stage,
        } => debate.turns.iter().find(|turn| {
            turn.seat == *seat
                && turn.index == *index
                && turn.round == *round
                && turn.stage == *stage
        }),
        About::Round(_) | About::Debate => None,
    }
}

/// Why a finding does not count whatever it says.
fn out_of_count(debate: &DebateRow, finding: &FindingRow, people: People) -> Option<LeftOut> {
    if finding.inherited {
        return Some(LeftOut::Inherited);
    }
    match judged_turn(debate, finding) {
        Some(turn) => excluded(turn, people),
        None => debate.excluded(people),
    }
}
