//! Repeated texts: the first turn of each text, found by hash, so that no turn is compared with all
//! others. Pure.

use elenchus_game::debate::{State, TurnId};
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

/// The earliest turn of each text.
#[derive(Debug, Default)]
pub struct Echoes {
    first: HashMap<u64, TurnId>,
}

impl Echoes {
    /// Reads all turns.
    pub fn of(state: &State) -> Self {
        let mut echoes = Self::default();
        for turn in state.turns().keys() {
            echoes.take(state, turn);
        }
        echoes
    }

    /// Takes a turn that was spoken.
    pub fn take(&mut self, state: &State, turn: &TurnId) {
        let Some(text) = said(state, turn) else {
            return;
        };
        let first = self.first.entry(hash(text)).or_insert_with(|| turn.clone());
        if *turn < *first {
            first.clone_from(turn);
        }
    }

    /// Returns the earliest turn, by round and then by address, that said exactly what this turn says.
    pub fn first_of(&self, state: &State, turn: &TurnId) -> Option<TurnId> {
        let text = said(state, turn)?;
        let first = self.first.get(&hash(text))?;
        let is_same = first != turn && said(state, first) == Some(text);
        is_same.then(|| first.clone())
    }
}

fn said<'a>(state: &'a State, turn: &TurnId) -> Option<&'a str> {
    let attempt = state.turns().get(turn)?.chosen()?;
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
