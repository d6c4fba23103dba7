//! Recorded call that is made again with another prompt: of a turn, or of a verdict.

use super::change::PromptChange;
use super::context::{TurnContext, find_turn};
use super::plan::RollForward;
use super::sample::SampleStart;
use super::verdict::{VerdictContext, VerdictPlace, find_verdict};
use crate::engine::seats::Seats;
use elenchus_game::debate::event::{Outcome, Reply};
use elenchus_game::debate::view::View;
use elenchus_game::debate::{JudgingId, SessionId, State, Target, TurnId};
use elenchus_records::workspace::{Result, StoreContext, reject};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::path::Path;

/// What is asked for again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TriedCall {
    Turn(TurnId),
    Verdict(VerdictPlace),
}

impl fmt::Display for TriedCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Turn(turn) => turn.fmt(f),
            Self::Verdict(place) => place.fmt(f),
        }
    }
}

impl TriedCall {
    /// Finds a turn or a verdict of a session by its name: `r2.socratic`, `decision`, `safety/r1.debater-0`.
    ///
    /// # Errors
    /// When nothing or more than one thing is meant; names some.
    pub fn find(state: &State, text: &str) -> Result<Self> {
        if let Some(place) = find_verdict(state, text)? {
            return Ok(Self::Verdict(place));
        }
        find_turn(state, text).map(Self::Turn)
    }

    /// Returns the turn, where it is one.
    pub fn turn(&self) -> Option<&TurnId> {
        match self {
            Self::Turn(turn) => Some(turn),
            Self::Verdict(_) => None,
        }
    }

    /// Returns the turn that it is about; `None` for a verdict on more than one.
    pub fn find_turn(&self) -> Option<&TurnId> {
        match self {
            Self::Turn(turn) => Some(turn),
            Self::Verdict(place) => match &place.target {
                Target::Attempt(id) => Some(&id.turn),
                Target::Round(_) | Target::Debate => None,
            },
        }
    }

    /// Returns what a sample brought: the reply of the seat, or one of each judge.
    pub fn list_own_replies<'s>(&self, state: &'s State) -> Vec<&'s Reply> {
        match self {
            Self::Turn(turn) => {
                let choice = state.chosen_attempt(turn);
                let own = choice.filter(|(_, attempt)| !attempt.inherited);
                own.into_iter().map(|(_, attempt)| &attempt.reply).collect()
            }
            Self::Verdict(place) => place.list_own_replies(state),
        }
    }

    /// Returns the words of a sample; those of several judges stand below one another.
    pub fn find_own_text(&self, state: &State) -> Option<String> {
        join_replies(self.list_own_replies(state).into_iter())
    }

    /// Returns what was found there, by rule: of a turn what judges found of it, of a verdict itself.
    pub fn list_findings(&self, state: &State) -> Vec<(JudgingId, Outcome)> {
        match self {
            Self::Turn(turn) => match state.chosen_attempt(turn) {
                Some((id, _)) => list_target_findings(state, &Target::Attempt(id)),
                None => Vec::new(),
            },
            Self::Verdict(place) => {
                let outcome = place.find_outcome(state);
                let finding = outcome.map(|outcome| (place.judging.clone(), outcome));
                finding.into_iter().collect()
            }
        }
    }
}

/// Returns the words of replies, below one another; `None` where there are none.
pub(super) fn join_replies<'r>(replies: impl Iterator<Item = &'r Reply>) -> Option<String> {
    let texts: Vec<&str> = replies.map(|reply| &*reply.text).collect();
    (!texts.is_empty()).then(|| texts.join("\n\n— another judge —\n\n"))
}

/// Returns what the rules of a debate found on something.
pub(crate) fn list_target_findings(state: &State, target: &Target) -> Vec<(JudgingId, Outcome)> {
    let rules = state.protocol().map(|protocol| &protocol.judging);
    let rules = rules.into_iter().flatten().filter(|rule| rule.enabled);
    rules
        .filter_map(|rule| Some((rule.id.clone(), state.combined_outcome(rule, target)?)))
        .collect()
}

/// A recorded call with the state in which it was made.
#[derive(Debug, Clone)]
pub enum CallContext {
    Turn(TurnContext),
    Verdict(VerdictContext),
}

impl CallContext {
    /// Reads a call of a session, without its lock. Blocks.
    ///
    /// # Errors
    /// When the session cannot be read, or has no such turn or verdict.
    pub fn read(path: &Path, call: &TriedCall) -> Result<Self> {
        match call {
            TriedCall::Turn(turn) => TurnContext::read(path, turn).map(Self::Turn),
            TriedCall::Verdict(place) => VerdictContext::read(path, place).map(Self::Verdict),
        }
    }

    /// Reads a call that prompts are to be tried on: each is rendered on it before anything is paid for. Blocks.
    ///
    /// # Errors
    /// As [`read`](Self::read), and when a text cannot be used there.
    pub(crate) fn read_for_changes<'c>(
        path: &Path,
        call: &TriedCall,
        seats: &Seats,
        changes: impl IntoIterator<Item = &'c PromptChange>,
    ) -> Result<Self> {
        let context = Self::read(path, call)?;
        for change in changes {
            context.check_change(seats, Some(change))?;
        }
        Ok(context)
    }

    /// Renders a prompt on it.
    ///
    /// # Errors
    /// When the text is no template or fails there, or when no model is to give the verdict.
    pub fn check_change(&self, seats: &Seats, change: Option<&PromptChange>) -> Result<()> {
        match (self, change) {
            (Self::Turn(turn), Some(change)) => turn.render_view(change).map(|_| ()),
            (Self::Turn(_), None) => Ok(()),
            (Self::Verdict(verdict), change) => verdict.build_calls(seats, change).map(|_| ()),
        }
    }

    /// Refuses a call that no model would be asked for.
    ///
    /// # Errors
    /// When a person sits there, or what is said is written down.
    pub fn check_seat(&self, seats: &Seats) -> Result<()> {
        match self {
            Self::Turn(turn) if turn.model_name().is_none() => reject(format!(
                "nobody can be asked for {}: a person sits there, or what is said is written down",
                turn.turn
            )),
            Self::Turn(_) => Ok(()),
            Self::Verdict(verdict) => verdict.build_calls(seats, None).map(|_| ()),
        }
    }

    /// Returns what was known when it was made; of a turn with the turn itself.
    pub fn state(&self) -> &State {
        match self {
            Self::Turn(turn) => &turn.state,
            Self::Verdict(verdict) => &verdict.state,
        }
    }

    /// Returns the template that asked.
    pub fn template(&self) -> &str {
        match self {
            Self::Turn(turn) => &turn.template,
            Self::Verdict(verdict) => &verdict.template,
        }
    }

    /// Returns what was shown when it was recorded, with the text of every part; `None` where no model was called.
    pub fn shown_view(&self) -> Option<&View> {
        match self {
            Self::Turn(turn) => turn.shown.as_ref(),
            Self::Verdict(verdict) => verdict.shown.as_ref(),
        }
    }

    /// Returns what would be shown with a changed prompt; of several judges, the first one.
    ///
    /// # Errors
    /// As [`check_change`](Self::check_change).
    pub fn render_view(&self, change: &PromptChange) -> Result<View> {
        match self {
            Self::Turn(turn) => turn.render_view(change),
            Self::Verdict(verdict) => verdict.render_view(change),
        }
    }

    /// Returns the recorded words; `None` where nobody wrote any.
    pub fn recorded_text(&self) -> Option<&str> {
        match self {
            Self::Turn(turn) => {
                let (_, attempt) = turn.original_attempt()?;
                Some(&attempt.reply.text)
            }
            Self::Verdict(verdict) => verdict.recorded_text.as_deref(),
        }
    }

    /// Returns how a sample on this call of a session begins.
    pub(crate) fn build_start<'a>(
        &'a self,
        store: &StoreContext,
        session: &'a SessionId,
        (change, roll): (Option<&'a PromptChange>, RollForward),
        number: u32,
    ) -> SampleStart<'a> {
        match self {
            Self::Turn(turn) => turn.build_start(store, session, (change, roll), number),
            Self::Verdict(verdict) => verdict.build_start(store, session, change, number),
        }
    }
}
