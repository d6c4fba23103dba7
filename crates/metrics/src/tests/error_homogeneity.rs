//! Homogeneity of an evaluator's errors: rates of false and of true warnings.

use super::validation::{EVALUATOR, asked, found, label, row, safety};
use super::validation_coverage::{SENSITIVITY, SPECIFICITY};
use crate::{
    ErrorDifference, GivenLabel, LabelDraw, NextLabels, PermutationLevel, Resampling,
    ShownEvaluators, ValidateOptions, ValidateRow, compute_validation, validation_to_table,
};
use elenchus_test_support::drawn::{datasets, slack};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::ops::RangeInclusive;

/// How many files are simulated for each rate.
fn files() -> u64 {
    datasets(200)
}

fn differences(rows: &[ValidateRow], seed: u64) -> Vec<ErrorDifference> {
    let wanted = ValidateOptions {
        resampling: Resampling {
            // Few for intervals, which nobody reads here: the test draws as many as it needs.
            resamples: 20,
            seed,
        },
        ..asked(safety())
    };
    let found = compute_validation(rows, &[], &wanted).unwrap();
    found.sections[0].evaluators[0].differences.clone()
}

/// A labelled turn of a category, on which the evaluator is right with a probability.
fn turn(topic: &str, category: &str, bad: bool, right: f64, draw: &mut ChaCha8Rng) -> ValidateRow {
    let is_right = draw.random::<f64>() < right;
    let name = |bad: bool| if bad { "unsafe" } else { "safe" };
    ValidateRow {
        category: Some(category.to_owned()),
        ..row(
            topic,
            found(name(bad == is_right)),
            vec![label("ada", name(bad))],
        )
    }
}

/// How often any difference is warned of in files without one.
fn false_alarms(file: impl Fn(u64, &mut ChaCha8Rng) -> Vec<ValidateRow>) -> f64 {
    let mut draw = ChaCha8Rng::seed_from_u64(14);
    let alarms = (0..files()).filter(|seed| {
        let rows = file(*seed, &mut draw);
        !differences(&rows, *seed).is_empty()
    });
    let rate = alarms.count() as f64 / files() as f64;
    println!("false alarms: {:.1} % of {} files", 100.0 * rate, files());
    rate
}

fn one_to_six_of_a_hundred() -> RangeInclusive<f64> {
    0.035 - slack(0.025)..=0.035 + slack(0.025)
}

/// An answer a topic, in categories of unequal size, by an evaluator that is right almost always or
/// only mostly.
fn answers(seed: u64, draw: &mut ChaCha8Rng) -> Vec<ValidateRow> {
    let categories = 2 + seed % 7;
    let sensitivity = [0.6, 0.8, 0.95][seed as usize % 3];
    let rows = (0..220).map(|at| {
        let own = draw
            .random_range(0..categories)
            .min(draw.random_range(0..categories));
        let bad = draw.random::<f64>() < 0.5;
        let right = if bad { sensitivity } else { SPECIFICITY };
        turn(&format!("t{at}"), &format!("c{own}"), bad, right, draw)
    });
    rows.collect()
}

/// Debates by two arms in two rounds on each topic. Topics differ in how unsafe and how hard to judge
/// they are, one category has far more unsafe turns than the other, and so has the first round.
fn debates(seed: u64, draw: &mut ChaCha8Rng) -> Vec<ValidateRow> {
    let mut rows = Vec::new();
    for topic in 0..60 {
        let category = if topic % 3 == 0 { "rare" } else { "common" };
        let often = if topic % 3 == 0 { 0.6 } else { 0.15 };
        let hard = draw.random_range(-0.2..0.2);
        for arm in ["one", "two"] {
            for round in 1..=2 {
                for seat in 0..3 {
                    let bad = draw.random::<f64>() < often / f64::from(round);
                    let right = if bad { 0.75 + hard } else { 0.9 + 0.4 * hard };
                    let name = format!("t{topic}");
                    rows.push(ValidateRow {
                        arm: arm.to_owned(),
                        session: format!("{name}-{arm}-{seed}"),
                        seat: format!("debater/{seat}"),
                        round,
                        ..turn(&name, category, bad, right, draw)
                    });
                }
            }
        }
    }
    rows
}

/// Answers drawn by verdict, so that a turn's weight tells what the evaluator said.
fn drawn_by_verdict(seed: u64, draw: &mut ChaCha8Rng) -> Vec<ValidateRow> {
    let mut rows = Vec::new();
    for at in 0..500 {
        let category = ["a", "a", "b"][at % 3];
        let bad = draw.random::<f64>() < 0.4;
        let right = if bad { SENSITIVITY } else { SPECIFICITY };
        // Two answers a topic.
        let mut row = turn(
            &format!("t{}", at / 6 * 3 + at % 3),
            category,
            bad,
            right,
            draw,
        );
        row.session = format!("s{at}-{seed}");
        rows.push(row);
    }
    for (verdict, share) in [("unsafe", 0.9), ("safe", 0.3)] {
        let of_verdict = |row: &ValidateRow| row.found.get(EVALUATOR) == found(verdict).as_ref();
        let own = rows.iter_mut().filter(|row| of_verdict(row));
        let own: Vec<&mut ValidateRow> = own.collect();
        let of = own.len();
        let taken = (share * of as f64) as usize;
        // Turns are independent of their place, so the first ones are a simple sample.
        for (at, row) in own.into_iter().enumerate() {
            let drawn = LabelDraw {
                queue: "q".to_owned(),
                stratum: verdict.to_owned(),
                taken: taken as u32,
                of: of as u32,
                chances: 1,
                by_verdict: false,
                is_stated: false,
            };
            let labels = std::mem::take(&mut row.labels).into_iter();
            let labels = labels.filter(|_| at < taken);
            row.labels = labels
                .map(|label| GivenLabel {
                    drawn: Some(drawn.clone()),
                    ..label
                })
                .collect();
        }
    }
    rows
}

#[test]
fn answers_without_a_difference_are_warned_of_in_one_to_six_of_a_hundred_files() {
    let rate = false_alarms(answers);
    assert!(one_to_six_of_a_hundred().contains(&rate), "{rate}");
}

#[test]
fn debates_without_a_difference_are_warned_of_in_one_to_six_of_a_hundred_files() {
    let rate = false_alarms(debates);
    assert!(one_to_six_of_a_hundred().contains(&rate), "{rate}");
}

#[test]
fn a_sample_by_verdict_without_a_difference_is_warned_of_in_one_to_six_of_a_hundred_files() {
    let rate = false_alarms(drawn_by_verdict);
    assert!(one_to_six_of_a_hundred().contains(&rate), "{rate}");
}

#[test]
fn a_category_on_which_the_evaluator_misses_more_is_found() {
    let mut draw = ChaCha8Rng::seed_from_u64(15);
    let mut warned = 0;
    for seed in 0..files() {
        let mut rows = Vec::new();
        for at in 0..400 {
            let (category, sensitivity) = [("blind", 0.6), ("seen", 0.9)][at % 2];
            // A hundred topics of each category have an unsafe answer, and a hundred a safe one.
            let bad = at % 4 < 2;
            let right = if bad { sensitivity } else { SPECIFICITY };
            rows.push(turn(&format!("t{at}"), category, bad, right, &mut draw));
        }
        let found = differences(&rows, seed);
        let of_category = |one: &&ErrorDifference| one.by == "category" && one.sensitivity;
        if let Some(difference) = found.iter().find(of_category) {
            // Of two categories, the worse one is named, once.
            assert_eq!(
                (difference.value.as_str(), found.len()),
                ("blind", found.len().min(2))
            );
            assert_eq!(difference.permuted, PermutationLevel::OverTopics);
            warned += 1;
        }
    }
    let power = f64::from(warned) / files() as f64;
    println!("found: {:.1} % of {} files", 100.0 * power, files());
    assert!(power >= 0.8, "{power}");
}

#[test]
fn a_cell_without_any_error_is_no_difference_by_itself() {
    // Fisher's exact test has p = .37 for 24 of 24 against 184 of 196.
    let mut rows = Vec::new();
    for at in 0..220 {
        let category = if at < 24 { "small" } else { "large" };
        let verdict = if at < 208 { "unsafe" } else { "safe" };
        rows.push(ValidateRow {
            category: Some(category.to_owned()),
            ..row(
                &format!("t{at}"),
                found(verdict),
                vec![label("ada", "unsafe")],
            )
        });
    }
    assert_eq!(differences(&rows, 1), Vec::new());
}

#[test]
fn a_p_value_is_never_below_what_its_resamples_allow_and_says_so() {
    let mut rows = Vec::new();
    for at in 0..200 {
        let (category, verdict) = if at % 2 == 0 {
            ("a", "safe")
        } else {
            ("b", "unsafe")
        };
        rows.push(ValidateRow {
            category: Some(category.to_owned()),
            ..row(
                &format!("t{at}"),
                found(verdict),
                vec![label("ada", "unsafe")],
            )
        });
    }
    let found = differences(&rows, 1);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(
        (found[0].p - 1.0 / 101.0).abs() < 1e-12 && found[0].p_is_bound,
        "{found:?}"
    );
    let table = validation_to_table(
        &compute_validation(&rows, &[], &asked(safety())).unwrap(),
        200,
        ShownEvaluators::All,
        &|_, _, _| NextLabels::NewQueue("queue-1".to_owned()),
    );
    // As many resamples as make it a finding, though twenty were asked for.
    assert!(
        table.contains("(p <0.010, permuted over topics, Holm)"),
        "{table}"
    );
}
