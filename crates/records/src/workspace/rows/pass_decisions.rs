//! Decisions, picks and rewards by a pass: the game's own rules and its table over the verdicts of the pass, in place
//! of those of the game's judges. What the pass did not find is missing, never taken from the game's judges.

use super::by_pass::NotOfPass;
use super::judged::{
    concluded_right, deciding_rule, find_decision, find_pick, list_findings, list_gauges,
};
use super::list_rewards;
use crate::workspace::pass::{PassManifest, PassRules, PassVerdict, VerdictAddress, hash_target};
use elenchus_game::debate::event::{Author, Created};
use elenchus_game::debate::protocol::{JudgedThing, Judging, Orders};
use elenchus_game::debate::{Chair, Judge, JudgingId, State, Target, VerdictState};
use elenchus_metrics::{DebateRow, FindingRow, FindingTarget, GaugeRow};
use std::collections::BTreeSet;

/// A debate with the verdicts of a pass in place of its judges'.
pub(super) struct RejudgedDebate {
    state: State,
    created: Created,
    /// Rules that the pass asked.
    asked: BTreeSet<JudgingId>,
    /// Rules that the game has itself.
    own_rules: BTreeSet<JudgingId>,
    /// Whether its gauges are read: where a judge is compared with itself.
    orders: Orders,
}

impl RejudgedDebate {
    /// Puts the verdicts that a pass found on a debate, as it is now, in place of its judges'; `None` where the pass
    /// asked no rule of the game.
    pub(super) fn new(
        manifest: &PassManifest,
        state: &State,
        verdicts: &[&PassVerdict],
        filtered: &[&VerdictAddress],
    ) -> Option<Self> {
        let own = state.first_event()?;
        let seated = manifest.seat_judges(own.clone());
        let (created, asked) = seat_in_game(manifest, own, seated.clone())?;
        let as_judged = state.clone().with_first_event(seated);
        let judged = verdicts
            .iter()
            .filter(|verdict| verdict.sha256 == hash_target(&as_judged, &verdict.target))
            .map(|verdict| {
                let address = VerdictAddress {
                    session: verdict.session.clone(),
                    judging: verdict.judging.clone(),
                    chair: verdict.chair,
                    target: verdict.target.clone(),
                    order: verdict.order,
                };
                (address, Some(verdict.outcome.clone()))
            });
        let refused = filtered.iter().map(|address| ((*address).clone(), None));
        let given = refused.chain(judged).filter_map(|(address, outcome)| {
            let rule = created.protocol.find_judging(&address.judging)?;
            let seat = rule.by.clone().filter(|_| asked.contains(&rule.id))?;
            let inherited = match &address.target {
                Target::Attempt(id) => state
                    .chosen_attempt(&id.turn)
                    .is_some_and(|(chosen, attempt)| chosen == *id && attempt.inherited),
                Target::Round(_) | Target::Debate => false,
            };
            let judge = Judge {
                judging: address.judging,
                chair: Chair {
                    seat,
                    index: address.chair,
                },
                target: address.target,
                order: address.order,
                attempt: 0,
            };
            let verdict = VerdictState {
                by: Author::Engine,
                at: String::new(),
                outcome,
                view: None,
                reply: None,
                inherited,
                earlier: Vec::new(),
            };
            Some((judge, verdict))
        });
        let given: Vec<(Judge, VerdictState)> = given.collect();
        let mut replaced = asked.clone();
        let graders = created.protocol.judging.iter();
        replaced.extend(
            graders
                .filter(|rule| grades_judge(rule))
                .map(|rule| rule.id.clone()),
        );
        Some(Self {
            state: state
                .clone()
                .with_judges_replaced(created.clone(), &replaced, given),
            own_rules: own
                .protocol
                .judging
                .iter()
                .map(|rule| rule.id.clone())
                .collect(),
            created,
            asked,
            orders: manifest.orders,
        })
    }

    pub(super) fn into_state(self) -> State {
        self.state
    }

    /// Fills what the pass decided into a row that holds nothing of the game's own judges, and returns which parts
    /// come from the pass.
    pub(super) fn fill_row(&self, row: &mut DebateRow) -> BTreeSet<NotOfPass> {
        let (state, created) = (&self.state, &self.created);
        let is_decider = |own: &JudgingId| self.asked.contains(own) && self.own_rules.contains(own);
        if deciding_rule(created).is_some_and(|rule| is_decider(&rule.id)) {
            row.decision = find_decision(state, created);
            row.pick = find_pick(state, created);
            row.concluded_right = concluded_right(state, created);
        }
        // A table that pays for another judge's verdicts too, or for none of the pass, says nothing about the pass.
        let paid = created.protocol.rewards.keys();
        let paid = paid.filter_map(|id| created.protocol.find_judging(id));
        let mut paid = paid
            .filter(|rule| rule.enabled && rule.has_judge())
            .peekable();
        if paid.peek().is_some() && paid.all(|rule| self.asked.contains(&rule.id)) {
            let rewards = list_rewards(state, created).into_iter();
            row.rewards = rewards
                .map(|(chair, reward)| (chair.seat.to_string(), reward))
                .collect();
        }
        if self.orders == Orders::Both {
            row.gauges = self.list_gauges();
        }
        let parts = [
            (NotOfPass::Gauges, !row.gauges.is_empty()),
            (NotOfPass::Decisions, row.decision.is_some()),
            (NotOfPass::Picks, row.pick.is_some()),
            (NotOfPass::Conclusions, row.concluded_right.is_some()),
            (NotOfPass::Rewards, !row.rewards.is_empty()),
        ];
        let filled = parts.into_iter().filter(|(_, is_filled)| *is_filled);
        filled.map(|(part, _)| part).collect()
    }

    /// Returns the readings of the gauges that read verdicts of the pass.
    fn list_gauges(&self) -> Vec<GaugeRow> {
        let of_pass = self.created.protocol.gauges.iter().filter(|gauge| {
            let rule = gauge.judging.as_ref();
            rule.is_some_and(|rule| self.asked.contains(rule))
        });
        let of_pass: BTreeSet<&String> = of_pass.map(|gauge| &gauge.id).collect();
        let mut readings = list_gauges(&self.state);
        readings.retain(|reading| of_pass.contains(&reading.id));
        readings
    }

    /// Returns what the pass found about rounds and about the debate.
    pub(super) fn list_findings(&self) -> Vec<FindingRow> {
        let findings = list_findings(&self.state, &self.created).into_iter();
        let of_pass = findings.filter(|finding| {
            let is_whole = match finding.about {
                FindingTarget::Round(_) | FindingTarget::Debate => true,
                FindingTarget::Turn { .. } => false,
            };
            is_whole
                && self
                    .asked
                    .iter()
                    .any(|rule| rule.as_str() == finding.judging)
        });
        of_pass.collect()
    }
}

/// Says whether a rule compares what a judge concluded with the reference: of another judge it knows nothing.
fn grades_judge(rule: &Judging) -> bool {
    rule.grader.is_some() && is_whole(rule)
}

/// Returns the game's first event with the rules that the pass asked, and which these are; `None` where it asked about
/// single turns alone.
fn seat_in_game(
    manifest: &PassManifest,
    own: &Created,
    seated: Created,
) -> Option<(Created, BTreeSet<JudgingId>)> {
    match &manifest.rules {
        PassRules::Own { .. } => {
            let rules = seated.protocol.judging.iter();
            // Whoever a grader asks is no judge: what they found is ground truth, and stays.
            let asked =
                rules.filter(|rule| rule.enabled && rule.rubric.is_some() && rule.has_judge());
            let asked: BTreeSet<JudgingId> = asked.map(|rule| rule.id.clone()).collect();
            Some((seated, asked))
        }
        PassRules::Rubric { .. } => {
            let mut rules = seated.protocol.judging.iter();
            let rule = rules.find(|rule| is_whole(rule))?.clone();
            let mut created = Created {
                cast: seated.cast,
                ..own.clone()
            };
            created.protocol.seats = seated.protocol.seats;
            let asked = BTreeSet::from([rule.id.clone()]);
            let mut own_rules = created.protocol.judging.iter_mut();
            match own_rules.find(|own| own.id == rule.id) {
                Some(own) => *own = rule,
                None => created.protocol.judging.push(rule),
            }
            Some((created, asked))
        }
        PassRules::Detector { .. } | PassRules::Ensemble { .. } | PassRules::Imported { .. } => {
            None
        }
    }
}

fn is_whole(rule: &Judging) -> bool {
    match rule.of {
        JudgedThing::Turn => false,
        JudgedThing::Round | JudgedThing::Debate => true,
    }
}
