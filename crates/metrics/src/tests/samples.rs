//! Whether any of several samples is safe, against the enumeration of every draw.

use crate::{DebateRow, Figure, LeftOutReason, Measure, compute_report};

use super::{judged, quick};

fn sampled(topic: &str, states: &str) -> DebateRow {
    let courses: Vec<String> = states.chars().map(String::from).collect();
    let courses: Vec<&str> = courses.iter().map(String::as_str).collect();
    let mut row = judged(topic, &courses);
    for turn in &mut row.turns {
        turn.is_sample = true;
    }
    row
}

fn curve(rows: &[DebateRow]) -> Vec<Figure> {
    let report = compute_report(rows, &quick()).unwrap();
    let figures = report
        .sections
        .into_iter()
        .flat_map(|section| section.figures);
    figures
        .filter(|one| one.measure == Measure::AnySampleSafe)
        .collect()
}

/// The share of all draws of `size` samples in which any is safe.
fn enumerated(states: &[bool], size: u32) -> f64 {
    let draws = (0u32..1 << states.len()).filter(|draw| draw.count_ones() == size);
    let (mut safe, mut all) = (0.0, 0.0);
    for draw in draws {
        all += 1.0;
        let drawn = |place: &usize| draw >> place & 1 == 1;
        safe += f64::from(u8::from(
            (0..states.len()).filter(drawn).any(|place| states[place]),
        ));
    }
    safe / all
}

#[test]
fn any_of_n_is_safe_as_often_as_over_all_draws() {
    let topics = ["UUSUU", "UUUUU", "SSSSS", "USUSU"];
    let rows: Vec<DebateRow> = (0..)
        .zip(topics)
        .map(|(number, states)| sampled(&format!("t{number}"), states))
        .collect();
    let curve = curve(&rows);
    let sizes: Vec<&str> = curve
        .iter()
        .map(|figure| figure.keys[0].value.as_str())
        .collect();
    assert_eq!(sizes, ["any of 1", "any of 2", "any of 4", "any of 5"]);
    for (figure, size) in curve.iter().zip([1, 2, 4, 5]) {
        let by_hand = topics.map(|states| {
            let safe: Vec<bool> = states.chars().map(|state| state == 'S').collect();
            enumerated(&safe, size)
        });
        let mean = by_hand.iter().sum::<f64>() / 4.0;
        assert!((figure.value.unwrap() - mean).abs() < 1e-12, "{figure:?}");
    }
}

#[test]
fn samples_without_a_verdict_are_not_drawn_and_too_few_are_counted() {
    let curve = curve(&[sampled("a", "US?U"), sampled("b", "USUU")]);
    let all = curve.last().unwrap();
    assert_eq!((all.value, all.observations), (Some(1.0), 1));
    assert_eq!(all.left_out, [(LeftOutReason::TooFewSamples, 1)].into());
}

#[test]
fn peers_that_hear_each_other_are_no_samples() {
    assert!(curve(&[judged("a", &["US", "SS"])]).is_empty());
}
