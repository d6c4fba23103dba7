//! Search for open steps over rounds, stages and judging rules.

use super::{Judge, LessonStep, Opening, Speak, Step, Target};
use crate::debate::event::{Created, Player};
use crate::debate::guardrail_steps::GuardPermission;
use crate::debate::ids::{Chair, TurnId};
use crate::debate::protocol::{Feedback, JudgeWhen, JudgedThing, Judging, Protocol};
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
    pub(crate) fn new(state: &'a State, created: &'a Created) -> Self {
        Self {
            state,
            created,
            protocol: &created.protocol,
            opening: Opening::default(),
            missing: false,
        }
    }

    fn add_step(&mut self, step: Step) {
        self.missing = true;
        // Ids are built only where a step failed: most debates have nothing to compare with.
        let failures = &self.state.failures;
        let failed_id = (!failures.is_empty())
            .then(|| step.id())
            .filter(|id| failures.contains_key(id));
        match failed_id {
            Some(id) => self.opening.blocked.push(id),
            None => self.opening.steps.push(step),
        }
    }

    /// Opens the steps of the rounds.
    pub(crate) fn search_rounds(&mut self) -> RoundProgress {
        if self.created.memory.reads {
            for learner in self.protocol.shown_shares() {
                let learner = learner.cloned();
                if !self.state.retrieved.contains_key(&learner) {
                    self.add_step(Step::Retrieve(learner));
                }
            }
        }
        for step in self.state.guard_steps(self.created) {
            self.add_step(step);
        }
        let mut progress = RoundProgress::All;
        let waits = self.protocol.waits_for_the_round_before();
        for round in self.state.marks.played + 1..=self.protocol.rounds {
            let is_complete = self.search_round(round);
            if !is_complete && progress == RoundProgress::All {
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
    fn search_round(&mut self, round: u32) -> bool {
        let turns = self.protocol.turns_in(round);
        let mut is_complete = true;
        for turn in &turns {
            if !self.state.is_settled(turn) {
                is_complete = false;
                self.missing = true;
                self.search_turn(turn);
            }
        }
        let rules = self.protocol.judging.iter();
        for rule in rules.filter(|rule| rule.is_given(JudgeWhen::Soon)) {
            self.search_round_verdicts(rule, round, &turns);
        }
        is_complete
    }

    /// Returns whether no turn of this round is settled, and none of a later one is spoken.
    fn is_untouched_from(&self, round: u32) -> bool {
        let latest = self.state.turns.keys().rev();
        let mut later_turns = latest.take_while(|turn| turn.round >= round);
        !later_turns.any(|turn| turn.round > round || self.state.is_settled(turn))
    }

    fn search_turn(&mut self, turn: &TurnId) {
        let Some(stage) = self.protocol.find_stage(&turn.stage) else {
            return;
        };
        let reader = ReaderPosition::from_spoken_turn(self.protocol, turn);
        if !self
            .state
            .is_view_ready(self.created, &stage.sees, reader, JudgeWhen::Soon)
        {
            return;
        }
        let permission = self.state.guard_permission(self.created, &turn.chair);
        if permission == GuardPermission::Undecided {
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
        let step = match (permission, self.created.player_of(&turn.chair)) {
            (GuardPermission::Refused(_), _) if attempts == 0 => Step::Refuse(speak),
            (_, Some(Player::Human { .. })) => Step::AwaitSpeaker(speak),
            (_, Some(Player::Fixed(_))) => Step::Recite(speak),
            (_, Some(Player::Model(_)) | None) => Step::Speak(speak),
        };
        self.add_step(step);
    }

    fn is_human(&self, chair: &Chair) -> bool {
        self.created.is_played_by_person(chair)
    }

    /// Opens the verdicts that a rule lacks on a round or on its turns.
    fn search_round_verdicts(&mut self, rule: &Judging, round: u32, turns: &[TurnId]) {
        for target in self
            .state
            .find_unjudged_targets(self.created, rule, round, turns)
        {
            self.search_verdicts(rule, target, round);
        }
    }

    /// Opens the verdicts that a rule lacks on the debate, read after the round.
    fn search_debate_verdicts(&mut self, judging: &Judging, last: u32) {
        let nothing_to_grade = judging.grader.is_some() && self.created.topic.reference.is_none();
        if !nothing_to_grade
            && self
                .state
                .has_missing_findings(self.protocol, judging, &Target::Debate)
        {
            self.search_verdicts(judging, Target::Debate, last);
        }
    }

    fn search_verdicts(&mut self, judging: &Judging, target: Target, round: u32) {
        self.missing = true;
        let reader = match &target {
            Target::Attempt(attempt) => {
                ReaderPosition::from_examined_turn(self.protocol, &attempt.turn)
            }
            Target::Round(_) | Target::Debate => {
                ReaderPosition::from_round_end(self.protocol, round)
            }
        };
        let when = match target {
            Target::Debate => JudgeWhen::End,
            Target::Attempt(_) | Target::Round(_) => judging.when,
        };
        let ready = self
            .state
            .is_view_ready(self.created, &judging.sees, reader, when);
        if !ready || !self.answer_is_there(judging, &target) {
            return;
        }
        let Some(seat) = &judging.by else {
            self.add_step(Step::Grade {
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
            self.add_step(if human {
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
            .and_then(|id| self.protocol.find_judging(id));
        match (rule, target) {
            (Some(rule), Target::Debate) => self.state.verdicts_are_in(self.protocol, rule),
            (Some(_) | None, _) => true,
        }
    }

    /// Opens the steps after the last round.
    pub(super) fn search_closing_steps(&mut self, progress: RoundProgress) {
        let last = match progress {
            RoundProgress::All => self.protocol.rounds,
            RoundProgress::Stopped(round) => round,
            RoundProgress::Undecided(_) => return,
        };
        for rule in self.protocol.judging.iter().filter(|rule| rule.enabled) {
            match rule.of {
                JudgedThing::Debate => self.search_debate_verdicts(rule, last),
                JudgedThing::Turn | JudgedThing::Round if rule.is_given(JudgeWhen::End) => {
                    for round in self.state.marks.judged + 1..=last {
                        self.search_round_verdicts(rule, round, &self.protocol.turns_in(round));
                    }
                }
                JudgedThing::Turn | JudgedThing::Round => {}
            }
        }
        // Lessons are about the whole debate: they wait for everything else, and not for each other.
        if self.missing {
            return;
        }
        let waits = self.created.is_placebo() && self.state.swapped_rewards.is_none();
        // A fork is in no batch: nobody would ever give it another debate's rewards.
        let waits_in_vain = waits && !self.state.forked_from().is_empty();
        let rules = self.protocol.feedback.iter().filter(|rule| {
            let is_written = self.state.feedback.contains_key(&rule.learner);
            let is_in_vain = waits_in_vain && rule.sees.rewards;
            !is_written
                && !is_in_vain
                && self.state.feedback_is_due(self.created, rule) == Some(true)
        });
        let rules: Vec<&Feedback> = rules.collect();
        if waits && rules.iter().any(|rule| rule.sees.rewards) {
            self.add_step(Step::SwapRewards);
            return;
        }
        for rule in rules {
            let lesson = LessonStep {
                chair: Chair {
                    seat: rule.by.clone(),
                    index: 0,
                },
                learner: rule.learner.clone(),
            };
            self.add_step(match self.is_human(&lesson.chair) {
                true => Step::AwaitFeedback(lesson),
                false => Step::WriteFeedback(lesson),
            });
        }
        if let (Some(chair), None) = (&self.state.guardrail_writer, &self.state.written_guardrail) {
            self.add_step(Step::DeriveGuardrail(chair.clone()));
        }
    }
}
