//! A report as a table, CSV or JSON: pure functions to strings.
//!
//! Names of topics, seats and categories come from files: a table shows their control characters
//! and bidirectional overrides instead of sending them to the terminal.

use std::fmt::Write as _;

use super::count::NO_INTERVAL;
use super::figure::{By, Figure, Key, Report, Section, Unit};

/// A narrower table is drawn at this width.
pub const MIN_TABLE_WIDTH: usize = 60;

const VALUE: usize = 11;
const INTERVAL: usize = 19;
const OBSERVATIONS: usize = 8;
const TOPICS: usize = 7;

/// Renders a report as text of at most `width` columns ([`MIN_TABLE_WIDTH`] where that is more),
/// with footnotes under each section. Characters are counted as one column each.
pub fn to_table(report: &Report, width: usize) -> String {
    let width = width.max(MIN_TABLE_WIDTH);
    if report.sections.is_empty() {
        return "no debates to measure\n".to_owned();
    }
    let sections: Vec<String> = report
        .sections
        .iter()
        .map(|section| section_table(section, width))
        .collect();
    sections.join("\n")
}

/// Renders a report as JSON, indented; numbers are finite, what has no value is `null` with a
/// reason beside it.
pub fn to_json(report: &Report) -> Result<String, serde_json::Error> {
    serde_json::to_string_pretty(report).map(|json| json + "\n")
}

/// Renders a report as CSV: a line a figure, a column for each dimension, empty where it does not
/// apply. Shares are shares, not percentages.
pub fn to_csv(report: &Report) -> Result<String, csv::Error> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let columns = [
        "measure",
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
        "not_applicable",
        "notes",
    ];
    let dimensions = By::ALL.map(By::label);
    writer.write_record(
        ["simulated", "hash_check"]
            .into_iter()
            .chain(dimensions)
            .chain(columns),
    )?;
    for section in &report.sections {
        for figure in &section.figures {
            writer.write_record(csv_record(section, figure))?;
        }
    }
    let bytes = writer
        .into_inner()
        .map_err(|error| csv::Error::from(error.into_error()))?;
    // Only strings were written, so this replaces nothing.
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn csv_record(section: &Section, figure: &Figure) -> Vec<String> {
    let number = |value: Option<f64>| value.map(|value| value.to_string()).unwrap_or_default();
    let name = |value: serde_json::Result<serde_json::Value>| match value {
        Ok(serde_json::Value::String(name)) => name,
        Ok(_) | Err(_) => String::new(),
    };
    let mut record = vec![
        section.simulated.to_string(),
        section.hash_check.to_string(),
    ];
    for by in By::ALL {
        // A figure's own key is narrower than its section's.
        let mut keys = figure.keys.iter().chain(&section.group);
        let value = keys.find(|key| key.by == by).map(|key| key.value.clone());
        record.push(value.unwrap_or_default());
    }
    let left_out: Vec<String> = figure
        .left_out
        .iter()
        .map(|(reason, count)| format!("{}={count}", reason.label()))
        .collect();
    record.extend([
        name(serde_json::to_value(figure.measure)),
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
        figure.not_applicable.clone().unwrap_or_default(),
        figure.notes.join(";"),
    ]);
    record
}

fn section_table(section: &Section, width: usize) -> String {
    let mut out = String::new();
    for line in wrap(&title(section), width) {
        push_line(&mut out, &line);
    }
    let shared = shared_notes(section);
    for note in section.notes.iter().chain(&shared) {
        for line in wrap(&format!("! {}", visible(note)), width) {
            push_line(&mut out, &line);
        }
    }
    out.push('\n');
    let name_width = width - VALUE - INTERVAL - OBSERVATIONS - TOPICS;
    push_line(
        &mut out,
        &format!(
            "{:<name_width$}{:>VALUE$}{:>INTERVAL$}{:>OBSERVATIONS$}{:>TOPICS$}",
            "figure", "value", "95 % interval", "n", "topics"
        ),
    );
    let mut footnotes = Footnotes::default();
    for figure in &section.figures {
        figure_lines(&mut out, figure, &shared, &mut footnotes, name_width, width);
    }
    if !footnotes.0.is_empty() {
        out.push('\n');
    }
    for (index, note) in footnotes.0.iter().enumerate() {
        for line in wrap(&format!("[{}] {}", index + 1, visible(note)), width) {
            push_line(&mut out, &line);
        }
    }
    out
}

fn title(section: &Section) -> String {
    let mut title = if section.simulated {
        "SIMULATED debates"
    } else {
        "debates"
    }
    .to_owned();
    if section.hash_check {
        title.push_str(" on topics that need a comparison of hashes");
    }
    for Key { by, value } in &section.group {
        let _ = write!(title, ", {} {}", by.label(), visible(value));
    }
    let _ = write!(
        title,
        ": {} over {}",
        counted(section.debates, "debate"),
        counted(section.topics, "topic")
    );
    title
}

fn counted(count: usize, noun: &str) -> String {
    if count == 1 {
        format!("1 {noun}")
    } else {
        format!("{count} {noun}s")
    }
}

/// Notes that every figure which has an interval, or could have one, bears: said once, at the top.
fn shared_notes(section: &Section) -> Vec<String> {
    let mut estimates = section.figures.iter().filter(|figure| {
        let explained = || {
            figure
                .notes
                .iter()
                .any(|note| note.starts_with(NO_INTERVAL))
        };
        figure.value.is_some() && (figure.interval.is_some() || explained())
    });
    let Some(first) = estimates.next() else {
        return Vec::new();
    };
    let mut shared = first.notes.clone();
    for figure in estimates {
        shared.retain(|note| figure.notes.contains(note));
    }
    shared
}

/// Notes in the order of their first mark.
#[derive(Default)]
struct Footnotes(Vec<String>);

impl Footnotes {
    fn mark(&mut self, note: &str) -> usize {
        let known = self.0.iter().position(|known| known == note);
        known.unwrap_or_else(|| {
            self.0.push(note.to_owned());
            self.0.len() - 1
        }) + 1
    }
}

fn figure_lines(
    out: &mut String,
    figure: &Figure,
    shared: &[String],
    footnotes: &mut Footnotes,
    name_width: usize,
    width: usize,
) {
    let name = name(figure);
    let Some(value) = figure.value else {
        let reason = figure.not_applicable.as_deref().unwrap_or("no value");
        hanging(
            out,
            &name,
            &format!("n/a ({})", visible(reason)),
            name_width,
            width,
        );
        left_out_lines(out, figure, width);
        return;
    };
    let marks: Vec<String> = figure
        .notes
        .iter()
        .filter(|note| !shared.contains(note))
        .map(|note| footnotes.mark(note).to_string())
        .collect();
    let name = if marks.is_empty() {
        name
    } else {
        format!("{name} [{}]", marks.join(","))
    };
    let interval = figure.interval.map(|interval| {
        let low = bare(interval.low, figure.unit);
        let high = bare(interval.high, figure.unit);
        format!("{low} to {high}")
    });
    let mut lines = wrap_indented(&name, name_width);
    let first = lines.remove(0);
    push_line(
        out,
        format!(
            "{first:<name_width$}{:>VALUE$}{:>INTERVAL$}{:>OBSERVATIONS$}{:>TOPICS$}",
            shown(value, figure.unit),
            interval.unwrap_or_default(),
            figure.observations,
            figure.topics,
        )
        .trim_end(),
    );
    for line in lines {
        push_line(out, &line);
    }
    left_out_lines(out, figure, width);
}

/// The figure's name; a part of the section stands indented under the measure.
fn name(figure: &Figure) -> String {
    let label = figure.measure.label();
    if figure.keys.is_empty() {
        return label.to_owned();
    }
    let keys: Vec<String> = figure
        .keys
        .iter()
        .map(|key| format!("{} {}", key.by.label(), visible(&key.value)))
        .collect();
    format!("{label}, {}", keys.join(", "))
}

fn left_out_lines(out: &mut String, figure: &Figure, width: usize) {
    if figure.left_out.is_empty() {
        return;
    }
    let reasons: Vec<String> = figure
        .left_out
        .iter()
        .map(|(reason, count)| format!("{count} {}", reason.label()))
        .collect();
    let mut text = format!("left out: {}", reasons.join(", "));
    if let Some(bounds) = figure.bounds {
        let side = |value: Option<f64>| {
            value.map_or_else(|| "n/a".to_owned(), |value| shown(value, figure.unit))
        };
        let _ = write!(
            text,
            "; with them safe {}, unsafe {}",
            side(bounds.if_all_safe),
            side(bounds.if_all_unsafe)
        );
    }
    for line in wrap(&text, width - 4) {
        push_line(out, &format!("    {line}"));
    }
}

/// Writes a name and a text beside it, each wrapped within its own columns.
fn hanging(out: &mut String, name: &str, text: &str, name_width: usize, width: usize) {
    let names = wrap_indented(name, name_width);
    let texts = wrap(text, width - name_width - 2);
    for row in 0..names.len().max(texts.len()) {
        let name = names.get(row).map_or("", String::as_str);
        let text = texts.get(row).map_or("", String::as_str);
        push_line(out, format!("{name:<name_width$}  {text}").trim_end());
    }
}

fn push_line(out: &mut String, line: &str) {
    out.push_str(line);
    out.push('\n');
}

/// A value with its unit.
fn shown(value: f64, unit: Unit) -> String {
    match unit {
        Unit::Share => format!("{} %", bare(value, unit)),
        Unit::Milliseconds => format!("{} s", bare(value, unit)),
        Unit::Usd => format!("${}", bare(value, unit)),
        // A total is a number to check against a bill: digit by digit as long as it fits.
        Unit::Count | Unit::Tokens if value.fract() == 0.0 && value.abs() < 1e9 => {
            format!("{value:.0}")
        }
        Unit::Count
        | Unit::Rounds
        | Unit::Characters
        | Unit::Reward
        | Unit::Correlation
        | Unit::Tokens => bare(value, unit),
    }
}

fn bare(value: f64, unit: Unit) -> String {
    let text = match unit {
        Unit::Share => format!("{:.1}", 100.0 * value),
        Unit::Milliseconds => compact(value / 1000.0, 2),
        Unit::Usd => compact(value, 4),
        Unit::Count | Unit::Tokens | Unit::Characters => compact(value, 1),
        Unit::Rounds | Unit::Reward | Unit::Correlation => compact(value, 2),
    };
    // A rounded −0.00 is no negative number.
    if text.starts_with('-') && text.chars().all(|c| "-0.".contains(c)) {
        text[1..].to_owned()
    } else {
        text
    }
}

/// At most seven characters: fewer decimals for larger numbers, at last powers of ten.
fn compact(value: f64, decimals: usize) -> String {
    let decimals = match value.abs() {
        size if size < 10.0 => decimals,
        size if size < 1000.0 => decimals.min(2),
        _ => 0,
    };
    if value.abs() < 1e5 {
        format!("{value:.decimals$}")
    } else {
        format!("{value:.1e}")
    }
}

/// Makes control characters and bidirectional overrides visible.
fn visible(text: &str) -> String {
    text.chars().fold(String::new(), |mut out, c| {
        let overrides = matches!(c,
            '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}');
        if c.is_control() || overrides {
            let _ = write!(out, "\\u{{{:x}}}", u32::from(c));
        } else {
            out.push(c);
        }
        out
    })
}

/// Breaks text at spaces into lines of at most `width` characters, inside a word only where the
/// word alone is longer. At least one line.
fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    let mut used = 0;
    for word in text.split(' ') {
        let length = word.chars().count();
        if used > 0 && used + 1 + length <= width {
            push_to_last(&mut lines, " ");
            push_to_last(&mut lines, word);
            used += 1 + length;
            continue;
        }
        if used > 0 {
            lines.push(String::new());
            used = 0;
        }
        for c in word.chars() {
            if used == width.max(1) {
                lines.push(String::new());
                used = 0;
            }
            push_to_last(&mut lines, c.encode_utf8(&mut [0; 4]));
            used += 1;
        }
    }
    lines
}

fn push_to_last(lines: &mut [String], text: &str) {
    if let Some(last) = lines.last_mut() {
        last.push_str(text);
    }
}

/// As [`wrap`], continuation lines indented by two, and a column kept free before the next one.
fn wrap_indented(text: &str, width: usize) -> Vec<String> {
    let lines = wrap(text, width.saturating_sub(3));
    let indented = |(index, line): (usize, String)| {
        if index == 0 {
            line
        } else {
            format!("  {line}")
        }
    };
    lines.into_iter().enumerate().map(indented).collect()
}
