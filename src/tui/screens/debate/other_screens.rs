//! The screens that this one leads to.

use crate::debate::step::{Step, Target};
use crate::debate::{AttemptId, JudgingId, SessionId, State, TurnId};
use crate::driver::desk::{Margins, Spot};
use crate::driver::memory_desk::{EntryId, GuardId};
use crate::driver::prompt_desk::{AskedFor, asked_by};
use crate::tui::app::{Effect, PromptAt, Work};
use crate::tui::screens::annotate::Annotate;
use crate::tui::screens::attempts::Attempts;
use crate::tui::screens::compare::{Compare, Side};
use crate::tui::screens::hold::Hold;
use crate::tui::screens::inspect::Inspector;
use crate::tui::screens::memory::{Memory, Which};
use crate::tui::screens::prompt::{Begin, PromptEditor};
use crate::tui::screens::prompts::Prompts;
use crate::tui::screens::tree::Forks;

/// The memory that the debate reads or writes, at the first entry that it was shown.
pub(super) fn memory(state: &State) -> Vec<Effect> {
    let used = state.created().map(|created| &created.memory);
    let namespace = used.map(|used| used.namespace.clone());
    let shown = state.retrieved().and_then(|given| given.entries.first());
    let own = state.feedback().map(|lesson| lesson.entry.clone());
    let entry = shown.map(|entry| entry.id.clone()).or(own);
    let near = state.guards().and_then(|near| near.candidates.first());
    // What refused it is what whoever looks at a refused debate asks about.
    let fired = state
        .guarded()
        .keys()
        .find_map(|chair| state.guardrail_of(chair));
    let guard = |id: &str| Which::Guardrail(GuardId(id.to_owned()));
    let at = fired
        .map(guard)
        .or(entry.map(|entry| Which::Entry(EntryId(entry))))
        .or(near.map(|near| guard(&near.id)));
    Memory::show(namespace.filter(|name| !name.is_empty()), at)
}

/// The prompt that a turn was asked by, shown on this turn.
pub(super) fn prompt(id: &SessionId, state: &State, turn: TurnId, example: bool) -> Vec<Effect> {
    let Some((name, asked)) = asked_by(state, AskedFor::Turn(turn)) else {
        return Vec::new();
    };
    let at = PromptAt {
        session: id.clone(),
        asked,
    };
    PromptEditor::show(name, (!example).then_some(at), Begin::Reading)
}

/// The prompts of the game.
pub(super) fn prompts(state: &State) -> Vec<Effect> {
    let protocol = state.protocol().map(|protocol| protocol.id.to_string());
    Prompts::show(protocol.as_deref())
}

/// Labels something by the set that most things are labelled by; others are a key away.
pub(super) fn label(on: Spot) -> Vec<Effect> {
    Annotate::show(Some(Work::One {
        on,
        set: "safety".to_owned(),
    }))
}

pub(super) fn tree(id: &SessionId, margins: &Margins) -> Vec<Effect> {
    let (forks, mut effects) = Forks::of(id, margins);
    effects.insert(0, Effect::Show(Box::new(forks)));
    effects
}

pub(super) fn attempt_view(id: &SessionId, state: &State, attempt: &AttemptId) -> Vec<Effect> {
    Inspector::show_attempt(id, state, attempt)
}

pub(super) fn verdict_view(
    id: &SessionId,
    state: &State,
    judging: &JudgingId,
    target: &Target,
) -> Vec<Effect> {
    let inspector = Inspector::of_verdict(id, state, judging, target, None);
    vec![Effect::Show(Box::new(inspector))]
}

pub(super) fn step_view(id: &SessionId, state: &State, step: Step, hold: Hold) -> Vec<Effect> {
    let (inspector, mut effects) = Inspector::of_step(id, state, step, hold);
    effects.insert(0, Effect::Show(Box::new(inspector)));
    effects
}

pub(super) fn attempts(id: &SessionId, state: &State, turn: TurnId, hold: Hold) -> Vec<Effect> {
    let attempts = Attempts::of(id, state.clone(), turn, hold);
    vec![Effect::Show(Box::new(attempts))]
}

pub(super) fn compare(left: &SessionId, right: &SessionId, state: &State) -> Vec<Effect> {
    let right = Side::read(right, state.clone(), None);
    let (compare, mut effects) = Compare::of(Side::wanted(left), right);
    effects.insert(0, Effect::Show(Box::new(compare)));
    effects
}
