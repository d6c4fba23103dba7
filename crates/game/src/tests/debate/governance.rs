//! Repaired replies, rulings on rounds, and candidates in both orders.

mod stances;

use super::harness::{created, perform, play, protocol, record, said};
use elenchus_game::debate::event::{
    CeilingKind, Event, Fields, Finding, Judged, Outcome, Player, Replied, ScriptedLine,
    ScriptedPlayer,
};
use elenchus_game::debate::protocol::{ProtocolFile, SettingValue, Settings};
use elenchus_game::debate::{
    Chair, EventRefusal, Judge, ShownOrder, Speak, State, Step, TIE, Target,
};

/// Two advocates plead side by side; after each round a bench of two weighs them in both orders,
/// and the next round's pleas read what it found.
const MOOT: &str = r#"
id = "moot"
name = "Moot"
description = "Two advocates and a bench"
measures = "quality"
rounds = "$rounds"

[settings.rounds]
default = 2
help = "rounds"

[settings.weighed]
default = "all"
one_of = ["all", "last"]
help = "rounds that are weighed"

[settings.closing]
default = "none"
one_of = ["none", "short", "long"]
help = "whether there is a closing stage"

[settings.stance]
default = "chosen"
one_of = ["chosen", "in_order", "shuffled"]
help = "who chooses"

[[seats]]
id = "left"
kind = "speaker"
stance = "$stance"

[[seats]]
id = "right"
kind = "speaker"
stance = "$stance"

[[seats]]
id = "bench"
kind = "judge"
count = 2

[[stages]]
id = "plea"
seats = ["left", "right"]
templates = { left = "plea-left" }
sees = { topic = true, rulings = ["weigh"], turns = [{ seats = ["left", "right"] }] }
output = { type = "object" }
retry = [{ field = "score", below = 5.0 }, { unparsed = true, template = "again" }]

[[stages]]
id = "closing"
seats = ["left"]
enabled = "$closing!=none"
rounds = "last"
sees = { topic = true }

[[judging]]
id = "weigh"
by = "bench"
of = "round"
rounds = "$weighed"
rubric = "weigh"
orders = "both"
repair = { template = "again" }
sees = { topic = true, turns = [{ seats = ["left", "right"] }] }

[[stop]]
judging = "weigh"
labels = ["enough"]

[[gauges]]
id = "score"
name = "Score"
stage = "plea"
field = "score"
take = "number"
flag_below = 3.0
flag = "weak"

[[gauges]]
id = "left"
name = "Left wins"
judging = "weigh"
take = "is"
equals = "left"
"#;

fn moot(settings: &[(&str, SettingValue)]) -> State {
    let mut state = State::default();
    let begun = Event::Created(Box::new(created(protocol(MOOT, settings), 1)));
    state.apply_event(&record(begun)).unwrap();
    state
}

fn speaks(state: &State) -> Vec<Speak> {
    state
        .find_open_steps()
        .steps
        .into_iter()
        .filter_map(|step| match step {
            Step::Speak(speak) => Some(speak),
            _ => None,
        })
        .collect()
}

fn judges(state: &State) -> Vec<Judge> {
    state
        .find_open_steps()
        .steps
        .into_iter()
        .filter_map(|step| match step {
            Step::Judge(judge) => Some(judge),
            _ => None,
        })
        .collect()
}

fn plead(state: &mut State, speak: &Speak, fields: Fields) {
    let event = Event::Replied(Box::new(Replied {
        turn: speak.turn.clone(),
        attempt: speak.attempt,
        view: None,
        reply: said("a plea"),
        fields: Some(fields),
        call: None,
        guardrail: None,
    }));
    state.apply_event(&record(event)).unwrap();
}

fn score(score: u32) -> Fields {
    Fields::Read(serde_json::json!({ "score": score }))
}

fn mumbled() -> Fields {
    Fields::Unparsed {
        why: "no JSON".to_owned(),
    }
}

fn plead_all(state: &mut State) {
    for speak in speaks(state) {
        plead(state, &speak, score(9));
    }
}

fn verdict(judge: &Judge, outcome: Outcome) -> Event {
    Event::Judged(Box::new(Judged {
        judging: judge.judging.clone(),
        chair: judge.chair.index,
        target: judge.target.clone(),
        order: judge.order,
        attempt: judge.attempt,
        outcome,
        view: None,
        reply: Some(said("…")),
    }))
}

fn label(name: &str) -> Outcome {
    Outcome::Label(Finding {
        label: name.to_owned(),
        ..Finding::default()
    })
}

fn unread() -> Outcome {
    Outcome::Unparsed {
        why: "mumbled".to_owned(),
        cause: None,
    }
}

#[test]
fn an_unparsed_reply_is_repaired_once_and_a_weak_one_sent_back_once_each_by_its_own_rule() {
    let mut state = moot(&[]);
    let first = speaks(&state)[0].clone();
    plead(&mut state, &first, mumbled());
    let second = speaks(&state)
        .into_iter()
        .find(|speak| speak.turn == first.turn)
        .unwrap();
    assert_eq!((second.attempt, second.retry), (1, Some(1)));
    plead(&mut state, &second, score(2));
    let third = speaks(&state)
        .into_iter()
        .find(|speak| speak.turn == first.turn)
        .unwrap();
    assert_eq!((third.attempt, third.retry), (2, Some(0)));
    // Each rule has had its turn: what was read stands, and what was not is kept beside it.
    plead(&mut state, &third, mumbled());
    assert!(state.is_settled(&first.turn));
    let (stands, attempt) = state.chosen_attempt(&first.turn).unwrap();
    assert_eq!(stands.attempt, 1);
    assert!(matches!(attempt.fields, Some(Fields::Read(_))));
    let kept = &state.turns()[&first.turn].attempts;
    assert_eq!(kept.len(), 3);
    assert!(matches!(kept[2].fields, Some(Fields::Unparsed { .. })));
}

#[test]
fn a_reply_that_nobody_could_ever_read_stays_unparsed() {
    let mut state = moot(&[]);
    let first = speaks(&state)[0].clone();
    plead(&mut state, &first, mumbled());
    let second = speaks(&state)
        .into_iter()
        .find(|speak| speak.turn == first.turn)
        .unwrap();
    plead(&mut state, &second, mumbled());
    assert!(state.is_settled(&first.turn));
    let (stands, attempt) = state.chosen_attempt(&first.turn).unwrap();
    assert_eq!(stands.attempt, 1);
    assert!(matches!(attempt.fields, Some(Fields::Unparsed { .. })));
}

#[test]
fn two_orders_that_disagree_are_worth_what_the_rule_says_a_tie_is_worth() {
    let mut state = moot(&[]);
    plead_all(&mut state);
    let says = ["left", "right", "left", "right"];
    for (judge, says) in judges(&state).iter().zip(says) {
        state
            .apply_event(&record(verdict(judge, label(says))))
            .unwrap();
    }
    let mut rule = state.protocol().unwrap().judging[0].clone();
    for value in [0.0, -0.25] {
        rule.tie_value = value;
        match state.combined_outcome(&rule, &Target::Round(1)).unwrap() {
            Outcome::Label(finding) => {
                assert_eq!((finding.label.as_str(), finding.value), (TIE, value));
            }
            Outcome::Unparsed { why, .. } => panic!("{why}"),
        }
    }
}

#[test]
fn a_bench_weighs_in_both_orders_and_contradicting_findings_are_a_tie() {
    let mut state = moot(&[]);
    plead_all(&mut state);
    let asked = judges(&state);
    let orders: Vec<(u32, ShownOrder)> = asked
        .iter()
        .map(|judge| (judge.chair.index, judge.order))
        .collect();
    let both = [ShownOrder::AsSeated, ShownOrder::Swapped];
    let expected: Vec<_> = (0..2)
        .flat_map(|chair| both.map(|order| (chair, order)))
        .collect();
    assert_eq!(orders, expected);
    let ids: std::collections::BTreeSet<_> = asked
        .iter()
        .map(|judge| Step::Judge(judge.clone()).id())
        .collect();
    assert_eq!(ids.len(), 4, "every finding is a step of its own");
    // The first chair says 'left' both times, the second prefers whoever is shown first.
    let says = ["left", "left", "left", "right"];
    for (judge, says) in asked.iter().zip(says) {
        assert!(speaks(&state).is_empty(), "the next round reads all four");
        state
            .apply_event(&record(verdict(judge, label(says))))
            .unwrap();
    }
    let rule = state.protocol().unwrap().judging[0].clone();
    let together = state.combined_outcome(&rule, &Target::Round(1)).unwrap();
    assert!(
        matches!(together, Outcome::Unparsed { .. }),
        "one for left and one tie are no majority: {together:?}"
    );
    let mut alone = rule.clone();
    alone.combine = elenchus_game::debate::protocol::Combine::Mean;
    assert!(state.combined_outcome(&alone, &Target::Round(1)).is_some());
    assert_eq!(TIE, "tie");
    assert_eq!(speaks(&state).len(), 2, "round 2 may begin");
}

#[test]
fn a_judge_that_mumbles_is_asked_again_once_and_the_first_reply_is_kept_and_paid() {
    let mut state = moot(&[("rounds", SettingValue::Integer(1))]);
    plead_all(&mut state);
    let first = judges(&state)[0].clone();
    state
        .apply_event(&record(verdict(&first, unread())))
        .unwrap();
    let again: Vec<Judge> = judges(&state)
        .into_iter()
        .filter(|judge| judge.chair == first.chair && judge.order == first.order)
        .collect();
    assert_eq!(again.len(), 1);
    assert_eq!(again[0].attempt, 1);
    assert_ne!(
        Step::Judge(again[0].clone()).id(),
        Step::Judge(first.clone()).id()
    );
    let calls = state.spend().calls;
    state
        .apply_event(&record(verdict(&again[0], unread())))
        .unwrap();
    assert_eq!(state.spend().calls, calls + 1);
    let third = judges(&state)
        .into_iter()
        .find(|judge| judge.chair == first.chair && judge.order == first.order);
    assert_eq!(third, None, "unparsed stands after one repair");
    let refused = state.apply_event(&record(verdict(&again[0], label("left"))));
    assert_eq!(refused, Err(EventRefusal::JudgedTwice("weigh".to_owned())));
    let by_slot = state
        .verdicts_on(&first.judging, &Target::Round(1))
        .unwrap();
    let kept = by_slot.values().next().unwrap();
    assert_eq!(kept.earlier.len(), 1);
    assert_eq!(kept.earlier[0].outcome, Some(unread()));
}

#[test]
fn a_reply_that_no_call_is_left_to_repair_is_unparsed() {
    let mut state = moot(&[]);
    plead_all(&mut state);
    for judge in judges(&state) {
        state
            .apply_event(&record(verdict(&judge, unread())))
            .unwrap();
    }
    let rule = state.protocol().unwrap().judging[0].clone();
    assert_eq!(
        state.combined_outcome(&rule, &Target::Round(1)),
        None,
        "repairs are due"
    );
    let ceiling = CeilingKind::CostUsd;
    let met = Event::Truncated {
        ceiling,
        limit: 1.0,
        committed: 1.0,
    };
    state.apply_event(&record(met)).unwrap();
    let found = state.combined_outcome(&rule, &Target::Round(1));
    assert!(matches!(found, Some(Outcome::Unparsed { .. })), "{found:?}");
}

#[test]
fn what_a_gauge_reads_off_a_verdict_is_the_parents_in_a_fork() {
    let mut state = moot(&[("rounds", SettingValue::Integer(1))]);
    plead_all(&mut state);
    for judge in judges(&state) {
        state
            .apply_event(&record(verdict(&judge, label("left"))))
            .unwrap();
    }
    let readings = |state: &State| -> Vec<usize> {
        let gauges = state.compute_gauge_readings();
        gauges.iter().map(|reading| reading.values.len()).collect()
    };
    assert_eq!(readings(&state), [2, 1]);
    let forked = Event::Forked {
        parent: "s1".into(),
        parent_head: String::new(),
        session: None,
    };
    state.apply_event(&record(forked)).unwrap();
    assert_eq!(readings(&state), [0, 0]);
}

#[test]
fn rounds_that_are_not_ruled_on_hold_nothing_up_and_take_no_verdict() {
    let mut state = moot(&[("weighed", SettingValue::Text("last".to_owned()))]);
    plead_all(&mut state);
    assert!(judges(&state).is_empty());
    let early = Event::Judged(Box::new(Judged {
        judging: "weigh".into(),
        chair: 0,
        target: Target::Round(1),
        order: ShownOrder::AsSeated,
        attempt: 0,
        outcome: label("left"),
        view: None,
        reply: None,
    }));
    assert!(state.apply_event(&record(early)).is_err());
    plead_all(&mut state);
    assert_eq!(judges(&state).len(), 4, "the last round is weighed");
}

#[test]
fn gauges_read_every_turn_of_a_stage_and_the_last_verdict_of_a_rule() {
    let mut state = moot(&[]);
    let pleas = speaks(&state);
    plead(&mut state, &pleas[0], score(2));
    let again = speaks(&state)
        .into_iter()
        .find(|speak| speak.turn == pleas[0].turn)
        .unwrap();
    plead(&mut state, &again, score(2));
    plead(&mut state, &pleas[1], mumbled());
    let again = speaks(&state)[0].clone();
    plead(&mut state, &again, mumbled());
    let readings = state.compute_gauge_readings();
    assert_eq!(readings[0].values, [2.0]);
    assert_eq!(readings[0].unread, 1);
    assert!(readings[0].is_flagged());
    assert!(readings[1].values.is_empty(), "nothing was weighed yet");
    for judge in judges(&state) {
        state
            .apply_event(&record(verdict(&judge, label("left"))))
            .unwrap();
    }
    assert_eq!(state.compute_gauge_readings()[1].values, [1.0]);
    assert!(!state.compute_gauge_readings()[1].is_flagged());
}

#[test]
fn however_the_steps_are_taken_the_moot_ends_and_folds_to_the_same_substance() {
    for seed in 0..24 {
        let begun = created(protocol(MOOT, &[]), seed);
        let log = play(begun.clone(), seed, seed);
        let other = play(begun, seed + 1_000, seed);
        let (one, two) = (
            State::from_records(&log).unwrap(),
            State::from_records(&other).unwrap(),
        );
        assert_eq!(
            one.compute_gauge_readings(),
            two.compute_gauge_readings(),
            "seed {seed}"
        );
        assert!(one.find_open_steps().steps.is_empty());
        // Every prefix folds, and nothing that was done is asked for again.
        let mut state = State::default();
        for event in &log {
            state.apply_event(event).unwrap();
            for step in state.find_open_steps().steps {
                let _ = perform(&state, &step, seed);
            }
        }
    }
}
