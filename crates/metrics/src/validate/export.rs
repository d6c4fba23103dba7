//! Export of a validation as JSON or CSV. Pure.

use super::estimate::Estimate;
use super::rate_correction::{ArmRate, CorrectedRate};
use super::report::{EvaluatorReport, Validation, ValidationSection};
use super::rows::EvaluatorRole;
use crate::report::grid::csv_text;
use crate::statistics::interval::Interval;

/// Renders everything as indented JSON, with the turns of every cell.
///
/// # Errors
/// When it cannot be written as JSON.
pub fn validation_to_json(validation: &Validation) -> Result<String, serde_json::Error> {
    serde_json::to_string_pretty(validation).map(|json| json + "\n")
}

const COLUMNS: [&str; 17] = [
    "simulated",
    "hash_check",
    "set",
    "kind",
    "of",
    "positive",
    "by",
    "part",
    "figure",
    "value",
    "low",
    "high",
    "topics",
    "turns",
    "not_applicable",
    "notes",
    "role",
];

/// Renders a row for every figure, cell of a matrix and rate; shares are shares, not percentages.
///
/// # Errors
/// When it cannot be written as CSV.
pub fn validation_to_csv(validation: &Validation) -> Result<String, csv::Error> {
    let head = COLUMNS.map(str::to_owned).to_vec();
    let records = validation.sections.iter().flat_map(|section| {
        let evaluators = section.evaluators.iter().flat_map(evaluator_lines);
        let lines = evaluators.chain(people_lines(section));
        lines.map(|line| {
            let head = [
                section.simulated.to_string(),
                section.hash_check.to_string(),
                validation.classes.set.clone(),
            ];
            head.into_iter().chain(line.into_fields()).collect()
        })
    });
    csv_text(std::iter::once(head).chain(records))
}

#[derive(Debug, Clone, Default)]
struct CsvRow {
    kind: &'static str,
    of: String,
    /// What the evaluator is, where it does not judge turns.
    role: Option<EvaluatorRole>,
    positive: String,
    by: &'static str,
    part: String,
    figure: String,
    value: Option<f64>,
    interval: Option<Interval>,
    topics: Option<usize>,
    turns: Option<usize>,
    not_applicable: Option<String>,
    notes: Vec<String>,
}

impl CsvRow {
    fn into_fields(self) -> [String; 14] {
        let number = |value: Option<f64>| value.map(|value| value.to_string()).unwrap_or_default();
        let count = |value: Option<usize>| value.map(|value| value.to_string()).unwrap_or_default();
        [
            self.kind.to_owned(),
            self.of,
            self.positive,
            self.by.to_owned(),
            self.part,
            self.figure,
            number(self.value),
            number(self.interval.map(|interval| interval.low)),
            number(self.interval.map(|interval| interval.high)),
            count(self.topics),
            count(self.turns),
            self.not_applicable.unwrap_or_default(),
            self.notes.join("; "),
            self.role.map_or("", EvaluatorRole::label).to_owned(),
        ]
    }
}

fn estimate_row(base: &CsvRow, estimate: &Estimate) -> CsvRow {
    CsvRow {
        figure: estimate.quantity.label().trim().to_owned(),
        value: estimate.value,
        interval: estimate.interval,
        topics: Some(estimate.topics),
        turns: Some(estimate.turns),
        not_applicable: estimate.not_applicable.clone(),
        notes: estimate.notes.clone(),
        ..base.clone()
    }
}

fn evaluator_lines(evaluator: &EvaluatorReport) -> Vec<CsvRow> {
    let base = CsvRow {
        kind: "evaluator",
        of: evaluator.evaluator.clone(),
        role: evaluator.role,
        positive: evaluator.positive.clone(),
        ..CsvRow::default()
    };
    let matrix = &evaluator.matrix;
    let mut lines = Vec::new();
    for gold in &matrix.gold {
        for found in &matrix.found {
            let Some(cell) = matrix.cell(gold, found) else {
                continue;
            };
            lines.push(CsvRow {
                kind: "cell",
                figure: format!("{gold}/{found}"),
                value: Some(cell.weight),
                turns: Some(cell.turns.len()),
                ..base.clone()
            });
        }
    }
    lines.extend(evaluator.neither.iter().map(|(word, turns)| CsvRow {
        kind: "on neither side",
        figure: word.clone(),
        turns: Some(*turns),
        ..base.clone()
    }));
    lines.extend(
        evaluator
            .estimates
            .iter()
            .map(|one| estimate_row(&base, one)),
    );
    let classes = CsvRow {
        kind: "all classes",
        ..base.clone()
    };
    lines.extend(
        evaluator
            .all_classes
            .iter()
            .map(|one| estimate_row(&classes, one)),
    );
    for part in &evaluator.parts {
        let base = CsvRow {
            by: part.by.label(),
            part: part.value.clone(),
            ..base.clone()
        };
        lines.extend(part.estimates.iter().map(|one| estimate_row(&base, one)));
    }
    if let Some(calibration) = &evaluator.calibration {
        lines.extend(
            calibration
                .estimates
                .iter()
                .map(|one| estimate_row(&base, one)),
        );
    }
    for arm in &evaluator.arms {
        lines.extend(arm_lines(&base, arm));
    }
    lines
}

fn arm_lines(base: &CsvRow, arm: &ArmRate) -> Vec<CsvRow> {
    let base = CsvRow {
        by: "arm",
        part: arm.arm.clone(),
        turns: Some(arm.turns),
        topics: Some(arm.topics),
        ..base.clone()
    };
    let rate = |figure: &str, rate: Result<&CorrectedRate, &String>| {
        let estimate = rate.ok();
        let cut = estimate.and_then(|rate| rate.truncated_from);
        CsvRow {
            figure: figure.to_owned(),
            value: estimate.map(|rate| rate.value),
            interval: estimate.and_then(|rate| rate.interval),
            not_applicable: rate.err().cloned(),
            notes: cut
                .map(|raw| format!("cut off from {raw}"))
                .into_iter()
                .collect(),
            ..base.clone()
        }
    };
    let mut lines = vec![
        CsvRow {
            figure: "observed rate".to_owned(),
            value: arm.observed,
            ..base.clone()
        },
        rate("corrected rate, by difference", arm.corrected.as_ref()),
        rate("corrected rate, by error", arm.by_error.as_ref()),
    ];
    if let Some(floor) = &arm.floor {
        lines.push(rate("noise floor of agreement", Ok(floor)));
    }
    lines
}

fn people_lines(section: &ValidationSection) -> Vec<CsvRow> {
    let people = &section.people;
    let base = |kind, of: String| CsvRow {
        kind,
        of,
        ..CsvRow::default()
    };
    let mut lines = Vec::new();
    let together = base(
        "people",
        people.labels.keys().cloned().collect::<Vec<_>>().join(", "),
    );
    lines.extend(
        people
            .together
            .iter()
            .map(|one| estimate_row(&together, one)),
    );
    lines.extend(people.labels.iter().map(|(name, count)| {
        let seconds = people.median_seconds.get(name).copied();
        CsvRow {
            figure: "median seconds a label".to_owned(),
            value: seconds,
            turns: Some(*count),
            not_applicable: seconds
                .is_none()
                .then(|| "no label says how long it took".to_owned()),
            ..base("annotator", name.clone())
        }
    }));
    for pair in &people.pairs {
        let of = base("pair", format!("{}, {}", pair.first, pair.second));
        lines.extend(pair.estimates.iter().map(|one| estimate_row(&of, one)));
    }
    for pair in &people.selves {
        let of = base("self", pair.first.clone());
        lines.extend(pair.estimates.iter().map(|one| estimate_row(&of, one)));
    }
    lines
}
