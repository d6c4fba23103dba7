//! Comparisons of two arms: differences, multiples, and tests where there is no difference.

use super::{FILES, KINDS, TOPICS, found, letters, mean, settings};
use crate::tests::judged;
use crate::{
    ComparisonSettings, DebateRow, Dimension, Measure, PairedTest, Report, ReportSettings,
    UsageRow, compare_groups,
};
use elenchus_test_support::drawn::{honest, slack, sparse_datasets};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// One arm's debate, with so many judged turns, and what it cost.
fn in_arm(arm: &str, number: usize, course: &str, cost: f64) -> DebateRow {
    DebateRow {
        arm: arm.to_owned(),
        usage: UsageRow {
            cost_usd: Some(cost),
            ..UsageRow::default()
        },
        ..judged(&format!("t{number}"), &[course])
    }
}

/// Compares two arms whose second one errs by `factor` times the chance of the first.
fn compared(rng: &mut ChaCha8Rng, seed: u64, factor: f64, turns: usize) -> Report {
    let mut rows = Vec::new();
    for number in 0..TOPICS {
        let bad = KINDS[rng.random_range(0..KINDS.len())];
        // Costs are log-normal around the topic's, the second arm's three times as high.
        let topic = (rng.random_range(-1.0..1.0f64) + bad).exp();
        for (arm, factor, price) in [("first", 1.0, 1.0), ("second", factor, 3.0)] {
            let cost = price * topic * rng.random_range(0.5..1.5);
            rows.push(in_arm(
                arm,
                number,
                &letters(rng, factor * bad, turns),
                cost,
            ));
        }
    }
    let settings = ComparisonSettings {
        groups: ReportSettings {
            by: vec![Dimension::Arm],
            ..settings(Vec::new(), seed)
        },
        measures: vec![Measure::ErrorRate, Measure::CostPerDebate],
        within: None,
    };
    compare_groups(&rows, "first", &["second".to_owned()], &settings).unwrap()
}

#[test]
fn paired_differences_and_multiples() {
    let files = sparse_datasets(FILES);
    let known = [
        (Measure::ErrorRate, mean(|bad| 0.6 * bad - bad)),
        (Measure::CostPerDebate, 3.0),
    ];
    let mut held = [0; 2];
    for seed in 0..files {
        let report = compared(&mut ChaCha8Rng::seed_from_u64(seed), seed, 0.6, 4);
        for ((measure, truth), held) in known.iter().zip(&mut held) {
            let interval = found(&report, *measure, "").interval.unwrap();
            *held += u64::from((interval.low..=interval.high).contains(truth));
        }
    }
    for ((measure, _), held) in known.iter().zip(held) {
        let share = held as f64 / files as f64;
        println!("{measure:?} compared: covers {share}");
        assert!(honest(files).contains(&share), "{measure:?}: {share}");
    }
}

#[test]
fn arms_without_a_difference_are_rarely_called_different() {
    let files = sparse_datasets(FILES);
    // Below the level of .05: means of four turns lie on a lattice, and so the p-values on steps.
    for (turns, expected, test) in [
        (4, 0.035, PairedTest::SignFlip),
        (1, 0.045, PairedTest::McNemarMidP),
    ] {
        let mut alarms = 0;
        for seed in 0..files {
            let report = compared(&mut ChaCha8Rng::seed_from_u64(seed), seed, 1.0, turns);
            let figure = found(&report, Measure::ErrorRate, "");
            let tested = figure.compared.unwrap().test.unwrap();
            assert_eq!(tested.test, test);
            alarms += u64::from(tested.p_value <= 0.05);
        }
        let rate = alarms as f64 / files as f64;
        println!("{test:?}: {rate} false alarms of {files}");
        assert!((rate - expected).abs() <= slack(0.015), "{test:?}: {rate}");
    }
}
