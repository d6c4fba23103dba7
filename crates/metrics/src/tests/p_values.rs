//! Display of p-values: never smaller than is known.

use crate::{PValue, PairedTest, PreferencePair, Preferred, Resampling, summarize_preferences};

#[track_caller]
fn shown(value: f64, is_bound: bool, text: &str) {
    assert_eq!(PValue { value, is_bound }.to_string(), text);
}

#[test]
fn the_smallest_that_resampling_allows_is_a_bound_and_is_never_rounded_down() {
    shown(0.04, false, "0.040");
    shown(0.001, false, "0.001");
    shown(0.0004, false, "<0.001");
    shown(0.0, false, "<0.001");
    shown(1.0, false, "1.000");
    shown(1.0 / 2001.0, true, "<0.001");
    shown(3.0 / 2001.0, true, "<0.002");
    shown(2.0 / 401.0, true, "<0.005");
    shown(0.002, true, "<0.002");
    shown(1.0, true, "1.000");
    assert_eq!(
        format!(
            "{:>8}",
            PValue {
                value: 0.5,
                is_bound: false
            }
        ),
        "   0.500"
    );
}

#[test]
fn flipped_signs_of_many_topics_reach_their_bound_and_those_of_few_are_exact() {
    let p = |topics: usize| {
        let pair = |at: usize, said| PreferencePair {
            topic: crate::RowTopic::from_name(&format!("t{}", at % topics)),
            simulated: false,
            said: [said, said],
        };
        let pairs: Vec<PreferencePair> = (0..2 * topics).map(|at| pair(at, Preferred::B)).collect();
        let plan = Resampling {
            resamples: 99,
            seed: 3,
        };
        let found = summarize_preferences(&pairs, 0, plan).unwrap();
        assert_eq!(found.test, PairedTest::SignFlip);
        found.shown_p().unwrap()
    };
    let many = p(40);
    assert_eq!((many.value, many.is_bound), (0.01, true));
    assert_eq!(many.to_string(), "<0.010");
    let few = p(10);
    assert_eq!((few.value, few.is_bound), (2.0 / 1024.0, false));
    assert_eq!(few.to_string(), "0.002");
}
