//! Recorded verdict, lesson, decision about guardrails or derivation of one, with the state in which it was asked for: what a fork
//! that ends before it asks for once more.

use super::call::TriedCall;
use super::change::PromptChange;
use super::context::render_fault;
use super::memory_calls::put_derived_guardrail;
use super::plan::RollForward;
use super::sample::SampleStart;
use crate::engine::cost::estimate_call;
use crate::engine::seats::Seats;
use crate::engine::{Call, build_request, call};
use elenchus_game::debate::view::View;
use elenchus_game::debate::{CostEstimate, SessionId, State, Step};
use elenchus_game::prompt;
use elenchus_records::library::Game;
use elenchus_records::workspace::{
    ForkPoint, Result, StoreContext, WorkspaceError, fold_records, fork_point, read_records, reject,
};
use elenchus_store::Layout;

/// A recorded verdict, lesson, decision or derivation that prompts can be tried on.
#[derive(Debug, Clone)]
pub struct ReopenedContext {
    call: TriedCall,
    /// What a fork keeps: everything before it came.
    point: ForkPoint,
    /// What was known then.
    pub(super) state: State,
    /// The template that asked for it.
    pub(super) template: String,
    /// What models wrote; `None` where they wrote nothing.
    pub(super) recorded_text: Option<String>,
    /// What the first of them was shown, with the text of every part.
    pub(super) shown: Option<View>,
}

impl ReopenedContext {
    /// Reads what is opened again of a session, without its lock. Blocks.
    ///
    /// # Errors
    /// When the session cannot be read, or has no such thing.
    pub(super) fn read(layout: &Layout, session: &SessionId, call: &TriedCall) -> Result<Self> {
        let path = layout.session_path(session.as_str())?;
        let mut records = read_records(&path)?;
        let point = fork_point(&records, &call.to_reopen())?;
        let mut whole = fold_records(&path, records.clone())?;
        put_derived_guardrail(layout, call, &mut whole);
        records.truncate(usize::try_from(point.lines).unwrap_or(usize::MAX));
        Ok(Self {
            call: call.clone(),
            point,
            state: fold_records(&path, records)?,
            template: call.find_template(&whole).unwrap_or_default(),
            recorded_text: call.find_text(&whole),
            shown: call.find_view(&whole),
        })
    }

    /// Returns the calls that a sample makes, with a changed prompt or with the recorded one.
    ///
    /// # Errors
    /// When the text is no template, or fails here; when nobody is to be asked.
    pub(crate) fn build_calls(
        &self,
        seats: &Seats,
        change: Option<&PromptChange>,
    ) -> Result<Vec<Call>> {
        if let Some(change) = change {
            self.check_template(change)?;
        }
        let (game, steps) = self.list_steps(change)?;
        let mut calls = Vec::new();
        for step in steps {
            let call = call::prepare_call(&self.state, &game, seats, &step, None);
            calls.extend(call.map_err(|error| to_change_fault(error, change))?);
        }
        match calls.is_empty() {
            true => Err(self.to_unasked_fault()),
            false => Ok(calls),
        }
    }

    /// Returns what the first model would be shown with a changed prompt.
    ///
    /// # Errors
    /// As [`build_calls`](Self::build_calls).
    pub fn render_view(&self, change: &PromptChange) -> Result<View> {
        self.check_template(change)?;
        let (game, steps) = self.list_steps(Some(change))?;
        let first = steps.first().ok_or_else(|| self.to_unasked_fault())?;
        let request = build_request::build_step_request(&self.state, &game, first);
        let request = request.map_err(|error| to_change_fault(error, Some(change)))?;
        let view = request.map(|request| request.view);
        view.ok_or_else(|| self.to_unasked_fault())
    }

    /// Returns what models are asked, and the game with a changed prompt in it.
    fn list_steps(&self, change: Option<&PromptChange>) -> Result<(Game, Vec<Step>)> {
        let created = self.state.first_event();
        let created = created.ok_or_else(|| WorkspaceError::Invalid("empty session".to_owned()))?;
        let game = match change {
            Some(change) => change.build_game(&self.state).map_err(render_fault)?,
            None => Game::from_created(created)?,
        };
        Ok((game, self.call.list_steps(&self.state)))
    }

    /// Refuses a prompt that does not ask for this: it would change nothing.
    fn check_template(&self, change: &PromptChange) -> Result<()> {
        if self
            .call
            .list_templates(&self.state)
            .contains(&change.template)
        {
            return Ok(());
        }
        if change.template == prompt::REPAIR {
            return reject(format!(
                "'{}' asks once more for a guardrail where the first reply could not be read, and cannot be tried \
                 alone: change it, then derive one from such a lesson with 'elenchus memory derive SESSION'",
                change.template
            ));
        }
        reject(format!(
            "{} is asked for by '{}', and '{}' would change nothing about it: choose what that prompt asks for",
            self.call, self.template, change.template
        ))
    }

    fn to_unasked_fault(&self) -> WorkspaceError {
        WorkspaceError::Invalid(format!(
            "no model can be asked for {}: a person sits there, or it cannot be asked yet",
            self.call
        ))
    }

    /// Returns what a sample costs if nothing of it is served from earlier ones.
    ///
    /// # Errors
    /// As [`build_calls`](Self::build_calls).
    pub fn estimate(&self, seats: &Seats, change: Option<&PromptChange>) -> Result<CostEstimate> {
        let calls = self.build_calls(seats, change)?.into_iter();
        Ok(calls.fold(CostEstimate::zero(), |sum, call| {
            sum.plus(estimate_call(&call.seat.settings, &call.request, None))
        }))
    }

    /// Returns how a sample on it begins.
    pub(crate) fn build_start<'a>(
        &'a self,
        store: &StoreContext,
        session: &'a SessionId,
        change: Option<&'a PromptChange>,
        number: u32,
    ) -> SampleStart<'a> {
        SampleStart {
            from: store.layout.clone(),
            parent: session,
            point: self.point.clone(),
            call: Some(&self.call),
            change,
            roll: RollForward::Turn,
            number,
        }
    }
}

/// Says what is wrong with a changed prompt by the name of its file.
fn to_change_fault(error: WorkspaceError, change: Option<&PromptChange>) -> WorkspaceError {
    match (error, change) {
        (WorkspaceError::Prompt(fault), Some(change)) => render_fault(change.to_fault(&fault)),
        (error, _) => error,
    }
}
