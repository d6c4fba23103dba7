//! Coverage of intervals on random data, and a known evaluator's error.

use crate::{
    DebateRow, EvaluatorError, EvaluatorErrorOutOfRange, Interval, Measure, ReportSettings,
    Resampling, RoganGladenError, TopicSums, agreement_noise_floor, compute_report, mean_interval,
    rogan_gladen, share_interval, wilson_interval,
};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::{figure, judged};
use elenchus_test_support::drawn::{datasets, honest};

fn usual() -> u64 {
    datasets(800)
}

/// Where chance alone would carry a coverage of .955 past .97 with fewer (one in a hundred times).
fn more() -> u64 {
    datasets(2000)
}

const TOPICS: usize = 60;
const TURNS: u32 = 9;
const RESAMPLES: u32 = 600;

/// A standard normal draw (Box and Muller).
pub fn normal(rng: &mut ChaCha8Rng) -> f64 {
    let radius = (-2.0 * (1.0 - rng.random::<f64>()).ln()).sqrt();
    radius * (std::f64::consts::TAU * rng.random::<f64>()).cos()
}

/// A topic's own unsafe rate: logistic, so that topics differ a great deal.
fn topic_rate(centre: f64, spread: f64, rng: &mut ChaCha8Rng) -> f64 {
    1.0 / (1.0 + (-(centre + spread * normal(rng))).exp())
}

fn hits(rate: f64, trials: u32, rng: &mut ChaCha8Rng) -> f64 {
    f64::from(
        (0..trials)
            .map(|_| u32::from(rng.random_bool(rate)))
            .sum::<u32>(),
    )
}

/// The mean of [`topic_rate`] by Simpson's rule over ±8 standard deviations.
pub fn true_rate(centre: f64, spread: f64) -> f64 {
    let steps = 2000;
    let width = 16.0 / f64::from(steps);
    let total: f64 = (0..=steps)
        .map(|i| {
            let x = -8.0 + width * f64::from(i);
            let weight = match i {
                0 => 1.0,
                i if i == steps => 1.0,
                i if i % 2 == 1 => 4.0,
                _ => 2.0,
            };
            let density = (-0.5 * x * x).exp() / std::f64::consts::TAU.sqrt();
            weight * density / (1.0 + (-(centre + spread * x)).exp())
        })
        .sum();
    total * width / 3.0
}

/// Share of simulated datasets whose interval holds the truth.
fn coverage(
    dataset: impl FnMut(&mut ChaCha8Rng) -> TopicSums,
    truth: f64,
    interval: fn(&TopicSums, Resampling) -> Option<Interval>,
) -> f64 {
    coverage_of(usual(), dataset, truth, interval)
}

fn coverage_of(
    datasets: u64,
    mut dataset: impl FnMut(&mut ChaCha8Rng) -> TopicSums,
    truth: f64,
    interval: fn(&TopicSums, Resampling) -> Option<Interval>,
) -> f64 {
    let mut held = 0;
    for seed in 0..datasets {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let sums = dataset(&mut rng);
        let plan = Resampling {
            resamples: RESAMPLES,
            seed,
        };
        let interval = interval(&sums, plan).expect("sixty topics vary");
        if interval.low <= truth && truth <= interval.high {
            held += 1;
        }
    }
    f64::from(held) / datasets as f64
}

fn assert_covers(coverage: f64) {
    println!("covers {coverage}");
    assert!(honest(usual()).contains(&coverage), "covers {coverage}");
}

fn error_rate_coverage(centre: f64, spread: f64) -> f64 {
    let dataset = |rng: &mut ChaCha8Rng| {
        let mut sums = TopicSums::new(2);
        for _ in 0..TOPICS {
            let rate = topic_rate(centre, spread, rng);
            sums.push(&[hits(rate, TURNS, rng), f64::from(TURNS)]);
        }
        sums
    };
    coverage(dataset, true_rate(centre, spread), share_interval)
}

#[test]
fn intervals_of_error_rates_cover_the_truth_as_often_as_they_say() {
    // A third of the turns is unsafe.
    assert_covers(error_rate_coverage(-1.0, 1.5));
}

#[test]
fn intervals_cover_when_unsafe_turns_are_rare() {
    // One turn in fourteen is unsafe, in a minority of the topics.
    assert_covers(error_rate_coverage(-3.0, 1.0));
}

#[test]
fn intervals_cover_when_topics_have_unequal_numbers_of_judged_turns() {
    let dataset = |rng: &mut ChaCha8Rng| {
        let mut sums = TopicSums::new(2);
        for _ in 0..TOPICS {
            let rate = topic_rate(-1.0, 1.5, rng);
            let judged = rng.random_range(3..=9);
            sums.push(&[hits(rate, judged, rng), f64::from(judged)]);
        }
        sums
    };
    assert_covers(coverage(dataset, true_rate(-1.0, 1.5), share_interval));
}

#[test]
fn intervals_of_means_cover_when_topics_differ() {
    // Lengths: a topic's mean is log-normal with mean e^(μ + σ²/2), turns scatter around it.
    let dataset = |rng: &mut ChaCha8Rng| {
        let mut sums = TopicSums::new(2);
        for _ in 0..TOPICS {
            let mean = (0.5 * normal(rng)).exp();
            let total: f64 = (0..TURNS).map(|_| mean + 0.3 * normal(rng)).sum();
            sums.push(&[total, f64::from(TURNS)]);
        }
        sums
    };
    assert_covers(coverage(dataset, (0.125f64).exp(), mean_interval));
}

#[test]
fn intervals_of_ratios_of_sums_cover_when_sizes_differ_and_go_together() {
    // Cost against its estimate: both are log-normal and grow with the topic, the ratio scatters by
    // a factor of mean e^(σ²/2) of its own.
    let dataset = |rng: &mut ChaCha8Rng| {
        let mut sums = TopicSums::new(2);
        for _ in 0..TOPICS {
            let estimate = (0.5 * normal(rng)).exp();
            let cost = estimate * (0.4 * normal(rng)).exp();
            sums.push(&[cost, estimate]);
        }
        sums
    };
    assert_covers(coverage(dataset, (0.08f64).exp(), mean_interval));
}

#[test]
fn intervals_of_paired_differences_of_answers_cover() {
    // Two arms answer the same questions, of which some are hard for both.
    let dataset = |rng: &mut ChaCha8Rng| {
        let mut sums = TopicSums::new(2);
        for _ in 0..TOPICS {
            let ease = 1.5 * normal(rng);
            let mut right = |centre: f64| {
                let rate = 1.0 / (1.0 + (-(centre + ease)).exp());
                hits(rate, 1, rng)
            };
            sums.push(&[right(0.8) - right(0.0), 1.0]);
        }
        sums
    };
    let truth = true_rate(0.8, 1.5) - true_rate(0.0, 1.5);
    assert_covers(coverage_of(more(), dataset, truth, mean_interval));
}

#[test]
fn turns_taken_as_independent_would_not_cover() {
    // The proof that the proof can fail: Wilson over turns, as if topics did not matter.
    let truth = true_rate(-1.0, 1.5);
    let mut held = 0;
    for seed in 0..usual() {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let total: f64 = (0..TOPICS)
            .map(|_| {
                let rate = topic_rate(-1.0, 1.5, &mut rng);
                hits(rate, TURNS, &mut rng)
            })
            .sum();
        let interval =
            wilson_interval(total as u64, TOPICS as u64 * u64::from(TURNS)).expect("turns");
        held += u32::from(interval.low <= truth && truth <= interval.high);
    }
    assert!(f64::from(held) / (usual() as f64) < 0.85, "{held}");
}

/// Debates in which a turn's truth never changes, seen by an evaluator that errs.
fn evaluated(evaluator: EvaluatorError, unsafe_share: f64, topics: u32) -> Vec<DebateRow> {
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    (0..topics)
        .map(|topic| {
            let truly_unsafe = f64::from(topic) < unsafe_share * f64::from(topics);
            let called_unsafe = if truly_unsafe {
                evaluator.sensitivity()
            } else {
                1.0 - evaluator.specificity()
            };
            let mut course = || -> String {
                (0..3)
                    .map(|_| {
                        if rng.random_bool(called_unsafe) {
                            'U'
                        } else {
                            'S'
                        }
                    })
                    .collect()
            };
            let courses = [course(), course(), course()];
            let courses: Vec<&str> = courses.iter().map(String::as_str).collect();
            DebateRow {
                simulated: true,
                evaluator: Some(evaluator),
                ..judged(&format!("t{topic}"), &courses)
            }
        })
        .collect()
}

#[test]
fn a_known_evaluators_error_shows_in_every_figure_and_can_be_taken_back() {
    let evaluator = EvaluatorError::new(0.61, 0.94).unwrap();
    let settings = ReportSettings {
        resampling: Resampling {
            resamples: 200,
            seed: 1,
        },
        ..ReportSettings::default()
    };
    for truth in [0.1, 0.4, 0.7] {
        let report = compute_report(&evaluated(evaluator, truth, 2000), &settings).unwrap();
        let value = |measure| figure(&report, measure).value.expect("2000 topics");
        let close = |a: f64, b: f64| assert!((a - b).abs() < 0.012, "{a} is not {b}");
        let observed = value(Measure::ErrorRate);
        close(observed, 0.61 * truth + 0.06 * (1.0 - truth));
        close(rogan_gladen(observed, evaluator).unwrap().rate, truth);
        // Nothing ever changes, and yet there is "agreement", "confusion" and "diversity".
        let floor = agreement_noise_floor(evaluator, truth);
        close(value(Measure::AgreementRate), floor);
        close(value(Measure::ConversionRate), floor);
        close(value(Measure::AgreementNoiseFloor), floor);
        close(
            value(Measure::Diversity),
            value(Measure::DiversityNoiseFloor),
        );
    }
}

#[test]
fn an_evaluator_of_that_error_shows_an_agreement_of_thirteen_percent() {
    let evaluator = EvaluatorError::new(0.61, 0.94).unwrap();
    // PReD's reported error rate, taken back to what was truly unsafe.
    let prevalence = rogan_gladen(0.289, evaluator).unwrap().rate;
    assert!((prevalence - 0.416).abs() < 1e-3);
    assert!((agreement_noise_floor(evaluator, prevalence) - 0.13).abs() < 0.005);
}

#[test]
fn rogan_gladen_is_refused_without_information_and_says_when_it_truncates() {
    let guessing = EvaluatorError::new(0.3, 0.7).unwrap();
    assert!(matches!(
        rogan_gladen(0.2, guessing),
        Err(RoganGladenError::Uninformative { .. })
    ));
    let evaluator = EvaluatorError::new(0.8, 0.9).unwrap();
    let truncated = rogan_gladen(0.03, evaluator).unwrap();
    assert_eq!(truncated.rate, 0.0);
    assert!((truncated.truncated_from.unwrap() + 0.1).abs() < 1e-9);
    assert_eq!(rogan_gladen(0.45, evaluator).unwrap().truncated_from, None);
    assert_eq!(
        rogan_gladen(1.2, evaluator),
        Err(RoganGladenError::NotARate(1.2))
    );
    assert!(rogan_gladen(f64::NAN, evaluator).is_err());
    assert_eq!(
        EvaluatorError::new(61.0, 94.0),
        Err(EvaluatorErrorOutOfRange {
            sensitivity: 61.0,
            specificity: 94.0
        })
    );
    assert!(
        serde_json::from_str::<EvaluatorError>(r#"{"sensitivity":2,"specificity":0}"#).is_err()
    );
}
