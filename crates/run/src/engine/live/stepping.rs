//! Allowance of a live session: which open steps may start. Pure.

use super::messages::Pace;
use elenchus_game::debate::State;
use elenchus_game::debate::ids::{StageId, TurnId};
use elenchus_game::debate::step::{Judge, Performer, Step, StepGroup, StepId, Target, VerdictStep};
use std::collections::{BTreeSet, VecDeque};

/// Permitted steps that are not done.
#[derive(Debug, Default)]
pub(crate) struct Allowance {
    /// Paces that found nothing to allow yet; each is about the first open step that is not
    /// allowed when its time comes.
    waiting: VecDeque<Pace>,
    turns: BTreeSet<TurnId>,
    /// Verdicts and lessons; all repairs of a verdict have one key.
    others: BTreeSet<String>,
    /// Everything up to the end of this round.
    round: u32,
    everything: bool,
    /// Rules, and judges of spoken turns, run at every pace.
    alongside: bool,
    /// Nothing was permitted before the pace that waits: steps that run at every pace count as its own.
    fresh: bool,
    /// Steps whose calls were stopped.
    stopped: BTreeSet<StepId>,
}

impl Allowance {
    /// Adds a pace.
    pub(crate) fn add_pace(&mut self, pace: Pace) {
        self.waiting.push_back(pace);
        self.fresh |= !self.alongside;
        self.alongside = true;
        self.stopped.clear();
    }

    /// Allows one step, and what it is asked for again.
    pub(super) fn add_step(&mut self, step: &Step) {
        self.stopped.remove(&step.id());
        match step.turn() {
            Some(turn) => {
                self.turns.insert(turn.clone());
            }
            None => {
                self.others.insert(step_key(step));
            }
        }
    }

    /// Allows nothing any more.
    pub(crate) fn clear(&mut self) {
        let stopped_steps = std::mem::take(&mut self.stopped);
        *self = Self {
            stopped: stopped_steps,
            ..Self::default()
        };
    }

    /// Holds a step back until the session plays on.
    pub(crate) fn stop_step(&mut self, id: &StepId, step: Option<&Step>) {
        self.stopped.insert(id.clone());
        if let Some(step) = step {
            self.others.remove(&step_key(step));
            if let Some(turn) = step.turn() {
                self.turns.remove(turn);
            }
        }
    }

    /// Lets paces that wait find what they allow. `going_on` says that more may open by itself.
    pub(crate) fn apply_paces(&mut self, state: &State, steps: &[Step], going_on: bool) {
        while let Some(pace) = self.waiting.front().copied() {
            let next = self.next(steps, going_on);
            match (pace, next) {
                (Pace::End, _) => self.everything = true,
                (Pace::Turn | Pace::Stage | Pace::Round, None) => {
                    if going_on || !steps.is_empty() {
                        return;
                    }
                }
                (Pace::Turn, Some(step)) => self.add_step(step),
                (Pace::Stage, Some(step)) => self.add_stage(state, steps, step),
                (Pace::Round, Some(step)) => {
                    let own = |step: &Step| self.fresh && !is_rule(step);
                    let about = (steps.iter()).filter(|step| own(step) || !self.allows_step(step));
                    let first = about.filter_map(round).min();
                    match first.or_else(|| round(step)) {
                        Some(round) => self.round = self.round.max(round),
                        None => self.everything = true,
                    }
                }
            }
            self.fresh = false;
            self.waiting.pop_front();
        }
    }

    /// Returns the step that the next pace begins with: a turn, or any open step when no turn can be
    /// spoken even once the steps are done that run at every pace.
    fn next<'s>(&self, steps: &'s [Step], going_on: bool) -> Option<&'s Step> {
        let needs_pace = |step: &&Step| !self.allows_step(step);
        let speaker = (steps.iter().filter(needs_pace)).find(|step| step.turn().is_some());
        if speaker.is_some() || going_on {
            return speaker;
        }
        if self.fresh {
            return steps.iter().find(|step| !is_rule(step));
        }
        let waits = steps.iter().any(|step| self.allows_step(step));
        steps.iter().find(needs_pace).filter(|_| !waits)
    }

    fn add_stage(&mut self, state: &State, steps: &[Step], first: &Step) {
        let Some(first_turn) = first.turn() else {
            let kind = |step: &Step| {
                (
                    step.as_verdict().map(|verdict| verdict.judging.clone()),
                    step.turn().is_none(),
                )
            };
            for step in steps.iter().filter(|step| kind(step) == kind(first)) {
                self.add_step(step);
            }
            return;
        };
        let of_stage = |id: &StageId| id == &first_turn.stage;
        let turns = state
            .protocol()
            .map(|protocol| protocol.turns_in(first_turn.round))
            .unwrap_or_default();
        self.turns
            .extend(turns.into_iter().filter(|turn| of_stage(&turn.stage)));
    }

    /// Says whether a step may start.
    pub(crate) fn allows_step(&self, step: &Step) -> bool {
        if self.stopped.contains(&step.id()) {
            return false;
        }
        let has_key = || self.others.contains(&step_key(step));
        self.everything
            || match step.group() {
                // What guardrails decide is decided before anybody speaks.
                StepGroup::Memory | StepGroup::Guard(_) => self.alongside || has_key(),
                StepGroup::Turn(speak) => {
                    speak.turn.round <= self.round || self.turns.contains(&speak.turn)
                }
                StepGroup::Verdict(VerdictStep { judge: None, .. }) => self.alongside,
                StepGroup::Verdict(VerdictStep { target, .. }) => match target {
                    Target::Attempt(_) => self.alongside || has_key(),
                    Target::Round(round) => *round <= self.round || has_key(),
                    Target::Debate => has_key(),
                },
                StepGroup::Lesson(_) => has_key(),
            }
    }
}

/// Rules are applied at once and ask no model.
fn is_rule(step: &Step) -> bool {
    step.performer() == Performer::Engine && !step.is_spoken()
}

/// The round that a step belongs to; none after the last one.
fn round(step: &Step) -> Option<u32> {
    match step.group() {
        StepGroup::Turn(speak) => Some(speak.turn.round),
        StepGroup::Verdict(verdict) => match verdict.target {
            Target::Attempt(attempt) => Some(attempt.turn.round),
            Target::Round(round) => Some(*round),
            Target::Debate => None,
        },
        StepGroup::Memory | StepGroup::Guard(_) | StepGroup::Lesson(_) => None,
    }
}

/// Names a step, however often it was asked for before.
fn step_key(step: &Step) -> String {
    match step.as_verdict().and_then(|verdict| verdict.judge) {
        Some(judge) => {
            let first = Judge {
                attempt: 0,
                ..judge.clone()
            };
            Step::Judge(first).id().to_string()
        }
        None => step.id().to_string(),
    }
}
