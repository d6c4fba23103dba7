//! Comparisons of prompts against what scipy, statsmodels and numpy say; `make.py` beside the cases
//! says how they were made.

use crate::{
    PairedTest, PreferencePair, Preferred, Resampling, adjust_by_holm, confidence_sequence,
    mcnemar_exact, mcnemar_mid_p, sign_flip, summarize_preferences,
};
use serde_json::Value;

const PLAN: Resampling = Resampling {
    resamples: 500,
    seed: 1,
};

fn cases(name: &str) -> Vec<Value> {
    let text = include_str!("../../../../tests/fixtures/prompts/cases.json");
    let mut all: Value = serde_json::from_str(text).unwrap();
    serde_json::from_value(all[name].take()).unwrap()
}

fn numbers(value: &Value) -> Vec<f64> {
    serde_json::from_value(value.clone()).unwrap()
}

fn near(ours: f64, theirs: &Value) {
    let theirs = theirs.as_f64().unwrap();
    assert!((ours - theirs).abs() < 1e-9, "{ours} is not {theirs}");
}

#[test]
fn flipped_signs_give_the_exact_permutation_tests_p_value() {
    for case in cases("sign_flips") {
        near(
            sign_flip(&numbers(&case["differences"]), PLAN),
            &case["p_value"],
        );
    }
}

#[test]
fn mcnemar_gives_the_exact_binomial_tests_p_value() {
    for case in cases("mcnemar") {
        let count = |name: &str| case[name].as_u64().unwrap();
        let (first, second) = (count("only_first"), count("only_second"));
        near(mcnemar_exact(first, second), &case["p_value"]);
        near(mcnemar_mid_p(first, second), &case["mid_p"]);
    }
}

#[test]
fn families_are_adjusted_as_by_statsmodels() {
    for case in cases("holm") {
        let adjusted = adjust_by_holm(&numbers(&case["p_values"]));
        for (ours, theirs) in adjusted.iter().zip(case["adjusted"].as_array().unwrap()) {
            near(*ours, theirs);
        }
    }
}

#[test]
fn the_confidence_sequence_is_that_of_the_paper_after_every_topic() {
    for case in cases("sequences") {
        let differences = numbers(&case["differences"]);
        let found = confidence_sequence(&differences, case["alpha"].as_f64().unwrap());
        assert_eq!(found.points.len(), differences.len());
        for (at, point) in found.points.iter().enumerate() {
            near(point.low, &case["low"][at]);
            near(point.high, &case["high"][at]);
        }
        let settled = case["settled_after"].as_u64();
        assert_eq!(found.settled_after.map(|topics| topics as u64), settled);
    }
}

#[test]
fn a_preference_is_the_mean_over_topics_with_ties_as_halves() {
    for (case, test) in cases("preferences")
        .iter()
        .zip([PairedTest::McNemarMidP, PairedTest::SignFlip])
    {
        let mut pairs = Vec::new();
        for (topic, wins) in case["topics"].as_array().unwrap().iter().enumerate() {
            for won in numbers(wins) {
                pairs.push(PreferencePair {
                    topic: crate::RowTopic::from_name(&format!("t{topic}")),
                    simulated: false,
                    said: match won {
                        1.0 => [Preferred::B, Preferred::B],
                        0.0 => [Preferred::A, Preferred::A],
                        // A contradiction between the orders counts as a tie does.
                        _ if topic % 2 == 0 => [Preferred::A, Preferred::B],
                        _ => [Preferred::Tie, Preferred::Tie],
                    },
                });
            }
        }
        let report = summarize_preferences(&pairs, 0, PLAN).unwrap();
        assert_eq!(report.test, test);
        near(report.share_b.unwrap(), &case["share_b"]);
        near(report.p_value.unwrap(), &case["p_value"]);
    }
}
