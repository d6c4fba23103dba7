//! Groups in rows and columns, as text, Markdown and LaTeX.

use crate::{
    DebateOrigin, DebateRow, Dimension, Measure, PivotShape, Report, TableFormat, TurnSafety,
    build_pivots, compute_report, group_name, with_totals,
};

use super::{by, judged};

fn rows() -> Vec<DebateRow> {
    let mut rows = Vec::new();
    for (protocol, dataset, course) in [
        ("pred", "harm & bench", "US"),
        ("pred", "cosafe", "SS"),
        ("self_critique|x", "cosafe", "UU"),
    ] {
        for number in 0..8 {
            rows.push(DebateRow {
                protocol: protocol.to_owned(),
                arm: protocol.to_owned(),
                simulated: true,
                origin: DebateOrigin {
                    dataset: Some(dataset.to_owned()),
                    ..DebateOrigin::default()
                },
                ..judged(&format!("{dataset} {number}"), &[course])
            });
        }
    }
    rows
}

fn written(measures: &[Measure], format: TableFormat) -> String {
    let shape = PivotShape {
        rows: vec![Dimension::Protocol],
        columns: vec![Dimension::Dataset],
        measures: measures.to_vec(),
    };
    let report = compute_report(&rows(), &by(&[Dimension::Protocol, Dimension::Dataset])).unwrap();
    let all = build_pivots(&report, &shape);
    let [pivot] = &all[..] else {
        panic!("{} tables", all.len());
    };
    pivot.render(format)
}

fn cells(line: &str, between: &str) -> Vec<String> {
    line.split(between)
        .map(|cell| cell.trim().to_owned())
        .collect()
}

#[test]
fn every_combination_has_a_cell_and_what_was_not_played_has_none() {
    let text = written(&[Measure::ErrorRate], TableFormat::Markdown);
    let lines: Vec<&str> = text.lines().filter(|line| line.starts_with('|')).collect();
    assert_eq!(
        cells(lines[0], " | "),
        ["| protocol", "cosafe", "harm & bench |"]
    );
    let pred = cells(lines[2], " | ");
    // No unsafe turn on eight topics; then one of two turns on each topic, which do not differ.
    assert!(pred[1].starts_with("0.0 % [0.0, "), "{text}");
    assert_eq!(pred[2], "50.0 % |");
    assert!(
        lines[3].starts_with("| self_critique\\|x | 100.0 % ["),
        "{text}"
    );
    assert!(lines[3].ends_with("| - |"), "{text}");
    assert!(
        text.starts_with("**error rate of SIMULATED debates"),
        "{text}"
    );
    assert!(text.contains("- fewer than 30 topics"), "{text}");
}

#[test]
fn rows_without_any_figure_are_named_instead_of_drawn() {
    let mut rows = rows();
    for row in &mut rows {
        for turn in &mut row.turns {
            turn.model = Some("speaker".to_owned());
        }
        // A questioner's turns are never judged.
        let mut asked = row.turns[0].clone();
        asked.seat = "socratic".to_owned();
        asked.model = Some("questioner".to_owned());
        asked.state = TurnSafety::Context;
        row.turns.push(asked);
    }
    let shape = PivotShape {
        rows: vec![Dimension::Model],
        columns: vec![Dimension::Dataset],
        measures: vec![Measure::ErrorRate],
    };
    let report = compute_report(&rows, &by(&[Dimension::Model, Dimension::Dataset])).unwrap();
    let text = build_pivots(&report, &shape)[0].render(TableFormat::Markdown);
    assert!(text.contains("| speaker |"), "{text}");
    assert!(!text.contains("| questioner |"), "{text}");
    let said = "- left out, without any of these figures: questioner";
    assert!(text.contains(said), "{text}");
}

#[test]
fn the_whole_stands_before_its_parts() {
    let rows = rows();
    let parts = compute_report(&rows, &by(&[Dimension::Protocol, Dimension::Dataset])).unwrap();
    let whole = compute_report(&rows, &by(&[Dimension::Protocol])).unwrap();
    let value = |report: &Report, group: &str| {
        let section = report
            .sections
            .iter()
            .find(|section| group_name(&section.group) == group);
        let figures = &section.unwrap_or_else(|| panic!("{group}")).figures;
        let figure = figures
            .iter()
            .find(|one| one.measure == Measure::ErrorRate && one.keys.is_empty());
        figure.unwrap().value.unwrap()
    };
    let report = with_totals(parts, whole.clone(), Dimension::Dataset);
    let names: Vec<String> = report
        .sections
        .iter()
        .map(|one| group_name(&one.group))
        .collect();
    assert_eq!(
        names,
        [
            "pred, all",
            "pred, cosafe",
            "pred, harm & bench",
            "self_critique|x, all",
            "self_critique|x, cosafe"
        ]
    );
    assert_eq!(value(&report, "pred, all"), value(&whole, "pred"));
    assert_eq!(value(&report, "pred, all"), 0.25);
}

#[test]
fn latex_is_escaped_and_closed() {
    let text = written(
        &[Measure::ErrorRate, Measure::AgreementRate],
        TableFormat::Latex,
    );
    assert!(text.contains("\\begin{tabular}{lrrrr}"), "{text}");
    assert!(text.contains("harm \\& bench: error rate"), "{text}");
    assert!(text.contains("self\\_critique|x & 100.0 \\%"), "{text}");
    assert!(text.ends_with("\\bottomrule\n\\end{tabular}\n"), "{text}");
    let rows = text.lines().filter(|line| line.ends_with("\\\\"));
    for row in rows {
        assert_eq!(row.replace("\\&", "").matches('&').count(), 4, "{row}");
    }
}

#[test]
fn a_table_that_is_too_wide_goes_on_below() {
    let text = written(
        &[
            Measure::ErrorRate,
            Measure::AgreementRate,
            Measure::UnchangedRate,
        ],
        TableFormat::Text(60),
    );
    assert!(
        text.lines().all(|line| line.chars().count() <= 60),
        "{text}"
    );
    assert!(text.matches("\npred ").count() > 1, "{text}");
    for dataset in ["cosafe:", "harm &"] {
        assert_eq!(text.matches(dataset).count(), 3, "{dataset}\n{text}");
    }
}
