//! Paired comparison of two arms as text or JSON. Pure.

use std::collections::BTreeMap;

use super::paired_arms::{Multiple, PairedReport, PairedRow};
use crate::metrics::report::figure::{Interval, Unit};
use crate::metrics::report::left_out::LeftOutReason;
use crate::metrics::report::text::{bare, clip, counted, format_value, push_line, visible, wrap};
use crate::metrics::statistics::paired_tests::PairedTest;

/// Least width of the table: its numbers and a short name fit.
const MIN_PAIRED_WIDTH: usize = 76;

const TOPICS: usize = 7;
const SHARE: usize = 9;
const INTERVAL: usize = 17;
const P: usize = 8;

/// Renders a comparison as text of at most `width` columns ([`MIN_PAIRED_WIDTH`] where that is
/// more), with a row's notes under it and general notes at the end.
pub fn paired_to_table(report: &PairedReport, width: usize) -> String {
    let width = width.max(MIN_PAIRED_WIDTH);
    let mut out = String::new();
    let kind = if report.simulated { "SIMULATED: " } else { "" };
    lines(
        &mut out,
        0,
        &format!("{kind}two arms, paired by topic"),
        width,
    );
    lines(
        &mut out,
        0,
        &format!("A: {}", visible(&report.arm_a)),
        width,
    );
    lines(
        &mut out,
        0,
        &format!("B: {}", visible(&report.arm_b)),
        width,
    );
    for warning in &report.warnings {
        lines(&mut out, 0, &format!("! {}", visible(warning)), width);
    }
    out.push('\n');
    let name = name_width(width);
    push_line(
        &mut out,
        &format!(
            "{:<name$}{:>TOPICS$}{:>SHARE$}{:>SHARE$}{:>SHARE$}{:>INTERVAL$}{:>P$}",
            "right", "topics", "A", "B", "A - B", "95 % interval", "p"
        ),
    );
    for row in report.task_types.iter().chain([&report.overall]) {
        row_lines(&mut out, row, width);
    }
    out.push('\n');
    lines(&mut out, 0, &tests(report), width);
    let use_of = "cost, time and tokens: A as a multiple of B, per debate, over topics both played";
    lines(&mut out, 0, use_of, width);
    if report.unpaired_topics > 0 {
        let topics = counted(report.unpaired_topics, "topic");
        let verb = match report.unpaired_topics {
            1 => "has",
            _ => "have",
        };
        let text = format!("{topics} {verb} an outcome in one arm only");
        lines(&mut out, 0, &text, width);
    }
    for (arm, left_out) in [("A", &report.left_out_a), ("B", &report.left_out_b)] {
        if !left_out.is_empty() {
            lines(&mut out, 0, &left_out_text(arm, left_out), width);
        }
    }
    out
}

/// Renders a comparison as indented JSON; numbers are finite.
pub fn paired_to_json(report: &PairedReport) -> Result<String, serde_json::Error> {
    serde_json::to_string_pretty(report).map(|json| json + "\n")
}

fn name_width(width: usize) -> usize {
    width.saturating_sub(TOPICS + 3 * SHARE + INTERVAL + P)
}

fn row_lines(out: &mut String, row: &PairedRow, width: usize) {
    let name = match &row.task_type {
        Some(task_type) => visible(task_type),
        None => "all".to_owned(),
    };
    let share = |value: f64| format_value(value, Unit::Share);
    push_line(
        out,
        format!(
            "{}{:>TOPICS$}{:>SHARE$}{:>SHARE$}{:>SHARE$}{:>INTERVAL$}{:>P$}",
            clip(&name, name_width(width)),
            row.topics,
            share(row.right_a),
            share(row.right_b),
            share(row.difference),
            row.interval
                .map(|i| range(i, Unit::Share))
                .unwrap_or_default(),
            row.shown_p(),
        )
        .trim_end(),
    );
    let used = [
        ("cost", &row.cost),
        ("time", &row.wall),
        ("tokens", &row.tokens),
    ]
    .map(|(name, multiple)| format!("{name} {}", multiple_shown(multiple)));
    lines(out, 4, &used.join("; "), width);
    for warning in &row.warnings {
        lines(out, 4, &format!("! {warning}"), width);
    }
}

fn range(interval: Interval, unit: Unit) -> String {
    format!(
        "{} to {}",
        bare(interval.low, unit),
        bare(interval.high, unit)
    )
}

fn multiple_shown(multiple: &Multiple) -> String {
    let Some(value) = multiple.value else {
        let reason = multiple.not_applicable.as_deref().unwrap_or("no value");
        return format!("n/a ({reason})");
    };
    let interval = multiple.interval.map_or_else(
        || " (no interval)".to_owned(),
        |interval| format!(" ({})", range(interval, Unit::Multiple)),
    );
    format_value(value, Unit::Multiple) + &interval
}

/// Describes the test of each p-value, and whether it is adjusted.
fn tests(report: &PairedReport) -> String {
    let rows = || report.task_types.iter().chain([&report.overall]);
    let used = |test| rows().any(|row| row.test == test);
    let name = match (used(PairedTest::McNemar), used(PairedTest::SignFlip)) {
        (true, false) => "exact McNemar",
        (false, _) => "signs of the topics' differences flipped",
        (true, true) => "exact McNemar where each topic has one answer an arm, else signs flipped",
    };
    if report.task_types.is_empty() {
        format!("p: {name}")
    } else {
        format!("p: {name}; of task types adjusted for being a family (Holm)")
    }
}

fn left_out_text(arm: &str, left_out: &BTreeMap<LeftOutReason, usize>) -> String {
    let reasons: Vec<String> = left_out
        .iter()
        .map(|(reason, count)| format!("{count} {}", reason.label()))
        .collect();
    format!("left out of {arm}: {}", reasons.join(", "))
}

fn lines(out: &mut String, indent: usize, text: &str, width: usize) {
    for line in wrap(text, width - indent) {
        push_line(out, &format!("{:indent$}{line}", ""));
    }
}
