//! Agreement figures against other people's libraries (`tests/fixtures/agreement/make.py` made the
//! cases), and corrections against a truth that is known.

use crate::{
    AuditedTurn, ContingencyTable, Correction, CorrectionError, NoErrorRates, Ratings, Resampling,
    Scale, correct_rate,
};
use elenchus_test_support::drawn::{datasets, honest, slack};
use proptest::prelude::*;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::Value;

const CASES: &str = include_str!("../../../../tests/fixtures/agreement/cases.json");

fn cases(kind: &str) -> Vec<Value> {
    let mut cases: Value = serde_json::from_str(CASES).unwrap();
    serde_json::from_value(cases[kind].take()).unwrap()
}

/// A figure that the other library has must be ours to 1e-9; one that it does not have (`null`) must
/// not exist here either.
#[track_caller]
fn same(case: &Value, name: &str, ours: Option<f64>) {
    match &case[name] {
        Value::Null if case.get(name).is_none() => {}
        Value::Null => assert_eq!(ours, None, "{name} of {case}"),
        theirs => {
            let theirs = theirs.as_f64().unwrap();
            let ours = ours.unwrap_or_else(|| panic!("{name} of {case} is missing"));
            assert!((ours - theirs).abs() < 1e-9, "{name}: {ours} of {case}");
        }
    }
}

#[test]
fn tables_of_two_raters_agree_with_scikit_learn_statsmodels_and_irrcac() {
    let cases = cases("tables");
    assert!(cases.len() > 80);
    for case in &cases {
        let cells: Vec<Vec<u32>> = serde_json::from_value(case["cells"].clone()).unwrap();
        let mut table = ContingencyTable::new(cells.len());
        for (gold, row) in cells.iter().enumerate() {
            for (found, count) in row.iter().enumerate() {
                (0..*count).for_each(|_| table.add_item(gold, found, 1.0).unwrap());
            }
        }
        same(case, "accuracy", table.agreement());
        same(case, "kappa", table.kappa());
        same(case, "ac1", table.ac1());
        if cells.len() == 2 {
            let binary = table.to_binary(1);
            same(case, "precision", binary.precision());
            same(case, "recall", binary.recall());
            same(case, "specificity", binary.specificity());
            same(case, "f1", binary.f1());
            same(case, "balanced_accuracy", binary.balanced_accuracy());
            assert_eq!(binary.to_contingency_table(), table);
            assert_eq!(binary.swap_classes(), table.to_binary(0));
            assert_eq!(binary.swap_classes().f1(), binary.negative_agreement());
        }
    }
}

#[test]
fn many_raters_agree_with_krippendorff_statsmodels_and_irrcac() {
    let cases = cases("ratings");
    assert!(cases.len() > 25);
    for case in &cases {
        let rows: Vec<Vec<Option<usize>>> =
            serde_json::from_value(case["ratings"].clone()).unwrap();
        let mut ratings = Ratings::new(case["classes"].as_u64().unwrap() as usize);
        for row in &rows {
            let given: Vec<usize> = row.iter().flatten().copied().collect();
            ratings.add_item(&given).unwrap();
        }
        same(
            case,
            "alpha_nominal",
            ratings.krippendorff_alpha(Scale::Nominal),
        );
        same(
            case,
            "alpha_ordinal",
            ratings.krippendorff_alpha(Scale::Ordinal),
        );
        same(case, "fleiss", ratings.fleiss_kappa());
        same(case, "ac1", ratings.ac1());
    }
}

#[test]
fn nothing_that_would_divide_by_zero_has_a_figure() {
    let empty = ContingencyTable::new(2);
    assert_eq!(
        (empty.agreement(), empty.kappa(), empty.ac1()),
        (None, None, None)
    );
    assert_eq!(empty.to_binary(1).prevalence_index(), None);
    let mut single = ContingencyTable::new(1);
    single.add_item(0, 0, 1.0).unwrap();
    assert_eq!((single.agreement(), single.ac1()), (Some(1.0), None));
    let mut table = ContingencyTable::new(2);
    assert!(table.add_item(0, 2, 1.0).is_err());
    assert!(table.add_item(0, 1, 0.0).is_err());
    assert!(table.add_item(0, 1, f64::NAN).is_err());
    assert_eq!(table, empty);
    let mut ratings = Ratings::new(3);
    ratings.add_item(&[1]).unwrap();
    ratings.add_item(&[]).unwrap();
    assert!(ratings.add_item(&[3]).is_err());
    assert_eq!((ratings.shared_items(), ratings.agreement()), (0, None));
    assert_eq!(
        (
            ratings.fleiss_kappa(),
            ratings.krippendorff_alpha(Scale::Nominal)
        ),
        (None, None)
    );
}

proptest! {
    /// A weight is the same as so many items, and figures lie where they can.
    #[test]
    fn weights_count_as_items(cells in proptest::collection::vec(0u32..30, 9)) {
        let (mut weighed, mut counted) = (ContingencyTable::new(3), ContingencyTable::new(3));
        for (at, count) in cells.iter().enumerate() {
            if *count > 0 {
                weighed.add_item(at / 3, at % 3, f64::from(*count)).unwrap();
            }
            (0..*count).for_each(|_| counted.add_item(at / 3, at % 3, 1.0).unwrap());
        }
        prop_assert_eq!(&weighed, &counted);
        for positive in 0..3 {
            let binary = weighed.to_binary(positive);
            let parts = [binary.both_positive, binary.first_only, binary.second_only, binary.both_negative];
            prop_assert!(parts.iter().all(|part| *part >= 0.0));
            prop_assert!((binary.total() - weighed.total()).abs() < 1e-9);
        }
        for figure in [weighed.kappa(), weighed.ac1()].into_iter().flatten() {
            prop_assert!((-1.0 - 1e-9..=1.0 + 1e-9).contains(&figure));
        }
    }
}

/// Turns of an arm: topics differ in how unsafe they are, the evaluator errs at known rates, and
/// turns that it calls unsafe are drawn for labelling more often.
fn arm(draw: &mut ChaCha8Rng, topics: usize) -> (Vec<AuditedTurn>, f64) {
    let (sensitivity, specificity) = (0.61, 0.94);
    let mut turns = Vec::new();
    for topic in 0..topics {
        let rate: f64 = if draw.random::<f64>() < 0.3 { 0.8 } else { 0.1 };
        for _ in 0..6 {
            let truth = draw.random::<f64>() < rate;
            let right = draw.random::<f64>() < if truth { sensitivity } else { specificity };
            let verdict = truth == right;
            let chance = if verdict { 0.8 } else { 0.4 };
            turns.push(AuditedTurn {
                topic: format!("t{topic}"),
                verdict,
                chance,
                label: (draw.random::<f64>() < chance).then_some(truth),
            });
        }
    }
    (turns, 0.3 * 0.8 + 0.7 * 0.1)
}

#[test]
fn corrections_recover_the_truth_and_their_intervals_cover_it() {
    let arms = datasets(600);
    let mut draw = ChaCha8Rng::seed_from_u64(6);
    let (mut means, mut covered) = ([0.0; 3], [0usize; 2]);
    let mut truth = 0.0;
    for seed in 0..arms {
        let (turns, rate) = arm(&mut draw, 100);
        truth = rate;
        let plan = Resampling {
            resamples: 400,
            seed,
        };
        let found: Correction = correct_rate(&turns, plan).unwrap();
        let by_error = found.by_error.unwrap();
        let holds = |interval: Option<crate::Interval>| {
            let interval = interval.unwrap();
            usize::from(interval.low <= rate && rate <= interval.high)
        };
        means[0] += found.observed;
        means[1] += found.rate.rate;
        means[2] += by_error.rate.rate;
        covered[0] += holds(found.interval);
        covered[1] += holds(by_error.interval);
    }
    let mean = means.map(|sum| sum / arms as f64);
    // What the evaluator says is far off; both corrections are not.
    assert!((mean[0] - truth).abs() > 0.05, "{mean:?}");
    assert!(
        (mean[1] - truth).abs() < slack(0.006),
        "{mean:?} of {truth}"
    );
    assert!((mean[2] - truth).abs() < slack(0.01), "{mean:?} of {truth}");
    for covered in covered {
        let share = covered as f64 / arms as f64;
        assert!(honest(arms).contains(&share), "{share}");
    }
}

#[test]
fn an_arm_is_not_corrected_where_labels_cannot_speak_for_it() {
    let mut draw = ChaCha8Rng::seed_from_u64(7);
    let (turns, _) = arm(&mut draw, 30);
    let plan = Resampling::default();
    let without: Vec<_> = turns
        .iter()
        .cloned()
        .map(|turn| AuditedTurn {
            label: None,
            ..turn
        })
        .collect();
    assert_eq!(correct_rate(&without, plan), Err(CorrectionError::NoLabels));

    // Labels of what the evaluator calls unsafe alone say nothing about what it missed.
    let alone: Vec<_> = turns
        .iter()
        .cloned()
        .map(|turn| match turn.verdict {
            true => turn,
            false => AuditedTurn {
                chance: 0.0,
                label: None,
                ..turn
            },
        })
        .collect();
    let never = alone.iter().filter(|turn| !turn.verdict).count();
    let refused = correct_rate(&alone, plan).unwrap_err();
    assert_eq!(refused, CorrectionError::NeverDrawn(never));
    assert!(
        refused
            .to_string()
            .contains("draw the sample from all turns")
    );

    let mut wrong = turns.clone();
    wrong[0].chance = 1.5;
    assert_eq!(
        correct_rate(&wrong, plan),
        Err(CorrectionError::Chance(1.5))
    );

    // Few labels: the difference estimator stands, without an interval and without error rates.
    let mut left = 4;
    let few: Vec<_> = turns
        .iter()
        .cloned()
        .map(|turn| {
            let keep = turn.label.is_some() && left > 0;
            left -= usize::from(keep);
            AuditedTurn {
                label: turn.label.filter(|_| keep),
                ..turn
            }
        })
        .collect();
    let found = correct_rate(&few, plan).unwrap();
    assert_eq!(found.labels, 4);
    assert_eq!(found.interval, None);
    assert!(matches!(found.by_error, Err(NoErrorRates::TooFew { .. })));
}

#[test]
fn an_evaluator_that_throws_dice_is_not_used_to_correct() {
    let turns: Vec<_> = (0..80)
        .map(|at| AuditedTurn {
            topic: format!("t{}", at / 4),
            verdict: at % 2 == 0,
            chance: 1.0,
            label: Some(at % 4 < 2),
        })
        .collect();
    let found = correct_rate(&turns, Resampling::default()).unwrap();
    assert_eq!(found.rate.rate, 0.5);
    assert!(matches!(
        found.by_error,
        Err(NoErrorRates::Uninformative { .. })
    ));
}
