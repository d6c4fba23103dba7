//! The table of evaluators that a validation begins with. Pure.

use super::annotator_agreement::AnnotatorAgreement;
use super::estimate::{Estimate, Quantity};
use super::gold::NoGold;
use super::rate_correction::CorrectedRate;
use super::report::{EvaluatorReport, Validation};
use crate::report::grid::{Grid, NameWidth};
use crate::report::text_layout::{escape_hidden, format_count, push_paragraph};

/// Heads of the columns after the name, each with its least width, the gutter included.
pub const OVERVIEW_COLUMNS: [(&str, usize); 5] = [
    ("labels", 8),
    ("sensitivity", 13),
    ("specificity", 13),
    ("kappa", 8),
    ("corrected, %", 17),
];

/// An evaluator with labels, or the people of a section.
#[derive(Debug, Clone, PartialEq)]
pub struct OverviewRow {
    /// Index among the subjects of the validation.
    pub subject: usize,
    pub name: String,
    /// One for each of [`OVERVIEW_COLUMNS`].
    pub cells: [String; 5],
}

/// Everything that was validated, at a glance.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Overview {
    /// In the order of the subjects.
    pub rows: Vec<OverviewRow>,
    /// Evaluators without a label: index among the subjects, and name.
    pub unlabelled: Vec<(usize, String)>,
}

impl Overview {
    /// Names the evaluators without labels in one sentence; `None` where all have some.
    pub fn describe_unlabelled(&self) -> Option<String> {
        let names: Vec<&str> = self
            .unlabelled
            .iter()
            .map(|(_, name)| name.as_str())
            .collect();
        (!names.is_empty()).then(|| {
            let count = format_count(names.len(), "evaluator");
            format!("{count} without labels: {}", names.join("; "))
        })
    }
}

impl Validation {
    /// Returns the table of evaluators.
    pub fn build_overview(&self) -> Overview {
        let mut overview = Overview::default();
        for (at, subject) in self.list_subjects().into_iter().enumerate() {
            let name = self.name_of(subject);
            let cells = match subject.evaluator {
                Some(evaluator) if evaluator.matrix.judged_count() == 0 => {
                    overview.unlabelled.push((at, name));
                    continue;
                }
                Some(evaluator) => evaluator_cells(evaluator),
                None if subject.section.people.labels.is_empty() => continue,
                None => people_cells(&subject.section.people),
            };
            overview.rows.push(OverviewRow {
                subject: at,
                name,
                cells,
            });
        }
        overview
    }

    /// Says why labels stand in several places, or do not count here; nothing where all are together.
    pub fn describe_division(&self) -> Vec<String> {
        let mut reasons = Vec::new();
        let of_sections = self.sections.iter();
        let outside: usize = of_sections
            .filter_map(|section| section.left_out.get(&NoGold::NotDrawn))
            .sum();
        if outside > 0 {
            // Whoever labelled them would take the table for all that is known.
            reasons.push(format!(
                "! {} not counted here: these figures are of one queue's sample, the one with most labels where none is \
                 named; 'elenchus validate --queue NAME' has another",
                format_count(outside, "labelled turn")
            ));
        }
        let labelled = |hash_check: bool| {
            let of = self.sections.iter();
            let of = of.filter(move |section| section.hash_check == hash_check);
            of.map(|section| section.labelled).sum::<usize>()
        };
        let has = |hash_check: bool| self.sections.iter().any(|one| one.hash_check == hash_check);
        if has(true) && has(false) {
            reasons.push(format!(
                "'by hashes': whether an answer holds a protected text is settled by comparing hashes alone, which no \
                 evaluator that reads can do; turns on such topics ({} with gold) are never counted with the others \
                 ({} with gold)",
                labelled(true),
                labelled(false)
            ));
        }
        let simulated = |wanted: bool| self.sections.iter().any(|one| one.simulated == wanted);
        if simulated(true) && simulated(false) {
            reasons.push(
                "'simulated': labels on simulated debates check the instrument, and are never counted with those on \
                 real ones"
                    .to_owned(),
            );
        }
        reasons
    }

    /// Writes the table of evaluators, at most `width` columns wide.
    pub(super) fn overview_to_text(&self, width: usize) -> String {
        let overview = self.build_overview();
        let mut out = String::new();
        if !overview.rows.is_empty() {
            let mut grid = Grid::new("evaluator", NameWidth::Rest);
            for (head, least) in OVERVIEW_COLUMNS {
                grid = grid.with_column(head, least);
            }
            for row in &overview.rows {
                grid.add_row(escape_hidden(&row.name), row.cells.to_vec());
            }
            out.push_str(&grid.to_text(width));
        }
        if let Some(text) = overview.describe_unlabelled() {
            push_paragraph(&mut out, &escape_hidden(&text), width);
        }
        for reason in self.describe_division() {
            push_paragraph(&mut out, &reason, width);
        }
        out
    }
}

fn evaluator_cells(evaluator: &EvaluatorReport) -> [String; 5] {
    let value = |quantity: Quantity| find_value(&evaluator.estimates, quantity);
    [
        evaluator.matrix.judged_count().to_string(),
        value(Quantity::Recall),
        value(Quantity::Specificity),
        value(Quantity::Kappa),
        corrected_cell(evaluator),
    ]
}

/// The agreement of two people, or that of all together.
fn people_cells(people: &AnnotatorAgreement) -> [String; 5] {
    let labels: usize = people.labels.values().sum();
    let none = || "-".to_owned();
    let kappa = match people.pairs.as_slice() {
        [] => none(),
        [pair] => find_value(&pair.estimates, Quantity::Kappa),
        [..] => find_value(&people.together, Quantity::FleissKappa),
    };
    [labels.to_string(), none(), none(), kappa, none()]
}

fn find_value(estimates: &[Estimate], quantity: Quantity) -> String {
    let estimate = estimates.iter().find(|one| one.quantity == quantity);
    let value = estimate.and_then(|one| one.value);
    value.map_or_else(
        || "n/a".to_owned(),
        |value| match quantity.is_share() {
            true => format!("{:.1}", 100.0 * value),
            false => format!("{value:.3}"),
        },
    )
}

/// The corrected rate of the arm, or how far those of several reach.
fn corrected_cell(evaluator: &EvaluatorReport) -> String {
    let rates: Vec<&CorrectedRate> = evaluator
        .arms
        .iter()
        .filter_map(|arm| arm.corrected.as_ref().ok())
        .collect();
    let percent = |value: f64| format!("{:.1}", 100.0 * value);
    match rates.as_slice() {
        [] => "n/a".to_owned(),
        [only] => match only.interval {
            Some(interval) => format!(
                "{} ({:.0}-{:.0})",
                percent(only.value),
                100.0 * interval.low,
                100.0 * interval.high
            ),
            None => percent(only.value),
        },
        several => {
            let values = || several.iter().map(|rate| rate.value);
            let low = values().fold(f64::INFINITY, f64::min);
            let high = values().fold(f64::NEG_INFINITY, f64::max);
            let count = several.len();
            format!("{}-{}, {count} arms", percent(low), percent(high))
        }
    }
}
