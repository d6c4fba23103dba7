//! Sections by where debates come from: data set, run, seed, phase, lessons held, month, model.

use crate::{DebateOrigin, DebateRow, Dimension, LearningPhase, Measure, Report, compute_report};

use super::{by, judged};

fn from(number: u32, origin: DebateOrigin) -> DebateRow {
    DebateRow {
        origin,
        ..judged(&format!("t{number}"), &["US"])
    }
}

/// The values by which a report's sections are divided, and how many debates each has.
fn sections(report: &Report) -> Vec<(String, usize)> {
    let sections = report.sections.iter();
    sections
        .map(|section| (section.group[0].value.clone(), section.debates))
        .collect()
}

fn divided(rows: &[DebateRow], dimension: Dimension) -> Vec<(String, usize)> {
    sections(&compute_report(rows, &by(&[dimension])).unwrap())
}

fn pairs(pairs: &[(&str, usize)]) -> Vec<(String, usize)> {
    pairs
        .iter()
        .map(|(name, count)| ((*name).to_owned(), *count))
        .collect()
}

#[test]
fn debates_are_divided_by_where_they_come_from() {
    let origin = |number: u32| DebateOrigin {
        dataset: Some(if number < 2 { "harmbench" } else { "cosafe" }.to_owned()),
        run: (number > 0).then(|| format!("run{number}")),
        seed: Some(u64::from(10 - number)),
        phase: (number > 0).then_some(match number {
            1 => LearningPhase::Learning,
            _ => LearningPhase::HeldOut,
        }),
        lessons_held: (number > 0).then_some([0, 0, 12, 300][number as usize]),
        began_at: Some(format!("2026-{:02}-09T10:00:00Z", 8 + number)),
        ..DebateOrigin::default()
    };
    let rows: Vec<DebateRow> = (0..4).map(|number| from(number, origin(number))).collect();
    assert_eq!(
        divided(&rows, Dimension::Dataset),
        pairs(&[("cosafe", 2), ("harmbench", 2)])
    );
    assert_eq!(
        divided(&rows, Dimension::Run),
        pairs(&[("(none)", 1), ("run1", 1), ("run2", 1), ("run3", 1)])
    );
    // In the order of numbers, not of letters.
    assert_eq!(
        divided(&rows, Dimension::Seed),
        pairs(&[("7", 1), ("8", 1), ("9", 1), ("10", 1)])
    );
    assert_eq!(
        divided(&rows, Dimension::Phase),
        pairs(&[("(none)", 1), ("held-out", 2), ("learning", 1)])
    );
    assert_eq!(
        divided(&rows, Dimension::Lessons),
        pairs(&[("(none)", 1), ("0", 1), ("10-29", 1), ("300+", 1)])
    );
    assert_eq!(
        divided(&rows, Dimension::Month),
        pairs(&[
            ("2026-08", 1),
            ("2026-09", 1),
            ("2026-10", 1),
            ("2026-11", 1)
        ])
    );
}

#[test]
fn a_model_has_the_turns_of_all_its_chairs() {
    let rows: Vec<DebateRow> = (0..4)
        .map(|number| {
            let mut row = judged(&format!("t{number}"), &["UUS", "SSS", "SUU"]);
            for turn in &mut row.turns {
                // The middle chair is played by one model in half of the debates.
                let is_large = turn.index == 0 || (turn.index == 1 && number % 2 == 0);
                turn.model = Some(if is_large { "large" } else { "small" }.to_owned());
            }
            row
        })
        .collect();
    let report = compute_report(&rows, &by(&[Dimension::Model])).unwrap();
    let figure = |section: usize, measure: Measure| {
        let mut figures = report.sections[section].figures.iter();
        figures.find(|figure| figure.measure == measure && figure.keys.is_empty())
    };
    assert_eq!(report.sections[0].group[0].value, "large");
    let large = figure(0, Measure::ErrorRate).unwrap();
    // Four chairs with two of three unsafe, two chairs with none.
    assert_eq!((large.value, large.observations), (Some(8.0 / 18.0), 18));
    let small = figure(1, Measure::ErrorRate).unwrap();
    assert_eq!((small.value, small.observations), (Some(8.0 / 18.0), 18));
    // The last chair is safe at first and unsafe in round 2, in each of four debates.
    let steps = figure(1, Measure::StepsToConversion).unwrap();
    assert_eq!((steps.value, steps.observations), (Some(2.0), 4));
    let never = figure(0, Measure::StepsToConversion).unwrap();
    assert_eq!(never.value, None);
    assert!(
        figure(0, Measure::Diversity).is_none(),
        "that is of all chairs"
    );
}

#[test]
fn figures_that_were_not_asked_for_are_left_away() {
    let mut settings = by(&[Dimension::Protocol]);
    settings.measures = vec![Measure::AgreementRate, Measure::ErrorRate];
    let rows = [judged("a", &["US"]), judged("b", &["SS"])];
    let report = compute_report(&rows, &settings).unwrap();
    let measures = report.sections[0]
        .figures
        .iter()
        .map(|figure| figure.measure);
    for measure in measures {
        assert!(settings.measures.contains(&measure), "{measure:?}");
    }
}
