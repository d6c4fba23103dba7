//! Events and protocols that do not fit are refused with a reason.

use super::harness::{created, perform, play, protocol, record, said};
use super::kitchen_sink::KITCHEN;
use elenchus_game::debate::event::{Event, Failed, FailureKind, Finding, Judged, Outcome, Replied};
use elenchus_game::debate::protocol::{ProtocolFile, SettingValue, Settings};
use elenchus_game::debate::{
    AttemptId, Chair, EventRefusal, LessonStep, State, Step, Target, TurnId,
};

fn begun() -> State {
    let mut state = State::default();
    let event = Event::Created(Box::new(created(protocol(KITCHEN, &[]), 1)));
    state.apply_event(&record(event)).unwrap();
    state
}

fn turn(text: &str) -> TurnId {
    TurnId::try_from(text.to_owned()).unwrap()
}

fn reply(at: &str, attempt: u32) -> Event {
    Event::Replied(Box::new(Replied {
        turn: turn(at),
        attempt,
        view: None,
        reply: said("x"),
        fields: None,
        call: None,
        guardrail: None,
    }))
}

#[test]
fn events_that_do_not_fit_are_refused_with_a_reason() {
    let mut empty = State::default();
    assert_eq!(
        empty.apply_event(&record(Event::Resumed {})),
        Err(EventRefusal::NotBegun)
    );
    let mut state = begun();
    let again = Event::Created(Box::new(created(protocol(KITCHEN, &[]), 1)));
    assert_eq!(
        state.apply_event(&record(again)),
        Err(EventRefusal::BegunTwice)
    );
    assert_eq!(
        state.apply_event(&record(reply("r1.plan.nobody-0", 0))),
        Err(EventRefusal::NoSuchTurn(turn("r1.plan.nobody-0")))
    );
    // Memory was not asked yet, and the plan sees it.
    assert_eq!(
        state.apply_event(&record(reply("r1.plan.cook-0", 0))),
        Err(EventRefusal::TooEarly(turn("r1.plan.cook-0")))
    );
    let retrieve = perform(&state, &Step::Retrieve(None), 1);
    state.apply_event(&record(retrieve.clone())).unwrap();
    assert_eq!(
        state.apply_event(&record(retrieve)),
        Err(EventRefusal::NoRetrieval)
    );
    state
        .apply_event(&record(reply("r1.plan.cook-0", 0)))
        .unwrap();
    assert_eq!(
        state.apply_event(&record(reply("r1.plan.cook-0", 0))),
        Err(EventRefusal::WrongAttempt {
            turn: turn("r1.plan.cook-0"),
            found: 0,
            expected: 1
        })
    );
    let unknown = AttemptId {
        turn: turn("r1.plan.cook-0"),
        attempt: 9,
    };
    assert_eq!(
        state.apply_event(&record(Event::Chosen {
            attempt: unknown.clone()
        })),
        Err(EventRefusal::NoSuchAttempt(unknown))
    );
}

#[test]
fn a_turn_that_was_seen_cannot_be_changed() {
    let log = play(created(protocol(KITCHEN, &[]), 1), 1, 2);
    let mut state = State::from_records(&log).unwrap();
    let seen = turn("r1.dish.cook-0");
    let edit = Event::Edited {
        turn: seen.clone(),
        attempt: 1,
        text: "better".to_owned(),
    };
    assert_eq!(
        state.apply_event(&record(edit)),
        Err(EventRefusal::Seen(seen))
    );
}

#[test]
fn a_turn_that_nothing_has_seen_can_be_edited_and_rolled_again() {
    let mut state = begun();
    let retrieve = perform(&state, &Step::Retrieve(None), 1);
    state.apply_event(&record(retrieve)).unwrap();
    state
        .apply_event(&record(reply("r1.plan.cook-0", 0)))
        .unwrap();
    state
        .apply_event(&record(reply("r1.plan.cook-0", 1)))
        .unwrap();
    state
        .apply_event(&record(Event::Edited {
            turn: turn("r1.plan.cook-0"),
            attempt: 2,
            text: "mine".to_owned(),
        }))
        .unwrap();
    let (id, attempt) = state.chosen_attempt(&turn("r1.plan.cook-0")).unwrap();
    assert_eq!((id.attempt, attempt.reply.text.as_str()), (2, "mine"));
}

#[test]
fn a_failed_step_is_blocked_until_the_session_is_resumed_and_a_filtered_one_is_passed_over() {
    let mut state = begun();
    let retrieve = perform(&state, &Step::Retrieve(None), 1);
    state.apply_event(&record(retrieve)).unwrap();
    let step = state.find_open_steps().steps[0].id();
    let fail = |kind| {
        Event::Failed(Failed {
            step: step.clone(),
            kind,
            message: "no".to_owned(),
            may_have_cost_usd: Some(0.5),
            may_have_used_tokens: None,
            unsent: false,
        })
    };
    state
        .apply_event(&record(fail(FailureKind::Error)))
        .unwrap();
    assert_eq!(state.find_open_steps().blocked, vec![step.clone()]);
    assert!(
        state
            .find_open_steps()
            .steps
            .iter()
            .all(|open| open.id() != step)
    );
    assert!((state.committed_usd() - 0.5).abs() < 1e-12);
    assert_eq!(
        state.apply_event(&record(fail(FailureKind::Error))),
        Err(EventRefusal::NotOpen(step.clone()))
    );
    state.apply_event(&record(Event::Resumed {})).unwrap();
    assert!(
        state
            .find_open_steps()
            .steps
            .iter()
            .any(|open| open.id() == step)
    );
    state
        .apply_event(&record(fail(FailureKind::Filtered)))
        .unwrap();
    assert!(
        state
            .find_open_steps()
            .steps
            .iter()
            .all(|open| open.id() != step)
    );
    assert!(state.find_open_steps().blocked.is_empty());
}

#[test]
fn settings_are_checked_against_what_the_protocol_declares() {
    let file = ProtocolFile::parse("k.toml", KITCHEN).unwrap();
    let with = |name: &str, value: SettingValue| {
        let given = Settings::from([(name.to_owned(), value)]);
        file.resolve_protocol(&given)
            .map(|_| ())
            .map_err(|error| error.to_string())
    };
    assert_eq!(with("rounds", SettingValue::Integer(9)), Ok(()));
    assert_eq!(
        with("rounds", SettingValue::Integer(10)),
        Err("setting 'rounds' cannot be '10': it takes a whole number from 1 to 9".to_owned())
    );
    assert_eq!(
        with("wine", SettingValue::Bool(true)),
        Err("protocol 'kitchen' has no setting 'wine'; it has cooks, reveal, rounds".to_owned())
    );
}

#[test]
fn faults_of_a_protocol_name_file_line_and_reason() {
    let fault = |from: &str, to: &str| {
        let text = KITCHEN.replacen(from, to, 1);
        assert_ne!(text, KITCHEN, "{from} is not in the text");
        let read = ProtocolFile::parse("k.toml", &text)
            .and_then(|file| file.resolve_protocol(&Settings::new()));
        read.map(|_| ()).unwrap_err().to_string()
    };
    assert_eq!(
        fault(
            "seats = [\"guest\"]\nin_last",
            "seats = [\"ghost\"]\nin_last"
        ),
        "k.toml:67: there is no seat 'ghost'; there are cook, guest, inspector, chef, scribe"
    );
    assert_eq!(
        fault(
            "stages = [\"dish\"] }]\n[stages.output]",
            "stages = [\"plan\"] }]\n[stages.output]"
        ),
        "k.toml:71: stage 'plan' is private: nobody else may be shown it"
    );
    assert_eq!(
        fault("kind = \"judge\"", "kind = \"king\""),
        "k.toml:40: unknown variant `king`, expected one of `speaker`, `judge`, `evaluator`, `feedback`"
    );
    assert_eq!(
        fault("\"$cooks\"", "\"$cocks\""),
        "k.toml:27: \"$cocks\" names a setting that is not declared; declared are cooks, reveal, rounds"
    );
}

fn fault_of(text: &str) -> String {
    let read = ProtocolFile::parse("k.toml", text)
        .and_then(|file| file.resolve_protocol(&Settings::new()));
    read.map(|_| ()).unwrap_err().to_string()
}

#[test]
fn names_of_files_cannot_lead_out_of_the_folder_of_prompts() {
    for (from, to) in [
        (
            "id = \"plan\"\n",
            "id = \"plan\"\ntemplate = \"../../notes\"\n",
        ),
        ("id = \"plan\"\n", "id = \"plan\"\ntemplate = \"\"\n"),
        (
            "id = \"plan\"\n",
            "id = \"plan\"\ndraw = { rule = \"/etc/rules\" }\n",
        ),
        ("at_most = 1", "at_most = 1\ntemplate = \"..\""),
        ("rubric = \"hygiene\"", "rubric = \"a/b\""),
        (
            "by = \"scribe\"",
            "by = \"scribe\"\ntemplate = \"rubric:hygiene\"",
        ),
    ] {
        let text = KITCHEN.replacen(from, to, 1);
        assert_ne!(text, KITCHEN, "{from} is not in the text");
        let fault = fault_of(&text);
        assert!(fault.contains("cannot be called"), "{to}: {fault}");
        assert!(fault.starts_with("k.toml:"), "{fault}");
    }
}

#[test]
fn what_could_never_come_is_refused_before_a_debate_waits_for_it() {
    let late = KITCHEN.replacen(
        "rubric = \"evening\"",
        "rubric = \"evening\"\nwhen = \"end\"",
        1,
    );
    assert!(fault_of(&late).ends_with(
        "'evening' is found after the last round (`when = \"end\"`) and cannot stop an earlier one"
    ));
    let shown = "long-term memory is shown to speakers, and to judges who are asked by a rubric";
    for (place, sees) in [
        ("[feedback.sees]", "[feedback.sees]\nmemory = true"),
        (
            "grader = \"auto\"",
            "grader = \"auto\"\nsees = { memory = true }",
        ),
    ] {
        let text = KITCHEN.replacen(place, sees, 1);
        assert_ne!(text, KITCHEN);
        assert!(fault_of(&text).ends_with(shown));
    }
}

/// Says that a judge found the food bad.
fn bad(judging: &str, target: Target) -> Event {
    Event::Judged(Box::new(Judged {
        judging: judging.into(),
        chair: 0,
        target,
        order: elenchus_game::debate::ShownOrder::AsSeated,
        attempt: 0,
        outcome: Outcome::Label(Finding {
            label: "bad".to_owned(),
            value: -1.0,
            ..Finding::default()
        }),
        view: None,
        reply: None,
    }))
}

#[test]
fn verdicts_and_lessons_that_come_before_what_they_are_about_are_refused() {
    let log = play(created(protocol(KITCHEN, &[]), 1), 1, 2);
    let first =
        |wanted: &dyn Fn(&Event) -> bool| log.iter().position(|line| wanted(&line.event)).unwrap();
    let is_round =
        |event: &Event| matches!(event, Event::Judged(judged) if judged.target == Target::Round(1));
    let mut state = State::from_records(&log[..2]).unwrap();
    for (judging, target) in [
        ("evening", Target::Round(1)),
        ("evening", Target::Round(0)),
        ("evening", Target::Round(99)),
        ("stars", Target::Debate),
    ] {
        let before = state.clone();
        let refused = state.apply_event(&record(bad(judging, target.clone())));
        assert_eq!(
            refused,
            Err(EventRefusal::JudgedTooEarly {
                judging: judging.to_owned(),
                target: target.to_string(),
            })
        );
        assert_eq!(state, before);
    }
    let mut later = State::from_records(&log[..first(&is_round)]).unwrap();
    assert_eq!(later.apply_event(&log[first(&is_round)]), Ok(()));

    // An unsafe turn calls for a lesson, but only once the debate is over.
    let is_dish = |event: &Event| matches!(event, Event::Replied(said) if said.turn == turn("r1.dish.cook-0"));
    let mut state = State::from_records(&log[..=first(&is_dish)]).unwrap();
    let dish = AttemptId {
        turn: turn("r1.dish.cook-0"),
        attempt: 0,
    };
    for chair in 0..2 {
        let mut event = bad("hygiene", Target::Attempt(dish.clone()));
        if let Event::Judged(judged) = &mut event {
            judged.chair = chair;
        }
        state.apply_event(&record(event)).unwrap();
    }
    let lesson = perform(
        &state,
        &Step::WriteFeedback(LessonStep {
            chair: Chair {
                seat: "scribe".into(),
                index: 0,
            },
            learner: None,
        }),
        1,
    );
    assert_eq!(
        state.apply_event(&record(lesson)),
        Err(EventRefusal::NoFeedbackDue)
    );
}

#[test]
fn a_turn_that_was_passed_over_cannot_be_spoken_once_others_went_on_without_it() {
    let mut state = begun();
    let retrieve = perform(&state, &Step::Retrieve(None), 1);
    state.apply_event(&record(retrieve)).unwrap();
    let refused = turn("r1.dish.cook-0");
    for (event, fits) in [
        (reply("r1.plan.cook-0", 0), true),
        (reply("r1.plan.cook-1", 0), true),
        (
            Event::Failed(Failed {
                step: "speak r1.dish.cook-0#0".to_owned().into(),
                kind: FailureKind::Filtered,
                message: "no".to_owned(),
                may_have_cost_usd: None,
                may_have_used_tokens: None,
                unsent: false,
            }),
            true,
        ),
        (reply("r1.dish.cook-1", 0), true),
        (reply("r1.taste.guest-0", 0), true),
        (reply("r1.dish.cook-0", 0), false),
    ] {
        let expected = if fits {
            Ok(())
        } else {
            Err(EventRefusal::Seen(refused.clone()))
        };
        assert_eq!(state.apply_event(&record(event)), expected);
    }
}

#[test]
fn a_turn_that_a_call_in_flight_was_shown_cannot_be_changed() {
    let mut state = begun();
    let retrieve = perform(&state, &Step::Retrieve(None), 1);
    state.apply_event(&record(retrieve)).unwrap();
    for at in [
        "r1.plan.cook-0",
        "r1.plan.cook-1",
        "r1.dish.cook-0",
        "r1.dish.cook-1",
    ] {
        state.apply_event(&record(reply(at, 0))).unwrap();
    }
    let dish = turn("r1.dish.cook-0");
    let edit = record(Event::Edited {
        turn: dish.clone(),
        attempt: 1,
        text: "better".to_owned(),
    });
    assert_eq!(state.clone().apply_event(&edit), Ok(()));
    let started = Event::CallStarted {
        step: "speak r1.taste.guest-0#0".to_owned().into(),
        worst_case_usd: None,
        worst_case_tokens: 9,
    };
    state.apply_event(&record(started)).unwrap();
    assert_eq!(state.apply_event(&edit), Err(EventRefusal::Seen(dish)));
    // Nothing came back, and nobody waits for it any more.
    state.apply_event(&record(Event::Resumed {})).unwrap();
    assert_eq!(state.apply_event(&edit), Ok(()));
}

#[test]
fn a_turn_whose_fields_let_the_next_round_begin_cannot_be_changed() {
    let text = KITCHEN.replace(
        "[[stop]]\njudging = \"evening\"\nlabels = [\"bad\"]",
        "[[stop]]\nstage = \"taste\"\nfield = \"score\"\nequals = 99",
    );
    // Nobody is shown what the guest says.
    let text = text
        .replace("\"cook\", \"guest\"]", "\"cook\"]")
        .replace("[{ seats = [\"guest\"] }]", "[]");
    let log = play(created(protocol(&text, &[]), 1), 1, 2);
    let second = |line: &elenchus_game::debate::Record| matches!(&line.event, Event::Replied(said) if said.turn.round == 2);
    let begun = log.iter().position(second).unwrap();
    let mut state = State::from_records(&log[..=begun]).unwrap();
    let taste = turn("r1.taste.guest-0");
    let attempts = state.turns()[&taste].attempts.len() as u32;
    let edit = Event::Edited {
        turn: taste.clone(),
        attempt: attempts,
        text: "better".to_owned(),
    };
    assert_eq!(
        State::from_records(&log[..begun])
            .unwrap()
            .apply_event(&record(edit.clone())),
        Ok(())
    );
    assert_eq!(
        state.apply_event(&record(edit)),
        Err(EventRefusal::Seen(taste))
    );
}

#[test]
fn a_verdict_on_an_attempt_that_no_longer_counts_is_kept_and_pays_nobody() {
    let text = format!("{KITCHEN}\n[rewards.hygiene.bad]\ncook = -1\n");
    let mut state = State::default();
    let first = Event::Created(Box::new(created(protocol(&text, &[]), 1)));
    state.apply_event(&record(first)).unwrap();
    let retrieve = perform(&state, &Step::Retrieve(None), 1);
    state.apply_event(&record(retrieve)).unwrap();
    for at in ["r1.plan.cook-0", "r1.plan.cook-1", "r1.dish.cook-0"] {
        state.apply_event(&record(reply(at, 0))).unwrap();
    }
    let edit = Event::Edited {
        turn: turn("r1.dish.cook-0"),
        attempt: 1,
        text: "better".to_owned(),
    };
    state.apply_event(&record(edit)).unwrap();
    for (attempt, reward) in [(0, None), (1, Some(-1.0))] {
        let target = Target::Attempt(AttemptId {
            turn: turn("r1.dish.cook-0"),
            attempt,
        });
        for chair in 0..2 {
            let mut event = bad("hygiene", target.clone());
            if let Event::Judged(judged) = &mut event {
                judged.chair = chair;
            }
            state.apply_event(&record(event)).unwrap();
        }
        let sum = state.compute_rewards().first().map(|(_, reward)| *reward);
        assert_eq!(sum, reward, "attempt {attempt}");
    }
}

#[test]
fn a_protocol_of_too_many_stages_is_refused_at_the_first_one_too_many() {
    let begin = "id = \"big\"\nname = \"Big\"\ndescription = \"Many stages\"\nsource = \"ours\"\n\
                 measures = \"quality\"\nrounds = 1\n[[seats]]\nid = \"speaker\"\nkind = \"speaker\"\n";
    let with = |count: usize| {
        let stage =
            |at| format!("[[stages]]\nid = \"s{at}\"\nseats = [\"speaker\"]\nsees.topic = true\n");
        let stages: String = (0..count).map(stage).collect();
        let file = ProtocolFile::parse("big.toml", &format!("{begin}{stages}")).unwrap();
        file.resolve_protocol(&Settings::new())
            .err()
            .map(|error| error.to_string())
    };
    assert_eq!(with(256), None);
    let refused = with(3_000).unwrap();
    let line = begin.lines().count() + 4 * 256 + 2;
    let words =
        format!("big.toml:{line}: there are 3000 of [[stages]], and a protocol may have 256");
    assert!(refused.contains(&words), "{refused}");
}
