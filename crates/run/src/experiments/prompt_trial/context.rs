//! Recorded turn, with the state in which it was asked for.

use super::call::TriedCall;
use super::change::{PromptChange, PromptFault};
use super::plan::RollForward;
use super::sample::SampleStart;
use elenchus_game::debate::view::View;
use elenchus_game::debate::{Attempt, AttemptId, SessionId, Speak, State, TurnId};
use elenchus_game::prompt::{self, expand_view};
use elenchus_records::library::template_selection::speaker_templates;
use elenchus_records::workspace::{
    ForkPoint, Reopen, Result, StoreContext, WorkspaceError, fold_records, fork_point,
    read_records, reject,
};
use std::path::Path;

/// A recorded turn that a prompt can be tried on.
#[derive(Debug, Clone)]
pub struct TurnContext {
    pub turn: TurnId,
    /// The turn as what is asked for again.
    call: TriedCall,
    /// What a fork keeps: everything before something saw the turn, and verdicts on it that came later.
    point: ForkPoint,
    /// What was known then, the turn itself with its attempts included.
    pub state: State,
    /// What its seat was shown, with the text of every part; `None` where a person spoke.
    pub shown: Option<View>,
    /// The template of its stage and seat.
    pub template: String,
}

impl TurnContext {
    /// Reads a turn of a session, without its lock. Blocks.
    ///
    /// # Errors
    /// When the session cannot be read, or has no such turn.
    pub fn read(path: &Path, turn: &TurnId) -> Result<Self> {
        let mut records = read_records(path)?;
        let point = fork_point(&records, &Reopen::Turn(turn.clone()))?;
        let line_count = usize::try_from(point.lines).unwrap_or(usize::MAX);
        records.truncate(line_count);
        let state = fold_records(path, records)?;
        let Some((id, attempt)) = state.chosen_attempt(turn) else {
            return reject(format!(
                "{turn} was left out by a provider's filter: there is nothing to compare with; \
                 choose a turn that was spoken"
            ));
        };
        let Some(protocol) = state.protocol() else {
            return Err(WorkspaceError::empty_journal(path));
        };
        let Some(stage) = protocol.find_stage(&turn.stage) else {
            return reject(format!("the protocol has no {turn}"));
        };
        let template = protocol.template_name(stage, &turn.chair.seat).to_owned();
        let shown_view = attempt.view.map(|place| state.view_at(place));
        let shown_view = shown_view.map(|view| expand_view(&state, Some(&id.turn), view));
        Ok(Self {
            call: TriedCall::Turn(turn.clone()),
            turn: turn.clone(),
            point,
            shown: shown_view,
            template,
            state,
        })
    }

    /// Returns the attempt that counted.
    pub fn original_attempt(&self) -> Option<(AttemptId, &Attempt)> {
        self.state.chosen_attempt(&self.turn)
    }

    /// Says who would be asked: the name of a model; `None` where no model sits.
    pub fn model_name(&self) -> Option<&str> {
        let player = self.state.first_event()?.player_of(&self.turn.chair)?;
        Some(&player.as_model()?.model)
    }

    /// Returns what the seat would be shown with a changed prompt.
    ///
    /// # Errors
    /// When the text is no template, or fails in this turn; with the line.
    pub fn render_view(&self, change: &PromptChange) -> Result<View> {
        let game = change.build_game(&self.state).map_err(render_fault)?;
        self.check_retry(change)?;
        let view = prompt::speaker_view(&game.engine, &self.state, &self.to_speak_step());
        view.map_err(|error| render_fault(change.to_fault(&error)))
    }

    /// Returns how a sample on this turn of a session begins; without a change with the prompts that it
    /// was recorded with.
    pub(crate) fn build_start<'a>(
        &'a self,
        store: &StoreContext,
        session: &'a SessionId,
        (change, roll): (Option<&'a PromptChange>, RollForward),
        number: u32,
    ) -> SampleStart<'a> {
        SampleStart {
            from: store.layout.clone(),
            parent: session,
            point: self.point.clone(),
            call: Some(&self.call),
            change,
            roll,
            number,
        }
    }

    /// Refuses a prompt that would send a reply back, where none was: it would change nothing.
    fn check_retry(&self, change: &PromptChange) -> Result<()> {
        let Some(protocol) = self.state.protocol() else {
            return Ok(());
        };
        let rules = protocol.stages.iter().flat_map(|stage| &stage.retry);
        let mut retries = rules.filter_map(|rule| rule.template.as_deref());
        let speak = self.to_speak_step();
        if retries.any(|template| template == change.template)
            && !speaker_templates(protocol, &speak).contains(&&*change.template)
        {
            return reject(format!(
                "'{}' asks for a reply once more, and the reply of {} was not sent back: choose a turn whose reply \
                 was",
                change.template, self.turn
            ));
        }
        Ok(())
    }

    /// Returns the step that asks for the attempt that counted, after the reply that was sent back where one was.
    pub(crate) fn to_speak_step(&self) -> Speak {
        Speak {
            turn: self.turn.clone(),
            attempt: 0,
            retry: (self.original_attempt())
                .and_then(|(_, attempt)| Some(attempt.instead_of?.rule)),
        }
    }
}

/// Returns the error that says what is wrong with a changed prompt.
pub(super) fn render_fault(fault: PromptFault) -> WorkspaceError {
    WorkspaceError::Invalid(fault.to_string())
}

/// Finds a turn by its name: `r2.answer.debater-0`, or as much of it as is unique, as in `r2.debater-0` or `r2.socratic`.
///
/// # Errors
/// When no turn or more than one is meant; names some.
pub fn find_turn(state: &State, text: &str) -> Result<TurnId> {
    let turns = state.turns().keys();
    let hits: Vec<&TurnId> = turns.filter(|turn| is_called(turn, text)).collect();
    match hits.as_slice() {
        [one] => Ok((*one).clone()),
        [] => {
            let turn_names = format_turns(state.turns().keys());
            reject(format!(
                "the session has no turn '{text}'; it has {turn_names}"
            ))
        }
        several => reject(format!(
            "'{text}' means several turns: {}",
            format_turns(several.iter().copied())
        )),
    }
}

/// Says whether a person calls a turn so: by its name, or as much of it as tells the seat or the stage.
pub(super) fn is_called(turn: &TurnId, text: &str) -> bool {
    let (round, stage, chair) = (turn.round, &turn.stage, &turn.chair);
    [
        turn.to_string(),
        format!("r{round}.{chair}"),
        format!("r{round}.{}", chair.seat),
        format!("r{round}.{stage}"),
    ]
    .iter()
    .any(|name| name == text)
}

/// How many turns a message names.
const MAX_LISTED: usize = 12;

fn format_turns<'a>(turns: impl Iterator<Item = &'a TurnId>) -> String {
    let all: Vec<String> = turns.map(ToString::to_string).collect();
    format_first(&all, MAX_LISTED)
}

/// Names so many of all, and how many more there are.
pub(super) fn format_first(all: &[String], limit: usize) -> String {
    match all.get(..limit) {
        Some(first) if all.len() > limit => {
            format!("{} and {} more", first.join(", "), all.len() - limit)
        }
        Some(_) | None => all.join(", "),
    }
}
