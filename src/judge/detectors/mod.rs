//! The one way into the detectors.

use super::said::Said;
use super::{back_stab, citation, goalposts, refusal, spurious, stance};
use crate::debate::Document;
use crate::debate::event::Outcome;
use crate::debate::protocol::Detector;

/// Examines one turn by rule.
///
/// `seen` holds the turns before it, oldest first, and `documents` what was given to cite. The
/// label is one of [`labels`]. `fields` holds `evidence`, each with a `quote` that stands in the
/// turn of that `seat`, `round` and `stage`; for citations see [`citations`](super::citations).
pub fn detect(
    detector: Detector,
    target: &Said<'_>,
    seen: &[Said<'_>],
    documents: &[Document],
) -> Outcome {
    match detector {
        Detector::Citations => citation::citations(target, documents),
        Detector::Stance => stance::stance(target),
        Detector::BackStab => back_stab::back_stab(target, seen),
        Detector::Spurious => spurious::spurious(target, seen),
        Detector::Goalposts => goalposts::goalposts(target, seen),
        Detector::Refusal => refusal::refusal(target),
    }
}

/// Returns the labels that a detector gives, each with its value from −1 (bad) to 1 (good).
pub fn labels(detector: Detector) -> &'static [(&'static str, f64)] {
    match detector {
        Detector::Citations => citation::LABELS,
        Detector::Stance => stance::LABELS,
        Detector::BackStab => back_stab::LABELS,
        Detector::Spurious => spurious::LABELS,
        Detector::Goalposts => goalposts::LABELS,
        Detector::Refusal => refusal::LABELS,
    }
}
