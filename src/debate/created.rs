//! Who sits where, read off a session's first event.

use super::event::{Created, Player};
use super::ids::Chair;

impl Created {
    /// Returns who sits on a chair.
    pub fn player(&self, chair: &Chair) -> Option<&Player> {
        self.cast
            .iter()
            .find(|participant| &participant.chair == chair)
            .map(|participant| &participant.player)
    }

    /// Returns the persona of a chair: the cast's, else the seat's.
    pub fn persona(&self, chair: &Chair) -> Option<&str> {
        self.cast
            .iter()
            .find(|participant| &participant.chair == chair)
            .and_then(|participant| participant.persona.as_deref())
            .or_else(|| self.protocol.seat(&chair.seat)?.persona.as_deref())
    }

    /// Says whether any model of the cast is simulated.
    pub fn is_simulated(&self) -> bool {
        self.cast
            .iter()
            .any(|participant| match &participant.player {
                Player::Model(model) => model.simulated,
                Player::Human { .. } => false,
            })
    }
}
