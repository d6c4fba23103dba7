//! Pictures of the figures of a report. Pure.

use std::collections::{BTreeMap, BTreeSet};

use elenchus_metrics::{
    ArmNames, Dimension, Figure, FigureKey, IntervalSubject, Measure, Report, ReportSection,
};
use thiserror::Error;

use crate::picture::{
    BarFill, BarGroup, BarRow, Curve, CurveChart, HeatMap, Picture, PictureContent, PlottedValue,
    SingleRun,
};

/// Most bars, points or cells of a picture: more cannot be read.
pub(crate) const MAX_MARKS: usize = 400;

/// Dimensions whose values have an order, the first of which a curve is drawn over.
const ORDERED: [Dimension; 8] = [
    Dimension::Selection,
    Dimension::Checkpoint,
    Dimension::Lessons,
    Dimension::Month,
    Dimension::Round,
    Dimension::Length,
    Dimension::Shown,
    Dimension::Seed,
];

/// Kind of a picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PictureKind {
    Bars,
    Curve,
    Heat,
}

/// Reason why a report has no such picture.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum PlotError {
    #[error("no debates to measure")]
    NoDebates,
    #[error("this report has no value of '{measure}' to draw")]
    NoFigure { measure: &'static str },
    #[error(
        "a curve is drawn over something that has an order: --by checkpoint, lessons, shown, month, seed, \
         round or length (others after it are curves of their own), --best-of or --boltzmann"
    )]
    NoOrder,
    #[error("a heat map is of two dimensions: --by ROWS,COLUMNS, as category,round")]
    NoPlane,
    #[error("{marks} values are more than a picture shows ({MAX_MARKS}): --only or --by less")]
    TooMany { marks: usize },
}

/// A figure with the section that it stands in.
#[derive(Debug, Clone, Copy)]
struct SectionFigure<'a> {
    section: &'a ReportSection,
    figure: &'a Figure,
    arm_names: &'a ArmNames,
}

impl SectionFigure<'_> {
    /// Returns its value in a dimension, of its section or its own.
    fn value_in(&self, by: Dimension) -> Option<&str> {
        let mut keys = self.section.group.iter().chain(&self.figure.keys);
        keys.find(|key| key.by == by).map(|key| key.value.as_str())
    }

    /// Returns the values that name it, those of some dimensions aside.
    fn name_without(&self, dimensions: &[Dimension]) -> String {
        let keys = self.section.group.iter().chain(&self.figure.keys);
        let keys = keys.filter(|key| !dimensions.contains(&key.by));
        let parts: Vec<String> = keys.map(|key| name_of_key(self.arm_names, key)).collect();
        parts.join(" · ")
    }

    fn plotted(&self) -> Option<PlottedValue> {
        PlottedValue::from_figure(self.figure)
    }
}

/// Draws one measure of a report as a picture of a kind.
///
/// # Errors
/// When the report holds no value of the measure, lacks what the kind needs, or holds too much.
pub fn picture_from_report(
    report: &Report,
    measure: Measure,
    kind: PictureKind,
) -> Result<Picture, PlotError> {
    if report.sections.is_empty() {
        return Err(PlotError::NoDebates);
    }
    let arm_names = name_arms(report);
    let is_mixed = report.is_mixed();
    let figures = list_figures(report, measure, is_mixed, &arm_names);
    if !figures.iter().any(|one| one.figure.value.is_some()) {
        let measure = measure.label();
        return Err(PlotError::NoFigure { measure });
    }
    let (shown, apart) = match kind {
        PictureKind::Bars => (figures, None),
        PictureKind::Curve | PictureKind::Heat => keep_one_kind(&figures),
    };
    let mut notes = match kind {
        PictureKind::Bars | PictureKind::Curve => describe_intervals(&shown),
        // Its cells are numbers alone.
        PictureKind::Heat => Vec::new(),
    };
    notes.extend(collect_notes(&shown));
    notes.extend(apart.map(str::to_owned));
    if is_mixed {
        notes.push("not in this picture: simulated debates".to_owned());
    }
    let content = match kind {
        PictureKind::Bars => PictureContent::Bars(group_bars(&shown)),
        PictureKind::Curve => PictureContent::Curves(build_curves(&shown)?),
        PictureKind::Heat => PictureContent::HeatMap(build_heat_map(&shown)?),
    };
    let picture = Picture {
        title: measure.label().to_owned(),
        unit: measure.unit(),
        simulated: report.is_simulated(),
        notes,
        content,
    };
    match picture.values().len() {
        marks if marks > MAX_MARKS => Err(PlotError::TooMany { marks }),
        _ => Ok(picture),
    }
}

/// Returns the short names of the arms of a report.
fn name_arms(report: &Report) -> ArmNames {
    // What a difference is from tells its arm apart as well, though nothing else of it is drawn.
    let sections = report.sections.iter();
    let groups = sections.flat_map(|section| section.group.iter().chain(&section.against));
    let arms = groups.filter(|key| key.by == Dimension::Arm);
    ArmNames::from_arms(arms.map(|key| key.value.as_str()))
}

fn name_of_key(arm_names: &ArmNames, key: &FigureKey) -> String {
    match key.by {
        Dimension::Arm => arm_names.name_of(&key.value).to_owned(),
        Dimension::Round => format!("round {}", key.value),
        _ => key.value.clone(),
    }
}

fn list_figures<'a>(
    report: &'a Report,
    measure: Measure,
    is_mixed: bool,
    arm_names: &'a ArmNames,
) -> Vec<SectionFigure<'a>> {
    // Simulated debates are no evidence: beside played ones they are left out.
    let sections = report.sections.iter();
    let sections = sections.filter(|section| !(is_mixed && section.simulated));
    sections
        .flat_map(|section| {
            let figures = section.figures.iter();
            let figures = figures.filter(move |figure| figure.measure == measure);
            figures.map(move |figure| SectionFigure {
                section,
                figure,
                arm_names,
            })
        })
        .collect()
}

/// Returns the figures of topics that an evaluator judges where there are any, since those that are judged by hashes
/// alone would be points of the same curve or cells of the same row; and what is to be said of these.
fn keep_one_kind<'a>(
    figures: &[SectionFigure<'a>],
) -> (Vec<SectionFigure<'a>>, Option<&'static str>) {
    let (by_hashes, judged): (Vec<_>, Vec<_>) =
        figures.iter().partition(|one| one.section.hash_check);
    match (judged.is_empty(), by_hashes.is_empty()) {
        (true, _) => (by_hashes, None),
        (false, true) => (judged, None),
        (false, false) => (
            judged,
            Some("not in this picture: topics that are judged by hashes alone"),
        ),
    }
}

/// Returns bars of whole groups first, then of each way in which figures divide them.
fn group_bars(figures: &[SectionFigure<'_>]) -> Vec<BarGroup> {
    let mut groups: Vec<((bool, Vec<Dimension>), BarGroup)> = Vec::new();
    for one in figures {
        let keys = one.figure.keys.iter().map(|key| key.by);
        let division = (one.section.hash_check, keys.collect::<Vec<Dimension>>());
        let label = match one.name_without(&[]) {
            label if label.is_empty() => "all debates".to_owned(),
            label => label,
        };
        let row = BarRow {
            label,
            fill: BarFill::Solid,
            value: one.plotted(),
            note: one.figure.not_applicable.clone(),
        };
        match groups.iter_mut().find(|(of, _)| *of == division) {
            Some((_, group)) => group.rows.push(row),
            None => {
                let title = title_of_group(&one.section.group, &division);
                let rows = vec![row];
                groups.push((division, BarGroup { title, rows }));
            }
        }
    }
    // Where debates are divided already, their parts would be as many pictures again.
    let is_divided = figures.iter().any(|one| !one.section.group.is_empty());
    if is_divided
        && groups
            .iter()
            .any(|((_, dimensions), _)| dimensions.is_empty())
    {
        groups.retain(|((_, dimensions), _)| dimensions.is_empty());
    }
    groups.sort_by_key(|((hash_check, dimensions), _)| (*hash_check, !dimensions.is_empty()));
    groups.into_iter().map(|(_, group)| group).collect()
}

fn title_of_group(
    group: &[FigureKey],
    (hash_check, dimensions): &(bool, Vec<Dimension>),
) -> String {
    let keys = group.iter().map(|key| key.by.label());
    let names: Vec<&str> = keys.chain(dimensions.iter().map(|by| by.label())).collect();
    let title = match names.is_empty() {
        true => "over all".to_owned(),
        false => format!("by {}", names.join(", ")),
    };
    match hash_check {
        true => format!("{title}, topics by hashes alone"),
        false => title,
    }
}

fn build_curves(figures: &[SectionFigure<'_>]) -> Result<CurveChart, PlotError> {
    let is_divided_by = |one: &&SectionFigure<'_>, by: Dimension| one.value_in(by).is_some();
    let over = ORDERED.into_iter().find(|by| {
        let mut divided = figures.iter().filter(|one| is_divided_by(one, *by));
        divided.next().is_some()
    });
    let over = over.ok_or(PlotError::NoOrder)?;
    // A figure that other dimensions divide as well is of another picture.
    let own_keys = |one: &&SectionFigure<'_>| one.figure.keys.iter().all(|key| key.by == over);
    let points: Vec<&SectionFigure<'_>> = figures
        .iter()
        .filter(|one| is_divided_by(one, over) && own_keys(one))
        .collect();
    let x_labels = ordered_values(points.iter().filter_map(|one| one.value_in(over)));
    let axis = name_axis(over, &x_labels);
    let mut curves: Vec<Curve> = Vec::new();
    for one in points {
        let name = one.name_without(&[over]);
        let Some(at) = x_labels
            .iter()
            .position(|label| Some(label.as_str()) == one.value_in(over))
        else {
            continue;
        };
        let curve = match curves.iter().position(|curve| curve.name == name) {
            Some(curve) => curve,
            None => {
                curves.push(Curve {
                    name,
                    points: vec![None; x_labels.len()],
                    runs: Vec::new(),
                });
                curves.len() - 1
            }
        };
        if let Some(point) = curves
            .get_mut(curve)
            .and_then(|curve| curve.points.get_mut(at))
        {
            *point = one.plotted();
        }
    }
    let (x_title, x_labels) = axis;
    Ok(CurveChart {
        x_title,
        x_labels,
        curves,
    })
}

/// Returns what the points of an axis are and how they are called: what all of them say alike is said once.
fn name_axis(over: Dimension, values: &[String]) -> (String, Vec<String>) {
    let plain = || (over.label().to_owned(), values.to_vec());
    if over != Dimension::Selection {
        return plain();
    }
    let parts: Option<Vec<(&str, &str)>> = values
        .iter()
        .map(|value| value.split_once(" by "))
        .collect();
    match parts.as_deref() {
        Some(parts @ [(_, by), ..]) if parts.iter().all(|(_, other)| other == by) => (
            format!("selected by the reward of {by}"),
            parts.iter().map(|(what, _)| (*what).to_owned()).collect(),
        ),
        Some(_) | None => plain(),
    }
}

/// Adds to the curves of a picture the learning runs that each is the mean of, from a report that is divided by runs as
/// well. A curve of one run stays as it is: that run is the curve.
#[must_use]
pub fn add_single_runs(mut picture: Picture, by_run: &Report, measure: Measure) -> Picture {
    let PictureContent::Curves(chart) = &mut picture.content else {
        return picture;
    };
    let Some(over) = ORDERED.into_iter().find(|by| by.label() == chart.x_title) else {
        return picture;
    };
    let arm_names = name_arms(by_run);
    let (figures, _) = keep_one_kind(&list_figures(
        by_run,
        measure,
        by_run.is_mixed(),
        &arm_names,
    ));
    for one in figures {
        let own_keys = one.figure.keys.iter().all(|key| key.by == over);
        let at = chart
            .x_labels
            .iter()
            .position(|label| Some(label.as_str()) == one.value_in(over));
        let (Some(at), Some(run), true) = (at, one.value_in(Dimension::Run), own_keys) else {
            continue;
        };
        let name = one.name_without(&[over, Dimension::Run]);
        let Some(curve) = chart.curves.iter_mut().find(|curve| curve.name == name) else {
            continue;
        };
        let known = curve.runs.iter().position(|known| known.name == run);
        let index = known.unwrap_or_else(|| {
            curve.runs.push(SingleRun {
                name: run.to_owned(),
                points: vec![None; chart.x_labels.len()],
            });
            curve.runs.len() - 1
        });
        if let Some(point) = curve.runs[index].points.get_mut(at) {
            *point = one.plotted();
        }
    }
    for curve in &mut chart.curves {
        if curve.runs.len() < 2 {
            curve.runs.clear();
        }
    }
    let count: usize = chart.curves.iter().map(|curve| curve.runs.len()).sum();
    if count > 0 {
        picture.notes.insert(
            0,
            format!("thin lines: the {count} learning runs, each by itself"),
        );
    }
    picture
}

fn build_heat_map(figures: &[SectionFigure<'_>]) -> Result<HeatMap, PlotError> {
    let dimensions = |one: &SectionFigure<'_>| -> Vec<Dimension> {
        let keys = one.section.group.iter().chain(&one.figure.keys);
        keys.map(|key| key.by).collect()
    };
    let planes = figures.iter().map(dimensions).filter(|all| all.len() >= 2);
    let plane = planes.min_by_key(Vec::len).ok_or(PlotError::NoPlane)?;
    let (across, down) = plane.split_last().ok_or(PlotError::NoPlane)?;
    let of_plane: Vec<&SectionFigure<'_>> = figures
        .iter()
        .filter(|one| dimensions(one) == plane)
        .collect();
    let row_of = |one: &SectionFigure<'_>| one.name_without(&[*across]);
    let mut rows: Vec<String> = Vec::new();
    for one in &of_plane {
        let row = row_of(one);
        if !rows.contains(&row) {
            rows.push(row);
        }
    }
    let columns = ordered_values(of_plane.iter().filter_map(|one| one.value_in(*across)));
    let mut cells = vec![vec![None; columns.len()]; rows.len()];
    for one in of_plane {
        let row = rows.iter().position(|row| *row == row_of(one));
        let column = columns
            .iter()
            .position(|column| Some(column.as_str()) == one.value_in(*across));
        let cell = row
            .zip(column)
            .and_then(|(row, column)| cells.get_mut(row)?.get_mut(column));
        if let Some(cell) = cell {
            *cell = one.plotted();
        }
    }
    let row_titles: Vec<&str> = down.iter().map(|by| by.label()).collect();
    Ok(HeatMap {
        row_title: row_titles.join(", "),
        column_title: across.label().to_owned(),
        rows,
        columns,
        cells,
    })
}

/// Returns each value once: by number where all begin with one, else as they come.
fn ordered_values<'a>(values: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut unique: Vec<String> = Vec::new();
    for value in values {
        if !unique.iter().any(|known| known == value) {
            unique.push(value.to_owned());
        }
    }
    let leading_number = |value: &str| -> Option<u64> {
        let digits: String = value.chars().take_while(char::is_ascii_digit).collect();
        digits.parse().ok()
    };
    if unique.iter().all(|value| leading_number(value).is_some()) {
        unique.sort_by_key(|value| leading_number(value));
    }
    unique
}

/// Returns what the lines or bands of a picture are.
fn describe_intervals(figures: &[SectionFigure<'_>]) -> Vec<String> {
    let mut notes = Vec::new();
    let subjects: BTreeSet<Option<IntervalSubject>> = figures
        .iter()
        .filter(|one| one.figure.interval.is_some())
        .map(|one| one.figure.interval_of)
        .collect();
    let is_adjusted = figures.iter().any(|one| one.figure.confidence.is_some());
    for subject in subjects {
        let over = match subject {
            None => "over topics",
            Some(IntervalSubject::ThisMemory) => "over topics, of this memory",
            Some(IntervalSubject::LearningRuns) => "over learning runs and topics",
        };
        notes.push(match is_adjusted {
            true => format!("intervals {over}, adjusted for all comparisons"),
            false => format!("95 % intervals {over}"),
        });
    }
    if figures
        .iter()
        .any(|one| one.figure.value.is_some() && one.figure.interval.is_none())
    {
        notes.push(
            "values stand without an interval where there are too few topics, or a run is not over"
                .to_owned(),
        );
    }
    notes
}

/// Returns what was left out, and the report's own notes.
fn collect_notes(figures: &[SectionFigure<'_>]) -> Vec<String> {
    let mut notes = Vec::new();
    let mut left_out: BTreeMap<&str, usize> = BTreeMap::new();
    for one in figures.iter().filter(|one| one.figure.keys.is_empty()) {
        for (reason, count) in &one.figure.left_out {
            *left_out.entry(reason.label()).or_default() += count;
        }
    }
    if !left_out.is_empty() {
        let parts = left_out
            .iter()
            .map(|(reason, count)| format!("{count} {reason}"));
        notes.push(format!(
            "left out: {}",
            parts.collect::<Vec<_>>().join(", ")
        ));
    }
    let mut known = BTreeSet::new();
    for note in figures.iter().flat_map(|one| &one.section.notes) {
        if known.insert(note) {
            notes.push(note.clone());
        }
    }
    notes
}
