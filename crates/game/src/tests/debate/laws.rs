//! Laws of the fold and of open steps.

use super::harness::{created, perform, play, protocol, record};
use super::kitchen_sink::KITCHEN;
use elenchus_game::debate::event::{Event, Outcome};
use elenchus_game::debate::protocol::SettingValue;
use elenchus_game::debate::{State, Step, Target};
use proptest::prelude::*;
use std::collections::BTreeSet;

fn kitchen(rounds: i64, cooks: i64, reveal: bool) -> elenchus_game::debate::Protocol {
    protocol(
        KITCHEN,
        &[
            ("rounds", SettingValue::Integer(rounds)),
            ("cooks", SettingValue::Integer(cooks)),
            ("reveal", SettingValue::Bool(reveal)),
        ],
    )
}

/// What a finished game holds, whatever the order in which it came about.
fn substance(state: &State) -> (Vec<String>, Vec<String>, bool) {
    let turns = state
        .turns()
        .iter()
        .map(|(turn, known)| format!("{turn} {:?}", known.chosen_attempt().map(|a| &a.reply.text)))
        .collect();
    let verdicts = state
        .verdicts()
        .map(|(judging, target, by_chair)| format!("{judging} {target} {}", by_chair.len()))
        .collect();
    (turns, verdicts, state.lesson().is_some())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn folding_twice_gives_the_same_state(
        rounds in 1i64..5, cooks in 1i64..4, reveal: bool, order: u64, answers: u64,
    ) {
        let log = play(created(kitchen(rounds, cooks, reveal), 1), order, answers);
        let once = State::from_records(&log).unwrap();
        let twice = State::from_records(&log).unwrap();
        prop_assert_eq!(&once, &twice);
        let mut grown = State::default();
        for event in &log {
            grown.apply_event(event).unwrap();
        }
        prop_assert_eq!(once, grown);
    }

    #[test]
    fn the_order_of_doing_changes_nothing(
        rounds in 1i64..5, cooks in 1i64..4, reveal: bool, one: u64, other: u64, answers: u64,
    ) {
        let first = play(created(kitchen(rounds, cooks, reveal), 1), one, answers);
        let second = play(created(kitchen(rounds, cooks, reveal), 1), other, answers);
        prop_assert_eq!(
            substance(&State::from_records(&first).unwrap()),
            substance(&State::from_records(&second).unwrap())
        );
    }

    /// A log cut anywhere goes on with exactly what is missing: the same game results, and no step
    /// is done that the log already holds.
    #[test]
    fn any_prefix_is_resumable_and_opens_exactly_what_is_missing(
        rounds in 1i64..4, cooks in 1i64..4, reveal: bool, order: u64, answers: u64, cut: prop::sample::Index,
    ) {
        let whole = play(created(kitchen(rounds, cooks, reveal), 1), order, answers);
        let kept = 1 + cut.index(whole.len() - 1);
        let mut state = State::from_records(&whole[..kept]).unwrap();
        let mut log = whole[..kept].to_vec();
        log.push(record(Event::Resumed {}));
        state.apply_event(&log[kept]).unwrap();
        let mut done = BTreeSet::new();
        loop {
            let opening = state.find_open_steps();
            if opening.done.is_some() {
                break;
            }
            let step = opening.steps.first().expect("something is open").clone();
            prop_assert!(done.insert(step.id()), "{} was opened twice", step.id());
            let next = record(perform(&state, &step, answers));
            state.apply_event(&next).unwrap();
            log.push(next);
        }
        // One event for each step: what was kept and what was missing make the whole.
        prop_assert_eq!(log.len(), whole.len() + 1);
        prop_assert_eq!(substance(&state), substance(&State::from_records(&whole).unwrap()));
    }

    /// Whatever the events, folding refuses or accepts; it never panics, and a refusal leaves the
    /// state as it was.
    #[test]
    fn no_input_panics_and_a_refusal_changes_nothing(
        order: u64, answers: u64, jumble in prop::collection::vec(any::<prop::sample::Index>(), 0..80),
    ) {
        let log = play(created(kitchen(2, 2, false), 1), order, answers);
        let mut state = State::default();
        for pick in jumble {
            let before = state.clone();
            if state.apply_event(pick.get(&log)).is_err() {
                prop_assert_eq!(&before, &state);
            }
            let _ = state.find_open_steps();
        }
    }

    #[test]
    fn protocol_texts_never_panic(text in "(?s).{0,400}") {
        let _ = elenchus_game::debate::protocol::ProtocolFile::parse("x", &text)
            .and_then(|file| file.resolve_protocol(&Default::default()));
    }

    /// A protocol with one line taken out is read, or refused with a line of the file.
    #[test]
    fn a_damaged_protocol_is_refused_with_its_line(line in 0usize..140) {
        let damaged: String = KITCHEN
            .lines()
            .enumerate()
            .filter(|(at, _)| *at != line)
            .map(|(_, text)| format!("{text}\n"))
            .collect();
        let read = elenchus_game::debate::protocol::ProtocolFile::parse("k.toml", &damaged)
            .and_then(|file| file.resolve_protocol(&Default::default()));
        if let Err(error) = read {
            prop_assert!(error.to_string().starts_with("k.toml:"), "{error}");
        }
    }
}

#[test]
fn simultaneous_chairs_are_open_together_and_judging_runs_beside_the_next_round() {
    let mut state = State::default();
    state
        .apply_event(&record(Event::Created(Box::new(created(
            kitchen(2, 3, false),
            1,
        )))))
        .unwrap();
    let mut judged_beside = false;
    loop {
        let opening = state.find_open_steps();
        if opening.done.is_some() {
            break;
        }
        let speaks = |step: &&Step| matches!(step, Step::Speak(speak) if speak.turn.stage.as_str() == "plan");
        let plans = opening.steps.iter().filter(speaks).count();
        let first_plan = opening.steps.iter().find(speaks);
        if let Some(Step::Speak(speak)) = first_plan
            && !state
                .turns()
                .keys()
                .any(|turn| turn.round == speak.turn.round && turn.stage == speak.turn.stage)
        {
            assert_eq!(plans, 3, "all three cooks plan at once");
        }
        let judges = opening
            .steps
            .iter()
            .any(|step| matches!(step, Step::Judge(_)));
        judged_beside |= judges
            && opening
                .steps
                .iter()
                .any(|step| matches!(step, Step::Speak(_)));
        // Judges are slow: everything else goes first.
        let step = opening
            .steps
            .iter()
            .find(|step| !matches!(step, Step::Judge(_)))
            .or(opening.steps.first())
            .unwrap()
            .clone();
        let mut event = perform(&state, &step, 2);
        if let Event::Judged(judged) = &mut event
            && judged.judging.as_str() == "evening"
        {
            judged.outcome = Outcome::Label(elenchus_game::debate::event::Finding {
                label: "good".to_owned(),
                value: 1.0,
                ..Default::default()
            });
        }
        state.apply_event(&record(event)).unwrap();
    }
    assert!(judged_beside);
}

#[test]
fn revealed_verdicts_hold_the_next_round_back() {
    for (reveal, waits) in [(false, false), (true, true)] {
        let text = KITCHEN.replace("[[stop]]\njudging = \"evening\"\nlabels = [\"bad\"]\n", "");
        let game = protocol(
            &text,
            &[
                ("rounds", SettingValue::Integer(2)),
                ("reveal", SettingValue::Bool(reveal)),
            ],
        );
        let mut state = State::default();
        state
            .apply_event(&record(Event::Created(Box::new(created(game, 1)))))
            .unwrap();
        // Everything but judging is done until nothing else is open.
        while let Some(step) = state
            .find_open_steps()
            .steps
            .into_iter()
            .find(|step| !matches!(step, Step::Judge(_)))
        {
            let event = perform(&state, &step, 2);
            state.apply_event(&record(event)).unwrap();
        }
        let dishes_in_round_2 = state
            .turns()
            .keys()
            .filter(|turn| turn.round == 2 && turn.stage.as_str() == "dish")
            .count();
        assert_eq!(dishes_in_round_2 == 0, waits);
    }
}

#[test]
fn a_stop_rule_ends_the_debate_after_its_round() {
    let mut state = State::default();
    state
        .apply_event(&record(Event::Created(Box::new(created(
            kitchen(4, 1, false),
            1,
        )))))
        .unwrap();
    while let Some(step) = state.find_open_steps().steps.first().cloned() {
        let mut event = perform(&state, &step, 2);
        if let Event::Judged(judged) = &mut event
            && let Target::Round(round) = judged.target
        {
            let label = if round == 2 { "bad" } else { "good" };
            judged.outcome = Outcome::Label(elenchus_game::debate::event::Finding {
                label: label.to_owned(),
                ..Default::default()
            });
        }
        state.apply_event(&record(event)).unwrap();
    }
    assert_eq!(
        state.find_open_steps().done,
        Some(elenchus_game::debate::EndReason::Stopped { after_round: 2 })
    );
    assert!(state.turns().keys().all(|turn| turn.round <= 2));
}

#[test]
fn a_weak_reply_is_sent_back_as_often_as_the_rule_says() {
    let log = play(created(kitchen(3, 1, false), 1), 3, 4);
    let state = State::from_records(&log).unwrap();
    for (turn, known) in state.turns() {
        if turn.stage.as_str() != "taste" {
            assert_eq!(known.attempts.len(), 1);
            continue;
        }
        let score = |at: usize| match &known.attempts[at].fields {
            Some(elenchus_game::debate::event::Fields::Read(fields)) => {
                fields["score"].as_u64().unwrap()
            }
            other => panic!("{other:?}"),
        };
        let expected = if score(0) < 5 { 2 } else { 1 };
        assert_eq!(known.attempts.len(), expected, "{turn}: {}", score(0));
    }
}

#[test]
fn a_judge_of_a_seats_turns_is_never_asked_about_its_private_ones() {
    let text = KITCHEN.replace(
        "turns = [{ seats = [\"cook\"], stages = [\"dish\"] }]\nrubric = \"hygiene\"",
        "turns = [{ seats = [\"cook\"] }]\nrubric = \"hygiene\"",
    );
    assert_ne!(text, KITCHEN);
    let log = play(
        created(protocol(&text, &[("rounds", SettingValue::Integer(1))]), 1),
        1,
        2,
    );
    let state = State::from_records(&log).unwrap();
    let judged: BTreeSet<&str> = state
        .verdicts()
        .filter_map(|(_, target, _)| match target {
            Target::Attempt(id) => Some(id.turn.stage.as_str()),
            Target::Round(_) | Target::Debate => None,
        })
        .collect();
    assert_eq!(judged, BTreeSet::from(["dish", "toast"]));
}

#[test]
fn a_stop_rule_on_judging_that_never_happens_holds_no_round_up() {
    let off = KITCHEN.replace(
        "rubric = \"evening\"",
        "rubric = \"evening\"\nenabled = false",
    );
    // Without a reference answer the grader finds nothing.
    let ungraded = KITCHEN.replace("judging = \"evening\"", "judging = \"right\"");
    let ungraded = ungraded.replace("of = \"turn\"\nwhen = \"end\"", "of = \"turn\"");
    for text in [off, ungraded] {
        assert_ne!(text, KITCHEN);
        let mut begin = created(protocol(&text, &[]), 1);
        begin.topic.reference = None;
        let state = State::from_records(&play(begin, 1, 2)).unwrap();
        assert_eq!(
            state.find_open_steps().done,
            Some(elenchus_game::debate::EndReason::Complete)
        );
        assert!(state.turns().keys().any(|turn| turn.round == 3));
    }
}

#[test]
fn who_is_shown_verdicts_after_the_last_round_waits_for_those_that_are_found_then() {
    let text = KITCHEN
        .replace(
            "rubric = \"hygiene\"",
            "rubric = \"hygiene\"\nwhen = \"end\"",
        )
        .replace(
            "rubric = \"stars\"\n[judging.sees]",
            "rubric = \"stars\"\n[judging.sees]\nverdicts = true",
        );
    for order in 0..20 {
        let log = play(created(protocol(&text, &[]), 1), order, 2);
        let place = |id: &str, last: bool| {
            let judged = |event: &Event| matches!(event, Event::Judged(judged) if judged.judging.as_str() == id);
            let mut places = log
                .iter()
                .enumerate()
                .filter(|(_, line)| judged(&line.event));
            if last {
                places.next_back()
            } else {
                places.next()
            }
            .map(|(at, _)| at)
        };
        assert!(
            place("hygiene", true) < place("stars", false),
            "order {order}"
        );
    }
}

#[test]
fn a_call_without_an_outcome_counts_at_its_worst_for_good() {
    let mut state = State::default();
    let begin = created(protocol(KITCHEN, &[]), 1);
    state
        .apply_event(&record(Event::Created(Box::new(begin))))
        .unwrap();
    let committed = |state: &State| (state.committed_calls(), state.committed_tokens());
    let started = record(Event::CallStarted {
        step: "speak r1.plan.cook-0#0".to_owned().into(),
        worst_case_usd: None,
        worst_case_tokens: 70,
    });
    state.apply_event(&started).unwrap();
    assert_eq!(committed(&state), (1, 70));
    state.apply_event(&record(Event::Resumed {})).unwrap();
    assert_eq!(committed(&state), (1, 70));
    // Made again, and interrupted again.
    state.apply_event(&started).unwrap();
    state.apply_event(&started).unwrap();
    assert_eq!(committed(&state), (3, 210));
}

/// Three judges, two of whom mumble, have not found what the third says.
#[test]
fn a_majority_must_outnumber_what_could_not_be_read() {
    let text = KITCHEN
        .replace(
            "kind = \"evaluator\"\ncount = 2",
            "kind = \"evaluator\"\ncount = 3",
        )
        .replace("combine = \"mean\"", "combine = \"majority\"");
    let one_cook = [
        ("rounds", SettingValue::Integer(1)),
        ("cooks", SettingValue::Integer(1)),
    ];
    for (mumbling, found) in [(1, Some("good")), (2, None)] {
        let game = protocol(&text, &one_cook);
        let hygiene = game.find_judging(&"hygiene".into()).unwrap().clone();
        let mut state = State::default();
        let begun = Event::Created(Box::new(created(game, 1)));
        state.apply_event(&record(begun)).unwrap();
        while let Some(step) = state.find_open_steps().steps.first().cloned() {
            let mut event = perform(&state, &step, 2);
            if let Event::Judged(judged) = &mut event
                && judged.judging == hygiene.id
            {
                judged.outcome = if judged.chair < mumbling {
                    Outcome::Unparsed {
                        why: "mumbled".to_owned(),
                        cause: None,
                    }
                } else {
                    Outcome::Label(elenchus_game::debate::event::Finding {
                        label: "good".to_owned(),
                        value: 1.0,
                        ..Default::default()
                    })
                };
            }
            state.apply_event(&record(event)).unwrap();
        }
        let (_, target, _) = state
            .verdicts()
            .find(|(judging, _, _)| *judging == &hygiene.id)
            .unwrap();
        let outcome = state.combined_outcome(&hygiene, target).unwrap();
        assert_eq!(outcome.label(), found, "{mumbling} of 3 mumble");
    }
}
