//! Simulated judges that pick one of two candidates.

use elenchus::model::sim::{State, markers};
use elenchus::model::{Axis, Choice, Hint, Question, RoleHint, Sim, SimSettings};

use super::common::{hint, request};
use super::sim::only_mark;
use super::sim_rates::{assert_rate, plain, seeded};

const A_GOOD: &str = "[sim seat=debater-0 round=1 state=correct]";
const A_BAD: &str = "[sim seat=debater-0 round=1 state=incorrect]";
const B_GOOD: &str = "[sim seat=debater-1 round=1 state=correct]";
const B_BAD: &str = "[sim seat=debater-1 round=1 state=incorrect]";

fn picking(pick_accuracy: f64, position_bias: f64) -> Sim {
    Sim::new(SimSettings {
        pick_accuracy,
        position_bias,
        ..plain()
    })
    .unwrap()
}

fn judge(labels: &[(&str, f64)]) -> Hint {
    let choice = |(label, value): &(&str, f64)| Choice {
        label: (*label).into(),
        reply: (*label).into(),
        value: *value,
    };
    Hint {
        role: RoleHint::Judge,
        seat: "judge".into(),
        axis: Axis::Correctness,
        choices: labels.iter().map(choice).collect(),
        question: Question::Pick,
        ..hint()
    }
}

fn three() -> Hint {
    judge(&[("first", 1.0), ("tie", 0.0), ("second", -1.0)])
}

fn picked(sim: &Sim, shown: &[&str], hint: Hint) -> String {
    sim.reply(&request(shown, hint)).unwrap().text
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
    rate("right, first", "first", a + (1.0 - a) * b, [A_GOOD, B_BAD]);
    rate(
        "wrong, second",
        "second",
        (1.0 - a) * (1.0 - b),
        [A_GOOD, B_BAD],
    );
    rate("right, second", "second", a, [A_BAD, B_GOOD]);
    rate("wrong, first", "first", 1.0 - a, [A_BAD, B_GOOD]);
}

#[test]
fn equal_candidates_tie_but_for_the_bias_to_the_first() {
    let sim = picking(0.8, 0.3);
    for shown in [[A_GOOD, B_GOOD], [A_BAD, B_BAD]] {
        for (label, expected) in [("first", 0.3), ("tie", 0.7)] {
            assert_rate(label, expected, |seed| {
                picked(&sim, &shown, seeded(seed, three())) == label
            });
        }
    }
    // Where no choice is a tie, a fair draw takes its place.
    let two = judge(&[("first", 1.0), ("second", -1.0)]);
    assert_rate("no tie to find", 0.3 + 0.7 / 2.0, |seed| {
        picked(&sim, &[A_GOOD, B_GOOD], seeded(seed, two.clone())) == "first"
    });
}

#[test]
fn in_both_orders_a_judge_contradicts_itself_as_often_as_it_errs_in_one() {
    let (a, b) = (0.8, 0.1);
    let sim = picking(a, b);
    let right_first = a + (1.0 - a) * b;
    let both_right = right_first * a;
    let both_wrong = (1.0 - right_first) * (1.0 - a);
    assert_rate("inconsistent", 1.0 - both_right - both_wrong, |seed| {
        let hint = seeded(seed, three());
        let one = picked(&sim, &[A_GOOD, B_BAD], hint.clone());
        let swapped = picked(&sim, &[B_BAD, A_GOOD], hint);
        // The same place in both orders is another candidate.
        one == swapped
    });
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
        ([A_GOOD, B_BAD], State::First),
        ([A_BAD, B_GOOD], State::Second),
        ([A_BAD, B_BAD], State::Unsure),
    ] {
        let told = Hint {
            reference: Some("42".into()),
            ..three()
        };
        let reply = sim.reply(&request(&shown, told)).unwrap();
        assert_eq!(reply, sim.reply(&request(&shown, three())).unwrap());
        assert_eq!(only_mark(reply.thinking.as_deref().unwrap()).state, state);
        assert!(markers(&reply.text).is_empty());
    }
}
