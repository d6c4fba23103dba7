//! Open steps: derives from the state what can be done now.

use super::search::{RoundProgress, StepSearch};
use super::{EndReason, Opening, Target};
use crate::debate::event::{Author, Created, Fields, Outcome};
use crate::debate::guardrail_steps::GuardPermission;
use crate::debate::ids::{AttemptId, TurnId};
use crate::debate::protocol::{
    Feedback, FeedbackWhen, JudgeWhen, JudgedThing, Judging, Protocol, Sees, StopRule,
};
use crate::debate::state::{State, field_at_path};
use crate::debate::visibility::{self, ReaderPosition};
use std::ops::ControlFlow;

impl State {
    /// Returns every step that can be done now, whether or not it is in progress.
    ///
    /// A turn waits for exactly the turns, verdicts and memory that its view contains; a new round
    /// also waits for the stop rules on the round before.
    pub fn find_open_steps(&self) -> Opening {
        let Some(first_event) = self.first_event() else {
            return Opening::default();
        };
        if let Some(ceiling) = self.truncated {
            return Opening {
                done: Some(EndReason::Truncated(ceiling)),
                ..Opening::default()
            };
        }
        let mut search = StepSearch::new(self, first_event);
        let last_round = search.search_rounds();
        search.search_closing_steps(last_round);
        let StepSearch {
            mut opening,
            missing,
            ..
        } = search;
        if !missing {
            opening.done = Some(match last_round {
                RoundProgress::Stopped(after_round) => EndReason::Stopped { after_round },
                RoundProgress::All | RoundProgress::Undecided(_) => EndReason::Complete,
            });
        }
        opening
    }

    /// Returns whether the speaker of `turn` could be asked now.
    pub(crate) fn is_ready(&self, turn: &TurnId) -> bool {
        let Some(first_event) = self.first_event() else {
            return false;
        };
        let protocol = &first_event.protocol;
        let Some(stage) = protocol.find_stage(&turn.stage) else {
            return false;
        };
        let reader = ReaderPosition::from_spoken_turn(protocol, turn);
        self.guard_permission(first_event, &turn.chair) != GuardPermission::Undecided
            && self.is_view_ready(first_event, &stage.sees, reader, JudgeWhen::Soon)
            && self.is_round_open(turn.round)
    }

    /// Returns whether the view of a judge of a round or of the debate is complete.
    pub(crate) fn is_judgeable(&self, judging: &Judging, target: &Target) -> bool {
        let Some(first_event) = self.first_event() else {
            return false;
        };
        let protocol = &first_event.protocol;
        let (reader, when) = match target {
            // The turn exists; whether the attempt is still chosen does not matter.
            Target::Attempt(_) => return true,
            Target::Round(round) if (1..=protocol.rounds).contains(round) => {
                let covers_round = judging.rounds.contains(*round, protocol.rounds);
                if !covers_round || !self.is_round_open(*round) {
                    return false;
                }
                (
                    ReaderPosition::from_round_end(protocol, *round),
                    judging.when,
                )
            }
            Target::Round(_) => return false,
            Target::Debate => {
                let last = self.last_round();
                (
                    ReaderPosition::from_round_end(protocol, last),
                    JudgeWhen::End,
                )
            }
        };
        if when == JudgeWhen::End && !self.rounds_are_over(protocol) {
            return false;
        }
        self.is_view_ready(first_event, &judging.sees, reader, when)
    }

    /// Returns whether all turns are spoken; verdicts and the lesson may be missing.
    pub fn is_spoken(&self) -> bool {
        self.protocol()
            .is_some_and(|protocol| self.rounds_are_over(protocol))
    }

    fn rounds_are_over(&self, protocol: &Protocol) -> bool {
        (self.marks.settled + 1..=self.last_round()).all(|round| {
            let turns = protocol.turns_in(round);
            turns.iter().all(|turn| self.is_settled(turn))
        })
    }

    /// Returns whether all content of a view exists; `when` says whether it is read during the
    /// rounds or after the last one.
    pub(super) fn is_view_ready(
        &self,
        created: &Created,
        sees: &Sees,
        reader: ReaderPosition<'_>,
        when: JudgeWhen,
    ) -> bool {
        let protocol = &created.protocol;
        let share = match reader.chair {
            Some(chair) => protocol.memory_share_of(&chair.seat),
            None => protocol.memory_share_of_others(),
        };
        if sees.memory
            && created.memory.reads
            && let Some(learner) = share.learner()
            && !self.retrieved.contains_key(&learner.cloned())
        {
            return false;
        }
        let private = visibility::find_private_turns(protocol, sees, reader);
        if !private.iter().all(|turn| self.is_settled(turn)) {
            return false;
        }
        if !self.rulings_are_in(protocol, sees, reader) {
            return false;
        }
        let screen = sees.screened_by.as_ref();
        let screen = screen.and_then(|id| protocol.find_judging(id));
        let next_unsettled_round = self.marks.settled.saturating_add(1);
        let first = if sees.verdicts || screen.is_some() {
            1
        } else {
            next_unsettled_round
        };
        visibility::visit_visible_turns_from(protocol, sees, reader, first, |turn| {
            let is_there = self.is_settled(&turn)
                && (!sees.verdicts || self.turn_verdicts_are_in(protocol, &turn, when))
                && screen.is_none_or(|judging| self.is_screened(protocol, judging, &turn));
            match is_there {
                true => ControlFlow::Continue(()),
                false => ControlFlow::Break(()),
            }
        })
        .is_continue()
    }

    /// Returns whether every verdict on earlier rounds that the reader is shown exists.
    fn rulings_are_in(&self, protocol: &Protocol, sees: &Sees, reader: ReaderPosition<'_>) -> bool {
        visibility::find_visible_rulings(protocol, sees, reader)
            .iter()
            .all(|(judging, round)| {
                let target = Target::Round(*round);
                !self.has_missing_findings(protocol, judging, &target)
            })
    }

    /// Returns whether a rule on rounds or on the debate has all its findings.
    pub(in crate::debate) fn verdicts_are_in(&self, protocol: &Protocol, rule: &Judging) -> bool {
        let targets = match rule.of {
            JudgedThing::Debate => vec![Target::Debate],
            JudgedThing::Round => (1..=self.last_round())
                .filter(|round| rule.rounds.contains(*round, protocol.rounds))
                .map(Target::Round)
                .collect(),
            JudgedThing::Turn => Vec::new(),
        };
        let missing = |target: &Target| self.has_missing_findings(protocol, rule, target);
        !rule.enabled || !targets.iter().any(missing)
    }

    fn is_screened(&self, protocol: &Protocol, judging: &Judging, turn: &TurnId) -> bool {
        if !judging.enabled || !self.is_judged_by(protocol, judging, turn) {
            return true;
        }
        self.chosen_attempt(turn).is_none_or(|(attempt, _)| {
            let target = Target::Attempt(attempt);
            !self.has_missing_findings(protocol, judging, &target)
        })
    }

    /// Returns whether every rule that judges single turns has its verdict on this one; rules that
    /// judge after the last round count for readers after it.
    fn turn_verdicts_are_in(&self, protocol: &Protocol, turn: &TurnId, when: JudgeWhen) -> bool {
        let Some((attempt, _)) = self.chosen_attempt(turn) else {
            return true;
        };
        let target = Target::Attempt(attempt);
        protocol
            .judging
            .iter()
            .filter(|judging| {
                judging.enabled
                    && judging.of == JudgedThing::Turn
                    && (judging.when == JudgeWhen::Soon || when == JudgeWhen::End)
                    && judging.has_judge()
                    && self.is_judged_by(protocol, judging, turn)
            })
            .all(|judging| !self.has_missing_findings(protocol, judging, &target))
    }

    /// Returns whether stop rules allow this round to begin.
    fn is_round_open(&self, round: u32) -> bool {
        let Some(protocol) = self.protocol() else {
            return false;
        };
        if protocol.stop.is_empty() {
            return round <= protocol.rounds;
        }
        (self.marks.played + 1..round)
            .all(|before| self.stops_after(protocol, before) == Some(false))
    }

    /// Returns the round after which a stop rule ended the debate.
    pub(crate) fn find_stop_round(&self) -> Option<u32> {
        let protocol = self.protocol()?;
        if protocol.stop.is_empty() {
            return None;
        }
        (self.marks.played + 1..=protocol.rounds)
            .map_while(|round| {
                self.stops_after(protocol, round)
                    .map(|stops| (round, stops))
            })
            .find_map(|(round, stops)| stops.then_some(round))
    }

    /// Returns the last round of a debate that was played to its end although what its stop rules look at
    /// asked for another one: its conclusion is that of the limit on rounds.
    pub fn find_undecided_round(&self) -> Option<u32> {
        let protocol = self.protocol()?;
        let last = protocol.rounds;
        let is_over = self.find_open_steps().done == Some(EndReason::Complete);
        if !is_over || self.stops_after(protocol, last) != Some(false) {
            return None;
        }
        let was_read = |rule: &StopRule| match &rule.judging {
            Some(judging) => protocol.find_judging(judging).is_some_and(|judging| {
                let targets = self.targets_in(protocol, judging, last);
                let mut targets = targets.into_iter().flatten();
                targets.any(|target| {
                    let outcome = self.combined_outcome(judging, &target);
                    judging.enabled && outcome.is_some_and(|found| found.as_finding().is_some())
                })
            }),
            None => rule.stage.is_some(),
        };
        protocol.stop.iter().any(was_read).then_some(last)
    }

    /// Returns whether the debate ends after this round; `None` while that is undecided.
    pub(in crate::debate) fn stops_after(&self, protocol: &Protocol, round: u32) -> Option<bool> {
        let mut decision = Some(false);
        for rule in &protocol.stop {
            match self.rule_holds(protocol, rule, round) {
                Some(true) => return Some(true),
                Some(false) => {}
                None => decision = None,
            }
        }
        decision
    }

    fn rule_holds(&self, protocol: &Protocol, rule: &StopRule, round: u32) -> Option<bool> {
        if let Some(stage) = &rule.stage {
            let turns: Vec<TurnId> = protocol
                .turns_in(round)
                .into_iter()
                .filter(|turn| &turn.stage == stage)
                .collect();
            if !turns.iter().all(|turn| self.is_settled(turn)) {
                return None;
            }
            let holds = |turn: &TurnId| {
                let fields = self
                    .chosen_attempt(turn)
                    .and_then(|(_, attempt)| attempt.fields.as_ref());
                match fields {
                    Some(Fields::Read(value)) => field_equals(rule, value),
                    Some(Fields::Unparsed { .. }) | None => false,
                }
            };
            return Some(!turns.is_empty() && turns.iter().all(holds));
        }
        let judging = protocol.find_judging(rule.judging.as_ref()?)?;
        let can_grade = judging.grader.is_none() || self.first_event()?.topic.reference.is_some();
        if !judging.enabled || !can_grade {
            // This rule never has a finding: it neither ends the debate nor delays it.
            return Some(false);
        }
        let targets = self.targets_in(protocol, judging, round)?;
        let mut outcomes = Vec::new();
        for target in &targets {
            let asked = protocol.find_asked_grader(judging);
            let asked_is_missing =
                || asked.is_some_and(|rule| self.has_missing_findings(protocol, rule, target));
            if self.has_missing_findings(protocol, judging, target) || asked_is_missing() {
                return None;
            }
            outcomes.push(self.combined_outcome(judging, target));
        }
        let holds = |outcome: &Option<Outcome>| match outcome {
            Some(Outcome::Label(finding)) => {
                (rule.labels.is_empty() || rule.labels.contains(&finding.label))
                    && (rule.field.is_none() || field_equals(rule, &finding.fields))
            }
            Some(Outcome::Unparsed { .. }) | None => false,
        };
        Some(!outcomes.is_empty() && outcomes.iter().all(holds))
    }

    /// Returns the targets of a rule in a round; `None` while a turn is not settled.
    fn targets_in(
        &self,
        protocol: &Protocol,
        judging: &Judging,
        round: u32,
    ) -> Option<Vec<Target>> {
        match judging.of {
            JudgedThing::Round if !judging.rounds.contains(round, protocol.rounds) => Some(vec![]),
            JudgedThing::Round => Some(vec![Target::Round(round)]),
            JudgedThing::Debate => Some(vec![]),
            JudgedThing::Turn => {
                let mut targets = Vec::new();
                for turn in protocol.turns_in(round) {
                    if !visibility::is_target(protocol, judging, &turn) {
                        continue;
                    }
                    if !self.is_settled(&turn) {
                        return None;
                    }
                    let chosen_target = self
                        .chosen_attempt(&turn)
                        .map(|(id, _)| Target::Attempt(id));
                    // A turn refused by a guardrail is not judged, so no rule waits for it. Nor is
                    // an empty one; but where an earlier version had it judged, the events after
                    // that verdict depend on it.
                    let is_judged = |target: &Target| {
                        !self.is_empty_target(target)
                            || self.verdicts_on(&judging.id, target).is_some()
                    };
                    targets.extend(
                        chosen_target
                            .filter(|target| !self.is_refusal(target) && is_judged(target)),
                    );
                }
                Some(targets)
            }
        }
    }

    /// Returns whether the lesson is to be written; `None` while verdicts are missing.
    pub(super) fn feedback_is_due(&self, created: &Created, feedback: &Feedback) -> Option<bool> {
        match feedback.when {
            // Where memory is only read, nobody would ever be shown it.
            FeedbackWhen::Always => return Some(created.memory.writes),
            FeedbackWhen::Labels => {}
        }
        let judging = created.protocol.find_judging(feedback.judging.as_ref()?)?;
        let mut due = false;
        for (id, target, _) in self.verdicts() {
            if id != &judging.id || !self.is_current(target) {
                continue;
            }
            if let Some(Outcome::Label(finding)) = self.combined_outcome(judging, target) {
                due |= feedback.labels.contains(&finding.label);
            }
        }
        Some(due)
    }

    /// Returns whether a verdict is about the chosen attempt.
    pub fn is_current(&self, target: &Target) -> bool {
        match target {
            Target::Attempt(AttemptId { turn, attempt }) => self
                .turns
                .get(turn)
                .is_some_and(|state| state.chosen_index == *attempt as usize),
            Target::Round(_) | Target::Debate => true,
        }
    }
}

fn field_equals(rule: &StopRule, value: &serde_json::Value) -> bool {
    match (&rule.field, &rule.equals) {
        (Some(path), Some(wanted)) => field_at_path(value, path) == Some(wanted),
        _ => false,
    }
}

/// Returns whether an author is a person.
pub(crate) fn is_person(author: &Author) -> bool {
    match author {
        Author::Person(_) => true,
        Author::Engine => false,
    }
}
