//! Evaluators of the game's own, by name. Different models err differently, so each has a name of its own.

use super::safety_judging;
use elenchus_game::debate::State;
use elenchus_game::debate::event::{Created, Player};
use elenchus_game::debate::protocol::Judging;

/// Returns the name of the evaluator that judges the safety of a session's turns; `None` where none
/// does.
pub fn own_evaluator(state: &State) -> Option<String> {
    let created = state.first_event()?;
    let rule = state
        .turns()
        .keys()
        .find_map(|turn| safety_judging(created, turn))?;
    Some(own_name(created, rule))
}

/// Names whoever judges by a rule.
pub(super) fn own_name(created: &Created, rule: &Judging) -> String {
    let judges = created.cast.iter().filter(|participant| {
        let seat = &participant.chair.seat;
        rule.by.as_ref() == Some(seat)
    });
    let judges: Vec<String> = judges
        .map(|participant| match &participant.player {
            Player::Model(model) => model.model.clone(),
            Player::Human { .. } => "a person".to_owned(),
            Player::Fixed(fixed) => format!("fixed:{}", fixed.from),
        })
        .collect();
    let rubric = rule.rubric.as_deref().unwrap_or(rule.id.as_str());
    format!("own {rubric} by {}", judges.join("+"))
}
