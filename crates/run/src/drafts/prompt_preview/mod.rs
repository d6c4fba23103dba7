//! Preview of a prompt: a text rendered where the prompt was used, or on sample data.

mod live;
mod page;
mod place;

pub use live::{LivePreview, RenderRequest};
pub use page::PreviewItem;
pub use place::PreviewPlace;

use crate::engine::build_request;
use crate::engine::live::{PreviewRequest, preview};
use crate::engine::seats::Seats;
use crate::experiments::prompt_trial::{PromptChange, TurnContext};
use elenchus_game::debate::step::Step;
use elenchus_game::debate::view::{View, ViewMessage};
use elenchus_game::debate::{Speak, State};
use elenchus_game::prompt::{Engine, expand};
use elenchus_records::library::{Game, Library};
use elenchus_records::workspace::prompts::{AskedFor, PromptAt, PromptName, TextFault};
use elenchus_records::workspace::{
    Reopen, Result, WorkspaceError, folded, fork_point, invalid, read_records,
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
        let asked = &at.asked;
        let (state, step, recorded) = match asked {
            AskedFor::Turn(turn) => {
                let context = TurnContext::read(path, turn)?;
                let step = Step::Speak(Speak {
                    turn: turn.clone(),
                    attempt: 0,
                    retry: None,
                });
                (context.state, step, context.shown)
            }
            AskedFor::Verdict { judging, target } => {
                let reopen = Reopen::Verdict {
                    judging: judging.clone(),
                    target: target.clone(),
                    slot: None,
                };
                let (before, whole) = reopened(path, &reopen)?;
                let slots = whole.verdicts_on(judging, target);
                let verdicts = slots.into_iter().flat_map(BTreeMap::values);
                let shown = verdicts.filter_map(|verdict| verdict.view).next();
                let shown = shown.map(|place| expand(&whole, None, whole.view(place)));
                let is_its = |step: &Step| {
                    let judge = step.verdict().and_then(|verdict| verdict.judge);
                    judge.is_some_and(|judge| judge.judging == *judging && judge.target == *target)
                };
                let step = open_step(&before, asked, is_its)?;
                (before, step, shown)
            }
            AskedFor::Lesson => {
                let (before, whole) = reopened(path, &Reopen::Lesson)?;
                let shown = whole.feedback().and_then(|written| written.view.as_ref());
                let shown = shown.map(|view| expand(&whole, None, view.read()));
                let is_its =
                    |step: &Step| matches!(step, Step::WriteFeedback(_) | Step::AwaitFeedback(_));
                let step = open_step(&before, asked, is_its)?;
                (before, step, shown)
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
    pub fn sample(library: &Library, name: &PromptName) -> Result<Self> {
        let (protocol, settings, mut parts) = library.unchecked_parts(&name.protocol)?;
        // Where a prompt is used does not depend on what it says: a broken one can be looked at.
        let any = "=== system\nwords\n=== user\nwords\n".to_owned();
        parts.templates.insert(name.template.clone(), any);
        let game = Game::new(protocol, settings, parts)?;
        let Some((state, step)) = game.sample_context(&name.template) else {
            return invalid(format!(
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
    pub fn show(&self, seats: &Seats, text: &str) -> Result<PromptPreview, TextFault> {
        let template = &self.name.template;
        let alone = BTreeMap::from([(template.clone(), text.to_owned())]);
        Engine::new(&alone).map_err(|error| TextFault::from_prompt_error(&error, template))?;
        let change = PromptChange {
            template: template.clone(),
            text: text.to_owned(),
            named: template.clone(),
        };
        let game = change.game(&self.state).map_err(|fault| TextFault {
            line: None,
            why: fault.to_string(),
        })?;
        match preview(&self.state, &game, seats, &self.step) {
            Ok(preview) => Ok(PromptPreview {
                messages: preview.messages,
                request: preview.request,
            }),
            // The model of that seat need not be configured any more for a preview.
            Err(WorkspaceError::Cast(_) | WorkspaceError::Call(_)) => {
                let asked = build_request::asked(&self.state, &game, &self.step);
                let asked =
                    asked.map_err(|error| TextFault::from_driver_error(&error, template))?;
                Ok(PromptPreview {
                    messages: asked.map_or_else(Vec::new, |asked| asked.view.messages),
                    request: None,
                })
            }
            Err(error) => Err(TextFault::from_driver_error(&error, template)),
        }
    }
}

/// Returns a session as it was before something was asked for, and as it is.
fn reopened(path: &Path, reopen: &Reopen) -> Result<(State, State)> {
    let mut records = read_records(path)?;
    let point = fork_point(&records, reopen)?;
    let whole = folded(path, records.clone())?;
    records.truncate(usize::try_from(point.lines).unwrap_or(usize::MAX));
    Ok((folded(path, records)?, whole))
}

fn open_step(state: &State, asked: &AskedFor, is_its: impl Fn(&Step) -> bool) -> Result<Step> {
    let steps = state.open().steps;
    steps.into_iter().find(is_its).ok_or_else(|| {
        WorkspaceError::Invalid(format!(
            "{asked} cannot be opened again in this session; choose another place"
        ))
    })
}
