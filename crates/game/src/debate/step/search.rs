//! Search for open steps over rounds, stages and judging rules.

use super::{Judge, Opening, Speak, Step, Target};
use crate::debate::event::{Created, Player};
use crate::debate::guardrail_steps::GuardPermission;
use crate::debate::ids::{Chair, TurnId};
use crate::debate::protocol::{JudgeWhen, JudgedThing, Judging, Protocol};
use crate::debate::state::State;
use crate::debate::visibility::ReaderPosition;

/// Progress of the rounds.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum RoundProgress {
    /// Every round was played.
    All,
    /// A stop rule ended the debate after this round.
    Stopped(u32),
    /// Turns of this round, or a stop rule on it, are still missing.
    Undecided(u32),
}

pub(crate) struct StepSearch<'a> {
    state: &'a State,
    created: &'a Created,
    protocol: &'a Protocol,
    pub opening: Opening,
    /// A step is missing, be it open, blocked or waiting.
    pub missing: bool,
}

impl<'a> StepSearch<'a> {
    /// Begins a search.
    pub(crate) fn over(state: &'a State, created: &'a Created) -> Self {
        Self {
            state,
            created,
            protocol: &created.protocol,
            opening: Opening::default(),
            missing: false,
        }
    }

    fn push(&mut self, step: Step) {
        self.missing = true;
        // Ids are built only where a step failed: most debates have nothing to compare with.
        let failures = &self.state.failures;
        let failed = (!failures.is_empty())
            .then(|| step.id())
            .filter(|id| failures.contains_key(id));
        match failed {
            Some(id) => self.opening.blocked.push(id),
            None => self.opening.steps.push(step),
        }
    }

    /// Opens the steps of the rounds.
    pub(crate) fn rounds(&mut self) -> RoundProgress {
        let wants_memory =
            self.created.memory.reads && self.protocol.stages.iter().any(|stage| stage.sees.memory);
        if wants_memory && self.state.retrieved.is_none() {
            self.push(Step::Retrieve);
        }
        for step in self.state.guard_steps(self.created) {
            self.push(step);
        }
        let mut progress = RoundProgress::All;
        let waits = self.protocol.waits_for_the_round_before();
        for round in self.state.marks.played + 1..=self.protocol.rounds {
            let settled = self.round(round);
            if !settled && progress == RoundProgress::All {
                progress = RoundProgress::Undecided(round);
            }
            if self.protocol.stop.is_empty() {
                if waits && self.is_untouched_from(round) {
                    break;
                }
                continue;
            }
            match self.state.stops_after(self.protocol, round) {
                Some(true) if progress == RoundProgress::All => {
                    return RoundProgress::Stopped(round);
                }
                Some(false) => {}
                Some(true) | None => {
                    // The last round needs no decision; any other one delays the next.
                    if round < self.protocol.rounds {
                        self.missing = true;
                        return RoundProgress::Undecided(round);
                    }
                }
            }
        }
        progress
    }

    /// Opens the steps of a round and returns whether all its turns are settled.
    fn round(&mut self, round: u32) -> bool {
        let turns = self.protocol.turns_in(round);
        let mut settled = true;
        for turn in &turns {
            if !self.state.is_settled(turn) {
                settled = false;
                self.missing = true;
                self.speak(turn);
            }
        }
        let rules = self.protocol.judging.iter();
        for rule in rules.filter(|rule| rule.is_given(JudgeWhen::Soon)) {
            self.judge_parts(rule, round, &turns);
        }
        settled
    }

    /// Returns whether no turn of this round is settled, and none of a later one is spoken.
    fn is_untouched_from(&self, round: u32) -> bool {
        let latest = self.state.turns.keys().rev();
        let mut spoken = latest.take_while(|turn| turn.round >= round);
        !spoken.any(|turn| turn.round > round || self.state.is_settled(turn))
    }

    fn speak(&mut self, turn: &TurnId) {
        let Some(stage) = self.protocol.stage(&turn.stage) else {
            return;
        };
        let reader = ReaderPosition::at(self.protocol, turn);
        if !self
            .state
            .sight_is_ready(self.created, &stage.sees, reader, JudgeWhen::Soon)
        {
            return;
        }
        let standing = self.state.standing(self.created, &turn.chair);
        if standing == GuardPermission::Undecided {
            return;
        }
        let attempts = self
            .state
            .turns
            .get(turn)
            .map_or(0, |state| state.attempts.len());
        let speak = Speak {
            turn: turn.clone(),
            attempt: u32::try_from(attempts).unwrap_or(u32::MAX),
            retry: self.state.rule_to_answer(turn),
        };
        let step = match (standing, self.created.player(&turn.chair)) {
            (GuardPermission::Refused(_), _) if attempts == 0 => Step::Refuse(speak),
            (_, Some(Player::Human { .. })) => Step::AwaitSpeaker(speak),
            (_, Some(Player::Fixed(_))) => Step::Recite(speak),
            (_, Some(Player::Model(_)) | None) => Step::Speak(speak),
        };
        self.push(step);
    }

    fn is_human(&self, chair: &Chair) -> bool {
        self.created.sits_a_person(chair)
    }

    /// Opens the verdicts that a rule lacks on a round or on its turns.
    fn judge_parts(&mut self, rule: &Judging, round: u32, turns: &[TurnId]) {
        for target in self.state.lacking_in(self.created, rule, round, turns) {
            self.judge(rule, target, round);
        }
    }

    /// Opens the verdicts that a rule lacks on the debate, read after the round.
    fn judge_debate(&mut self, judging: &Judging, last: u32) {
        let nothing_to_grade = judging.grader.is_some() && self.created.topic.reference.is_none();
        if !nothing_to_grade && self.state.lacks(self.protocol, judging, &Target::Debate) {
            self.judge(judging, Target::Debate, last);
        }
    }

    fn judge(&mut self, judging: &Judging, target: Target, round: u32) {
        self.missing = true;
        let reader = match &target {
            Target::Attempt(attempt) => ReaderPosition::examining(self.protocol, &attempt.turn),
            Target::Round(_) | Target::Debate => ReaderPosition::after_round(self.protocol, round),
        };
        let when = match target {
            Target::Debate => JudgeWhen::End,
            Target::Attempt(_) | Target::Round(_) => judging.when,
        };
        let ready = self
            .state
            .sight_is_ready(self.created, &judging.sees, reader, when);
        if !ready || !self.answer_is_there(judging, &target) {
            return;
        }
        let Some(seat) = &judging.by else {
            self.push(Step::Grade {
                judging: judging.id.clone(),
                target,
            });
            return;
        };
        for wanted in self.state.missing_slots(self.protocol, judging, &target) {
            let chair = Chair {
                seat: seat.clone(),
                index: wanted.slot.chair,
            };
            let human = self.is_human(&chair);
            let judge = Judge {
                judging: judging.id.clone(),
                chair,
                target: target.clone(),
                order: wanted.slot.order,
                attempt: wanted.attempt,
            };
            self.push(if human {
                Step::AwaitJudge(judge)
            } else {
                Step::Judge(judge)
            });
        }
    }

    /// Returns whether the verdict exists that a grader of the debate compares.
    fn answer_is_there(&self, judging: &Judging, target: &Target) -> bool {
        let rule = judging
            .answer
            .as_ref()
            .and_then(|answer| answer.judging.as_ref())
            .and_then(|id| self.protocol.judging(id));
        match (rule, target) {
            (Some(rule), Target::Debate) => self.state.verdicts_are_in(self.protocol, rule),
            (Some(_) | None, _) => true,
        }
    }

    /// Opens the steps after the last round.
    pub(super) fn after_the_rounds(&mut self, progress: RoundProgress) {
        let last = match progress {
            RoundProgress::All => self.protocol.rounds,
            RoundProgress::Stopped(round) => round,
            RoundProgress::Undecided(_) => return,
        };
        for rule in self.protocol.judging.iter().filter(|rule| rule.enabled) {
            match rule.of {
                JudgedThing::Debate => self.judge_debate(rule, last),
                JudgedThing::Turn | JudgedThing::Round if rule.is_given(JudgeWhen::End) => {
                    for round in self.state.marks.judged + 1..=last {
                        self.judge_parts(rule, round, &self.protocol.turns_in(round));
                    }
                }
                JudgedThing::Turn | JudgedThing::Round => {}
            }
        }
        // The lesson is about the whole debate: it waits for everything else.
        if self.missing || self.state.feedback.is_some() {
            return;
        }
        if let Some(feedback) = &self.protocol.feedback
            && self.state.feedback_is_due(self.protocol, feedback) == Some(true)
        {
            let chair = Chair {
                seat: feedback.by.clone(),
                index: 0,
            };
            let human = self.is_human(&chair);
            self.push(if human {
                Step::AwaitFeedback(chair)
            } else {
                Step::WriteFeedback(chair)
            });
        }
    }
}
