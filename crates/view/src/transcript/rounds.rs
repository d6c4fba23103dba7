//! Rounds of a transcript: stages, turns and the verdicts on them.

use super::fields::{write_evidence, write_flagged_citations, write_outline};
use super::{Script, ink_of};
use crate::debate_blocks::texts::unknown_mark;
use elenchus_game::debate::event::{Author, Fields, Finish, Outcome};
use elenchus_game::debate::protocol::{Detector, Judging, Stage};
use elenchus_game::debate::state::{Attempt, VerdictState};
use elenchus_game::debate::step::{ShownOrder, Target, VerdictSlot};
use elenchus_game::debate::{AttemptId, Chair, TurnId};
use elenchus_text::Ink;
use std::collections::BTreeSet;

/// Where texts begin.
pub(super) const TEXT: usize = 4;

impl Script<'_> {
    pub(crate) fn write_rounds(&mut self) {
        let turns = self.list_turns();
        let last_round = turns.iter().map(|turn| turn.round).max().unwrap_or(0);
        for round in 1..=last_round {
            self.page.add_title(&format!(
                "Round {round} of {}",
                self.created.protocol.rounds
            ));
            for stage in &self.created.protocol.stages {
                self.write_stage(round, stage, &turns);
            }
            let target = Target::Round(round);
            let mut stopped_verdicts = self.state.stopped_verdicts_on(&target);
            if self.has_verdicts(&target) || stopped_verdicts.next().is_some() {
                self.page.add_gap();
                self.page.line_at(2).write_plain("the round as a whole");
                self.write_verdicts(&target);
            }
        }
    }

    /// Returns the turns that have a text or a stopped reply.
    fn list_turns(&self) -> BTreeSet<TurnId> {
        let stopped_turns = self.state.stopped_replies().iter();
        let stopped_turns = stopped_turns.filter_map(|stopped| stopped.reply.step.turn());
        self.state
            .turns()
            .keys()
            .cloned()
            .chain(stopped_turns)
            .collect()
    }

    fn write_stage(&mut self, round: u32, stage: &Stage, turns: &BTreeSet<TurnId>) {
        let order = self.created.protocol.chairs_of(stage);
        let place = |chair: &Chair| order.iter().position(|one| one == chair);
        let of_stage = |turn: &&TurnId| turn.round == round && turn.stage == stage.id;
        let mut turns: Vec<&TurnId> = turns.iter().filter(of_stage).collect();
        turns.sort_by_key(|turn| place(&turn.chair));
        for turn in turns {
            self.write_turn(stage, turn);
        }
    }

    fn write_turn(&mut self, stage: &Stage, turn: &TurnId) {
        let mut head = format!("{} · {}", self.chair_name(&turn.chair), stage.id);
        if stage.private {
            head.push_str(" (private)");
        }
        self.page.add_gap();
        self.page.line_at(2).write_bold(&format!("{head}  {turn}"));
        let state = self.state;
        for stopped in state.stopped_replies_to(turn) {
            self.write_stopped_reply(stopped, stage.private);
        }
        let Some(turn_state) = state.turns().get(turn) else {
            return;
        };
        if turn_state.filtered {
            let why = "refused by the provider's filter: the debate went on without this turn";
            self.page.line_at(TEXT).write_bad(why);
        }
        let several = turn_state.attempts.len() > 1;
        for (at, attempt) in turn_state.attempts.iter().enumerate() {
            if several {
                let choice_text = if at == turn_state.chosen_index {
                    "chosen"
                } else {
                    "not chosen"
                };
                self.page.line_at(TEXT).write_dim(&format!(
                    "attempt {} of {}, {choice_text}",
                    at + 1,
                    turn_state.attempts.len()
                ));
            }
            let id = AttemptId {
                turn: turn.clone(),
                attempt: u32::try_from(at).unwrap_or(u32::MAX),
            };
            self.write_attempt(stage, &id, attempt);
        }
    }

    fn write_attempt(&mut self, stage: &Stage, id: &AttemptId, attempt: &Attempt) {
        if let Some(guardrail) = &attempt.guardrail {
            let text = format!(
                "refused by guardrail {guardrail}: the model was not called, and the turn is not judged"
            );
            self.page.line_at(TEXT).write_middle(&text);
        } else {
            self.write_attempt_view(id, attempt);
        }
        let marks = list_marks(attempt);
        if !marks.is_empty() {
            self.page
                .line_at(TEXT)
                .write_dim(&format!("({})", marks.join("; ")));
        }
        if let Some(thinking) = &attempt.reply.thinking {
            self.private_text(TEXT, "its own thinking", thinking);
        }
        if attempt.is_empty_reply() {
            self.page
                .line_at(TEXT)
                .write_middle(attempt.reply.empty_placeholder());
        } else if stage.private {
            self.private_text(TEXT, "private reasoning", &attempt.reply.text);
        } else if let Some(Fields::Read(fields)) = &attempt.fields {
            write_outline(&mut self.page, TEXT, fields);
        } else {
            self.write_prose(Ink::Plain, TEXT, &attempt.reply.text);
        }
        if let Some(Fields::Unparsed { why }) = &attempt.fields {
            self.page
                .line_at(TEXT)
                .write_middle(&format!("unparsed: its fields could not be read: {why}"));
        }
        self.write_verdicts(&Target::Attempt(id.clone()));
    }

    fn has_verdicts(&self, target: &Target) -> bool {
        self.state.verdicts().any(|(_, on, _)| on == target)
    }

    /// Writes the verdicts on a target, and what several judges found together.
    pub(crate) fn write_verdicts(&mut self, target: &Target) {
        let (state, created) = (self.state, self.created);
        for judging in &created.protocol.judging {
            let Some(by_slot) = state.verdicts_on(&judging.id, target) else {
                continue;
            };
            for (slot, last) in by_slot {
                for verdict in last.earlier.iter().chain(std::iter::once(&**last)) {
                    self.write_verdict(judging, *slot, target, verdict);
                }
            }
            if by_slot.len() > 1
                && let Some(together) = state.combined_outcome(judging, target)
            {
                let text = format!("=> {} together: {}", judging.id, together.describe_label());
                self.page
                    .line_at(TEXT)
                    .write_in_ink(ink_of(&together), &text);
            }
        }
        if state.is_empty_target(target) && self.has_verdicts(target) {
            let text = "an empty reply is not judged: this verdict does not count";
            self.page.line_at(TEXT + 3).write_middle(text);
        }
        for (judging, failed) in state.failed_verdicts(target) {
            let text = format!(
                "=> {judging}: no verdict, its call failed: {}",
                failed.message
            );
            self.page.line_at(TEXT).write_bad(&text);
        }
        for stopped in state.stopped_verdicts_on(target) {
            self.write_stopped_reply(stopped, false);
        }
    }

    fn write_verdict(
        &mut self,
        judging: &Judging,
        slot: VerdictSlot,
        target: &Target,
        verdict: &VerdictState,
    ) {
        let judge = match &judging.by {
            Some(seat) => self.chair_name(&Chair {
                seat: seat.clone(),
                index: slot.chair,
            }),
            None => match judging.detector {
                Some(_) => "a rule".to_owned(),
                None => "ground truth".to_owned(),
            },
        };
        let mut who = format!("{} by {judge}", judging.id);
        match slot.order {
            ShownOrder::AsSeated => {}
            ShownOrder::Swapped => who.push_str(", candidates swapped"),
        }
        if let Author::Person(name) = &verdict.by {
            who.push_str(&format!(", a person: {name}"));
        }
        if verdict.inherited {
            who.push_str(", copied from the parent");
        }
        let (ink, text) = match &verdict.outcome {
            Some(outcome) => (ink_of(outcome), outcome.describe_label()),
            None => (
                Ink::Middle,
                "none: the provider's filter refused the judge's call".to_owned(),
            ),
        };
        self.page
            .line_at(TEXT)
            .write_in_ink(ink, &format!("=> {who}: {text}"));
        let finding = verdict.outcome.as_ref().and_then(Outcome::as_finding);
        if let Some(reason) = finding.and_then(|finding| finding.reason.as_deref()) {
            self.write_prose(ink, TEXT + 3, reason.trim());
        }
        let reply = verdict.reply.as_ref();
        if let Some(claims) = reply.and_then(|reply| reply.usage.describe_disagreement()) {
            self.page.line_at(TEXT + 3).write_middle(&claims);
        }
        if let Some(Outcome::Label(finding)) = &verdict.outcome
            && !finding.fields.is_null()
        {
            match judging.detector {
                None => write_outline(&mut self.page, TEXT + 3, &finding.fields),
                Some(Detector::Citations) => {
                    write_flagged_citations(&mut self.page, TEXT + 3, &finding.fields);
                }
                Some(
                    Detector::Stance
                    | Detector::BackStab
                    | Detector::Spurious
                    | Detector::Goalposts
                    | Detector::Refusal,
                ) => write_evidence(&mut self.page, TEXT + 3, &finding.fields),
            }
        }
        self.write_verdict_view(judging, slot.chair, target, verdict);
    }
}

/// What is special about an attempt, in words.
fn list_marks(attempt: &Attempt) -> Vec<String> {
    let mut marks = Vec::new();
    match (&attempt.by, attempt.edited) {
        (Author::Person(name), true) => marks.push(format!("EDITED by {name}")),
        (Author::Person(name), false) => marks.push(format!("by a person: {name}")),
        (Author::Engine, true) => marks.push("EDITED".to_owned()),
        (Author::Engine, false) if attempt.by_person => marks.push("chosen by a person".to_owned()),
        (Author::Engine, false) => {}
    }
    if attempt.inherited {
        marks.push("copied from the parent".to_owned());
    }
    match &attempt.reply.finish {
        Finish::Stop => {}
        Finish::Length => marks.push("cut at the token limit".to_owned()),
        Finish::Other(reason) => marks.push(format!("ended with '{reason}'")),
    }
    if attempt.guardrail.is_some() {
        return marks;
    }
    marks.extend(unknown_mark(&attempt.reply));
    marks.extend(attempt.reply.usage.describe_disagreement());
    match (attempt.reply.cached, &attempt.view) {
        (true, Some(_)) => marks.push("from the reply cache".to_owned()),
        // No prompt was shown, so no model was called.
        (true, None) => marks.push("written down beforehand".to_owned()),
        (false, _) => {}
    }
    marks
}
