//! Execution of commands to a live session; a refused command says what to do instead.

use super::controller::Controller;
use super::idle::failed_steps;
use super::messages::{LiveCommand, LiveEvent, MAX_SENT_BYTES, MAX_TEXT_BYTES, Pace};
use crate::engine::call;
use crate::engine::play::Play;
use elenchus_game::debate::State;
use elenchus_game::debate::event::{Author, Event};
use elenchus_game::debate::step::{Performer, Step, StepId};
use elenchus_game::debate::view::ViewMessage;
use elenchus_records::workspace::Session;
use elenchus_records::workspace::WorkspaceError;
use std::fmt;

/// Failure of a command.
pub(crate) enum CommandError {
    /// Nothing was changed; why, and what to do instead.
    Refused(String),
    Broke(WorkspaceError),
}

impl From<WorkspaceError> for CommandError {
    fn from(error: WorkspaceError) -> Self {
        match error {
            WorkspaceError::Store(_) => CommandError::Broke(error),
            WorkspaceError::Refused(refusal) => CommandError::Refused(refusal.to_string()),
            WorkspaceError::Game(_)
            | WorkspaceError::Prompt(_)
            | WorkspaceError::Cast(_)
            | WorkspaceError::Call(_)
            | WorkspaceError::Retrieve(_)
            | WorkspaceError::Dataset(_)
            | WorkspaceError::Topics(_)
            | WorkspaceError::File(_)
            | WorkspaceError::Task(_)
            | WorkspaceError::Misfit { .. }
            | WorkspaceError::UnknownEvent { .. }
            | WorkspaceError::Empty { .. }
            | WorkspaceError::HalfPlanned { .. }
            | WorkspaceError::Copied { .. }
            | WorkspaceError::NoSuch { .. }
            | WorkspaceError::Ambiguous { .. }
            | WorkspaceError::Invalid(_) => CommandError::Refused(error.to_string()),
        }
    }
}

pub(super) fn refuse<T>(why: impl Into<String>) -> Result<T, CommandError> {
    Err(CommandError::Refused(why.into()))
}

impl fmt::Display for LiveCommand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LiveCommand::Play(Pace::Turn) => f.write_str("play a turn"),
            LiveCommand::Play(Pace::Stage) => f.write_str("play a stage"),
            LiveCommand::Play(Pace::Round) => f.write_str("play a round"),
            LiveCommand::Play(Pace::End) => f.write_str("play to the end"),
            LiveCommand::Pause => f.write_str("pause"),
            LiveCommand::StopCall(step) => write!(f, "stop '{step}'"),
            LiveCommand::Send { step, .. } => write!(f, "send '{step}'"),
            LiveCommand::Answer { step, .. } => write!(f, "answer '{step}'"),
            LiveCommand::Reroll { turn, .. } => write!(f, "re-roll {turn}"),
            LiveCommand::AskAgain(turn) => write!(f, "ask again for {turn}"),
            LiveCommand::Edit { turn, .. } => write!(f, "edit {turn}"),
            LiveCommand::Choose(attempt) => write!(f, "choose {attempt}"),
            LiveCommand::Judge(attempt) => write!(f, "judge {attempt}"),
            LiveCommand::GiveVerdict { judging, target } => {
                write!(f, "ask for '{judging}' on {target}")
            }
            LiveCommand::DoStep(step) => write!(f, "ask for '{step}'"),
            LiveCommand::Retry => f.write_str("retry"),
            LiveCommand::Raise { ceiling_usd } => write!(f, "raise the ceiling to ${ceiling_usd}"),
        }
    }
}

impl Play<'_> {
    /// Executes a command, or publishes why it is refused.
    ///
    /// # Errors
    /// When the disk stops the session.
    pub(crate) async fn execute(
        &mut self,
        session: &mut Session,
        command: LiveCommand,
    ) -> Result<(), WorkspaceError> {
        let name = command.to_string();
        if let Some(controller) = &mut self.controller {
            controller.was_refused = false;
        }
        let outcome = self.try_execute(session, command).await;
        self.report_outcome(name, outcome)
    }

    pub(super) fn report_outcome(
        &mut self,
        command: String,
        outcome: Result<(), CommandError>,
    ) -> Result<(), WorkspaceError> {
        let Some(controller) = &mut self.controller else {
            return Ok(());
        };
        controller.reported_idle = None;
        match outcome {
            Ok(()) => Ok(()),
            Err(CommandError::Refused(why)) => {
                controller.send_event(LiveEvent::Refused { command, why });
                Ok(())
            }
            Err(CommandError::Broke(error)) => Err(error),
        }
    }

    async fn try_execute(
        &mut self,
        session: &mut Session,
        command: LiveCommand,
    ) -> Result<(), CommandError> {
        match command {
            LiveCommand::Play(pace) => {
                self.resume_if_left(session).await?;
                self.require_controller()?.allowance.add_pace(pace);
                Ok(())
            }
            LiveCommand::Pause => {
                self.require_controller()?.allowance.clear();
                let unsent = self.running.values().filter(|running| !running.is_sent);
                unsent.for_each(|running| running.cancel.cancel());
                Ok(())
            }
            LiveCommand::StopCall(step) => self.stop_call(&session.state, &step),
            LiveCommand::Send { step, messages } => {
                self.send_instead(session, &step, messages).await
            }
            LiveCommand::Answer { step, text } => {
                self.answer_or_replace_model(session, step, text).await
            }
            LiveCommand::Reroll { turn, attempts } => {
                self.reroll_turn(session, &turn, attempts).await
            }
            LiveCommand::AskAgain(turn) => self.ask_again(session, &turn).await,
            LiveCommand::Edit { turn, text } => self.edit_turn(session, turn, text).await,
            LiveCommand::Choose(attempt) => self.choose_attempt(session, attempt).await,
            LiveCommand::Judge(attempt) => self.judge_attempt(session, &attempt).await,
            LiveCommand::GiveVerdict { judging, target } => {
                self.give_verdict(session, &judging, &target).await
            }
            LiveCommand::DoStep(step) => self.do_step(session, &step).await,
            LiveCommand::Retry => self.retry_failures(session).await,
            LiveCommand::Raise { ceiling_usd } => self.raise_ceiling(ceiling_usd),
        }
    }

    pub(crate) fn require_controller(&mut self) -> Result<&mut Controller, CommandError> {
        match &mut self.controller {
            Some(controller) => Ok(controller),
            None => refuse("this session is not open for control"),
        }
    }

    pub(crate) fn person_author(&self) -> Author {
        Author::Person(self.table.people.name())
    }

    /// Resumes a session that an earlier process left with calls in flight or failures. Runs at the first
    /// command only, so that opening a session changes nothing.
    pub(super) async fn resume_if_left(
        &mut self,
        session: &mut Session,
    ) -> Result<(), CommandError> {
        if std::mem::replace(&mut self.require_controller()?.resume_checked, true) {
            return Ok(());
        }
        let state = &session.state;
        let left = state.calls_without_outcome().next().is_some() || !state.failures().is_empty();
        if left && self.running.is_empty() && state.find_open_steps().done.is_none() {
            self.resume_session(session).await?;
        }
        Ok(())
    }

    pub(crate) async fn resume_session(
        &mut self,
        session: &mut Session,
    ) -> Result<(), WorkspaceError> {
        let events = vec![(Author::Engine, Event::Resumed {})];
        self.record_events(session, events).await
    }

    pub(crate) fn stop_call(&mut self, state: &State, id: &StepId) -> Result<(), CommandError> {
        let opening = state.find_open_steps();
        let step = opening.steps.iter().find(|step| &step.id() == id);
        let running = self.running.get(id).map(|running| running.cancel.clone());
        let controller = self.require_controller()?;
        match running {
            Some(cancel) => {
                controller.allowance.stop_step(id, step);
                cancel.cancel();
                Ok(())
            }
            None if controller.questions.contains_key(id) => {
                controller.allowance.stop_step(id, step);
                controller.withdraw_questions(|asked, _| asked == id);
                Ok(())
            }
            None => refuse("it is not in flight: there is nothing to stop"),
        }
    }

    async fn send_instead(
        &mut self,
        session: &mut Session,
        id: &StepId,
        messages: Vec<ViewMessage>,
    ) -> Result<(), CommandError> {
        if messages.is_empty() {
            return refuse("there are no messages; give one at least");
        }
        let parts = messages.iter().flat_map(|message| &message.parts);
        let bytes: usize = parts
            .filter_map(|part| part.text.as_ref())
            .map(String::len)
            .sum();
        if bytes > MAX_SENT_BYTES {
            return refuse(format!(
                "the messages have {bytes} bytes, and {MAX_SENT_BYTES} is the most; shorten them"
            ));
        }
        self.resume_if_left(session).await?;
        let step = self.find_callable_step(&session.state, id)?;
        let seats = self.table.seats;
        let call = call::prepare_call(&session.state, &session.game, seats, &step, Some(messages))?;
        let Some(call) = call else {
            return refuse("no model sits there");
        };
        self.enqueue_or_refuse(&session.state, call)
    }

    /// Returns the open step of a model that may be called now.
    fn find_callable_step(&mut self, state: &State, id: &StepId) -> Result<Step, CommandError> {
        if self.running.contains_key(id) {
            return refuse("it is in flight; stop it first, or wait for it");
        }
        let opening = state.find_open_steps();
        if opening.blocked.contains(id) {
            return refuse("it failed; retry, then send it");
        }
        let Some(step) = opening.steps.into_iter().find(|step| &step.id() == id) else {
            return refuse("this step is not open; look at the steps that are");
        };
        match step.performer() {
            Performer::Model => {}
            Performer::Person => {
                return refuse("a person sits there; answer it instead");
            }
            Performer::Engine => {
                return refuse("no model is asked here; play on instead");
            }
        }
        if self.require_controller()?.is_held_by_rerolls(state, &step) {
            return refuse("it waits for fresh attempts of what it is shown; wait, or stop them");
        }
        Ok(step)
    }

    pub(super) fn enqueue_or_refuse(
        &mut self,
        state: &State,
        call: call::Call,
    ) -> Result<(), CommandError> {
        if self.paused {
            return refuse("the ceiling allows no more calls; raise it first");
        }
        match self.enqueue_call(state, call) {
            None => Ok(()),
            Some((_, limit, committed)) => refuse(format!(
                "with this call the debate might pass its own ceiling ({committed} of {limit}); \
                 fork it with a higher one"
            )),
        }
    }

    fn raise_ceiling(&mut self, ceiling_usd: f64) -> Result<(), CommandError> {
        match self.table.budget.raise_ceiling(ceiling_usd) {
            Ok(()) => {
                self.paused = false;
                Ok(())
            }
            Err(lower) => refuse(lower.to_string()),
        }
    }

    pub(crate) async fn retry_failures(
        &mut self,
        session: &mut Session,
    ) -> Result<(), CommandError> {
        if session.state.failures().is_empty() {
            return refuse("nothing failed; play on instead");
        }
        let steps = failed_steps(&session.state);
        let controller = self.require_controller()?;
        controller.resume_checked = true;
        for step in &steps {
            controller.allowance.add_step(step);
        }
        // A call in flight must not be recorded as one with an unknown outcome.
        controller.retries = true;
        self.retry_when_quiet(session).await?;
        Ok(())
    }
}

pub(super) fn check_text(text: &str) -> Result<(), CommandError> {
    if text.trim().is_empty() {
        return refuse("there is no text; write some");
    }
    if text.len() > MAX_TEXT_BYTES {
        return refuse(format!(
            "the text has {} bytes, and {MAX_TEXT_BYTES} is the most; shorten it",
            text.len()
        ));
    }
    Ok(())
}
