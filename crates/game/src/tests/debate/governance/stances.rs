//! Values of settings, assigned stances and chairs of nobody.

use super::*;

#[test]
fn a_value_of_a_setting_can_be_asked_for() {
    let stages = |closing: &str| {
        let value = SettingValue::Text(closing.to_owned());
        let protocol = protocol(MOOT, &[("closing", value)]);
        protocol.stages.iter().filter(|stage| stage.enabled).count()
    };
    assert_eq!((stages("none"), stages("short"), stages("long")), (1, 2, 2));
    let odd = MOOT.replace("$closing!=none", "$closing=endless");
    let file = ProtocolFile::parse("moot.toml", &odd).unwrap();
    let error = file
        .resolve_protocol(&Settings::new())
        .unwrap_err()
        .to_string();
    assert_eq!(
        error,
        "moot.toml:53: setting 'closing' can never be 'endless': it takes one of none, short, long"
    );
}

#[test]
fn a_value_of_a_setting_can_choose_between_two_values() {
    let chosen = MOOT.replace("\"$rounds\"", "\"$closing=none ? 2 : 3\"");
    assert_ne!(chosen, MOOT);
    let rounds = |closing: &str| {
        let value = SettingValue::Text(closing.to_owned());
        protocol(&chosen, &[("closing", value)]).rounds
    };
    assert_eq!((rounds("none"), rounds("short")), (2, 3));
    // A choice by nothing, or without its second half, is a text like any other.
    for broken in ["$closing ? 2 : 3", "$closing=none ? 2"] {
        let text = MOOT.replace("\"$rounds\"", &format!("\"{broken}\""));
        let file = ProtocolFile::parse("moot.toml", &text).unwrap();
        assert!(file.resolve_protocol(&Settings::new()).is_err(), "{broken}");
    }
}

#[test]
fn given_stances_are_the_topics_options_and_shuffling_depends_on_the_seed_alone() {
    let begin = |stance: &str, options: usize, seed: u64| {
        let value = SettingValue::Text(stance.to_owned());
        let mut begun = created(protocol(MOOT, &[("stance", value)]), seed);
        begun.topic.options = (0..options).map(|at| format!("option {at}")).collect();
        begun
    };
    let sides = |begun: &elenchus_game::debate::event::Created| {
        ["left", "right"].map(|seat| {
            begun.stance_of(&Chair {
                seat: seat.into(),
                index: 0,
            })
        })
    };
    assert_eq!(sides(&begin("chosen", 2, 1)), [None, None]);
    assert_eq!(sides(&begin("in_order", 4, 1)), [Some(0), Some(1)]);
    let mut seen = std::collections::BTreeSet::new();
    for seed in 0..32 {
        let one = sides(&begin("shuffled", 4, seed));
        assert_eq!(one, sides(&begin("shuffled", 4, seed)));
        seen.insert(one);
    }
    let swapped = [[Some(0), Some(1)], [Some(1), Some(0)]];
    assert_eq!(seen, std::collections::BTreeSet::from(swapped));
    let mut state = State::default();
    let refused = state.apply_event(&record(Event::Created(Box::new(begin("shuffled", 1, 1)))));
    let text = refused.unwrap_err().to_string();
    assert!(text.contains("1 options, and 2 chairs"), "{text}");
}

#[test]
fn a_chair_of_nobody_recites_its_lines_for_nothing_and_is_never_sent_back() {
    let mut begun = created(protocol(MOOT, &[]), 1);
    begun.cast[0].player = Player::Fixed(ScriptedPlayer {
        from: "lines.toml".to_owned(),
        simulated: false,
        lines: vec![
            ScriptedLine {
                round: Some(2),
                stage: None,
                text: "second".to_owned(),
            },
            ScriptedLine {
                round: None,
                stage: Some("plea".into()),
                text: "any".to_owned(),
            },
        ],
    });
    let fixed = begun.cast[0].player.clone();
    let mut state = State::default();
    state
        .apply_event(&record(Event::Created(Box::new(begun))))
        .unwrap();
    let steps = state.find_open_steps().steps;
    let Step::Recite(speak) = &steps[0] else {
        panic!("{steps:?}");
    };
    let Player::Fixed(fixed) = &fixed else {
        panic!("{fixed:?}");
    };
    assert_eq!(fixed.find_line(&speak.turn), Some("any"));
    let mut later = speak.turn.clone();
    later.round = 2;
    assert_eq!(fixed.find_line(&later), Some("second"));
    plead(&mut state, speak, mumbled());
    assert!(state.is_settled(&speak.turn), "nobody can be asked again");
}
