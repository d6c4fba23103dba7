//! Empty replies: replies without visible text. They are requested once more; a second empty reply
//! is kept and not judged (FIGURES 2).
//!
//! Emptiness is derived from the text, so journals of earlier versions count the same. The repeated
//! request is recorded ([`Reply::ask_again`]), because earlier versions did not repeat it and their
//! journals continue after one empty reply.

use super::event::{Failed, FeedbackWritten, Reply};
use super::guardrail_events::Guarded;
use super::ids::{AttemptId, Chair, JudgingId, SeatId, TurnId};
use super::protocol::Judging;
use super::state::{Attempt, State, TurnState, VerdictState};
use super::step::{Step, Target, VerdictSlot};

/// Reason of an unparsed outcome whose reply has no visible text.
pub const EMPTY_REPLY: &str = "empty reply";

/// Placeholder for the text of an empty reply.
pub const EMPTY_REPLY_PLACEHOLDER: &str = "(empty reply: nothing visible came)";

/// Placeholder for the text of a reply that spent its token limit before a visible word.
pub const OUT_OF_TOKENS_PLACEHOLDER: &str =
    "(empty reply: its token limit was spent before a visible word; raise max_tokens)";

/// Returns whether a text has nothing visible: only blanks, control characters and marks without
/// width.
pub fn is_blank(text: &str) -> bool {
    text.chars().all(|c| {
        c.is_whitespace()
            || c.is_control()
            || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}')
    })
}

impl Reply {
    /// Returns whether the reply has no visible text; private reasoning is not visible.
    pub fn is_empty(&self) -> bool {
        is_blank(&self.text)
    }

    /// Returns what stands in place of the text of an empty reply.
    pub fn empty_placeholder(&self) -> &'static str {
        match self.out_of_tokens {
            true => OUT_OF_TOKENS_PLACEHOLDER,
            false => EMPTY_REPLY_PLACEHOLDER,
        }
    }
}

impl Attempt {
    /// Returns whether the attempt is an empty reply of a model or person.
    pub fn is_empty_reply(&self) -> bool {
        self.guardrail.is_none() && self.reply.is_empty()
    }
}

impl TurnState {
    /// Returns whether the chosen attempt is empty and is requested once more.
    pub(super) fn asks_again(&self) -> bool {
        self.chosen_index + 1 == self.attempts.len()
            && self
                .chosen_attempt()
                .is_some_and(|chosen| chosen.reply.ask_again)
    }

    /// Returns whether the chosen attempt is empty after the turn was requested again, or would be
    /// again: no retry rule sends it back.
    pub(super) fn stays_empty(&self) -> bool {
        let mut attempts = self.attempts.iter().map(|one| &one.reply);
        self.chosen_attempt().is_some_and(Attempt::is_empty_reply)
            && attempts.any(|reply| reply.ask_again || reply.out_of_tokens)
    }
}

impl VerdictState {
    /// Returns whether the judge's reply was empty and is requested once more.
    pub fn asks_again(&self) -> bool {
        self.reply.as_ref().is_some_and(|reply| reply.ask_again)
    }

    /// Returns whether the reply is empty after the judge was asked again, or would be again.
    pub(super) fn stays_empty(&self) -> bool {
        self.reply.as_ref().is_some_and(|reply| {
            let was_asked_again = self.earlier.iter().any(Self::asks_again);
            reply.is_empty() && (was_asked_again || reply.out_of_tokens)
        })
    }
}

impl State {
    /// Returns whether the chosen attempt of a turn is an empty reply.
    pub fn is_empty_turn(&self, turn: &TurnId) -> bool {
        let attempt = self.turns.get(turn).and_then(TurnState::chosen_attempt);
        attempt.is_some_and(Attempt::is_empty_reply)
    }

    /// Returns whether a target is an empty reply. Empty replies are not judged, and a verdict that
    /// an earlier version requested does not count.
    pub fn is_empty_target(&self, target: &Target) -> bool {
        let Target::Attempt(AttemptId { turn, attempt }) = target else {
            return false;
        };
        let state = self.turns.get(turn);
        state
            .and_then(|known| known.attempts.get(*attempt as usize))
            .is_some_and(Attempt::is_empty_reply)
    }

    /// Returns the empty replies among the chosen attempts.
    pub fn empty_turns(&self) -> impl Iterator<Item = AttemptId> {
        let turns = self.turns.keys().filter(|turn| self.is_empty_turn(turn));
        turns.filter_map(|turn| Some(self.chosen_attempt(turn)?.0))
    }

    /// Returns the verdicts on a target whose calls failed and have not succeeded since.
    pub fn failed_verdicts<'a>(
        &'a self,
        target: &'a Target,
    ) -> impl Iterator<Item = (JudgingId, &'a Failed)> {
        self.failures.iter().filter_map(move |(step, failed)| {
            let (judging, _, on, _) = step.requested_verdict()?;
            (on == *target).then_some((judging, failed))
        })
    }

    /// Returns the judging rules that apply to a target by the protocol alone, whether or not they
    /// judge it in its present state.
    pub fn rules_on(&self, target: &Target) -> Vec<&Judging> {
        let Some(protocol) = self.protocol() else {
            return Vec::new();
        };
        let rules = protocol.judging.iter().filter(|rule| rule.enabled);
        rules
            .filter(|rule| self.rule_about(protocol, &rule.id, target).is_ok())
            .collect()
    }

    /// Returns whether an empty reply to a step would be requested once more: only the first one of
    /// its turn, verdict, decision or lesson is.
    pub fn asks_again_after(&self, step: &Step) -> bool {
        match step {
            Step::Speak(speak) => {
                let state = self.turns.get(&speak.turn);
                let mut before = state.into_iter().flat_map(|known| &known.attempts);
                !before.any(|attempt| attempt.reply.ask_again)
            }
            Step::Judge(judge) => {
                let slot = VerdictSlot {
                    chair: judge.chair.index,
                    order: judge.order,
                };
                let by_slot = self.verdicts_on(&judge.judging, &judge.target);
                let before = by_slot.and_then(|by_slot| by_slot.get(&slot));
                before.is_none_or(|before| {
                    !before.asks_again() && !before.earlier.iter().any(VerdictState::asks_again)
                })
            }
            Step::WriteFeedback(lesson) => !self.empty_lessons.contains_key(&lesson.learner),
            Step::Guard(chair) => !self.empty_decisions.contains_key(chair),
            Step::DeriveGuardrail(_)
            | Step::Retrieve(_)
            | Step::RetrieveGuards
            | Step::SwapRewards
            | Step::AwaitSpeaker(_)
            | Step::Recite(_)
            | Step::Refuse(_)
            | Step::AwaitJudge(_)
            | Step::Grade { .. }
            | Step::AwaitFeedback(_) => false,
        }
    }

    /// Returns the empty lesson of a learner, or of all, that was requested once more.
    pub fn empty_lesson(&self, learner: Option<&SeatId>) -> Option<&FeedbackWritten> {
        self.empty_lessons.get(&learner.cloned())
    }

    /// Returns the empty guardrail decision after which the chair's model was asked once more.
    pub fn empty_decision(&self, chair: &Chair) -> Option<&Guarded> {
        self.empty_decisions.get(chair)
    }
}
