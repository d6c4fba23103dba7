//! Guardrails in the game: who is guarded, what a match does, what a failed decision does not do.

use super::harness::{created, guarded, matched, near, perform, play, protocol, record, refused};
use super::kitchen_sink::KITCHEN;
use elenchus_game::debate::event::{
    Author, Created, Event, Failed, FailureKind, Finding, Judged, Outcome, Player, Record, Replied,
};
use elenchus_game::debate::protocol::SettingValue;
use elenchus_game::debate::{
    AttemptId, Chair, EventRefusal, GuardDecision, JudgingId, SeatId, ShownOrder, Speak, State,
    Step, StepId, Target, TurnId,
};
use proptest::prelude::*;

fn begun(rounds: i64, cooks: i64) -> Created {
    let settings = [
        ("rounds", SettingValue::Integer(rounds)),
        ("cooks", SettingValue::Integer(cooks)),
        ("reveal", SettingValue::Bool(false)),
    ];
    let mut begun = created(protocol(KITCHEN, &settings), 1);
    begun.memory.guards = true;
    begun.memory.reads = false;
    begun
}

fn state_of(begun: Created) -> State {
    let mut state = State::default();
    happens(&mut state, Event::Created(Box::new(begun)));
    state
}

fn happens(state: &mut State, event: Event) {
    state.apply_event(&record(event)).unwrap();
}

fn refuses(state: &State, event: Event) -> EventRefusal {
    let mut state = state.clone();
    let before = state.clone();
    let refusal = state.apply_event(&record(event)).unwrap_err();
    assert_eq!(state, before, "a refused event changed the state");
    refusal
}

fn cook(index: u32) -> Chair {
    Chair {
        seat: SeatId::new("cook"),
        index,
    }
}

fn ids(state: &State) -> Vec<String> {
    let steps = state.find_open_steps().steps;
    steps.iter().map(|step| step.id().to_string()).collect()
}

fn spoken(state: &State, chair: &Chair) -> Vec<Step> {
    let steps = state.find_open_steps().steps.into_iter();
    steps
        .filter(|step| match step {
            Step::Speak(speak) | Step::Refuse(speak) => &speak.turn.chair == chair,
            _ => false,
        })
        .collect()
}

/// Refuses a matched chair's turns up to the first one that is judged, and returns that.
fn refused_dish(state: &mut State, chair: &Chair) -> Speak {
    for _ in 0..10 {
        let Step::Refuse(speak) = spoken(state, chair).remove(0) else {
            panic!("it is not refused")
        };
        let event = refused(state, &speak);
        happens(state, event);
        if speak.turn.stage.as_str() == "dish" {
            return speak;
        }
    }
    panic!("it never cooks");
}

/// Plays everything that is open, but for what `keep` holds back.
fn play_on(state: &mut State, keep: impl Fn(&Step) -> bool) {
    for _ in 0..1_000 {
        let step = state
            .find_open_steps()
            .steps
            .into_iter()
            .find(|step| !keep(step));
        let Some(step) = step else { return };
        let event = perform(state, &step, 3);
        happens(state, event);
    }
    panic!("it never ends");
}

#[test]
fn judged_models_decide_once_before_they_speak_and_nobody_else_does() {
    let mut state = state_of(begun(2, 2));
    assert!(ids(&state).contains(&"retrieve-guards".to_owned()));
    assert!(spoken(&state, &cook(0)).is_empty());
    happens(&mut state, Event::GuardsRetrieved(near(&["g1"])));
    let guards: Vec<String> = ids(&state)
        .into_iter()
        .filter(|id| id.starts_with("guard "))
        .collect();
    assert_eq!(guards, ["guard cook-0", "guard cook-1"]);
    happens(&mut state, guarded(&cook(0), GuardDecision::NoMatch));
    assert!(!ids(&state).contains(&"guard cook-0".to_owned()));
    assert!(spoken(&state, &cook(1)).is_empty());
}

#[test]
fn with_nothing_near_nobody_is_asked() {
    let mut state = state_of(begun(1, 2));
    happens(&mut state, Event::GuardsRetrieved(near(&[])));
    assert!(!ids(&state).iter().any(|id| id.starts_with("guard ")));
    play_on(&mut state, |_| false);
    assert!(state.find_open_steps().done.is_some());
    assert!(state.guard_states().is_empty());
}

#[test]
fn a_person_and_a_written_part_are_not_guarded() {
    let mut begun = begun(1, 2);
    begun.cast[0].player = Player::Human { name: None };
    assert_eq!(begun.cast[0].chair, cook(0));
    let mut state = state_of(begun);
    happens(&mut state, Event::GuardsRetrieved(near(&["g1"])));
    let ids = ids(&state);
    assert!(ids.contains(&"guard cook-1".to_owned()), "{ids:?}");
    assert!(!ids.contains(&"guard cook-0".to_owned()), "{ids:?}");
}

#[test]
fn a_matched_chair_is_refused_in_every_round_and_its_turns_are_judged_by_nobody() {
    let mut state = state_of(begun(3, 2));
    happens(&mut state, Event::GuardsRetrieved(near(&["g1", "g2"])));
    happens(&mut state, guarded(&cook(0), matched("g2")));
    happens(&mut state, guarded(&cook(1), GuardDecision::NoMatch));
    play_on(&mut state, |_| false);
    assert!(state.find_open_steps().done.is_some());
    let own = |chair: &Chair| -> Vec<&TurnId> {
        let turns = state.turns().keys();
        turns.filter(|turn| &turn.chair == chair).collect()
    };
    assert!(!own(&cook(0)).is_empty());
    for turn in own(&cook(0)) {
        assert_eq!(state.refusing_guardrail(turn), Some("g2"), "{turn}");
        let target = Target::Attempt(AttemptId {
            turn: turn.clone(),
            attempt: 0,
        });
        assert!(state.verdicts().all(|(_, on, _)| *on != target), "{turn}");
    }
    for turn in own(&cook(1)) {
        assert_eq!(state.refusing_guardrail(turn), None);
    }
    let judged = state.verdicts().filter(|(_, on, _)| match on {
        Target::Attempt(attempt) => attempt.turn.chair == cook(1),
        Target::Round(_) | Target::Debate => false,
    });
    assert!(judged.count() > 0);
}

#[test]
fn a_decision_that_failed_or_could_not_be_read_lets_the_chair_speak_and_stays_known() {
    let mut state = state_of(begun(1, 2));
    happens(&mut state, Event::GuardsRetrieved(near(&["g1"])));
    let unparsed = GuardDecision::Unparsed {
        why: "mumbled".to_owned(),
        cause: None,
    };
    happens(&mut state, guarded(&cook(0), unparsed));
    happens(
        &mut state,
        Event::Failed(Failed {
            step: Step::Guard(cook(1)).id(),
            kind: FailureKind::Error,
            message: "nobody there".to_owned(),
            may_have_cost_usd: None,
            may_have_used_tokens: None,
            unsent: false,
        }),
    );
    assert!(state.failures().is_empty());
    assert!(state.find_open_steps().blocked.is_empty());
    for chair in [cook(0), cook(1)] {
        assert!(matches!(spoken(&state, &chair)[..], [Step::Speak(_)]));
    }
    assert!(state.guard_states()[&cook(1)].decided.is_err());
}

#[test]
fn a_failed_decision_is_asked_again_when_the_session_is_resumed_unless_the_chair_spoke() {
    let failed = |chair: &Chair| {
        Event::Failed(Failed {
            step: Step::Guard(chair.clone()).id(),
            kind: FailureKind::Error,
            message: "nobody there".to_owned(),
            may_have_cost_usd: None,
            may_have_used_tokens: None,
            unsent: false,
        })
    };
    let mut state = state_of(begun(1, 2));
    happens(&mut state, Event::GuardsRetrieved(near(&["g1"])));
    happens(&mut state, failed(&cook(0)));
    happens(&mut state, failed(&cook(1)));
    let step = spoken(&state, &cook(0)).remove(0);
    let said = perform(&state, &step, 3);
    happens(&mut state, said);
    happens(&mut state, Event::Resumed {});
    let ids = ids(&state);
    assert!(!ids.contains(&"guard cook-0".to_owned()), "{ids:?}");
    assert!(ids.contains(&"guard cook-1".to_owned()), "{ids:?}");
}

#[test]
fn events_that_do_not_fit_are_refused_with_a_reason() {
    let mut state = state_of(begun(1, 2));
    let step = |state: &State, chair: &Chair| spoken(state, chair).remove(0);
    assert_eq!(
        refuses(&state, guarded(&cook(0), GuardDecision::NoMatch)),
        EventRefusal::NotOpen(StepId::from("guard cook-0".to_owned()))
    );
    happens(&mut state, Event::GuardsRetrieved(near(&["g1"])));
    assert_eq!(
        refuses(&state, Event::GuardsRetrieved(near(&["g1"]))),
        EventRefusal::NoGuardsWanted
    );
    assert_eq!(
        refuses(&state, guarded(&cook(0), matched("g9"))),
        EventRefusal::NoSuchGuardrail("g9".to_owned())
    );
    let waiter = Chair {
        seat: SeatId::new("guest"),
        index: 0,
    };
    assert!(matches!(
        refuses(&state, guarded(&waiter, GuardDecision::NoMatch)),
        EventRefusal::NotOpen(_)
    ));
    happens(&mut state, guarded(&cook(0), GuardDecision::NoMatch));
    assert!(matches!(
        refuses(&state, guarded(&cook(0), matched("g1"))),
        EventRefusal::NotOpen(_)
    ));
    happens(&mut state, guarded(&cook(1), matched("g1")));
    // A refusal that no guardrail made, and a reply that one forbids.
    let Step::Speak(speak) = step(&state, &cook(0)) else {
        panic!("it does not speak")
    };
    let mut forged = replied(refused(&state, &speak));
    forged.guardrail = Some("g1".to_owned());
    assert_eq!(
        refuses(&state, Event::Replied(Box::new(forged))),
        EventRefusal::NoSuchGuardrail("g1".to_owned())
    );
    let Step::Refuse(speak) = step(&state, &cook(1)) else {
        panic!("it is not refused")
    };
    let mut spoke = replied(refused(&state, &speak));
    spoke.guardrail = None;
    assert_eq!(
        refuses(&state, Event::Replied(Box::new(spoke))),
        EventRefusal::Guarded(speak.turn.clone())
    );
    let speak = refused_dish(&mut state, &cook(1));
    let target = Target::Attempt(AttemptId {
        turn: speak.turn.clone(),
        attempt: 0,
    });
    assert!(matches!(
        refuses(&state, judged(target)),
        EventRefusal::NotJudged(_)
    ));
}

#[test]
fn a_person_may_write_what_a_guardrail_refused_and_that_is_judged() {
    let mut state = state_of(begun(1, 1));
    happens(&mut state, Event::GuardsRetrieved(near(&["g1"])));
    happens(&mut state, guarded(&cook(0), matched("g1")));
    let speak = refused_dish(&mut state, &cook(0));
    state
        .apply_event(&Record {
            at: String::new(),
            by: Author::Person("ada".to_owned()),
            event: Event::Edited {
                turn: speak.turn.clone(),
                attempt: 1,
                text: "An answer after all.".to_owned(),
            },
        })
        .unwrap();
    assert_eq!(state.refusing_guardrail(&speak.turn), None);
    play_on(&mut state, |_| false);
    let target = Target::Attempt(AttemptId {
        turn: speak.turn,
        attempt: 1,
    });
    assert!(state.verdicts().any(|(_, on, _)| *on == target));
}

#[test]
fn a_session_of_an_earlier_version_uses_no_guardrails() {
    let mut begun = begun(1, 1);
    begun.memory.guards = false;
    let line = serde_json::to_string(&begun).unwrap();
    assert!(!line.contains("guards"));
    let state = state_of(serde_json::from_str(&line).unwrap());
    assert!(!ids(&state).iter().any(|id| id.contains("guard")));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// Total under guardrails as well: every order of doing ends, folds, and means the same.
    #[test]
    fn guarded_games_end_in_every_order_with_the_same_substance(
        rounds in 1i64..4, cooks in 1i64..4, one: u64, other: u64, answers: u64,
    ) {
        let first = State::from_records(&play(begun(rounds, cooks), one, answers)).unwrap();
        let second = State::from_records(&play(begun(rounds, cooks), other, answers)).unwrap();
        let texts = |state: &State| -> Vec<String> {
            let turns = state.turns().iter();
            turns.map(|(turn, known)| format!("{turn} {:?}", known.chosen_attempt().map(|a| (&a.reply.text, &a.guardrail)))).collect()
        };
        prop_assert_eq!(texts(&first), texts(&second));
        let decided = |state: &State| -> Vec<(Chair, bool)> {
            state.guard_states().iter().map(|(chair, decided)| (chair.clone(), decided.decided.is_ok())).collect()
        };
        prop_assert_eq!(decided(&first), decided(&second));
    }
}

fn replied(event: Event) -> Replied {
    match event {
        Event::Replied(replied) => *replied,
        other => panic!("{other:?}"),
    }
}

fn judged(target: Target) -> Event {
    Event::Judged(Box::new(Judged {
        judging: JudgingId::from("hygiene"),
        chair: 0,
        target,
        order: ShownOrder::AsSeated,
        attempt: 0,
        outcome: Outcome::Label(Finding::default()),
        view: None,
        reply: None,
    }))
}
