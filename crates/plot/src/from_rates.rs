//! Pictures of rates as an evaluator observed them, each beside the rate that its measured error makes of it. Pure.

use elenchus_metrics::Unit;

use crate::from_report::{MAX_MARKS, PlotError};
use crate::picture::{BarFill, BarGroup, BarRow, Picture, PictureContent, PlottedValue};

/// The rate of a group, observed and corrected.
#[derive(Debug, Clone, PartialEq)]
pub struct CorrectedPair {
    pub group: String,
    /// `None` where no turn of the group has a verdict.
    pub observed: Option<PlottedValue>,
    /// Or why it is not corrected.
    pub corrected: Result<PlottedValue, String>,
}

/// Draws two bars a group, solid as it was observed and hollow as it is corrected. `notes` stand below what the bars
/// are.
///
/// # Errors
/// When there is no group, or too many.
pub fn picture_from_rates(
    title: &str,
    heading: &str,
    simulated: bool,
    pairs: &[CorrectedPair],
    notes: Vec<String>,
) -> Result<Picture, PlotError> {
    if pairs.is_empty() {
        return Err(PlotError::NoDebates);
    }
    if 2 * pairs.len() > MAX_MARKS {
        return Err(PlotError::TooMany {
            marks: 2 * pairs.len(),
        });
    }
    let rows = pairs.iter().flat_map(|pair| {
        let observed = BarRow {
            label: format!("{}, observed", pair.group),
            fill: BarFill::Solid,
            value: pair.observed,
            note: Some("no turn has a verdict".to_owned()),
        };
        let corrected = BarRow {
            label: format!("{}, corrected", pair.group),
            fill: BarFill::Hollow,
            value: pair.corrected.as_ref().ok().copied(),
            note: pair.corrected.as_ref().err().map(|why| shorten(why)),
        };
        [observed, corrected]
    });
    let mut all_notes = vec![
        "solid: as the evaluator observed it, with its 95 % interval over topics".to_owned(),
        "hollow: corrected for the evaluator's error by labels (Rogan and Gladen 1978); rate and error are resampled \
         together for its interval"
            .to_owned(),
    ];
    let refusals = pairs.iter().filter_map(|pair| {
        let why = pair.corrected.as_ref().err()?;
        Some(format!("{} is not corrected: {why}", pair.group))
    });
    all_notes.extend(refusals);
    all_notes.extend(notes);
    Ok(Picture {
        title: title.to_owned(),
        unit: Unit::Share,
        simulated,
        notes: all_notes,
        content: PictureContent::Bars(vec![BarGroup {
            title: heading.to_owned(),
            rows: rows.collect(),
        }]),
    })
}

/// Returns the beginning of a reason: the whole of it stands below the picture.
fn shorten(why: &str) -> String {
    let first = why.split([':', ';', ',']).next().unwrap_or(why);
    format!("not corrected: {first}")
}
