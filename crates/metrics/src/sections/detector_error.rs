//! Error of the detector of named errors, beside the figures that rest on it: as measured on the labelled critiques
//! that come with the program.

use crate::detector_check::check_shipped_corpus;
use crate::report::figure::{DetectorError, Figure};
use crate::report::text_layout::format_value;
use crate::rows::{FindingRow, JudgedBy};
use crate::statistics::evaluator_error::{EvaluatorError, rogan_gladen};
use elenchus_game::judge::{NAMES_ERROR, NAMES_NOTHING};

/// Says whether a rule's findings are all those of the detector of named errors.
pub(super) fn is_by_detector<'a>(mut findings: impl Iterator<Item = &'a FindingRow>) -> bool {
    findings.all(|finding| finding.by == JudgedBy::NamesError)
}

/// Adds to the share of a label how well the detector tells it, and the share corrected for that.
pub(super) fn add_to_share(figure: &mut Figure, label: &str) {
    let Some((error, critiques)) = measured_error(label) else {
        return;
    };
    let corrected = figure
        .value
        .and_then(|value| rogan_gladen(value, error).ok());
    let correction = match corrected {
        Some(corrected) => format!(
            "; corrected for that {}",
            format_value(corrected.rate, figure.unit)
        ),
        None => String::new(),
    };
    figure
        .notes
        .push(describe_error(error, critiques) + &correction);
    figure.detector = Some(DetectorError {
        error,
        critiques,
        corrected,
    });
}

/// Adds to a figure of debates in which a label was found how well the detector tells it.
pub(super) fn add_to_selection(figure: &mut Figure, label: &str) {
    let Some((error, critiques)) = measured_error(label) else {
        return;
    };
    figure.notes.push(describe_error(error, critiques));
    figure.detector = Some(DetectorError {
        error,
        critiques,
        corrected: None,
    });
}

/// Returns the detector's error for a label as the positive class, with the number of critiques that it was measured
/// on; `None` for labels that the critiques say nothing about.
fn measured_error(label: &str) -> Option<(EvaluatorError, usize)> {
    let score = &check_shipped_corpus()?.agreed;
    let nothing = &score.names_nothing;
    let (sensitivity, specificity) = (nothing.sensitivity.value?, nothing.specificity.value?);
    let error = match label {
        NAMES_NOTHING => EvaluatorError::new(sensitivity, specificity),
        // Who names something does not name nothing.
        NAMES_ERROR => EvaluatorError::new(specificity, sensitivity),
        _ => return None,
    };
    Some((error.ok()?, score.critiques))
}

fn describe_error(error: EvaluatorError, critiques: usize) -> String {
    format!(
        "as a detector finds: sensitivity {:.2} and specificity {:.2} on {critiques} critiques that language models \
         labelled",
        error.sensitivity(),
        error.specificity()
    )
}
