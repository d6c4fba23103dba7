//! Repeated texts: the first turn of each text, found by hash, so that no turn is compared with all
//! others. Pure.

use elenchus_game::debate::{State, TurnId};
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

/// The earliest turn of each text.
#[derive(Debug, Default)]
pub struct RepeatedTexts {
    first: HashMap<u64, TurnId>,
}

impl RepeatedTexts {
    /// Reads all turns.
    pub fn from_state(state: &State) -> Self {
        let mut repeated_texts = Self::default();
        for turn in state.turns().keys() {
            repeated_texts.add_turn(state, turn);
        }
        repeated_texts
    }

    /// Takes a turn that was spoken.
    pub fn add_turn(&mut self, state: &State, turn: &TurnId) {
        let Some(text) = chosen_text(state, turn) else {
            return;
        };
        let first = self.first.entry(hash(text)).or_insert_with(|| turn.clone());
        if *turn < *first {
            first.clone_from(turn);
        }
    }

    /// Returns the earliest turn, by round and then by address, that said exactly what this turn says.
    pub fn find_first_turn(&self, state: &State, turn: &TurnId) -> Option<TurnId> {
        let text = chosen_text(state, turn)?;
        let first = self.first.get(&hash(text))?;
        let is_same = first != turn && chosen_text(state, first) == Some(text);
        is_same.then(|| first.clone())
    }
}

fn chosen_text<'a>(state: &'a State, turn: &TurnId) -> Option<&'a str> {
    let attempt = state.turns().get(turn)?.chosen_attempt()?;
    if attempt.guardrail.is_some() {
        // Turns that a guardrail refused are all alike and repeat nothing.
        return None;
    }
    Some(attempt.reply.text.trim())
}

fn hash(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}
