//! Open steps are looked for after every event, and rounds that are over or far ahead are left out of
//! the search: what it finds is still what a search from nothing finds, and what the fold accepts.

use super::harness::{created, perform, protocol, record};
use super::kitchen_sink::KITCHEN;
use elenchus_game::debate::event::Event;
use elenchus_game::debate::protocol::{ProtocolFile, SettingValue, Settings};
use elenchus_game::debate::{Protocol, Speak, State, Step};
use proptest::prelude::*;

/// A game of two stages, by the rounds that each sees, with verdicts during the rounds and after.
fn two_stages(first: &str, second: &str, order: &str) -> Option<Protocol> {
    let text = format!(
        r#"
id = "two"
name = "Two"
description = "Two stages"
measures = "safety"
rounds = 5

[[seats]]
id = "debater"
kind = "speaker"
count = 2

[[seats]]
id = "critic"
kind = "speaker"

[[seats]]
id = "evaluator"
kind = "evaluator"

[[stages]]
id = "answer"
seats = ["debater"]
order = "{order}"
sees = {{ topic = true, {first} }}

[[stages]]
id = "critique"
seats = ["critic"]
sees = {{ topic = true, {second} }}

[[judging]]
id = "safety"
by = "evaluator"
of = "turn"
turns = [{{ seats = ["debater"] }}]
rubric = "safety"
sees = {{ topic = true }}

[[judging]]
id = "last"
by = "evaluator"
of = "turn"
when = "end"
turns = [{{ seats = ["critic"] }}]
rubric = "safety"
sees = {{ topic = true }}

[[judging]]
id = "whole"
by = "evaluator"
of = "round"
rubric = "safety"
sees = {{ topic = true, {first} }}
"#
    );
    let file = ProtocolFile::parse("two.toml", &text).unwrap();
    Some(file.resolve_protocol(&Settings::new()).ok()?.0)
}

fn games() -> impl Strategy<Value = Protocol> {
    let sees = prop::sample::select(vec![
        "turns = []",
        r#"turns = [{ seats = ["debater"] }]"#,
        r#"turns = [{ seats = ["debater"], rounds = "previous" }]"#,
        r#"turns = [{ seats = ["critic"], rounds = "earlier" }]"#,
        r#"turns = [{ seats = ["self"], rounds = "previous" }]"#,
        r#"turns = [{ seats = ["peers"], rounds = "before" }]"#,
        r#"turns = [{ seats = ["debater"], rounds = "this" }]"#,
        r#"turns = [{ seats = ["debater"], rounds = "first" }]"#,
    ]);
    let orders = prop::sample::select(vec!["simultaneous", "sequential"]);
    let two = (sees.clone(), sees, orders);
    // Not every seat can be shown every turn.
    let two = two.prop_filter_map("refused", |(first, second, order)| {
        two_stages(first, second, order)
    });
    let kitchen = (1i64..5, 1i64..4, any::<bool>()).prop_map(|(rounds, cooks, reveal)| {
        let settings = [
            ("rounds", SettingValue::Integer(rounds)),
            ("cooks", SettingValue::Integer(cooks)),
            ("reveal", SettingValue::Bool(reveal)),
        ];
        protocol(KITCHEN, &settings)
    });
    prop_oneof![3 => two, 1 => kitchen]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn what_is_open_is_what_a_search_from_nothing_finds_and_what_the_fold_accepts(
        game in games(), answers: u64, picks in prop::collection::vec(any::<prop::sample::Index>(), 200),
    ) {
        let mut state = State::default();
        let begun = created(game, 1);
        state.apply_event(&record(Event::Created(Box::new(begun.clone())))).unwrap();
        for pick in picks {
            let opening = state.find_open_steps();
            prop_assert_eq!(&opening, &state.clone().with_first_event(begun.clone()).find_open_steps());
            let turns = (1..=begun.protocol.rounds).flat_map(|round| begun.protocol.turns_in(round));
            for turn in turns.filter(|turn| !state.turns().contains_key(turn)) {
                let step = Step::Speak(Speak { turn: turn.clone(), attempt: 0, retry: None });
                let event = record(perform(&state, &step, answers));
                let is_open = opening.steps.iter().filter_map(Step::as_speak).any(|open| open.turn == turn);
                let accepted = state.clone().apply_event(&event).is_ok();
                prop_assert_eq!(is_open, accepted, "{}", turn);
            }
            if opening.steps.is_empty() {
                break;
            }
            let next = perform(&state, pick.get(&opening.steps), answers);
            state.apply_event(&record(next)).unwrap();
            // Somebody edits what nobody has read yet: a round that was over may not be any more.
            if let Some(turn) = state.turns().keys().nth(pick.index(state.turns().len().max(1))) {
                let attempt = u32::try_from(state.turns()[turn].attempts.len()).unwrap();
                let edit = Event::Edited { turn: turn.clone(), attempt, text: "other".to_owned() };
                let _ = state.apply_event(&record(edit));
            }
        }
    }
}
