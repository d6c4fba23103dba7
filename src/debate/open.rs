//! Which steps are open: the one question the game answers.

use super::event::{Author, Created, Fields, Outcome, Player};
use super::ids::{AttemptId, Chair, TurnId};
use super::protocol::{Feedback, JudgeWhen, JudgedThing, Judging, Protocol, Sees, StopRule};
use super::sight::{self, Reader};
use super::state::{State, field};
use super::step::{Done, Judge, Opening, Speak, Step, Target};

impl State {
    /// Returns every step that can be done now, whether or not somebody is already doing it.
    ///
    /// A turn waits for exactly the turns, verdicts and memory that its view holds; a new round
    /// waits besides for the stop rules on the round before.
    pub fn open(&self) -> Opening {
        let Some(created) = self.created() else {
            return Opening::default();
        };
        if let Some(ceiling) = self.truncated {
            return Opening {
                done: Some(Done::Truncated(ceiling)),
                ..Opening::default()
            };
        }
        let mut search = Search {
            state: self,
            created,
            protocol: &created.protocol,
            opening: Opening::default(),
            missing: false,
        };
        let last_round = search.rounds();
        search.after_the_rounds(last_round);
        let Search {
            mut opening,
            missing,
            ..
        } = search;
        if !missing {
            opening.done = Some(match last_round {
                Progress::Stopped(after_round) => Done::Stopped { after_round },
                Progress::All | Progress::Undecided(_) => Done::Complete,
            });
        }
        opening
    }

    /// Says whether the speaker of `turn` could be asked now.
    pub(super) fn is_ready(&self, turn: &TurnId) -> bool {
        let Some(created) = self.created() else {
            return false;
        };
        let protocol = &created.protocol;
        let Some(stage) = protocol.stage(&turn.stage) else {
            return false;
        };
        let reader = Reader::at(protocol, turn);
        self.sight_is_ready(created, &stage.sees, reader) && self.round_is_open(turn.round)
    }

    /// Says whether everything that a view would hold is there.
    pub(super) fn sight_is_ready(
        &self,
        created: &Created,
        sees: &Sees,
        reader: Reader<'_>,
    ) -> bool {
        let protocol = &created.protocol;
        if sees.memory && created.memory.reads && self.retrieved.is_none() {
            return false;
        }
        let private = sight::own_private(protocol, sees, reader);
        if !private.iter().all(|turn| self.is_settled(turn)) {
            return false;
        }
        sight::visible(protocol, sees, reader).iter().all(|turn| {
            self.is_settled(turn) && (!sees.verdicts || self.turn_verdicts_are_in(protocol, turn))
        })
    }

    /// Says whether every rule that judges single turns has found its verdict on this one.
    pub(super) fn turn_verdicts_are_in(&self, protocol: &Protocol, turn: &TurnId) -> bool {
        let Some((attempt, _)) = self.chosen(turn) else {
            return true;
        };
        let target = Target::Attempt(attempt);
        protocol
            .judging
            .iter()
            .filter(|judging| {
                judging.enabled
                    && judging.of == JudgedThing::Turn
                    && judging.when == JudgeWhen::Soon
                    && judging.by.is_some()
                    && sight::is_target(judging, turn, protocol.rounds)
            })
            .all(|judging| self.missing_chairs(protocol, judging, &target).is_empty())
    }

    /// Returns the judge's chairs whose verdict on the target is missing.
    pub(super) fn missing_chairs(
        &self,
        protocol: &Protocol,
        judging: &Judging,
        target: &Target,
    ) -> Vec<u32> {
        let count = judging
            .by
            .as_ref()
            .map_or(1, |seat| protocol.seat(seat).map_or(0, |seat| seat.count));
        let found = self.verdicts_on(&judging.id, target);
        (0..count)
            .filter(|chair| found.is_none_or(|by_chair| !by_chair.contains_key(chair)))
            .collect()
    }

    /// Says whether stop rules let this round begin.
    pub(super) fn round_is_open(&self, round: u32) -> bool {
        let Some(protocol) = self.protocol() else {
            return false;
        };
        if protocol.stop.is_empty() {
            return round <= protocol.rounds;
        }
        (1..round).all(|before| self.stops_after(protocol, before) == Some(false))
    }

    /// Returns the round after which a stop rule ended the debate.
    pub(super) fn stopped_after(&self) -> Option<u32> {
        let protocol = self.protocol()?;
        if protocol.stop.is_empty() {
            return None;
        }
        (1..=protocol.rounds)
            .map_while(|round| {
                self.stops_after(protocol, round)
                    .map(|stops| (round, stops))
            })
            .find_map(|(round, stops)| stops.then_some(round))
    }

    /// Says whether the debate ends after this round; `None` while that is undecided.
    fn stops_after(&self, protocol: &Protocol, round: u32) -> Option<bool> {
        let mut decided = Some(false);
        for rule in &protocol.stop {
            match self.rule_holds(protocol, rule, round) {
                Some(true) => return Some(true),
                Some(false) => {}
                None => decided = None,
            }
        }
        decided
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
                    .chosen(turn)
                    .and_then(|(_, attempt)| attempt.fields.as_ref());
                match fields {
                    Some(Fields::Read(value)) => field_equals(rule, value),
                    Some(Fields::Unparsed { .. }) | None => false,
                }
            };
            return Some(!turns.is_empty() && turns.iter().all(holds));
        }
        let judging = protocol.judging(rule.judging.as_ref()?)?;
        let targets = self.targets_in(protocol, judging, round)?;
        let mut outcomes = Vec::new();
        for target in &targets {
            if !self.missing_chairs(protocol, judging, target).is_empty() {
                return None;
            }
            outcomes.push(self.finding(judging, target));
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

    /// Returns what a rule judges in a round; `None` while a turn is not settled.
    fn targets_in(
        &self,
        protocol: &Protocol,
        judging: &Judging,
        round: u32,
    ) -> Option<Vec<Target>> {
        match judging.of {
            JudgedThing::Round => Some(vec![Target::Round(round)]),
            JudgedThing::Debate => Some(vec![]),
            JudgedThing::Turn => {
                let mut targets = Vec::new();
                for turn in protocol.turns_in(round) {
                    if !sight::is_target(judging, &turn, protocol.rounds) {
                        continue;
                    }
                    if !self.is_settled(&turn) {
                        return None;
                    }
                    targets.extend(self.chosen(&turn).map(|(id, _)| Target::Attempt(id)));
                }
                Some(targets)
            }
        }
    }

    /// Says whether the lesson is to be written; `None` while verdicts are missing.
    pub(super) fn feedback_is_due(&self, protocol: &Protocol, feedback: &Feedback) -> Option<bool> {
        let judging = protocol.judging(&feedback.judging)?;
        let mut due = false;
        for (id, target, _) in self.verdicts() {
            if id != &judging.id || !self.is_current(target) {
                continue;
            }
            if let Some(Outcome::Label(finding)) = self.finding(judging, target) {
                due |= feedback.labels.contains(&finding.label);
            }
        }
        Some(due)
    }

    /// Says whether a verdict is about the attempt that counts.
    pub fn is_current(&self, target: &Target) -> bool {
        match target {
            Target::Attempt(AttemptId { turn, attempt }) => self
                .turns
                .get(turn)
                .is_some_and(|state| state.chosen == *attempt as usize),
            Target::Round(_) | Target::Debate => true,
        }
    }
}

fn field_equals(rule: &StopRule, value: &serde_json::Value) -> bool {
    match (&rule.field, &rule.equals) {
        (Some(path), Some(wanted)) => field(value, path) == Some(wanted),
        _ => false,
    }
}

/// How far the rounds have come.
#[derive(Clone, Copy, PartialEq)]
enum Progress {
    /// Every round was played.
    All,
    /// A stop rule ended the debate after this round.
    Stopped(u32),
    /// Turns of this round, or a stop rule on it, are still missing.
    Undecided(u32),
}

struct Search<'a> {
    state: &'a State,
    created: &'a Created,
    protocol: &'a Protocol,
    opening: Opening,
    /// Something is still to be done, be it open, blocked or waiting.
    missing: bool,
}

impl Search<'_> {
    fn push(&mut self, step: Step) {
        self.missing = true;
        let id = step.id();
        if self.state.failures.contains_key(&id) {
            self.opening.blocked.push(id);
        } else {
            self.opening.steps.push(step);
        }
    }

    fn rounds(&mut self) -> Progress {
        let wants_memory =
            self.created.memory.reads && self.protocol.stages.iter().any(|stage| stage.sees.memory);
        if wants_memory && self.state.retrieved.is_none() {
            self.push(Step::Retrieve);
        }
        let mut progress = Progress::All;
        for round in 1..=self.protocol.rounds {
            let settled = self.round(round);
            if !settled && progress == Progress::All {
                progress = Progress::Undecided(round);
            }
            if self.protocol.stop.is_empty() {
                continue;
            }
            match self.state.stops_after(self.protocol, round) {
                Some(true) if progress == Progress::All => return Progress::Stopped(round),
                Some(false) => {}
                Some(true) | None => {
                    // The last round needs no decision; any other one holds the next back.
                    if round < self.protocol.rounds {
                        self.missing = true;
                        return Progress::Undecided(round);
                    }
                }
            }
        }
        progress
    }

    /// Opens what can be done in a round and says whether all its turns are settled.
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
        for judging in &self.protocol.judging {
            if !judging.enabled || judging.when == JudgeWhen::End {
                continue;
            }
            match judging.of {
                JudgedThing::Turn => self.judge_turns(judging, &turns),
                JudgedThing::Round => self.judge_round(judging, round),
                JudgedThing::Debate => {}
            }
        }
        settled
    }

    fn speak(&mut self, turn: &TurnId) {
        let Some(stage) = self.protocol.stage(&turn.stage) else {
            return;
        };
        let reader = Reader::at(self.protocol, turn);
        if !self.state.sight_is_ready(self.created, &stage.sees, reader) {
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
            retry: self.state.owed_retry(turn),
        };
        let step = if self.is_human(&turn.chair) {
            Step::AwaitSpeaker(speak)
        } else {
            Step::Speak(speak)
        };
        self.push(step);
    }

    fn is_human(&self, chair: &Chair) -> bool {
        self.created
            .player(chair)
            .is_some_and(|player| match player {
                Player::Human { .. } => true,
                Player::Model(_) => false,
            })
    }

    fn judge_turns(&mut self, judging: &Judging, turns: &[TurnId]) {
        for turn in turns {
            if !sight::is_target(judging, turn, self.protocol.rounds)
                || !self.state.is_settled(turn)
            {
                continue;
            }
            let Some((attempt, _)) = self.state.chosen(turn) else {
                continue;
            };
            let reader = Reader {
                chair: None,
                round: turn.round,
                stage: self.protocol.stage_place(&turn.stage),
            };
            self.judge(judging, Target::Attempt(attempt), reader);
        }
    }

    fn judge_round(&mut self, judging: &Judging, round: u32) {
        let reader = Reader::after_round(self.protocol, round);
        self.judge(judging, Target::Round(round), reader);
    }

    fn judge(&mut self, judging: &Judging, target: Target, reader: Reader<'_>) {
        if judging.grader.is_some() {
            let graded = self.state.verdicts_on(&judging.id, &target).is_some();
            if self.created.topic.reference.is_some() && !graded {
                self.push(Step::Grade {
                    judging: judging.id.clone(),
                    target,
                });
            }
            return;
        }
        let missing = self.state.missing_chairs(self.protocol, judging, &target);
        if missing.is_empty() {
            return;
        }
        self.missing = true;
        if !self
            .state
            .sight_is_ready(self.created, &judging.sees, reader)
        {
            return;
        }
        let Some(seat) = &judging.by else { return };
        for index in missing {
            let chair = Chair {
                seat: seat.clone(),
                index,
            };
            let human = self.is_human(&chair);
            let judge = Judge {
                judging: judging.id.clone(),
                chair,
                target: target.clone(),
            };
            self.push(if human {
                Step::AwaitJudge(judge)
            } else {
                Step::Judge(judge)
            });
        }
    }

    fn after_the_rounds(&mut self, progress: Progress) {
        let last = match progress {
            Progress::All => self.protocol.rounds,
            Progress::Stopped(round) => round,
            Progress::Undecided(_) => return,
        };
        for judging in &self.protocol.judging {
            if !judging.enabled {
                continue;
            }
            match (judging.of, judging.when) {
                (JudgedThing::Debate, JudgeWhen::Soon | JudgeWhen::End) => {
                    let reader = Reader::after_round(self.protocol, last);
                    self.judge(judging, Target::Debate, reader);
                }
                (JudgedThing::Turn, JudgeWhen::End) => {
                    for round in 1..=last {
                        self.judge_turns(judging, &self.protocol.turns_in(round));
                    }
                }
                (JudgedThing::Round, JudgeWhen::End) => {
                    for round in 1..=last {
                        self.judge_round(judging, round);
                    }
                }
                (JudgedThing::Turn | JudgedThing::Round, JudgeWhen::Soon) => {}
            }
        }
        // The lesson is about everything: it comes when nothing else is missing.
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

impl Created {
    /// Returns who sits on a chair.
    pub fn player(&self, chair: &Chair) -> Option<&Player> {
        self.cast
            .iter()
            .find(|participant| &participant.chair == chair)
            .map(|participant| &participant.player)
    }

    /// Returns the persona of a chair: the cast's, else the seat's.
    pub fn persona(&self, chair: &Chair) -> Option<&str> {
        self.cast
            .iter()
            .find(|participant| &participant.chair == chair)
            .and_then(|participant| participant.persona.as_deref())
            .or_else(|| self.protocol.seat(&chair.seat)?.persona.as_deref())
    }

    /// Says whether any model of the cast is simulated.
    pub fn is_simulated(&self) -> bool {
        self.cast
            .iter()
            .any(|participant| match &participant.player {
                Player::Model(model) => model.simulated,
                Player::Human { .. } => false,
            })
    }
}

/// Says whether an author is a person.
pub(super) fn is_person(author: &Author) -> bool {
    match author {
        Author::Person(_) => true,
        Author::Engine => false,
    }
}
