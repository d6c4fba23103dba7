//! Interval and p-value of one row of a comparison tell one story (FIGURES 24).

use crate::{
    ComparisonSettings, DebateRow, Dimension, Figure, IntervalMethod, Measure, Report,
    ReportSettings, Resampling, compare_groups, comparison_to_table,
};

use super::judged;

const TOPICS: usize = 40;

/// Arms on the same topics with one answer each, of which so many differ from those of the first.
fn arms(differing: &[(&str, usize)]) -> Vec<DebateRow> {
    let arm = |name: &str, safe: usize| {
        let course = move |topic| if topic < safe { "S" } else { "U" };
        let name = name.to_owned();
        (0..TOPICS).map(move |topic| DebateRow {
            arm: name.clone(),
            ..judged(&format!("t{topic}"), &[course(topic)])
        })
    };
    let others = differing.iter().flat_map(|(name, safe)| arm(name, *safe));
    arm("first", 0).chain(others).collect()
}

fn compared(differing: &[(&str, usize)]) -> Report {
    let others: Vec<String> = differing
        .iter()
        .map(|(name, _)| (*name).to_owned())
        .collect();
    let settings = ComparisonSettings {
        groups: ReportSettings {
            by: vec![Dimension::Arm],
            resampling: Resampling::from_seed(3),
            ..ReportSettings::default()
        },
        measures: vec![Measure::ErrorRate],
        within: None,
    };
    compare_groups(&arms(differing), "first", &others, &settings).unwrap()
}

fn figure(report: &Report, section: usize) -> &Figure {
    &report.sections[section].figures[0]
}

#[test]
fn an_interval_is_as_strict_as_its_adjusted_p_value() {
    // Five or six of forty topics better: alone that is below .05, as one of five comparisons it is not.
    let others = [("a", 5), ("b", 6), ("c", 0), ("d", 1), ("e", 2)];
    let report = compared(&others);
    for section in 0..others.len() {
        let figure = figure(&report, section);
        let test = figure.compared.unwrap().test.unwrap();
        let interval = figure.interval.unwrap();
        let holds_none = interval.low <= 0.0 && 0.0 <= interval.high;
        assert_eq!(test.family, 5);
        assert_eq!(holds_none, test.p_holm > 0.05, "{figure:?}");
    }
    let text = comparison_to_table(&report, 80);
    assert!(text.contains("adj. interval"), "{text}");
    assert!(text.contains("adj. p"), "{text}");
    assert!(!text.contains("95 % interval"), "{text}");
    let alone = comparison_to_table(&compared(&others[..1]), 80);
    assert!(alone.contains("95 % interval"), "{alone}");
    assert!(!alone.contains("adj"), "{alone}");
}

#[test]
fn the_adjusted_interval_is_bonett_and_prices_at_the_level_of_its_row() {
    let report = compared(&[("a", 5), ("b", 6)]);
    // R: qnorm(1 - .025 / 2) and qnorm(.975); the smaller p-value, that of b, is doubled.
    for (section, better, z) in [
        (0, 5.0, 1.959_963_984_540_054),
        (1, 6.0, 2.241_402_727_604_945),
    ] {
        let interval = figure(&report, section).interval.unwrap();
        assert_eq!(interval.method, IntervalMethod::BonettPrice);
        let n = TOPICS as f64 + 2.0;
        let (worse, better): (f64, f64) = (1.0 / n, (better + 1.0) / n);
        let centre = worse - better;
        let half = z * ((worse + better - centre * centre) / n).sqrt();
        assert!(
            (interval.low - (centre - half)).abs() < 1e-9,
            "{interval:?}"
        );
        assert!(
            (interval.high - (centre + half)).abs() < 1e-9,
            "{interval:?}"
        );
    }
    let confidence = |section| figure(&report, section).confidence;
    assert_eq!((confidence(0), confidence(1)), (None, Some(0.975)));
}
