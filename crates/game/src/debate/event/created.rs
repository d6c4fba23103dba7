//! Participants of a session, read from its first event.

use super::{Created, Player};
use crate::debate::ids::Chair;
use crate::debate::protocol::Stance;
use crate::debate::seeded_random::shuffle;
use crate::debate::state::refusal::EventRefusal;

impl Created {
    /// Returns the participant on a chair.
    pub fn player_of(&self, chair: &Chair) -> Option<&Player> {
        self.cast
            .iter()
            .find(|participant| &participant.chair == chair)
            .map(|participant| &participant.player)
    }

    /// Returns the persona of a chair: the cast's, else the seat's.
    pub fn persona_of(&self, chair: &Chair) -> Option<&str> {
        self.cast
            .iter()
            .find(|participant| &participant.chair == chair)
            .and_then(|participant| participant.persona.as_deref())
            .or_else(|| self.protocol.find_seat(&chair.seat)?.persona.as_deref())
    }

    /// Returns the settings that are not as the protocol has them, each as `NAME=VALUE`.
    pub fn changed_settings(&self) -> Vec<String> {
        let changes = self.settings.iter().filter(|(name, value)| {
            let spec = self.protocol.settings.get(*name);
            spec.is_none_or(|spec| &spec.default != *value)
        });
        changes
            .map(|(name, value)| format!("{name}={value}"))
            .collect()
    }

    /// Returns whether lessons are written from the rewards of another debate.
    pub fn is_placebo(&self) -> bool {
        let learning = self.memory.learning.as_ref();
        learning.is_some_and(|learning| learning.placebo.is_some())
    }

    /// Returns whether any model of the cast is simulated.
    pub fn is_simulated(&self) -> bool {
        self.cast.iter().any(|one| one.player.is_simulated())
    }

    /// Returns whether a person plays a chair.
    pub fn is_played_by_person(&self, chair: &Chair) -> bool {
        self.player_of(chair).is_some_and(|player| match player {
            Player::Human { .. } => true,
            Player::Model(_) | Player::Fixed(_) => false,
        })
    }

    /// Returns the topic option that a chair argues for, where the chair does not choose it.
    pub fn stance_of(&self, chair: &Chair) -> Option<usize> {
        let stances = self.assign_stances().ok()?;
        let assignment = stances.into_iter().find(|(of, _)| of == chair);
        assignment.map(|(_, option)| option)
    }

    /// Returns every chair with an assigned position, and its option of the topic.
    ///
    /// Shuffled positions are the first options of the topic, as many as there are chairs, in an
    /// order drawn by the session's seed, so the side of the correct answer is random.
    ///
    /// # Errors
    /// When the topic has fewer options than there are chairs with assigned positions.
    pub(crate) fn assign_stances(&self) -> Result<Vec<(Chair, usize)>, EventRefusal> {
        let mut chairs = Vec::new();
        let mut needs_shuffle = false;
        for seat in &self.protocol.seats {
            match seat.stance {
                Stance::Chosen => continue,
                Stance::InOrder => {}
                Stance::Shuffled => needs_shuffle = true,
            }
            chairs.extend((0..seat.count).map(|index| Chair {
                seat: seat.id.clone(),
                index,
            }));
        }
        if self.topic.options.len() < chairs.len() {
            return Err(EventRefusal::TooFewOptions {
                topic: self.topic.id.clone(),
                options: self.topic.options.len(),
                chairs: chairs.len(),
            });
        }
        let mut options: Vec<usize> = (0..chairs.len()).collect();
        if needs_shuffle {
            shuffle(&mut options, self.seed, &["stances", &self.topic.id]);
        }
        Ok(chairs.into_iter().zip(options).collect())
    }
}
