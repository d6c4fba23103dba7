//! Pictures of calibration: how often what has a score is what the score says. Pure.

use elenchus_metrics::{Calibration, Unit};

use crate::picture::{Picture, PictureContent, ReliabilityBar};

/// Draws scores against what people found; `positive` is the label that scores are of.
pub fn picture_from_calibration(
    calibration: &Calibration,
    evaluator: &str,
    positive: &str,
    simulated: bool,
) -> Picture {
    let bars = calibration.bins.iter().map(|bin| ReliabilityBar {
        label: format!("{:.1} to {:.1}", bin.from, bin.to),
        mean_score: bin.mean_score,
        share: bin.positive,
        items: bin.turns,
    });
    Picture {
        title: format!("{positive} by people, by the score of {evaluator}"),
        unit: Unit::Share,
        simulated,
        notes: vec![
            "each bar is of the turns with such a score; the mark is their mean score, where a bar would end if scores \
             were right"
                .to_owned(),
        ],
        content: PictureContent::Reliability(bars.collect()),
    }
}
