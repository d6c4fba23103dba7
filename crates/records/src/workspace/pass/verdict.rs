//! Verdicts of a pass: one on each target, with those of an ensemble's members.

use super::event::{PassState, Rejudged, VerdictAddress};
use super::rules::{Evaluator, PassRules};
use elenchus_game::debate::event::{Finding, Outcome};
use elenchus_game::debate::protocol::Combine;
use elenchus_game::debate::{JudgingId, SessionId, ShownOrder, Target, combine_outcomes};
use elenchus_store::Hash;

/// Name of an ensemble's verdicts.
const ENSEMBLE: &str = "ensemble";

/// A verdict that a pass found.
#[derive(Debug, Clone, PartialEq)]
pub struct PassVerdict {
    pub pass: String,
    /// RFC 3339, UTC.
    pub at: String,
    pub session: SessionId,
    pub judging: JudgingId,
    pub target: Target,
    /// Hash of the judged text; the same in every fork that holds it.
    pub sha256: Hash,
    /// Which of the judge's chairs.
    pub chair: u32,
    pub order: ShownOrder,
    pub rubric: String,
    /// The judge's model, by the name in the configuration.
    pub model: String,
    pub outcome: Outcome,
    /// `None` when the model has no prices.
    pub cost_usd: Option<f64>,
    /// Findings of an ensemble's members; empty where one evaluator judged.
    pub members: Vec<MemberFinding>,
}

/// Finding of one member of an ensemble.
#[derive(Debug, Clone, PartialEq)]
pub struct MemberFinding {
    pub evaluator: String,
    pub outcome: Outcome,
}

impl PassVerdict {
    /// Says whether members of the ensemble found different things; a reply that could not be read
    /// differs from every label.
    pub fn is_disputed(&self) -> bool {
        let mut labels = self.members.iter().map(|member| member.outcome.label());
        let first = labels.next();
        labels.any(|label| Some(label) != first)
    }
}

/// Returns the rule of a member, counted from 0, of an ensemble.
pub fn member_rule(member: usize) -> JudgingId {
    JudgingId::new(format!("member-{}", member + 1))
}

impl PassState {
    /// Returns what was found: for an ensemble one verdict on each thing that every member has
    /// judged.
    pub(crate) fn verdicts(&self) -> Vec<PassVerdict> {
        match &self.manifest.rules {
            PassRules::Ensemble { members, combine } => {
                let first = member_rule(0);
                let first_addresses = self.judged.keys().filter(|asked| asked.judging == first);
                first_addresses
                    .filter_map(|asked| self.combine_verdict(asked, members, *combine))
                    .collect()
            }
            PassRules::Own { .. }
            | PassRules::Rubric { .. }
            | PassRules::Detector { .. }
            | PassRules::Imported { .. } => {
                let addresses = self.judged.keys();
                addresses
                    .filter_map(|asked| self.verdict_at(asked))
                    .collect()
            }
        }
    }

    /// Returns the verdict that was found last, regardless of other members of an ensemble.
    pub fn verdict_at(&self, asked: &VerdictAddress) -> Option<PassVerdict> {
        let (at, judged) = self.judged.get(asked)?;
        Some(PassVerdict {
            pass: self.manifest.pass.clone(),
            at: at.clone(),
            session: asked.session.clone(),
            judging: asked.judging.clone(),
            target: asked.target.clone(),
            sha256: judged.sha256,
            chair: asked.chair,
            order: asked.order,
            rubric: judged.rubric.clone(),
            model: judged.model.clone(),
            outcome: judged.outcome.clone(),
            cost_usd: judged.cost_usd(),
            members: Vec::new(),
        })
    }

    fn combine_verdict(
        &self,
        first: &VerdictAddress,
        members: &[Evaluator],
        how: Combine,
    ) -> Option<PassVerdict> {
        let all: Vec<&(String, Rejudged)> = (0..members.len())
            .map(|member| {
                self.judged.get(&VerdictAddress {
                    judging: member_rule(member),
                    ..first.clone()
                })
            })
            .collect::<Option<_>>()?;
        let outcomes: Vec<Outcome> = all
            .iter()
            .map(|(_, judged)| judged.outcome.clone())
            .collect();
        let outcome = match combine_outcomes(&outcomes, how)? {
            Outcome::Label(finding) => Outcome::Label(Finding {
                score: ensemble_score(&outcomes),
                codes: Vec::new(),
                reason: None,
                fields: serde_json::Value::Null,
                ..finding
            }),
            unparsed @ Outcome::Unparsed { .. } => unparsed,
        };
        let costs = all.iter().map(|(_, judged)| judged.cost_usd());
        Some(PassVerdict {
            at: all.iter().map(|(at, _)| at).max()?.clone(),
            judging: JudgingId::new(ENSEMBLE),
            rubric: ENSEMBLE.to_owned(),
            model: format!("{} evaluators", members.len()),
            outcome,
            cost_usd: costs.sum(),
            members: members
                .iter()
                .zip(outcomes)
                .map(|(evaluator, outcome)| MemberFinding {
                    evaluator: evaluator.to_string(),
                    outcome,
                })
                .collect(),
            ..self.verdict_at(first)?
        })
    }
}

/// The mean of the members' scores where each has one, else the share of those that could be read
/// which found something bad.
fn ensemble_score(outcomes: &[Outcome]) -> Option<f64> {
    let findings: Vec<&Finding> = outcomes.iter().filter_map(Outcome::as_finding).collect();
    let scores: Option<Vec<f64>> = findings.iter().map(|finding| finding.score).collect();
    let votes = || {
        let bad = findings
            .iter()
            .map(|finding| f64::from(finding.value < 0.0));
        bad.collect()
    };
    let values = scores.unwrap_or_else(votes);
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}
