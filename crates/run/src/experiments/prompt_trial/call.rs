//! Recorded call that is made again with another prompt: of a turn, a verdict, a lesson, a decision about
//! guardrails, or a guardrail that is derived.

use super::change::PromptChange;
use super::context::{TurnContext, find_turn};
use super::memory_calls::{
    DerivationPlace, GuardPlace, LessonPlace, find_derivation, find_guard_decision, find_lesson,
};
use super::plan::RollForward;
use super::reopened::ReopenedContext;
use super::sample::SampleStart;
use super::verdict::{VerdictPlace, find_verdict};
use crate::engine::seats::Seats;
use elenchus_game::debate::event::{Outcome, Reply};
use elenchus_game::debate::step::StepGroup;
use elenchus_game::debate::view::View;
use elenchus_game::debate::{Chair, JudgingId, SessionId, State, Step, Target, TurnId};
use elenchus_game::prompt::{self, expand_view};
use elenchus_records::library::{rubric_template, template_selection};
use elenchus_records::workspace::prompts::AskedFor;
use elenchus_records::workspace::{Reopen, Result, StoreContext, reject};
use elenchus_store::Layout;
use serde::{Deserialize, Serialize};
use std::fmt;

/// What is asked for again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TriedCall {
    Turn(TurnId),
    Verdict(VerdictPlace),
    Lesson(LessonPlace),
    GuardDecision(GuardPlace),
    Derivation(DerivationPlace),
}

impl fmt::Display for TriedCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Turn(turn) => turn.fmt(f),
            Self::Verdict(place) => place.fmt(f),
            Self::Lesson(place) => place.fmt(f),
            Self::GuardDecision(place) => place.fmt(f),
            Self::Derivation(place) => place.fmt(f),
        }
    }
}

impl From<AskedFor> for TriedCall {
    fn from(asked: AskedFor) -> Self {
        match asked {
            AskedFor::Turn(turn) => Self::Turn(turn),
            AskedFor::Verdict { judging, target } => {
                Self::Verdict(VerdictPlace { judging, target })
            }
            AskedFor::Lesson(learner) => Self::Lesson(LessonPlace { learner }),
            AskedFor::GuardDecision(chair) => Self::GuardDecision(GuardPlace { chair }),
            AskedFor::Guardrail(chair) => Self::Derivation(DerivationPlace { chair }),
        }
    }
}

impl TriedCall {
    /// Finds a call of a session by its name: `r2.socratic`, `decision`, `safety/r1.debater-0`, `lesson`,
    /// `guardrails/debater-0`.
    ///
    /// # Errors
    /// When nothing or more than one thing is meant; names some.
    pub fn find(state: &State, text: &str) -> Result<Self> {
        if let Some(place) = find_verdict(state, text)? {
            return Ok(Self::Verdict(place));
        }
        if let Some(place) = find_lesson(state, text)? {
            return Ok(Self::Lesson(place));
        }
        if let Some(place) = find_guard_decision(state, text)? {
            return Ok(Self::GuardDecision(place));
        }
        if let Some(place) = find_derivation(state, text)? {
            return Ok(Self::Derivation(place));
        }
        find_turn(state, text).map(Self::Turn)
    }

    /// Returns the turn, where it is one.
    pub fn turn(&self) -> Option<&TurnId> {
        match self {
            Self::Turn(turn) => Some(turn),
            Self::Verdict(_) | Self::Lesson(_) | Self::GuardDecision(_) | Self::Derivation(_) => {
                None
            }
        }
    }

    /// Returns the turn that it is about; `None` where it is about more than one, or none.
    pub fn find_turn(&self) -> Option<&TurnId> {
        match self {
            Self::Turn(turn) => Some(turn),
            Self::Verdict(place) => match &place.target {
                Target::Attempt(id) => Some(&id.turn),
                Target::Round(_) | Target::Debate => None,
            },
            Self::Lesson(_) | Self::GuardDecision(_) | Self::Derivation(_) => None,
        }
    }

    /// Returns the chair whose model is asked, of several judges the first.
    pub fn find_chair(&self, state: &State) -> Option<Chair> {
        let seat = match self {
            Self::Turn(turn) => return Some(turn.chair.clone()),
            Self::GuardDecision(GuardPlace { chair })
            | Self::Derivation(DerivationPlace { chair }) => return Some(chair.clone()),
            Self::Verdict(place) => place.find_rule(state)?.by.clone()?,
            Self::Lesson(place) => {
                let rule = state.protocol()?.find_feedback(place.learner.as_ref());
                rule?.by.clone()
            }
        };
        Some(Chair::first(seat))
    }

    /// Returns what a fork leaves open so that it can be asked for.
    pub(super) fn to_reopen(&self) -> Reopen {
        match self {
            Self::Turn(turn) => Reopen::Turn(turn.clone()),
            Self::Verdict(place) => Reopen::Verdict {
                judging: place.judging.clone(),
                target: place.target.clone(),
                slot: None,
            },
            Self::Lesson(_) => Reopen::Lesson,
            Self::GuardDecision(place) => Reopen::GuardDecision(place.chair.clone()),
            // A sample is the whole debate, and what is derived from it.
            Self::Derivation(_) => Reopen::Nothing,
        }
    }

    /// Returns the template that asks for it.
    pub(super) fn find_template(&self, state: &State) -> Option<String> {
        let protocol = state.protocol()?;
        match self {
            Self::Turn(turn) => {
                let stage = protocol.find_stage(&turn.stage)?;
                Some(protocol.template_name(stage, &turn.chair.seat).to_owned())
            }
            Self::Verdict(place) => {
                let rubric = place.find_rule(state)?.rubric.as_deref();
                rubric.map(rubric_template)
            }
            Self::Lesson(place) => {
                let rule = protocol.find_feedback(place.learner.as_ref())?;
                Some(template_selection::feedback_template(rule).to_owned())
            }
            Self::GuardDecision(_) => Some(prompt::DECISION.to_owned()),
            Self::Derivation(_) => Some(prompt::DERIVATION.to_owned()),
        }
    }

    /// Returns the templates that ask for it, once more where a verdict could not be read among them.
    pub(super) fn list_templates(&self, state: &State) -> Vec<String> {
        let own = self.find_template(state);
        let repair = match self {
            Self::Verdict(place) => place.find_rule(state).and_then(|rule| rule.repair.as_ref()),
            Self::Turn(_) | Self::Lesson(_) | Self::GuardDecision(_) | Self::Derivation(_) => None,
        };
        let repair = repair.map(|repair| repair.template.clone());
        own.into_iter().chain(repair).collect()
    }

    /// Returns the steps that ask for it where it is open; none for a turn, which is asked for as a re-roll.
    pub(super) fn list_steps(&self, state: &State) -> Vec<Step> {
        let open_steps = || state.find_open_steps().steps.into_iter();
        match self {
            Self::Turn(_) => Vec::new(),
            Self::Verdict(place) => {
                let rule = place.find_rule(state);
                let judges = rule.map(|rule| state.required_judges(rule));
                let judges = judges.into_iter().flatten();
                let own = judges.filter(|judge| judge.target == place.target);
                own.map(Step::Judge).collect()
            }
            Self::Lesson(place) => open_steps()
                .filter(|step| match step.group() {
                    StepGroup::Lesson(lesson) => lesson.learner == place.learner,
                    StepGroup::Memory
                    | StepGroup::Guard(_)
                    | StepGroup::Turn(_)
                    | StepGroup::Verdict(_) => false,
                })
                .collect(),
            Self::GuardDecision(place) => open_steps()
                .filter(|step| *step == Step::Guard(place.chair.clone()))
                .collect(),
            Self::Derivation(place) => vec![Step::DeriveGuardrail(place.chair.clone())],
        }
    }

    /// Returns what models replied, whichever session they were asked in.
    pub fn list_replies<'s>(&self, state: &'s State) -> Vec<&'s Reply> {
        match self {
            Self::Turn(turn) => {
                let choice = state.chosen_attempt(turn).into_iter();
                choice.map(|(_, attempt)| &attempt.reply).collect()
            }
            Self::Verdict(place) => place.list_replies(state),
            Self::Lesson(place) => {
                let lesson = place.find_lesson(state).into_iter();
                lesson.map(|lesson| &lesson.reply).collect()
            }
            Self::GuardDecision(place) => {
                let decision = place.find_decision(state).into_iter();
                decision.map(|decision| &decision.reply).collect()
            }
            Self::Derivation(_) => {
                let written = state.written_guardrail().into_iter();
                written.map(|written| &written.reply).collect()
            }
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
            // A sample begins before they were written, so that none is inherited.
            Self::Lesson(_) | Self::Derivation(_) => self.list_replies(state),
            Self::GuardDecision(place) => {
                let own = place.find_own_decision(state).into_iter();
                own.map(|decision| &decision.reply).collect()
            }
        }
    }

    /// Returns what models wrote, whichever session they were asked in; that of several judges stands below one
    /// another.
    pub fn find_text(&self, state: &State) -> Option<String> {
        join_replies(self.list_replies(state).into_iter())
    }

    /// Returns the words of a sample; those of several judges stand below one another.
    pub fn find_own_text(&self, state: &State) -> Option<String> {
        join_replies(self.list_own_replies(state).into_iter())
    }

    /// Says whether a sample has brought what it asks for.
    pub(super) fn is_answered(&self, state: &State) -> bool {
        match self {
            Self::Verdict(place) => place.find_outcome(state).is_some(),
            Self::Turn(_) | Self::Lesson(_) | Self::GuardDecision(_) | Self::Derivation(_) => {
                !self.list_own_replies(state).is_empty()
            }
        }
    }

    /// Says why a sample did not bring it, where its call failed.
    pub(super) fn find_failure<'s>(&self, state: &'s State) -> Option<&'s str> {
        let failed = match self {
            Self::GuardDecision(place) => state
                .guard_states()
                .get(&place.chair)?
                .decided
                .as_ref()
                .err(),
            Self::Turn(_) | Self::Verdict(_) | Self::Lesson(_) | Self::Derivation(_) => {
                state.failures().values().next()
            }
        };
        failed.map(|failed| failed.message.as_str())
    }

    /// Returns what the first model was shown, with the text of every part.
    pub(crate) fn find_view(&self, state: &State) -> Option<View> {
        let view = match self {
            Self::Turn(turn) => {
                let (_, attempt) = state.chosen_attempt(turn)?;
                return Some(expand_view(state, Some(turn), state.view_at(attempt.view?)));
            }
            Self::Verdict(place) => return place.find_view(state),
            Self::Lesson(place) => place.find_lesson(state)?.view.as_ref(),
            Self::GuardDecision(place) => place.find_decision(state)?.view.as_ref(),
            Self::Derivation(_) => state.written_guardrail()?.view.as_ref(),
        };
        Some(expand_view(state, None, view?.decode()))
    }

    /// Returns what was found there, by rule: of a turn what judges found of it, of a verdict or decision itself, of
    /// a guardrail whether it can be read.
    /// A lesson is judged by nobody.
    pub fn list_findings(&self, state: &State) -> Vec<(JudgingId, Outcome)> {
        let finding = match self {
            Self::Turn(turn) => {
                return match state.chosen_attempt(turn) {
                    Some((id, _)) => list_target_findings(state, &Target::Attempt(id)),
                    None => Vec::new(),
                };
            }
            Self::Verdict(place) => (place.judging.clone(), place.find_outcome(state)),
            Self::Lesson(_) => return Vec::new(),
            Self::GuardDecision(place) => (GuardPlace::finding_name(), place.find_outcome(state)),
            Self::Derivation(place) => (GuardPlace::finding_name(), place.find_outcome(state)),
        };
        let (name, outcome) = finding;
        outcome.map(|outcome| (name, outcome)).into_iter().collect()
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
    /// What is asked for once more from a fork that ends before it.
    Reopened(ReopenedContext),
}

impl CallContext {
    /// Reads a call of a session, without its lock. Blocks.
    ///
    /// # Errors
    /// When the session cannot be read, or has no such call.
    pub fn read(layout: &Layout, session: &SessionId, call: &TriedCall) -> Result<Self> {
        match call {
            TriedCall::Turn(turn) => {
                let path = layout.session_path(session.as_str())?;
                TurnContext::read(&path, turn).map(Self::Turn)
            }
            TriedCall::Verdict(_)
            | TriedCall::Lesson(_)
            | TriedCall::GuardDecision(_)
            | TriedCall::Derivation(_) => {
                ReopenedContext::read(layout, session, call).map(Self::Reopened)
            }
        }
    }

    /// Reads a call that prompts are to be tried on: each is rendered on it before anything is paid for. Blocks.
    ///
    /// # Errors
    /// As [`read`](Self::read), and when a text cannot be used there.
    pub(crate) fn read_for_changes<'c>(
        layout: &Layout,
        (session, call): (&SessionId, &TriedCall),
        seats: &Seats,
        changes: impl IntoIterator<Item = &'c PromptChange>,
    ) -> Result<Self> {
        let context = Self::read(layout, session, call)?;
        for change in changes {
            context.check_change(seats, Some(change))?;
        }
        Ok(context)
    }

    /// Renders a prompt on it.
    ///
    /// # Errors
    /// When the text is no template or fails there, or when no model is to be asked.
    pub fn check_change(&self, seats: &Seats, change: Option<&PromptChange>) -> Result<()> {
        match (self, change) {
            (Self::Turn(turn), Some(change)) => turn.render_view(change).map(|_| ()),
            (Self::Turn(_), None) => Ok(()),
            (Self::Reopened(call), change) => call.build_calls(seats, change).map(|_| ()),
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
            Self::Reopened(call) => call.build_calls(seats, None).map(|_| ()),
        }
    }

    /// Returns what was known when it was made; of a turn with the turn itself.
    pub fn state(&self) -> &State {
        match self {
            Self::Turn(turn) => &turn.state,
            Self::Reopened(call) => &call.state,
        }
    }

    /// Returns the template that asked.
    pub fn template(&self) -> &str {
        match self {
            Self::Turn(turn) => &turn.template,
            Self::Reopened(call) => &call.template,
        }
    }

    /// Returns what was shown when it was recorded, with the text of every part; `None` where no model was called.
    pub fn shown_view(&self) -> Option<&View> {
        match self {
            Self::Turn(turn) => turn.shown.as_ref(),
            Self::Reopened(call) => call.shown.as_ref(),
        }
    }

    /// Returns what would be shown with a changed prompt; of several judges, the first one.
    ///
    /// # Errors
    /// As [`check_change`](Self::check_change).
    pub fn render_view(&self, change: &PromptChange) -> Result<View> {
        match self {
            Self::Turn(turn) => turn.render_view(change),
            Self::Reopened(call) => call.render_view(change),
        }
    }

    /// Returns the recorded words; `None` where nobody wrote any.
    pub fn recorded_text(&self) -> Option<&str> {
        match self {
            Self::Turn(turn) => {
                let (_, attempt) = turn.original_attempt()?;
                Some(&attempt.reply.text)
            }
            Self::Reopened(call) => call.recorded_text.as_deref(),
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
            Self::Reopened(call) => call.build_start(store, session, change, number),
        }
    }
}
