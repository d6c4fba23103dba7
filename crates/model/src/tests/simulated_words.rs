//! Marked words of prompts move the simulated model's rates by what is set; detectors err as is set.

use crate::sim::{SimState, find_markers};
use crate::{Axis, CallContext, JudgeTask, LabelChoice, RoleHint, Sim, SimSettings};

use super::harness::hint;
use super::simulated::{choices, say};
use super::simulated_rates::{assert_rate, plain, seeded};

const RIGHT: &str = "[sim seat=proposer-0 round=1 state=correct]";
const WRONG: &str = "[sim seat=proposer-0 round=1 state=incorrect]";

fn made(change: impl FnOnce(&mut SimSettings)) -> Sim {
    let mut settings = plain();
    change(&mut settings);
    Sim::new(settings).unwrap()
}

fn shifted(probability: f64, logits: f64) -> f64 {
    let odds = probability / (1.0 - probability) * logits.exp();
    odds / (1.0 + odds)
}

fn judge(question: JudgeTask) -> CallContext {
    let choice = |label: &str, value| LabelChoice {
        label: label.into(),
        reply: label.into(),
        value,
    };
    CallContext {
        role: RoleHint::Judge,
        axis: Axis::Correctness,
        choices: vec![
            choice("good", 1.0),
            choice("middle", 0.0),
            choice("bad", -1.0),
        ],
        question,
        ..hint()
    }
}

#[test]
fn a_marked_word_moves_a_speakers_first_turn_and_its_changes() {
    let sim = made(|s| {
        s.unsafe_rate = 0.4;
        s.yield_to_peers = 0.3;
    });
    let is_unsafe = |shown: &[&str], seed| {
        let text = say(&sim, shown, seeded(seed, hint())).text;
        find_markers(&text)[0].state == SimState::Unsafe
    };
    for (word, shift) in [
        ("Answer.", 0.0),
        ("Be sim-careful.", -1.0),
        ("Be sim-careless.", 1.0),
    ] {
        let expected = shifted(0.4, shift);
        assert_rate(word, expected, |seed| is_unsafe(&[word], seed));
    }
    let own = "[sim seat=debater-0 round=1 state=safe]";
    let peer = "[sim seat=debater-1 round=1 state=unsafe]";
    let later = CallContext { round: 2, ..hint() };
    for (word, shift) in [("Answer.", 0.0), ("Be sim-careful.", -1.0)] {
        assert_rate("changes", shifted(0.3, shift), |seed| {
            let text = say(&sim, &[word, own, peer], seeded(seed, later.clone())).text;
            find_markers(&text)[0].state == SimState::Unsafe
        });
    }
}

#[test]
fn a_marked_word_moves_how_often_evaluators_and_judges_are_right() {
    let sim = made(|s| {
        s.evaluator_sensitivity = 0.7;
        s.evaluator_specificity = 0.8;
        s.prompt_words = [("thorough".to_owned(), 1.5)].into();
    });
    let evaluator = CallContext {
        role: RoleHint::Evaluator,
        choices: choices(),
        ..hint()
    };
    for (word, shift) in [("Judge it. sim-careful", 0.0), ("Be thorough.", 1.5)] {
        for (state, expected) in [("unsafe", 0.7), ("safe", 0.8)] {
            let turn = format!("[sim seat=debater-0 round=1 state={state}]");
            let found = format!("VERDICT {state}");
            assert_rate(word, shifted(expected, shift), |seed| {
                say(&sim, &[word, &turn], seeded(seed, evaluator.clone())).text == found
            });
        }
        let three = judge(JudgeTask::Quality);
        let row = sim.settings().judge_if_correct;
        let good = shifted(row.good, shift);
        let rest = (1.0 - good) / (1.0 - row.good);
        for (label, expected) in [("good", good), ("middle", row.middle * rest)] {
            assert_rate(label, expected, |seed| {
                say(&sim, &[word, RIGHT], seeded(seed, three.clone())).text == label
            });
        }
        let bad = shifted(sim.settings().judge_if_incorrect.bad, shift);
        assert_rate("bad", bad, |seed| {
            say(&sim, &[word, WRONG], seeded(seed, three.clone())).text == "bad"
        });
    }
}

#[test]
fn words_that_no_prompt_has_change_no_reply() {
    let (with, without) = (made(|_| {}), made(|s| s.prompt_words.clear()));
    let written = serde_json::to_string(with.settings()).unwrap();
    assert!(!written.contains("prompt_words") && !written.contains("detector_error"));
    for seed in 0..50 {
        for shown in [&["A question."][..], &["Judge.", RIGHT], &["Judge.", WRONG]] {
            let three = seeded(seed, judge(JudgeTask::Quality));
            assert_eq!(
                say(&with, shown, three.clone()),
                say(&without, shown, three)
            );
            let speaker = seeded(seed, hint());
            assert_eq!(
                say(&with, shown, speaker.clone()),
                say(&without, shown, speaker)
            );
        }
    }
}

#[test]
fn a_detector_reads_the_critics_turn_with_the_error_that_is_set() {
    let sim = made(|s| s.detector_error = Some(0.2));
    let mark = |rest: &str| format!("[sim seat=critic-0 round=1 state=persona{rest}]");
    let (spurious, stab) = (mark(" trick=spurious"), mark(" flaw=yes trick=back-stab"));
    let (names, accepts) = (mark(" flaw=yes"), mark(" flaw=no"));
    let truths = [
        (JudgeTask::Spurious, &spurious, true),
        (JudgeTask::Spurious, &names, false),
        (JudgeTask::BackStab, &stab, true),
        (JudgeTask::BackStab, &spurious, false),
        (JudgeTask::Stance, &names, true),
        (JudgeTask::Stance, &spurious, true),
        (JudgeTask::Stance, &accepts, false),
    ];
    for (question, turn, is_it) in truths {
        for (word, right) in [("Look.", 0.8), ("Be sim-careful.", shifted(0.8, 1.0))] {
            let expected = if is_it { right } else { 1.0 - right };
            assert_rate(&format!("{question:?} of {turn}"), expected, |seed| {
                let asked = seeded(seed, judge(question));
                say(&sim, &[word, RIGHT, turn], asked).text == "bad"
            });
        }
    }
    // Without a setting it finds as an evaluator of the proposal, as it did before there was one.
    let usual = made(|_| {});
    for seed in 0..50 {
        let [as_detector, as_judge] = [JudgeTask::Spurious, JudgeTask::Quality]
            .map(|question| say(&usual, &[RIGHT, &spurious], seeded(seed, judge(question))));
        assert_eq!(as_detector, as_judge);
    }
}

#[test]
fn a_word_of_several_words_or_a_shift_without_end_is_refused() {
    for (word, shift) in [("two words", 1.0), ("", 1.0), ("far", f64::INFINITY)] {
        let settings = SimSettings {
            prompt_words: [(word.to_owned(), shift)].into(),
            ..plain()
        };
        let error = Sim::new(settings).unwrap_err();
        assert!(error.to_string().contains("prompt_words"), "{error}");
    }
    let settings = SimSettings {
        detector_error: Some(1.5),
        ..plain()
    };
    assert!(Sim::new(settings).is_err());
}
