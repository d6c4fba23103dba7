//! Figures of evaluators against labels, compared with scikit-learn, statsmodels, krippendorff and irrCAC.

use super::validation::{asked, drawn, found, label, of, only, row, section};
use crate::*;
use serde_json::Value;

const CASES: &str = include_str!("../../../../tests/fixtures/agreement/cases.json");

fn cases(kind: &str) -> Vec<Value> {
    let mut cases: Value = serde_json::from_str(CASES).unwrap();
    serde_json::from_value(cases[kind].take()).unwrap()
}

/// Classes by number; 1 alone is positive.
fn numbered(classes: usize) -> LabelClasses {
    let label = |class: usize| {
        let side = if class == 1 {
            LabelSide::Positive
        } else {
            LabelSide::Negative
        };
        (class.to_string(), side)
    };
    LabelClasses {
        of: "turn".to_owned(),
        set: "numbers".to_owned(),
        labels: (0..classes).map(label).collect(),
        ranked: (0..classes).map(|class| class.to_string()).collect(),
    }
}

/// As the other library has it to 1e-9; not there where it does not have it.
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
fn turns_with_gold_give_the_figures_of_scikit_learn_statsmodels_and_irrcac() {
    for case in &cases("tables") {
        let cells: Vec<Vec<u32>> = serde_json::from_value(case["cells"].clone()).unwrap();
        let mut rows = Vec::new();
        for (gold, cells) in cells.iter().enumerate() {
            for (verdict, count) in cells.iter().enumerate() {
                for _ in 0..*count {
                    let topic = format!("t{}", rows.len() % 9);
                    let labels = vec![label("ada", &gold.to_string())];
                    rows.push(row(&topic, found(&verdict.to_string()), labels));
                }
            }
        }
        if rows.is_empty() {
            assert!(
                compute_validation(&rows, &[], &asked(numbered(2)))
                    .unwrap()
                    .sections
                    .is_empty()
            );
            continue;
        }
        let section = section(&rows, &asked(numbered(cells.len())));
        let report = only(&section);
        let two = |quantity| of(&report.estimates, quantity).value;
        if cells.len() == 2 {
            same(case, "accuracy", two(Quantity::Accuracy));
            same(case, "kappa", two(Quantity::Kappa));
            same(case, "ac1", two(Quantity::Ac1));
            same(case, "precision", two(Quantity::Precision));
            same(case, "recall", two(Quantity::Recall));
            same(case, "specificity", two(Quantity::Specificity));
            same(case, "f1", two(Quantity::F1));
            same(case, "balanced_accuracy", two(Quantity::BalancedAccuracy));
            assert!(report.all_classes.is_empty());
        } else {
            let all = |quantity| of(&report.all_classes, quantity).value;
            same(case, "accuracy", all(Quantity::Accuracy));
            same(case, "kappa", all(Quantity::Kappa));
            same(case, "ac1", all(Quantity::Ac1));
        }
        for estimate in report.estimates.iter().chain(&report.all_classes) {
            assert_ne!(estimate.value.is_some(), estimate.not_applicable.is_some());
        }
    }
}

#[test]
fn drawn_turns_give_the_weighted_figures_of_scikit_learn() {
    let cases = cases("weighted");
    assert!(cases.len() > 10);
    for case in &cases {
        let items: Vec<(usize, usize, f64, usize)> =
            serde_json::from_value(case["items"].clone()).unwrap();
        let strata: Vec<(u32, u32)> = serde_json::from_value(case["strata"].clone()).unwrap();
        let rows: Vec<ValidateRow> = items
            .iter()
            .enumerate()
            .map(|(at, (gold, verdict, score, stratum))| {
                let (taken, of) = strata[*stratum];
                let judged = EvaluatorFinding::Found {
                    label: verdict.to_string(),
                    side: if *verdict == 1 {
                        LabelSide::Positive
                    } else {
                        LabelSide::Negative
                    },
                    score: Some(*score),
                };
                let draw = drawn("q", taken, of).map(|draw| LabelDraw {
                    stratum: stratum.to_string(),
                    ..draw
                });
                let labels = vec![GivenLabel {
                    drawn: draw,
                    ..label("ada", &gold.to_string())
                }];
                row(&format!("t{}", at % 11), Some(judged), labels)
            })
            .collect();
        let section = section(&rows, &asked(numbered(2)));
        let report = only(&section);
        let two = |quantity| of(&report.estimates, quantity).value;
        same(case, "accuracy", two(Quantity::Accuracy));
        same(case, "precision", two(Quantity::Precision));
        same(case, "recall", two(Quantity::Recall));
        same(case, "specificity", two(Quantity::Specificity));
        same(case, "f1", two(Quantity::F1));
        same(case, "balanced_accuracy", two(Quantity::BalancedAccuracy));
        same(case, "kappa", two(Quantity::Kappa));
        let calibration = report.calibration.as_ref().unwrap();
        same(
            case,
            "brier",
            of(&calibration.estimates, Quantity::Brier).value,
        );
    }
}

#[test]
fn people_give_the_figures_of_krippendorff_statsmodels_and_irrcac() {
    for case in &cases("ratings") {
        let ratings: Vec<Vec<Option<usize>>> =
            serde_json::from_value(case["ratings"].clone()).unwrap();
        let classes = case["classes"].as_u64().unwrap() as usize;
        let rows: Vec<ValidateRow> = ratings
            .iter()
            .enumerate()
            .map(|(at, given)| {
                let given = given.iter().enumerate();
                let labels = given.filter_map(|(rater, class)| {
                    Some(label(&format!("r{rater}"), &(*class)?.to_string()))
                });
                row(&format!("t{}", at % 7), None, labels.collect())
            })
            .collect();
        let section = section(&rows, &asked(numbered(classes)));
        let all = |quantity| of(&section.people.together, quantity).value;
        same(case, "alpha_nominal", all(Quantity::AlphaNominal));
        same(case, "fleiss", all(Quantity::FleissKappa));
        same(case, "ac1", all(Quantity::Ac1));
        if classes > 2 {
            same(case, "alpha_ordinal", all(Quantity::AlphaOrdinal));
        }
    }
}
