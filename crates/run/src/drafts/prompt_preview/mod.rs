//! Preview of a prompt: a text rendered where the prompt was used, or on sample data.

mod live;
mod page;
mod place;

pub use live::{LivePreview, RenderRequest};
pub use page::PreviewItem;
pub use place::PreviewPlace;

use crate::engine::build_request;
use crate::engine::live::{PreviewRequest, preview_step};
use crate::engine::seats::Seats;
use crate::experiments::prompt_trial::{PromptChange, TurnContext};
use elenchus_game::debate::State;
use elenchus_game::debate::step::Step;
use elenchus_game::debate::view::{View, ViewMessage};
use elenchus_game::prompt::{Engine, expand_view};
use elenchus_records::library::{Game, GameVariant, Library};
use elenchus_records::workspace::prompts::{AskedFor, PromptAt, PromptName, TextFault};
use elenchus_records::workspace::{
    Reopen, Result, WorkspaceError, fold_records, fork_point, read_records, reject,
};
use std::collections::BTreeMap;
use std::path::Path;

/// Where texts of a prompt are looked at: what was known there, and who is asked for what.
#[derive(Debug, Clone)]
pub struct PromptStage {
    pub name: PromptName,
    /// `None` for sample data.
    pub place: Option<PromptAt>,
    /// What was known when it was asked.
    pub state: State,
    step: Step,
    /// What was shown, with the text of every part.
    pub recorded: Option<View>,
}

/// What a text shows.
#[derive(Debug, Clone, PartialEq)]
pub struct PromptPreview {
    /// The exact messages; every part has its text and where it comes from.
    pub messages: Vec<ViewMessage>,
    /// The request to the model besides them; `None` for sample data, for a person, and where the
    /// session's model is not configured any more.
    pub request: Option<PreviewRequest>,
}

impl PromptStage {
    /// Reads a place, without the session's lock. Blocks.
    ///
    /// # Errors
    /// When the session cannot be read, or has no such place.
    pub fn read(path: &Path, name: &PromptName, at: PromptAt) -> Result<Self> {
        let purpose = &at.asked;
        let (state, step, recorded) = match purpose {
            AskedFor::Turn(turn) => {
                let context = TurnContext::read(path, turn)?;
                let step = Step::Speak(context.to_speak_step());
                (context.state, step, context.shown)
            }
            AskedFor::Verdict { judging, target } => {
                let reopen = Reopen::Verdict {
                    judging: judging.clone(),
                    target: target.clone(),
                    slot: None,
                };
                let (before, whole) = read_both_states(path, &reopen)?;
                let slots = whole.verdicts_on(judging, target);
                let verdicts = slots.into_iter().flat_map(BTreeMap::values);
                let shown_view = verdicts.filter_map(|verdict| verdict.view).next();
                let shown_view =
                    shown_view.map(|place| expand_view(&whole, None, whole.view_at(place)));
                let is_its = |step: &Step| {
                    let judge = step.as_verdict().and_then(|verdict| verdict.judge);
                    judge.is_some_and(|judge| judge.judging == *judging && judge.target == *target)
                };
                let step = find_open_step(&before, purpose, is_its)?;
                (before, step, shown_view)
            }
            AskedFor::Lesson(learner) => {
                let (before, whole) = read_both_states(path, &Reopen::Lesson)?;
                let written = whole.lessons().find(|lesson| lesson.learner == *learner);
                let shown_view = written.and_then(|written| written.view.as_ref());
                let shown_view = shown_view.map(|view| expand_view(&whole, None, view.decode()));
                let is_its = |step: &Step| {
                    matches!(step, Step::WriteFeedback(lesson) | Step::AwaitFeedback(lesson)
                        if lesson.learner == *learner)
                };
                let step = find_open_step(&before, purpose, is_its)?;
                (before, step, shown_view)
            }
            AskedFor::GuardDecision(chair) => {
                let reopen = Reopen::GuardDecision(chair.clone());
                let (before, whole) = read_both_states(path, &reopen)?;
                let decided = whole.guard_states().get(chair);
                let decided = decided.and_then(|of| of.decided.as_ref().ok()?.view.as_ref());
                let shown_view = decided.map(|view| expand_view(&whole, None, view.decode()));
                let is_its = |step: &Step| *step == Step::Guard(chair.clone());
                let step = find_open_step(&before, purpose, is_its)?;
                (before, step, shown_view)
            }
            // Memory keeps what was derived, and not what its writer was shown.
            AskedFor::Guardrail(chair) => {
                let (whole, _) = read_both_states(path, &Reopen::Nothing)?;
                (whole, Step::DeriveGuardrail(chair.clone()), None)
            }
        };
        Ok(Self {
            name: name.clone(),
            place: Some(at),
            state,
            step,
            recorded,
        })
    }

    /// Plays a game on sample data up to the last place where a prompt is used.
    ///
    /// # Errors
    /// When another file of the game is wrong, or no seat is asked with the prompt.
    pub fn from_sample_data(library: &Library, name: &PromptName) -> Result<Self> {
        let GameVariant {
            protocol,
            settings,
            mut parts,
            ..
        } = library.read_variant_with(&name.protocol, &name.template)?;
        // Where a prompt is used does not depend on what it says: a broken one can be looked at.
        let any = "=== system\nwords\n=== user\nwords\n".to_owned();
        parts.templates.insert(name.template.clone(), any);
        let game = Game::new(protocol, settings, parts)?;
        let Some((state, step)) = game.sample_context(&name.template) else {
            return reject(format!(
                "no seat is asked with {name} when the game is played on sample data; choose a \
                 recorded turn"
            ));
        };
        Ok(Self {
            name: name.clone(),
            place: None,
            state,
            step,
            recorded: None,
        })
    }

    /// Returns what a text shows there.
    ///
    /// # Errors
    /// When the text cannot be used; with its line where it is known.
    pub fn preview_text(&self, seats: &Seats, text: &str) -> Result<PromptPreview, TextFault> {
        let template = &self.name.template;
        let alone = BTreeMap::from([(template.clone(), text.to_owned())]);
        Engine::new(&alone).map_err(|error| TextFault::from_prompt_error(&error, template))?;
        let change = PromptChange {
            template: template.clone(),
            text: text.to_owned(),
            named: template.clone(),
        };
        let game = change.build_game(&self.state).map_err(|fault| TextFault {
            line: None,
            why: fault.to_string(),
        })?;
        match preview_step(&self.state, &game, seats, &self.step) {
            Ok(preview) => Ok(PromptPreview {
                messages: preview.messages,
                request: preview.request,
            }),
            // The model of that seat need not be configured any more for a preview.
            Err(WorkspaceError::Cast(_) | WorkspaceError::Call(_)) => {
                let step_request =
                    build_request::build_step_request(&self.state, &game, &self.step);
                let step_request =
                    step_request.map_err(|error| TextFault::from_driver_error(&error, template))?;
                Ok(PromptPreview {
                    messages: step_request.map_or_else(Vec::new, |asked| asked.view.messages),
                    request: None,
                })
            }
            Err(error) => Err(TextFault::from_driver_error(&error, template)),
        }
    }
}

/// Returns a session as it was before something was asked for, and as it is.
fn read_both_states(path: &Path, reopen: &Reopen) -> Result<(State, State)> {
    let mut records = read_records(path)?;
    let point = fork_point(&records, reopen)?;
    let whole = fold_records(path, records.clone())?;
    records.truncate(usize::try_from(point.lines).unwrap_or(usize::MAX));
    Ok((fold_records(path, records)?, whole))
}

fn find_open_step(state: &State, asked: &AskedFor, is_its: impl Fn(&Step) -> bool) -> Result<Step> {
    let steps = state.find_open_steps().steps;
    steps.into_iter().find(is_its).ok_or_else(|| {
        WorkspaceError::Invalid(format!(
            "{asked} cannot be opened again in this session; choose another place"
        ))
    })
}
