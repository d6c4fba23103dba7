//! Hash of what a verdict of a pass is about.

use crate::workspace::annotations::attempt_hash;
use elenchus_game::debate::{State, Target, TurnId};
use elenchus_store::Hash;

/// Hashes what a verdict is about: an attempt, or all attempts that count of a round or a debate,
/// in the order of the game.
pub fn hash_target(state: &State, target: &Target) -> Hash {
    let hash_turn = |turn: &TurnId| {
        let (id, attempt) = state.chosen_attempt(turn)?;
        Some(attempt_hash(&id, &attempt.reply.text))
    };
    let of_rounds = |rounds: std::ops::RangeInclusive<u32>| {
        let protocol = state.protocol();
        let turns = protocol.map(|game| rounds.flat_map(|round| game.turns_in(round)));
        let mut bytes = Vec::new();
        for turn in turns.into_iter().flatten() {
            if let Some(hash) = hash_turn(&turn) {
                bytes.extend_from_slice(hash.as_bytes());
            }
        }
        Hash::digest(&bytes)
    };
    match target {
        Target::Attempt(id) => {
            let turn = state.turns().get(&id.turn);
            let attempt = turn.and_then(|turn| turn.attempts.get(id.attempt as usize));
            attempt_hash(id, attempt.map_or("", |attempt| &attempt.reply.text))
        }
        Target::Round(round) => of_rounds(*round..=*round),
        Target::Debate => of_rounds(1..=state.last_round()),
    }
}
