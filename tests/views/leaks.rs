//! By default no view holds what its reader must not see.

use super::stage::{EXPECTED, REFERENCE, THINKING, all_games, play, verdict_words, words};
use elenchus::debate::JudgingId;
use elenchus::debate::protocol::Order;
use elenchus::debate::view::Source;

#[test]
fn no_view_holds_a_reference_an_expected_label_or_a_models_own_thinking() {
    for (id, game) in all_games() {
        for shown in play(&game).0 {
            let text = shown.text();
            for secret in [REFERENCE, "<<alias>>", EXPECTED, THINKING, "<<category>>"] {
                assert!(
                    !text.contains(secret),
                    "{id}: {}: {secret}\n{text}",
                    shown.step
                );
            }
        }
    }
}

#[test]
fn by_default_no_speaker_and_no_judge_is_shown_a_verdict_on_a_turn() {
    for (id, game) in all_games() {
        for shown in play(&game).0 {
            if shown.step == "feedback" {
                continue;
            }
            let parts = shown
                .view
                .messages
                .iter()
                .flat_map(|message| &message.parts);
            for part in parts {
                let is_verdict = matches!(part.from, Source::Verdict { .. });
                assert!(!is_verdict, "{id}: {}", shown.step);
            }
            let told = |id: &JudgingId| {
                let stages = game.protocol.stages.iter();
                stages
                    .map(|stage| &stage.sees)
                    .any(|sees| sees.rulings.contains(id))
            };
            // What a moderator found of earlier rounds is said for all to hear.
            let judging = game.protocol.judging.iter();
            for judging in judging.filter(|judging| !told(&judging.id)) {
                let reasons = verdict_words(judging.id.as_str());
                assert!(!shown.text().contains(&reasons), "{id}: {}", shown.step);
            }
        }
    }
}

#[test]
fn private_turns_are_shown_to_their_own_chair_alone() {
    for (id, game) in all_games() {
        let (shown, state) = play(&game);
        for turn in state.turns().keys() {
            let private = game.protocol.stage(&turn.stage).unwrap().private;
            if !private {
                continue;
            }
            for shown in &shown {
                let own = shown
                    .turn
                    .as_ref()
                    .is_some_and(|reader| reader.chair == turn.chair);
                let holds = shown.text().contains(&words(turn));
                assert!(own || !holds, "{id}: {} holds {turn}", shown.step);
            }
        }
    }
}

#[test]
fn nobody_is_shown_a_turn_of_their_own_simultaneous_stage_or_of_later_ones() {
    for (id, game) in all_games() {
        let (shown, state) = play(&game);
        for shown in &shown {
            let Some(reader) = &shown.turn else { continue };
            let place = game.protocol.stage_place(&reader.stage);
            let stage = game.protocol.stage(&reader.stage).unwrap();
            assert_eq!(stage.order, Order::Simultaneous, "{id}");
            for turn in state.turns().keys() {
                let earlier = turn.round < reader.round
                    || (turn.round == reader.round
                        && game.protocol.stage_place(&turn.stage) < place);
                let holds = shown.text().contains(&words(turn));
                assert!(earlier || !holds, "{id}: {reader} is shown {turn}");
            }
        }
    }
}

/// The opposite of a leak: what a seat should see, it sees.
#[test]
fn debaters_of_a_second_round_are_shown_all_turns_of_the_first() {
    for id in ["pred", "sred", "dared"] {
        let (_, game) = all_games()
            .into_iter()
            .find(|(name, _)| name == id)
            .unwrap();
        let (shown, state) = play(&game);
        let second = shown
            .iter()
            .find(|shown| shown.step == "speak r2.answer.debater-0#0")
            .unwrap();
        for turn in state.turns().keys().filter(|turn| turn.round == 1) {
            assert!(second.text().contains(&words(turn)), "{id}: {turn}");
        }
    }
}
