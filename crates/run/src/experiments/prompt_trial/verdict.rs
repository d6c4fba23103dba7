//! Recorded verdict, with the state in which it was asked for: a judge's prompt is tried on it.

use super::change::PromptChange;
use super::context::render_fault;
use super::plan::RollForward;
use super::sample::SampleStart;
use crate::engine::cost::estimate_call;
use crate::engine::seats::Seats;
use crate::engine::{Call, call};
use elenchus_game::debate::event::Outcome;
use elenchus_game::debate::protocol::{Judging, Orders};
use elenchus_game::debate::{
    AttemptId, CostEstimate, Judge, JudgingId, SessionId, State, Step, Target,
};
use elenchus_records::library::Game;
use elenchus_records::workspace::{
    Reopen, Result, StoreContext, WorkspaceError, fold_records, fork_point, read_records, reject,
};
use serde::{Deserialize, Serialize};
use std::path::Path;

/// The rule whose verdict decides a round or a debate: it says whether the graded answer stands.
const DECISION: &str = "decision";

/// What a verdict is of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct VerdictPlace {
    pub judging: JudgingId,
    pub target: Target,
}

impl VerdictPlace {
    /// Returns its rule in a debate.
    pub fn find_rule<'s>(&self, state: &'s State) -> Option<&'s Judging> {
        state.protocol()?.find_judging(&self.judging)
    }

    /// Returns what was found there; `None` where a finding is missing.
    pub(crate) fn find_outcome(&self, state: &State) -> Option<Outcome> {
        state.combined_outcome(self.find_rule(state)?, &self.target)
    }

    /// Returns the words of the first judge's verdict.
    pub fn find_reply<'s>(&self, state: &'s State) -> Option<&'s str> {
        let mut verdicts = state.verdicts_on(&self.judging, &self.target)?.values();
        Some(&verdicts.next()?.reply.as_ref()?.text)
    }

    /// Says what a grader found of what the verdict is about: the same attempt, or for a decision the last
    /// answer that was graded; `None` where no grader decided.
    pub(crate) fn find_truth(&self, state: &State) -> Option<bool> {
        let rule = self.find_rule(state)?;
        let protocol = state.protocol()?;
        let rules = protocol.judging.iter();
        let graders = rules.filter(|rule| rule.enabled && rule.grader.is_some());
        let last_round = match &self.target {
            Target::Attempt(_) => {
                let mut graders = graders;
                return graders.find_map(|grader| read_side(state, grader, &self.target));
            }
            _ if self.judging.as_str() != DECISION || rule.orders == Orders::Both => return None,
            Target::Round(round) => *round,
            Target::Debate => state.last_round(),
        };
        let place = |id: &AttemptId| (id.turn.round, protocol.stage_place(&id.turn.stage));
        let graded = graders.flat_map(|grader| {
            let targets = state.targets_of(grader).into_iter();
            targets.filter_map(move |target| match &target {
                Target::Attempt(id) if id.turn.round <= last_round => {
                    Some((place(id), read_side(state, grader, &target)))
                }
                Target::Attempt(_) | Target::Round(_) | Target::Debate => None,
            })
        });
        graded.max_by_key(|(place, _)| *place)?.1
    }
}

/// Says which side a finding is on; `None` where there is none, or it is in the middle.
fn read_side(state: &State, rule: &Judging, target: &Target) -> Option<bool> {
    side_of(state.combined_outcome(rule, target)?)
}

/// Says whether an outcome is good; `None` where it cannot be read, or is neither good nor bad.
pub(crate) fn side_of(outcome: Outcome) -> Option<bool> {
    match outcome {
        Outcome::Label(finding) if finding.value > 0.0 => Some(true),
        Outcome::Label(finding) if finding.value < 0.0 => Some(false),
        Outcome::Label(_) | Outcome::Unparsed { .. } => None,
    }
}

/// A recorded verdict that prompts can be tried on.
#[derive(Debug, Clone)]
pub(crate) struct VerdictContext {
    place: VerdictPlace,
    /// Number of the session's lines before it was given.
    lines: u64,
    /// What was known then.
    state: State,
}

impl VerdictContext {
    /// Reads a verdict of a session, without its lock. Blocks.
    ///
    /// # Errors
    /// When the session cannot be read, or has no such verdict.
    pub fn read(path: &Path, place: &VerdictPlace) -> Result<Self> {
        let mut records = read_records(path)?;
        let reopen = Reopen::Verdict {
            judging: place.judging.clone(),
            target: place.target.clone(),
            slot: None,
        };
        let point = fork_point(&records, &reopen)?;
        records.truncate(usize::try_from(point.lines).unwrap_or(usize::MAX));
        Ok(Self {
            place: place.clone(),
            lines: point.lines,
            state: fold_records(path, records)?,
        })
    }

    /// Returns the calls that a sample makes, with a changed prompt or with the recorded one.
    ///
    /// # Errors
    /// When the text is no template, or fails on this verdict; when nobody is to be asked.
    pub fn build_calls(&self, seats: &Seats, change: Option<&PromptChange>) -> Result<Vec<Call>> {
        let created = self.state.first_event();
        let created = created.ok_or_else(|| WorkspaceError::Invalid("empty session".to_owned()))?;
        let game = match change {
            Some(change) => change.build_game(&self.state).map_err(render_fault)?,
            None => Game::from_created(created)?,
        };
        let rule = self.place.find_rule(&self.state);
        let judges = rule.map(|rule| self.state.required_judges(rule));
        let judges = judges.into_iter().flatten();
        let mut calls = Vec::new();
        for judge in judges.filter(|judge: &Judge| judge.target == self.place.target) {
            let step = Step::Judge(judge);
            let call = call::prepare_call(&self.state, &game, seats, &step, None);
            let call = call.map_err(|error| match (error, change) {
                (WorkspaceError::Prompt(fault), Some(change)) => {
                    render_fault(change.to_fault(&fault))
                }
                (error, _) => error,
            })?;
            calls.extend(call);
        }
        if calls.is_empty() {
            return reject(format!(
                "no model gives the verdict '{}' on {}: a person judges, or it cannot be asked yet",
                self.place.judging, self.place.target
            ));
        }
        Ok(calls)
    }

    /// Returns what a sample costs if nothing of it is served from earlier ones.
    ///
    /// # Errors
    /// As [`build_calls`](Self::build_calls).
    pub fn estimate(&self, seats: &Seats, change: Option<&PromptChange>) -> Result<CostEstimate> {
        let calls = self.build_calls(seats, change)?.into_iter();
        Ok(calls.fold(CostEstimate::zero(), |sum, call| {
            sum.plus(estimate_call(&call.seat.settings, &call.request, None))
        }))
    }

    /// Returns how a sample on this verdict of a session begins.
    pub fn build_start<'a>(
        &'a self,
        store: &StoreContext,
        session: &'a SessionId,
        change: Option<&'a PromptChange>,
        number: u32,
    ) -> SampleStart<'a> {
        SampleStart {
            from: store.layout.clone(),
            parent: session,
            lines: self.lines,
            verdicts: &[],
            turn: None,
            verdict: Some(&self.place),
            change,
            roll: RollForward::Turn,
            number,
        }
    }
}
