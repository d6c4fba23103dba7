//! Selection of topics, and splits of a dataset.

use super::*;

fn numbered(count: usize) -> Vec<Topic> {
    let rows: Vec<String> = (0..count)
        .map(|at| format!("topic {at},{}", ["plants", "animals"][at % 2]))
        .collect();
    parsed("n.csv", format!("text,category\n{}\n", rows.join("\n"))).topics
}

#[test]
fn a_selection_keeps_categories_then_samples_then_limits() {
    let topics = numbered(20);
    let only = |change: fn(&mut Selection)| {
        let mut selection = Selection::default();
        change(&mut selection);
        select_topics(topics.clone(), &selection)
    };
    let plants = only(|s| s.categories = vec!["Plants".to_owned()]).unwrap();
    assert_eq!(plants.len(), 10);
    assert_eq!(ids(&only(|s| s.limit = Some(2)).unwrap()), ["n:2", "n:3"]);
    let sample = only(|s| s.sample = Some(6)).unwrap();
    let limited = only(|s| (s.sample, s.limit) = (Some(6), Some(4))).unwrap();
    assert_eq!(limited, sample[..4]);
}

#[test]
fn a_sample_is_the_same_for_ever() {
    let sample = Selection {
        sample: Some(4),
        seed: 7,
        ..Selection::default()
    };
    let drawn = select_topics(numbered(20), &sample).unwrap();
    // The four smallest of SHA-256("elenchus/dataset/1/sample/" ‖ 7 as u64 LE ‖ id), computed apart.
    assert_eq!(ids(&drawn), ["n:4", "n:9", "n:11", "n:14"]);
}

#[test]
fn what_cannot_be_selected_says_what_could() {
    let select = |categories: &[&str], sample, limit| {
        let categories = categories.iter().map(|c| (*c).to_owned()).collect();
        let selection = Selection {
            categories,
            levels: Vec::new(),
            limit,
            sample,
            seed: 1,
        };
        select_topics(numbered(4), &selection)
            .unwrap_err()
            .to_string()
    };
    assert_eq!(
        select(&["rocks"], None, None),
        "no topic has the category `rocks`; there are: animals, plants"
    );
    assert!(select(&["plants"], Some(3), None).contains("only 2 topics"));
    assert!(select(&[], None, Some(0)).contains("leaves no topic"));
}

#[test]
fn a_split_needs_a_fraction_and_two_topics() {
    for fraction in [0.0, 1.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(matches!(
            split_topics(numbered(4), fraction, 1),
            Err(DatasetError::Fraction { .. })
        ));
    }
    assert!(matches!(
        split_topics(numbered(1), 0.5, 1),
        Err(DatasetError::TooFewToSplit { .. })
    ));
}

proptest! {
    #[test]
    fn a_sample_keeps_the_order_and_a_larger_one_holds_the_smaller(
        count in 2_usize..40, seed in any::<u64>(), pick in any::<prop::sample::Index>(),
    ) {
        let topics = numbered(count);
        let small = pick.index(count - 1) + 1;
        let sample = |n| {
            let selection = Selection { sample: Some(n), seed, ..Selection::default() };
            select_topics(topics.clone(), &selection).unwrap()
        };
        let (few, more) = (sample(small), sample(small + 1));
        prop_assert_eq!((few.len(), more.len()), (small, small + 1));
        prop_assert!(few.iter().all(|topic| more.contains(topic)));
        let places: Vec<_> = few.iter().map(|t| topics.iter().position(|o| o == t)).collect();
        prop_assert!(places.is_sorted());
    }

    #[test]
    fn a_split_loses_nothing_and_leaves_neither_part_empty(
        count in 2_usize..40, fraction in 0.001_f64..0.999, seed in any::<u64>(),
    ) {
        let topics = numbered(count);
        let (train, rest) = split_topics(topics.clone(), fraction, seed).unwrap();
        prop_assert!(!train.is_empty() && !rest.is_empty());
        prop_assert!((train.len() as f64 - count as f64 * fraction).abs() <= 1.0);
        for topic in &topics {
            prop_assert!(train.contains(topic) != rest.contains(topic));
        }
        let mut reversed = topics;
        reversed.reverse();
        let (again, _) = split_topics(reversed, fraction, seed).unwrap();
        prop_assert!(train.iter().all(|topic| again.contains(topic)));
    }
}
