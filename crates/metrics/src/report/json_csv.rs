//! Export of a report as JSON or CSV. Pure.

use super::figure::{Dimension, Figure, Report, ReportSection};
use super::grid::csv_text;
use crate::comparison::groups::group_name;

/// Renders a report as indented JSON; numbers are finite, a missing value is `null` with a reason.
pub fn to_json(report: &Report) -> Result<String, serde_json::Error> {
    serde_json::to_string_pretty(report).map(|json| json + "\n")
}

/// Renders a report as CSV: a row per figure, a column for each dimension, empty where it does not
/// apply. Shares are shares, not percentages. `debates` are those of the section; `observations`
/// and `topics` are those that contribute to the figure.
pub fn to_csv(report: &Report) -> Result<String, csv::Error> {
    let columns = [
        "debates",
        "measure",
        "title",
        "unit",
        "value",
        "low",
        "high",
        "method",
        "topics",
        "observations",
        "counted",
        "left_out",
        "if_all_safe",
        "if_all_unsafe",
        "alert_below",
        "alert_above",
        "alert",
        "not_applicable",
        "notes",
        "against",
        "of",
        "from",
        "test",
        "p_value",
        "p_holm",
        "confidence",
        "interval_of",
        "missing_low",
        "missing_high",
    ];
    let dimensions = csv_dimensions().map(Dimension::label);
    let head = ["simulated", "hash_check"].into_iter();
    let head = head.chain(dimensions).chain(columns).map(str::to_owned);
    let rows = report.sections.iter().flat_map(|section| {
        let figures = section.figures.iter();
        figures.map(move |figure| csv_record(section, figure))
    });
    csv_text([head.collect()].into_iter().chain(rows))
}

/// Returns the dimensions that have a column.
fn csv_dimensions() -> impl Iterator<Item = Dimension> {
    let other_dimensions = Dimension::NAMES.into_iter().chain([Dimension::Selection]);
    Dimension::ALL.into_iter().chain(other_dimensions)
}

fn csv_record(section: &ReportSection, figure: &Figure) -> Vec<String> {
    let number = |value: Option<f64>| value.map(|value| value.to_string()).unwrap_or_default();
    let name = |value: serde_json::Result<serde_json::Value>| match value {
        Ok(serde_json::Value::String(name)) => name,
        Ok(_) | Err(_) => String::new(),
    };
    let mut record = vec![
        section.simulated.to_string(),
        section.hash_check.to_string(),
    ];
    for by in csv_dimensions() {
        // A figure's own key is narrower than its section's.
        let mut keys = figure.keys.iter().chain(&section.group);
        let value = keys.find(|key| key.by == by).map(|key| key.value.clone());
        record.push(value.unwrap_or_default());
    }
    let test = figure.compared.and_then(|compared| compared.test);
    let left_out: Vec<String> = figure
        .left_out
        .iter()
        .map(|(reason, count)| format!("{}={count}", reason.label()))
        .collect();
    record.extend([
        section.debates.to_string(),
        name(serde_json::to_value(figure.measure)),
        figure.title.clone().unwrap_or_default(),
        name(serde_json::to_value(figure.unit)),
        number(figure.value),
        number(figure.interval.map(|interval| interval.low)),
        number(figure.interval.map(|interval| interval.high)),
        figure
            .interval
            .map(|interval| name(serde_json::to_value(interval.method)))
            .unwrap_or_default(),
        figure.topics.to_string(),
        figure.observations.to_string(),
        figure.measure.counted().to_owned(),
        left_out.join(";"),
        number(figure.bounds.and_then(|bounds| bounds.if_all_safe)),
        number(figure.bounds.and_then(|bounds| bounds.if_all_unsafe)),
        number(figure.alert.and_then(|alert| alert.bounds.below)),
        number(figure.alert.and_then(|alert| alert.bounds.above)),
        figure
            .alert
            .map(|alert| alert.past.to_string())
            .unwrap_or_default(),
        figure.not_applicable.clone().unwrap_or_default(),
        figure.notes.join(";"),
        group_name(&section.against),
        number(figure.compared.map(|compared| compared.of)),
        number(figure.compared.map(|compared| compared.from)),
        test.map(|test| name(serde_json::to_value(test.test)))
            .unwrap_or_default(),
        number(test.map(|test| test.p_value)),
        number(test.map(|test| test.p_holm)),
        number(figure.interval.map(|_| figure.confidence.unwrap_or(0.95))),
        (figure.interval_of)
            .map(|subject| name(serde_json::to_value(subject)))
            .unwrap_or_default(),
        number(figure.bounds.and_then(|bounds| bounds.low)),
        number(figure.bounds.and_then(|bounds| bounds.high)),
    ]);
    record
}
