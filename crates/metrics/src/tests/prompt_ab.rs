//! Two prompts on the same recorded turns.

use crate::{
    PairedTest, PromptComparison, PromptComparisonError, PromptMeasure, PromptRow, PromptSample,
    Resampling, SmallestDifference, compare_prompts,
};
use elenchus_test_support::drawn::{datasets, honest, slack};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::slice::from_ref;

const PLAN: Resampling = Resampling {
    resamples: 1500,
    seed: 3,
};

/// One judged turn after a turn of the same seat.
fn sample(topic: &str, is_bad: bool, was_bad: bool) -> PromptSample {
    PromptSample {
        topic: crate::RowTopic::from_name(topic),
        simulated: false,
        judged: 1,
        bad: u32::from(is_bad),
        left_out: 0,
        after_bad: u32::from(was_bad),
        made_good: u32::from(was_bad && !is_bad),
        after_good: u32::from(!was_bad),
        made_bad: u32::from(!was_bad && is_bad),
        chars: Some(100),
        cost_usd: Some(0.5),
    }
}

fn row(compared: &PromptComparison, measure: PromptMeasure) -> &PromptRow {
    let mut rows = compared.rows.iter();
    rows.find(|row| row.measure == measure).unwrap()
}

#[test]
fn a_topic_counts_once_however_often_it_was_asked() {
    // Topic p was asked four times by each, q once: each weighs one half.
    let a = [
        sample("p", true, true),
        sample("p", true, true),
        sample("p", false, true),
        sample("p", false, true),
        sample("q", false, false),
    ];
    let b = [
        sample("p", false, true),
        sample("p", false, true),
        sample("p", false, true),
        sample("p", true, true),
        sample("q", true, false),
        sample("alone", true, false),
    ];
    let compared = compare_prompts(&a, &b, PLAN).unwrap();
    let rate = row(&compared, PromptMeasure::ErrorRate);
    assert_eq!((rate.topics, rate.unpaired_topics), (2, 1));
    assert!((rate.a - 0.25).abs() < 1e-12, "{rate:?}");
    assert!((rate.b - 0.625).abs() < 1e-12, "{rate:?}");
    assert!((rate.difference - 0.375).abs() < 1e-12, "{rate:?}");
    assert_eq!(rate.test, PairedTest::SignFlip);
    let made_good = row(&compared, PromptMeasure::MadeGood);
    assert_eq!((made_good.topics, made_good.a, made_good.b), (1, 0.5, 0.75));
    let made_bad = row(&compared, PromptMeasure::MadeBad);
    assert_eq!((made_bad.topics, made_bad.a, made_bad.b), (1, 0.0, 1.0));
    // The worse for the second prompt stands first; what both did alike is no flip.
    let flips: Vec<&str> = compared
        .flips
        .iter()
        .map(|flip| flip.topic.as_str())
        .collect();
    assert_eq!(flips, ["q", "p"]);
    assert!(
        compared.warnings[0].contains("2 topics"),
        "{:?}",
        compared.warnings
    );
}

#[test]
fn one_verdict_a_topic_is_tested_by_mcnemar_and_the_shares_are_one_family() {
    let topics: Vec<String> = (0..12).map(|at| format!("t{at}")).collect();
    let a: Vec<PromptSample> = topics.iter().map(|t| sample(t, true, true)).collect();
    let b: Vec<PromptSample> = topics.iter().map(|t| sample(t, false, true)).collect();
    let compared = compare_prompts(&a, &b, PLAN).unwrap();
    let rate = row(&compared, PromptMeasure::ErrorRate);
    assert_eq!(rate.test, PairedTest::McNemar);
    assert!((rate.p_value - 2.0 / 4096.0).abs() < 1e-12, "{rate:?}");
    // Error rate and conversions are the family: two shares have a value.
    assert!((rate.p_holm.unwrap() - 4.0 / 4096.0).abs() < 1e-12);
    assert_eq!(row(&compared, PromptMeasure::Length).p_holm, None);
    // Every topic differs by as much: no spread, so as few would do as can leave chance out (2 / 2⁶ = .031).
    assert_eq!(rate.needed_topics, Some(6));
}

#[test]
fn how_many_topics_would_settle_it_follows_the_spread_of_their_differences() {
    // Differences 1, 0, 1, 0, …: mean 1/2, variance 1/4 · n/(n − 1).
    let topics: Vec<String> = (0..40).map(|at| format!("t{at}")).collect();
    let a: Vec<PromptSample> = topics.iter().map(|t| sample(t, false, true)).collect();
    let b: Vec<PromptSample> = (topics.iter().enumerate())
        .map(|(at, topic)| sample(topic, at % 2 == 0, true))
        .collect();
    let compared = compare_prompts(&a, &b, PLAN).unwrap();
    let needed = row(&compared, PromptMeasure::ErrorRate).needed_topics;
    // (1.959964 + 0.841621)² · (0.25 · 40/39) / 0.25 = 8.05.
    assert_eq!(needed, Some(9));
    // (1.959964 + 0.841621) · √((0.25 · 40/39) / 40) = 0.2243.
    let smallest = row(&compared, PromptMeasure::ErrorRate).smallest_difference;
    let Some(SmallestDifference::BySpread(smallest)) = smallest else {
        panic!("{smallest:?}");
    };
    assert!((smallest - 0.2243).abs() < 1e-4, "{smallest}");
    let same = compare_prompts(&a, &a, PLAN).unwrap();
    assert_eq!(row(&same, PromptMeasure::ErrorRate).needed_topics, None);
    // Six of 40 that change in one direction have an exact p of .031, five one of .063.
    let none = row(&same, PromptMeasure::ErrorRate).smallest_difference;
    assert!(
        matches!(none, Some(SmallestDifference::ChangedTopics(5 | 6))),
        "{none:?}"
    );
    let few = compare_prompts(&a[..3], &b[..3], PLAN).unwrap();
    let few = row(&few, PromptMeasure::ErrorRate).smallest_difference;
    assert!(
        matches!(few, Some(SmallestDifference::TooFewTopics(5 | 6))),
        "{few:?}"
    );
    assert!(same.flips.is_empty());
}

#[test]
fn what_has_no_value_is_left_out_and_counted_and_never_divided_by() {
    let silent = PromptSample {
        topic: crate::RowTopic::from_name("p"),
        ..PromptSample::default()
    };
    let nothing = compare_prompts(from_ref(&silent), from_ref(&silent), PLAN);
    // A cost is unknown as well: nothing at all is paired.
    assert_eq!(nothing, Err(PromptComparisonError::NothingPaired));
    assert_eq!(
        compare_prompts(&[], &[], PLAN),
        Err(PromptComparisonError::NothingPaired)
    );
    let unread = PromptSample {
        left_out: 2,
        chars: Some(7),
        ..silent.clone()
    };
    let compared = compare_prompts(&[unread.clone(), silent], &[unread], PLAN).unwrap();
    assert_eq!((compared.silent_a, compared.silent_b), (1, 0));
    assert_eq!((compared.left_out_a, compared.left_out_b), (2, 2));
    let measures: Vec<PromptMeasure> = compared.rows.iter().map(|row| row.measure).collect();
    assert_eq!(measures, [PromptMeasure::Length]);
    let simulated = PromptSample {
        simulated: true,
        ..sample("p", true, true)
    };
    assert_eq!(
        compare_prompts(&[sample("p", true, true)], &[simulated], PLAN),
        Err(PromptComparisonError::MixesSimulatedAndReal)
    );
}

const TOPICS: u32 = 60;
const TURNS: u32 = 4;

/// Samples whose topics differ a great deal, B's rate lying `shift` above A's on each.
fn arms(rng: &mut ChaCha8Rng, shift: f64) -> (Vec<PromptSample>, Vec<PromptSample>) {
    let mut arms = (Vec::new(), Vec::new());
    for topic in 0..TOPICS {
        let rate: f64 = 0.05 + 0.6 * rng.random::<f64>();
        let name = format!("t{topic}");
        for _ in 0..TURNS {
            let was_bad = rng.random_bool(0.3);
            arms.0.push(sample(&name, rng.random_bool(rate), was_bad));
            arms.1
                .push(sample(&name, rng.random_bool(rate + shift), was_bad));
        }
    }
    arms
}

#[test]
fn equal_prompts_are_called_different_no_more_often_than_was_said() {
    let datasets = datasets(500);
    let mut wrong = 0;
    for seed in 0..datasets {
        let (a, b) = arms(&mut ChaCha8Rng::seed_from_u64(seed), 0.0);
        let plan = Resampling {
            resamples: 400,
            seed,
        };
        let compared = compare_prompts(&a, &b, plan).unwrap();
        wrong += u32::from(row(&compared, PromptMeasure::ErrorRate).p_value <= 0.05);
    }
    let share = f64::from(wrong) / datasets as f64;
    assert!((share - 0.05).abs() <= slack(0.025), "{share}");
}

#[test]
fn the_interval_of_a_difference_holds_the_truth_as_often_as_it_says() {
    let datasets = datasets(800);
    const SHIFT: f64 = 0.15;
    let mut held = 0;
    for seed in 0..datasets {
        let (a, b) = arms(&mut ChaCha8Rng::seed_from_u64(1000 + seed), SHIFT);
        let plan = Resampling {
            resamples: 600,
            seed,
        };
        let compared = compare_prompts(&a, &b, plan).unwrap();
        let interval = row(&compared, PromptMeasure::ErrorRate).interval.unwrap();
        held += u32::from(interval.low <= SHIFT && SHIFT <= interval.high);
    }
    let share = f64::from(held) / datasets as f64;
    assert!(honest(datasets).contains(&share), "{share}");
}
