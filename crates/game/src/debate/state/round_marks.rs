//! Leading rounds of a debate that are over. Open steps are looked for after every event: without
//! these numbers each search would go through all rounds before, and a debate would cost the square
//! of its turns.

use super::State;
use crate::debate::event::Created;
use crate::debate::ids::TurnId;
use crate::debate::protocol::{JudgeWhen, JudgedThing, Judging};
use crate::debate::step::Target;

/// How many rounds, counted from the first, are over in which respect.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(in crate::debate) struct RoundMarks {
    /// Every turn is settled.
    pub settled: u32,
    /// As well, verdicts that are given during the rounds are there, and no stop rule ended the
    /// debate: no step is left in these rounds before the last one is over.
    pub played: u32,
    /// Every turn is settled, and verdicts that are given after the last round are there.
    pub judged: u32,
}

impl State {
    /// Counts the rounds that are over, after a change in `round`.
    pub(in crate::debate) fn mark_rounds(&mut self, round: u32) {
        let Some(first_event) = self.first_event() else {
            return;
        };
        let rounds = first_event.protocol.rounds;
        let from = |mark: u32| mark.min(round.saturating_sub(1));
        let mut marks = RoundMarks {
            settled: from(self.marks.settled),
            played: from(self.marks.played),
            judged: from(self.marks.judged),
        };
        let lacks_none = |round: u32, when: JudgeWhen| {
            let turns = first_event.protocol.turns_in(round);
            let rules = first_event.protocol.judging.iter();
            let mut rules = rules.filter(|rule| rule.is_given(when));
            rules.all(|rule| {
                self.find_unjudged_targets(first_event, rule, round, &turns)
                    .is_empty()
            })
        };
        while marks.settled < rounds && self.is_spoken_in(first_event, marks.settled + 1) {
            marks.settled += 1;
        }
        while marks.played < marks.settled
            && lacks_none(marks.played + 1, JudgeWhen::Soon)
            && self.stops_after(&first_event.protocol, marks.played + 1) == Some(false)
        {
            marks.played += 1;
        }
        while marks.judged < marks.settled && lacks_none(marks.judged + 1, JudgeWhen::End) {
            marks.judged += 1;
        }
        self.marks = marks;
    }

    fn is_spoken_in(&self, created: &Created, round: u32) -> bool {
        let turns = created.protocol.turns_in(round);
        turns.iter().all(|turn| self.is_settled(turn))
    }

    /// Returns what in a round lacks a finding of the rule, now that its turns stand as they do.
    pub(in crate::debate) fn find_unjudged_targets(
        &self,
        created: &Created,
        rule: &Judging,
        round: u32,
        turns: &[TurnId],
    ) -> Vec<Target> {
        let protocol = &created.protocol;
        let is_graded = rule.grader.is_some() || rule.grades.is_some();
        if is_graded && created.topic.reference.is_none() {
            return Vec::new();
        }
        let lacks = |target: &Target| self.has_missing_findings(protocol, rule, target);
        match rule.of {
            JudgedThing::Turn => turns
                .iter()
                .filter(|turn| self.is_judged_by(protocol, rule, turn) && self.is_settled(turn))
                .filter_map(|turn| Some(Target::Attempt(self.chosen_attempt(turn)?.0)))
                .filter(lacks)
                .collect(),
            JudgedThing::Round => Some(Target::Round(round))
                .filter(|_| rule.rounds.contains(round, protocol.rounds))
                .filter(lacks)
                .into_iter()
                .collect(),
            JudgedThing::Debate => Vec::new(),
        }
    }
}

impl Judging {
    /// Returns whether the rule judges parts of rounds, at this time.
    pub(in crate::debate) fn is_given(&self, when: JudgeWhen) -> bool {
        self.enabled && self.when == when && self.of != JudgedThing::Debate
    }
}

impl Target {
    /// Returns the round that it belongs to; none is the debate's.
    pub(in crate::debate) fn round(&self) -> Option<u32> {
        match self {
            Target::Attempt(attempt) => Some(attempt.turn.round),
            Target::Round(round) => Some(*round),
            Target::Debate => None,
        }
    }
}
