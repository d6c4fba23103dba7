//! The screens that this one leads to.

use crate::debate::step::{Step, Target};
use crate::debate::{AttemptId, JudgingId, SessionId, State, TurnId};
use crate::tui::app::{Deed, Effect};

pub(super) fn tree(id: &SessionId) -> Vec<Effect> {
    vec![Effect::Do(Deed::Tree(id.clone()))]
}

pub(super) fn attempt_view(_id: &SessionId, _state: &State, _attempt: AttemptId) -> Vec<Effect> {
    Vec::new()
}

pub(super) fn verdict_view(
    _id: &SessionId,
    _state: &State,
    _judging: JudgingId,
    _target: Target,
) -> Vec<Effect> {
    Vec::new()
}

pub(super) fn step_view(id: &SessionId, _state: &State, step: Step) -> Vec<Effect> {
    vec![Effect::Do(Deed::Preview(id.clone(), Box::new(step)))]
}

pub(super) fn attempts(_id: &SessionId, _state: &State, _turn: TurnId) -> Vec<Effect> {
    Vec::new()
}

pub(super) fn compare(_left: &SessionId, _right: &SessionId) -> Vec<Effect> {
    Vec::new()
}
