//! A difference watched while topics come in: what holds at all times at once.

use crate::{
    PreferencePair, Preferred, PromptSample, Resampling, confidence_sequence,
    error_rate_difference, summarize_preferences,
};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

const TOPICS: usize = 150;
const RUNS: usize = 800;

/// Both arms of one topic: several samples with a chance of their own to be bad.
fn difference(draws: &mut ChaCha8Rng, effect: f64) -> f64 {
    let base: f64 = draws.random_range(0.1..0.5);
    let mut arm = |rate: f64| PromptSample {
        judged: 3,
        bad: (0..3).map(|_| u32::from(draws.random_bool(rate))).sum(),
        ..PromptSample::default()
    };
    let (a, b) = (arm(base), arm(base + effect));
    error_rate_difference(&[&a], &[&b]).unwrap()
}

fn share(of: impl Fn(&[f64]) -> bool, effect: f64, seed: u64) -> f64 {
    let mut draws = ChaCha8Rng::seed_from_u64(seed);
    let hits = (0..RUNS).filter(|_| {
        let differences: Vec<f64> = (0..TOPICS)
            .map(|_| difference(&mut draws, effect))
            .collect();
        of(&differences)
    });
    hits.count() as f64 / RUNS as f64
}

#[test]
fn whoever_looks_after_every_topic_rarely_settles_what_does_not_differ() {
    for alpha in [0.05, 0.2] {
        let wrongly = share(
            |differences| confidence_sequence(differences, alpha).is_settled(),
            0.0,
            11,
        );
        assert!(wrongly <= alpha, "{wrongly} of runs at {alpha}");
    }
    // The same number of looks at fixed-n intervals of the same data would settle far more often.
    let naively = share(
        |differences| {
            (10..=differences.len()).any(|n| {
                let some = &differences[..n];
                let mean = some.iter().sum::<f64>() / n as f64;
                let squares = some.iter().map(|d| (d - mean).powi(2)).sum::<f64>();
                let error = (squares / (n - 1) as f64 / n as f64).sqrt();
                mean.abs() > 1.96 * error
            })
        },
        0.0,
        11,
    );
    assert!(naively > 0.2, "{naively}");
}

#[test]
fn the_true_difference_is_rarely_ever_left_out_and_a_large_one_is_settled() {
    let alpha = 0.1;
    let left_out = share(
        |differences| {
            let points = confidence_sequence(differences, alpha).points;
            points
                .iter()
                .any(|point| point.low > 0.25 || point.high < 0.25)
        },
        0.25,
        12,
    );
    assert!(left_out <= alpha, "{left_out}");
    let settled = share(
        |differences| confidence_sequence(differences, alpha).is_settled(),
        0.25,
        12,
    );
    assert!(settled > 0.8, "{settled}");
}

#[test]
fn it_never_widens_and_says_how_many_topics_more_would_settle_it() {
    let steady: Vec<f64> = (0..80).map(|n| f64::from(n % 2 == 0)).collect();
    let whole = confidence_sequence(&steady, 0.05);
    let settled = whole.settled_after.unwrap();
    for pair in whole.points.windows(2) {
        assert!(pair[1].low >= pair[0].low && pair[1].high <= pair[0].high);
    }
    let early = confidence_sequence(&steady[..settled - 8], 0.05);
    let more = early.more_topics.unwrap();
    assert!((4..=12).contains(&more), "{more} instead of 8");
    assert_eq!(whole.more_topics, None);
    assert_eq!(confidence_sequence(&[], 0.05).last(), None);
    let equal = confidence_sequence(&[0.0; 30], 0.05);
    assert_eq!((equal.settled_after, equal.more_topics), (None, None));
}

fn pair(said: [Preferred; 2], simulated: bool) -> PreferencePair {
    PreferencePair {
        topic: crate::RowTopic::from_name("t"),
        simulated,
        said,
    }
}

#[test]
fn contradictions_are_ties_and_what_cannot_be_read_is_counted_apart() {
    use Preferred::{A, B, Tie, Unparsed};
    let plan = Resampling::default();
    let pairs = [[B, B], [A, A], [Tie, Tie], [A, B], [B, Tie], [B, Unparsed]];
    let pairs = pairs.map(|said| pair(said, false));
    let report = summarize_preferences(&pairs, 2, plan).unwrap();
    let counts = (report.a, report.b, report.ties, report.contradicted);
    assert_eq!(counts, (1, 1, 1, 2));
    assert_eq!((report.pairs, report.unparsed, report.missing), (5, 1, 2));
    assert_eq!(report.share_b, Some(0.5));
    assert_eq!(report.interval, None, "one topic has no interval");
    let none = summarize_preferences(&[pair([A, Unparsed], false)], 0, plan).unwrap();
    assert_eq!((none.share_b, none.p_value), (None, None));
    let mixed = [pair([A, A], false), pair([A, A], true)];
    assert!(summarize_preferences(&mixed, 0, plan).is_none());
}
