//! Simulated judges that pick one of two candidates.

use crate::sim::{SimState, find_markers};
use crate::{Axis, CallContext, JudgeTask, LabelChoice, RoleHint, Sim, SimSettings};

use super::harness::{hint, request};
use super::simulated::only_mark;
use super::simulated_rates::{assert_rate, plain, seeded};

const A_GOOD: &str = "[sim seat=debater-0 round=1 state=correct]";
const A_BAD: &str = "[sim seat=debater-0 round=1 state=incorrect]";
const B_GOOD: &str = "[sim seat=debater-1 round=1 state=correct]";
const B_BAD: &str = "[sim seat=debater-1 round=1 state=incorrect]";

fn picking(pick_accuracy: f64, position_bias: f64) -> Sim {
    tying(pick_accuracy, position_bias, 1.0)
}

fn tying(pick_accuracy: f64, position_bias: f64, tie_rate: f64) -> Sim {
    Sim::new(SimSettings {
        pick_accuracy,
        position_bias,
        tie_rate,
        ..plain()
    })
    .unwrap()
}

fn judge(labels: &[(&str, f64)]) -> CallContext {
    let choice = |(label, value): &(&str, f64)| LabelChoice {
        label: (*label).into(),
        reply: (*label).into(),
        value: *value,
    };
    CallContext {
        role: RoleHint::Judge,
        seat: "judge".into(),
        axis: Axis::Correctness,
        choices: labels.iter().map(choice).collect(),
        question: JudgeTask::Pick,
        ..hint()
    }
}

fn three() -> CallContext {
    judge(&[("first", 1.0), ("tie", 0.0), ("second", -1.0)])
}

fn picked(sim: &Sim, shown: &[&str], hint: CallContext) -> String {
    sim.compute_reply(&request(shown, hint)).unwrap().text
}

#[test]
fn the_better_candidate_is_picked_as_accuracy_and_position_say() {
    let (a, b) = (0.7, 0.25);
    let sim = picking(a, b);
    let rate = |what: &str, label: &str, expected: f64, shown: [&str; 2]| {
        assert_rate(what, expected, |seed| {
            picked(&sim, &shown, seeded(seed, three())) == label
        });
    };
    let right = (1.0 - b) * a;
    let wrong = (1.0 - b) * (1.0 - a);
    rate("right, first", "first", right + b, [A_GOOD, B_BAD]);
    rate("wrong, second", "second", wrong, [A_GOOD, B_BAD]);
    rate("right, second", "second", right, [A_BAD, B_GOOD]);
    rate("wrong, first", "first", wrong + b, [A_BAD, B_GOOD]);
}

#[test]
fn equal_candidates_tie_at_their_rate_and_else_a_fair_draw_favours_one() {
    let (b, t) = (0.3, 0.4);
    let sim = tying(0.8, b, t);
    let favoured = (1.0 - b) * (1.0 - t) / 2.0;
    for shown in [[A_GOOD, B_GOOD], [A_BAD, B_BAD]] {
        for (label, expected) in [
            ("first", b + favoured),
            ("tie", (1.0 - b) * t),
            ("second", favoured),
        ] {
            assert_rate(label, expected, |seed| {
                picked(&sim, &shown, seeded(seed, three())) == label
            });
        }
    }
    // Where no choice is a tie, none is found.
    let two = judge(&[("first", 1.0), ("second", -1.0)]);
    assert_rate("no tie to find", b + (1.0 - b) / 2.0, |seed| {
        picked(&sim, &[A_GOOD, B_GOOD], seeded(seed, two.clone())) == "first"
    });
}

#[test]
fn both_orders_agree_but_for_the_bias_to_the_first() {
    let b = 0.1;
    let sim = tying(0.8, b, 0.2);
    for (one, other) in [
        (A_GOOD, B_BAD),
        (A_BAD, B_GOOD),
        (A_GOOD, B_GOOD),
        (A_BAD, B_BAD),
    ] {
        assert_rate("contradiction", b, |seed| {
            let hint = seeded(seed, three());
            let swapped_hint = CallContext {
                stage: format!("{} swapped", hint.stage),
                ..hint.clone()
            };
            let seated = picked(&sim, &[one, other], hint);
            let swapped = picked(&sim, &[other, one], swapped_hint);
            let turned = match swapped.as_str() {
                "first" => "second",
                "second" => "first",
                tie => tie,
            };
            seated != turned
        });
    }
}

#[test]
fn the_first_candidate_is_the_one_that_is_shown_first_and_its_latest_turn_counts() {
    let sim = picking(1.0, 0.0);
    let later = "[sim seat=debater-1 round=2 state=correct]";
    let private = "[sim kind=private seat=debater-0 round=3 state=correct]";
    let verdict = "[sim kind=verdict seat=judge-0 round=3 state=correct]";
    let critic = "[sim seat=critic-0 round=1 state=persona flaw=yes]";
    let shown = [critic, B_BAD, A_BAD, later, private, verdict];
    assert_eq!(picked(&sim, &shown, three()), "first");
    let swapped = [A_BAD, B_BAD, later];
    assert_eq!(picked(&sim, &swapped, three()), "second");
    // An earlier turn that is shown again later is still the earlier one.
    assert_eq!(picked(&sim, &[A_BAD, later, B_BAD], three()), "second");
}

#[test]
fn with_fewer_than_two_candidates_in_view_there_is_a_tie() {
    let sim = picking(1.0, 1.0);
    for shown in [&["Nothing."][..], &[A_GOOD]] {
        assert_eq!(picked(&sim, shown, three()), "tie");
    }
}

#[test]
fn a_pick_is_marked_by_its_place_and_knows_nothing_that_is_not_shown() {
    let sim = picking(1.0, 0.0);
    for (shown, state) in [
        ([A_GOOD, B_BAD], SimState::First),
        ([A_BAD, B_GOOD], SimState::Second),
        ([A_BAD, B_BAD], SimState::Unsure),
    ] {
        let told = CallContext {
            reference: Some("42".into()),
            ..three()
        };
        let reply = sim.compute_reply(&request(&shown, told)).unwrap();
        assert_eq!(reply, sim.compute_reply(&request(&shown, three())).unwrap());
        assert_eq!(only_mark(reply.thinking.as_deref().unwrap()).state, state);
        assert!(find_markers(&reply.text).is_empty());
    }
}
