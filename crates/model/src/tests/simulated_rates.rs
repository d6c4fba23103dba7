//! The simulated model's frequencies are what its parameters say.
//!
//! Bounds are five standard deviations of a binomial; seeds are fixed, so nothing flickers.

use crate::sim::{SimState, find_markers, truth};
use crate::{Axis, CallContext, LabelChoice, Request, RoleHint, Sim, SimSettings};

use super::harness::{hint, request};
use super::simulated::choices;

const DRAWS: u64 = 4000;

pub fn plain() -> SimSettings {
    SimSettings {
        topic_effect: 0.0,
        seat_effect: 0.0,
        tokens_per_reply: 1,
        ..SimSettings::default()
    }
}

pub fn seeded(seed: u64, hint: CallContext) -> CallContext {
    CallContext { seed, ..hint }
}

/// Asserts that `happens` is true as often as `expected` says.
pub fn assert_rate(what: &str, expected: f64, happens: impl Fn(u64) -> bool) {
    let count = (0..DRAWS).filter(|seed| happens(*seed)).count();
    let rate = count as f64 / DRAWS as f64;
    let bound = 5.0 * (expected * (1.0 - expected) / DRAWS as f64).sqrt();
    assert!(
        (rate - expected).abs() <= bound,
        "{what}: {rate}, expected {expected} ± {bound}"
    );
}

fn is_unsafe(sim: &Sim, request: &Request) -> bool {
    let text = sim.compute_reply(request).unwrap().text;
    find_markers(&text)[0].state == SimState::Unsafe
}

#[test]
fn first_turns_are_unsafe_at_their_rate() {
    for rate in [0.05, 0.35, 0.8] {
        let sim = Sim::new(SimSettings {
            unsafe_rate: rate,
            ..plain()
        })
        .unwrap();
        assert_rate("unsafe", rate, |seed| {
            is_unsafe(&sim, &request(&["?"], seeded(seed, hint())))
        });
    }
}

#[test]
fn over_all_topics_first_turns_are_bad_at_the_rate_that_is_set() {
    for (rate, topic_effect, seat_effect) in [(0.2, 2.0, 0.0), (0.2, 1.0, 3.0), (0.9, 2.0, 0.3)] {
        let settings = SimSettings {
            unsafe_rate: rate,
            accuracy: 1.0 - rate,
            topic_effect,
            seat_effect,
            ..plain()
        };
        for axis in [Axis::Safety, Axis::Correctness] {
            let mean = (0..DRAWS)
                .map(|at| {
                    let hint = CallContext {
                        topic: format!("topic {at}"),
                        seat: format!("seat {at}"),
                        axis,
                        ..hint()
                    };
                    let seen = truth::read_knowledge(&request(&["?"], hint.clone()));
                    truth::bad_turn_probability(&settings, "m", &hint, &seen)
                })
                .sum::<f64>()
                / DRAWS as f64;
            // Five standard errors of a mean of numbers between 0 and 1.
            assert!((mean - rate).abs() < 0.025, "{rate} {topic_effect}: {mean}");
        }
    }
}

#[test]
fn a_topics_rate_is_the_one_its_effect_gives_it() {
    let settings = SimSettings {
        topic_effect: 1.5,
        ..plain()
    };
    let sim = Sim::new(settings.clone()).unwrap();
    let mut rates = Vec::new();
    for topic in ["a", "b", "c", "d"] {
        let hint = CallContext {
            topic: topic.into(),
            ..hint()
        };
        let seen = truth::read_knowledge(&request(&["?"], hint.clone()));
        let rate = truth::bad_turn_probability(&settings, "asked-model", &hint, &seen);
        assert_rate(topic, rate, |seed| {
            is_unsafe(&sim, &request(&["?"], seeded(seed, hint.clone())))
        });
        rates.push(rate);
    }
    rates.sort_by(f64::total_cmp);
    assert!(rates[3] - rates[0] > 0.1, "{rates:?}");
}

#[test]
fn topic_effects_are_normal_with_their_deviation() {
    let settings = SimSettings {
        topic_effect: 1.5,
        unsafe_rate: 0.5,
        ..plain()
    };
    let logits: Vec<f64> = (0..DRAWS)
        .map(|topic| {
            let hint = CallContext {
                topic: topic.to_string(),
                ..hint()
            };
            let p = truth::bad_turn_probability(
                &settings,
                "m",
                &hint,
                &truth::SpeakerKnowledge::default(),
            );
            (p / (1.0 - p)).ln()
        })
        .collect();
    let mean = logits.iter().sum::<f64>() / DRAWS as f64;
    let variance = logits.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / DRAWS as f64;
    assert!(mean.abs() < 5.0 * 1.5 / (DRAWS as f64).sqrt(), "{mean}");
    assert!((variance.sqrt() - 1.5).abs() < 0.1, "{}", variance.sqrt());
}

#[test]
fn speakers_turn_as_often_as_peers_personas_and_critics_say() {
    let settings = plain();
    let sim = Sim::new(settings.clone()).unwrap();
    let shown = [
        "[sim seat=debater-0 round=1 state=unsafe]",
        "[sim seat=debater-1 round=1 state=safe] [sim seat=debater-2 round=1 state=unsafe]",
        "[sim seat=socratic-0 round=1 state=persona]",
    ];
    let later = CallContext { round: 2, ..hint() };
    let stays = 1.0 - (settings.yield_to_peers / 2.0 + settings.personas["socratic"].to_safe);
    assert_rate("stays unsafe", stays, |seed| {
        is_unsafe(&sim, &request(&shown, seeded(seed, later.clone())))
    });
}

#[test]
fn an_evaluator_errs_as_its_sensitivity_and_specificity_say() {
    let settings = SimSettings {
        evaluator_sensitivity: 0.8,
        evaluator_specificity: 0.95,
        ..plain()
    };
    let sim = Sim::new(settings).unwrap();
    let hint = CallContext {
        role: RoleHint::Evaluator,
        choices: choices(),
        ..hint()
    };
    for (state, says_unsafe) in [("unsafe", 0.8), ("safe", 0.05)] {
        let shown = format!("[sim seat=debater-0 round=1 state={state}]");
        assert_rate(state, says_unsafe, |seed| {
            let reply = sim.compute_reply(&request(&[&shown], seeded(seed, hint.clone())));
            reply.unwrap().text == "VERDICT unsafe"
        });
    }
}

#[test]
fn an_evaluators_errors_on_different_turns_of_a_round_are_independent() {
    let settings = SimSettings {
        evaluator_sensitivity: 0.5,
        ..plain()
    };
    let sim = Sim::new(settings).unwrap();
    let hint = CallContext {
        role: RoleHint::Evaluator,
        choices: choices(),
        ..hint()
    };
    assert_rate("agreement on two turns", 0.5, |seed| {
        let find = |index: u32| {
            let shown = format!("[sim seat=debater-{index} round=1 state=unsafe]");
            let reply = sim.compute_reply(&request(&[&shown], seeded(seed, hint.clone())));
            reply.unwrap().text
        };
        find(0) == find(1)
    });
}

#[test]
fn a_three_way_judge_decides_by_its_row() {
    let settings = plain();
    let sim = Sim::new(settings.clone()).unwrap();
    let choice = |label: &str, value| LabelChoice {
        label: label.into(),
        reply: label.into(),
        value,
    };
    let hint = CallContext {
        role: RoleHint::Judge,
        axis: crate::Axis::Correctness,
        choices: vec![
            choice("none", 1.0),
            choice("some", 0.0),
            choice("fatal", -1.0),
        ],
        ..hint()
    };
    let rows = [
        ("correct", settings.judge_if_correct),
        ("incorrect", settings.judge_if_incorrect),
    ];
    for (state, row) in rows {
        let shown = format!("[sim seat=proposer-0 round=1 state={state}]");
        for (label, rate) in [("none", row.good), ("some", row.middle), ("fatal", row.bad)] {
            assert_rate(label, rate, |seed| {
                let reply = sim.compute_reply(&request(&[&shown], seeded(seed, hint.clone())));
                reply.unwrap().text == label
            });
        }
    }
}

#[test]
fn a_lesson_in_view_lowers_the_rate_by_its_effect() {
    let settings = plain();
    let sim = Sim::new(settings.clone()).unwrap();
    let lesson = "[sim kind=feedback seat=feedback-0 round=3 state=lesson topic=x]";
    let odds =
        settings.unsafe_rate / (1.0 - settings.unsafe_rate) * (-settings.memory_effect).exp();
    assert_rate("with a lesson", odds / (1.0 + odds), |seed| {
        is_unsafe(&sim, &request(&[lesson], seeded(seed, hint())))
    });
}
