//! Wrong and unsafe turns of the debate screen: of this debate, or of the list that it was opened from.

use super::Debate;
use super::actions::debate_key;
use crate::tui::app::{Effect, SessionPosition, TurnWalk, say_notice};
use crate::tui::keys::Action;
use elenchus_view::Way;
use elenchus_view::debate_text::find_unsafe_beside;

impl Debate {
    /// Takes a list of turns, and goes to the one that is open, as soon as the session is read.
    pub(super) fn take_walk(&mut self, walk: TurnWalk) -> Vec<Effect> {
        let turn = walk.address().turn.clone();
        match self.order.contains(&turn) {
            true => self.go_to_turn(turn),
            false => {
                self.target = Some(SessionPosition {
                    turn: Some(turn),
                    pane: None,
                });
            }
        }
        let key = debate_key(Action::NextWrong);
        let said = format!("{}; {key} goes to the next", walk.describe());
        self.walk = Some(walk);
        say_notice(said)
    }

    /// Goes to the next wrong turn or to the one before: along the list that the debate was opened from, which may
    /// lead to another debate; without a list to what was found unsafe here.
    pub(super) fn go_to_wrong_turn(&mut self, way: Way) -> Vec<Effect> {
        let Some(walk) = &self.walk else {
            return self.go_to_unsafe_turn(way);
        };
        match walk.step(way) {
            Some(next) if next.address().session == self.id => self.take_walk(next),
            Some(next) => vec![Effect::WalkOn(next)],
            None => say_notice(walk.describe_end(way)),
        }
    }

    fn go_to_unsafe_turn(&mut self, way: Way) -> Vec<Effect> {
        let turn = find_unsafe_beside(&self.order, &self.glances, self.cursor.as_ref(), way);
        match (turn.cloned(), way) {
            (Some(turn), _) => {
                self.go_to_turn(turn);
                Vec::new()
            }
            (None, Way::Forth) => say_notice("no further turn here was found unsafe"),
            (None, Way::Back) => say_notice("no turn before this one was found unsafe"),
        }
    }
}
