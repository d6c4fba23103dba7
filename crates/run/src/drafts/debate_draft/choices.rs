//! Choices of a debate: what the next one can begin with.

use crate::engine::seats::HUMAN;
use elenchus_game::debate::event::{Created, Participant, Player};
use elenchus_game::debate::{Chair, SeatId, SessionId, Topic};
use elenchus_records::workspace::{StoreContext, Tail, WorkspaceError, example_of};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What a debate is played with, besides its topic.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct DebateChoices {
    /// The game's id.
    pub game: String,
    /// The model of chairs without one of their own; left out, the usual one.
    pub everybody: Option<String>,
    pub chairs: BTreeMap<Chair, String>,
    pub personas: BTreeMap<SeatId, String>,
    /// Settings that differ from the game's own.
    pub settings: BTreeMap<String, String>,
}

impl DebateChoices {
    /// Reads what a session was played with, and its topic; examples are found as well. Blocks.
    ///
    /// # Errors
    /// When there is no such session, or it cannot be read or has not begun.
    pub fn read_from_session(
        store: &StoreContext,
        id: &SessionId,
    ) -> Result<(Self, Topic), WorkspaceError> {
        let state = match example_of(store, id) {
            Some(example) => example.fold_state()?,
            None => {
                let path = store.layout.session_path(id.as_str());
                let path = path?;
                let read = Tail::open_at_end(&path)?;
                read.0
            }
        };
        let created = state
            .first_event()
            .ok_or_else(|| WorkspaceError::invalid("the session has not begun"))?;
        Ok((Self::from_event(created), created.topic.clone()))
    }

    /// Returns what a session was played with, as a draft has it.
    pub fn from_event(created: &Created) -> Self {
        let protocol = &created.protocol;
        let mut choices = DebateChoices {
            game: protocol.id.to_string(),
            ..DebateChoices::default()
        };
        // Who writes guardrails sits on no seat that a draft has.
        let seated = |one: &&Participant| protocol.find_seat(&one.chair.seat).is_some();
        let participants: Vec<&Participant> = created.cast.iter().filter(seated).collect();
        for participant in &participants {
            let chair = participant.chair.clone();
            if let Some(persona) = &participant.persona {
                let personas = &mut choices.personas;
                personas.insert(chair.seat.clone(), persona.clone());
            }
            let name = match &participant.player {
                Player::Model(model) => model.model.clone(),
                Player::Human { name: Some(name) } => format!("{HUMAN}:{name}"),
                Player::Human { name: None } => HUMAN.to_owned(),
                // A script belongs to its session.
                Player::Fixed(_) => continue,
            };
            choices.chairs.insert(chair, name);
        }
        // One name for all chairs is the name of every seat.
        let mut names = choices.chairs.values();
        if let Some(first) = names.next().cloned()
            && names.all(|name| *name == first)
            && choices.chairs.len() == participants.len()
        {
            choices.everybody = Some(first);
            choices.chairs.clear();
        }
        let changes = created.settings.iter().filter(|(name, value)| {
            let spec = protocol.settings.get(*name);
            spec.is_some_and(|spec| spec.default != **value)
        });
        let changes = changes.map(|(name, value)| (name.clone(), value.to_string()));
        choices.settings = changes.collect();
        choices
    }
}
