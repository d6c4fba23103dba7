//! Gauges that protocols define, and their cost against the estimate.

use crate::{
    Alert, DebateRow, Dimension, Figure, GaugeKind, GaugeRow, HumanTurns, LeftOutReason, Measure,
    Report, ReportSettings, UsageRow, compute_report, to_csv, to_table,
};

use super::{assert_not_applicable, assert_value, course, debate, figure, part, quick, reported};

/// A critic's own strength, from 0 to 10, weak below 6.5.
fn strength(value: f64, readings: u32) -> GaugeRow {
    GaugeRow {
        id: "strength".to_owned(),
        name: "challenge strength of the critic".to_owned(),
        kind: GaugeKind::Mean,
        value,
        readings,
        alert: Some(Alert {
            below: Some(6.5),
            above: None,
        }),
        flagged: readings > 0 && value < 5.0,
        flag: Some("critic rates itself below 5".to_owned()),
    }
}

fn doubt(holds: bool) -> GaugeRow {
    GaugeRow {
        id: "low_confidence".to_owned(),
        name: "synthesis of low confidence".to_owned(),
        kind: GaugeKind::Share,
        value: if holds { 1.0 } else { 0.0 },
        readings: 1,
        alert: Some(Alert {
            below: None,
            above: Some(0.3),
        }),
        flagged: false,
        flag: None,
    }
}

fn measured(topic: &str, gauges: Vec<GaugeRow>) -> DebateRow {
    DebateRow {
        gauges,
        ..debate(topic, "moderated")
    }
}

fn gauge<'a>(report: &'a Report, measure: Measure, id: &str) -> &'a Figure {
    part(report, measure, Dimension::Gauge, id)
}

#[test]
fn a_gauge_is_the_mean_over_debates_and_alerts_past_its_bound() {
    let report = reported(&[
        measured("a", vec![strength(8.0, 4), doubt(false)]),
        measured("b", vec![strength(4.0, 1), doubt(true)]),
        measured("c", vec![strength(6.0, 2), doubt(false)]),
        measured("d", vec![strength(0.0, 0), doubt(false)]),
    ]);
    let level = gauge(&report, Measure::GaugeMean, "strength");
    assert_value(level, 6.0);
    assert_eq!((level.observations, level.topics), (3, 3));
    assert_eq!(level.left_out, [(LeftOutReason::NoReading, 1)].into());
    assert!(level.alert.expect("the gauge has a bound").past);
    let flagged = gauge(&report, Measure::GaugeFlagged, "strength");
    assert_value(flagged, 1.0 / 3.0);
    assert_eq!(
        flagged.title.as_deref(),
        Some("debates flagged: critic rates itself below 5")
    );
    assert!(flagged.notes.contains(&"1 of 3 debates flagged".to_owned()));
    let share = gauge(&report, Measure::GaugeShare, "low_confidence");
    assert_value(share, 0.25);
    assert!(!share.alert.expect("the gauge has a bound").past);
    let flags = report.sections[0].figures.iter();
    assert_eq!(
        flags.filter(|f| f.measure == Measure::GaugeFlagged).count(),
        1,
        "a gauge without a flag has no figure of flags"
    );
}

#[test]
fn a_gauge_nobody_could_read_is_not_applicable_and_alerts_nothing() {
    let report = reported(&[measured("a", vec![strength(0.0, 0)])]);
    let level = gauge(&report, Measure::GaugeMean, "strength");
    assert_not_applicable(level, "no reading");
    assert!(!level.alert.expect("the gauge has a bound").past);
}

#[test]
fn a_share_that_is_none_is_left_out_and_counted() {
    let mut impossible = doubt(true);
    impossible.value = 1.5;
    let report = reported(&[
        measured("a", vec![impossible]),
        measured("b", vec![doubt(true)]),
    ]);
    let share = gauge(&report, Measure::GaugeShare, "low_confidence");
    assert_value(share, 1.0);
    assert_eq!(share.left_out, [(LeftOutReason::OutOfRange, 1)].into());
}

#[test]
fn a_gauge_counts_each_debate_once_and_resamples_topics() {
    // Two rollouts a topic: an interval over twenty debates as if independent would be narrower.
    let rows: Vec<DebateRow> = (0..20)
        .map(|i| {
            let value = f64::from(i / 2);
            let mut row = measured(&format!("t{}", i / 2), vec![strength(value, 1 + i)]);
            row.rollout = i % 2;
            row
        })
        .collect();
    let report = compute_report(&rows, &ReportSettings::default()).unwrap();
    let level = gauge(&report, Measure::GaugeMean, "strength");
    assert_value(level, 4.5);
    assert_eq!((level.observations, level.topics), (20, 10));
    let interval = level.interval.expect("ten topics");
    // Ten values 0 to 9: the mean's standard error is 0.96, Student's interval 2.33 to 6.67.
    assert!((interval.low - 2.33).abs() < 0.3, "{interval:?}");
    assert!((interval.high - 6.67).abs() < 0.3, "{interval:?}");
}

#[test]
fn a_gauge_leaves_out_debates_that_people_took_part_in_unless_asked() {
    let mut touched = measured("a", vec![strength(2.0, 1)]);
    touched.turns = course("critic", 0, "C");
    touched.turns[0].by_person = true;
    let rows = [touched, measured("b", vec![strength(8.0, 1)])];
    let level = reported(&rows);
    let level = gauge(&level, Measure::GaugeMean, "strength");
    assert_value(level, 8.0);
    assert_eq!(level.left_out, [(LeftOutReason::ByPerson, 1)].into());
    let settings = ReportSettings {
        people: HumanTurns::Included,
        ..quick()
    };
    let with = compute_report(&rows, &settings).unwrap();
    assert_value(gauge(&with, Measure::GaugeMean, "strength"), 5.0);
}

#[test]
fn gauges_of_one_id_that_protocols_name_differently_are_not_pooled() {
    let other = GaugeRow {
        name: "strength of the bridge".to_owned(),
        ..strength(100.0, 1)
    };
    let mut stricter = strength(6.0, 1);
    stricter.alert = Some(Alert {
        below: Some(7.0),
        above: None,
    });
    let report = reported(&[
        measured("a", vec![strength(8.0, 1)]),
        measured("b", vec![other]),
        measured("c", vec![stricter]),
    ]);
    let figures = report.sections[0].figures.iter();
    let means: Vec<_> = figures
        .filter(|figure| figure.measure == Measure::GaugeMean)
        .map(|figure| (figure.title.as_deref().unwrap(), figure.value.unwrap()))
        .collect();
    assert_eq!(
        means,
        [
            ("challenge strength of the critic", 7.0),
            ("strength of the bridge", 100.0)
        ]
    );
    let level = gauge(&report, Measure::GaugeMean, "strength");
    // Two bounds are no bound, and the reader is told.
    assert_eq!(level.alert, None);
    assert!(
        level
            .notes
            .contains(&"debates differ in the bound of the alert; group by arm".to_owned())
    );
}

fn used(topic: &str, usage: UsageRow) -> DebateRow {
    DebateRow {
        usage,
        ..debate(topic, "moderated")
    }
}

fn estimated(cost_usd: Option<f64>, estimated_usd: Option<f64>) -> UsageRow {
    UsageRow {
        cost_usd,
        estimated_usd,
        input_tokens: 900,
        output_tokens: 300,
        estimated_tokens: Some(1000),
        ..UsageRow::default()
    }
}

#[test]
fn cost_is_a_multiple_of_its_estimate_as_a_ratio_of_sums() {
    // (4 + 0.5) / (2 + 1) = 1.5, though the mean of the ratios is 1.25.
    let report = reported(&[
        used("a", estimated(Some(4.0), Some(2.0))),
        used("b", estimated(Some(0.5), Some(1.0))),
    ]);
    let cost = figure(&report, Measure::CostOverEstimate);
    assert_value(cost, 1.5);
    assert_eq!((cost.observations, cost.topics), (2, 2));
    // Exactly at the bound is not above it.
    assert!(!cost.alert.expect("§8.1 has a bound").past);
    let figures = &report.sections[0].figures;
    assert!(
        figures
            .iter()
            .all(|figure| figure.measure != Measure::TokensOverEstimate),
        "tokens stand in only where money cannot be compared"
    );
}

#[test]
fn what_cannot_be_compared_in_money_is_left_out_counted_and_compared_in_tokens() {
    let mut fork = used("a", estimated(Some(9.0), Some(1.0)));
    fork.fork = true;
    let report = reported(&[
        used("a", estimated(Some(3.2), Some(2.0))),
        used("b", estimated(None, Some(1.0))),
        used("c", estimated(Some(1.0), None)),
        used("d", estimated(Some(f64::NAN), Some(1.0))),
        fork,
    ]);
    let cost = figure(&report, Measure::CostOverEstimate);
    assert_value(cost, 1.6);
    assert!(cost.alert.expect("§8.1 has a bound").past);
    assert_eq!(
        cost.left_out,
        [
            (LeftOutReason::NoPrice, 1),
            (LeftOutReason::NoEstimate, 1),
            (LeftOutReason::NotFinite, 1),
            (LeftOutReason::Fork, 1)
        ]
        .into()
    );
    let tokens = figure(&report, Measure::TokensOverEstimate);
    assert_value(tokens, 1.2);
    assert_eq!(tokens.observations, 4);
    let nothing = reported(&[used("a", estimated(Some(1.0), Some(0.0)))]);
    assert_not_applicable(
        figure(&nothing, Measure::CostOverEstimate),
        "no debate with an estimate above 0",
    );
}

#[test]
fn a_task_type_that_runs_away_is_seen_beside_one_that_does_not() {
    let of = |topic, category: &str, cost| DebateRow {
        category: Some(category.to_owned()),
        ..used(topic, estimated(Some(cost), Some(1.0)))
    };
    let report = reported(&[of("a", "law", 2.0), of("b", "code", 0.8)]);
    assert_value(figure(&report, Measure::CostOverEstimate), 1.4);
    let past = |category| {
        let figure = part(
            &report,
            Measure::CostOverEstimate,
            Dimension::Category,
            category,
        );
        figure.alert.expect("§8.1 has a bound").past
    };
    assert!(past("law") && !past("code"));
}

#[test]
fn tables_and_csv_show_gauges_by_their_names_with_their_alerts() {
    let rows: Vec<DebateRow> = (0..6)
        .map(|i| DebateRow {
            usage: estimated(Some(2.0 + f64::from(i)), Some(1.0)),
            ..measured(
                &format!("t{i}"),
                vec![strength(3.0 + f64::from(i), 1), doubt(i == 0)],
            )
        })
        .collect();
    let report = reported(&rows);
    let table = to_table(&report, 80);
    for line in table.lines() {
        assert!(line.chars().count() <= 80, "{line}");
    }
    insta::assert_snapshot!(table);
    let csv = to_csv(&report).unwrap();
    let mut reader = csv::Reader::from_reader(csv.as_bytes());
    let header = reader.headers().unwrap().clone();
    let column = |name: &str| header.iter().position(|column| column == name).unwrap();
    let record = reader
        .records()
        .map(Result::unwrap)
        .find(|record| &record[column("measure")] == "gauge_mean")
        .unwrap();
    assert_eq!(&record[column("gauge")], "strength");
    assert_eq!(&record[column("title")], "challenge strength of the critic");
    assert_eq!(&record[column("value")], "5.5");
    assert_eq!(&record[column("alert_below")], "6.5");
    assert_eq!(&record[column("alert_above")], "");
    assert_eq!(&record[column("alert")], "true");
}
