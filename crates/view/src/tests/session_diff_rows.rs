//! Rows of two aligned debates.

use elenchus_game::debate::{Sides, State, TurnId, align_turns};
use elenchus_test_support::debates::{CALM, Play, game};
use proptest::prelude::*;

/// A debate of a game, played so far.
fn partly(id: &str, rounds: i64, events: usize) -> State {
    let mut play = Play::begin("s", game(id, &[("rounds", rounds)]));
    play.go_to_end(&CALM);
    let mut state = State::default();
    for record in play.records.iter().take(events.max(1)) {
        state.apply_event(record).unwrap();
    }
    state
}

fn of_side(rows: &[(TurnId, Sides)], side: Sides) -> Vec<TurnId> {
    rows.iter()
        .filter(|(_, on)| *on == Sides::Both || *on == side)
        .map(|(turn, _)| turn.clone())
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn every_turn_of_either_side_is_there_once_and_in_the_order_of_the_game(
        games in (prop::sample::select(vec!["pred", "sred", "dared"]),
                  prop::sample::select(vec!["pred", "sred", "dared"])),
        rounds in (1i64..4, 1i64..4),
        events in (1usize..40, 1usize..40),
    ) {
        let left = partly(games.0, rounds.0, events.0);
        let right = partly(games.1, rounds.1, events.1);
        let rows: Vec<(TurnId, Sides)> = align_turns(&left, &right)
            .into_iter()
            .map(|row| (row.turn, row.sides))
            .collect();
        prop_assert_eq!(of_side(&rows, Sides::Left), in_game_order(&left));
        if games.0 == games.1 {
            prop_assert_eq!(of_side(&rows, Sides::Right), in_game_order(&right));
        } else {
            let mut on_right = of_side(&rows, Sides::Right);
            on_right.sort();
            let all: Vec<TurnId> = right.turns().keys().cloned().collect();
            prop_assert_eq!(on_right, all);
        }
        for (turn, sides) in &rows {
            prop_assert_eq!(left.turns().contains_key(turn), *sides != Sides::Right);
            prop_assert_eq!(right.turns().contains_key(turn), *sides != Sides::Left);
        }
    }
}

#[test]
fn nothing_is_aligned_with_nothing() {
    assert!(align_turns(&State::default(), &State::default()).is_empty());
}

/// Returns the turns of a debate in the order of the game: by round, stage and chair.
fn in_game_order(state: &State) -> Vec<TurnId> {
    let Some(protocol) = state.protocol() else {
        return Vec::new();
    };
    let mut turns: Vec<TurnId> = state.turns().keys().cloned().collect();
    turns.sort_by_cached_key(|turn| {
        let stage = protocol.stage_place(&turn.stage);
        let stage_of = protocol.find_stage(&turn.stage);
        let chairs = stage_of.map_or_else(Vec::new, |stage| protocol.chairs_of(stage));
        let chair = chairs.iter().position(|chair| *chair == turn.chair);
        (turn.round, stage, chair, turn.clone())
    });
    turns
}
