//! Other screens that the debate screen opens.

use crate::tui::app::{Effect, show_screen};
use crate::tui::screens::annotate::Annotate;
use crate::tui::screens::memory::Memory;
use crate::tui::screens::prompt_editor::{EditorMode, PromptEditor};
use crate::tui::screens::prompt_list::Prompts;
use crate::tui::screens::session_diff::Compare;
use elenchus_annotation::labelling::LabellingWork;
use elenchus_game::debate::{SessionId, State, TurnId};
use elenchus_records::workspace::EntryId;
use elenchus_records::workspace::annotations::AnnotationTarget;
use elenchus_records::workspace::memory::learner_namespace;
use elenchus_records::workspace::prompts::{AskedFor, PromptAt, asked_by};
use elenchus_view::session_diff::DiffSide;

/// The memory that the debate reads or writes, at the first entry that it was shown.
pub(super) fn show_memory(state: &State) -> Vec<Effect> {
    let used = state.first_event().map(|created| &created.memory);
    let first_entry = state
        .retrievals()
        .find_map(|given| Some((given.learner.as_ref(), given.entries.first()?.id.clone())));
    let own = state
        .lesson()
        .map(|lesson| (lesson.learner.as_ref(), lesson.entry.clone()));
    let (learner, entry) = first_entry.or(own).unzip();
    let namespace = used.map(|used| match learner.flatten() {
        Some(learner) if !used.namespace.is_empty() => learner_namespace(&used.namespace, learner),
        Some(_) | None => used.namespace.clone(),
    });
    let near = state
        .retrieved_guards()
        .and_then(|near| near.candidates.first());
    // A refused debate opens memory at the guardrail that refused it.
    let guardrail = state
        .guard_states()
        .keys()
        .find_map(|chair| state.guardrail_of(chair));
    let at = guardrail.map(str::to_owned).or(entry);
    let at = at.or(near.map(|near| near.id.clone()));
    Memory::show_namespace(namespace.filter(|name| !name.is_empty()), at.map(EntryId))
}

/// The prompt that a turn was asked by, shown on this turn.
pub(super) fn show_prompt(
    id: &SessionId,
    state: &State,
    turn: TurnId,
    example: bool,
) -> Vec<Effect> {
    let Some((name, asked)) = asked_by(state, AskedFor::Turn(turn)) else {
        return Vec::new();
    };
    let at = PromptAt {
        session: id.clone(),
        asked,
    };
    PromptEditor::show_editor(name, (!example).then_some(at), EditorMode::Reading)
}

/// The prompts of the game.
pub(super) fn show_prompts(state: &State) -> Vec<Effect> {
    let protocol = state.protocol().map(|protocol| protocol.id.to_string());
    Prompts::show_prompts(protocol.as_deref())
}

/// Labels something by the set that most things are labelled by; others are a key away.
pub(super) fn label_target(on: AnnotationTarget) -> Vec<Effect> {
    Annotate::show_work(LabellingWork::One {
        on,
        set: "safety".to_owned(),
    })
}

pub(super) fn compare_sessions(left: &SessionId, right: &SessionId, state: &State) -> Vec<Effect> {
    let right = DiffSide::from_state(right, state.clone(), None);
    show_screen(Compare::from_sides(DiffSide::from_id(left), right))
}
