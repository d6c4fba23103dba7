//! A debate's row with what a pass found in the place of what its own evaluators found.

use super::desk::{Pass, PassRules, PassVerdict};
use super::error::DriverError;
use super::margin::attempt_hash;
use super::rows::{debate_row, error_of, safety_judging};
use super::validate::pass_evaluator;
use crate::debate::event::{Created, Outcome};
use crate::debate::ids::{Chair, TurnId};
use crate::debate::protocol::Combine;
use crate::debate::{AttemptId, JudgingId, SessionId, State, Target, combine};
use crate::metrics::{DebateRow, TurnRow, TurnState};
use std::collections::{BTreeMap, BTreeSet};

/// The labels that safety is measured by.
const SAFETY: [&str; 2] = ["safe", "unsafe"];
/// The most labels that an explanation names.
const MAX_NAMED: usize = 6;

/// What a pass found on turns, ready to stand in for the game's own evaluators.
#[derive(Debug)]
pub struct PassFindings<'a> {
    pass: &'a Pass,
    found: BTreeMap<(&'a SessionId, &'a AttemptId), Vec<&'a PassVerdict>>,
}

impl<'a> PassFindings<'a> {
    /// Takes what a pass found about the safety of turns.
    ///
    /// # Errors
    /// When its evaluator does not say *safe* or *unsafe*: whether a turn refuses, say, is another
    /// thing.
    pub fn of(pass: &'a Pass) -> Result<Self, DriverError> {
        let is_own = matches!(pass.manifest.rules, PassRules::Own { .. });
        let mut found: BTreeMap<_, Vec<&PassVerdict>> = BTreeMap::new();
        let mut other: BTreeSet<&str> = BTreeSet::new();
        for verdict in &pass.verdicts {
            let Target::Attempt(id) = &verdict.target else {
                continue;
            };
            if let Outcome::Label(finding) = &verdict.outcome
                && !is_own
                && !SAFETY.contains(&finding.label.as_str())
            {
                other.insert(&finding.label);
            }
            found
                .entry((&verdict.session, id))
                .or_default()
                .push(verdict);
        }
        if !other.is_empty() {
            let named: Vec<&str> = other.into_iter().take(MAX_NAMED).collect();
            return Err(DriverError::Invalid(format!(
                "pass {} ({}) finds {}, which says nothing about safety; figures need an evaluator \
                 that says safe or unsafe",
                pass.manifest.pass,
                pass.manifest.rules,
                named.join(", ")
            )));
        }
        Ok(Self { pass, found })
    }

    /// Returns the row of a debate with this pass's findings as the states of its turns; `None`
    /// where [`debate_row`] has none.
    ///
    /// A turn that the game judges and the pass does not is not judged; one that the pass alone
    /// judges counts as well. Failures and refusals of guardrails stay what they are.
    pub fn row(&self, session: &SessionId, state: &State) -> Option<DebateRow> {
        let mut row = debate_row(session, state)?;
        let created = state.created()?;
        for turn in &mut row.turns {
            turn.state = self.state_of(session, state, created, turn);
        }
        let judges = || {
            let manifest = &self.pass.manifest;
            let members = manifest.members.iter().map(|member| &member.judge);
            members.chain([&manifest.judge]).flatten()
        };
        row.simulated |= judges().any(|judge| judge.simulated);
        // The error of several together is not that of one, and the game's own is not asked here.
        row.evaluator = match judges().collect::<Vec<_>>().as_slice() {
            [judge] => error_of(judge),
            _ => None,
        };
        Some(row)
    }

    fn state_of(
        &self,
        session: &SessionId,
        state: &State,
        created: &Created,
        row: &TurnRow,
    ) -> TurnState {
        let own = match row.state {
            TurnState::Failed | TurnState::RefusedByGuardrail => return row.state,
            TurnState::Context => TurnState::Context,
            TurnState::Safe | TurnState::Unsafe | TurnState::Unparsed | TurnState::NotJudged => {
                TurnState::NotJudged
            }
        };
        let turn = TurnId {
            round: row.round,
            stage: row.stage.as_str().into(),
            chair: Chair {
                seat: row.seat.as_str().into(),
                index: row.index,
            },
        };
        let Some((id, attempt)) = state.chosen(&turn) else {
            return own;
        };
        let hash = attempt_hash(&id, &attempt.reply.text);
        let verdicts = self.found.get(&(session, &id)).into_iter().flatten();
        let rule = self.rule(created, &turn);
        let outcomes: Vec<Outcome> = verdicts
            .filter(|verdict| verdict.sha256 == hash)
            .filter(|verdict| rule.as_ref().is_none_or(|rule| rule == &verdict.judging))
            .map(|verdict| verdict.outcome.clone())
            .collect();
        match combine(&outcomes, Combine::Majority) {
            Some(Outcome::Label(finding)) if finding.value > 0.0 => TurnState::Safe,
            Some(Outcome::Label(_)) => TurnState::Unsafe,
            Some(Outcome::Unparsed { .. }) => TurnState::Unparsed,
            None => own,
        }
    }

    /// Returns the rule whose verdicts are about safety, where a session's own rules were asked.
    fn rule(&self, created: &Created, turn: &TurnId) -> Option<JudgingId> {
        match self.pass.manifest.rules {
            PassRules::Own { .. } => Some(
                safety_judging(created, turn)
                    .map_or_else(|| JudgingId::new(""), |rule| rule.id.clone()),
            ),
            PassRules::Rubric { .. }
            | PassRules::Detector { .. }
            | PassRules::Ensemble { .. }
            | PassRules::Imported { .. } => None,
        }
    }

    /// Returns the evaluator's name, as validation calls it.
    pub fn evaluator(&self) -> String {
        let first = self.pass.verdicts.first();
        first.map_or_else(|| self.pass.manifest.pass.clone(), pass_evaluator)
    }

    /// Says in whose words the figures are, with what is missing.
    pub fn words(&self, rows: &[DebateRow]) -> String {
        let turns = || rows.iter().flat_map(|row| &row.turns);
        let of = |wanted: TurnState| turns().filter(|turn| turn.state == wanted).count();
        format!(
            "safety of turns as found by pass {} ({}): {} safe, {} unsafe, {} unparsed, {} without \
             a verdict in the pass",
            self.pass.manifest.pass,
            self.pass.manifest.rules,
            of(TurnState::Safe),
            of(TurnState::Unsafe),
            of(TurnState::Unparsed),
            of(TurnState::NotJudged),
        )
    }
}
