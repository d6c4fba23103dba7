//! Leaks: by default no view holds what its reader must not see.

use crate::tests::builtin_games::{
    EXPECTED, OPTION_ONE, OPTION_TWO, REFERENCE, ShownView, THINKING, all_games, game, play,
    verdict_words, words,
};
use crate::tests::library::settings::every_pair_of_settings;
use elenchus_game::debate::protocol::{SettingValue, StageOrder};
use elenchus_game::debate::view::PartSource;
use elenchus_game::debate::{Chair, JudgingId};

#[test]
fn no_view_holds_a_reference_an_expected_label_or_a_models_own_thinking() {
    for (id, game) in every_pair_of_settings() {
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
                let is_verdict = matches!(part.from, PartSource::Verdict { .. });
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
fn private_turns_are_shown_to_their_own_chair_its_own_lesson_and_who_judges_them_alone() {
    for (id, game) in every_pair_of_settings() {
        let (shown, state) = play(&game);
        for turn in state.turns().keys() {
            let private = game.protocol.find_stage(&turn.stage).unwrap().private;
            if !private {
                continue;
            }
            for shown in &shown {
                let own = shown
                    .turn
                    .as_ref()
                    .is_some_and(|reader| reader.chair == turn.chair);
                let own_lesson = format!("feedback {}", turn.chair.seat);
                // A rule that judges private turns is about turns of their chair alone.
                let judges_them = shown.step.starts_with("judge private_acceptance")
                    && shown.step.contains(&format!(".{}#", turn.chair));
                let is_allowed = own || judges_them || shown.step == own_lesson;
                let holds = shown.text().contains(&words(turn));
                assert!(is_allowed || !holds, "{id}: {} holds {turn}", shown.step);
            }
        }
    }
}

#[test]
fn nobody_is_shown_a_turn_of_their_own_simultaneous_stage_or_of_later_ones() {
    for (id, game) in every_pair_of_settings() {
        let (shown, state) = play(&game);
        for shown in &shown {
            let Some(reader) = &shown.turn else { continue };
            let place = game.protocol.stage_place(&reader.stage);
            let stage = game.protocol.find_stage(&reader.stage).unwrap();
            let speakers = game.protocol.chairs_of(stage);
            let seat = |chair: &Chair| speakers.iter().position(|other| other == chair);
            // Whoever is asked again is shown what could not be read.
            let others = state
                .turns()
                .keys()
                .filter(|turn| *turn != reader || !shown.is_asked_again());
            for turn in others {
                let said_before = match stage.order {
                    StageOrder::Simultaneous => false,
                    StageOrder::Sequential => {
                        turn.round == reader.round
                            && turn.stage == reader.stage
                            && seat(&turn.chair) < seat(&reader.chair)
                    }
                };
                let earlier = turn.round < reader.round
                    || (turn.round == reader.round
                        && game.protocol.stage_place(&turn.stage) < place);
                let holds = shown.text().contains(&words(turn));
                assert!(
                    earlier || said_before || !holds,
                    "{id}: {reader} is shown {turn}"
                );
            }
        }
    }
}

#[test]
fn a_judge_of_two_candidates_reads_no_name_no_option_and_no_document() {
    let assigned = ("stance", SettingValue::Text("shuffled".to_owned()));
    for settings in [vec![], vec![assigned]] {
        let game = game("two-candidate", &settings);
        let (shown, _) = play(&game);
        let judged = shown.iter().filter(|shown| shown.turn.is_none());
        let judged: Vec<&ShownView> = judged.collect();
        assert_eq!(judged.len(), 2);
        for shown in judged {
            let text = shown.text();
            for secret in ["Pins and springs.", "manual.txt", OPTION_ONE, OPTION_TWO] {
                assert!(!text.contains(secret), "{}: {secret}\n{text}", shown.step);
            }
            // What the debaters say here holds their addresses; nothing else may name them.
            let mut rest = text.clone();
            for turn in game
                .protocol
                .turns_in(1)
                .iter()
                .chain(&game.protocol.turns_in(2))
                .chain(&game.protocol.turns_in(3))
            {
                rest = rest.replace(&words(turn), "");
            }
            let lower = rest.to_lowercase();
            for name in ["debater", "debater-a", "debater-b"] {
                assert!(!lower.contains(name), "{}: {name}\n{rest}", shown.step);
            }
        }
    }
}

#[test]
fn a_judge_who_decides_in_both_orders_is_shown_the_other_candidate_first() {
    let game = game("two-candidate", &[]);
    let (shown, _) = play(&game);
    let first_of = |shown: &ShownView| {
        let text = shown.text();
        let place = |chair: &str| text.find(&format!("<<said at r1.propose.{chair}-0>>"));
        let argued = |chair: &str| text.find(&format!("<<said at r2.argue.{chair}-0>>"));
        let order = place("debater-a").unwrap() < place("debater-b").unwrap();
        assert_eq!(
            order,
            argued("debater-a").unwrap() < argued("debater-b").unwrap()
        );
        order
    };
    let orders: Vec<bool> = shown
        .iter()
        .filter(|shown| shown.turn.is_none())
        .map(first_of)
        .collect();
    assert_eq!(orders, [true, false]);
}

#[test]
fn a_debater_with_an_assigned_answer_is_told_its_own_alone() {
    let assigned = ("stance", SettingValue::Text("shuffled".to_owned()));
    let game = game("two-candidate", &[assigned]);
    let (shown, _) = play(&game);
    let mut told = std::collections::BTreeMap::new();
    for shown in &shown {
        let Some(turn) = &shown.turn else { continue };
        let text = shown.text();
        let (one, two) = (text.contains(OPTION_ONE), text.contains(OPTION_TWO));
        assert!(one != two, "{}\n{text}", shown.step);
        let before = told.insert(turn.chair.clone(), one);
        assert!(before.is_none_or(|before| before == one), "{}", shown.step);
    }
    let told: Vec<bool> = told.into_values().collect();
    assert!(told.len() == 2 && told[0] != told[1]);
}

#[test]
fn what_detectors_find_is_shown_to_nobody() {
    for id in ["pcd-2", "pcd-4"] {
        for value in ["rules", "model"] {
            let detectors = ("detectors", SettingValue::Text(value.to_owned()));
            let game = game(id, &[detectors, ("rounds", SettingValue::Integer(3))]);
            for shown in play(&game).0 {
                for rule in ["stance", "back_stab", "named_error", "goalposts"] {
                    let reasons = verdict_words(rule);
                    assert!(!shown.text().contains(&reasons), "{id}: {}", shown.step);
                }
            }
        }
    }
}

/// The opposite of a leak: objections can only have been answered by what stands before the reply.
#[test]
fn who_judges_the_critics_reply_reads_the_rebuttal_before_it_and_not_the_reply_of_another() {
    let model = SettingValue::Text("model".to_owned());
    let game = game("pcd-4", &[("detectors", model)]);
    let (shown, _) = play(&game);
    let found = |step: &str| {
        let shown = shown.iter().find(|shown| shown.step == step);
        shown
            .unwrap_or_else(|| panic!("nobody judged {step}"))
            .text()
    };
    let rebuttal = "<<said at r1.final.proposer-0>>";
    let reply = found("judge goalposts detector-0 r1.final.critic-0#0");
    assert!(reply.contains(rebuttal), "{reply}");
    let critique = found("judge goalposts detector-0 r1.critique.critic-0#0");
    assert!(!critique.contains(rebuttal), "{critique}");
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
