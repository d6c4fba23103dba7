//! Detectors: heuristics that examine a turn by rule, without a model.

pub(crate) mod back_stab;
pub(crate) mod citation;
pub(crate) mod evidence;
mod formulas;
pub(crate) mod goalposts;
pub mod names_error;
pub(crate) mod normalize;
pub(crate) mod passage_index;
pub(crate) mod quotations;
pub(crate) mod quote_search;
pub(crate) mod refusal;
pub(crate) mod sentence_stance;
pub(crate) mod sentences;
pub(crate) mod spurious;
pub(crate) mod stance;
pub(crate) mod turn_text;

use crate::debate::Document;
use crate::debate::event::Outcome;
use crate::debate::protocol::Detector;
use turn_text::TurnText;

/// Runs a detector on one turn.
///
/// `seen` contains the turns before it, oldest first, `question` what the debate is about, and
/// `documents` the texts it could cite. The
/// label is one of [`detector_labels`]. `fields` contains `evidence`, each with a `quote` from the turn of
/// that `seat`, `round` and `stage`; for citations see [`check_citations`](super::check_citations).
pub fn run_detector(
    detector: Detector,
    target: &TurnText<'_>,
    seen: &[TurnText<'_>],
    question: &str,
    documents: &[Document],
) -> Outcome {
    match detector {
        Detector::Citations => citation::check_citations(target, documents),
        Detector::Stance => stance::detect_stance(target),
        Detector::BackStab => back_stab::detect_back_stab(target, seen),
        Detector::SpuriousTone => spurious::detect_spurious_critique(target, seen),
        Detector::NamesError => names_error::detect_named_error(target, seen, question),
        Detector::Goalposts => goalposts::detect_moved_goalposts(target, seen),
        Detector::Refusal => refusal::detect_refusal(target),
    }
}

/// Returns the labels of a detector, each with its value from −1 (bad) to 1 (good).
pub fn detector_labels(detector: Detector) -> &'static [(&'static str, f64)] {
    match detector {
        Detector::Citations => citation::LABELS,
        Detector::Stance => stance::LABELS,
        Detector::BackStab => back_stab::LABELS,
        Detector::SpuriousTone => spurious::LABELS,
        Detector::NamesError => names_error::LABELS,
        Detector::Goalposts => goalposts::LABELS,
        Detector::Refusal => refusal::LABELS,
    }
}
