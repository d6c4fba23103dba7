//! Calls without an outcome: possible cases, and how each continues.

use super::harness::{created, perform, protocol, record};
use super::kitchen_sink::KITCHEN;
use elenchus_game::debate::event::{
    Author, Event, Failed, FailureKind, Record, Replied, Reply, StopReason, Stopped,
};
use elenchus_game::debate::{AttemptId, EventRefusal, State, Step, StepId, TurnId};

fn begun() -> State {
    let mut state = State::default();
    let begin = created(protocol(KITCHEN, &[]), 1);
    state
        .apply_event(&record(Event::Created(Box::new(begin))))
        .unwrap();
    let asked = perform(&state, &Step::Retrieve(None), 1);
    state.apply_event(&record(asked)).unwrap();
    state
}

fn turn() -> TurnId {
    TurnId::try_from("r1.plan.cook-0".to_owned()).unwrap()
}

fn started(step: &StepId) -> Record {
    record(Event::CallStarted {
        step: step.clone(),
        worst_case_usd: Some(0.5),
        worst_case_tokens: 10,
    })
}

fn replied(attempt: u32, call: Option<StepId>) -> Event {
    Event::Replied(Box::new(Replied {
        turn: turn(),
        attempt,
        view: None,
        reply: Reply {
            text: format!("Attempt {attempt}."),
            ..Reply::default()
        },
        fields: None,
        call,
        guardrail: None,
    }))
}

fn reroll(number: u32) -> StepId {
    StepId::from_reroll(&AttemptId {
        turn: turn(),
        attempt: number,
    })
}

#[test]
fn a_call_for_what_the_game_does_not_have_is_refused() {
    let mut state = begun();
    for step in [
        "",
        "nonsense",
        "speak r9.plan.cook-0#0",
        "speak r1.plan.cook-0#1",
        "judge nothing evaluator-0 debate",
        "judge hygiene inspector-9 r1.dish.cook-0#0",
        "retrieve",
    ] {
        let step = StepId::from(step.to_owned());
        let before = state.clone();
        assert_eq!(
            state.apply_event(&started(&step)),
            Err(EventRefusal::NotOpen(step.clone())),
            "{step}"
        );
        assert_eq!(state, before);
    }
    let open = state.find_open_steps().steps;
    for step in open {
        state.apply_event(&started(&step.id())).unwrap();
    }
    assert_eq!(
        state.apply_event(&started(&reroll(0))),
        Err(EventRefusal::NotOpen(reroll(0)))
    );
}

#[test]
fn fresh_attempts_take_the_next_number_and_one_that_fails_blocks_nothing() {
    let mut state = begun();
    state.apply_event(&record(replied(0, None))).unwrap();
    let open = state.find_open_steps();
    for number in 1..=3 {
        state.apply_event(&started(&reroll(number))).unwrap();
    }
    assert_eq!(state.turns()[&turn()].next_reroll(), 4);
    let failed = |step: StepId| {
        record(Event::Failed(Failed {
            step,
            kind: FailureKind::Filtered,
            message: "no".to_owned(),
            may_have_cost_usd: Some(0.25),
            may_have_used_tokens: None,
            unsent: false,
        }))
    };
    state.apply_event(&failed(reroll(1))).unwrap();
    assert_eq!(
        state.apply_event(&failed(reroll(1))),
        Err(EventRefusal::NotOpen(reroll(1)))
    );
    assert_eq!(state.find_open_steps(), open);
    assert!(state.failures().is_empty() && !state.turns()[&turn()].filtered);
    // A reply must come from a call that was made for its turn.
    let stray = record(replied(1, Some(reroll(7))));
    assert_eq!(
        state.apply_event(&stray),
        Err(EventRefusal::NotOpen(reroll(7)))
    );
    state
        .apply_event(&record(replied(1, Some(reroll(2)))))
        .unwrap();
    state
        .apply_event(&record(replied(2, Some(reroll(3)))))
        .unwrap();
    assert_eq!(state.calls_without_outcome().count(), 0);
    assert_eq!(state.turns()[&turn()].chosen_index, 2);
    // Who asked again had seen a reply.
    let attempts = state.turns()[&turn()].attempts.iter();
    let chosen: Vec<bool> = attempts.map(|one| one.is_persons_choice()).collect();
    assert_eq!(chosen, [false, true, true]);
    assert!((state.committed_usd() - 0.25).abs() < 1e-12);
}

#[test]
fn a_call_that_a_person_made_needless_stays_in_doubt() {
    let mut state = begun();
    let step = StepId::from("speak r1.plan.cook-0#0".to_owned());
    state.apply_event(&started(&step)).unwrap();
    let mut answer = record(replied(0, None));
    answer.by = Author::Person("ana".to_owned());
    state.apply_event(&answer).unwrap();
    let spend = state.spend();
    assert_eq!((spend.calls, spend.in_doubt_calls), (0, 1));
    assert!((state.committed_usd() - 0.5).abs() < 1e-12);
}

fn stopped(step: &StepId, reason: StopReason) -> Record {
    record(Event::Stopped(Box::new(Stopped {
        step: step.clone(),
        reason,
        text: "Half a ".to_owned(),
        thinking: None,
        usage: None,
        may_have_cost_usd: Some(0.25),
        may_have_used_tokens: Some(4),
    })))
}

#[test]
fn a_stopped_reply_is_of_a_call_in_flight_and_is_counted_once() {
    let reasons = [
        StopReason::Person,
        StopReason::Killed,
        StopReason::ConnectionLost,
        StopReason::StreamCut,
        StopReason::TimedOut,
        StopReason::Filtered,
    ];
    let step = StepId::from("speak r1.plan.cook-0#0".to_owned());
    for reason in reasons {
        let mut state = begun();
        let refused = state.apply_event(&stopped(&step, reason));
        assert_eq!(refused, Err(EventRefusal::NotOpen(step.clone())));

        state.apply_event(&started(&step)).unwrap();
        let (open, turns) = (state.find_open_steps(), state.turns().clone());
        state.apply_event(&stopped(&step, reason)).unwrap();
        // The game does not notice.
        assert_eq!((state.find_open_steps(), state.turns()), (open, &turns));
        assert!(state.failures().is_empty());
        assert_eq!(state.stopped_replies_to(&turn()).count(), 1);
        let ends = matches!(reason, StopReason::Person | StopReason::Killed);
        assert_eq!(state.calls_without_outcome().count(), usize::from(!ends));
        assert_eq!(state.committed_calls(), 1);
        let expected = if ends { 0.25 } else { 0.5 };
        assert!(
            (state.committed_usd() - expected).abs() < 1e-12,
            "{reason:?}"
        );
        let again = state.apply_event(&stopped(&step, StopReason::Person));
        assert_eq!(again.is_err(), ends, "{reason:?}");
        // Resuming counts nothing a second time.
        let committed = state.committed_usd();
        state.apply_event(&record(Event::Resumed {})).unwrap();
        assert!(
            (state.committed_usd() - committed).abs() < 1e-12,
            "{reason:?}"
        );
        // The turn is answered as its first attempt.
        state.apply_event(&started(&step)).unwrap();
        state.apply_event(&record(replied(0, None))).unwrap();
        assert_eq!(state.turns()[&turn()].attempts.len(), 1);
        assert_eq!(state.committed_calls(), 2);
    }
}

#[test]
fn a_failure_after_a_stopped_reply_counts_the_tokens_that_were_reported() {
    let mut state = begun();
    let step = StepId::from("speak r1.plan.cook-0#0".to_owned());
    state.apply_event(&started(&step)).unwrap();
    state
        .apply_event(&stopped(&step, StopReason::StreamCut))
        .unwrap();
    state
        .apply_event(&record(Event::Failed(Failed {
            step,
            kind: FailureKind::Error,
            message: "the reply broke off".to_owned(),
            may_have_cost_usd: Some(0.25),
            may_have_used_tokens: Some(4),
            unsent: false,
        })))
        .unwrap();
    let spend = state.spend();
    assert_eq!((spend.in_doubt_calls, spend.in_doubt_tokens), (1, 4));
    assert!((state.committed_usd() - 0.25).abs() < 1e-12);
}
