//! The screens that this one leads to.

use crate::debate::step::{Step, Target};
use crate::debate::{AttemptId, JudgingId, SessionId, State, TurnId};
use crate::driver::desk::Margins;
use crate::tui::app::Effect;
use crate::tui::screens::attempts::Attempts;
use crate::tui::screens::compare::{Compare, Side};
use crate::tui::screens::hold::Hold;
use crate::tui::screens::inspect::Inspector;
use crate::tui::screens::tree::Forks;

pub(super) fn tree(id: &SessionId, margins: &Margins) -> Vec<Effect> {
    let (forks, mut effects) = Forks::of(id, margins);
    effects.insert(0, Effect::Show(Box::new(forks)));
    effects
}

pub(super) fn attempt_view(id: &SessionId, state: &State, attempt: &AttemptId) -> Vec<Effect> {
    let inspector = Inspector::of_attempt(id, state, attempt);
    vec![Effect::Show(Box::new(inspector))]
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
