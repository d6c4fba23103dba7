//! Figures of debates: as commands print them, and as the page of an experiment shows them, which divides them by
//! model as well.

use elenchus_metrics::{
    ChairNames, DebateRow, Dimension, Figure, FigureKey, HEADLINES, Measure, Report, ReportSection,
    ReportSettings, compute_report,
};
use elenchus_records::workspace::{ReportKey, Result, StoreIndex, WorkspaceError};
use std::collections::BTreeSet;

/// Figures of the debates of an experiment.
#[derive(Debug)]
pub struct DebateFigures {
    /// As `elenchus metrics` prints them.
    pub report: Report,
    /// The same, with the headline of its game by model where there are several.
    pub page: Report,
    /// What readers call its seats.
    pub chairs: ChairNames,
}

impl DebateFigures {
    /// Computes them. Blocks where the index does not know them.
    pub(super) fn from_rows(
        index: &StoreIndex,
        rows: &[DebateRow],
        settings: &ReportSettings,
        chairs: ChairNames,
    ) -> Result<Self> {
        let report = compute_cached(index, rows, settings)?;
        let mut page = report.clone();
        if has_several_models(rows) {
            let by_model = ReportSettings {
                by: settings
                    .by
                    .iter()
                    .copied()
                    .chain([Dimension::Model])
                    .collect(),
                measures: HEADLINES.to_vec(),
                ..settings.clone()
            };
            let parts = compute_cached(index, rows, &by_model)?;
            for section in &mut page.sections {
                let Some(headline) = find_headline_of(section) else {
                    continue;
                };
                let parts = parts.sections.iter();
                let figures = parts.filter_map(|part| find_part(section, part, headline));
                let figures: Vec<Figure> = figures.collect();
                section.figures.extend(figures);
            }
        }
        Ok(Self {
            report,
            page,
            chairs,
        })
    }
}

fn compute_cached(
    index: &StoreIndex,
    rows: &[DebateRow],
    settings: &ReportSettings,
) -> Result<Report> {
    let key = ReportKey::from_rows("report", settings, rows);
    let report = index.cached_report(key, || compute_report(rows, settings));
    report.map_err(|error| WorkspaceError::Invalid(error.to_string()))
}

fn has_several_models(rows: &[DebateRow]) -> bool {
    let turns = rows.iter().flat_map(|row| &row.turns);
    let models: BTreeSet<&String> = turns.filter_map(|turn| turn.model.as_ref()).collect();
    models.len() > 1
}

/// Returns the measure that a section begins with.
fn find_headline_of(section: &ReportSection) -> Option<Measure> {
    let has_value = |measure: &Measure| {
        let mut figures = section.figures.iter();
        figures.any(|one| one.measure == *measure && one.keys.is_empty() && one.value.is_some())
    };
    HEADLINES.into_iter().find(has_value)
}

/// Returns a measure of a model's turns in a section, with the model as its key; `None` of another section's, and of a
/// model that was not measured.
fn find_part(section: &ReportSection, part: &ReportSection, measure: Measure) -> Option<Figure> {
    let (model, group): (Vec<FigureKey>, Vec<FigureKey>) =
        (part.group.iter().cloned()).partition(|key| key.by == Dimension::Model);
    let is_same = (part.simulated, part.hash_check) == (section.simulated, section.hash_check)
        && group == section.group;
    let model = model.into_iter().next().filter(|_| is_same)?;
    let mut figures = part.figures.iter();
    let figure = figures.find(|one| one.measure == measure && one.keys.is_empty())?;
    figure.value?;
    Some(Figure {
        keys: vec![model],
        ..figure.clone()
    })
}
