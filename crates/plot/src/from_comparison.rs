//! Forests of the differences of a comparison. Pure.

use elenchus_metrics::{
    ArmNames, Dimension, Figure, Measure, Report, ReportSection, Unit, group_name,
};

use crate::from_report::PlotError;
use crate::picture::{Forest, ForestRow, Picture, PictureContent, PlottedValue};

/// Most differences of a picture: more cannot be read.
const MAX_ROWS: usize = 100;

/// Draws the differences of a comparison by one measure.
///
/// # Errors
/// When it holds no difference of the measure, or too many.
pub fn forest_from_comparison(report: &Report, measure: Measure) -> Result<Picture, PlotError> {
    let is_mixed = report.is_mixed();
    // Simulated debates are no evidence: beside played ones they are left out.
    let sections = report.sections.iter();
    let sections: Vec<&ReportSection> = sections
        .filter(|section| !(is_mixed && section.simulated))
        .collect();
    let groups: Vec<String> = sections
        .iter()
        .flat_map(|section| [group_name(&section.group), group_name(&section.against)])
        .collect();
    let names = ArmNames::from_arms(groups.iter().map(String::as_str));
    let reference = sections.first().map(|section| group_name(&section.against));
    let reference = reference.unwrap_or_default();
    let (mut rows, mut unit, mut family) = (Vec::new(), measure.unit(), 0);
    for section in &sections {
        let figures = section.figures.iter();
        for figure in figures.filter(|figure| figure.measure == measure) {
            unit = figure.unit;
            let test = figure.compared.and_then(|compared| compared.test);
            family = family.max(test.map_or(0, |test| test.family));
            rows.push(ForestRow {
                label: label_of(section, figure, &names),
                value: PlottedValue::from_figure(figure).filter(|_| figure.unit != Unit::Multiple),
                p_value: test.map(|test| test.shown_p().to_string()),
                note: figure.not_applicable.clone(),
            });
        }
    }
    if !rows.iter().any(|row| row.value.is_some()) {
        let measure = measure.label();
        return Err(PlotError::NoFigure { measure });
    }
    if rows.len() > MAX_ROWS {
        return Err(PlotError::TooMany { marks: rows.len() });
    }
    let mut notes = vec![match family {
        0 | 1 => "lines: 95 % intervals of the difference of topic means".to_owned(),
        family => format!(
            "lines: intervals of the difference of topic means; they and p are adjusted for {family} comparisons"
        ),
    }];
    if is_mixed {
        notes.push("not in this picture: simulated debates".to_owned());
    }
    for note in sections.iter().flat_map(|section| &section.notes) {
        if !notes.contains(note) {
            notes.push(note.clone());
        }
    }
    Ok(Picture {
        title: measure.label().to_owned(),
        unit,
        simulated: sections.iter().all(|section| section.simulated),
        notes,
        content: PictureContent::Forest(Forest {
            heading: format!("minus {}", names.name_of(&reference)),
            rows,
        }),
    })
}

/// Names a row by its group, the topics that need a comparison of hashes, and the part that it is of.
fn label_of(section: &ReportSection, figure: &Figure, names: &ArmNames) -> String {
    let group = group_name(&section.group);
    let mut label = names.name_of(&group).to_owned();
    for key in &figure.keys {
        let part = match key.by {
            Dimension::Round => format!("round {}", key.value),
            _ => key.value.clone(),
        };
        label.push_str(&format!(" · {part}"));
    }
    match section.hash_check {
        true => label + " (by hashes)",
        false => label,
    }
}
