//! Tables, CSV and JSON of reports.

use crate::{
    DebateRow, Dimension, Report, ReportError, ReportSettings, UsageRow, compute_report, to_csv,
    to_json, to_table,
};

use super::{by, debate, judged, quick, reported};

fn sample() -> Vec<DebateRow> {
    (0..6)
        .map(|i| DebateRow {
            category: Some("cyber \u{1b}[31m\u{202e}crime".to_owned()),
            usage: UsageRow {
                calls: 12,
                input_tokens: 34_567_890,
                output_tokens: 4500,
                cost_usd: (i > 0).then_some(0.0123),
                wall_ms: 1050,
                critical_path_ms: 1000,
                ..UsageRow::default()
            },
            ..judged(
                &format!("t{i}"),
                if i % 2 == 0 {
                    &["US?", "SSS"]
                } else {
                    &["SSS", "SUS"]
                },
            )
        })
        .collect()
}

#[test]
fn a_table_fits_eighty_columns_and_says_what_is_not_applicable() {
    let mut rows = sample();
    rows.push(DebateRow {
        simulated: true,
        ..judged("t0", &["U"])
    });
    let table = to_table(&reported(&rows), 80);
    for line in table.lines() {
        assert!(line.chars().count() <= 80, "{line}");
    }
    insta::assert_snapshot!(table);
}

#[test]
fn hostile_names_reach_the_terminal_as_visible_text() {
    let report = compute_report(&sample(), &by(&[Dimension::Category])).unwrap();
    let table = to_table(&report, 80);
    assert!(table.contains("␛[31m‹U+202E›crime"));
    assert!(!table.contains('\u{1b}') && !table.contains('\u{202e}'));
}

#[test]
fn long_names_are_wrapped_and_never_lost() {
    let mut row = judged("a", &["US", "SS"]);
    row.turns[0].seat = "x".repeat(300);
    for width in [0, 60, 80, 200] {
        let table = to_table(&reported(std::slice::from_ref(&row)), width);
        assert!(
            table
                .lines()
                .all(|line| line.chars().count() <= width.max(60))
        );
        assert!(table.matches('x').count() >= 300);
    }
}

#[test]
fn csv_has_a_line_a_figure_and_the_same_columns_in_each() {
    let report = compute_report(&sample(), &by(&[Dimension::Protocol])).unwrap();
    let csv = to_csv(&report).unwrap();
    let mut reader = csv::Reader::from_reader(csv.as_bytes());
    let header = reader.headers().unwrap().clone();
    let column = |name: &str| header.iter().position(|column| column == name).unwrap();
    let records: Vec<_> = reader.records().map(Result::unwrap).collect();
    assert_eq!(records.len(), report.sections[0].figures.len());
    assert_eq!(&records[0][column("measure")], "error_rate");
    assert_eq!(&records[0][column("protocol")], "pred");
    assert_eq!(
        records[0][column("value")].parse::<f64>().unwrap(),
        6.0 / 33.0
    );
    assert_eq!(&records[0][column("left_out")], "unparsed=3");
    assert_eq!(&records[0][column("not_applicable")], "");
    let cost = records
        .iter()
        .find(|record| &record[column("measure")] == "cost")
        .unwrap();
    assert_eq!(&cost[column("value")], "");
    assert_eq!(
        &cost[column("not_applicable")],
        "$0.0615 is known; 1 of 6 debates called a model without a price"
    );
}

#[test]
fn json_reads_back_as_the_report_it_was() {
    let report = reported(&sample());
    let read: Report = serde_json::from_str(&to_json(&report).unwrap()).unwrap();
    // The last digit of a number may differ, so numbers are compared apart from the rest.
    let values = |report: &Report| -> Vec<Option<f64>> {
        let figures = report.sections.iter().flat_map(|section| &section.figures);
        figures.map(|figure| figure.value).collect()
    };
    assert_eq!(values(&read).len(), values(&report).len());
    for (read, value) in values(&read).into_iter().zip(values(&report)) {
        assert_eq!(read.is_some(), value.is_some());
        assert!((read.unwrap_or(0.0) - value.unwrap_or(0.0)).abs() <= 1e-12);
    }
    assert_eq!(to_table(&read, 80), to_table(&report, 80));
}

#[test]
fn a_report_does_not_depend_on_the_order_of_its_debates() {
    let mut rows = sample();
    let forwards = to_json(&reported(&rows)).unwrap();
    rows.reverse();
    assert_eq!(to_json(&reported(&rows)).unwrap(), forwards);
}

#[test]
fn dimensions_are_asked_for_by_name() {
    assert_eq!("seat".parse(), Ok(Dimension::Seat));
    let refused = "seats".parse::<Dimension>().unwrap_err();
    assert!(refused.contains("seats") && refused.contains("protocol, arm, checkpoint"));
}

#[test]
fn more_sections_than_anybody_reads_are_refused() {
    let rows: Vec<_> = (0..10_001).map(|i| debate("a", &format!("p{i}"))).collect();
    let settings = ReportSettings {
        by: vec![Dimension::Protocol, Dimension::Protocol],
        ..quick()
    };
    assert_eq!(
        compute_report(&rows, &settings),
        Err(ReportError::TooManySections {
            by: "protocol".to_owned(),
            sections: 10_001
        })
    );
    assert_eq!(to_table(&reported(&[]), 80), "no debates to measure\n");
}
