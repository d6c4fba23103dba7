//! Tests of two groups, paired by topic.

use crate::{Resampling, adjust_by_holm, mcnemar_exact, sign_flip};

const PLAN: Resampling = Resampling {
    resamples: 4000,
    seed: 5,
};

#[test]
fn all_flips_of_few_signs_are_counted() {
    // Of 8 flips of 1, 2, 3 only +++ and −−− are as far from 0.
    assert_eq!(sign_flip(&[1.0, 2.0, 3.0], PLAN), 2.0 / 8.0);
    assert_eq!(sign_flip(&[1.0, -1.0], PLAN), 1.0);
    assert_eq!(sign_flip(&[0.0, 0.0], PLAN), 1.0);
    assert_eq!(sign_flip(&[], PLAN), 1.0);
}

#[test]
fn drawn_flips_agree_with_the_binomial_they_stand_for() {
    // Equal sizes: the sum is a sign test. 15 of 20 positive: p = 2·P(X ≤ 5) = 0.0414.
    let differences: Vec<f64> = (0..20).map(|i| if i < 15 { 0.5 } else { -0.5 }).collect();
    let p = sign_flip(&differences, PLAN);
    assert!((p - 0.0414).abs() < 0.012, "{p}");
    assert_eq!(p, sign_flip(&differences, PLAN));
}

#[test]
fn mcnemar_is_the_exact_binomial_on_discordant_topics() {
    assert!((mcnemar_exact(5, 15) - 0.041_389).abs() < 1e-5);
    assert!((mcnemar_exact(0, 5) - 2.0 / 32.0).abs() < 1e-12);
    assert_eq!(mcnemar_exact(0, 0), 1.0);
    assert_eq!(mcnemar_exact(3, 3), 1.0);
    assert!(mcnemar_exact(900, 1100) < 1e-4);
}

#[test]
fn holm_multiplies_by_what_is_left_of_the_family_and_never_decreases() {
    let adjusted = adjust_by_holm(&[0.01, 0.04, 0.03, 0.9]);
    for (value, expected) in adjusted.iter().zip([0.04, 0.09, 0.09, 0.9]) {
        assert!((value - expected).abs() < 1e-12, "{adjusted:?}");
    }
    assert_eq!(adjust_by_holm(&[0.8, 0.7]), [1.0, 1.0]);
}
